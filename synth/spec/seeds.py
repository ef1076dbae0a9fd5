"""Seeds: the source's own subexpressions as terms, a guide for the search.

Each scalar operation of a statement becomes one application over the loops
that its operands depend on, so that a program of one operation per scalar
operation is always within reach; the search then looks for a simpler one.
Where a subexpression spans more dimensions than any array, only a general
operation with the statement's whole scalar body remains (`raising.synth.complete.composite`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from raising.affine.ir.program import Compute, Program, walk
from raising.affine.ir.value_names import computes_of
from raising.affine.polyhedral.scop import Scop
from raising.grammar.terms.structured_op import Instr
from raising.grammar.terms.term import Apply, TensorType, Term
from raising.support.record import dataclass
from raising.synth.spec.accumulated import accumulated
from raising.synth.spec.body_matching import Matcher, Way
from raising.synth.spec.loop_values import Value, agree, extents_of
from raising.synth.spec.schemes import Scheme


@dataclass(frozen=True)
class Source:
    """A part's program with a term for each load it makes and each scalar it uses."""

    program: Program
    scop: Scop
    loads: dict[str, Value]
    scalars: dict[str, Term]


def seeds(
    source: Source, available: tuple[Scheme, ...], max_rank: int, expressible: Callable[[Apply], bool]
) -> list[Term]:
    """Terms for the subexpressions of every statement, operands first.

    Those of several scalar operations at once are taken if they are `expressible` as they stand.
    """
    known: dict[str, Value] = source.loads | {name: Value(term, ()) for name, term in source.scalars.items()}
    order = [n.iv for n in walk(source.program.body) if hasattr(n, "iv")]
    result = [v.term for v in source.loads.values()]
    matcher = Matcher(computes_of(source.program), source.program.scalars, known)
    pointwise = [s for s in available if s.combiner is None]
    single = {s.body.instrs[0]: s for s in pointwise if len(s.body.instrs) == 1}
    several = [s for s in pointwise if len(s.body.instrs) > 1]
    for node in walk(source.program.body):
        if isinstance(node, Compute):
            for scheme, args in _ways(node, single, several, matcher):
                value = _applied(node, scheme, args, order)
                if value is not None and len(value.ivs) <= max_rank and _is_taken(value.term, expressible):
                    known.setdefault(node.dst, value)  # from here on matched by operations that use it
                    result.append(value.term)
    for statement in source.scop.statements.values():
        terms = accumulated(source.scop, statement.write, available, matcher)
        result += [term for term in terms if _is_taken(term, expressible)]
    return list(dict.fromkeys(result))


def _is_taken(term: Term, expressible: Callable[[Apply], bool]) -> bool:
    """True for one scalar operation, accumulated or not, a product that is accumulated, or what can be said at once."""
    assert isinstance(term, Apply)
    return len(term.body.instrs) <= 1 + term.body.reads_output or expressible(term)


def _ways(node: Compute, single: Mapping[Instr, Scheme], several: Sequence[Scheme], matcher: Matcher) -> list[Way]:
    """How a scalar operation is computed: from its operands, and as the last of an operation that does more."""
    ways: list[Way] = []
    if all(a in matcher.known for a in node.args):
        args, places = [matcher.known[a] for a in node.args], tuple(range(len(node.args)))
        orders = (places, args), (places[::-1], args[::-1])  # operands exchanged where a body has them so
        found = [(single.get(Instr(node.op, order, node.attrs)), given) for order, given in orders]
        ways += [(scheme, given) for scheme, given in found if scheme is not None][:1]
    for scheme in several:
        ways += matcher.ways(scheme, scheme.body, node.dst)
    return ways


def _applied(node: Compute, scheme: Scheme, args: list[Value], order: list[str]) -> Value | None:
    """An operation applied over the loops that its operands depend on; None if these have several extents there."""
    ivs = tuple(iv for iv in order if any(iv in a.ivs for a in args))
    extents = extents_of(args)
    if not agree(args, extents):
        return None
    maps = (*(a.places(ivs) for a in args), tuple(range(len(ivs))))
    kind = TensorType(node.element, tuple(extents[iv] for iv in ivs))
    return Value(Apply(kind, scheme.body, maps, tuple(a.term for a in args)), ivs)
