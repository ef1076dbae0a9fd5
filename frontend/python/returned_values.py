"""What a function returns: a number, or arrays and numbers in memory that it is given.

return x + y, k      ->   result_0 = x + y;  result_1 = np.empty(1, "int64");  result_1[0] = k
                          return result_0, result_1
if n == 0:                if n == 0:
    return x, 0      ->       result_0[...] = x;  result_1[0] = 0
                              return result_0, result_1
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy

from raising.frontend.core import statement_nodes as st
from raising.frontend.python.annotations import Shaped, Signature
from raising.frontend.python.calls import Callee
from raising.frontend.python.loops_and_branches import LoopsAndBranches
from raising.frontend.python.module import Module, refused
from raising.frontend.python.numpy_library.made_syntax import placed, written
from raising.frontend.python.types import INT, Kind, joined
from raising.frontend.python.variables.scopes import mentioned
from raising.support.source import Loc


class Returns(LoopsAndBranches):
    """Translates `return`."""

    def __init__(self, module: Module, signature: Signature, callees: Callee) -> None:
        super().__init__(module, signature, callees)
        self.result: Kind | None = None
        self.again = False  # the syntax was changed while kinds were looked for, or has to be
        self.before: dict[str, Kind] = {}  # the kinds of variables at the start of such a round
        self._boxes: dict[str, ast.Constant] = {}  # the types of numbers in a tuple that is returned

    def return_(self, node: ast.Return, loc: Loc) -> None:
        """A number, or arrays and numbers that become parameters behind the others."""
        value, last = node.value, self.signature.node.body[-1]
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        if isinstance(value, ast.Tuple) and not parts:
            raise refused(self.module, node, "returns an empty tuple")
        if value is None or _is_nothing(value):
            if self.result is not None or (isinstance(last, ast.Return) and not _is_nothing(last.value)):
                raise refused(self.module, node, "returns nothing here, and numbers or arrays elsewhere")
            self.out.append(st.Return(None, loc))
            return
        if all(isinstance(p, ast.Name) and p.id in self.arrays for p in parts) and ast.dump(node) == ast.dump(last):
            if node is not last:
                self.out.append(st.Return(None, loc))
            return
        if isinstance(value, ast.Tuple) or any(map(self._is_array, parts)):
            if node is not last:
                self._return_early(node, parts, last)
            elif self.typing:
                self._name_arrays(node, parts)
            return
        found = self.value(value)
        old = self.result or found.kind
        kind = joined(old, found.kind)
        if kind is None:
            raise refused(self.module, node, f"returns a {old.dtype} or a {found.kind.dtype}")
        self.result = kind
        self.out.append(st.Return(found.converted(kind, loc), loc))

    def _is_array(self, node: ast.expr | None) -> bool:
        """Whether what is returned needs memory: an array does, and a complex number that leaves the file."""
        assert node is not None
        if self.signature.inner:
            return bool(self.shape_of(node))
        return bool(self.shape_of(node)) or self.rehearsed(lambda: self.value(node)).kind.is_complex

    def _return_early(self, node: ast.Return, parts: Sequence[ast.expr | None], last: ast.stmt) -> None:
        """What is returned in front of the end, stored in the arrays that are returned there; returns, in place."""
        value = last.value if isinstance(last, ast.Return) else None
        names = [p.id for p in (value.elts if isinstance(value, ast.Tuple) else [value]) if isinstance(p, ast.Name)]
        if len(names) != len(parts) or not {*names} <= self.arrays.keys():
            if self.typing:  # the end is behind this
                self.again = True
                return
            told = "what is returned from inside of the function, and is not as much as at its end"
            raise refused(self.module, node, told)
        made: list[ast.stmt] = []
        for name, part in zip(names, parts, strict=True):
            assert part is not None
            if isinstance(part, ast.Name) and part.id == name:
                continue
            if name in self.signature.order or mentioned([part]) & {*names}:
                told = "an array is returned from inside of the function, and another one of its arguments at its end"
                raise refused(self.module, node, told)
            made += written("name[place] = part", node, name=name, place=self._place(name, part), part=part)
        made.append(ast.Return(deepcopy(value)))
        parts_ = (getattr(s, field, None) for s in ast.walk(self.signature.node) for field in ("body", "orelse"))
        block = next(b for b in parts_ if isinstance(b, list) and node in b)
        block[block.index(node) : block.index(node) + 1] = [placed(s, node) for s in made]
        self.again = True

    def _place(self, name: str, part: ast.expr) -> ast.expr:
        """Where in a result a part of what is returned is stored: its only element, or all of it."""
        shape, own = self.shape_of(part), self.arrays[name]
        if kind := self.signature.boxed.get(name):
            found = joined(kind, self.rehearsed(lambda: self.value(part)).kind)
            if shape or found is None:
                raise refused(self.module, part, f"returns an array or another number than a {kind.dtype} at the end")
            self.signature.boxed[name], self._boxes[name].value = found, found.dtype
            return ast.Constant(0)
        if len(shape) != len(own.extents) or self.argument_type(part)[0].dtype != own.kind.dtype:
            raise refused(self.module, part, f"returns another kind of array than '{name}' at the end")
        for one, other in zip(shape, own.extents, strict=True):
            self.joined_extent(one, other, part, spread=False)
        return ast.Constant(...)

    def _name_arrays(self, node: ast.Return, parts: Sequence[ast.expr | None]) -> None:
        """`return x + y` of arrays as `result = x + y; return result`, when all variables have their kinds."""
        self.again = True
        if self.kinds != self.before:
            return
        made: list[ast.stmt] = []
        names: list[ast.expr] = []
        for part in parts:
            assert part is not None
            if isinstance(part, ast.Name) and part.id in self.arrays:
                names.append(part)
                continue
            name = self.unused("result" if len(parts) == 1 else f"result_{len(names)}")
            if self.shape_of(part):
                made += written("name = part.copy()" if self.view(part) else "name = part", node, name=name, part=part)
            else:
                made += self._boxed(name, part, node)
            names.append(ast.Name(name, ast.Load()))
            self.times[name] = 1
            self.signature.results[name] = Shaped(INT, ())
        made.append(ast.Return(ast.Tuple(names, ast.Load()) if isinstance(node.value, ast.Tuple) else names[0]))
        new = [placed(part, node) for part in made]
        self.signature.node.body[-1:] = new

    def _boxed(self, name: str, part: ast.expr, node: ast.Return) -> list[ast.stmt]:
        """A number of a tuple as an array of one element."""
        self.signature.boxed[name] = kind = self.rehearsed(lambda: self.value(part)).kind
        self._boxes[name] = ast.Constant(kind.dtype)
        text = "name = numpy.empty(1, kind)\nname[0] = part"
        return written(text, node, name=name, kind=self._boxes[name], part=part)


def _is_nothing(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)
