"""The last resort: a whole statement as one structured operation with its own scalar body.

It is offered only after the search has found nothing, and only where the target has an operation that takes any scalar
body.
"""

from __future__ import annotations

import islpy as isl

from raising.affine.ir.affine_expr import Lin, const, var
from raising.affine.ir.program import Store
from raising.affine.ir.value_names import computes_of
from raising.affine.polyhedral.bounding_box import box_of
from raising.affine.polyhedral.scop import Access, conjunctions, params, telling_set
from raising.grammar.evaluate.evaluator import neutral_literal
from raising.grammar.terms.scalar_ops import SCALARS, SELECT, as_sum, combiners
from raising.grammar.terms.structured_op import Body, Instr, Map
from raising.grammar.terms.term import Apply, TensorType, Term, mask_of
from raising.synth.spec.loop_values import Value, agree, extents_of
from raising.synth.spec.seeds import Source


def composite(source: Source, output: TensorType) -> Term | None:
    """The computation of a part's only statement in the shape of `output`; None if it has no such form."""
    statements = list(source.scop.statements.values())
    if len(statements) != 1 or not isinstance(statements[0].write.node, Store):
        return None
    return _Composite(source, statements[0].write, statements[0].write.node, output).build()


class _Composite:
    def __init__(self, source: Source, write: Access, store: Store, output: TensorType) -> None:
        self.source, self.write, self.store, self.output = source, write, store, output
        self.computes = computes_of(source.program)
        self.args: list[Value] = []
        self.maps: list[Map] = []
        self.numbers: dict[str, int] = {}
        self.operations: list[str] = []
        self.negation: str | None = None  # of what is accumulated, where that is taken away

    def build(self) -> Term | None:
        out = self._addressed()
        if out is None:
            return None
        reduced = [iv for iv in self.write.ivs if iv not in out]
        value, op = self._split() if reduced else (self.store.value, None)
        if value is None or not self._collect(value):
            return None
        ivs = (*out, *reduced)
        extents = extents_of(self.args)
        extents |= dict(zip(out, self.output.dims, strict=True))
        if not agree(self.args, extents) or any(iv not in extents for iv in ivs):
            return None
        self.maps = [a.places(ivs) for a in self.args]
        terms = [a.term for a in self.args]
        guard = self._guard(ivs, tuple(extents[iv] for iv in ivs)) if op is not None else None
        if op is not None and guard is not None:
            terms += [guard, neutral_literal(Body(2, (Instr(op, (0, 1)),), 2), self.output.element)]
            self.maps += [tuple(range(len(ivs))), ()]
        body = self._body(len(terms) + 1, value, op, guard is not None)
        return Apply(self.output, body, (*self.maps, tuple(range(len(out)))), tuple(terms))

    def _addressed(self) -> tuple[str, ...] | None:
        """The loop variable that addresses each dimension of the output; `=k` for dimension k of one element."""
        if self.output.rank == 0:
            return ()
        names: list[str] = []
        for k, form in enumerate(self.store.subscripts):
            loops = [atom for atom, _ in form.terms if atom in self.write.ivs]
            if len(loops) == 1:  # from its first element on and by its step, as the output is cut out: tests say so
                names.append(str(loops[0]))
            elif k < self.output.rank and self.output.dims[k] == const(1):
                names.append(f"={k}")
        whole = len(names) == len(set(names)) == self.output.rank
        return tuple(names) if whole else None

    def _split(self) -> tuple[str | None, str | None]:
        """An accumulation acc ⊕ e as (e, ⊕); acc - e is acc + -e."""
        top = self.computes.get(self.store.value)
        if top is None or len(top.args) != 2:
            return None, None
        difference = as_sum(top.op)
        op, self.negation = difference or (top.op, None)
        if op not in combiners():
            return None, None
        for acc, rest in (top.args,) if difference else (top.args, top.args[::-1]):
            load = self.source.scop.loads.get(acc)
            own = load is not None and load.node.array == self.store.array
            if own and load is not None and load.node.subscripts == self.store.subscripts:
                return rest, op
        return None, None

    def _collect(self, value: str) -> bool:
        """Number the loads and scalars that a value comes from, and list its operations in order."""
        if value in self.numbers or value in self.operations:
            return True
        known = self.source.loads.get(value)
        if known is None and value in self.source.scalars:
            known = Value(self.source.scalars[value], ())
        if known is not None:
            self.numbers[value] = len(self.args)
            self.args.append(known)
            return True
        node = self.computes.get(value)
        if node is None or node.op not in SCALARS or not all(self._collect(a) for a in node.args):
            return False
        self.operations.append(value)
        return True

    def _body(self, arity: int, value: str, op: str | None, guarded: bool) -> Body:
        names = dict(self.numbers)
        instrs: list[Instr] = []
        for name in self.operations:
            node = self.computes[name]
            names[name] = arity + len(instrs)
            cast = node.element if len(node.args) == 1 and node.element != self.output.element else ""
            instrs.append(Instr(node.op, tuple(names[a] for a in node.args), node.attrs, cast))
        result = names[value]
        if self.negation is not None:
            instrs.append(Instr(self.negation, (result,)))
            result = arity + len(instrs) - 1
        if guarded:
            instrs.append(Instr(SELECT, (arity - 3, result, arity - 2)))
            result = arity + len(instrs) - 1
        if op is not None:
            instrs.append(Instr(op, (arity - 1, result)))
            result = arity + len(instrs) - 1
        return Body(arity, tuple(instrs), result)

    def _guard(self, ivs: tuple[str, ...], dims: tuple[Lin, ...]) -> Term | None:
        """The statement's domain as a mask over all loops, if it is not the whole box."""
        program, telling = self.source.program, telling_set(self.source.program)
        domain = self.write.domain.intersect_params(telling)
        box = box_of(domain, program, (1,) * len(self.write.ivs))
        if box is None:
            return None
        bounds = zip(self.write.ivs, box.low, box.high, strict=True)
        conds = " and ".join(f"{a.isl()} <= {iv} <= {b.isl()}" for iv, a, b in bounds)
        whole = isl.Set(f"{params(program)}{{ {self.write.name}[{', '.join(self.write.ivs)}] : {conds} }}")
        whole = whole.intersect_params(telling)
        if whole.is_subset(domain):
            return None
        alternatives = conjunctions(domain.gist(whole).coalesce(), self.write.ivs)
        place = {iv: var(f"d{ivs.index(iv)}") + low for iv, low in zip(self.write.ivs, box.low, strict=True)}
        return mask_of(dims, alternatives, place) if alternatives else None
