"""What was made of a function, for people: texts, and a page for notebooks."""

from __future__ import annotations

import html
import inspect
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

from raising.decorator.specialisation import Specialisation
from raising.support.record import dataclass


@dataclass(frozen=True)
class Inspection:
    """`jit(f).inspect()`: the function as it was written, and the code that was made of it, by kinds of arguments."""

    function: Callable[..., Any]
    made: tuple[tuple[Sequence[str], Specialisation], ...]

    @property
    def source(self) -> str:
        """The function as it was written."""
        return inspect.getsource(self.function)

    @property
    def kinds(self) -> tuple[KindOfCall, ...]:
        """An entry for each kind of arguments."""
        return tuple(KindOfCall(*one) for one in self.made)

    def __repr__(self) -> str:
        return f"<inspection of {self.function.__qualname__}, compiled for {len(self.made)} kinds of arguments>"

    def __str__(self) -> str:
        parts = [self.source.rstrip()]
        for kind in self.kinds:
            parts += [f"# {kind.title}", *(f"## {name}\n{text}" for name, text in kind.sections() if text)]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        """A page for notebooks: one block for each text, which opens."""
        parts = [_block("source", self.source, opened=True)]
        for kind in self.kinds:
            inner = "".join(_block(name, text, opened=name == "verdict") for name, text in kind.sections() if text)
            parts.append(f"<details open><summary>{html.escape(kind.title)}</summary>{inner}</details>")
        return f"<div>{''.join(parts)}</div>"


def _block(name: str, text: str, *, opened: bool) -> str:
    shown = " open" if opened else ""
    return f"<details{shown}><summary>{html.escape(name)}</summary><pre>{html.escape(text)}</pre></details>"


class KindOfCall:
    """The texts and verdicts of the code for one kind of arguments."""

    def __init__(self, names: Sequence[str], made: Specialisation) -> None:
        self._names, self._made = names, made
        built = made.built
        self.loops: str = built["loops"]
        self.raised: str = built["raised"]
        self.program: str = built["program"]
        self.saturation: str = built["saturation"]
        self.verdict: str = built["verdict"]
        self.remarks: tuple[str, ...] = tuple(built["remarks"])
        self.assumptions: tuple[str, ...] = tuple(f"{one['where']}: {one['text']}" for one in built["assumed"])

    @property
    def title(self) -> str:
        """The types of the arguments, as in annotations."""
        extents = iter(self._made.pattern)
        parts = []
        given = zip(self._names, self._made.built["kinds"], self._made.function.signature.parameters, strict=False)
        for name, (dtype, rank), parameter in given:
            shape = ", ".join(str(next(extents)) for _ in range(rank))
            element = dtype if dtype.startswith("complex") else parameter.element
            parts.append(f"{name}: {element}" + (f"[{shape}]" if rank else ""))
        return f"({', '.join(parts)})"

    def __repr__(self) -> str:
        return f"<code for {self.title}: {self.verdict}>"

    def sections(self) -> list[tuple[str, str]]:
        """The texts with their names; assembly is made when it is asked for."""
        return [
            ("verdict", self.verdict),
            ("assumptions, tested at each call with new sizes", "\n".join(self.assumptions)),
            ("remarks", "\n".join(self.remarks)),
            ("loops", self.loops),
            ("raised program", self.raised),
            ("what saturation did", self.saturation),
            ("program after saturation", self.program if self.program != self.raised else ""),
        ]

    @cached_property
    def assembly(self) -> str:
        """The processor's assembly; it is made again, in a child process."""
        from raising.compile_module import prepare
        from raising.native.base.compile_options import CompileOptions
        from raising.native.base.unsupported import CompileError
        from raising.support.cli_options import MEMORY
        from raising.support.isolate import Finished, run_with_mlir

        found = run_with_mlir(
            partial(_assembly, self.program, CompileOptions(fp=self._made.fp, threads=self._made.threads)),
            prepare,
            timeout=300.0,
            extra_bytes=MEMORY,
            expected=(CompileError,),
        )
        if not isinstance(found, Finished):
            raise CompileError(f"internal: the compiler {found.reason}; please report this")
        return found.value


def _assembly(program: str, options: Any) -> str:
    from raising.native.compile import build

    return build(program.encode(), "-", options, workspace=True).code.assembly
