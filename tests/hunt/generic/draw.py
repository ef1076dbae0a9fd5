"""Functions drawn: one to three operations on arguments of two open sizes and on temporaries."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from tests.hunt.generic.body import DTYPES, At, Body, Value

Size = tuple[str, int]
"""A sum of open sizes, each "n" or "m", and a number."""
Shape = tuple[Size, ...]


@dataclass(frozen=True)
class Access:
    """An array, the loops whose counters are summed for each subscript, and the place where a part of it begins."""

    array: str
    subscripts: tuple[tuple[int, ...], ...]
    begin: tuple[int, ...] = ()

    def place(self, point: Sequence[int]) -> tuple[int, ...]:
        """The element at a point."""
        begin = self.begin or (0,) * len(self.subscripts)
        return tuple(sum(point[d] for d in dims) + first for dims, first in zip(self.subscripts, begin, strict=True))


@dataclass(frozen=True)
class Operation:
    """A `linalg.generic`; `extents` has the size of each loop: a letter."""

    extents: str
    inputs: tuple[Access, ...]
    output: Access
    body: Body
    result: Value


@dataclass
class Generics:
    """A function: its operations in order. Temporaries are named `%t0`, ..., and begin as zeros."""

    element: str
    shapes: dict[str, Shape] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)

    @property
    def arguments(self) -> list[str]:
        """The arrays that it is given."""
        return [name for name in self.shapes if name.startswith("%a")]

    def text(self) -> str:
        """The function as MLIR; each size is read off an argument that has it."""
        arguments = ", ".join(f"{name}: {self._type(name)}" for name in self.arguments)
        lines = [f"func.func @f({arguments}) {{", f"%zero = arith.constant {self._zero()} : {self.element}"]
        for size in "nm":
            array, k = self._first(size)
            lines.append(f"%axis_{size} = arith.constant {k} : index")
            lines.append(f"%{size} = memref.dim {array}, %axis_{size} : {self._type(array)}")
        temporaries = [name for name in self.shapes if name.startswith("%t")]
        for name in temporaries:
            of = ", ".join(f"%{size}" for size, _ in self.shapes[name])
            lines.append(f"{name} = memref.alloc({of}) : {self._type(name)}")
            lines.append(f"linalg.fill ins(%zero : {self.element}) outs({name} : {self._type(name)})")
        for number, operation in enumerate(self.operations):
            lines += self._lines(operation, number)
        lines += [f"memref.dealloc {name} : {self._type(name)}" for name in temporaries]
        return "\n".join([*lines, "return", "}"])

    def run(self, given: Mapping[str, np.ndarray], sizes: Mapping[str, int]) -> dict[str, np.ndarray]:
        """The arrays after a call, point by point in the order of the loops."""
        found = {a: np.zeros(self.shape(a, sizes), DTYPES[self.element]) for a in self.shapes}
        found |= {a: array.copy() for a, array in given.items()}
        for operation in self.operations:
            out, to = found[operation.output.array], operation.output
            for point in itertools.product(*(range(sizes[s]) for s in operation.extents)):
                inputs = tuple(found[each.array][each.place(point)] for each in operation.inputs)
                out[to.place(point)] = operation.result.at(At(point, inputs, out[to.place(point)]))
        return found

    def shape(self, array: str, sizes: Mapping[str, int]) -> list[int]:
        """The extents of an array."""
        return [max(sum(sizes[s] for s in letters) + more, 0) for letters, more in self.shapes[array]]

    def _first(self, size: str) -> tuple[str, int]:
        return next((a, k) for a in self.arguments for k, each in enumerate(self.shapes[a]) if each == (size, 0))

    def _zero(self) -> str:
        return "0.0" if self.element[0] == "f" else "0"

    def _type(self, name: str) -> str:
        return f"memref<{'?x' * len(self.shapes[name])}{self.element}>"

    def _lines(self, operation: Operation, number: int) -> list[str]:
        rank = len(operation.extents)
        loops = ", ".join(f"d{d}" for d in range(rank))
        accesses = (*operation.inputs, operation.output)
        maps = (f"affine_map<({loops}) -> ({', '.join(map(_sum, each.subscripts))})>" for each in accesses)
        written = {d for dims in operation.output.subscripts for d in dims}
        kinds = (f'"{"parallel" if d in written else "reduction"}"' for d in range(rank))
        parts = [self._part(each, operation, f"%part{number}_{k}") for k, each in enumerate(operation.inputs)]
        lines = [line for part in parts for line in part[:1] if line]
        read, types = ", ".join(part[1] for part in parts), ", ".join(part[2] for part in parts)
        out = operation.output.array
        block = [f"%in{k}: {self.element}" for k in range(len(parts))]
        return [
            *lines,
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{', '.join(kinds)}]}}",
            f"ins({read} : {types}) outs({out} : {self._type(out)}) {{",
            f"^bb0({', '.join([*block, f'%old: {self.element}'])}):",
            *operation.body.lines,
            f"linalg.yield {operation.result.name} : {self.element}",
            "}",
        ]

    def _part(self, access: Access, operation: Operation, name: str) -> tuple[str, str, str]:
        """The line that takes a part of an array, if it is one; what is read, and its type."""
        if not access.begin:
            return "", access.array, self._type(access.array)
        sizes = ", ".join(f"%{operation.extents[d]}" for (d,) in access.subscripts)
        begin, ones = ", ".join(map(str, access.begin)), ", ".join("1" for _ in access.begin)
        offset = "?" if any(access.begin[:-1]) else str(access.begin[-1])  # a row's length is not known
        layout = f"strided<[{'?, ' * (len(access.begin) - 1)}1], offset: {offset}>"
        kind = f"{self._type(access.array)[:-1]}, {layout}>"
        text = f"memref.subview {access.array}[{begin}] [{sizes}] [{ones}] : {self._type(access.array)} to {kind}"
        return f"{name} = {text}", name, kind


def _sum(dims: tuple[int, ...]) -> str:
    return " + ".join(f"d{d}" for d in dims)


def drawn(seed: int) -> Generics:
    """The function of this number."""
    rng = Random(f"generic {seed}")
    found = Generics(rng.choice(["f64", "f64", "f32", "i32", "i16", "i8"]))
    for _ in range(rng.choice([1, 1, 2, 2, 3])):
        _add(found, rng)
    known = {size for a in found.arguments for size in found.shapes[a]}
    if not {("n", 0), ("m", 0)} <= known:  # sizes are read off arguments
        found.shapes[f"%a{len(found.shapes)}"] = (("n", 0), ("m", 0))
    return found


def _add(found: Generics, rng: Random) -> None:
    """One operation more. What it writes it reads at no other point."""
    extents = "".join(rng.choice("nm") for _ in range(rng.choice([1, 2, 2, 2, 3])))
    rank = len(extents)
    written = [d for d in range(rank) if rng.random() < 0.6] or ([0] if rng.random() < 0.7 else [])
    rng.shuffle(written)
    inputs = [_input(found, rng, extents) for _ in range(rng.choice([1, 2, 2, 3]))]
    alone = {*written, *(dims[0] for each in inputs for dims in each.subscripts if len(dims) == 1)}
    inputs += [_plain(found, rng, extents, (d,)) for d in range(rank) if d not in alone]
    to = tuple((d,) for d in written)
    used = {each.array for each in inputs if each.subscripts != to or each.begin}
    temporary = len(found.operations) < 2 and rng.random() < 0.5
    name = _array(found, rng, tuple((extents[d], 0) for d in written), 0.35, used, temporary)
    body = Body(rng, found.element, rank, len(inputs))
    result = body.result(reduces=len(written) < rank)
    found.operations.append(Operation(extents, tuple(inputs), Access(name, to), body, result))


def _input(found: Generics, rng: Random, extents: str) -> Access:
    """An array read at counters, a part of one that begins further on, or a window: one read at a sum of counters."""
    dims = tuple(rng.sample(range(len(extents)), rng.randint(1, min(2, len(extents)))))
    way = rng.random()
    if way < 0.2:
        begin = tuple(rng.randint(0, 2) for _ in dims)
        array = _array(found, rng, tuple((extents[d], 2) for d in dims), 0.7)
        return Access(array, tuple((d,) for d in dims), begin)
    if way < 0.3 and len(dims) == 2:
        sizes = (extents[dims[0]] + extents[dims[1]], -1)
        return Access(_array(found, rng, (sizes,), 0.7), (dims,))
    return _plain(found, rng, extents, dims)


def _plain(found: Generics, rng: Random, extents: str, dims: tuple[int, ...]) -> Access:
    return Access(_array(found, rng, tuple((extents[d], 0) for d in dims), 0.6), tuple((d,) for d in dims))


def _array(
    found: Generics,
    rng: Random,
    shape: Shape,
    again: float,
    but: Collection[str] = (),
    temporary: bool = False,
) -> str:
    """An array of this shape: with a chance `again` one that is there."""
    there = [name for name, known in found.shapes.items() if known == shape and name not in but]
    if there and rng.random() < again:
        return rng.choice(there)
    name = f"%{'t' if temporary else 'a'}{len(found.shapes)}"
    found.shapes[name] = shape
    return name
