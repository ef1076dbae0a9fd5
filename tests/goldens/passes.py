"""The passes that a golden can name: the functions that the drivers of native code call on a module.

A pass of `raise` rewrites a module of MLIR in place, or returns a new one. Its name is its function's, with dashes.
Options are `key=value`; `fp` is strict, reassoc or fast, `cpu` a processor of LLVM's, `threads` a number.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from mlir import ir, passmanager

from raising.native.base.signature import Signature
from raising.native.base.target import Target, target_for
from raising.native.blas.library import find_blas
from raising.native.bufferize.destination_passing import SUFFIX
from raising.native.input.read_module import new_context, read, run

Given = dict[str, str]
ROOT = Path(__file__).parent.parent.parent


def _target(given: Given) -> Target:
    return target_for(given.get("cpu", "x86-64-v3"), int(given.get("threads", "1")))


def _fp(given: Given) -> str:
    return given.get("fp", "reassoc")


def _bodies(module: Any) -> list[Any]:
    return [op for op in module.body.operations if op.operation.name == "func.func" and not op.is_external]


def _workspace(pass_: Callable[..., Any], module: Any, given: Given) -> None:
    for function in _bodies(module):
        name = function.name.value
        if name.endswith(SUFFIX):
            pass_(module, Signature(name.removesuffix(SUFFIX), ()), int(given.get("threads", "1")))


def _outline(pass_: Callable[..., Any], module: Any, given: Given) -> None:
    for function in _bodies(module):
        pass_(module, function, function.name.value)


def _called(driver: str) -> dict[str, str]:
    """The functions of `native` that a driver calls with its module first, by name, each with its file."""
    tree = ast.parse((ROOT / f"{driver}.py").read_text())
    imports = (n for n in tree.body if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("raising.native."))
    homes = {alias.name: str(n.module).removeprefix("raising.").replace(".", "/") for n in imports for alias in n.names}
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.args)
    names = {ast.unparse(n.func) for n in calls if ast.unparse(n.args[0]) == "module"}
    return {name.replace("_", "-"): homes[name] for name in names & homes.keys() if name not in _NO_PASSES}


DRIVERS = ("native/compile", "native/bufferize/bufferize", "native/schedule")
"""The files that call the passes of native code, in order."""
_NO_PASSES = {"add_symbols", "check_names", "llvm_text", "run"}
PASSES = {name: home for driver in DRIVERS for name, home in _called(driver).items()}
PASSES |= {"forward": "eqsat/egraph/through_memory", "share-views": "eqsat/egraph/through_memory"}
"""The file of each pass."""

_EACH = {"to-workspace": _workspace, "outline": _outline}
"""Passes on one function of a module."""

_ARGUMENTS: dict[str, Callable[[Given], Any]] = {
    "target": _target,
    "fp": _fp,
    "reassociate": lambda given: _fp(given) != "strict",
    "library": lambda given: find_blas(None),
    "choose": lambda given: lambda routine, element, sizes: True,
    "ir": lambda given: ir,
    "passes": lambda given: passmanager,
    "declared": lambda given: frozenset(),
}
"""What a pass is given besides the module, by the name of its parameter."""


def _run(name: str, module: Any, given: Given) -> Any:
    pass_ = getattr(import_module(f"raising.{PASSES[name].replace('/', '.')}"), name.replace("-", "_"))
    if name in _EACH:
        return _EACH[name](pass_, module, given)
    _, *wanted = (p for p in signature(pass_).parameters.values() if p.default is p.empty)
    return pass_(module, **{p.name: _ARGUMENTS[p.name](given) for p in wanted})


def passes(text: str, file: str, steps: tuple[tuple[str, Given], ...]) -> str:
    """A module after passes, in order; `--mlir=a,b` runs passes of MLIR itself.

    The errors of the passes, and KeyError for a name that is none.
    """
    with new_context() as context, ir.Location.unknown():
        module = read(text.encode(), file, context)
        for name, given in steps:
            if name == "mlir":
                run(module, given[""], "a pass of MLIR refuses it")
                continue
            made = _run(name, module, given)
            module = made if isinstance(made, ir.Module) else module
        module.operation.verify()
        return str(module)
