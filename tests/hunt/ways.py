"""The program under test, as the hunter calls it: every import from the packages is in this file and in `pairs`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from raising import RaiseOptions, RaiseResult, compile, raise_module
from raising.emit.versioning import guarded
from raising.eqsat.egraph.engine import EngineError, Limits
from raising.frontend.c import COptions, convert
from raising.frontend.python import convert as python
from raising.native.base.compile_options import CompileOptions
from raising.native.base.unsupported import CallError, CompileError
from raising.native.codegen.objects import shared_library
from raising.native.compile import build
from raising.optimise.optimise_module import optimise_module
from raising.support.errors import InputError
from raising.validate.base.verdict import level

TIMEOUT = 4.0
OPTIMISE = Limits(iterations=8, seconds=2.0)


LOADED = (
    *("validate.check", "validate.bounded.bounded", "validate.bounded.z3_solver", "validate.field.pair_check"),
    *("validate.native.native", "validate.proof.in_bounds", "validate.proof.proof", "validate.run.replay"),
    *("validate.run.running_error", "validate.run.strict", "verify.smaller_instance"),
)


def preload() -> None:
    """Import what checks import when they need it: once here, and not again in each child."""
    for name in LOADED:
        import_module(f"raising.{name}")


class Broken(Exception):
    """A stage failed in a way that none of its errors says; `stage` names it."""

    def __init__(self, stage: str, why: str) -> None:
        super().__init__(f"{stage}: {why}")
        self.stage, self.why = stage, why


class Declined(Exception):
    """A call is refused, because memory may be touched that an array does not have."""


@dataclass(frozen=True)
class Read:
    """Loops as affine MLIR with the guards of what is assumed, or why they are refused.

    A function that is `written` stands in the guards as C has it, and is not raised.
    """

    mlir: str = ""
    guards: str = ""
    refused: str = ""
    assumed: tuple[str, ...] = ()
    written: bool = False


@dataclass(frozen=True)
class Raised:
    """A module after raising: what became of its one function, in words."""

    text: str
    state: str  # whole, partly, kept
    verdict: str
    caught: str = ""  # what a check of raising's own found to be wrong
    real: bool = False  # whether floats are taken to be real numbers
    remarks: tuple[str, ...] = ()


def read(text: str, language: str = "c") -> Read:
    """Loops as affine MLIR; what C does not promise is tested at run time."""
    if language == "mlir":
        return Read(text)
    try:
        module = (
            python(text, "f.py") if language == "python" else convert(text, "f.c", COptions(guard=True, whole=True))
        )
    except InputError as error:
        return Read(refused=str(error))
    except Exception as error:
        raise Broken("read", f"{type(error).__name__}: {error}") from error
    written = any("is written as it is: " in r.reason for r in module.refused)
    if module.refused and not written:
        return Read(refused="; ".join(r.reason for r in module.refused))
    return Read(module.mlir, module.guards, "", tuple(r.reason for r in module.assumptions), written)


def raised(mlir: str, check: str = "native", target: str = "linalg") -> Raised:
    """A module with one function, raised."""
    try:
        result = raise_module(
            mlir, file="f.mlir", options=RaiseOptions(check=check, target=target, cache=False, timeout=TIMEOUT)
        )
    except Exception as error:
        raise Broken("raise", f"{type(error).__name__}: {error}") from error
    said = tuple(r.why for r in result.remarks)
    for line in said:
        if "internal error" in line or "does not verify" in line:
            raise Broken("raise", line)
    caught = next((line for line in said if "did not pass" in line or "not equal to" in line), "")
    real = 'raise.fp = "reassoc"' in result.text or any(a.kind == "real" for a in _assumed(result))
    return Raised(result.text, _state(result), _verdict(result), caught, real, said)


def _state(result: RaiseResult) -> str:
    if not any(f.changed for f in result.functions):
        return "kept"
    return "whole" if result.complete else "partly"


def _assumed(result: RaiseResult) -> list[Any]:
    return [a for f in result.functions for a in getattr(f.verdict, "assumptions", ())]


def _verdict(result: RaiseResult) -> str:
    found = [f.verdict for f in result.functions if f.verdict is not None]
    return level(found[0]) if found else ""


def with_guards(text: str, guards: str) -> str:
    """A raised module that tests what it assumes."""
    if not guards:
        return text
    try:
        return guarded(text, guards)
    except Exception as error:
        raise Broken("guard", f"{type(error).__name__}: {error}") from error


def optimised(text: str, fp: str = "") -> str:
    """A module under the default rules."""
    try:
        return optimise_module(text, file="f.mlir", fp=fp, limits=OPTIMISE).text
    except EngineError:  # a limit, said in one line
        return text
    except Exception as error:
        raise Broken("optimise", f"{type(error).__name__}: {error}") from error


def compiled(text: str, target: Path) -> None:
    """Write a shared library."""
    try:
        code = build(text.encode(), "f.mlir", CompileOptions()).code
        target.write_bytes(shared_library(code.object, ()))
    except Exception as error:
        why = str(error) if isinstance(error, CompileError) else f"{type(error).__name__}: {error}"
        raise Broken("compile", why) from error


def from_python(text: str, name: str) -> Callable[..., Any]:
    """A function as Python calls it."""
    try:
        function = compile(text, cache=False)[name]
    except Exception as error:
        raise Broken("compile", f"{type(error).__name__}: {error}") from error

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except CallError as error:
            raise Declined(f"CallError: {error}") from error
        except Exception as error:
            raise Broken("call", f"{type(error).__name__}: {error}") from error

    return call
