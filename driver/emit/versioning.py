"""Guards: a raised function tests at run time what was assumed of it, and runs the fallback where the test fails.

before  func.func @f(...) { the raised body }
after   scf.if %all_that_was_assumed { the raised body } else { call the fallback, or the loops as they were }
"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import scf

from raising.affine.ir.integer_functions import DIVISIONS
from raising.support.mlir.branches import move_body
from raising.support.mlir.permission import OVERLAPPING
from raising.support.mlir.walk import constant_number, maker, symbol_name
from raising.validate.native.argument_types import quiet_context

_STAYS = ("arith.", "affine.apply", "affine.min", "affine.max", "memref.dim")


class OnTensors(Exception):
    """A function has become one on tensors, which have no place in memory that could be tested."""


def guarded(text: str, guards: str) -> str:
    """The module with each function `f` for which `guards` has `@f.holds` and `@f.original` in a guard.

    Functions of `guards` whose arrays may overlap are written as they are, and join the module.

    The function tests `holds` on its arguments and runs the body that it has,
    or that of `original`; both are put into it. `OnTensors` if the arguments
    of a function are not those of its guard.
    """
    with quiet_context(), ir.Location.unknown():
        module, extra = ir.Module.parse(text), ir.Module.parse(guards)
        functions = {symbol_name(op): op.operation for op in extra.body.operations if op.operation.name == "func.func"}
        for op in [op.operation for op in module.body.operations]:
            name = symbol_name(op)
            if f"{name}.holds" in functions:
                _guard(op, functions[f"{name}.holds"], functions[f"{name}.original"])
        for op in functions.values():
            if OVERLAPPING in op.attributes:
                module.body.append(op.detach_from_parent())
        module.operation.verify()
        return str(module)


def _guard(function: Any, holds: Any, original: Any) -> None:
    block = _block(function)
    if [a.type for a in block.arguments] != [a.type for a in _block(holds).arguments]:
        raise OnTensors
    raised, ret = _body(function)
    (truth,) = move_body(_block(holds), raised[0] if raised else ret, block.arguments)
    moved = _with_effects(raised)
    choice = scf.IfOp(truth, [v.type for v in ret.operands], has_else=True, ip=ir.InsertionPoint(ret))
    for op in moved:
        choice.then_block.append(op)
    scf.YieldOp(list(ret.operands), ip=ir.InsertionPoint(choice.then_block))
    for argument, value in zip(_block(original).arguments, block.arguments, strict=True):
        argument.replace_all_uses_with(value)
    rest, end = _body(original)
    effects = _with_effects(rest)[::-1]  # in the order of the rest, the next one last
    for op in rest:
        if effects and op == effects[-1]:
            choice.else_block.append(effects.pop())
        else:  # what is affine may use it in front only
            op.move_before(choice)
    scf.YieldOp(list(end.operands), ip=ir.InsertionPoint(choice.else_block))
    end.erase()
    for k, result in enumerate(choice.results):
        ret.operands[k] = result


def _block(function: Any) -> Any:
    return function.regions[0].blocks[0]


def _body(function: Any) -> tuple[list[Any], Any]:
    """The operations of a function, and its return."""
    *operations, ret = [op.operation for op in _block(function).operations]
    return operations, ret


def _may_trap(op: Any) -> bool:
    """Whether an operation divides by what may be 0, or -1 where that overflows in its type."""
    if op.name not in DIVISIONS:
        return False
    made = maker(op.operands[1], "arith.maxui", "arith.maxsi")  # of a size and 1, as the front end writes it
    number = constant_number(op.operands[1] if made is None else made.operands[1])
    return number is None or number < 1


def _with_effects(operations: list[Any]) -> list[Any]:
    """The operations that must not run where the test fails.

    Arithmetic on sizes stays in front: what is affine may use it there only.
    """
    moved: list[Any] = []
    results: set[Any] = set()
    for op in operations:
        pure = op.name.startswith(_STAYS) and not _may_trap(op) and not len(op.regions)
        if not pure or any(v in results for v in op.operands):
            moved.append(op)
            results.update(op.results)
    return moved
