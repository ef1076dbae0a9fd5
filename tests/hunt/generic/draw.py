"""Functions drawn: one to three operations on arguments of two open sizes and on temporaries."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from random import Random

import numpy as np

from tests.hunt.generic.body import DTYPES, At, Body, Value

Shape = tuple[str, ...]
"""The size of each dimension: "n" or "m"."""


@dataclass(frozen=True)
class Access:
    """An array and the loop that each of its dimensions follows."""

    array: str
    dims: tuple[int, ...]


@dataclass(frozen=True)
class Operation:
    """A `linalg.generic`; `extents` has the size of each loop."""

    extents: Shape
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
        sizes = {s: (a, k) for a in self.arguments for k, s in enumerate(self.shapes[a])}
        for size, (array, k) in sizes.items():
            lines.append(f"%axis_{size} = arith.constant {k} : index")
            lines.append(f"%{size} = memref.dim {array}, %axis_{size} : {self._type(array)}")
        temporaries = [name for name in self.shapes if name.startswith("%t")]
        for name in temporaries:
            of = ", ".join(f"%{size}" for size in self.shapes[name])
            lines.append(f"{name} = memref.alloc({of}) : {self._type(name)}")
            lines.append(f"linalg.fill ins(%zero : {self.element}) outs({name} : {self._type(name)})")
        for operation in self.operations:
            lines += self._lines(operation)
        lines += [f"memref.dealloc {name} : {self._type(name)}" for name in temporaries]
        return "\n".join([*lines, "return", "}"])

    def run(self, given: Mapping[str, np.ndarray], sizes: Mapping[str, int]) -> dict[str, np.ndarray]:
        """The arrays after a call, point by point in the order of the loops."""
        dtype = DTYPES[self.element]
        found = {
            a: given[a].copy() if a in given else np.zeros([sizes[s] for s in self.shapes[a]], dtype)
            for a in self.shapes
        }
        for operation in self.operations:
            out, to = found[operation.output.array], operation.output.dims
            for point in itertools.product(*(range(sizes[s]) for s in operation.extents)):
                inputs = tuple(found[each.array][tuple(point[d] for d in each.dims)] for each in operation.inputs)
                place = tuple(point[d] for d in to)
                out[place] = operation.result.at(At(point, inputs, out[place]))
        return found

    def _zero(self) -> str:
        return "0.0" if self.element[0] == "f" else "0"

    def _type(self, name: str) -> str:
        return f"memref<{'?x' * len(self.shapes[name])}{self.element}>"

    def _lines(self, operation: Operation) -> list[str]:
        rank = len(operation.extents)
        loops = ", ".join(f"d{d}" for d in range(rank))
        accesses = (*operation.inputs, operation.output)
        maps = (f"affine_map<({loops}) -> ({', '.join(f'd{d}' for d in each.dims)})>" for each in accesses)
        kinds = (f'"{"parallel" if d in operation.output.dims else "reduction"}"' for d in range(rank))
        read = [each.array for each in operation.inputs]
        out = operation.output.array
        block = [f"%in{k}: {self.element}" for k in range(len(read))]
        return [
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{', '.join(kinds)}]}}",
            f"ins({', '.join(read)} : {', '.join(map(self._type, read))}) outs({out} : {self._type(out)}) {{",
            f"^bb0({', '.join([*block, f'%old: {self.element}'])}):",
            *operation.body.lines,
            f"linalg.yield {operation.result.name} : {self.element}",
            "}",
        ]


def drawn(seed: int) -> Generics:
    """The function of this number."""
    rng = Random(f"generic {seed}")
    found = Generics(rng.choice(["f64", "f64", "f32", "i32", "i16", "i8"]))
    for _ in range(rng.choice([1, 1, 2, 2, 3])):
        _add(found, rng)
    sizes = {s for a in found.arguments for s in found.shapes[a]}
    if (
        not {s for shape in found.shapes.values() for s in shape} <= sizes
    ):  # a temporary's size has to come from somewhere
        found.shapes[f"%a{len(found.shapes)}"] = ("n", "m")
    return found


def _add(found: Generics, rng: Random) -> None:
    """One operation more. What it writes it reads at no other point."""
    extents = tuple(rng.choice("nm") for _ in range(rng.choice([1, 2, 2, 2, 3])))
    rank = len(extents)
    written = [d for d in range(rank) if rng.random() < 0.6] or ([0] if rng.random() < 0.7 else [])
    rng.shuffle(written)
    inputs = []
    for _ in range(rng.choice([1, 2, 2, 3])):
        dims = tuple(rng.sample(range(rank), rng.randint(1, min(2, rank))))
        inputs.append(Access(_array(found, rng, tuple(extents[d] for d in dims), 0.6), dims))
    missing = tuple(d for d in range(rank) if not any(d in each.dims for each in inputs) and d not in written)
    if missing:  # each loop has to be the dimension of an array
        inputs.append(Access(_array(found, rng, tuple(extents[d] for d in missing), 0.6), missing))
    shape, used = tuple(extents[d] for d in written), {each.array for each in inputs if each.dims != tuple(written)}
    name = _array(found, rng, shape, 0.35, used, temporary=len(found.operations) < 2 and rng.random() < 0.5)
    body = Body(rng, found.element, rank, len(inputs))
    result = body.result(reduces=len(written) < rank)
    found.operations.append(Operation(extents, tuple(inputs), Access(name, tuple(written)), body, result))


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
