"""Extents that nothing but the accesses bounds: an open array is as large as the program needs it to be."""

from __future__ import annotations

from collections.abc import Sequence

from affine.execute import Arithmetic, Machine, Memory, OutOfBounds, shape_at
from affine.program import Program, forms, walk

_NOTHING: Arithmetic[None] = Arithmetic(lambda _node, _args: None, lambda _value, _element: None)


class _Reach(Memory[None]):
    """Stands for a memory of any size and notes the largest subscripts."""

    def __init__(self, rank: int) -> None:
        super().__init__((0,) * rank, [None])
        self.largest = [-1] * rank

    def flat(self, subscripts: Sequence[int], where: object) -> int:
        """Note the subscripts; every access is in bounds."""
        self.largest = [max(pair) for pair in zip(self.largest, subscripts, strict=True)]
        return 0


class _Shape(Memory[None]):
    """Stands for a memory of a shape, of which only the subscripts are looked at."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__(shape, [None])

    def flat(self, subscripts: Sequence[int], where: object) -> int:
        """Nothing but `OutOfBounds`, if the subscripts leave the array."""
        super().flat(subscripts, where)
        return 0


def in_bounds(program: Program, sizes: dict[str, int]) -> bool:
    """Whether every access stays inside of its array."""
    memory = {a: _Shape(shape_at(program, a, sizes)) for a in program.arrays}
    try:
        Machine(_NOTHING, sizes, dict(memory), dict.fromkeys(program.scalars)).run(program.body)
    except OutOfBounds:
        return False
    return True


def reached(program: Program, sizes: dict[str, int]) -> dict[str, int]:
    """The sizes, with each extent that nothing else speaks of as large as the accesses reach."""
    free = unbounded(program)
    if not free:
        return sizes
    memory = {a: _Reach(len(d.shape)) for a, d in program.arrays.items()}
    scalars = dict.fromkeys(program.scalars)
    Machine(_NOTHING, sizes, dict(memory), scalars).run(program.body)
    grown = dict(sizes)
    for name, array in program.arrays.items():
        for form, largest in zip(array.shape, memory[name].largest, strict=True):
            for size in free & form.names():
                missing = largest + 1 - form.evaluate(grown)
                grown[size] += max(0, -(-missing // dict(form.terms)[size]))
    return grown


def unbounded(program: Program) -> frozenset[str]:
    """The sizes that stand, with a positive factor, in extents of arrays only."""
    extents = {n for a in program.arrays.values() for f in a.shape for n, c in f.terms if isinstance(n, str) and c > 0}
    told = [f for node in (*program.outer, *walk(program.body)) for f in forms(node)]
    told += [c.form for c in program.context]
    return frozenset(extents) - {n for f in told for n in f.names()}
