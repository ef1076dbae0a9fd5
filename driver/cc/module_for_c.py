"""The raised module as it is compiled for C: names of its own, tests beside the functions, the file's variables."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mlir import ir

from raising.cc.edited_text import HOLDS, PREFIX
from raising.validate.native.argument_types import quiet_context

_TAKEN_OVER = ("c_parameters", "c_arguments", "c_paths")
_WEAK = "raise.weak"


def for_c(text: str, guards: str, taken: Collection[str]) -> str:
    """The module with the functions `taken`, and `@NAME.holds` of `guards` beside each that has one.

    Variables that other files can name belong to the compiler's object, and constants to this one.
    """
    with quiet_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        extra = ir.Module.parse(guards) if guards else None
        tests = {symbol(op): op.operation for op in extra.body.operations} if extra is not None else {}
        for op in [op.operation for op in module.body.operations]:
            if op.name == "memref.global":
                _belongs_elsewhere(op)
            elif op.name == "func.func" and op.regions[0].blocks:
                _function(module, op, symbol(op) in taken, tests)
        module.operation.verify()
        return str(module)


def symbol(op: Any) -> str:
    """The name of a function or variable; nothing where there is none."""
    return str(ir.StringAttr(op.attributes["sym_name"]).value) if "sym_name" in op.attributes else ""


def _belongs_elsewhere(variable: Any) -> None:
    if _WEAK in variable.attributes:
        del variable.attributes[_WEAK]
    if "constant" in variable.attributes:
        variable.attributes["sym_visibility"] = ir.StringAttr.get("private")
    elif "initial_value" in variable.attributes:
        del variable.attributes["initial_value"]


def _function(module: Any, op: Any, is_taken: bool, tests: dict[str, Any]) -> None:
    name = symbol(op)
    if not is_taken:
        op.erase()
        return
    test = tests.get(f"{name}.holds")
    if test is not None:
        added = test.clone(ir.InsertionPoint(module.body))
        added.attributes["sym_name"] = ir.StringAttr.get(f"{HOLDS}{name}")
        del added.attributes["sym_visibility"]
        for attribute in _TAKEN_OVER:
            if attribute in op.attributes:
                added.attributes[attribute] = op.attributes[attribute]
    op.attributes["sym_name"] = ir.StringAttr.get(f"{PREFIX}{name}")
