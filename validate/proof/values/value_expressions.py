"""The value of a scalar expression, as a sum of products over the iterations of its statement.

The algebra is that of the reals (of the integers modulo 2^w for integers). The meaning of an operation comes from the
one table of scalar operations (`raising.grammar.terms.scalar_ops`); an operation that is no ring operation, quotient,
root or selection is a function of which only congruence is known. `Scope` is the statement that an expression
belongs to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import Any

from raising.affine.ir.affine_expr import Floor, Lin, var
from raising.affine.ir.integer_types import wrapped
from raising.affine.ir.program import Compute, IndexValue, Load, Program, walk
from raising.grammar.terms.scalar_ops import SCALARS, predicate
from raising.support.record import dataclass
from raising.validate.normal_form.atoms import applied, inverse
from raising.validate.normal_form.cancel import ROOT, times
from raising.validate.normal_form.isl_spaces import OUT, SET, Sizes, names
from raising.validate.normal_form.min_max import chosen, extreme, items
from raising.validate.normal_form.multisets import occurring, together
from raising.validate.normal_form.sum_of_products import (
    POSITION,
    TRUTH,
    Algebra,
    Product,
    Sum,
    Unprovable,
    added,
    constant,
    leaf,
    merged,
    minus,
    pulled,
    restricted,
    scaled,
)
from raising.validate.normal_form.truth_values import (
    fits,
    is_boolean,
    is_unsigned,
    where_ordered,
    where_true,
)

NO_LEAVES: Mapping[str, str] = {}
_WIDENED = ("arith.extsi", "arith.extui")
_RESIZED = (*_WIDENED, "arith.trunci")


@dataclass(frozen=True)
class Scope:
    """What an expression is worked out over: the iterators around its statement, in order, and the points they take.

    The points are those of `domain`, or where `at` is given, {[point] → [iterators]}, what that makes of them.
    Statements in `leaves` are not followed: their values are leaves of the names given. `values` is a cache.
    """

    iterators: tuple[str, ...]
    domain: Any
    at: Any = None
    leaves: Mapping[str, str] = field(default_factory=dict)
    values: dict[str, Sum] = field(default_factory=dict)

    def outer(self, sizes: Sizes, count: int) -> Any:
        """{[point] → [the first `count` iterators]}."""
        prefix = sizes.pick(len(self.iterators), range(count))
        return (prefix if self.at is None else self.at.apply_range(prefix)).intersect_domain(self.domain)

    def on(self, domain: Any) -> Scope:
        """The same at fewer points."""
        return Scope(self.iterators, domain, self.at, self.leaves)


ENDLESS = "constant "
"""In front of the name of a leaf: a number that is not finite."""

MOST_PRODUCTS, MOST_LEAVES = 400, 24


Loads = Callable[[str, Scope], Sum]
"""The value of a load over a scope."""
InCells = Callable[[str, Scope], tuple[Sum, Any]]
"""A scalar as far as it is in cells, and the points of the scope where it is in none."""


class Expressions:
    """The scalar expressions of a program, over what it loads and over values in cells."""

    def __init__(self, program: Program, algebra: Algebra, load: Loads, in_cells: InCells) -> None:
        self.program, self.algebra, self.load, self.in_cells = program, algebra, load, in_cells
        self.nodes: dict[str, Load | Compute | IndexValue] = {
            n.dst: n for n in walk(program.body) if isinstance(n, Load | Compute | IndexValue)
        }

    def value(self, name: str, scope: Scope) -> Sum:
        """The sum that a name stands for: its cells where it is in some, and elsewhere its definition."""
        if name not in scope.values:
            value, others = self.in_cells(name, scope)
            if not others.is_empty():
                value = added(value, self.definition(name, scope.on(others) if value else scope))
            scope.values[name] = value
        return scope.values[name]

    def definition(self, name: str, scope: Scope) -> Sum:
        """The sum that a name is defined to be; `Unprovable` if it has too many terms."""
        if name in self.program.scalars:
            return self._scalar(name, scope)
        match self.nodes.get(name):
            case None:
                raise Unprovable("a value is carried past a sequential loop")
            case Load():
                value = self.load(name, scope)
            case IndexValue() as node:
                value = self._position(node, scope)
            case node:
                value = self._compute(node, scope)
        if len(value) > MOST_PRODUCTS or any(len(p.leaves) > MOST_LEAVES for p in value):
            raise Unprovable("an expression has too many terms")
        return value

    def loads(self, name: str, scope: Scope) -> set[str]:
        """The loads that the definition of a name needs over a scope."""
        loads, seen, pending = set[str](), {name}, [name]
        while pending:
            node = self.nodes.get(pending.pop())
            if isinstance(node, Load):
                loads.add(node.dst)
            elif isinstance(node, Compute):
                new = [a for a in dict.fromkeys(node.args) if a not in seen]
                seen |= set(new)
                pending += [a for a in new if not self.in_cells(a, scope)[1].is_empty()]
        return loads

    def element(self, name: str) -> str:
        """The element type of a name."""
        if name in self.program.scalars:
            return self.program.scalars[name].element
        node = self.nodes[name]
        return self.program.arrays[node.array].element if isinstance(node, Load) else node.element

    def _scalar(self, name: str, scope: Scope) -> Sum:
        scalar = self.program.scalars[name]
        if scalar.literal is None:
            mark = TRUTH if scalar.element == "i1" else ""
            return leaf(self.algebra, mark + name, self._unindexed(scope))
        number = float(scalar.literal) if scalar.element.startswith(("f", "bf")) else int(scalar.literal)
        if isinstance(number, float) and not math.isfinite(number):
            return leaf(self.algebra, f"{ENDLESS}{number}", self._unindexed(scope))
        return constant(self.algebra, Fraction(abs(number) if scalar.element == "i1" else number), scope.domain)

    def _unindexed(self, scope: Scope) -> Any:
        """{[point] → []}: the access of a leaf without indices."""
        empty = self.algebra.sizes.map(f"{{ [{names(scope.domain.dim(SET))}] -> [] }}")
        return empty.intersect_domain(scope.domain)

    def _position(self, node: IndexValue, scope: Scope) -> Sum:
        """A position as a value; of a type in which it may wrap, a function of it."""
        value = self.position(node.form, scope)
        if fits(self.algebra, value, node.element, scope.domain):
            return value
        return applied(self.algebra, f"arith.index_cast index {node.element}", [value], scope.domain)

    def position(self, form: Lin, scope: Scope) -> Sum:
        """An affine form as data: its constant, and each name and quotient as a leaf of its own."""
        result = constant(self.algebra, Fraction(form.const), scope.domain)
        for atom, factor in form.terms:
            text = (Lin(0, ((atom, 1),)) if isinstance(atom, Floor) else var(atom)).isl()
            access = self.algebra.sizes.map(f"{{ [{', '.join(scope.iterators)}] -> [{text}] }}")
            access = scope.outer(self.algebra.sizes, len(scope.iterators)).apply_range(access)
            result = added(result, scaled(leaf(self.algebra, POSITION, access), factor))
        return result

    # ---- operations ------------------------------------------------------------------------------

    def _compute(self, node: Compute, scope: Scope) -> Sum:
        scalar = SCALARS.get(node.op)
        kind = scalar.residue if scalar is not None else "opaque"
        integers = node.element == "i1" or self.element(node.args[0]) == "i1"
        if kind != "select":
            self._check_finite(kind, node, scope)
        if kind == "logic" and node.element != "i1" and self._are_truths(values := self._arguments(node, scope)):
            return _logic(self.algebra, node.op, values)
        by_order = chosen(self.algebra, self.nodes, node.dst, lambda name: self.value(name, scope))
        if by_order is not None:
            return self._extreme(by_order[0], [self.value(n, scope) for n in by_order[1]], scope)
        if kind == "select":
            return self._select(node, scope)
        if kind == "compare":
            return self._compare(node, scope)
        if integers and kind != "truth":
            return self._of_truths(node, kind, scope)
        if node.op in _RESIZED and (resized := self._resized(node, scope)) is not None:
            return resized
        values = self._arguments(node, scope)
        if kind in ("add", "sub", "mul", "div", "neg", "fma", "root", "inverse_root"):
            return self._ring(kind, values, scope)
        if kind == "same" or node.op in ("arith.sitofp", "arith.trunci"):
            return self._cast(node, values, scope)
        return self._opaque(node, values, scope)

    def _arguments(self, node: Compute, scope: Scope) -> list[Sum]:
        return [self.value(a, scope) for a in node.args]

    def _are_truths(self, values: list[Sum]) -> bool:
        return all(is_boolean(self.algebra, v) for v in values)

    def _check_finite(self, kind: str, node: Compute, scope: Scope) -> None:
        """`Unprovable` if what is no number is used, or an infinity in more than a comparison."""
        for value in (self.value(a, scope) for a in node.args):
            name = value[0].leaves[0][0] if len(value) == 1 and len(value[0].leaves) == 1 else ""
            harmless = kind in ("greater", "less", "compare") and "nan" not in name
            if name.startswith(ENDLESS) and not harmless and scope.domain.is_subset(value[0].relation.domain()):
                raise Unprovable("a calculation with a number that is not finite")

    def _ring(self, kind: str, values: list[Sum], scope: Scope) -> Sum:
        algebra, domain = self.algebra, scope.domain
        match kind:
            case "add":
                return added(values[0], values[1])
            case "sub":
                return minus(values[0], values[1])
            case "mul":
                return times(algebra, values[0], values[1])
            case "div":
                return times(algebra, values[0], inverse(algebra, values[1], domain))
            case "neg":
                return scaled(values[0], -1)
            case "fma":
                return added(times(algebra, values[0], values[1]), values[2])
        root = applied(algebra, ROOT[:-1], values, domain)
        return root if kind == "root" else inverse(algebra, root, domain)

    def _extreme(self, kind: str, values: list[Sum], scope: Scope) -> Sum:
        parts = [p for v in values for p in items(self.algebra, kind, v, scope.domain)]
        return extreme(self.algebra, kind, parts, scope.domain)

    def _opaque(self, node: Compute, values: list[Sum], scope: Scope) -> Sum:
        if node.op == "arith.xori" and node.element != "i1":
            return self._exclusive(node.element, values, scope)
        kinds = " ".join([self.element(a) for a in node.args] + [node.element, *(v for _, v in node.attrs)])
        commutes = SCALARS[node.op].residue == "logic" if node.op in SCALARS else False
        return applied(self.algebra, f"{node.op} {kinds}", values, scope.domain, commutes)

    def _exclusive(self, element: str, values: list[Sum], scope: Scope) -> Sum:
        kind = f"arith.xori {element}"
        return together(self.algebra, kind, merged(self._occurring(kind, values, scope)), scope.domain)

    def _resized(self, node: Compute, scope: Scope) -> Sum | None:
        """An integer in fewer bits, if operations on bits make it; one that was widened twice, without a sign at first.

        None for any other.
        """
        if node.op not in _WIDENED:
            bits = self._bitwise(node.args[0], node.element, scope)
            return self._before(self.value(node.args[0], scope), node.element) if bits is None else bits
        inner = self.nodes.get(node.args[0])
        if not isinstance(inner, Compute) or inner.op not in ("arith.extui", node.op):
            return None
        if self.in_cells(inner.dst, scope)[0]:
            return None
        return self._compute(replace(inner, element=node.element), scope)

    def _before(self, value: Sum, element: str) -> Sum | None:
        """What a value was before it was widened from so many bits; None for any other."""
        one = value[0] if len(value) == 1 else None
        if one is None or one.coefficient != 1 or one.unindexed or not one.relation.is_single_valued():
            return None
        atoms = [atom for atom in self.algebra.atoms if one.leaves == ((atom.name, one.relation.dim(OUT)),)]
        if len(atoms) != 1 or not atoms[0].operation.startswith(tuple(f"{op} {element} " for op in _WIDENED)):
            return None
        return pulled(atoms[0].arguments[0], one.relation)

    def _bitwise(self, name: str, element: str, scope: Scope) -> Sum | None:
        """The low bits of an operation on bits: the operation on theirs. None if a name stands for something else."""
        node = self.nodes.get(name)
        if not isinstance(node, Compute) or node.op not in SCALARS or SCALARS[node.op].residue != "logic":
            return None
        if self.in_cells(name, scope)[0]:
            return None
        values = [self._low_bits(a, element, scope) for a in node.args]
        if self._are_truths(values):
            return _logic(self.algebra, node.op, values)
        if node.op == "arith.xori":
            return self._exclusive(element, values, scope)
        return self._extreme(f"{node.op} {element}", values, scope)

    def _low_bits(self, name: str, element: str, scope: Scope) -> Sum:
        """An integer cut off to fewer bits; if it was widened from so many, it is what it was."""
        node = self.nodes.get(name)
        if isinstance(node, Compute) and node.op in _WIDENED and self.element(node.args[0]) == element:
            return self.value(node.args[0], scope)
        if (bits := self._bitwise(name, element, scope)) is not None:
            return bits
        scalar = self.program.scalars.get(name)
        if scalar is not None and scalar.literal is not None:
            return constant(self.algebra, Fraction(wrapped(int(scalar.literal), element)), scope.domain)
        value = self.value(name, scope)
        if fits(self.algebra, value, element, scope.domain):
            return value
        return applied(self.algebra, f"arith.trunci {self.element(name)} {element}", [value], scope.domain)

    def _occurring(self, kind: str, values: list[Sum], scope: Scope) -> list[Product]:
        return [p for v in values for p in occurring(self.algebra, kind, v, scope.domain)]

    def _cast(self, node: Compute, values: list[Sum], scope: Scope) -> Sum:
        """A conversion changes nothing of positions, small constants and 0 or 1, and of floats if they get wider."""
        if all(name.startswith(TRUTH) for p in values[0] for name, _ in p.leaves) and self._are_truths(values):
            return values[0]
        kept = all(fits(self.algebra, values[0], e, scope.domain) for e in (self.element(node.args[0]), node.element))
        if node.op in ("arith.extui", "arith.uitofp"):
            kept = kept and self._never_negative(values[0], scope)
        if kept or node.op == "arith.extf":
            return values[0]
        return self._opaque(node, values, scope)

    def _never_negative(self, value: Sum, scope: Scope) -> bool:
        negative = where_ordered("less", value, scope.domain)
        return negative is not None and self.algebra.sizes.void(negative)

    # ---- truth values ----------------------------------------------------------------------------

    def _of_truths(self, node: Compute, kind: str, scope: Scope) -> Sum:
        values = self._arguments(node, scope)
        known = node.op == "arith.trunci" and where_true(values[0], scope.domain) is not None  # it was 0 or 1 before
        if known or node.op in ("arith.extui", "arith.uitofp"):
            return values[0]
        if kind == "logic" and node.element == "i1":
            return _logic(self.algebra, node.op, values)
        return self._opaque(node, values, scope)

    def _select(self, node: Compute, scope: Scope) -> Sum:
        """c·(yes - no) + no; by cells where the condition is one on positions."""
        condition = self.value(node.args[0], scope)
        where = where_true(condition, scope.domain)
        if where is not None:
            yes, no = scope.on(where), scope.on(scope.domain.subtract(where))
            return added(self._restricted(node.args[1], yes), self._restricted(node.args[2], no))
        first, second = (self.value(a, scope) for a in node.args[1:])
        return added(times(self.algebra, condition, minus(first, second)), second)

    def _restricted(self, name: str, scope: Scope) -> Sum:
        return () if scope.domain.is_empty() else restricted(self.value(name, scope), scope.domain)

    def _compare(self, node: Compute, scope: Scope) -> Sum:
        """A comparison as 0 or 1: of a difference with zero; of integers, which may wrap, of both sides."""
        node, unsigned = self._before_widening(node, scope)
        comparison = predicate(node.op, node.attrs)
        values = self._arguments(node, scope)
        one = constant(self.algebra, Fraction(1), scope.domain)
        if comparison in ("true", "false"):
            return one if comparison == "true" else ()
        if comparison in ("ord", "uno"):
            return self._opaque(node, values, scope)
        if comparison in ("gt", "le"):
            values = values[::-1]
        negated = comparison in ("ge", "le", "ne")
        basic = "equal" if comparison in ("eq", "ne") else "less"
        where = self._ordered(node, unsigned, basic, values, scope)
        if where is not None:
            found = constant(self.algebra, Fraction(1), where)
        elif basic == "equal" and self._are_truths(values):
            found = minus(one, _logic(self.algebra, "arith.xori", values))
        elif node.op == "arith.cmpi":
            sign = "unsigned" if unsigned else "signed"
            kind = f"{TRUTH}{basic} {sign} {self.element(node.args[0])}"
            found = applied(self.algebra, kind, values, scope.domain, commutes=basic == "equal")
        else:
            found = applied(self.algebra, f"{TRUTH}{basic} zero", [minus(*values)], scope.domain)
        return minus(one, found) if negated else found

    def _before_widening(self, node: Compute, scope: Scope) -> tuple[Compute, bool]:
        """A comparison of integers that were widened alike as one of what they were; and whether it has no sign."""
        unsigned, made = is_unsigned(node), [self.nodes.get(a) for a in node.args]
        widened = [m for m in made if isinstance(m, Compute) and m.op in _WIDENED and self.element(m.args[0]) != "i1"]
        kinds = {(m.op, self.element(m.args[0])) for m in widened}
        if len(widened) != 2 or len(kinds) > 1 or any(self.in_cells(a, scope)[0] for a in node.args):
            return node, unsigned
        order = predicate(node.op, node.attrs) not in ("eq", "ne")
        narrow = replace(node, args=tuple(m.args[0] for m in widened))
        return narrow, order and (unsigned or widened[0].op == "arith.extui")

    def _ordered(self, node: Compute, unsigned: bool, basic: str, values: list[Sum], scope: Scope) -> Any:
        """The points where one position or constant is equal to or less than another; None if these are neither."""
        if node.op == "arith.cmpi":
            element = self.element(node.args[0])
            if not all(fits(self.algebra, v, element, scope.domain) for v in values):
                return None
            if unsigned and not all(self._never_negative(v, scope) for v in values):
                return None
        return where_ordered(basic, minus(*values), scope.domain)


def _logic(algebra: Algebra, operation: str, values: list[Sum]) -> Sum:
    """An operation on two truth values."""
    both = times(algebra, values[0], values[1])
    factor = {"arith.andi": None, "arith.ori": -1, "arith.xori": -2}[operation]
    return both if factor is None else added(added(values[0], values[1]), scaled(both, factor))
