"""The face of the program: `jit`, `raise_module`, `raise_function`, `compile`, and the commands.

MLIR text (or what a front end made of C or Python) and `RaiseOptions` come in; a `RaiseResult` goes out: the module
with tensor operations in place of loops, remarks, and a `FunctionReport` with a verdict for each function. This folder
is the package `raising` itself; the other stages are its subpackages. What is heavy is imported when it is first used.

- `api/` defines options, results and remarks.
- `segment/` solves one run of loop nests: parts, search, composition.
- `emit/` writes the found terms back into the function.
- `readable/` writes a raised module as Python for people.
- `verify/` proves a raised function equal to its loops and runs both.
- `function_driver` takes one function through these rooms, and takes out the nests that fail.
- `pipeline` does so for a module (`raise_module`) or a Python function (`raise_function`).
- `optimise/` is the driver of `raise-opt`.
- `compile_module` is the driver of `raise-compile`.
- `decorator/` is `jit` and `vectorize`: a Python function, compiled for the arguments of its calls.
- `own_rules/` is `rule`: rules of rewriting, written as functions of Python.
- `report/` says what was done, for people and for programs.
- `explore/` is `raise-explore`: a page that shows what raising made of a file.
- `commands/` holds the commands, and the child processes that they work in.
- `demo` shows a file and what it is raised to, side by side.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as that of `typing`, whose import every command would wait for
if TYPE_CHECKING:
    from typing import Any

    from raising.api.options import RaiseOptions
    from raising.api.result import FunctionReport, RaiseResult, Remark
    from raising.compile_module import compile_module as compile
    from raising.decorator.jitted import jit
    from raising.decorator.vectorised import vectorize
    from raising.eqsat.egraph.sexpr import RuleError
    from raising.eqsat.ruleset.rule_sets import RuleSet
    from raising.native.call.compiled import Compiled
    from raising.own_rules.rule import rule
    from raising.pipeline import raise_function, raise_module
    from raising.support.errors import InputError

__all__ = [
    "Compiled",
    "FunctionReport",
    "InputError",
    "RaiseOptions",
    "RaiseResult",
    "Remark",
    "RuleError",
    "RuleSet",
    "compile",
    "jit",
    "raise_function",
    "raise_module",
    "rule",
    "vectorize",
]

_HOMES = {
    "Compiled": ("raising.native.call.compiled", "Compiled"),
    "FunctionReport": ("raising.api.result", "FunctionReport"),
    "InputError": ("raising.support.errors", "InputError"),
    "RaiseOptions": ("raising.api.options", "RaiseOptions"),
    "RaiseResult": ("raising.api.result", "RaiseResult"),
    "Remark": ("raising.api.result", "Remark"),
    "RuleError": ("raising.eqsat.egraph.sexpr", "RuleError"),
    "RuleSet": ("raising.eqsat.ruleset.rule_sets", "RuleSet"),
    "compile": ("raising.compile_module", "compile_module"),
    "jit": ("raising.decorator.jitted", "jit"),
    "raise_function": ("raising.pipeline", "raise_function"),
    "raise_module": ("raising.pipeline", "raise_module"),
    "rule": ("raising.own_rules.rule", "rule"),
    "vectorize": ("raising.decorator.vectorised", "vectorize"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'raising' has no attribute '{name}'")
    from importlib import import_module

    home, own = _HOMES[name]
    return getattr(import_module(home), own)
