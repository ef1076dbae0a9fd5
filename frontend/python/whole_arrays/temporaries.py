"""Arrays that the source does not have, loops over shapes, and what shapes have to fulfil."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import reduce

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import I64
from raising.frontend.python.annotations import Shaped
from raising.frontend.python.typed_nodes import Typed
from raising.frontend.python.types import Kind, of_both
from raising.frontend.python.whole_arrays.array_elements import Elementwise
from raising.frontend.python.whole_arrays.indexing.array_parts import View
from raising.frontend.python.whole_arrays.indexing.broadcasting import Shape
from raising.frontend.python.whole_arrays.indexing.canonical_extents import polynomial
from raising.support.source import Loc

Elements = Callable[[list[ex.Expr]], Typed]
"""The element at a place."""
Places = Callable[[list[ex.Expr]], Sequence[ex.Expr]]
"""Where in an array it is stored."""


class Temporaries(Elementwise):
    """Declares arrays, and loops over them."""

    def temporary(self, kind: Kind, extents: Shape, node: ast.expr) -> View:
        """An array that the source does not have."""
        loc = self.place(node)
        strong = Kind(kind.dtype)
        variable = self.hidden("whole", strong.core, loc)
        self.arrays[variable.name] = Shaped(strong, extents)
        for extent in extents:
            if not isinstance(extent, ast.Constant):
                self.require("no slice has a negative length", extent, 0, node)
        self.ask()
        self.declare(self.memory(variable.name, loc), None, loc)
        return self.whole(variable.name, loc)

    def ask(self) -> None:
        """Say what the shapes so far have to fulfil."""
        waiting, self.asked = self.asked, type(self.asked)()  # an extent in them may ask, too
        for asked in waiting:
            loc, sides = self.place(asked.place), []
            for side in (asked.high, asked.low):
                form = ast.copy_location(self.canonical(side), asked.place)
                sides.append(self.size(ast.fix_missing_locations(form)))
            if all(isinstance(s, ex.Literal) for s in sides) and sides[0].value >= sides[1].value:  # type: ignore[union-attr]
                continue
            self.out.append(st.Assume(build.compare("ge", sides[0], sides[1], loc), loc, asked.why))

    def length(self, extent: ast.expr) -> Typed:
        """An extent as a number, behind what it takes for granted: asked after a return, that would be lost."""
        found = super().length(extent)
        form = polynomial(extent, self.meaning)
        if form is None or any(coefficient < 0 for _, coefficient in form.terms):
            self.require("no slice has a negative length", extent, 0, extent)
        self.ask()
        return found

    def counters(self, extents: Shape, name: str, loc: Loc) -> list[st.Variable]:
        """A counter for each extent."""
        return [self.hidden(f"{name.partition('.')[0]}_{k}", I64, loc) for k in range(len(extents))]

    def over(self, extents: Shape, name: str, body: Callable[[list[ex.Expr]], object], loc: Loc) -> None:
        """Loops over a shape."""
        variables = self.counters(extents, name, loc)
        at: list[ex.Expr] = [build.read(v, loc) for v in variables]
        self.count_all(variables, [self.size(e) for e in extents], lambda: body(at), loc)

    def array_of(
        self,
        kind: Kind,
        extents: Shape,
        element: Elements,
        node: ast.expr,
        into: View | None = None,
    ) -> View:
        """An array with `element(at)` at each place, made by loops; `into` is one that is there already."""
        view = into or self.temporary(kind, extents, node)
        self.ask()
        self.fill(view, element, self.place(node), extents)
        return view

    def fill(
        self, view: View, element: Elements, loc: Loc, extents: Shape | None = None, place: Places | None = None
    ) -> None:
        """Store `element(at)` for each place of an array, by loops; of other `extents` where `place(at)` is."""

        def body(at: list[ex.Expr]) -> None:
            self.put(view, at if place is None else place(at), element(at), loc)

        self.over(view.extents if extents is None else extents, view.name, body, loc)

    def common_kind(self, nodes: Sequence[ast.expr], ranks: Sequence[int]) -> Kind:
        """The kind that elements of several expressions have together."""
        return reduce(of_both, [self.kind_of(node, rank) for node, rank in zip(nodes, ranks, strict=True)])

    def kind_of(self, node: ast.expr, rank: int) -> Kind:
        """The kind of the elements of an expression; what is written on the way is forgotten."""
        zero = build.integer(0, I64, self.place(node))
        return self.rehearsed(lambda: self.element_of(node, (zero,) * rank).kind)

    def put(self, view: View, at: Sequence[ex.Expr], value: Typed, loc: Loc) -> None:
        """Store an element."""
        kind = self.arrays[view.name].kind
        self.check_fits([value], kind, loc)
        self.out.append(st.Assign(self.lvalue(view, at, loc), value.converted(kind, loc), loc))
