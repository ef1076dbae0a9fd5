"""Strip-mining: a loop over `i` in 0 … 6·n becomes two, with `i = 6·q + r`, that visit the same iterations in order.

The quotient and the remainder of `i` by 6 are then the loop variables `q` and `r`. A quotient that takes few values,
such as the one in `x[(i + 1) % n]`, disappears when the loop is split at the iterations where it changes. A loop of
open length whose variable is divided by a small number runs over the quotient, with a copy for each remainder:

before  for i = 0 to 2 n     o[i] = x[i / 2]
after   for q = 0 to n       o[2 q] = x[q], o[2 q + 1] = x[q]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from math import gcd

from raising.affine.ir.affine_expr import Floor, Lin, var
from raising.affine.ir.program import Guard, Loop, Node, Program, forms, walk
from raising.affine.ir.rewriting import rewritten, with_all_forms, with_forms, with_loops, with_names
from raising.affine.ir.value_names import defined
from raising.affine.sizes.size_classes import extreme, loop_ranges
from raising.affine.transforms.periodic_halo import with_halos

_ROUNDS = 8  # of cuts: each takes one radix off a loop
_TURNS = 4  # places at most at which one loop is taken apart
_COPIES = 4  # number of copies of a loop's body
_STORES = 64  # at most in a program with copies of its loops


def without_quotients(program: Program) -> Program:
    """The program with loops cut so that quotients of their variables are gone, as far as lengths are multiples."""
    for _ in range(_ROUNDS):
        cuts = _wanted(program)
        if not cuts:
            break
        program = cut(program, cuts)
    program = with_halos(program)
    apart = _simplified(replace(program, body=with_loops(program.body, _pieces)))
    return apart if sum(1 for _ in apart.stores()) <= _STORES else program


def lengths(program: Program) -> dict[str, int]:
    """The trip counts of those loops that can be cut: from 0 to a number, in steps of 1."""
    loops = (n for n in walk(program.body) if isinstance(n, Loop))
    return {
        n.iv: n.upper[0].const
        for n in loops
        if n.lower == (Lin(0),) and len(n.upper) == n.step == 1 and n.upper[0].is_const
    }


def cut(program: Program, cuts: Mapping[str, int]) -> Program:
    """The program with these loops in strips of these lengths, which have to divide their trip counts."""
    body = _nodes(program.body, cuts, {})
    return _simplified(replace(program, body=body))


def _wanted(program: Program) -> dict[str, int]:
    """The loops whose variables are divided, each with the largest number that its trip count is a multiple of."""
    trips = lengths(program)
    cuts: dict[str, int] = {}
    for quotient in (q for node in walk(program.body) for form in forms(node) for q in form.quotients()):
        for atom, c in quotient.inner.terms:
            length = quotient.divisor // gcd(c, quotient.divisor)
            if isinstance(atom, str) and 1 < length < trips.get(atom, 0) and not trips[atom] % length:
                cuts[atom] = max(length, cuts.get(atom, 0))
    return cuts


def _nodes(nodes: tuple[Node, ...], cuts: Mapping[str, int], known: Mapping[str, Lin]) -> tuple[Node, ...]:
    return tuple(_node(n, cuts, known) for n in nodes)


def _node(node: Node, cuts: Mapping[str, int], known: Mapping[str, Lin]) -> Node:
    if isinstance(node, Loop) and node.iv in cuts:
        strip, place, length = f"{node.iv}q", f"{node.iv}r", cuts[node.iv]
        body = _nodes(node.body, cuts, {**known, node.iv: var(strip).scaled(length) + var(place)})
        inner = replace(node, iv=place, upper=(Lin(length),), body=body)
        return replace(node, iv=strip, upper=(Lin(node.upper[0].const // length),), body=(inner,))
    node = with_forms(node, lambda form: form.substitute(known.get))
    return replace(node, body=_nodes(node.body, cuts, known)) if isinstance(node, Loop | Guard) else node


# ---- loops taken apart ---------------------------------------------------------------------------


def _pieces(loop: Loop) -> tuple[Loop, ...]:
    """A loop as several where quotients of its variable alone change a few times."""
    places = _turns(loop)
    if not 0 < len(places) <= _TURNS:
        return (loop,)
    ends = [*loop.lower, *map(Lin, places), *loop.upper]
    first, *others = (replace(loop, lower=(a,), upper=(b,)) for a, b in pairwise(ends))
    return (first, *(copied(piece, f"_{loop.iv}p{k}") for k, piece in enumerate(others, 1)))


def _turns(loop: Loop) -> list[int]:
    """Where the quotients of a loop's variable and a number change, if the loop runs between two numbers."""
    ends = (*loop.lower, *loop.upper)
    if len(ends) > 2 or loop.step > 1 or not all(end.is_const for end in ends):
        return []
    inside = range(ends[0].const + 1, ends[1].const)
    inner = [(q.inner, q.divisor) for node in walk(loop.body) for form in forms(node) for q in form.quotients()]
    alone = [(f.const, m, f.terms[0][1]) for f, m in inner if len(f.terms) == 1 and f.terms[0][0] == loop.iv]
    return sorted({i for n, m, c in alone if abs(c) == 1 for i in inside if (n + c * i) // m != (n + c * (i - 1)) // m})


def copied(loop: Loop, suffix: str) -> Loop:
    """A loop with names of its own for what it defines."""
    own = {name: name + suffix for node in walk((loop,)) for name in defined(node)}
    forms_renamed = with_all_forms((loop,), lambda form: form.substitute(lambda n: var(own[n]) if n in own else None))
    (renamed,) = rewritten(forms_renamed, lambda node: (with_names(node, lambda name: own.get(name, name)),))
    assert isinstance(renamed, Loop)
    return renamed


def _simplified(program: Program) -> Program:
    """The program with the quotients resolved whose remainders are known to be small."""
    ranges = loop_ranges(program)
    return replace(program, body=with_all_forms(program.body, lambda form: _resolved(form, ranges)))


def _resolved(form: Lin, ranges: Mapping[str, tuple[int, int] | None]) -> Lin:
    """A form without the quotients of multiples and small rests: (6·q + r) / 6 is q for r in 0 … 5."""
    return form.with_atoms(lambda atom: _quotient(atom, ranges) if isinstance(atom, Floor) else var(atom))


def _quotient(floor: Floor, ranges: Mapping[str, tuple[int, int] | None]) -> Lin:
    inner, divisor = _resolved(floor.inner, ranges), floor.divisor
    whole = Lin(inner.const // divisor * divisor, tuple(t for t in inner.terms if not t[1] % divisor))
    rest = inner - whole
    low, high = extreme(rest, ranges, 0), extreme(rest, ranges, 1)
    if low is not None and high is not None and low // divisor == high // divisor:
        return whole.floordiv(divisor) + low // divisor
    return inner.floordiv(divisor)


# ---- loops of open length ------------------------------------------------------------------------


def with_residues(program: Program) -> Program:
    """The program with these loops over quotients, innermost first."""
    sizes = frozenset(program.sizes)
    return replace(program, body=with_loops(program.body, lambda loop: (_over_quotients(loop, sizes),)))


def _over_quotients(loop: Loop, sizes: frozenset[str]) -> Loop:
    length = _small_divisor(loop, sizes)
    return _by_rests(loop, length) if length > 1 else loop


def _small_divisor(loop: Loop, sizes: frozenset[str]) -> int:
    """A small number by which the variable of an open loop is divided, and its trip count; 1 if there is none."""
    end = loop.upper[0]
    if loop.lower != (Lin(0),) or len(loop.upper) > 1 or loop.step > 1 or end.is_const or not end.names() <= sizes:
        return 1
    divided = (q for node in walk(loop.body) for form in forms(node) for q in form.quotients())
    found = {q.divisor // gcd(c, q.divisor) for q in divided for atom, c in q.inner.terms if atom == loop.iv}
    length = max(found, default=1)
    whole = not any(length % each for each in found) and not any(
        c % length for c in (end.const, *dict(end.terms).values())
    )
    return length if length <= _COPIES and whole else 1


def _by_rests(loop: Loop, length: int) -> Loop:
    body = [node for rest in range(length) for node in _at_value(loop, rest, var(loop.iv).scaled(length) + rest)]
    return replace(loop, upper=(loop.upper[0].floordiv(length),), body=tuple(body))


def _at_value(loop: Loop, rest: int, value: Lin) -> tuple[Node, ...]:
    """The loop's body at a value of its variable, with names of its own."""
    suffix = f"_r{rest}"
    put = {loop.iv + suffix: value}
    return with_all_forms(copied(loop, suffix).body, lambda form: form.substitute(put.get))
