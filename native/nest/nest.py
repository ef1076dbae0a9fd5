"""Loop nests with affine accesses, as values: the meaning of a block of linalg operations on memrefs.

`read_block` gives an item for each operation of a block, in order: a `Nest` for
`linalg.generic`, `linalg.fill`, `linalg.copy` and `memref.copy`, and `Effects` for all
others. What a nest uses of its surroundings (buffers, scalars, index values) has a name,
and `Reader.values` has the SSA value of each name. Schedules are made from nests alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.support.record import dataclass

REST = "rest of "


@dataclass(frozen=True)
class Array:
    """A buffer, or a part of one that only its own operation can describe.

    Extents, strides and the offset are in elements. An extent that is not known when compiling is an
    index value around the nest, the same for arrays that are known to have the same; strides and the
    offset are None then. Buffers with different `root` do not overlap; with None it may overlap any
    other. Accesses to one Array are compared by their subscripts, to different ones with the same root
    not at all: they may overlap.
    """

    name: str
    element: str
    type: str
    extents: tuple[Affine, ...]
    strides: tuple[int | None, ...]
    offset: int | None
    root: str | None

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The extents that are known when compiling, None for the others."""
        return tuple(extent.constant if extent.is_constant else None for extent in self.extents)

    @property
    def by_elements(self) -> bool:
        """Whether offsets from an element can be counted in elements; else `in_elements` is needed, if possible."""
        known = None not in (*self.strides, *self.shape, self.offset)
        return not self.strides or self.strides[-1] == 1 or not known

    def in_elements(self, name: str) -> tuple[str, str]:
        """A cast of the memref of this name, and its type: the same memory with one more dimension, of stride 1.

        `vector.gather` and `vector.scatter` count their offsets in elements, and MLIR lowers them for a last stride of
        1 only.
        """
        shape, strides = (*self.shape, 1), ", ".join(map(str, (*self.strides, 1)))
        sizes = ", ".join(map(str, shape))
        kind = f"memref<{'x'.join(map(str, shape))}x{self.element}, strided<[{strides}], offset: {self.offset}>>"
        cast = f"memref.reinterpret_cast {name} to offset: [{self.offset}], sizes: [{sizes}], strides: [{strides}]"
        return f"{cast} : {self.type} to {kind}", kind

    def may_overlap(self, other: Array) -> bool:
        """Whether an element of both may be the same memory."""
        return self.root is None or other.root is None or self.root == other.root


@dataclass(frozen=True)
class Access:
    """One element of an array per point of the nest; `map` has an expression for each of the array's dimensions."""

    array: Array
    map: tuple[Affine, ...]

    @property
    def dims(self) -> frozenset[int]:
        """The dimensions of the nest that the element depends on."""
        return frozenset().union(*(index.dims for index in self.map))

    def moved(self, values: Mapping[Term, Affine]) -> Access:
        """The access with an expression in place of each of these terms."""
        return Access(self.array, tuple(index.substitute(values) for index in self.map))

    def stride(self, dim: int) -> int | None:
        """The number of elements by which the address grows with this dimension; None if that is not known."""
        total = 0
        for index, stride in zip(self.map, self.array.strides, strict=True):
            factor = index.coefficient(dim)
            if factor and stride is None:
                return None
            total += factor * (stride or 0)
        return total


@dataclass(frozen=True)
class Scalar:
    """One operation of a body, so that it can be printed with other types in MLIR's generic form.

    `"name"(args) properties : (operands) -> result`. Its value has the name `v0`,
    `v1`, ... by its place in the body. `linalg.index` has the dimension as its properties.
    """

    name: str
    args: tuple[str, ...]
    properties: str
    operands: tuple[str, ...]
    result: str

    def index(self, value: Callable[[str], Affine | None]) -> Affine | None:
        """Its value over the dimensions, if it is an index that is affine; `value` gives that of an argument."""
        if self.name == "linalg.index":
            return dim(int(self.properties))
        if self.name == "arith.constant":
            found = re.search(r"value = (-?\d+) : index", self.properties)
            return Affine(int(found[1])) if found else None
        if self.name not in ("arith.addi", "arith.subi"):
            return None
        left, right = (value(arg) for arg in self.args)
        if left is None or right is None:
            return None
        return left + right if self.name == "arith.addi" else left - right


@dataclass(frozen=True)
class Nest:
    """For all points within the extents, in lexicographic order: read, compute, write.

    Names in `body` and `yields`: `in0`, `in1`, ... are the reads, `v0`, ... the values
    of the body, `%...` a scalar around the nest (its type is in `captured`). Each yield
    goes to the write of the same place. An output that is read is among the reads.
    Iterations of dimensions that are not `parallel` are a reduction: they write the same element. Some extents are
    the larger of 0 and an expression: `guarded` has these, each as the expression, which it is if there are points;
    and what such an expression is a quotient of, as a multiple of it and a rest.
    """

    extents: tuple[Affine, ...]
    parallel: tuple[bool, ...]
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    body: tuple[Scalar, ...]
    yields: tuple[str, ...]
    captured: tuple[tuple[str, str], ...]
    location: str
    guarded: tuple[tuple[str, Affine], ...] = ()

    @property
    def live(self) -> frozenset[str]:
        """The names that a result depends on."""
        names, waiting = set[str](), list(self.yields)
        while waiting:
            name = waiting.pop()
            if name not in names:
                names.add(name)
                waiting += self.body[int(name[1:])].args if name[0] == "v" else ()
        return frozenset(names)

    @property
    def tidy(self) -> Nest:
        """The same without scalars that nothing uses: those that were subscripts are in the accesses."""
        live = self.live
        kept = [f"v{number}" for number in range(len(self.body)) if f"v{number}" in live]
        new = {old: f"v{number}" for number, old in enumerate(kept)}
        body = [self.body[int(old[1:])] for old in kept]
        return replace(
            self,
            body=tuple(replace(each, args=tuple(new.get(arg, arg) for arg in each.args)) for each in body),
            yields=tuple(new.get(name, name) for name in self.yields),
            captured=tuple((name, kind) for name, kind in self.captured if name in live),
        )

    @property
    def needed(self) -> tuple[Access, ...]:
        """The reads that a result depends on: others give an operation its shape only."""
        names = self.live
        return tuple(read for number, read in enumerate(self.reads) if f"in{number}" in names)

    @property
    def symbols(self) -> frozenset[str]:
        """The index values around the nest that extents and subscripts use."""
        used = [*self.extents, *(index for access in (*self.reads, *self.writes) for index in access.map)]
        return frozenset().union(*(expression.symbols for expression in used))


def is_rest(term: Term) -> bool:
    """Whether a term is what a division leaves: it is not negative."""
    return isinstance(term, str) and term.startswith(REST)


@dataclass(frozen=True)
class Effects:
    """An operation that is not a nest: the roots that it reads and writes, None for any memory."""

    reads: frozenset[str] | None
    writes: frozenset[str] | None

    @property
    def pure(self) -> bool:
        """Whether it touches no memory."""
        return self.reads == frozenset() and self.writes == frozenset()
