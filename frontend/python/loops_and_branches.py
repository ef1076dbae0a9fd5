"""Loops, branches, and errors that Python would raise."""

from __future__ import annotations

import ast
from functools import partial

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import I64
from raising.frontend.python.module import refused
from raising.frontend.python.types import INT
from raising.frontend.python.variables.scopes import Block, assigned, counters, mentioned, opposites
from raising.frontend.python.whole_arrays.stores import Stores
from raising.support.source import Loc

Range = tuple[ex.Expr, ex.Expr, int]
"""The start, the end and the step of a loop that counts."""
_RANGES = ("range", "prange", "numba.prange", "numba.range")
_PRODUCTS = ("itertools.product", "numpy.ndindex", "ndindex", "product")


class LoopsAndBranches(Stores):
    """Translates statements that have others in them."""

    def block(self, block: Block) -> None:
        """The statements of a block."""
        raise NotImplementedError

    def _for(self, node: ast.For, loc: Loc) -> None:
        names = counters(node.target)
        ranges = self._ranges(node.iter)
        if len(ranges) != len(names):
            raise refused(self.module, node.iter, "a loop over something that is not a range, or not one name for each")
        for name in names:
            if name in self.arrays or name in self.signature.order or name in self.signature.sizes:
                raise refused(self.module, node, f"'{name}' counts a loop and is something else, too")
            self.kinds[name] = INT
            if name in self.counting and self._reads(name):
                raise refused(self.module, node, f"'{name}' counts two loops, one inside the other")
        changed = assigned(node.body) & mentioned(self._without_extents(node.iter))
        if changed:
            raise refused(self.module, node, f"the loop changes '{min(changed)}', on which its range depends")
        self._nested(list(zip(names, ranges, strict=True)), node.body, loc)

    def _reads(self, name: str) -> bool:
        """Whether the function asks for a variable anywhere."""
        names = (n for n in ast.walk(self.signature.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        return any(n.id == name for n in names)

    def _nested(self, loops: list[tuple[str, Range]], body: Block, loc: Loc) -> None:
        """Loops inside each other, with a variable for each that has the name of the source if that is free."""
        if not loops:
            self.block(body)
            return
        name, (low, high, step) = loops[0]
        outer = dict(self.counting)
        counter = self.counting[name] = self.counter(name, loc)
        self.count(counter, low, high, step, partial(self._nested, loops[1:], body, loc), loc)
        self.counting = outer

    def _without_extents(self, node: ast.expr) -> list[ast.expr]:
        """What an expression reads besides extents of arrays, which never change."""
        if isinstance(node, ast.Subscript | ast.Call | ast.Attribute) and self.extent(node) is not None:
            return []
        parts = [p for p in ast.iter_child_nodes(node) if isinstance(p, ast.expr)]
        return [one for p in parts for one in self._without_extents(p)] if parts else [node]

    def _ranges(self, node: ast.expr) -> list[Range]:
        """(start, end, step) of each loop that an iterable means."""
        if not isinstance(node, ast.Call) or node.keywords:
            return []
        name, loc = self.module.dotted(node.func), self.place(node)
        zero = build.integer(0, I64, loc)
        if name in _RANGES and 1 <= len(node.args) <= 3:
            step = self.module.number(node.args[2]) if len(node.args) == 3 else 1
            if not isinstance(step, int) or step == 0:
                raise refused(self.module, node, "the step of a range has to be an integer other than 0")
            ends = [self.size(a) for a in node.args[:2]]
            return [(ends[0], ends[1], step) if len(ends) == 2 else (zero, ends[0], step)]
        if name not in _PRODUCTS or any(isinstance(a, ast.Starred) for a in node.args):
            return []
        if name.endswith("product"):
            return [r for a in node.args for r in self._ranges(a)]
        extents = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else node.args
        return [(zero, self.size(e), 1) for e in extents]

    def _while(self, node: ast.While, loc: Loc) -> None:
        test, condition = self.captured(partial(self.condition, node.test))
        body, _ = self.captured(partial(self.block, node.body))
        self.out.append(st.Loop(test, condition, body, (), True, "while", loc))

    def _if(self, node: ast.If, loc: Loc) -> None:
        if any(len(side) == 1 and isinstance(side[0], ast.Raise) for side in (node.body, node.orelse)):
            self._unless_raised(node, loc)
            return
        condition = self.condition(node.test)
        then, otherwise = (self.captured(partial(self.block, side))[0] for side in (node.body, node.orelse))
        self.out.append(st.If(condition, then, otherwise, loc))

    def _unless_raised(self, node: ast.If, loc: Loc) -> None:
        """`if a != b: raise ...`: that they are equal is needed, and what is in the other branch follows."""
        raises = isinstance(node.body[0], ast.Raise)
        what = getattr(node.body[0] if raises else node.orelse[0], "exc", None)
        told = [n.value for n in ast.walk(what) if isinstance(n, ast.Constant)] if isinstance(what, ast.Call) else []
        for needed in opposites(node.test) if raises else [node.test]:
            why = ": ".join([ast.unparse(needed), *(t for t in told[:1] if isinstance(t, str))])
            self.out.append(st.Assume(self.condition(needed), loc, why))
        self.block(node.orelse if raises else node.body)
