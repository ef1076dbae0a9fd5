"""Extents of arrays whose length is not known: each is as large as the program's accesses need it to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from raising.affine.ir.interpreter import Instances, condition, evaluator, shape_at
from raising.affine.ir.program import Guard, Load, Loop, Node, Program, Store, forms, walk

Subscripts = Callable[[str, list[int]], bool]  # told an array and subscripts; returns whether to go on


class Accesses:
    """The accesses of a program, prepared once to be looked at for many sizes."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.instances = Instances(program.body)
        self._names: dict[str, int] = {}
        self._visit: Subscripts = lambda array, subscripts: True
        self._steps = self._inside(program.body)

    def in_bounds(self, sizes: Mapping[str, int]) -> bool:
        """Whether every access stays inside of its array."""
        shapes = {a: shape_at(self.program, a, sizes) for a in self.program.arrays}

        def inside(array: str, subscripts: list[int]) -> bool:
            return all(0 <= index < extent for index, extent in zip(subscripts, shapes[array], strict=True))

        return self._run(sizes, inside)

    def reached(self, sizes: dict[str, int], spare: int = 0) -> dict[str, int]:
        """The sizes, where each extent that only array types mention covers all accesses, and `spare` more elements.

        Without spare elements, such an extent could not be told from the number of elements that the loops access.
        """
        if not self.unbounded:
            return sizes
        arrays = self.program.arrays
        largest = {name: [-1] * len(array.shape) for name, array in arrays.items()}

        def note(array: str, subscripts: list[int]) -> bool:
            largest[array] = [max(pair) for pair in zip(largest[array], subscripts, strict=True)]
            return True

        self._run(sizes, note)
        grown = dict(sizes)
        for name, array in arrays.items():
            for form, most in zip(array.shape, largest[name], strict=True):
                for size in self.unbounded & form.names():
                    missing = most + 1 + spare - form.evaluate(grown)
                    grown[size] += max(0, -(-missing // dict(form.terms)[size]))
        return grown

    @cached_property
    def unbounded(self) -> frozenset[str]:
        """`unbounded` of the program."""
        return unbounded(self.program)

    def _run(self, sizes: Mapping[str, int], visit: Subscripts) -> bool:
        """Call `visit` for accesses until it returns False; those with extreme values of a subscript are among them."""
        self._names.clear()
        self._names.update(sizes)
        self._visit = visit
        return all(step() for step in self._steps)

    def _inside(self, nodes: Sequence[Node]) -> list[Callable[[], bool]]:
        return [step for step in map(self._step, _distinct(nodes)) if step is not None]

    def _step(self, node: Node) -> Callable[[], bool] | None:
        names = self._names
        if isinstance(node, Load | Store):
            array, subscripts = node.array, [evaluator(f) for f in node.subscripts]
            return lambda: self._visit(array, [f(names) for f in subscripts])
        if not isinstance(node, Loop | Guard):
            return None
        inside = self._inside(node.body)
        return _guarded(node, inside, names) if isinstance(node, Guard) else _looped(node, inside, names)


def _distinct(nodes: Sequence[Node]) -> list[Node]:
    """Nodes in which no element is accessed twice by the same subscripts."""
    accesses = {(n.array, n.subscripts): n for n in nodes if isinstance(n, Load | Store)}
    return [*accesses.values(), *(n for n in nodes if isinstance(n, Loop | Guard))]


def _guarded(guard: Guard, inside: list[Callable[[], bool]], names: dict[str, int]) -> Callable[[], bool]:
    holds = condition(guard.conds)
    return lambda: not holds(names) or all([s() for s in inside])


def _looped(loop: Loop, inside: list[Callable[[], bool]], names: dict[str, int]) -> Callable[[], bool]:
    """A loop; only its first and last iteration run if its variable occurs in nothing but linear subscripts."""
    lower, upper = [evaluator(f) for f in loop.lower], [evaluator(f) for f in loop.upper]
    straight = not any(_bends(node, loop.iv) for node in walk(loop.body))

    def run() -> bool:
        values = range(max([f(names) for f in lower]), min([f(names) for f in upper]), loop.step)
        for value in values[:: max(1, len(values) - 1)] if straight else values:
            names[loop.iv] = value
            if not all([s() for s in inside]):
                return False
        return True

    return run


def _bends(node: Node, iv: str) -> bool:
    """True if a node's subscripts are not linear in a loop variable, or its bounds or conditions depend on it."""
    if isinstance(node, Loop | Guard):
        return any(iv in form.names() for form in forms(node))
    return isinstance(node, Load | Store) and any(iv in q.inner.names() for f in node.subscripts for q in f.quotients())


def unbounded(program: Program) -> frozenset[str]:
    """The sizes that stand, with a positive factor, in extents of arrays only."""
    extents = {n for a in program.arrays.values() for f in a.shape for n, c in f.terms if isinstance(n, str) and c > 0}
    told = [f for node in (*program.outer, *walk(program.body)) for f in forms(node)]
    told += [c.form for c in program.context if any(c < 0 for _, c in c.form.terms)]  # else: at least so large
    return frozenset(extents) - {n for f in told for n in f.names()}
