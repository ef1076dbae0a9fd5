"""Which size constants of a program are one size, because loops tie them together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Load, Loop, Program, Store, walk
from raising.support.graphs import UnionFind

NEAR = 4
Key = tuple[str, ...]


class Classes(UnionFind[Key]):
    """Classes of size constants, each constant with its number."""

    def __init__(self) -> None:
        super().__init__()
        self.number: dict[Key, int] = {}

    def add(self, key: Key, number: int) -> None:
        """A class of its own, unless the key is known."""
        self.number.setdefault(key, number)

    def link(self, a: Key, b: Key, offset: int = 0) -> None:
        """Tie b to a if both are known and number(a) + offset is near number(b)."""
        if a in self.number and b in self.number and abs(self.number[a] + offset - self.number[b]) <= NEAR:
            self.union(a, b)


def loop_ranges(program: Program) -> dict[str, tuple[int, int] | None]:
    """Each loop variable's range [low, high) as numbers; None where a size is not a constant."""
    ranges: dict[str, tuple[int, int] | None] = {}
    for node in walk(program.body):
        if isinstance(node, Loop):
            lows = [extreme(f, ranges, 0) for f in node.lower]
            highs = [extreme(f, ranges, 1) for f in node.upper]
            known_low = [x for x in lows if x is not None]
            known_high = [x for x in highs if x is not None]
            ranges[node.iv] = (max(known_low), min(known_high)) if known_low and known_high else None
    return ranges


def extreme(form: Lin, ranges: Mapping[str, tuple[int, int] | None], side: int) -> int | None:
    """The least (side 0) or largest (side 1) value of a form over ranges [low, high); None if that is not known."""
    value = form.const
    for atom, c in form.terms:
        bounds = ranges.get(atom) if isinstance(atom, str) else None
        if bounds is None:
            return None
        low, high = bounds[0], bounds[1] - 1
        value += c * ((low, high) if c > 0 else (high, low))[side]
    return value


def accesses(program: Program) -> Iterator[Load | Store]:
    """Every load and store, in text order."""
    return (n for n in walk(program.body) if isinstance(n, Load | Store))


def size_classes(program: Program, small: int) -> Classes:
    """The extents and trip counts above `small`, those that loops tie together in one class."""
    classes, ranges = Classes(), loop_ranges(program)
    for array in program.arrays.values():
        for k, extent in enumerate(array.shape):
            if extent.is_const and extent.const > small:
                classes.add(("dim", array.name, str(k)), extent.const)
    for iv, bounds in ranges.items():
        if bounds is not None and bounds[1] > small:
            classes.add(("iv", iv), bounds[1])
    _link_loops(program, classes)
    _link_accesses(program, classes)
    return classes


def _link_loops(program: Program, classes: Classes) -> None:
    for node in walk(program.body):
        if isinstance(node, Loop):
            for form in node.upper:
                for name in sorted(form.names()):
                    classes.link(("iv", name), ("iv", node.iv))


def _link_accesses(program: Program, classes: Classes) -> None:
    for access in accesses(program):
        for k, subscript in enumerate(access.subscripts):
            dim = ("dim", access.array, str(k))
            for atom, c in subscript.terms:
                if not isinstance(atom, str):
                    continue
                if c == 1:
                    classes.link(dim, ("iv", atom), -subscript.const if len(subscript.terms) == 1 else 0)
                elif c == -1:
                    classes.link(dim, ("iv", atom))
