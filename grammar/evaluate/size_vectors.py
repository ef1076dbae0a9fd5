"""Small values of a program's size parameters at which every loop and statement of it runs.

The search, the composition of parts and the checks run programs at such size vectors only. What does not run at any of
them is not seen by any of these stages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations, islice

from raising.affine.ir.affine_expr import Floor, Lin
from raising.affine.ir.program import Guard, Loop, Node, Program, Store, forms, walk
from raising.grammar.evaluate.extents import Accesses, unbounded
from raising.grammar.evaluate.position_values import Positions

FEW_INSTANCES, MAX_INSTANCES = 12_000, 60_000  # nodes run at one size vector: as a rule, and at most
_MAX_ELEMENTS = 1 << 17  # of all arrays together, most of which a run of so few nodes does not touch
_STARTS = (3, 4, 5, 6, 8, 11)
_FEW = (2, 3, 4)
SPARE = 2  # elements that arrays reach further than the accesses, at every second size vector
_SMALL = 16  # numbers up to which sizes that stand for them are tried as they are
_EXACT = 24  # patterns of which the closest point in a set is taken
_SCALES = tuple(1 << k for k in range(4, 18))  # of larger sizes; the last are beyond numbers of 16 bits
_REMAINDERS = 4  # divisors up to which each remainder is wanted
_TURN = 64  # constants in conditions up to which sizes are made as large


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
    for candidate in _larger(program, values) if hidden else ():
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
    for candidate in _apart(program, values) if left else ():
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
    left = {rest for atom in _quotients(form for _, form in program.derived) for rest in _remainders(atom)}
    left -= {_remainder(atom, sizes) for atom, _ in left for sizes in seen}
    found, accesses = list[dict[str, int]](), Accesses(program)
    for candidate in _candidates(program, values) if left else ():
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
    telling = tried.telling(count + skip)
    if len(telling) == count + skip:
        return telling[skip:]
    found = telling or sorted(tried.others, key=lambda sizes: _lacks(program, values, sizes))
    if not found:
        raise Unsizable("no small sizes keep every access inside of its array")
    return found[skip : skip + count] or found[-1:]


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
        self.others: list[dict[str, int]] = []
        self._found: list[dict[str, int]] = []
        self._left = self._tell(program, values)

    def telling(self, count: int) -> list[dict[str, int]]:
        """The first of those that tell everything apart, fewer only if there are no more."""
        self._found += islice(self._left, max(0, count - len(self._found)))
        return self._found[:count]

    def _tell(self, program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
        accesses, telling = Accesses(program), list[dict[str, int]]()
        tries = ((b, c) for b in (FEW_INSTANCES, MAX_INSTANCES) for c in _candidates(program, values))
        for bound, candidate in chain(tries, ((MAX_INSTANCES, c) for c in _exact_candidates(program, values))):
            sizes = _reached(accesses, candidate, bound, SPARE * (len(telling) % 2))
            if sizes not in telling and sizes not in self.others and fits(accesses, sizes, bound):
                if _tells(program, values, sizes):
                    telling.append(sizes)
                    yield sizes
                else:
                    self.others.append(sizes)


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
    for plain in _plain_candidates(program, values):
        placed = [_reached(accesses, sizes, FEW_INSTANCES) for sizes in _placed(program, plain, 0)]
        here = [sizes for sizes in placed if fits(accesses, sizes)]
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


def _candidates(program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
    for sizes in _plain_candidates(program, values):
        yield from _placed(program, sizes, 0)


def _placed(program: Program, sizes: dict[str, int], depth: int) -> Iterator[dict[str, int]]:
    """A size vector with several values of the outer loops' variables, from the loop at `depth` inwards."""
    if depth == len(program.outer):
        yield sizes
        return
    loop = program.outer[depth]
    for value in _passes(program, loop, sizes):
        yield from _placed(program, {**sizes, loop.iv: value}, depth + 1)


def _passes(program: Program, loop: Loop, sizes: Mapping[str, int]) -> Iterator[int]:
    """The last, the middle and the first iteration of an outer loop; then those at which a condition changes."""
    passes = loop.trips(sizes)
    low, high = passes.start, passes.stop
    turns = (turn + step for turn in _turns(program, loop.iv, sizes) for step in (0, -1, 1))
    for value in dict.fromkeys(
        low + (k - low) // loop.step * loop.step for k in (high - 1, (low + high) // 2, low, *turns)
    ):
        if low <= value < high:
            yield value


def _turns(program: Program, iv: str, sizes: Mapping[str, int]) -> Iterator[int]:
    """Values of a loop variable at which a condition on it and on sizes changes."""
    for form in _conditions(program):
        if iv in dict(form.terms) and form.names() <= {iv, *sizes}:
            yield _turn(form, iv, sizes)


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

    return running(program, islice(_candidates(program, values), _EXACT))


def _plain_candidates(program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
    for sizes in _free_candidates(program, values):
        for name, form in program.derived:
            sizes[name] = form.evaluate(sizes)
        yield sizes


def _free_candidates(program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
    def order(name: str) -> tuple[int, str]:
        form = values.get(name, Lin())
        return (form.const if form.is_const else 1 << 40), name

    inside = {loop.iv for loop in program.outer} | {name for name, _ in program.derived}
    names = sorted((n for n in program.sizes if n not in inside), key=order)
    roomy = {n for n in unbounded(program) if n in values and values[n].is_const}
    places = [
        list(range(len(names))),
        [_tie_reversed(names, values, k) + (len(names) if n in roomy else 0) for k, n in enumerate(names)],
        [2 * k for k in range(len(names))],
    ]  # the second one: arrays whose extent is a number reach further than the accesses
    for round_ in range(len(_STARTS)):
        for k, steps in enumerate(places):  # from one to the next every size changes: `N - 2` is 1 at one of them only
            start = _STARTS[(round_ + k) % len(_STARTS)]
            yield {n: start + step for n, step in zip(names, steps, strict=True)}
    known = {n: values[n].const for n in names if n in values and values[n].is_const}
    if len(known) < len(names) and all(value <= _SMALL for value in known.values()):
        for start in _STARTS[2:]:  # numbers as they are: a window of five taps stays one beside a margin of four
            yield {n: known.get(n, start + k) for k, n in enumerate(names)}
    yield from _far_candidates(program, names)
    yield from _few_sizes(names)
    largest = max(known.values(), default=1)
    for scale in (8, 12, 16, 24):
        yield {n: max(1, round(known.get(n, largest) * scale / largest)) for n in names}
    yield {n: 6 for n in names}
    if len(known) == len(names):
        yield known


def _larger(program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
    """Growing sizes: numbers of the file as they are, all of them, each alone."""
    near = next(_free_candidates(program, values))
    known = {n: values[n].const for n in near if n in values and values[n].is_const}
    for scale in _SCALES:
        grown = {n: scale + k for k, n in enumerate(near)}
        for sizes in ({**grown, **known}, grown, *({**near, n: grown[n]} for n in (near if len(near) > 1 else ()))):
            for name, form in program.derived:
                sizes[name] = form.evaluate(sizes)
            yield from _placed(program, sizes, 0)


def _apart(program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
    """Sizes of which all but one, or one alone, are far larger than the others."""
    near = next(_free_candidates(program, values))
    grown = {n: _SCALES[0] + k for k, n in enumerate(near)}
    for sizes in (*({**grown, n: near[n]} for n in near), *({**near, n: grown[n]} for n in near)):
        for name, form in program.derived:
            sizes[name] = form.evaluate(sizes)
        yield from _placed(program, sizes, 0)


def _few_sizes(names: Sequence[str]) -> Iterator[dict[str, int]]:
    """Vectors of few different sizes, for programs of many loops: each name's size follows a digit of its number.

    The digit changes from vector to vector. With one digit alone, two names would have equal sizes in all vectors, and
    could not be told apart.
    """
    base = len(_FEW)
    digits = next(d for d in range(1, len(names) + 2) if base**d >= len(names))
    for turn in range(2 * base * digits):
        shift, digit = turn // digits, base ** (turn % digits)
        yield {n: _FEW[(k // digit * (1 + shift // base) + shift) % base] for k, n in enumerate(names)}


def _far_candidates(program: Program, names: Sequence[str]) -> Iterator[dict[str, int]]:
    """Sizes above all constants in conditions, and at distances at which loops with steps between them run twice."""
    turn = _largest_constant(program)
    for start in (turn + k for k in (2, 3, 5, 4, 7) if turn > _STARTS[0]):
        yield {n: start + k for k, n in enumerate(names)}
    apart = 2 * max((quotient.divisor for quotient in _quotients(form for _, form in program.derived)), default=0)
    for start in _STARTS if apart else ():  # a loop from one size to another in steps of three runs twice
        yield {n: start + apart * k for k, n in enumerate(names)}


def _quotients(given: Iterable[Lin]) -> Iterator[Floor]:
    """The quotients in some forms."""
    return (atom for form in given for atom, _ in form.terms if isinstance(atom, Floor))


def _tie_reversed(names: list[str], values: Mapping[str, Lin], k: int) -> int:
    """Position k with the order reversed among names of equal size (they are independent)."""
    ties = [j for j, n in enumerate(names) if values.get(n) == values.get(names[k])]
    return ties[len(ties) - 1 - ties.index(k)]


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
    for form in _conditions(program):
        variables = form.names() - sizes.keys()
        if len(variables) == 1 and form.names() - variables <= known.keys():
            (iv,) = variables
            turns.setdefault(iv, []).append((_turn(form, iv, known), _turn(form, iv, sizes)))
    pairs = (pair for found in turns.values() for pair in combinations(found, 2))
    return all((a > b) - (a < b) == (x > y) - (x < y) for (a, x), (b, y) in pairs)


def _conditions(program: Program) -> list[Lin]:
    return [form for node in walk(program.body) if isinstance(node, Guard) for form in forms(node)]


def _turn(form: Lin, iv: str, sizes: Mapping[str, int]) -> int:
    """The value of a loop variable around which a form changes its sign."""
    return -form.evaluate({**sizes, iv: 0}) // dict(form.terms).get(iv, 1)


def _stores(node: Loop | Guard) -> frozenset[int]:
    return frozenset(id(inner) for inner in walk(node.body) if isinstance(inner, Store))


def _largest_constant(program: Program) -> int:
    """The largest number that a condition or a bound compares with, as far as sizes can be made as large."""
    told = [f for node in (*program.outer, *walk(program.body)) if isinstance(node, Loop | Guard) for f in forms(node)]
    return max((abs(f.const) for f in told if abs(f.const) <= _TURN), default=0)
