"""Legalisation: a program rewritten until some operation of the target says each node.

Nothing here knows a target. A node that cannot be said is taken apart by the laws of structured computations: a scalar
body into its operations, a read by a map into a copy, a result in another order into a transposition, a contraction
into a product and a reduction, a start value into one more combination, a mask into comparisons of positions.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.grammar.evaluate.evaluator import neutral_literal
from raising.grammar.select.match import reordered
from raising.grammar.select.positions import is_axis, mask, position
from raising.grammar.select.selector import CannotSay, Selector, describe, scalar_type
from raising.grammar.terms.literal import exact
from raising.grammar.terms.pointwise import box_conditions, filled, is_constant, pointwise
from raising.grammar.terms.scalar_ops import SELECT
from raising.grammar.terms.simplify import read_through
from raising.grammar.terms.structured_op import (
    COPY,
    Body,
    Instr,
    Map,
    combiner,
    dims_of,
    is_projection,
    renamed,
    scalar_part,
)
from raising.grammar.terms.term import (
    Apply,
    Either,
    Insert,
    Literal,
    Mask,
    Position,
    Recur,
    TensorType,
    Term,
    Undefined,
    nodes,
    rebuild,
)


def legalised(roots: tuple[Term, ...], selector: Selector, sizes: Mapping[str, Lin]) -> tuple[Term, ...]:
    """Equal programs of sayable nodes, at constant `sizes`; `CannotSay` names what the target lacks."""
    if selector.target.general:
        return roots
    legaliser = _Legaliser(selector, sizes)
    return tuple(legaliser(root) for root in roots)


class _Legaliser:
    def __init__(self, selector: Selector, sizes: Mapping[str, Lin]) -> None:
        self.selector, self.sizes = selector, sizes
        self.done: dict[bytes, Term] = {}
        self.open: set[bytes] = set()  # what is being rewritten: one of them again would never end

    def __call__(self, root: Term) -> Term:
        for node in nodes((root,)):
            if node.digest not in self.done:
                operands = tuple(self.done[o.digest] for o in node.operands)
                self.done[node.digest] = self._node(rebuild(node, operands))
        return self.done[root.digest]

    def _node(self, term: Term) -> Term:
        match term:
            case Apply():
                return self._apply(term)
            case Mask():
                return self(mask(term))
            case Insert() if not self._is_said(term):
                return self(self._insert(term))
            case Either():
                return self._either(term)
            case Recur():
                return self._recur(term)
            case Position() if not is_axis(term.form):
                return self(position(term, self.sizes))
            case _:
                return term

    def _apply(self, term: Apply) -> Term:
        term = read_through(term, lambda copy: not self.selector.candidates(copy))
        if term.digest in self.open:
            raise self._unsayable(term)
        self.open.add(term.digest)
        try:
            return self._rewritten(term)
        finally:
            self.open.discard(term.digest)

    def _rewritten(self, term: Apply) -> Term:
        for rewrite in (
            self._without_start,
            self._said,
            self._exchanged,
            self._permuted,
            self._split_body,
            self._diagonal,
            self._separated,
            self._aligned,
        ):
            found = rewrite(term)
            if found is not None:
                return found
        if not term.body.instrs and is_projection(term.maps[0]):
            return term  # a copy that is not sayable alone: its users may read by its map
        raise self._unsayable(term)

    def _unsayable(self, term: Apply) -> CannotSay:
        return CannotSay(f"target '{self.selector.target.name}' has no operation for {describe(term)}")

    # ---- rewrites, each a term or None -----------------------------------------------------------

    def _said(self, term: Apply) -> Term | None:
        return term if self.selector.candidates(term) else None

    def _exchanged(self, term: Apply) -> Term | None:
        """A body that takes its inputs in another order than the target's operations do."""
        count = len(term.inputs)
        for order in itertools.islice(itertools.permutations(range(count)), 1, 6):
            other = reordered(term, order)
            if self.selector.candidates(other):
                return other
        return None

    def _without_start(self, term: Apply) -> Term | None:
        """An accumulation from a start value is a combination with it."""
        if term.init is None:
            return None
        op = combiner(term.body)
        assert op is not None
        identity = tuple(range(term.type.rank))
        alone = self._apply(Apply(term.type, term.body, term.maps, term.inputs))
        if _number(term.init) == exact(neutral_literal(term.body, term.type.element).text):
            return alone
        body = Body(3, (Instr(op, (0, 1)),), 3)
        return self._apply(Apply(term.type, body, (identity,) * 3, (term.init, alone)))

    def _split_body(self, term: Apply) -> Term | None:
        """A body of several operations becomes one computation each; the last one combines."""
        inner, op = scalar_part(term.body)
        if len(inner.instrs) < 2:
            return None
        rank = len(term.extents())
        whole = tuple(range(rank))
        values: list[Term] = list(term.inputs)
        maps: list[Map] = list(term.maps[:-1])
        values.append(term)  # the old output; never read below
        maps.append(())
        last = term.body.arity + len(term.body.instrs) - 1
        for k, instr in enumerate(term.body.instrs):
            if op is not None and term.body.arity + k == term.body.result:
                rest = next(a for a in instr.args if a != term.body.arity - 1)
                body = Body(2, (Instr(op, (0, 1)),), 2)
                return self._apply(Apply(term.type, body, (maps[rest], term.maps[-1]), (values[rest],)))
            element = scalar_type(instr, [values[a].type.element for a in instr.args], term.type.element)
            final = op is None and term.body.arity + k == last == term.body.result
            out = term.maps[-1] if final else whole
            kind = term.type if final else TensorType(element, term.extents())
            body = Body(
                len(instr.args) + 1,
                (Instr(instr.op, tuple(range(len(instr.args))), instr.attrs),),
                len(instr.args) + 1,
            )
            inputs = tuple(values[a] for a in instr.args)
            values.append(self._apply(Apply(kind, body, (*(maps[a] for a in instr.args), out), inputs)))
            maps.append(whole)
        return None

    def _permuted(self, term: Apply) -> Term | None:
        """A result whose dimensions the target orders otherwise is transposed."""
        rank = term.type.rank
        if not term.body.reads_output:
            return None
        for order in itertools.permutations(range(rank)):
            if order == tuple(range(rank)):
                continue
            out = tuple(term.maps[-1][k] for k in order)
            kind = TensorType(term.type.element, tuple(term.type.dims[k] for k in order))
            inner = Apply(kind, term.body, (*term.maps[:-1], out), term.inputs)
            if self.selector.candidates(inner):
                return self._apply(Apply(term.type, COPY, (order, tuple(range(rank))), (inner,)))
        return None

    def _diagonal(self, term: Apply) -> Term | None:
        """A read of a diagonal: everything else set to zero, and summed along the repeated dimension."""
        if term.body.instrs or is_projection(term.maps[0]) or not all(isinstance(e, int) for e in term.maps[0]):
            return None
        source = term.inputs[0]
        positions = list(term.maps[0])
        first = [positions.index(e) for e in positions]
        conds = tuple(Cond(var(f"d{k}") - var(f"d{f}"), True) for k, f in enumerate(first) if k != f)
        mask = Mask(TensorType("i1", source.type.dims), (conds,))
        zero = filled(source.type, "0")
        alone = pointwise(SELECT, (mask, source, zero), source.type)
        add = "arith.addi" if term.type.element.startswith("i") else "arith.addf"
        kept = tuple(k for k, f in enumerate(first) if k == f)
        out = tuple(kept[[positions[k] for k in kept].index(e)] for e in term.maps[1])
        body = Body(2, (Instr(add, (0, 1)),), 2)
        return self(Apply(term.type, body, (tuple(range(len(positions))), out), (alone,)))

    def _separated(self, term: Apply) -> Term | None:
        """A reduction of operands in another order, or of several: computed in full, then reduced."""
        op = combiner(term.body)
        if op is None:
            return None
        kept = term.maps[-1]
        order = [*dims_of(kept), *(d for d in range(len(term.extents())) if d not in kept)]
        extents = term.extents()
        kind = TensorType(term.inputs[0].type.element, tuple(extents[d] for d in order))
        if len(term.inputs) != 1 or renamed(term.maps[0], order) == tuple(range(len(order))):
            return None
        full = self._apply(Apply(kind, COPY, (term.maps[0], tuple(order)), term.inputs))
        return self._apply(Apply(term.type, term.body, (tuple(order), kept), (full,)))

    def _aligned(self, term: Apply) -> Term | None:
        """Operands read by maps are copied to the shape of the result first."""
        out = term.maps[-1]
        if term.body.reads_output or not term.body.instrs or all(m == out for m in term.maps):
            return None
        inputs = tuple(self._copied(t, m, term) for t, m in zip(term.inputs, term.maps[:-1], strict=True))
        return self._apply(Apply(term.type, term.body, (out,) * len(term.maps), inputs))

    def _copied(self, operand: Term, m: Map, user: Apply) -> Term:
        out = user.maps[-1]
        if m == out:
            return operand
        if not is_projection(m):
            distinct = dims_of(m)
            if not all(isinstance(e, int) for e in m):
                raise CannotSay(f"target '{self.selector.target.name}' has no operation that reads by {m}")
            extents = user.extents()
            kind = TensorType(operand.type.element, tuple(extents[d] for d in distinct))
            diagonal = Apply(kind, COPY, (renamed(m, distinct), tuple(range(len(distinct)))), (operand,))
            return self._copied(self._apply(diagonal), distinct, user)
        kind = TensorType(operand.type.element, user.type.dims)
        return self._apply(Apply(kind, COPY, (m, out), (operand,)))

    # ---- boxes -----------------------------------------------------------------------------------

    def _insert(self, term: Insert) -> Term:
        """A piece in another tensor: the piece in a constant one, chosen where it is."""
        truth = TensorType("i1", term.type.dims)
        inside = filled(TensorType("i1", term.piece.type.dims), "1")
        where: Term = Insert(truth, filled(truth, "0"), inside, term.offsets, term.kept, term.strides)
        if all(s == 1 for s in term.strides):
            where = Mask(truth, (box_conditions(term),))
        piece = Insert(term.type, Undefined(term.type), term.piece, term.offsets, term.kept, term.strides)
        return pointwise(SELECT, (where, piece, term.into), term.type)

    def _is_said(self, term: Insert) -> bool:
        """True for a box in a tensor of one value, and where the target has an operation for any place."""
        return is_constant(term.into) or (bool(self.selector.target.place) and all(s == 1 for s in term.strides))

    # ---- loops -----------------------------------------------------------------------------------

    def _recur(self, term: Recur) -> Term:
        if not self.selector.target.loop:
            raise CannotSay(f"target '{self.selector.target.name}' has no loops")
        step = term.step
        inside = _Legaliser(self.selector, {**self.sizes, step.iv: var(step.iv)})
        return replace(term, step=replace(step, results=tuple(inside(r) for r in step.results)))

    def _either(self, term: Either) -> Term:
        """A choice by sizes; by a mask without dimensions where loops that stay have a part in it."""
        if all(c.form.substitute(self.sizes.get).is_const for c in term.conds):
            return term.yes if all(self._holds(c) for c in term.conds) else term.no
        kind = term.type
        everywhere = Mask(TensorType("i1", kind.dims), (term.conds,))
        return self(pointwise(SELECT, (everywhere, term.yes, term.no), kind))

    def _holds(self, cond: Cond) -> bool:
        value = cond.form.substitute(self.sizes.get)
        if not value.is_const:
            raise CannotSay("a choice by sizes that are not constant")
        return value.const == 0 if cond.equality else value.const >= 0


def _number(term: Term) -> object:
    """The number that a tensor has everywhere; None if it is not one constant."""
    if isinstance(term, Apply) and is_constant(term):
        (term,) = term.inputs
    return exact(term.text) if isinstance(term, Literal) else None
