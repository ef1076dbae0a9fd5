"""Integer arithmetic on positions, as affine forms: what a tensor program says with `iota` and comparisons.

Position arithmetic is taken to be that of the integers: a program in which it overflows has positions that none of its
arrays has. That goes for indices and integers of 32 bits or more. Narrower ones wrap, and are left alone.

Products and quotients of sizes, as `dim / heads`, which a function computes in front of its loops, are sizes of their
own. Both functions of a pair call one by what it is computed from, so a proof that holds whatever it is holds for what
it is. A difference says nothing: a run would have to know that it is no size of its own.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from typing import Any

from raising.affine.ir.affine_expr import Lin, const, var
from raising.affine.ir.integer_types import is_integer, limits, width
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Scalar, Store, walk
from raising.affine.ir.spans import Span, of_form, of_loop
from raising.frontend.mlir.loop_nest import MOST_TIMES, NestReader
from raising.frontend.mlir.ops import note_product
from raising.support.mlir.predicates import number_of
from raising.support.record import dataclass
from raising.validate.base.assumption import Assumption

_SAME = ("arith.index_cast", "arith.extsi", "arith.trunci")
_UNSIGNED = ("arith.index_castui", "arith.extui")  # the same of what is not negative
_SIGNED = range(6)  # the predicates of `cmpi` that do not depend on a sign bit


def is_wide(element: str) -> bool:
    """True for integers in which positions are taken not to overflow."""
    return is_integer(element) and width(element) >= 32


def may_overflow(factor: int, element: str) -> bool:
    """True if that multiple of a position below 2^32 may leave a type."""
    return width(element) < 64 or factor >= MOST_TIMES


def overflow(element: str) -> Assumption:
    """The assumption that no position overflows in a type."""
    return Assumption("overflow", f"positions do not overflow in {element}")


def fold_indices(
    program: Program, results: Set[str] = frozenset(), given: Mapping[str, Lin] | None = None
) -> tuple[Program, tuple[Assumption, ...]]:
    """Sums and multiples of positions as one `IndexValue`, also those kept in memory; a comparison as one with zero.

    Memory that held nothing else goes, unless it is one of `results`. `given` are the forms that scalars and memories
    of one element stand for, which nothing writes to. With it comes what that assumes.
    """
    fold = _Fold(program, given or {})
    body = fold.nodes(program.body)
    unread = fold.filled.keys() - {n.array for n in walk(body) if isinstance(n, Load)} - results
    arrays = {n: a for n, a in program.arrays.items() if n not in unread}
    program = replace(program, arrays=arrays, body=_without(body, unread), scalars={**program.scalars, **fold.made})
    return program, tuple(fold.assumed)


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
    def __init__(self, program: Program, given: Mapping[str, Lin]) -> None:
        self.program, self.given = program, given
        self.forms: dict[str, Lin] = {n: f for n, f in given.items() if n in program.scalars}
        self.made: dict[str, Scalar] = {}
        self.assumed: dict[Assumption, None] = {}
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
                if is_wide(node.element) and self.stays(node.form, node.element):
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
        if node.array in self.given and node.array not in self.writes:
            self.forms[node.dst] = self.given[node.array]
            return node
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
        if form is None or form.is_const or not self.stays(form, node.element):
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

    def stays(self, form: Lin, element: str) -> bool:
        """False if a form leaves an integer type where the loops around say what it may be."""
        found, (least, most) = of_form(form, self.spans()), limits(element)
        if found is not None and not least <= found[0] <= found[1] <= most:
            return False
        if may_overflow(sum(abs(c) for _, c in form.terms), element):
            self.assumed[overflow(element)] = None
        return True

    def spans(self) -> dict[str, Span]:
        """Between which numbers the variables of the loops around stay, where that can be seen."""
        found: dict[str, Span] = {}
        for loop in (n for n in self.around if isinstance(n, Loop)):
            if (span := of_loop(loop.lower, loop.upper, found)) is not None:
                found[loop.iv] = span
        return found

    def never_negative(self, form: Lin) -> bool:
        """True if a form has sizes and iterators that count up from 0 or more, and nothing that makes it less."""
        known = {str(c.form) for c in self.program.context if c.form.as_offset() == (str(c.form), 0)}
        for loop in (n for n in self.around if isinstance(n, Loop)):
            if any(f.is_const and f.const >= 0 for f in loop.lower):
                known.add(loop.iv)
        return form.const >= 0 and all(c > 0 and isinstance(a, str) and a in known for a, c in form.terms)

    def comparison(self, node: Compute) -> tuple[Node, ...]:
        """The difference of both sides, compared with zero."""
        left, right = (self.forms[a] for a in node.args)
        number = number_of(node.attrs)
        if number not in _SIGNED or (left - right).is_const:
            return (node,)
        name, zero = f"{node.dst}_d", f"{node.dst}_z"
        self.made[zero] = Scalar(zero, "index", "0")
        self.forms[zero], self.forms[name] = const(0), left - right
        return IndexValue(name, left - right, "index", node.loc), replace(node, args=(name, zero))


# ---- products and quotients of sizes --------------------------------------------------------------

_AFFINE_BY_NUMBERS = ("arith.muli", "arith.floordivsi")
_COMMUTE = ("arith.muli", "arith.maxui")
_NAMED = (*_COMMUTE, "arith.divsi", "arith.divui", "arith.floordivsi", "arith.remsi", "arith.remui")


class NamedSizes:
    """Reads operations, and (where `wanted`) names what is not affine; `made` is how each is computed, in order."""

    def __init__(self, read: Callable[[NestReader, Any], None], wanted: bool) -> None:
        self._read, self._wanted = read, wanted
        self.made: dict[str, tuple[str, tuple[Lin, ...]]] = {}

    def afresh(self) -> NamedSizes:
        """The same, with nothing read so far."""
        self.made.clear()
        return self

    def __call__(self, r: NestReader, op: Any) -> None:
        """Read one operation."""
        if (
            not self._wanted
            or op.name not in _NAMED
            or str(op.results[0].type) != "index"
            or op.parent.name != "func.func"
        ):
            return self._read(r, op)
        forms = [r.index.get(v) for v in op.operands]
        known = [form for form in forms if isinstance(form, Lin)]
        affine = op.name in _AFFINE_BY_NUMBERS and any(form.is_const for form in known)
        if len(known) < len(forms) or affine:
            return self._read(r, op)
        note_product(r, op)
        name = r.fresh("q")
        r.values[name] = op.results[0]
        r.index[op.results[0]] = var(name)
        self.made[name] = op.name, tuple(known)
        return None

    def names(self, given: Mapping[str, str]) -> dict[str, str]:
        """A name for each that says how it is computed, where sizes have the `given` names."""
        found = dict(given)
        for name, (operation, forms) in self.made.items():
            texts = [str(form.substitute(lambda n: var(found.get(n, n)))) for form in forms]
            text = f"{operation} {', '.join(sorted(texts) if operation in _COMMUTE else texts)}"
            found[name] = f"q{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        return found
