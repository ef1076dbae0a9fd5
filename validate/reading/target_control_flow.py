"""A target's control flow in upstream's operations: loops that count up, and branches.

A loop becomes `scf.for` over tensors, with a variable in place of the tensor that counts. The target's
lowering has made everything else of a loop's two regions upstream operations. The first region says whether there is
one more iteration: it has to compare a carried value with a constant; the second gives the values that are carried on:
it has to add a constant to that value.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from mlir import ir
from mlir.passmanager import PassManager

from raising.frontend.mlir.parse_module import make_context
from raising.grammar.dialects.target_dialect import Target
from raising.grammar.emit.carried_loops import readers_first
from raising.support.mlir.branches import move_body, replace_op
from raising.support.mlir.create import chosen_elements
from raising.support.mlir.op_writer import OpWriter
from raising.support.mlir.walk import maker, operations
from raising.validate.reading.value_ranges import as_positions, drop_clamps

_HERE = OpWriter(ir)
_TIDY = "builtin.module(canonicalize,cse)"
_MADE = ("bufferization", "linalg", "tensor")
_BELOW = {2: 0, 3: 1}
"""Predicates of a comparison with what is above, by number, and what has to be added to that."""


Settled = Literal["none", "all", "new"]
"""Which values that a loop carries on are copied to where they came from.

Bufferization asks for that where the old value is still needed when the new one is made, and refuses it where the new
one already stands in the old one's place. `new` leaves out what was made by changing the old one alone.
"""


def counted(text: str, target: Target, settled: Settled) -> str:
    """A module with a target's loops that count as `scf.for`; one that does not stays. Branches are selections."""
    with make_context(*_MADE) as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        for name in target.branches:
            for op in _named(module.operation, name):
                _select(op)
        for op in _named(module.operation, _loop_name(target.loop)):
            _replaced(op, settled)
        for op in _named(module.operation, "linalg.generic"):
            _as_scalars(op)
        _renamed(module, "arith.constant", _KEPT)
        PassManager.parse(_TIDY).run(module.operation)
        as_positions(module)
        drop_clamps(module)
        PassManager.parse(_TIDY).run(module.operation)
        _renamed(module, _KEPT, "arith.constant")
        return str(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))


_KEPT = "kept.constant"
"""What constants in floats are called in the meantime: passes fold them, with rounding, and the other side may not."""


def _renamed(module: Any, name: str, other: str) -> None:
    """Constants in floats, scalars and tensors, as an operation of another name."""
    for op in _named(module.operation, name):
        kind = op.results[0].type
        element = ir.RankedTensorType(kind).element_type if isinstance(kind, ir.RankedTensorType) else kind
        if isinstance(element, ir.F64Type | ir.F32Type | ir.F16Type | ir.BF16Type):
            with ir.InsertionPoint(op), op.location:
                new = ir.Operation.create(other, [kind], attributes={"value": op.attributes["value"]})
            op.results[0].replace_all_uses_with(new.results[0])
            op.erase()


def is_counted(text: str, target: Target) -> bool:
    """Whether a text in generic form has loops or branches of a target."""
    loop = _loop_name(target.loop)
    return any(f'"{name}"' in text for name in (loop, *target.branches) if name)


def _loop_name(template: str) -> str:
    """The operation that a target's template of a loop makes; empty if there is no template."""
    found = re.search(r'= "([\w.]+)"', template)
    return found[1] if found else ""


def _named(root: Any, name: str) -> list[Any]:
    """All operations of a name, inner ones first."""
    return operations(root, lambda op: op.name == name)


# ---- loops ---------------------------------------------------------------------------------------


def _replaced(op: Any, settled: Settled) -> None:
    """A loop that counts as `scf.for`, in place of it; one that does not count stays."""
    test, body = (region.blocks[0] for region in op.regions)
    last = list(body.operations)[-1].operation
    counter, bound = _test(test)
    step = _step(body, last.operands[counter], counter) if counter >= 0 else 0
    if step <= 0 or len(list(op.results[counter].uses)):
        return
    counters = {counter: step} | (_beside(op, body, last) if step == 1 else {})
    carried = [k for k in range(len(op.operands)) if k not in counters]
    with ir.InsertionPoint(op), op.location:
        lower, upper, width = _position(op.operands[counter]), _upper(bound), _HERE.index(step)
        inits = [op.operands[k] for k in carried]
        new = ir.Operation.create(
            "scf.for", [v.type for v in inits], [lower, upper, width, *inits], regions=1, loc=op.location
        )
    inside = new.regions[0].blocks.append(ir.IndexType.get(), *(v.type for v in inits))
    with ir.InsertionPoint(inside), op.location:
        _becomes(body.arguments[counter], _as_element(inside.arguments[0], body.arguments[counter]))
        for k in counters.keys() - {counter}:
            done = _HERE.one("arith.subi", lower.type, inside.arguments[0], lower)
            more = _scaled(_as_element(done, body.arguments[k]), counters[k])
            first = _HERE.one("tensor.extract", more.type, op.operands[k])
            _becomes(body.arguments[k], _HERE.one("arith.addi", more.type, first, more))
    for number, k in enumerate(carried):
        body.arguments[k].replace_all_uses_with(inside.arguments[1 + number])
        op.results[k].replace_all_uses_with(new.results[number])
    _moved(op, body, inside, [last.operands[k] for k in carried], settled)
    op.erase()


def _moved(op: Any, body: Any, inside: Any, values: list[Any], settled: Settled) -> None:
    """The operations of a body in the new loop, which carries `values` on, each in its place where that is settled."""
    carried = list(inside.arguments)[1:]
    with ir.InsertionPoint(inside), op.location:
        end = ir.Operation.create("scf.yield", operands=carried)
    for inner in list(body.operations)[:-1]:
        inner.operation.move_before(end)
    with ir.InsertionPoint(end), op.location:
        for number in readers_first(values, carried):
            value, into = values[number], carried[number]
            if settled == "all" or (settled == "new" and not _is_changed(value, into)):
                value = _HERE.one("bufferization.materialize_in_destination", into.type, value, into)
            end.operands[number] = value


def _beside(op: Any, body: Any, last: Any) -> dict[int, int]:
    """The other counters of a loop by their numbers, with their steps; without those that are needed after the loop."""
    found = {k: _step(body, value, k) for k, value in enumerate(last.operands)}
    return {k: step for k, step in found.items() if step and not len(list(op.results[k].uses))}


def _becomes(argument: Any, number: Any) -> None:
    """A scalar as the element of a tensor of rank 0."""
    argument.replace_all_uses_with(_HERE.one("tensor.from_elements", argument.type, number))


def _as_element(position: Any, tensor: Any) -> Any:
    return _HERE.one("arith.index_cast", ir.RankedTensorType(tensor.type).element_type, position)


def _scaled(number: Any, factor: int) -> Any:
    return number if factor == 1 else _HERE.one("arith.muli", number.type, number, _HERE.constant(number.type, factor))


_INTO = {"tensor.insert_slice": 1, "scf.for": 3, "bufferization.materialize_in_destination": 1}
"""The operand in whose place an operation puts its result."""


def _is_changed(value: Any, old: Any) -> bool:
    """True if a tensor is the old one after a chain of insertions."""
    while value != old:
        op = maker(value, *_INTO)
        if op is None:
            return False
        value = op.operands[_INTO[op.name] + (ir.OpResult(value).result_number if op.name == "scf.for" else 0)]
    return True


Bound = tuple[Any, int]
"""A tensor of rank 0 from outside of the loop, None for none, and what is added to it."""


def _test(block: Any) -> tuple[int, Bound]:
    """(number of the argument, bound) of a test `argument < bound`; number -1 if it is another."""
    found = _scalar(list(block.operations)[-1].operation.operands[0])
    if found is None or found[0].name != "arith.cmpi":
        return -1, (None, 0)
    op, given = found
    left, right = (_affine(v, given, block) for v in op.operands)
    outer = given.get(op.operands[1])
    if right is None and outer is not None and _is_outside(outer, block):
        right = (-1, 0)
    else:
        outer = None
    predicate = ir.IntegerAttr(op.attributes["predicate"]).value
    if left is None or right is None or left[0] < 0 or right[0] >= 0 or predicate not in _BELOW:
        return -1, (None, 0)
    return left[0], (outer, right[1] - left[1] + _BELOW[predicate])


def _is_outside(value: Any, block: Any) -> bool:
    """True if a value is defined outside of a block."""
    if isinstance(value, ir.BlockArgument):
        return bool(value.owner != block)
    return bool(value.owner.operation.parent.operation != block.owner.operation)


def _upper(bound: Bound) -> Any:
    more = _HERE.index(bound[1])
    return more if bound[0] is None else _HERE.one("arith.addi", ir.IndexType.get(), _position(bound[0]), more)


def _step(block: Any, value: Any, counter: int) -> int:
    """The constant that is added to an argument; 0 if the value is no such sum."""
    found = _affine_tensor(value, block)
    return found[1] if found is not None and found[0] == counter else 0


Given = dict[Any, Any]
"""What the arguments of an operation's region stand for."""


def _scalar(value: Any) -> tuple[Any, Given] | None:
    """The operation that computes the element of a tensor of rank 0, and what its region is given."""
    if isinstance(value, ir.BlockArgument) or value.owner.name != "linalg.generic":
        return None
    block = value.owner.regions[0].blocks[0]
    element = list(block.operations)[-1].operation.operands[0]
    if isinstance(element, ir.BlockArgument):
        return None
    return element.owner.opview.operation, dict(zip(block.arguments, value.owner.operands, strict=True))


Affine = tuple[int, int]
"""An argument's number, -1 for none, and what is added to it."""


def _affine_tensor(value: Any, block: Any) -> Affine | None:
    """The element of a tensor of rank 0 as an argument of a block plus a number."""
    if isinstance(value, ir.BlockArgument):
        return (value.arg_number, 0) if value.owner == block else None
    if value.owner.name == "arith.constant":
        return _constant(value.owner)
    found = _scalar(value)
    if found is None or found[0].name != "arith.addi":
        return None
    return _sum(*(_affine(v, found[1], block) for v in found[0].operands))


def _affine(value: Any, given: Given, block: Any) -> Affine | None:
    """The same of a scalar in a region."""
    if value in given:
        return _affine_tensor(given[value], block)
    made = maker(value, "arith.constant")
    return None if made is None else _constant(made)


def _sum(one: Affine | None, other: Affine | None) -> Affine | None:
    if one is None or other is None or (one[0] >= 0 and other[0] >= 0):
        return None
    return max(one[0], other[0]), one[1] + other[1]


def _constant(op: Any) -> Affine | None:
    attr = op.attributes["value"]
    if isinstance(attr, ir.DenseIntElementsAttr) and attr.is_splat:
        attr = attr.get_splat_value()
    return (-1, int(ir.IntegerAttr(attr).value)) if isinstance(attr, ir.IntegerAttr) else None


def _position(value: Any) -> Any:
    """The element of a tensor of rank 0 as an index."""
    element = _HERE.one("tensor.extract", ir.RankedTensorType(value.type).element_type, value)
    return _HERE.one("arith.index_cast", ir.IndexType.get(), element)


# ---- tensors of rank 0 ---------------------------------------------------------------------------


def _as_scalars(op: Any) -> None:
    """An operation that computes a single number, as the operations of its region."""
    kinds = [v.type for v in op.operands]
    if len(op.results) != 1 or not all(isinstance(t, ir.RankedTensorType) and t.rank == 0 for t in kinds):
        return
    block = op.regions[0].blocks[0]
    with ir.InsertionPoint(op), op.location:
        pairs = zip(block.arguments, op.operands, strict=True)
        scalars = [_HERE.one("tensor.extract", argument.type, value) for argument, value in pairs]
        (scalar,) = move_body(block, op, scalars)
        result = _HERE.one("tensor.from_elements", op.results[0].type, scalar)
    replace_op(op, [result])


# ---- branches ------------------------------------------------------------------------------------


def _select(op: Any) -> None:
    """Replace an operation with regions, which have no effects, by what these compute and a selection for each result.

    A truth value takes the first of two regions where it holds. A number takes the region with that number, from 0 on,
    and any other number takes the last (`if` and `case` of the StableHLO specification).
    """
    found = [move_body(region.blocks[0], op) for region in op.regions]
    with ir.InsertionPoint(op), op.location:
        number = _HERE.one("tensor.extract", ir.RankedTensorType(op.operands[0].type).element_type, op.operands[0])
        values = found.pop()
        for k in reversed(range(len(found))):
            condition = _is(number, k)
            pairs = zip(found[k], values, strict=True)
            values = [chosen_elements(ir, condition, one, other, one) for one, other in pairs]
    replace_op(op, values)


def _is(number: Any, wanted: int) -> Any:
    """Whether a scalar is this number; a truth value is its own answer."""
    kind = ir.IntegerType(number.type)
    if kind.width == 1:
        return number
    return _HERE.compare("eq", number, _HERE.constant(kind, wanted))
