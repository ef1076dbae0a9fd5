"""Extents that meet, by the rules of broadcasting, and what they have to fulfil where that is not clear."""

from __future__ import annotations

import ast

from raising.frontend.python.arrays import Arrays
from raising.frontend.python.emission import Emission
from raising.frontend.python.module import refused
from raising.frontend.python.typed_nodes import Typed
from raising.frontend.python.variables.scopes import mentioned
from raising.frontend.python.whole_arrays.indexing.array_parts import View
from raising.frontend.python.whole_arrays.indexing.canonical_extents import expression, polynomial
from raising.support.record import dataclass

Shape = tuple[ast.expr, ...]


@dataclass(frozen=True)
class Condition:
    """What the source takes for granted: `high >= low`, at a place; `why` says it in words."""

    why: str
    high: ast.expr
    low: ast.expr
    place: ast.expr


class Broadcasting(Arrays):
    """Compares extents, and finds the shape of arrays that meet."""

    fresh = Emission.fresh | {"made": dict, "asked": list}
    made: dict[int, tuple[ast.expr, View | Typed]]  # by their syntax, what stands before a loop
    asked: list[Condition]

    def require(self, why: str, high: ast.expr, low: ast.expr | int, place: ast.expr) -> None:
        """State `high >= low` before the next loops."""
        least = ast.copy_location(ast.Constant(low), place) if isinstance(low, int) else low
        self.asked.append(Condition(why, high, least, place))

    def require_equal(self, why: str, a: ast.expr, b: ast.expr, place: ast.expr) -> None:
        """State `a == b` before the next loops."""
        self.require(why, a, b, place)
        self.require(why, b, a, place)

    def broadcast(self, *shapes: Shape, place: ast.expr) -> Shape:
        """The common extents of several shapes."""
        found: Shape = ()
        for shape in shapes:
            rank = max(len(found), len(shape))
            one = ast.copy_location(ast.Constant(1), place)
            both = [((one,) * (rank - len(s)) + s) for s in (found, shape)]
            found = tuple(self.joined_extent(a, b, place) for a, b in zip(*both, strict=True))
        return found

    def joined_extent(self, a: ast.expr, b: ast.expr, place: ast.expr, spread: bool = True) -> ast.expr:
        """The extent of two that meet: one of them may be 1 if that is to `spread`, else they have to be equal."""
        forms = polynomial(a, self.meaning), polynomial(b, self.meaning)
        if forms[0] is None or forms[1] is None:
            raise refused(self.module, place, "arrays whose extents cannot be compared")
        if spread and forms[0].constant == 1:
            return b
        gap = (forms[0] - forms[1]).constant
        if gap == 0 or spread and forms[1].constant == 1:
            return a
        if gap is not None:
            raise refused(self.module, place, f"arrays that do not fit: {ast.unparse(a)} beside {ast.unparse(b)}")
        self.require_equal("arrays that meet have one shape", a, b, place)
        return a

    def canonical(self, node: ast.expr) -> ast.expr:
        """An extent in the one form that equal ones have."""
        form = polynomial(node, self.meaning)
        return node if form is None else expression(form, node)

    def meaning(self, node: ast.expr) -> ast.expr | None:
        """What a name in an extent stands for, if it is set once to something that does not change."""
        if not isinstance(node, ast.Name):
            return self._extent_of(node)
        number = None if node.id in self.kinds else self.module.number(node)
        if isinstance(number, int):
            return ast.copy_location(ast.Constant(number), node)
        return self.meanings[node.id] if self._is_fixed(node.id) else None

    def _extent_of(self, node: ast.expr) -> ast.expr | None:
        return self.extent(node) if isinstance(node, ast.Subscript | ast.Call | ast.Attribute) else None

    def _is_fixed(self, name: str) -> bool:
        """Whether a variable is set once, to an expression of what never changes."""
        given = name in self.signature.order or name in self.signature.sizes
        if given or self.times[name] != 1 or name not in self.meanings:
            return False
        form = polynomial(self.meanings[name], self._extent_of)
        if form is None:
            return False
        names = mentioned([expression(form, self.meanings[name])])
        return name not in names and all(self.times[n] == 0 or self._is_fixed(n) for n in names)
