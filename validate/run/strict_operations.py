"""Whether two runs do the same floating-point operations in the same order.

Each value is the tree of operations it comes from, shared where it is the same (hash-consing); known integers are
computed. Equal trees give equal bits for every input.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raising.affine.ir.integer_types import is_integer
from raising.affine.ir.interpreter import Arithmetic
from raising.affine.ir.program import Compute
from raising.support.mlir.predicates import number_of
from raising.validate.arithmetic import integers
from raising.validate.arithmetic.exact import literal
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.run import Leaf, output_elements, run_both
from raising.validate.run.strict_integers import Sums, Terms

_COMMUTE = frozenset(
    f"arith.{n}" for n in ("addf", "mulf", "maximumf", "minimumf", "addi", "muli", "andi", "ori", "xori")
)
_SUMS = frozenset(f"arith.{n}" for n in ("addi", "subi", "muli", "select", "extui"))
_NEVER_MINUS_ZERO = frozenset(("arith.sitofp", "arith.uitofp", "math.absf"))

_NO, _YES = False, True
_FLOATS = {
    **{0: ("true", _NO, _YES), 1: ("oeq", _NO, _NO), 2: ("olt", _YES, _NO), 3: ("ole", _YES, _NO)},
    **{4: ("olt", _NO, _NO), 5: ("ole", _NO, _NO), 6: ("one", _NO, _NO), 7: ("ord", _NO, _NO)},
    **{8: ("one", _NO, _YES), 9: ("ole", _NO, _YES), 10: ("olt", _NO, _YES), 11: ("ole", _YES, _YES)},
    **{12: ("olt", _YES, _YES), 13: ("oeq", _NO, _YES), 14: ("ord", _NO, _YES), 15: ("true", _NO, _NO)},
}
"""Predicates of `arith.cmpf`, each by one of few: its name, are operands exchanged, and is it the opposite."""
_INTEGERS = {
    **{0: ("eq", _NO, _NO), 1: ("eq", _NO, _YES), 2: ("slt", _NO, _NO), 3: ("slt", _YES, _YES), 4: ("slt", _YES, _NO)},
    **{
        5: ("slt", _NO, _YES),
        6: ("ult", _NO, _NO),
        7: ("ult", _YES, _YES),
        8: ("ult", _YES, _NO),
        9: ("ult", _NO, _YES),
    },
}
_EITHER_WAY = frozenset(("oeq", "one", "ord", "eq"))


class _Trees:
    """Numbers for trees: equal numbers are equal trees."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._literals: dict[tuple[str, str], int] = {}
        self._known: dict[int, int] = {}
        self._opposites: dict[int, int] = {}
        self._negative: set[int] = set()
        self._minus: dict[int, int] = {}
        self._sums = Sums()
        self._added: dict[int, tuple[int, int, Any]] = {}
        self._chosen: dict[int, tuple[Sequence[int], Any, Sequence[str], str]] = {}
        self._not_minus_zero: set[int] = set()

    def tree(self, *key: Any) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def leaf(self, leaf: Leaf) -> int:
        return self.tree("leaf", leaf)

    def literal(self, value: Any, element: str) -> int:
        text = str(value), element
        if text not in self._literals:
            self._literals[text] = self._literal(value, element)
        return self._literals[text]

    def _literal(self, value: Any, element: str) -> int:
        number, negative = literal(value, element), str(value)[:1] == "-"
        if is_integer(element):
            tree = self.tree("literal", element, number)
            self._known[tree] = number
            return tree
        tree = self.tree("literal", element, number, negative)
        if not negative:
            self._not_minus_zero.add(tree)
        return tree

    def arithmetic(self, elements: Mapping[str, str]) -> Arithmetic[int]:
        def compute(node: Compute, args: Sequence[int]) -> int:
            return self.compute(node, args, [elements[a] for a in node.args])

        return Arithmetic(compute, self.literal)

    def compute(self, node: Compute, args: Sequence[int], elements: Sequence[str]) -> int:
        known = [self._known.get(a) for a in args]
        if node.op == "arith.select" and known[0] is not None:
            return args[1] if known[0] else args[2]
        if node.op in ("arith.cmpf", "arith.cmpi") and None in known:
            return self._comparison(node, args, elements[0])
        if is_integer(node.element) and (found := self._integer(node, args, elements)) is not None:
            return found
        if node.op == "arith.select" and args[0] in self._negative:
            args = [self._opposites[args[0]], args[2], args[1]]
        if (found := self._float(node, args, elements)) is not None:
            return found
        args = sorted(args) if node.op in _COMMUTE else args
        found = self.tree(node.op, tuple(args), node.attrs, tuple(elements), node.element)
        if node.op in _NEVER_MINUS_ZERO:
            self._not_minus_zero.add(found)
        return found

    def _integer(self, node: Compute, args: Sequence[int], elements: Sequence[str]) -> int | None:
        """An integer that is known, a sum, or the opposite of a truth value; None of any other."""
        known = [self._known.get(a) for a in args]
        if None not in known and all(map(is_integer, elements)):
            return self.literal(_folded(node, [k for k in known if k is not None], elements), node.element)
        if node.element == "i1":
            opposite = node.op == "arith.xori" and 1 in known
            return self._opposite(args[known[0] == 1]) if opposite else None
        return self._sum(node, args, elements) if node.op in _SUMS else None

    def _float(self, node: Compute, args: Sequence[int], elements: Sequence[str]) -> int | None:
        """A sum of floats, an opposite or a selection; None of any other."""
        match node.op:
            case "arith.negf":
                return self._negated(args[0])
            case "arith.subf":  # a - b is a + -b, to the bit
                return self._plus(args[0], self._negated(args[1]), node.attrs, node.element)
            case "arith.addf":
                return self._plus(args[0], args[1], node.attrs, node.element)
            case "arith.select" if not is_integer(node.element):
                return self._select(node, args, elements)
        return None

    def _sum(self, node: Compute, args: Sequence[int], elements: Sequence[str]) -> int | None:
        """An integer as a sum; None of what is none."""
        if node.op == "arith.extui" and elements[0] != "i1":
            return None
        terms = [self._terms(a, e) for a, e in zip(args, elements, strict=True)]
        found = self._sums.computed(node.op, terms, node.element)
        if found is None:
            return None
        if not found or list(found) == [()]:
            return self.literal(found.get((), 0), node.element)
        return self._sums.tree(found, node.element, self.tree)

    def _terms(self, tree: int, element: str) -> Terms:
        if element != "i1":
            return self._sums.terms(tree, self._known.get(tree))
        opposite = self._opposites[tree] if tree in self._negative else None
        return self._sums.truth(tree, opposite, self._known.get(tree))

    def _plus(self, one: int, other: int, attrs: Any, element: str) -> int:
        """A sum of floats. One with -0.0 is the other; with 0.0 too, unless that is -0.0."""
        for a, b in ((one, other), (other, one)):
            nothing = self._nothing(b, element) if a in self._not_minus_zero else b
            if nothing == self.literal("-0.0", element):
                return a
            one, other = (a, nothing) if nothing != b else (one, other)
        found = self.tree("arith.addf", tuple(sorted((one, other))), attrs, element)
        self._added[found] = (one, other, attrs)
        if one in self._not_minus_zero or other in self._not_minus_zero:  # the sum of two is, if both are
            self._not_minus_zero.add(found)
        return found

    def _nothing(self, tree: int, element: str) -> int:
        """0.0 as -0.0, also where it is chosen: what changes nothing of a sum that is not -0.0."""
        zeros = self.literal("0.0", element), self.literal("-0.0", element)
        if tree == zeros[0]:
            return zeros[1]
        if tree not in self._chosen or zeros[0] not in self._chosen[tree][0]:
            return tree
        args, *rest = self._chosen[tree]
        return self._choice([args[0], *(zeros[1] if a == zeros[0] else a for a in args[1:])], *rest)

    def _choice(self, args: Sequence[int], attrs: Any, elements: Sequence[str], element: str) -> int:
        found = self.tree("arith.select", tuple(args), attrs, tuple(elements), element)
        self._chosen[found] = (args, attrs, elements, element)
        return found

    def _select(self, node: Compute, args: Sequence[int], elements: Sequence[str]) -> int:
        """A selection of floats: `c ? s + x : s` is `s + (c ? x : -0.0)`."""
        for added, other, turned in ((args[1], args[2], False), (args[2], args[1], True)):
            one, another, attrs = self._added.get(added, (-1, -1, ()))
            if other in (one, another):
                zero, more = self.literal("-0.0", node.element), another if one == other else one
                choice = (args[0], zero, more) if turned else (args[0], more, zero)
                return self._plus(other, self._choice(choice, node.attrs, elements, node.element), attrs, node.element)
        return self._choice(args, node.attrs, elements, node.element)

    def _negated(self, tree: int) -> int:
        if tree not in self._minus:
            other = self.tree("minus", tree)
            self._minus[tree], self._minus[other] = other, tree
        return self._minus[tree]

    def _comparison(self, node: Compute, args: Sequence[int], element: str) -> int:
        """A comparison by one of few predicates, or its opposite: `uge` is not `olt`, on numbers that are none, too."""
        number = number_of(node.attrs)
        name, turned, negated = (_FLOATS if node.op == "arith.cmpf" else _INTEGERS)[number]
        operands = args[::-1] if turned else args
        truths = [self._sums.only_truth(a) for a in operands] if name == "eq" else [None]
        if None not in truths:
            operands, element = [t for t in truths if t is not None], "i1"
        found = self.tree(name, tuple(sorted(operands) if name in _EITHER_WAY else operands), element)
        return self._opposite(found) if negated else found

    def _opposite(self, tree: int) -> int:
        """The opposite of a truth value."""
        if tree in self._known:
            return self.literal(1 - abs(self._known[tree]), "i1")
        if tree not in self._opposites:
            other = self.tree("not", tree)
            self._opposites[tree], self._opposites[other] = other, tree
            self._negative.add(other)
        return self._opposites[tree]


def _folded(node: Compute, numbers: list[int], elements: Sequence[str]) -> int:
    if node.op == "arith.cmpi":
        return integers.compare(node.attrs, numbers[0], numbers[1], elements[0])
    if node.op in integers.CASTS:
        return integers.cast(node.op, numbers[0], elements[0], node.element)
    return integers.apply(node.op, numbers, node.element)


def same_operations(pair: Pair, assumed: Assumptions, sizes: Mapping[str, int]) -> bool:
    """Whether every output element comes from the same operations in the same order, at these sizes."""
    trees = _Trees()
    memories = run_both(pair, sizes, trees.arithmetic, trees.leaf, assumed)
    return all(e.source == e.target for e in output_elements(pair, memories))
