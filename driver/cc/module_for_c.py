"""The raised module as it is compiled for C: names of its own, tests beside the functions, the file's variables."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from mlir import ir
from mlir.dialects import arith

from raising.cc.choice import is_hidden
from raising.cc.edited_text import HOLDS, PREFIX, STATIC
from raising.support.mlir.walk import named, symbol_name
from raising.validate.native.argument_types import quiet_context

_TAKEN_OVER = ("c_parameters", "c_arguments", "c_paths")
_WEAK = "raise.weak"


def for_c(text: str, guards: str, taken: Collection[str], signs: Mapping[str, tuple[int, ...]]) -> str:
    """The module with the functions `taken`, and `@NAME.holds` of `guards` beside each that has one.

    The test also asks whether the arguments in `signs` are not negative, as numbers with a sign.

    Variables belong to the compiler's object, where static ones have a second name, and constants to this one.
    """
    with quiet_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        extra = ir.Module.parse(guards) if guards else None
        tests = {symbol_name(op): op.operation for op in extra.body.operations} if extra is not None else {}
        second: dict[str, str] = {}
        for op in [op.operation for op in module.body.operations]:
            if op.name == "memref.global":
                _belongs_elsewhere(op, second)
            elif op.name == "func.func" and op.regions[0].blocks:
                _function(module, op, symbol_name(op) in taken, tests, signs.get(symbol_name(op), ()))
        for get in named(module, "memref.get_global"):
            name = ir.FlatSymbolRefAttr(get.attributes["name"]).value
            get.attributes["name"] = ir.FlatSymbolRefAttr.get(second.get(name, name))
        module.operation.verify()
        return str(module)


def _belongs_elsewhere(variable: Any, second: dict[str, str]) -> None:
    """Have a variable be one of another object; names of static ones there are `second` names."""
    if _WEAK in variable.attributes:
        del variable.attributes[_WEAK]
    if "constant" in variable.attributes:
        variable.attributes["sym_visibility"] = ir.StringAttr.get("private")
        return
    if is_hidden(variable):
        name = symbol_name(variable)
        second[name] = f"{STATIC}{name}"
        variable.attributes["sym_name"] = ir.StringAttr.get(second[name])
        variable.attributes["sym_visibility"] = ir.StringAttr.get("public")
    if "initial_value" in variable.attributes:
        del variable.attributes["initial_value"]


def _function(module: Any, op: Any, is_taken: bool, tests: dict[str, Any], signs: tuple[int, ...]) -> None:
    name = symbol_name(op)
    if not is_taken:
        op.erase()
        return
    test = tests.get(f"{name}.holds") or (_always(op) if signs else None)
    if test is not None:
        added = test.clone(ir.InsertionPoint(module.body))
        _ask_signs(added, signs)
        added.attributes["sym_name"] = ir.StringAttr.get(f"{HOLDS}{name}")
        if "sym_visibility" in added.attributes:
            del added.attributes["sym_visibility"]
        for attribute in _TAKEN_OVER:
            if attribute in op.attributes:
                added.attributes[attribute] = op.attributes[attribute]
    op.attributes["sym_name"] = ir.StringAttr.get(f"{PREFIX}{name}")


def _always(function: Any) -> Any:
    """A test of the arguments of a function that always holds."""
    types = ", ".join(f"%a{k}: {a.type}" for k, a in enumerate(function.regions[0].blocks[0].arguments))
    text = f"func.func @always({types}) -> i1 {{\n%t = arith.constant true\nreturn %t : i1\n}}"
    module = ir.Module.parse(text)  # it has to live until its function is cloned
    return module.body.operations[0].operation.clone(ip=False)


def _ask_signs(test: Any, signs: tuple[int, ...]) -> None:
    """Have a test hold only if these arguments are not negative."""
    block = test.regions[0].blocks[0]
    *_, end = block.operations
    with ir.InsertionPoint(end):
        for k in signs:
            value = block.arguments[k]
            zero = arith.ConstantOp(value.type, ir.IntegerAttr.get(value.type, 0)).result
            asked = arith.CmpIOp(arith.CmpIPredicate.sge, value, zero).result
            end.operation.operands[0] = arith.AndIOp(end.operation.operands[0], asked).result
