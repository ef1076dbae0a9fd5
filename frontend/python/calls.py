"""Calls: of functions of the file, of math, of NumPy, and of types.

Those of numbers are in the tables of `numpy_library.number_functions`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import Array
from raising.frontend.python.annotations import Given, Shaped, Signature, parameters
from raising.frontend.python.expressions import Expressions
from raising.frontend.python.module import OF_RANK, Module, refused
from raising.frontend.python.numpy_library.number_functions import NumberCall, of_complex_numbers, of_numbers
from raising.frontend.python.typed_nodes import Typed
from raising.frontend.python.types import Kind, named
from raising.support.record import dataclass
from raising.support.source import Loc


@dataclass(frozen=True)
class Translated:
    """A function of the file in the core; `result` is the kind of the number that it returns."""

    signature: Signature
    function: st.Function
    result: Kind | None


Callee = Callable[[str, Given], Translated]
"""A function of the file by its name, and the types of those arguments whose parameters have none."""


class _Substitution:
    """Names by what they mean; with an `extent`, also those in what they mean, and `A.shape[k]` by the size that it is.

    Without one, names are those of another function, whose parameters may be called as other variables are here.
    """

    def __init__(self, known: dict[str, ast.expr], extent: Callable[[ast.expr], ast.expr | None] | None) -> None:
        self.known = known
        self.extent = extent

    def visit(self, node: ast.AST) -> Any:
        """The node with everything inside of it replaced."""
        if isinstance(node, ast.Name) and node.id in self.known:
            if self.extent is None:
                return deepcopy(self.known[node.id])
            rest = {k: v for k, v in self.known.items() if k != node.id}
            return _Substitution(rest, self.extent).visit(self.known[node.id])
        size = self.extent(node) if self.extent and isinstance(node, ast.Subscript | ast.Call | ast.Attribute) else None
        if size is not None:
            return self.visit(size)
        fields = {name: self._replaced(part) for name, part in ast.iter_fields(node)}
        return ast.copy_location(type(node)(**fields), node)

    def _replaced(self, part: Any) -> Any:
        if isinstance(part, list):
            return [self._replaced(p) for p in part]
        return self.visit(part) if isinstance(part, ast.AST) else part


class Calls(Expressions):
    """Translates calls of functions and methods."""

    def __init__(self, module: Module, callees: Callee) -> None:
        super().__init__(module)
        self.callees = callees

    def call(self, node: ast.Call, loc: Loc) -> Typed:
        """The value of a call."""
        name = self.module.dotted(node.func)
        if name in self.module.functions:
            return self._own(node, name, loc)
        root = next((n.id for n in ast.walk(node.func) if isinstance(n, ast.Name)), "")
        if root in self.kinds or root in self.arrays:
            raise refused(self.module, node, f"a method of '{root}'")
        home, _, last = name.rpartition(".")
        if node.keywords or not node.args or any(isinstance(a, ast.Starred) for a in node.args):
            raise refused(self.module, node, f"this call of '{name or '...'}' is not supported")
        call = NumberCall(node, home, last, self.values(node.args), loc)
        of_complex, kind = any(v.kind.is_complex for v in call.values), named(last)
        if kind is not None and len(call.values) == 1 and (kind.is_complex or not of_complex):
            return self._converted(call, kind)
        value = (of_complex_numbers if of_complex else of_numbers)(self, call)
        if value is None:
            unknown = f"calls '{name or '...'}', which is not defined in this file"
            raise refused(self.module, node, f"'{name}' of complex numbers" if of_complex else unknown)
        return value

    def _converted(self, call: NumberCall, kind: Kind) -> Typed:
        """A type as a function: `float(x)`, `np.int32(x)`."""
        (value,) = call.values
        if isinstance(call.node.func, ast.Attribute):
            kind = Kind(kind.dtype)
            self.check_fits([value], kind, call.loc)
        if kind.is_bool and not value.kind.is_complex:
            return Typed(build.as_truth(value.converted(value.kind, call.loc), call.loc), kind)
        number = value.number if kind.weak == value.kind.weak and not kind.is_complex else None
        return Typed(value.converted(kind, call.loc), kind, number)

    # ---- functions of the file ---------------------------------------------------------------------

    def _own(self, node: ast.Call, name: str, loc: Loc) -> Typed:
        callee = self.callee(node)
        if callee.result is None:
            raise refused(self.module, node, f"the value of a call of '{name}', which returns no number or new array")
        result = self.hidden("t", callee.result.core, loc, constant=True)
        self.called(node, [], result)
        return Typed(build.read(result, loc), callee.result)

    def called(self, node: ast.Call, results: Sequence[str], result: st.Variable | None = None) -> None:
        """The call of a function of the file, which writes its results to these arrays."""
        name, loc = self.module.dotted(node.func), self.place(node)
        if name not in self.module.functions:
            raise refused(self.module, node, f"calls '{name or '...'}', which is not defined in this file")
        callee = self.callee(node)
        signature = callee.signature
        if len(results) != len(signature.results):
            raise refused(self.module, node, f"the arrays that '{name}' makes are not kept")
        given = self._bound(node, signature.order)
        sizes = [self.size(self._size(node, signature, given, size)) for size in signature.sizes]
        scalars = [p for p in signature.order if p in signature.scalars]
        values = self.in_order([partial(self.value, given[p]) for p in scalars])
        numbers = {
            p: value.converted(signature.scalars[p], self.place(given[p]))
            for p, value in zip(scalars, values, strict=True)
        }
        arguments = [numbers[p] if p in numbers else self.argument(given[p], signature, p) for p in signature.order]
        outputs = [self.pointer(build.name(self.memory(n, loc), loc), loc) for n in results]
        if result is not None:
            self.variables[result.name] = result
        self.out.append(st.Call(result, callee.function.name, (*sizes, *arguments, *outputs), loc))

    def pointer(self, array: ex.Lvalue, loc: Loc) -> ex.Expr:
        """An array or row as the pointer to what is first in it."""
        return build.decay(array, loc) if isinstance(array.type, Array) else build.load(array, loc)

    def result_shapes(self, node: ast.Call) -> list[Shaped]:
        """The arrays that a function of the file makes, over the names of here."""
        name = self.module.dotted(node.func)
        if name not in self.module.functions:
            return []
        signature = self.callee(node).signature
        if not signature.results:
            return []
        given = self._bound(node, signature.order)
        known = {size: self._size(node, signature, given, size) for size in signature.sizes}
        known |= {p: given[p] for p in signature.scalars}
        return [_substituted(r, known, None) for r in signature.results.values()]

    def gives_tuple(self, node: ast.Call) -> bool:
        """Whether a function of the file is called that returns a tuple."""
        if self.module.dotted(node.func) not in self.module.functions:
            return False
        last = self.callee(node).signature.node.body[-1]
        return isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)

    def over_sizes(self, shape: Shaped, meanings: dict[str, ast.expr]) -> Shaped:
        """A shape over the parameters of this function, whose names have these meanings."""
        return _substituted(shape, meanings, self.extent)

    def callee(self, node: ast.Call) -> Translated:
        """The function of the file that is called, with the types of the arguments where it has none of its own."""
        name = self.module.dotted(node.func)
        others = {rank: f"{name}{suffix}" for rank, suffix in OF_RANK.items()}
        if node.args and not self.module.functions.keys().isdisjoint(others.values()):
            other = others.get(self.argument_type(node.args[0])[1])
            if other in self.module.functions:
                name, node.func = other, ast.copy_location(ast.Name(other, ast.Load()), node)
        wanted = parameters(self.module.functions[name])
        open_ = [p.arg for p in wanted if p.annotation is None]
        given = self._bound(node, [p.arg for p in wanted]) if open_ else {}
        return self.callees(name, tuple((p, *self.argument_type(given[p])) for p in open_))

    def argument_type(self, node: ast.expr) -> tuple[Kind, int]:
        """The kind of an argument, and its number of dimensions."""
        raise NotImplementedError

    def _bound(self, node: ast.Call, order: Sequence[str]) -> dict[str, ast.expr]:
        """The argument of each parameter."""
        given = dict(zip(order, node.args, strict=False))
        more = {k.arg: k.value for k in node.keywords if k.arg is not None}
        count = len(node.args) + len(node.keywords)
        given |= {k: v for k, v in more.items() if k not in given}
        if count != len(order) or given.keys() != {*order}:
            name = self.module.dotted(node.func)
            raise refused(self.module, node, f"the arguments of '{name}' are not one for each parameter")
        return given

    def _size(self, node: ast.Call, signature: Signature, given: dict[str, ast.expr], size: str) -> ast.expr:
        array, position = signature.sizes[size]
        shape = self.argument_shape(given[array])
        if len(shape.extents) != len(signature.arrays[array].extents):
            raise refused(self.module, node, f"argument '{array}' has {len(shape.extents)} dimensions")
        return shape.extents[position]

    def argument_shape(self, node: ast.expr) -> Shaped:
        """The kind and the extents of an array that is an argument."""
        return self.element(node)[1]

    def argument(self, node: ast.expr, signature: Signature, parameter: str) -> ex.Expr:
        """An array, or the row of one, for a parameter."""
        found, shape = self.element(node)
        wanted = signature.arrays[parameter]
        if shape.kind.dtype != wanted.kind.dtype or len(shape.extents) != len(wanted.extents):
            raise refused(self.module, node, f"this is not an array of {wanted.kind.dtype} as '{parameter}' is")
        return self.pointer(found, self.place(node))


def _substituted(
    shape: Shaped, known: dict[str, ast.expr], extent: Callable[[ast.expr], ast.expr | None] | None
) -> Shaped:
    return Shaped(shape.kind, tuple(_Substitution(known, extent).visit(e) for e in shape.extents))
