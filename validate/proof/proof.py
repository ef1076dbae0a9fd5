"""The proof for all sizes: both programs in normal form, and each output's difference tested for zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Cond, Lin, const
from raising.affine.ir.program import Load, Program, walk
from raising.affine.polyhedral.scop import Scop, build, context_set, dependences, holds, sizes_where
from raising.affine.polyhedral.select_reductions import accumulating
from raising.affine.transforms.kept_places import with_places_apart
from raising.support.record import dataclass
from raising.validate.base.assumption import Assumption
from raising.validate.base.verdict import Unknown
from raising.validate.normal_form.is_zero import Witness, smallest_sizes, witness
from raising.validate.normal_form.isl_spaces import PARAM, Sizes, anonymous
from raising.validate.normal_form.sum_of_products import Algebra, Unprovable, minus
from raising.validate.proof.induction.induction import different, learned
from raising.validate.proof.induction.value_trace import exchanged
from raising.validate.proof.values.flow import Flows, checked
from raising.validate.reading.pair import Assumptions, Pair, turned
from raising.validate.reading.same_text import same_text


@dataclass(frozen=True)
class Difference:
    """An output that differs at these sizes, if the uninterpreted functions in it are what they seem."""

    output: str
    sizes: dict[str, int]


@dataclass(frozen=True)
class Equal:
    """All outputs are equal at these sizes (an isl parameter set), under the assumptions."""

    assumptions: tuple[Assumption, ...]
    sizes: Any


def prove(pair: Pair, assumed: Assumptions, context: Any = None, seeming: str = "") -> Equal | Difference | Unknown:
    """Are the outputs equal for all sizes (in `context`, an isl parameter set, if that is given)?

    Sizes at which they differ are left out where the files fix other sizes. If closed forms seem to differ, and no
    input shows it, `seeming` says so, and only the induction is left.
    """
    try:
        return _prove(pair, assumed, context_set(pair.source) if context is None else context, seeming)
    except Unprovable as reason:
        return Unknown(str(reason))
    except RecursionError:
        return Unknown("an expression is nested too deep")


def _prove(pair: Pair, assumed: Assumptions, context: Any, seeming: str) -> Equal | Difference | Unknown:
    if same_text(pair) and not any(_apart(pair)) and _reads_what_it_wrote(pair, context):
        return Equal((), context)
    try:
        return _compared(_rewritten(pair, accumulating), assumed, context, seeming)
    except Unprovable as first:
        apart = _rewritten(pair, with_places_apart)
        if (apart.source, apart.target) == (pair.source, pair.target):
            raise
        try:
            return _compared(_rewritten(apart, accumulating), assumed, context, seeming)
        except Unprovable:
            raise first from None


def _compared(pair: Pair, assumed: Assumptions, context: Any, seeming: str) -> Equal | Difference | Unknown:
    sizes = Sizes(pair.source.sizes, context)
    scops = checked(pair.source, sizes, pair.scopes), checked(pair.target, sizes, pair.scopes)
    algebra = Algebra(sizes, assumed, pair.sizes, pair.numbers)
    try:
        if seeming:
            raise Unprovable(seeming)
        return _closed(pair, algebra, scops)
    except Unprovable as first:
        return _by_induction(pair, algebra.anew(), scops, str(first))


def _rewritten(pair: Pair, change: Callable[[Program], Program]) -> Pair:
    return replace(pair, source=change(pair.source), target=change(pair.target))


def _reads_what_it_wrote(pair: Pair, context: Any) -> bool:
    """Whether the source reads no element of a memory of its own that it has not written: that has no value."""
    program = pair.source
    own = {n.array for n in walk(program.body) if isinstance(n, Load) and program.arrays[n.array].kind != "argument"}
    if not own or any(pair.scopes.get(name) for name in own):
        return not own
    scop = build(program)
    for name, access in scop.loads.items():
        if access.node.array in own:
            left = anonymous(access.domain).intersect_params(context)
            for _, dependence in dependences(scop.flow[name]):
                left = left.subtract(anonymous(dependence).domain())
            if not left.is_empty():
                return False
    return True


def _by_induction(pair: Pair, algebra: Algebra, scops: tuple[Scop, Scop], reason: str) -> Equal:
    """The proof by induction over the run of the target, else over that of the source."""
    try:
        traces = learned(pair, algebra)
    except Unprovable as none:
        raise Unprovable(f"{reason}; {none}") from None
    ways = (pair, scops, traces), (turned(pair), scops[::-1], [exchanged(t) for t in traces])
    for number, (one, flows, seen) in enumerate(ways):
        algebra = algebra.anew()
        if (shape := _other_shape(pair, algebra)) is not None:
            raise Unprovable(f"{shape.output} may differ")
        try:
            wrong = different(one, algebra, flows, seen)
        except Unprovable as second:
            reason = reason if number else f"{reason}; {second}"
            continue
        if algebra.allows(wrong):
            algebra.leave_out(wrong)
            return _equal(algebra)
        reason += "; values that correspond may differ"
    raise Unprovable(reason)


def _closed(pair: Pair, algebra: Algebra, scops: tuple[Scop, Scop]) -> Equal | Difference | Unknown:
    """The proof by closed forms; `Unprovable` if there are none.

    Where they seem to differ, function values are told apart by what they are of, and no more by where.
    """
    found = _closed_once(pair, algebra, scops)
    if algebra.has_places and not isinstance(found, Equal):
        with suppress(Unprovable):
            again = _closed_once(pair, algebra.anew(by_place=True), scops)
            return again if isinstance(again, Equal) else found
    return found


def _closed_once(pair: Pair, algebra: Algebra, scops: tuple[Scop, Scop]) -> Equal | Difference | Unknown:
    if (shape := _other_shape(pair, algebra)) is not None:
        return shape
    source, target = Flows(scops[0], algebra, "source"), Flows(scops[1], algebra, "target")
    for label, (one, other) in zip(pair.labels, pair.outputs, strict=True):
        found = witness(algebra, minus(source.contents(one), target.contents(other)))
        if found is None:
            continue
        if not algebra.allows(found.sizes):
            return _difference(label, found, pair)
        algebra.leave_out(found.sizes)
    return _equal(algebra)


def _apart(pair: Pair) -> list[list[tuple[Lin, Lin]]]:
    """Of each output the extents that are other forms of sizes in the target."""
    shapes = ((pair.source.arrays[one].shape, pair.target.arrays[other].shape) for one, other in pair.outputs)
    known = {*pair.source.sizes}
    return [[(a, b) for a, b in zip(*s, strict=False) if a != b and a.names() | b.names() <= known] for s in shapes]


def _other_shape(pair: Pair, algebra: Algebra) -> Difference | None:
    """An output whose extents differ, if the sizes at which they do may not be left out."""
    for label, apart in zip(pair.labels, _apart(pair), strict=True):
        either = ([Cond(d - const(1))] for a, b in apart for d in (a - b, b - a))
        wrong = sizes_where(pair.source, *either).intersect(algebra.sizes.context)
        if wrong.is_empty():
            continue
        if not algebra.allows(wrong):
            return Difference(f"the shape of {label}", smallest_sizes(wrong) or {})
        algebra.leave_out(wrong)
    return None


def _equal(algebra: Algebra) -> Equal:
    """Equal at all sizes but those that are left out."""
    context, known = algebra.sizes.context, (*algebra.known.values(), *algebra.assumed)
    if algebra.left_out is None:
        return Equal(known, context)
    left = context.subtract(algebra.left_out)
    return Equal((*known, condition(left, context, algebra.fixed)), left)


def condition(sizes: Any, context: Any, numbers: Mapping[str, int]) -> Assumption:
    """The condition on sizes under which both programs are equal; it holds at the `numbers` of the files.

    Where it has several cases, it is that those numbers stay as they are from which it follows.
    """
    text = condition_text(sizes, context)
    if " or " in text:
        text = " and ".join(f"{name} = {numbers[name]}" for name in _deciding(sizes, context, numbers)) or text
    return Assumption("numbers", f"sizes are such that {text}")


def _deciding(sizes: Any, context: Any, numbers: Mapping[str, int]) -> list[str]:
    """Of the numbers of the files, some that put all that is left open into a set of sizes; none if not even all do."""
    known = [context.get_dim_name(PARAM, k) for k in range(context.dim(PARAM))]
    left = [name for name in known if name in numbers]

    def decides(names: list[str]) -> bool:
        told = " and ".join(f"{name} = {numbers[name]}" for name in names) or "true"
        return bool(context.intersect(isl.Set(f"[{', '.join(known)}] -> {{ : {told} }}")).is_subset(sizes))

    if not decides(left):
        return []
    for name in reversed(left):
        if decides(fewer := [n for n in left if n != name]):
            left = fewer
    return left


def condition_text(sizes: Any, context: Any) -> str:
    """A parameter set in isl's notation, without what is known."""
    return str(sizes.gist(context).coalesce()).partition(":")[2].strip(" }")


def _difference(label: str, found: Witness, pair: Pair) -> Difference | Unknown:
    near = [isl.Set.from_basic_set(b) for b in found.sizes.get_basic_sets()]
    near = [s for s in near if holds(s, pair.sizes)] or near
    sizes = smallest_sizes(near[0])
    undefined = any("undefined" in name for name, _ in found.leaves)
    if sizes is None:
        return Unknown(f"{label} differs{', by memory that nothing has written' if undefined else ''}")
    return Difference(label, sizes)
