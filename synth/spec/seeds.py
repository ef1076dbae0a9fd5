"""Seeds: the source's own subexpressions as terms, a guide for the search.

Each scalar operation of a statement becomes one application over the loops
that its operands depend on, so that a program of one operation per scalar
operation is always within reach; the search then looks for a simpler one.
Where a subexpression spans more dimensions than any array, only a general
operation with the statement's whole scalar body remains (`raising.synth.complete.composite`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Compute, Program, Store, walk
from raising.affine.ir.value_names import computes_of
from raising.affine.polyhedral.bounding_box import box_of
from raising.affine.polyhedral.scop import Access, Scop
from raising.grammar.terms.scalar_ops import INVERSES, SCALARS, combiners
from raising.grammar.terms.structured_op import COPY, Body, Instr, Linear, Map, scalar_part
from raising.grammar.terms.term import Apply, Reverse, TensorType, Term
from raising.support.record import dataclass
from raising.synth.spec.body_matching import Matcher
from raising.synth.spec.schemes import Scheme

Placed = tuple[Apply, tuple[str, ...]]  # an application, and the loop variable of each of its dimensions


@dataclass(frozen=True)
class Value:
    """A term whose dimension k is loop variable `ivs[k]`."""

    term: Term
    ivs: tuple[str, ...]


@dataclass(frozen=True)
class Source:
    """A part's program with a term for each load it makes and each scalar it uses."""

    program: Program
    scop: Scop
    loads: dict[str, Value]
    scalars: dict[str, Term]


def load_value(term: Term, access: Access, kept: tuple[int, ...], program: Program, framed: bool) -> Value | None:
    """A load as a value over the loop variables that address it.

    Framed, `term` starts at the first element read; else it is the whole
    array. Where a subscript sums variables, or two dimensions follow the same
    one (a diagonal), the value is a copy that reads by that map, from the last element on along variables that run
    backwards.
    """
    box = box_of(access.domain, program, (1,) * len(access.ivs))
    reversed_ = isinstance(term, Reverse)
    terms = [_moving(access.node.subscripts[dim], access.ivs, framed, reversed_) for dim in kept]
    if box is None or not all(terms):
        return None
    backwards = {n for dim in terms if len(dim) > 1 for n, c in dim if c < 0}
    if any(n in backwards and (c > 0 or len(dim) == 1) for dim in terms for n, c in dim):
        return None
    ivs = tuple(dict.fromkeys(n for dim in terms for n, _ in dim))
    if len(ivs) == len(terms) == sum(map(len, terms)):
        return Value(term, ivs)
    extents = {iv: b - a + 1 for iv, a, b in zip(access.ivs, box.low, box.high, strict=True)}
    if not framed:  # each subscript is one variable, which walks the whole dimension
        extents = {dim[0][0]: extent for dim, extent in zip(terms, term.type.dims, strict=True)}
        if any(extents[dim[0][0]] != extent for dim, extent in zip(terms, term.type.dims, strict=True)):
            return None
    kind = TensorType(term.type.element, tuple(extents[iv] for iv in ivs))
    reads: Map = tuple(_read_by(dim, ivs) for dim in terms)
    copied = Apply(kind, COPY, (reads, tuple(range(len(ivs)))), (term,))
    axes = tuple(k for k, iv in enumerate(ivs) if iv in backwards)
    return Value(Reverse(kind, copied, axes) if axes else copied, ivs)


def _moving(subscript: Lin, ivs: tuple[str, ...], framed: bool, reversed_: bool) -> list[tuple[str, int]]:
    """The loop variables in a subscript, each with its factor; none if it is none that a value can be read by."""
    moving = [(str(n), c) for n, c in subscript.terms if n in ivs]
    if len(moving) == 1:
        readable = (moving[0][1] > 0 or reversed_) and (framed or subscript.as_offset() == (moving[0][0], 0))
        return moving if readable else []
    return moving if framed else []


def _read_by(dim: list[tuple[str, int]], ivs: tuple[str, ...]) -> int | Linear:
    """A dimension of a map. A stride is the window's own; what runs backwards is turned afterwards."""
    return ivs.index(dim[0][0]) if len(dim) == 1 else tuple((ivs.index(n), abs(c)) for n, c in dim)


def seeds(
    source: Source, available: tuple[Scheme, ...], max_rank: int, expressible: Callable[[Apply], bool]
) -> list[Term]:
    """Terms for the subexpressions of every statement, operands first.

    Those of several scalar operations at once are taken if they are `expressible` as they stand.
    """
    single = {s.body.instrs[0]: s for s in available if s.combiner is None and len(s.body.instrs) == 1}
    found: dict[str, Value] = dict(source.loads)
    found |= {name: Value(term, ()) for name, term in source.scalars.items()}
    order = [n.iv for n in walk(source.program.body) if hasattr(n, "iv")]
    result = [v.term for v in source.loads.values()]
    matcher = Matcher(computes_of(source.program), source.program.scalars, found)
    for node in walk(source.program.body):
        if isinstance(node, Compute):
            for term, ivs in _values(node, found, single, available, matcher, order):
                if len(ivs) <= max_rank and (_is_single(term) or expressible(term)):
                    found.setdefault(node.dst, Value(term, ivs))
                    result.append(term)
    for statement in source.scop.statements.values():
        reduced = _reduced(source, statement.write, found, available, matcher)
        result += [term for term in reduced if _is_single(term) or expressible(term)]
    return list(dict.fromkeys(result))


def _is_single(term: Apply) -> bool:
    """True for one scalar operation, accumulated or not, or a product that is accumulated."""
    return len(term.body.instrs) <= 1 + term.body.reads_output


def _values(
    node: Compute,
    found: dict[str, Value],
    single: dict[Instr, Scheme],
    available: tuple[Scheme, ...],
    matcher: Matcher,
    order: list[str],
) -> Iterator[Placed]:
    """What a scalar operation computes: applied to its operands, and as the last of an operation that does more."""
    ways: list[tuple[Scheme, list[Value]]] = []
    if all(a in found for a in node.args):
        alone, args = _scheme(node, [found[a] for a in node.args], single)
        ways += [(alone, args)] if alone is not None else []
    for scheme in available:
        if scheme.combiner is None and len(scheme.body.instrs) > 1:
            ways += matched(scheme, scheme.body, node.dst, found, matcher)
    for scheme, args in ways:
        value = _applied(node, scheme, args, order)
        if value is not None:
            yield value


def matched(
    scheme: Scheme, body: Body, name: str, found: dict[str, Value], matcher: Matcher
) -> list[tuple[Scheme, list[Value]]]:
    """The ways in which a scheme, by its `body`, computes a value from values known."""
    ways = [(scheme, [found[n] for n in names]) for names in matcher.operands(body, name)]
    return [way for way in ways if scheme.result_element(tuple(a.term.type for a in way[1])) is not None]


def _applied(node: Compute, scheme: Scheme, args: list[Value], order: list[str]) -> Placed | None:
    ivs = tuple(iv for iv in order if any(iv in a.ivs for a in args))
    extents = {iv: d for a in args for iv, d in zip(a.ivs, a.term.type.dims, strict=True)}
    if not agree(args, extents):
        return None
    maps = tuple(tuple(ivs.index(iv) for iv in a.ivs) for a in args)
    kind = TensorType(node.element, tuple(extents[iv] for iv in ivs))
    return Apply(kind, scheme.body, (*maps, tuple(range(len(ivs)))), tuple(a.term for a in args)), ivs


def agree(args: list[Value], extents: dict[str, Lin]) -> bool:
    """True if every value has the given extent along each loop."""
    return all(extents[iv] == d for a in args for iv, d in zip(a.ivs, a.term.type.dims, strict=True))


def _scheme(node: Compute, args: list[Value], single: dict[Instr, Scheme]) -> tuple[Scheme | None, list[Value]]:
    """The scheme of one scalar operation, operands exchanged where its body has them so."""
    direct = single.get(Instr(node.op, tuple(range(len(args))), node.attrs))
    if direct is not None:
        return direct, args
    return single.get(Instr(node.op, tuple(reversed(range(len(args)))), node.attrs)), args[::-1]


def _reduced(
    source: Source, write: Access, found: dict[str, Value], available: tuple[Scheme, ...], matcher: Matcher
) -> Iterator[Apply]:
    """What an accumulating statement adds to its array, reduced over the loops that do not address it."""
    assert isinstance(write.node, Store)
    computes = computes_of(source.program)
    top = computes.get(write.node.value)
    combiner = _combiner(top)
    if top is None or combiner is None:
        return
    kept = {n for f in write.node.subscripts for n in f.names()}
    for name in top.args:
        inner = computes.get(name)
        operands = [found.get(a) for a in inner.args] if inner is not None else []
        candidates: list[tuple[list[Value], tuple[str, ...]]] = [([found[name]], ())] if name in found else []
        if inner is not None and len(operands) == 2 and all(o is not None for o in operands):
            candidates.append(([o for o in operands if o is not None], (inner.op,)))
        combining = [s for s in available if s.combiner == combiner]
        ways = [
            (scheme, args)
            for args, ops in candidates
            for scheme in combining
            if len(scheme.body.instrs) == 1 + len(ops) and set(ops) <= scheme.operations
        ]
        for scheme in combining:
            if len(scheme.body.instrs) > 2:
                ways += matched(scheme, scalar_part(scheme.body)[0], name, found, matcher)
        start = _accumulator(source, write, top, name, found)
        yield from filter(None, (_contracted(scheme, args, kept) for scheme, args in ways))
        if start is not None:
            yield from filter(None, (_contracted(scheme, args, kept, start) for scheme, args in ways))


def _combiner(top: Compute | None) -> str | None:
    """The operation by which a statement accumulates: what is subtracted each time is a sum."""
    if top is None or top.op not in SCALARS:
        return None
    if SCALARS[top.op].residue == "sub":
        return next((n for n, s in SCALARS.items() if s.residue == "add" and n[-1] == top.op[-1]), None)
    return top.op if top.op in combiners() else None


def _accumulator(
    source: Source, write: Access, top: Compute | None, rest: str, found: dict[str, Value]
) -> Value | None:
    """The old value that `rest` is combined with, for a combiner that the search cannot solve for it."""
    if top is None or SCALARS[top.op].residue in INVERSES:
        return None
    name = next((a for a in top.args if a != rest), rest)
    load = source.scop.loads.get(name)
    own = load is not None and (load.node.array, load.node.subscripts) == (write.node.array, write.node.subscripts)
    return found.get(name) if own else None


def _contracted(scheme: Scheme, args: list[Value], kept: set[str], start: Value | None = None) -> Apply | None:
    """Values combined and reduced over the loops that are not `kept`, continuing from `start` if it is given."""
    ivs = tuple(dict.fromkeys(iv for a in args for iv in a.ivs))
    extents = {iv: d for a in args for iv, d in zip(a.ivs, a.term.type.dims, strict=True)}
    element = scheme.result_element(tuple(a.term.type for a in args)) if scheme.arity == len(args) else None
    if element is None or not agree(args, extents) or all(iv in kept for iv in ivs):
        return None
    maps = tuple(tuple(ivs.index(iv) for iv in a.ivs) for a in args)
    order = [iv for iv in ivs if iv in kept]
    if start is not None:
        if sorted(start.ivs) != sorted(order) or not agree([start], extents):
            return None
        order = list(start.ivs)
    kind = TensorType(element, tuple(extents[iv] for iv in order))
    out = tuple(ivs.index(iv) for iv in order)
    return Apply(kind, scheme.body, (*maps, out), tuple(a.term for a in args), start.term if start else None)
