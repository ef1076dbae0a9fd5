"""Small values of a program's size parameters at which every loop and statement of it runs.

The search, the composition of parts and the checks run programs at such size vectors only. What does not run at any of
them is not seen by any of these stages.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain, combinations, islice

from raising.affine.ir.affine_expr import Floor, Lin
from raising.affine.ir.program import Guard, Loop, Node, Program, Store, walk
from raising.grammar.evaluate.extents import Accesses
from raising.grammar.evaluate.position_values import Positions
from raising.grammar.evaluate.size_candidates import (
    candidates,
    conditions,
    far_apart,
    larger,
    placed,
    plain_candidates,
    quotients,
    turn,
)

FEW_INSTANCES, MAX_INSTANCES = 12_000, 60_000  # nodes run at one size vector: as a rule, and at most
_MAX_ELEMENTS = 1 << 17  # of all arrays together, most of which a run of so few nodes does not touch
SPARE = 2  # elements that arrays reach further than the accesses, at every second size vector
_EXACT = 24  # patterns of which the closest point in a set is taken
_REMAINDERS = 4  # divisors up to which each remainder is wanted


class Unsizable(Exception):
    """No small size vector keeps the program inside of its arrays."""


def size_vectors(program: Program, values: Mapping[str, Lin], count: int, skip: int = 0) -> list[dict[str, int]]:
    """`count` small size vectors at which the program runs, after the first `skip`; `values` are the sizes of the file.

    Symbols have different values, in the order of the file's sizes. If several are asked for, the last one is larger
    where expressions over loop variables and sizes need that to take different values. More follow where bounds or
    conditions decide nothing at all of these.
    """
    found = _small(program, values, count, skip)
    if count > 1:
        found = [*found[:-1], *(showing(program, values, found) or found[-1:])]
        found += deciding(program, values, found)
    return found


def showing(program: Program, values: Mapping[str, Lin], seen: Sequence[Mapping[str, int]]) -> list[dict[str, int]]:
    """A larger size vector at which expressions over loop variables and sizes take more values; none if needless."""
    positions, accesses = Positions(program), Accesses(program)
    left = hidden = positions.hidden(seen)
    best: list[dict[str, int]] = []
    for candidate in larger(program, values) if hidden else ():
        sizes = _reached(accesses, candidate, MAX_INSTANCES)
        if fits(accesses, sizes, MAX_INSTANCES) and len(found := positions.hidden([*seen, sizes])) < len(left):
            left, best = found, [sizes]
            if not left:
                break
    return best


def deciding(program: Program, values: Mapping[str, Lin], seen: Sequence[Mapping[str, int]]) -> list[dict[str, int]]:
    """Size vectors at each of which more bounds and conditions decide something, with some sizes far above the others.

    A window of `w` elements on both sides is the whole row of `n` where `n <= w + 1`. Others follow at which divisions
    of sizes leave other remainders.
    """
    from raising.affine.polyhedral.running_sizes import beyond  # only here, as below
    from raising.affine.polyhedral.scop import holds

    left = [outside for outside in beyond(program) if not any(holds(outside, sizes) for sizes in seen)]
    found, accesses = list[dict[str, int]](), Accesses(program)
    for candidate in far_apart(program, values) if left else ():
        sizes = _reached(accesses, candidate, MAX_INSTANCES)
        if fits(accesses, sizes, MAX_INSTANCES):
            still = [outside for outside in left if not holds(outside, sizes)]
            if len(still) < len(left):
                left, found = still, [*found, sizes]
        if not left:
            break
    return [*found, *_remaining(program, values, [*seen, *found])]


def _remaining(program: Program, values: Mapping[str, Lin], seen: Sequence[Mapping[str, int]]) -> list[dict[str, int]]:
    """Size vectors at which divisions of sizes leave remainders that they leave at no other: `n` is not always odd."""
    left = {rest for atom in quotients(form for _, form in program.derived) for rest in _remainders(atom)}
    left -= {_remainder(atom, sizes) for atom, _ in left for sizes in seen}
    found, accesses = list[dict[str, int]](), Accesses(program)
    for candidate in candidates(program, values) if left else ():
        here = {_remainder(atom, candidate) for atom, _ in left} & left
        sizes = _reached(accesses, candidate, FEW_INSTANCES) if here else candidate
        if here and fits(accesses, sizes):
            left, found = left - here, [*found, sizes]
        if not left:
            break
    return found


def _remainders(quotient: Floor) -> list[tuple[Floor, int]]:
    """A quotient with each number that its division may leave, if these are few."""
    return [(quotient, rest) for rest in range(quotient.divisor if quotient.divisor <= _REMAINDERS else 0)]


def _remainder(quotient: Floor, sizes: Mapping[str, int]) -> tuple[Floor, int]:
    return quotient, quotient.inner.evaluate(sizes) % quotient.divisor


def _small(program: Program, values: Mapping[str, Lin], count: int, skip: int) -> list[dict[str, int]]:
    """The small size vectors of a search, without the larger one that `showing` adds.

    If a loop runs only once, a sum cannot be told from its only term. If a statement never runs, it cannot be told from
    any other. Conditions that exclude each other in the source have to exclude each other here. Sizes at which that is
    not so are returned only if there are no better ones, those with the fewest defects first.
    """
    tried = _tried(_Itself(program), frozenset(values.items()))
    try:
        found = tried.telling(count + skip) or tried.fewest_defects
    except BaseException:  # the rest of what it tries is lost
        _tried.cache_clear()
        raise
    if not found:
        raise Unsizable("no small sizes keep every access inside of its array")
    return [dict(sizes) for sizes in found[skip : skip + count] or found[-1:]]


class _Itself:
    """A program as a key: another one counts as another, even if they are equal."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def __hash__(self) -> int:
        return id(self.program)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and other.program is self.program


class _Tried:
    """The sizes that `_small` takes for a program, tried as far as somebody asked for them."""

    def __init__(self, program: Program, values: Mapping[str, Lin]) -> None:
        self.program, self.values, self.accesses = program, values, Accesses(program)
        self._found: list[dict[str, int]] = []
        self._others: list[dict[str, int]] = []
        self._left = chain(
            ((b, c) for b in (FEW_INSTANCES, MAX_INSTANCES) for c in candidates(program, values)),
            ((MAX_INSTANCES, c) for c in _exact_candidates(program, values)),
        )

    def telling(self, count: int) -> list[dict[str, int]]:
        """The first of those that tell everything apart, fewer only if there are no more."""
        while len(self._found) < count:
            bound, candidate = next(self._left, (0, None))
            if candidate is None:
                break
            sizes = _reached(self.accesses, candidate, bound, SPARE * (len(self._found) % 2))
            if sizes not in self._found and sizes not in self._others and fits(self.accesses, sizes, bound):
                (self._found if _tells(self.program, self.values, sizes) else self._others).append(sizes)
        return self._found[:count]

    @cached_property
    def fewest_defects(self) -> list[dict[str, int]]:
        """All others, once all are tried."""
        return sorted(self._others, key=lambda sizes: _lacks(self.program, self.values, sizes))


@lru_cache(maxsize=32)
def _tried(program: _Itself, values: frozenset[tuple[str, Lin]]) -> _Tried:
    """A search, the composition and the checks ask for sizes of the same programs, each for another number of them."""
    return _Tried(program.program, dict(values))


def _tells(program: Program, values: Mapping[str, Lin], sizes: dict[str, int]) -> bool:
    runs = repeats(program, sizes) and every_bound_ends(program, sizes)
    return keeps_order(program, values, sizes) and runs and reaches_all(program, [sizes])


def _lacks(program: Program, values: Mapping[str, Lin], sizes: dict[str, int]) -> tuple[bool, int, bool, bool]:
    """The defects of sizes, for sorting: order of conditions, number of stores that never run, loops that run once,
    bounds that never apply."""
    order = not keeps_order(program, values, sizes)
    return order, _missing(program, [sizes]), not repeats(program, sizes), not every_bound_ends(program, sizes)


def _reached(accesses: Accesses, sizes: dict[str, int], bound: int, spare: int = 0) -> dict[str, int]:
    return accesses.reached(sizes, spare) if accesses.instances.at(sizes, bound) <= bound else sizes


def places(program: Program, values: Mapping[str, Lin], count: int) -> list[dict[str, int]]:
    """Small size vectors at `count` sizes, each with several iterations of the loops around the program (`_passes`).

    More follow where bounds or conditions decide nothing, as in `size_vectors`.

    Sizes at which a statement runs in none of these iterations are taken only if there are no others. The list is
    empty if the program takes too long at all sizes.
    """
    telling: list[list[dict[str, int]]] = []
    others: list[list[dict[str, int]]] = []
    accesses = Accesses(program)
    for plain in plain_candidates(program, values):
        reached = [_reached(accesses, sizes, FEW_INSTANCES) for sizes in placed(program, plain, 0)]
        here = [sizes for sizes in reached if fits(accesses, sizes)]
        if here and here not in telling and here not in others:
            tells = keeps_order(program, values, plain) and reaches_all(program, here)
            (telling if tells else others).append(here)
        if len(telling) == count:
            break
    found = [sizes for here in (telling or others)[:count] for sizes in here]
    return [*found, *deciding(program, values, found)] if found else []


def repeats(program: Program, sizes: Mapping[str, int]) -> bool:
    """True if every loop runs at least twice somewhere."""
    longest: dict[str, int] = {}
    for loop, lower, upper in _ends(program.body, dict(sizes)):
        trips = len(range(max(lower), min(upper), loop.step))
        longest[loop.iv] = max(longest.get(loop.iv, 0), trips)
    return all(n >= 2 for n in longest.values())


def every_bound_ends(program: Program, sizes: Mapping[str, int]) -> bool:
    """True if each bound of a loop with several bounds is the tightest one in some iteration of the loops around."""
    idle: dict[tuple[str, int, int], bool] = {}
    for loop, lower, upper in _ends(program.body, dict(sizes)):
        for side, bounds, end in ((0, lower, max(lower)), (1, upper, min(upper))):
            for k, bound in enumerate(bounds):
                idle[loop.iv, side, k] = idle.get((loop.iv, side, k), True) and bound != end
    return not any(idle.values())


def _ends(nodes: tuple[Node, ...], names: dict[str, int]) -> Iterator[tuple[Loop, list[int], list[int]]]:
    """Each loop with its bounds, in the first and the last iteration of those around it."""
    for node in nodes:
        if isinstance(node, Loop):
            lower, upper = ([f.evaluate(names) for f in forms] for forms in (node.lower, node.upper))
            yield node, lower, upper
            trips = range(max(lower), min(upper), node.step)
            for value in (trips[0], trips[-1]) if trips else ():
                yield from _ends(node.body, {**names, node.iv: value})
        elif isinstance(node, Guard):
            yield from _ends(node.body, names)


def exact_vectors(program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
    """Size vectors taken from the integer set of all sizes at which the program runs as much as it can."""
    accesses = Accesses(program)
    for candidate in _exact_candidates(program, values):
        sizes = _reached(accesses, candidate, FEW_INSTANCES)
        if fits(accesses, sizes):
            yield sizes


def _exact_candidates(program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
    """Points of the integer set of all sizes at which everything runs, each close to a candidate of a pattern."""
    from raising.affine.polyhedral.running_sizes import running  # only here: most programs need no integer sets

    return running(program, islice(candidates(program, values), _EXACT))


def fits(accesses: Accesses, sizes: Mapping[str, int], bound: int = FEW_INSTANCES) -> bool:
    """Whether the context holds, arrays are small, and few enough nodes run and stay inside of their arrays."""
    program = accesses.program
    if not all(c.holds(sizes) for c in program.context):
        return False
    shapes = [[f.evaluate(sizes) for f in a.shape] for a in program.arrays.values()]
    if any(n < 0 for shape in shapes for n in shape) or sum(map(math.prod, shapes)) > _MAX_ELEMENTS:
        return False
    return accesses.instances.at(sizes, bound) <= bound and accesses.in_bounds(sizes)


# ---- what is reached -----------------------------------------------------------------------------


def reaches_all(program: Program, vectors: Sequence[Mapping[str, int]]) -> bool:
    """True if every store runs at one of the size vectors."""
    return not _missing(program, vectors)


def _missing(program: Program, vectors: Sequence[Mapping[str, int]]) -> int:
    """The number of stores that run at none of the size vectors."""
    reach = _Reach(program)
    for sizes in vectors:
        reach.visit(program.body, dict(sizes))
    return len(reach.missing)


class _Reach:
    """Runs the loops of a program as far as stores are in them that have not run yet."""

    def __init__(self, program: Program) -> None:
        self.missing = {id(node) for node in walk(program.body) if isinstance(node, Store)}
        self._stores = {id(n): _stores(n) for n in walk(program.body) if isinstance(n, Loop | Guard)}

    def visit(self, nodes: tuple[Node, ...], names: dict[str, int]) -> None:
        """Run nodes; the stores that do are no longer missing."""
        for node in nodes:
            if isinstance(node, Store):
                self.missing.discard(id(node))
            elif isinstance(node, Guard) and self._open(node) and all(c.holds(names) for c in node.conds):
                self.visit(node.body, names)
            elif isinstance(node, Loop):
                self._loop(node, names)

    def _loop(self, node: Loop, names: dict[str, int]) -> None:
        for value in node.trips(names):
            if not self._open(node):
                return
            self.visit(node.body, {**names, node.iv: value})

    def _open(self, node: Loop | Guard) -> bool:
        return not self.missing.isdisjoint(self._stores[id(node)])


def keeps_order(program: Program, values: Mapping[str, Lin], sizes: Mapping[str, int]) -> bool:
    """True if the numbers at which conditions on one loop variable turn are in the same order as in the source.

    With `i < 5`, `i == 5` and `i >= 6` in a loop to 10, and 5 and 10 as sizes, a size of 3 for 5 would let conditions
    overlap that exclude each other.
    """
    known = {n: values[n].const for n in program.sizes if n in values and values[n].is_const}
    turns: dict[str, list[tuple[int, int]]] = {}
    for form in conditions(program):
        variables = form.names() - sizes.keys()
        if len(variables) == 1 and form.names() - variables <= known.keys():
            (iv,) = variables
            turns.setdefault(iv, []).append((turn(form, iv, known), turn(form, iv, sizes)))
    pairs = (pair for found in turns.values() for pair in combinations(found, 2))
    return all((a > b) - (a < b) == (x > y) - (x < y) for (a, x), (b, y) in pairs)


def _stores(node: Loop | Guard) -> frozenset[int]:
    return frozenset(id(inner) for inner in walk(node.body) if isinstance(inner, Store))
