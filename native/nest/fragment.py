"""Elementwise expressions over the dimensions of a contraction, printed for one point or for a vector of points."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field

from raising.affine.ir.affine_expr import Term
from raising.native.nest.folded_lines import FoldedLines, Index
from raising.native.nest.nest import Access, Scalar
from raising.support.record import dataclass


@dataclass(frozen=True)
class Fragment:
    """The expression of one value: reads `in0`, ..., scalars `v0`, ... and `result`, the name of the value.

    Names that start with % are scalars around the contraction, with their types in
    `captured`. `sum` is the sum of the contraction, where there is one.
    """

    reads: tuple[Access, ...]
    body: tuple[Scalar, ...]
    result: str
    element: str
    captured: tuple[tuple[str, str], ...] = ()

    @property
    def plain(self) -> Access | None:
        """The one access whose element it is, unchanged."""
        return self.reads[int(self.result[2:])] if re.fullmatch(r"in\d+", self.result) else None


@dataclass(frozen=True)
class Lanes:
    """The points of a vector: `width` neighbours along a dimension; only those in `mask` (all if None) exist."""

    dim: int
    width: int
    mask: str | None = None


@dataclass
class Printer:
    """Prints fragments. `point` has the index of each dimension (of the first lane) and of each name around."""

    code: FoldedLines
    point: Mapping[Term, Index]
    lanes: Lanes | None = None
    sum: str | None = None
    _seen: dict[str, str] = field(default_factory=dict)

    def value(self, fragment: Fragment) -> str:
        """The name of the fragment's value: a vector if there are lanes."""
        self._seen = {}
        return self._value(fragment, fragment.result)

    def vector(self, element: str) -> str:
        """The type of a value of this element type."""
        return f"vector<{self.lanes.width}x{element}>" if self.lanes else element

    def spread(self, value: str, element: str) -> str:
        """A scalar, in every lane."""
        return self.code.op(f"vector.broadcast {value} : {element} to {self.vector(element)}") if self.lanes else value

    def _value(self, fragment: Fragment, name: str) -> str:
        if name not in self._seen:
            self._seen[name] = self._print(fragment, name)
        return self._seen[name]

    def _print(self, fragment: Fragment, name: str) -> str:
        if name == "sum":
            assert self.sum is not None
            return self.sum
        if name.startswith("%"):
            return self.spread(outer(name), dict(fragment.captured)[name])
        if name.startswith("in"):
            return self.load(fragment.reads[int(name[2:])])
        return self._scalar(fragment, fragment.body[int(name[1:])])

    def _scalar(self, fragment: Fragment, scalar: Scalar) -> str:
        if scalar.name == "linalg.index":
            return self._index(int(scalar.properties))
        if not scalar.args:
            single = self.code.op(f'"{scalar.name}"() {scalar.properties} : () -> {scalar.result}')
            return self.spread(single, scalar.result)
        args = ", ".join(self._value(fragment, name) for name in scalar.args)
        kinds = ", ".join(self.vector(kind) for kind in scalar.operands)
        return self.code.op(f'"{scalar.name}"({args}) {scalar.properties} : ({kinds}) -> {self.vector(scalar.result)}')

    def _index(self, dim: int) -> str:
        first = self.spread(self.code.named(self.point[dim]), "index")
        if self.lanes is None or self.lanes.dim != dim:
            return first
        steps = self.code.op(f"vector.step : {self.vector('index')}")
        return self.code.op(f"arith.addi {first}, {steps} : {self.vector('index')}")

    def subscripts(self, access: Access) -> str:
        """The subscripts of the first lane, between brackets."""
        return self.code.names(*(self.code.total(index, self.point) for index in access.map))

    def load(self, access: Access) -> str:
        """The element of an access, in each lane."""
        array = access.array
        place = f"{outer(array.name)}[{self.subscripts(access)}]"
        stride = access.stride(self.lanes.dim) if self.lanes else 0
        if self.lanes is None or stride == 0:
            return self.spread(self.code.op(f"memref.load {place} : {array.type}"), array.element)
        kind = self.vector(array.element)
        if stride != 1:
            return self._gather(access, place, kind)
        if self.lanes.mask is None:
            return self.code.op(f"vector.load {place} : {array.type}, {kind}")
        mask, rest = f"{self.lanes.mask}, {self.zero(array.element)}", f"{self.vector('i1')}, {kind} into {kind}"
        return self.code.op(f"vector.maskedload {place}, {mask} : {array.type}, {rest}")

    def _gather(self, access: Access, place: str, kind: str) -> str:
        assert self.lanes is not None
        step = self.spread(self.code.named(self._step(access, self.lanes.dim)), "index")
        index = self.vector("index")
        offsets = self.code.op(f"arith.muli {self.code.op(f'vector.step : {index}')}, {step} : {index}")
        mask = self.lanes.mask or self.code.constant(f"dense<true> : {self.vector('i1')}")
        memref, zero = access.array.type, self.zero(access.array.element)
        if not access.array.by_elements:
            cast, memref = access.array.in_elements(outer(access.array.name))
            place = f"{self.code.op(cast)}[{self.subscripts(access)}, {self.code.named(0)}]"
        kinds = f"{memref}, {index}, {self.vector('i1')}, {kind} into {kind}"
        return self.code.op(f"vector.gather {place} [{offsets}], {mask}, {zero} : {kinds}")

    def _step(self, access: Access, dim: int) -> Index:
        """The number of elements by which an address grows with a dimension; unknown ones are read from the memref."""
        known = access.stride(dim)
        if known is not None:
            return known
        total: Index = 0
        for axis, (index, stride) in enumerate(zip(access.map, access.array.strides, strict=True)):
            factor = index.coefficient(dim)
            if factor:
                length = stride if stride is not None else stride_name(access.array.name, axis)
                total = self.code.known(f"{total} + {length} * {factor}")
        return total

    def zero(self, element: str) -> str:
        """Zero in each lane."""
        number = "0.0" if element.startswith(("f", "bf")) else "false" if element == "i1" else "0"
        return self.code.constant(
            f"dense<{number}> : {self.vector(element)}" if self.lanes else f"{number} : {element}"
        )

    def store(self, value: str, access: Access) -> None:
        """Write the lanes that exist; the access has stride 1 along them, or there are none."""
        array = access.array
        place = f"{outer(array.name)}[{self.subscripts(access)}]"
        if self.lanes is None:
            self.code.line(f"memref.store {value}, {place} : {array.type}")
        elif self.lanes.mask is None:
            self.code.line(f"vector.store {value}, {place} : {array.type}, {self.vector(array.element)}")
        else:
            kinds = f"{array.type}, {self.vector('i1')}, {self.vector(array.element)}"
            self.code.line(f"vector.maskedstore {place}, {self.lanes.mask}, {value} : {kinds}")


def outer(name: str) -> str:
    """The name, within the function of a contraction, of a value around it."""
    return "%o" + name[1:].replace(".", "_")


def stride_name(array: str, axis: int) -> str:
    """The name, within the function of a contraction, of an array's stride."""
    return f"{outer(array)}_stride{axis}"
