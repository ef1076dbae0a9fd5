"""Sizes that are tried: patterns of small numbers, numbers of the file as they are, and sizes far apart or far above.

Whether a program shows what it does at one of them is asked elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from raising.affine.ir.affine_expr import Floor, Lin
from raising.affine.ir.program import Guard, Loop, Program, forms, walk
from raising.grammar.evaluate.extents import unbounded

_STARTS = (3, 4, 5, 6, 8, 11)
_FEW = (2, 3, 4)
_SMALL = 16  # numbers up to which sizes that stand for them are tried as they are
_SCALES = tuple(1 << k for k in range(4, 18))  # of larger sizes; the last are beyond numbers of 16 bits
_TURN = 64  # constants in conditions up to which sizes are made as large


def candidates(program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
    """Size vectors that may show what a program does, with several values of the outer loops' variables."""
    for sizes in plain_candidates(program, values):
        yield from placed(program, sizes, 0)


def placed(program: Program, sizes: dict[str, int], depth: int) -> Iterator[dict[str, int]]:
    """A size vector with several values of the outer loops' variables, from the loop at `depth` inwards."""
    if depth == len(program.outer):
        yield sizes
        return
    loop = program.outer[depth]
    for value in _passes(program, loop, sizes):
        yield from placed(program, {**sizes, loop.iv: value}, depth + 1)


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
    for form in conditions(program):
        if iv in dict(form.terms) and form.names() <= {iv, *sizes}:
            yield turn(form, iv, sizes)


def plain_candidates(program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
    """The same without the variables of outer loops; what is derived of sizes is among them."""
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
    yield from few_sizes(names)
    largest = max(known.values(), default=1)
    for scale in (8, 12, 16, 24):
        yield {n: max(1, round(known.get(n, largest) * scale / largest)) for n in names}
    yield {n: 6 for n in names}
    if len(known) == len(names):
        yield known


def larger(program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
    """Growing sizes: numbers of the file as they are, all of them, each alone."""
    near = next(_free_candidates(program, values))
    known = {n: values[n].const for n in near if n in values and values[n].is_const}
    for scale in _SCALES:
        grown = {n: scale + k for k, n in enumerate(near)}
        for sizes in ({**grown, **known}, grown, *({**near, n: grown[n]} for n in (near if len(near) > 1 else ()))):
            for name, form in program.derived:
                sizes[name] = form.evaluate(sizes)
            yield from placed(program, sizes, 0)


def far_apart(program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
    """Sizes of which all but one, or one alone, are far larger than the others."""
    near = next(_free_candidates(program, values))
    grown = {n: _SCALES[0] + k for k, n in enumerate(near)}
    for sizes in (*({**grown, n: near[n]} for n in near), *({**near, n: grown[n]} for n in near)):
        for name, form in program.derived:
            sizes[name] = form.evaluate(sizes)
        yield from placed(program, sizes, 0)


def few_sizes(names: Sequence[str]) -> Iterator[dict[str, int]]:
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
    apart = 2 * max((quotient.divisor for quotient in quotients(form for _, form in program.derived)), default=0)
    for start in _STARTS if apart else ():  # a loop from one size to another in steps of three runs twice
        yield {n: start + apart * k for k, n in enumerate(names)}


def quotients(given: Iterable[Lin]) -> Iterator[Floor]:
    """The quotients in some forms."""
    return (atom for form in given for atom, _ in form.terms if isinstance(atom, Floor))


def _tie_reversed(names: list[str], values: Mapping[str, Lin], k: int) -> int:
    """Position k with the order reversed among names of equal size (they are independent)."""
    ties = [j for j, n in enumerate(names) if values.get(n) == values.get(names[k])]
    return ties[len(ties) - 1 - ties.index(k)]


def conditions(program: Program) -> list[Lin]:
    """The forms that a program's conditions compare with zero."""
    return [form for node in walk(program.body) if isinstance(node, Guard) for form in forms(node)]


def turn(form: Lin, iv: str, sizes: Mapping[str, int]) -> int:
    """The value of a loop variable around which a form changes its sign."""
    return -form.evaluate({**sizes, iv: 0}) // dict(form.terms).get(iv, 1)


def _largest_constant(program: Program) -> int:
    """The largest number that a condition or a bound compares with, as far as sizes can be made as large."""
    told = [f for node in (*program.outer, *walk(program.body)) if isinstance(node, Loop | Guard) for f in forms(node)]
    return max((abs(f.const) for f in told if abs(f.const) <= _TURN), default=0)
