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

_COMMUTE = frozenset(
    f"arith.{n}" for n in ("addf", "mulf", "maximumf", "minimumf", "addi", "muli", "andi", "ori", "xori")
)


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
        self._known: dict[int, int] = {}
        self._opposites: dict[int, int] = {}
        self._negative: set[int] = set()
        self._minus: dict[int, int] = {}

    def tree(self, *key: Any) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def leaf(self, leaf: Leaf) -> int:
        return self.tree("leaf", leaf)

    def literal(self, value: Any, element: str) -> int:
        number = literal(value, element)
        tree = self.tree("literal", element, number, str(value)[:1] == "-")
        if is_integer(element):
            tree = self.tree("literal", element, number)
            self._known[tree] = number
        return tree

    def arithmetic(self, elements: Mapping[str, str]) -> Arithmetic[int]:
        def compute(node: Compute, args: Sequence[int]) -> int:
            return self.compute(node, args, [elements[a] for a in node.args])

        return Arithmetic(compute, self.literal)

    def compute(self, node: Compute, args: Sequence[int], elements: Sequence[str]) -> int:
        known = [self._known.get(a) for a in args]
        if node.op == "arith.select" and known[0] is not None:
            return args[1] if known[0] else args[2]
        if None not in known and all(map(is_integer, elements)) and is_integer(node.element):
            numbers = [k for k in known if k is not None]
            return self.literal(_folded(node, numbers, elements), node.element)
        if node.op in ("arith.cmpf", "arith.cmpi"):
            return self._comparison(node, args, elements[0])
        if node.op == "arith.xori" and node.element == "i1" and 1 in known:
            return self._opposite(args[known[0] == 1])
        if node.op == "arith.select" and args[0] in self._negative:
            args = [self._opposites[args[0]], args[2], args[1]]
        if node.op == "arith.negf":
            return self._negated(args[0])
        op = node.op
        if op == "arith.subf":  # a - b is a + -b, to the bit
            op, args = "arith.addf", [args[0], self._negated(args[1])]
        if op in _COMMUTE:
            args = sorted(args)
        return self.tree(op, tuple(args), node.attrs, tuple(elements), node.element)

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
