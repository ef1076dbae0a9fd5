"""The result of raising a module: text, remarks, and a report for each function.

A remark is one sentence about a loop or a function, with its place: what was done to it, or why it stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from raising.support.record import dataclass
from raising.support.source import Loc

if TYPE_CHECKING:  # who has a remark to make need not import the search
    from raising.affine.polyhedral.sequential_loops import Carrier
    from raising.segment.part_search import PartReport
    from raising.validate.base.verdict import Verdict


@dataclass(frozen=True)
class Remark:
    """`kind` is `raised`, `kept` or `note`; `why` one sentence; `hint` what the user can do about it."""

    kind: str
    where: Loc
    why: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.where}: remark: {self.why}{hint}"


@dataclass(frozen=True)
class Fate:
    """What became of a loop: `raised`, `sequential` (it stays, over tensors) or `kept`, with the reason.

    `needs` is the dependence that keeps it, if that is what does.
    """

    where: Loc
    kind: str
    why: str = ""
    needs: Carrier | None = None


_ANONYMOUS = re.compile(r"(?<![\w./-])-(?=:\d+:\d+)")


@dataclass(frozen=True)
class FunctionReport:
    """One function: how many nests were raised, what is known of the result, what the search did.

    `verdict` is None if nothing was raised, not even inside of a loop that
    was kept; `operations` counts those of the composed program; `names` gives the
    source's name for each array and scalar that the terms of `parts` mention.
    `sequential` counts the loops that stay in what was raised, over tensors; `arguments` are the source's names of
    the arguments, by position. `fates` are those of the outermost loops, of loops inside of kept ones, and of
    sequential ones; a loop shares that of the next one around it, but is raised inside of a sequential one.
    """

    name: str
    where: Loc
    raised: int
    kept: int
    verdict: Verdict | None
    parts: tuple[PartReport, ...]
    operations: int
    seconds: float
    names: dict[str, str]
    sequential: int = 0
    arguments: tuple[str, ...] = ()
    fates: tuple[Fate, ...] = ()

    @property
    def changed(self) -> bool:
        """True if anything was raised, the inside of a kept loop included."""
        return self.verdict is not None


@dataclass(frozen=True)
class RaiseResult:
    """The module's text after raising, remarks in order of place, and a report per function.

    `in_time` is False if something is left, or not proved, because of the time limit.
    """

    text: str
    remarks: tuple[Remark, ...]
    functions: tuple[FunctionReport, ...]
    in_time: bool = True

    @property
    def complete(self) -> bool:
        """True if no loop is left that was there."""
        return all(f.kept == f.sequential == 0 for f in self.functions)

    def to_source(self, language: str) -> str:
        """The module as the text of a Python module that a person can read, for `numpy` or `jax`.

        NumPy's functions change their arrays as the loops do; those for JAX return the arrays that are written, in
        the order of the arguments, and then what the loops return. Raises ValueError for a function that has no form
        there, with the reason.
        """
        from raising.readable.to_source import to_source

        found = to_source(self.text, language, {f.name: f.arguments for f in self.functions})
        for name, why in found.refused.items():
            raise ValueError(f"function '{name}' is not written for {language}: {why}")
        return found.text

    def to_jax(self, name: str = "") -> Callable[..., Any]:
        """A function of the module in JAX, for `jit`, `grad`, `vmap` and sharded arrays; `name` says which of several.

        It takes what the loops take, and returns the arrays that they write, in the order of the arguments, and then
        what they return; alone, or as a tuple. Its `written` are the names of these arrays, its `static_argnums` the
        places of integers: `jax.jit(f, static_argnums=f.static_argnums)` where loops or slices depend on them. Doubles
        and 64-bit integers need `JAX_ENABLE_X64=1`. Raises ValueError for a function that has no form there, with the
        reason, and ImportError without JAX.
        """
        from raising.api.jax_function import jax_function

        return jax_function(self, name)


# ---- the file's name -----------------------------------------------------------------------------
# MLIR knows text that it is given as a string by the name `-`.


def in_file(text: str, file: str) -> str:
    """`text` with the places that name no file set in `file`."""
    return _ANONYMOUS.sub(lambda _: file, text)


def named(where: Loc, file: str) -> Loc:
    """A place in `file` if it names no other."""
    return replace(where, file=file) if where.file == "-" else where


def remark_in_file(remark: Remark, file: str) -> Remark:
    """The remark with its places in `file`."""
    return replace(remark, where=named(remark.where, file), why=in_file(remark.why, file))


def report_in_file(report: FunctionReport, file: str) -> FunctionReport:
    """The report with its places in `file`."""
    parts = tuple(replace(p, where=named(p.where, file), reason=in_file(p.reason, file)) for p in report.parts)
    fates = tuple(_fate_in_file(f, file) for f in report.fates)
    return replace(report, where=named(report.where, file), parts=parts, fates=fates)


def _fate_in_file(fate: Fate, file: str) -> Fate:
    needs = fate.needs
    if needs is not None:
        needs = replace(needs, read=named(needs.read, file), written=named(needs.written, file))
    return replace(fate, where=named(fate.where, file), why=in_file(fate.why, file), needs=needs)
