"""Whether two runs do the same floating-point operations in the same order.

Each value is the tree of operations it comes from, shared where it is the same (hash-consing); known integers are
computed. Equal trees give equal bits for every input.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raising.affine.ir.interpreter import Arithmetic
from raising.affine.ir.program import Compute
from raising.validate.arithmetic import integers
from raising.validate.arithmetic.exact import literal
from raising.validate.arithmetic.integers import is_integer
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.run import Leaf, elements_of, execute

_COMMUTE = frozenset(
    f"arith.{n}" for n in ("addf", "mulf", "maximumf", "minimumf", "addi", "muli", "andi", "ori", "xori")
)


class _Trees:
    """Numbers for trees: equal numbers are equal trees."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._known: dict[int, int] = {}

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
        if node.op in _COMMUTE:
            args = sorted(args)
        return self.tree(node.op, tuple(args), node.attrs, tuple(elements), node.element)


def _folded(node: Compute, numbers: list[int], elements: Sequence[str]) -> int:
    if node.op == "arith.cmpi":
        return integers.compare(node.attrs, numbers[0], numbers[1], elements[0])
    if node.op in integers.CASTS:
        return integers.cast(node.op, numbers[0], elements[0], node.element)
    return integers.apply(node.op, numbers, node.element)


def same_operations(pair: Pair, assumed: Assumptions, sizes: Mapping[str, int]) -> bool:
    """Whether every output element comes from the same operations in the same order, at these sizes."""
    trees = _Trees()
    runs = [
        execute(p, sizes, trees.arithmetic(elements_of(p)), trees.leaf, assumed, side)
        for p, side in ((pair.source, "source"), (pair.target, "target"))
    ]
    return all(runs[0][one].data == runs[1][other].data for one, other in pair.outputs)
