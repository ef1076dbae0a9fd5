"""Finds the layouts of an operation: operand ranks, attributes, and which dimensions are equal.

A layout holds for every element type and scalar function, so it is found once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product

from raising.grammar.dialects.bindings import INFERS, SAME_SIZE
from raising.grammar.dialects.op_signature import Op
from raising.grammar.measure.verifier import Instance, Shape, Typed, Verifier, completed, retyped
from raising.grammar.probe.attribute_fields import Choice, Fields
from raising.support.record import dataclass

SIZES = ((2, 3, 5, 7, 4, 6, 8, 9), (5, 4, 3, 6, 8, 9, 2, 7))  # two assignments of sizes to dimensions
_SMALL = 2
_PATIENCE = 1500  # questions in a row that are answered by no
_STATIC = 20  # questions about known sizes that count as one
_PLACES = 6  # dimensions of operands of which any may be of extent one


@dataclass(frozen=True)
class Layout:
    """Operand ranks, attribute values, and a class of equal sizes per dimension (the result's if it is given)."""

    ranks: tuple[int, ...]
    choice: Choice
    classes: tuple[tuple[int, ...], ...]
    result_rank: int = -1
    units: frozenset[tuple[int, int]] = frozenset()  # (operand, dimension) of extent one

    def shapes(self, sizes: Sequence[int]) -> list[tuple[int, ...]]:
        """The operands' shapes (and the result's); a result is of extent one where all that reach it are."""
        count = len(self.ranks)
        wide = {c for k in range(count) for d, c in enumerate(self.classes[k]) if (k, d) not in self.units}
        single = {c for k, d in self.units for c in (self.classes[k][d],)} - wide
        return [
            tuple(1 if (k, d) in self.units or (k >= count and c in single) else sizes[c] for d, c in enumerate(cs))
            for k, cs in enumerate(self.classes)
        ]

    def stretched(self, whole: bool) -> Iterator[Layout]:
        """The same with some dimensions of extent one; not all of a class, unless `whole`."""
        places = [(k, d) for k in range(len(self.ranks)) for d in range(self.ranks[k])]
        for count in range(1, len(places) + 1 if len(places) <= _PLACES else 1):
            for units in combinations(places, count):
                chosen = frozenset(units)
                kept = {self.classes[k][d] for k, d in places if (k, d) not in chosen}
                if whole or all(self.classes[k][d] in kept for k, d in units):
                    yield replace(self, units=chosen)

    @property
    def dims(self) -> int:
        """The number of different sizes."""
        return len({c for classes in self.classes for c in classes})


@dataclass(frozen=True)
class Flavour:
    """The choices that decide the scalar function: element types (the result's last) and the region."""

    elements: tuple[str, ...]
    region: str = ""


def _merged(classes: tuple[int, ...], equal: dict[int, int]) -> tuple[int, ...]:
    return tuple(equal.get(c, c) for c in classes)


class Layouts:
    """The search for layouts of one operation."""

    def __init__(
        self, op: Op, fields: Fields, verifier: Verifier, max_dims: int, lowers: Callable[[Instance], bool]
    ) -> None:
        self.op, self.fields, self.verifier, self.max_dims, self.lowers = op, fields, verifier, max_dims, lowers
        self.fruitless = 0  # questions since the last one that was answered by yes

    def counts(self, most: int) -> Iterator[tuple[int, ...]]:
        """How many operands each group may have."""
        free = self.op.operands[: len(self.op.operands) - len(self.fields.bound)]
        options = [{"one": (1,), "optional": (0,)}.get(o.arity, (1, 2)) for o in free]
        variadic = [k for k, o in enumerate(free) if o.arity == "variadic"]
        for counts in product(*options):
            tied = SAME_SIZE in self.op.traits and len({counts[k] for k in variadic}) > 1
            if sum(counts) <= most and not tied:
                yield counts

    def instance(
        self, flavour: Flavour, shapes: Sequence[Shape], choice: Choice, segments: tuple[int, ...]
    ) -> Instance | None:
        """An instance without a result type; None if the attributes cannot be made."""
        attrs = self.fields.attrs(choice)
        operands = tuple(Typed(e, s) for e, s in zip(flavour.elements[:-1], shapes, strict=True))
        if attrs is None:
            return None
        attrs, bound = self.fields.split(attrs, flavour.elements[0])
        return Instance(self.op, operands, attrs, flavour.region, None, segments, bound)

    def small(self, flavour: Flavour, segments: tuple[int, ...]) -> Iterator[Layout]:
        """The layouts at small ranks."""
        for ranks in product(range(_SMALL + 1), repeat=sum(segments)):
            lists = sum(f.sort == "dims" for f in self.fields.fields)
            free = INFERS not in self.op.traits and len(ranks) < 2 and lists < 2  # they may be about the result
            for choice in self.fields.small(self.verifier.max_rank if free else max(ranks, default=0)):
                if self.fruitless > _PATIENCE:
                    return
                yield from self._ask(flavour, segments, ranks, choice)

    def larger(self, flavour: Flavour, segments: tuple[int, ...], found: Sequence[Layout]) -> Iterator[Layout]:
        """The layouts at larger ranks, bounded by what holds at the small ones."""
        rules = self.fields.learn([(layout.choice, layout.ranks) for layout in found])
        for ranks in product(range(self.verifier.max_rank + 1), repeat=sum(segments)):
            if max(ranks, default=0) > _SMALL:
                for choice in (
                    () if self.fruitless > _PATIENCE else self.fields.larger(ranks, rules, self.verifier.max_rank)
                ):
                    yield from self._ask(flavour, segments, ranks, choice)

    def _ask(
        self, flavour: Flavour, segments: tuple[int, ...], ranks: tuple[int, ...], choice: Choice
    ) -> Iterator[Layout]:
        start = self.instance(flavour, [(None,) * r for r in ranks], choice, segments)
        self.fruitless += 1
        if start is None:
            return
        some = False
        for opened in self.verifier.open_results(start, flavour.elements[-1:]):
            self.fruitless = 0
            some = some or opened.result is None or len(opened.result.shape) > 0
            rank = -1 if opened.result is None else len(opened.result.shape)
            layout = Layout(ranks, choice, self.verifier.unified(opened), rank)
            for lowered in self._lowered(flavour, segments, layout) if self.verifier.host.target.infer else [layout]:
                if lowered.dims <= self.max_dims:
                    yield lowered
        if not some and INFERS not in self.op.traits and len(ranks) <= 1:
            yield from self._free(flavour, segments, ranks, choice)

    def _lowered(self, flavour: Flavour, segments: tuple[int, ...], layout: Layout) -> list[Layout]:
        """The layout, if its pipeline takes it; else those with the fewest further equal dimensions that it takes."""

        def works(tried: Layout) -> bool:
            sized = self.sized(flavour, segments, tried, SIZES[0])
            return sized is not None and self.lowers(sized)

        if works(layout):
            return [layout]
        if len(layout.ranks) != 2 or layout.dims < sum(layout.ranks):
            return []
        first, second = layout.classes
        for count in range(1, min(layout.ranks) + 1):
            pairs = product(combinations(first, count), permutations(second, count))
            tried = [replace(layout, classes=(first, _merged(second, dict(zip(b, a, strict=True))))) for a, b in pairs]
            found = [t for t in tried if works(t)]
            if found:
                return found
        return []

    def _free(
        self, flavour: Flavour, segments: tuple[int, ...], ranks: tuple[int, ...], choice: Choice
    ) -> Iterator[Layout]:
        """Layouts of operations whose result has to be of known sizes that the operands do not determine."""
        sizes = SIZES[0]
        own = ranks[0] if ranks else 0
        static = self.instance(flavour, [sizes[:r] for r in ranks], choice, segments)
        assert static is not None
        before = self.verifier.queries
        for found in self.verifier.static_results(static, flavour.elements[-1:], sizes[own:]):
            self.fruitless = 0
            classes = tuple(tuple(sizes.index(n) for n in t.shape if n is not None) for t in found.types())
            layout = Layout(ranks, choice, classes)
            if layout.dims <= self.max_dims:
                yield layout
        self.fruitless += (self.verifier.queries - before) // _STATIC

    def sized(
        self, flavour: Flavour, segments: tuple[int, ...], layout: Layout, sizes: Sequence[int]
    ) -> Instance | None:
        """The instance of a layout with sizes, accepted and with its result type; None if it is refused."""
        shapes = layout.shapes(sizes)
        count = len(layout.ranks)
        start = self.instance(flavour, shapes[:count], layout.choice, segments)
        if start is None:
            return None
        types = [Typed(e, s) for e, s in zip(flavour.elements, shapes, strict=False)]
        if len(shapes) == count and layout.result_rank >= 0:
            types.append(Typed(flavour.elements[-1], (None,) * layout.result_rank))
            done = self.verifier.refined(retyped(start, types))
        else:
            done = completed(self.verifier, retyped(start, types))
        return None if done is None or done.result is None or done.result.element != flavour.elements[-1] else done
