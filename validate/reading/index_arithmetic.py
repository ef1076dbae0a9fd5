"""Integer arithmetic on positions, as affine forms: what a tensor program says with `iota` and comparisons.

Position arithmetic is taken to be that of the integers: a program in which it overflows has positions that none of its
arrays has. That goes for indices and integers of 32 bits or more. Narrower ones wrap, and are left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import replace

from raising.affine.ir.affine_expr import Lin, const
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Scalar, Store, walk
from raising.support.record import dataclass

_SAME = ("arith.index_cast", "arith.extsi", "arith.trunci")
_UNSIGNED = ("arith.index_castui", "arith.extui")  # the same of what is not negative
_SIGNED = range(6)  # the predicates of `cmpi` that do not depend on a sign bit


def is_wide(element: str) -> bool:
    """True for integers in which positions are taken not to overflow."""
    return element == "index" or (element.startswith("i") and int(element[1:]) >= 32)


def fold_indices(program: Program, results: Set[str] = frozenset()) -> Program:
    """Sums and multiples of positions as one `IndexValue`, also those kept in memory; a comparison as one with zero.

    Memory that held nothing else goes, unless it is one of `results`.
    """
    fold = _Fold(program)
    body = fold.nodes(program.body)
    unread = fold.filled.keys() - {n.array for n in walk(body) if isinstance(n, Load)} - results
    arrays = {n: a for n, a in program.arrays.items() if n not in unread}
    return replace(program, arrays=arrays, body=_without(body, unread), scalars={**program.scalars, **fold.made})


def _without(nodes: tuple[Node, ...], arrays: Set[str]) -> tuple[Node, ...]:
    """Nodes without stores to these arrays, and without loops that are left with no access."""
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop | Guard):
            body = _without(node.body, arrays)
            if body == node.body or any(isinstance(n, Load | Store) for n in walk(body)):
                found.append(replace(node, body=body))
        elif not (isinstance(node, Store) and node.array in arrays):
            found.append(node)
    return tuple(found)


@dataclass(frozen=True)
class _Filled:
    """An array of positions: the form of an element over iterators that are its indices, and the nodes around."""

    iterators: tuple[str, ...]
    form: Lin
    outer: list[Node]


class _Fold:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.forms: dict[str, Lin] = {}
        self.made: dict[str, Scalar] = {}
        self.filled: dict[str, _Filled] = {}
        self.around: list[Node] = []
        self.writes = Counter(s.array for s in program.stores())
        for s in program.scalars.values():
            if s.literal is not None and is_wide(s.element):
                self.forms[s.name] = const(int(s.literal))

    def nodes(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(x for n in nodes for x in self.node(n))

    def node(self, node: Node) -> tuple[Node, ...]:
        match node:
            case Loop() | Guard():
                self.around.append(node)
                body = self.nodes(node.body)
                self.around.pop()
                return (replace(node, body=body),)
            case IndexValue():
                if is_wide(node.element):
                    self.forms[node.dst] = node.form
            case Load():
                return (self.load(node),)
            case Store():
                self.store(node)
            case Compute():
                return self.compute(node)
        return (node,)

    # ---- positions in memory ---------------------------------------------------------------------

    def store(self, node: Store) -> None:
        """Note an array that is filled with positions, each element once and by nothing else."""
        form, array = self.forms.get(node.value), self.program.arrays[node.array]
        loops = {n.iv: n for n in self.around if isinstance(n, Loop)}
        over = [f.as_offset() for f in node.subscripts]
        names = [o[0] for o in over if o is not None and o[1] == 0 and o[0] in loops]
        whole = len(set(names)) == len(over) and all(
            loops[n].lower == (const(0),) and loops[n].upper == (extent,) and loops[n].step == 1
            for n, extent in zip(names, array.shape, strict=False)
        )
        if form is not None and array.kind == "local" and whole and self.writes[node.array] == 1:
            outer = [n for n in self.around if not (isinstance(n, Loop) and n.iv in names)]
            self.filled[node.array] = _Filled(tuple(names), form, outer)

    def load(self, node: Load) -> Node:
        """A read of such an array, once it is full, as the position; a number stays data, as it is no extent."""
        filled = self.filled.get(node.array)
        loops = {n.iv for n in self.around if isinstance(n, Loop)}
        if filled is None or loops & set(filled.iterators):
            return node
        if not all(any(n is m for m in self.around) for n in filled.outer):
            return node
        at = dict(zip(filled.iterators, node.subscripts, strict=True))
        self.forms[node.dst] = form = filled.form.substitute(at.get)
        return node if form.is_const else IndexValue(node.dst, form, self.program.arrays[node.array].element, node.loc)

    # ---- arithmetic ------------------------------------------------------------------------------

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
        if len(forms) < len(found) or not is_wide(node.element) or not forms:
            return None
        if node.op in _SAME or (node.op in _UNSIGNED and self.never_negative(forms[0])):
            return forms[0]
        if node.op in ("arith.addi", "arith.subi"):
            return forms[0] + forms[1] if node.op == "arith.addi" else forms[0] - forms[1]
        if node.op == "arith.muli" and (forms[0].is_const or forms[1].is_const):
            form, factor = forms if forms[1].is_const else forms[::-1]
            return form.scaled(factor.const)
        return None

    def never_negative(self, form: Lin) -> bool:
        """True if a form has sizes and iterators that count up from 0 or more, and nothing that makes it less."""
        known = set(self.program.sizes)
        for loop in (n for n in self.around if isinstance(n, Loop)):
            if any(f.is_const and f.const >= 0 for f in loop.lower):
                known.add(loop.iv)
        return form.const >= 0 and all(c > 0 and isinstance(a, str) and a in known for a, c in form.terms)

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
