"""The loops that store a position in front of the nest that uses it: what it is computed from, once more.

before  for i < n: %4 = b[i]; %5 = %4 & 7; %6 = x[%5]          the position %5 is wanted in `at`
after   for i_ < n: %7 = b[i_]; %8 = %7 & 7; at[i_] = %8       and what was there stays
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.module import AtData
from raising.frontend.lower.ir.nodes import WIDENING, map_forms
from raising.frontend.lower.ir.polynomial import MARK, Atom, Mono, Poly, values_in, var
from raising.frontend.lower.ir.types import LONG, Number
from raising.support.record import dataclass
from raising.support.source import Loc

_CAST = re.compile(r"arith\.index_cast(ui)? \{0\} : (i\d+) to index")
Steps = tuple[tuple[tp.Node, int], ...]
"""The nodes around one, outermost first, each with the number of a body."""


@dataclass(frozen=True)
class Definition:
    """The definition of a value: its node, and the nodes around it."""

    node: tp.Let | tp.IndexOf | tp.Read
    around: Steps

    def depth(self, outer: tp.Node) -> int | None:
        """How many nodes are around another one that is around this; None if it is not."""
        return next((k for k, (node, _) in enumerate(self.around) if node is outer), None)


@dataclass(frozen=True)
class Position:
    """A position, and what is needed for it.

    `branches` on data have to be taken, each with its side; `values` are what it comes from, in the order of the text;
    the loops and branches `around` it are repeated.
    """

    form: Poly
    branches: tuple[tuple[int, bool], ...]
    values: tuple[Definition, ...]
    around: Steps
    loc: Loc

    @property
    def loops(self) -> list[tp.For]:
        """The loops that are repeated."""
        return [node for node, _ in self.around if isinstance(node, tp.For)]

    @property
    def value(self) -> int | None:
        """The one value that it is, whatever branches are taken; None if there is none."""
        numbers = values_in(self.form)
        plain = len(numbers) == 1 and self.form == var(f"{MARK}{numbers[0]}") and not self.branches
        return numbers[0] if plain else None


class PositionLoops:
    """The loops that store a position: the values that it needs once more, with numbers of their own."""

    def __init__(
        self,
        fresh: tp.Fresh,
        definitions: Mapping[int, Definition],
        free: frozenset[str],
        position: Position,
        element: Number = LONG,
    ) -> None:
        self.fresh, self.definitions, self.free, self.position = fresh, definitions, free, position
        self.element = element
        self.counters = {loop.iv: var(fresh.name(f"{loop.iv}_")) for loop in position.loops}
        self.values: dict[int, int] = {}

    def storing(self, array: str, subscripts: tuple[Poly, ...], outer: int = 0) -> list[tp.Node]:
        """The loops inside of the `outer` ones, with the values that are known there, and the innermost store."""
        if outer == len(self.position.around):
            out = self._known(None)
            value = self._chosen(self._total(out), out) if self.element == LONG else self._narrowed(out)
            return [*out, tp.Write(array, tuple(map(self._form, subscripts)), value, self.position.loc)]
        node, side = self.position.around[outer]
        before = self._known(node)
        inside = tuple(self.storing(array, subscripts, outer + 1))
        if isinstance(node, tp.For):
            new: tp.Node = replace(node, iv=str(self._form(var(node.iv))), body=inside)
        else:
            assert isinstance(node, tp.If)
            new = replace(node, then=inside if side == 0 else (), orelse=() if side == 0 else inside)
        return [*before, map_forms(new, self._form)]

    def _known(self, until: tp.Node | None) -> list[tp.Node]:
        """The values that are known outside of a node and were not made yet; all others if there is none."""
        return [
            self._again(definition.node)
            for definition in self.position.values
            if definition.node.dst not in self.values and (until is None or definition.depth(until) is None)
        ]

    def _again(self, node: tp.Let | tp.IndexOf | tp.Read) -> tp.Node:
        new = map_forms(node, self._form)
        assert isinstance(new, tp.Let | tp.IndexOf | tp.Read)
        if isinstance(new, tp.Let):
            new = replace(new, args=tuple(self._value(a) for a in new.args))
        self.values[node.dst] = self.fresh.number()
        return replace(new, dst=self.values[node.dst])

    def _value(self, value: int) -> int:
        return self.values.get(value, value)

    def _form(self, form: Poly) -> Poly:
        again = {f"{MARK}{k}": var(f"{MARK}{self._value(k)}") for k in values_in(form)}
        return form.substitute(self.counters | again)

    # ---- the position as a number of 64 bits ---------------------------------------------------------

    def _total(self, out: list[tp.Node]) -> int:
        """The sum of a form's terms: what is affine at once, products by multiplications."""
        terms = self.position.form.terms
        plain = tuple(term for term in terms if not values_in(Poly((term,))) and Poly((term,)).is_affine(self.free))
        total = self._index(Poly(plain), out) if plain else None
        for term in terms:
            if term not in plain:
                product = self._product(term, out)
                total = product if total is None else self._operation("addi", total, product, out)
        return self._constant(0, out) if total is None else total

    def _narrowed(self, out: list[tp.Node]) -> int:
        """The one value of a position in fewer bits, from before it was given more."""
        value, text, kind = self.position.value, "", self.element.mlir
        assert value is not None
        while isinstance(let := self.definitions[value].node, tp.Let) and let.text.startswith(WIDENING):
            value, text = let.args[0], let.text
        wide = text.partition(" : ")[2].partition(" to ")[0]
        number = self._value(value)
        return number if wide == kind else self._let(f"arith.trunci {{0}} : {wide} to {kind}", (number,), out, kind)

    def _product(self, term: tuple[Mono, int], out: list[tp.Node]) -> int:
        mono, c = term
        factors = [self._factor(atom, out) for atom in mono] + ([self._constant(c, out)] if c != 1 else [])
        product, *rest = factors
        for factor in rest:
            product = self._operation("muli", product, factor, out)
        return product

    def _factor(self, atom: Atom, out: list[tp.Node]) -> int:
        if not isinstance(atom, str) or not atom.startswith(MARK):
            return self._index(var(atom), out)
        definition = self.definitions.get(int(atom[len(MARK) :]))
        let = definition.node if definition is not None and isinstance(definition.node, tp.Let) else None
        cast = None if let is None else _CAST.match(let.text)
        if let is None or cast is None:
            raise AtData(self.position.loc)
        value, kind = self._value(let.args[0]), cast[2]
        extension = f"arith.ext{'ui' if cast[1] else 'si'} {{0}} : {kind} to i64"
        return value if kind == "i64" else self._let(extension, (value,), out)

    def _chosen(self, value: int, out: list[tp.Node]) -> int:
        """The position where all branches are taken, else 0."""
        for cond, taken in self.position.branches:
            zero = self._constant(0, out)
            sides = (value, zero) if taken else (zero, value)
            value = self._let("arith.select {0}, {1}, {2} : i64", (self._value(cond), *sides), out)
        return value

    def _index(self, form: Poly, out: list[tp.Node]) -> int:
        if form.constant is not None:
            return self._constant(form.constant, out)
        number = self.fresh.number()
        out.append(tp.IndexOf(number, self._form(form), "i64", self.position.loc))
        return number

    def _constant(self, value: int, out: list[tp.Node]) -> int:
        return self._let(f"arith.constant {value} : i64", (), out)

    def _operation(self, name: str, left: int, right: int, out: list[tp.Node]) -> int:
        return self._let(f"arith.{name} {{0}}, {{1}} : i64", (left, right), out)

    def _let(self, text: str, args: tuple[int, ...], out: list[tp.Node], kind: str = "i64") -> int:
        number = self.fresh.number()
        out.append(tp.Let(number, text, args, kind, self.position.loc))
        return number
