"""Strip-mining: a loop over `i` in 0 … 6·n becomes two, with `i = 6·q + r`, that visit the same iterations in order.

The quotient and the remainder of `i` by 6 are then the loop variables `q` and `r`. A quotient that takes few values,
such as the one in `x[(i + 1) % n]`, disappears when the loop is split at the iterations where it changes. A loop of
open length whose variable is divided by a small number runs over the quotient, with a copy for each remainder:

before  for i = 0 to 2 n     o[i] = x[i / 2]
after   for q = 0 to n       o[2 q] = x[q], o[2 q + 1] = x[q]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import gcd

from raising.affine.ir.affine_expr import Cond, Floor, Lin, var
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Store, forms, walk
from raising.affine.transforms.periodic_halo import with_halos
from raising.affine.transforms.size_classes import extreme, loop_ranges

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
    apart = _simplified(replace(program, body=_apart(program.body)))
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


def quotients(form: Lin) -> Iterator[Floor]:
    """Every quotient in a form, outer ones first."""
    for atom, _ in form.terms:
        if isinstance(atom, Floor):
            yield atom
            yield from quotients(atom.inner)


def _wanted(program: Program) -> dict[str, int]:
    """The loops whose variables are divided, each with the largest number that its trip count is a multiple of."""
    trips = lengths(program)
    cuts: dict[str, int] = {}
    for quotient in (q for node in walk(program.body) for form in forms(node) for q in quotients(form)):
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
    return with_forms(node, lambda form: form.substitute(known.get), lambda body: _nodes(body, cuts, known))


# ---- loops taken apart ---------------------------------------------------------------------------


def _apart(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Nodes with each loop as several where quotients of its variable alone change a few times."""
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop):
            whole = replace(node, body=_apart(node.body))
            places = _turns(whole)
            ends = [*node.lower, *map(Lin, places), *node.upper] if 0 < len(places) <= _TURNS else []
            pieces = [replace(whole, lower=(a,), upper=(b,)) for a, b in zip(ends, ends[1:], strict=False)] or [whole]
            found += [pieces[0], *(copied(piece, f"_{node.iv}p{k}") for k, piece in enumerate(pieces[1:], 1))]
        else:
            found.append(replace(node, body=_apart(node.body)) if isinstance(node, Guard) else node)
    return tuple(found)


def _turns(loop: Loop) -> list[int]:
    """Where the quotients of a loop's variable and a number change, if the loop runs between two numbers."""
    ends = (*loop.lower, *loop.upper)
    if len(ends) > 2 or loop.step > 1 or not all(end.is_const for end in ends):
        return []
    inside = range(ends[0].const + 1, ends[1].const)
    inner = [(q.inner, q.divisor) for node in walk(loop.body) for form in forms(node) for q in quotients(form)]
    alone = [(f.const, m, f.terms[0][1]) for f, m in inner if len(f.terms) == 1 and f.terms[0][0] == loop.iv]
    return sorted({i for n, m, c in alone if abs(c) == 1 for i in inside if (n + c * i) // m != (n + c * (i - 1)) // m})


def copied(loop: Loop, suffix: str) -> Loop:
    """A loop with names of its own for what it defines."""
    own: dict[str, str] = {}
    for node in walk((loop,)):
        own |= {name: name + suffix for name in defined(node)}

    def form(old: Lin) -> Lin:
        return old.substitute(lambda name: var(own[name]) if name in own else None)

    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(named(with_forms(n, form, visit), own) for n in nodes)

    (copied,) = visit((loop,))
    assert isinstance(copied, Loop)
    return copied


def defined(node: Node) -> tuple[str, ...]:
    """The names that a node itself defines."""
    match node:
        case Loop():
            return (node.iv,)
        case Store():
            return (node.label,)
        case Load() | Compute() | IndexValue():
            return (node.dst,)
        case _:
            return ()


def named(node: Node, own: Mapping[str, str]) -> Node:
    """A node with other names for what it defines, and for the values that it uses."""
    match node:
        case Loop():
            return replace(node, iv=own[node.iv])
        case Store():
            return replace(node, label=own[node.label], value=own.get(node.value, node.value))
        case Compute():
            return replace(node, dst=own[node.dst], args=tuple(own.get(a, a) for a in node.args))
        case Load() | IndexValue():
            return replace(node, dst=own[node.dst])
        case _:
            return node


def _simplified(program: Program) -> Program:
    """The program with the quotients resolved whose remainders are known to be small."""
    ranges = loop_ranges(program)

    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(with_forms(n, lambda form: _resolved(form, ranges), visit) for n in nodes)

    return replace(program, body=visit(program.body))


def _resolved(form: Lin, ranges: Mapping[str, tuple[int, int] | None]) -> Lin:
    """A form without the quotients of multiples and small rests: (6·q + r) / 6 is q for r in 0 … 5."""
    out = Lin(form.const)
    for atom, c in form.terms:
        out = out + (_quotient(atom, ranges) if isinstance(atom, Floor) else var(atom)).scaled(c)
    return out


def _quotient(floor: Floor, ranges: Mapping[str, tuple[int, int] | None]) -> Lin:
    inner, divisor = _resolved(floor.inner, ranges), floor.divisor
    whole = Lin(inner.const // divisor * divisor, tuple(t for t in inner.terms if not t[1] % divisor))
    rest = inner - whole
    low, high = extreme(rest, ranges, 0), extreme(rest, ranges, 1)
    if low is not None and high is not None and low // divisor == high // divisor:
        return whole.floordiv(divisor) + low // divisor
    return inner.floordiv(divisor)


def with_forms(node: Node, form: Callable[[Lin], Lin], inside: Callable[[tuple[Node, ...]], tuple[Node, ...]]) -> Node:
    """A node with other forms, and what `inside` makes of its body."""
    match node:
        case Loop():
            lower, upper = tuple(map(form, node.lower)), tuple(map(form, node.upper))
            return replace(node, lower=lower, upper=upper, body=inside(node.body))
        case Guard():
            conds = tuple(Cond(form(c.form), c.equality) for c in node.conds)
            return replace(node, conds=conds, body=inside(node.body))
        case Load() | Store():
            return replace(node, subscripts=tuple(map(form, node.subscripts)))
        case IndexValue():
            return replace(node, form=form(node.form))
        case _:
            return node


def with_value(node: Node, name: str, value: Lin) -> Node:
    """A node with a form in place of a loop variable."""

    def form(old: Lin) -> Lin:
        return old.substitute(lambda n: value if n == name else None)

    return with_forms(node, form, lambda body: tuple(with_value(n, name, value) for n in body))


# ---- loops of open length ------------------------------------------------------------------------


def with_residues(program: Program) -> Program:
    """The program with these loops over quotients, innermost first."""
    return replace(program, body=tuple(_over_quotients(node, frozenset(program.sizes)) for node in program.body))


def _over_quotients(node: Node, sizes: frozenset[str]) -> Node:
    if not isinstance(node, Loop | Guard):
        return node
    node = replace(node, body=tuple(_over_quotients(n, sizes) for n in node.body))
    length = _small_divisor(node, sizes) if isinstance(node, Loop) else 1
    return _by_rests(node, length) if isinstance(node, Loop) and length > 1 else node


def _small_divisor(loop: Loop, sizes: frozenset[str]) -> int:
    """A small number by which the variable of an open loop is divided, and its trip count; 1 if there is none."""
    end = loop.upper[0]
    if loop.lower != (Lin(0),) or len(loop.upper) > 1 or loop.step > 1 or end.is_const or not end.names() <= sizes:
        return 1
    divided = (q for node in walk(loop.body) for form in forms(node) for q in quotients(form))
    found = {q.divisor // gcd(c, q.divisor) for q in divided for atom, c in q.inner.terms if atom == loop.iv}
    length = max(found, default=1)
    whole = not any(length % each for each in found) and not any(
        c % length for c in (end.const, *dict(end.terms).values())
    )
    return length if length <= _COPIES and whole else 1


def _by_rests(loop: Loop, length: int) -> Loop:
    body = [node for rest in range(length) for node in _at_value(loop, rest, var(loop.iv).scaled(length) + rest)]
    return replace(loop, upper=(loop.upper[0].floordiv(length),), body=tuple(body))


def _at_value(loop: Loop, rest: int, value: Lin) -> Iterator[Node]:
    """The loop's body at a value of its variable, with names of its own."""
    suffix = f"_r{rest}"
    for node in copied(loop, suffix).body:
        yield with_value(node, loop.iv + suffix, value)
