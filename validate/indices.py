"""Integer arithmetic on positions, as affine forms: what a tensor program says with `iota` and compares.

Position arithmetic is taken to be that of the integers: a program of which it overflows has positions that no array
of its has.
"""

from __future__ import annotations

from dataclasses import replace

from affine.expr import Lin, const
from affine.program import Compute, Guard, IndexValue, Loop, Node, Program, Scalar

_SAME = ("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.trunci")
_SIGNED = range(6)  # the predicates of `cmpi` that do not depend on a sign bit


def fold_indices(program: Program) -> Program:
    """Sums and multiples of positions as one `IndexValue`; a comparison of two as one of a difference with zero."""
    fold = _Fold(program.scalars)
    body = fold.nodes(program.body)
    return replace(program, body=body, scalars={**program.scalars, **fold.made})


class _Fold:
    def __init__(self, scalars: dict[str, Scalar]) -> None:
        self.forms: dict[str, Lin] = {}
        self.made: dict[str, Scalar] = {}
        for s in scalars.values():
            if s.literal is not None and s.element.startswith(("i", "index")) and s.element != "i1":
                self.forms[s.name] = const(int(s.literal))

    def nodes(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(x for n in nodes for x in self.node(n))

    def node(self, node: Node) -> tuple[Node, ...]:
        match node:
            case Loop() | Guard():
                return (replace(node, body=self.nodes(node.body)),)
            case IndexValue():
                self.forms[node.dst] = node.form
            case Compute():
                return self.compute(node)
        return (node,)

    def compute(self, node: Compute) -> tuple[Node, ...]:
        if node.op == "arith.cmpi" and all(a in self.forms for a in node.args):
            return self.comparison(node)
        form = self.form(node)
        if form is None or form.is_const:
            return (node,)
        self.forms[node.dst] = form
        return (IndexValue(node.dst, form, node.element, node.loc),)

    def form(self, node: Compute) -> Lin | None:
        found = [self.forms.get(a) for a in node.args]
        forms = [f for f in found if f is not None]
        if len(forms) < len(found) or node.element == "i1" or not forms:
            return None
        if node.op in _SAME:
            return forms[0]
        if node.op in ("arith.addi", "arith.subi"):
            return forms[0] + forms[1] if node.op == "arith.addi" else forms[0] - forms[1]
        if node.op == "arith.muli" and (forms[0].is_const or forms[1].is_const):
            form, factor = forms if forms[1].is_const else forms[::-1]
            return form.scaled(factor.const)
        return None

    def comparison(self, node: Compute) -> tuple[Node, ...]:
        """The difference of both sides, compared with zero."""
        left, right = (self.forms[a] for a in node.args)
        number = int(dict(node.attrs)["predicate"].split(":")[0])
        if number not in _SIGNED or (left - right).is_const:
            return (node,)
        name, zero = f"{node.dst}_d", f"{node.dst}_z"
        self.made[zero] = Scalar(zero, "index", "0")
        self.forms[zero], self.forms[name] = const(0), left - right
        return IndexValue(name, left - right, "index", node.loc), replace(node, args=(name, zero))
