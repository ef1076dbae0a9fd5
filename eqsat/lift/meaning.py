"""The meaning of an operation in a program, measured: it is made again at small sizes, lowered and traced.

The target's own lowering gives the meaning, as for its grammar; no operation is known by name. Of the extents only
remains which of them are equal, and which are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from raising.grammar.dialects.host import Host
from raising.grammar.dialects.load import load_scalars, operation_names
from raising.grammar.dialects.target_dialect import Target
from raising.grammar.measure.elements import Leaf
from raising.grammar.measure.instance_reading import Reading
from raising.grammar.measure.lower_instance import Lowering, defaults
from raising.grammar.measure.recognise_semantics import read
from raising.grammar.measure.tracer import Trace
from raising.grammar.measure.workbench import Attrs, NotStructured
from raising.grammar.terms.structured_op import Body, Instr, Meaning
from raising.support.mlir.walk import blocks_of, maker
from raising.support.record import dataclass

_MOST = 4096  # elements of a tensor that is traced
_EXTENTS = (2, 3, 5, 7, 4, 6, 8, 9, 10, 11, 12, 13)


@dataclass(frozen=True)
class Measured:
    """A structured computation: input k of the meaning is operand `arguments[k]`.

    `start` is the operand that a sum starts from, -1 for the neutral element.
    `units` has the dimensions of extent one of each input and of the result,
    which the maps leave out.
    """

    meaning: Meaning
    arguments: tuple[int, ...]
    start: int
    units: tuple[tuple[int, ...], ...]


class Meanings:
    """Measures operations of a target, each signature once."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._known: dict[str, Measured | None] = {}
        self.moved: dict[str, Any] = {}  # of `movement`, by text
        self._positions: dict[str, int] = {}

    @cached_property
    def names(self) -> frozenset[str]:
        """The operations of the target; read when there is one to look for."""
        return operation_names(self.target.name) | {self.target.result}

    @cached_property
    def lowering(self) -> Lowering:
        """The target's own lowering; made when it is first needed."""
        return Lowering(Host(self.target), {n: s.op for n, s in load_scalars()[0].items()})

    @cached_property
    def scalars(self) -> dict[str, Attrs]:
        """The scalar operations, with the attributes that need not be said."""
        return defaults({n: s.op for n, s in load_scalars()[0].items()})

    def knows(self, op: Any) -> bool:
        """True for an operation of the target."""
        return op.name in self.names

    def measure(self, op: Any, ir: Any) -> Measured | None:
        """The meaning of an operation with one result; None if it is no structured computation."""
        if op.name in self.scalars and not isinstance(op.results[0].type, ir.ShapedType):
            return _scalar(op, self.scalars[op.name])
        if not (self.knows(op) or op.name in self.scalars or _is_constant(op)):
            return None
        try:
            text = alone(op, ir)
            if text not in self._known:
                self._known[text] = self._read(text)
            return self._known[text]
        except NotStructured:
            return None

    def position(self, op: Any, ir: Any) -> int | None:
        """The dimension along which an operation gives the positions of elements; None if it does not."""
        if op.operands or self.measure(op, ir) is not None or not self.knows(op):
            return None
        try:
            return self._positions.get(alone(op, ir))
        except NotStructured:
            return None

    def _read(self, text: str) -> Measured | None:
        try:
            trace = self.lowering.trace(text)
            started, start = _without_start(trace)
            reading = read(started)
        except (NotStructured, ValueError, IndexError):
            return None
        if reading.family == "index":
            self._positions[text] = dict(reading.facts)["axis"][0] or 0
        if reading.family not in ("", "fill"):
            return None
        return _measured(reading, start)


def _measured(reading: Reading, start: int) -> Measured:
    meaning = Meaning(reading.meaning.maps, _without_flags(reading.meaning.body))
    units = reading.units or ((),) * len(meaning.maps)
    return Measured(meaning, reading.arguments, start if start >= 0 else reading.start, units)


def _without_flags(body: Body) -> Body:
    """A body whose operations say nothing about rounding (`fp_of` reads that)."""
    instrs = tuple(replace(i, attrs=tuple(p for p in i.attrs if p[0] != "fastmath")) for i in body.instrs)
    return replace(body, instrs=instrs)


def _without_start(trace: Trace) -> tuple[Trace, int]:
    """A trace whose sum starts from one element, and the argument that it starts from element by element."""
    start = trace.result.start
    if not isinstance(start, Leaf) or start.ids.min() < 0 or not trace.result.shape:
        return trace, -1
    ids = start.ids.reshape(trace.result.shape)
    for number, base in enumerate(trace.bases[:-1]):
        size = trace.bases[number + 1] - base
        if size > 1 and trace.shapes[number] == ids.shape and np.array_equal(ids.ravel(), np.arange(base, base + size)):
            one = Leaf(np.full_like(start.ids, base))
            return replace(trace, result=replace(trace.result, start=one)), number
    return trace, -1


def _scalar(op: Any, defaults: Attrs) -> Measured:
    """A scalar operation on scalars."""
    usual = dict(defaults)
    attrs = sorted((a, str(op.attributes[a])) for a in op.attributes)
    kept = tuple((n, t) for n, t in attrs if usual.get(n) is None or not t.endswith(f"<{usual[n]}>"))
    count = len(op.operands)
    body = Body(count + 1, (Instr(op.name, tuple(range(count)), kept, str(op.results[0].type)),), count + 1)
    return Measured(Meaning(((),) * (count + 1), _without_flags(body)), tuple(range(count)), -1, ((),) * (count + 1))


def _is_constant(op: Any) -> bool:
    return not op.operands and not op.regions and "value" in op.attributes


# ---- the operation alone -----------------------------------------------------------------------------


def alone(op: Any, ir: Any, sizes: Mapping[int, int] | None = None, most: int = _MOST) -> str:
    """A function of the operation's operands (and of the values its regions use) for its result, made small.

    `sizes` says what each extent becomes, `most` how many elements a tensor may have.
    """
    captured = list(dict.fromkeys(_captured(op)))
    constants = [v for v in captured if _is_number(v, ir)]
    outside = [v for v in captured if v not in constants]
    small = sizes is None
    sizes = sizes or _small([*op.operands, *op.results, *outside], ir)
    given = [_resized(v.type, sizes, ir, most) for v in [*op.operands, *outside]]
    result = _resized(op.results[0].type, sizes, ir, most)
    arguments = ", ".join(f"%a{k}: {t}" for k, t in enumerate([*given, result]))
    text = f"func.func @f({arguments}) -> ({result}) {{ func.return %a{len(given)} : {result} }}"
    module = ir.Module.parse(text, op.context)
    block = module.body.operations[0].regions[0].blocks[0]
    end = block.operations[0].operation
    with op.location:
        copy = op.clone(ip=ir.InsertionPoint(end))
        values = list(block.arguments)[:-1]
        for k, value in enumerate(values[: len(op.operands)]):
            copy.operands[k] = value
        own = {v: v.owner.operation.clone(ip=ir.InsertionPoint(copy)).results[0] for v in constants}
        _replace(copy, own | dict(zip(outside, values[len(op.operands) :], strict=True)))
        copy.results[0].set_type(result)
        if small and _is_constant(op) and isinstance(op.results[0].type, ir.RankedTensorType):
            _shrink_constant(copy, result, ir)
        end.operands[0] = copy.results[0]
    return str(module.operation.get_asm(print_generic_op_form=True, assume_verified=True))


def _shrink_constant(op: Any, kind: Any, ir: Any) -> None:
    value = op.attributes["value"]
    if not isinstance(value, ir.DenseElementsAttr) or not ir.DenseElementsAttr(value).is_splat:
        raise NotStructured("a constant of several values")
    op.attributes["value"] = ir.DenseElementsAttr.get_splat(kind, ir.DenseElementsAttr(value).get_splat_value())


def _is_number(value: Any, ir: Any) -> bool:
    """Whether a value is a constant that is no tensor."""
    owner = maker(value)
    return owner is not None and _is_constant(owner) and not isinstance(value.type, ir.ShapedType)


def _captured(op: Any) -> Iterator[Any]:
    """Values from outside that are used in the regions of an operation."""
    own: set[Any] = set()
    for block in blocks_of(op):
        own.update(block.arguments)
        for inner in block.operations:
            own.update(inner.operation.results)
            yield from (v for v in inner.operation.operands if v not in own)
            if len(inner.operation.regions):
                raise NotStructured("regions in regions")


def _replace(op: Any, new: dict[Any, Any]) -> None:
    for region in op.regions if new else ():
        for block in region.blocks:
            for inner in block.operations:
                for k, value in enumerate(inner.operation.operands):
                    if value in new:
                        inner.operation.operands[k] = new[value]


def _small(values: list[Any], ir: Any) -> dict[int, int]:
    """A small extent for each that occurs; one stays one."""
    found: dict[int, int] = {1: 1}
    rest = iter(_EXTENTS)
    for value in values:
        if isinstance(value.type, ir.ShapedType):
            for extent in shaped(value.type, ir):
                if extent not in found:
                    found[extent] = next(rest, 0)
    if 0 in found.values():
        raise NotStructured("too many different extents")
    return found


def shaped(kind: Any, ir: Any) -> tuple[int, ...]:
    """The shape of a tensor with elements; `NotStructured` for any other type."""
    tensor = ir.RankedTensorType(kind) if isinstance(kind, ir.RankedTensorType) else None
    if tensor is None or not tensor.has_static_shape or 0 in tensor.shape or tensor.encoding is not None:
        raise NotStructured("a shape is not static")
    return tuple(tensor.shape)


def _resized(kind: Any, sizes: Mapping[int, int], ir: Any, most: int) -> Any:
    if not isinstance(kind, ir.RankedTensorType):
        return kind
    tensor = ir.RankedTensorType(kind)
    if any(e not in sizes for e in tensor.shape):
        raise NotStructured("an extent of what its regions use is none of its operands")
    shape = [sizes[e] for e in tensor.shape]
    if int(np.prod(shape, dtype=int)) > most:
        raise NotStructured("too many dimensions")
    return ir.RankedTensorType.get(shape, tensor.element_type, loc=ir.Location.unknown(kind.context))
