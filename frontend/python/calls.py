"""Calls: of functions of the file, of math, of NumPy, and of types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Any

from raising.affine.ir.real_functions import BY_NUMPY, BY_PYTHON
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.intrinsics import INTRINSICS
from raising.frontend.core.types import I64, Array
from raising.frontend.lower.ir.module import Refused
from raising.frontend.python import complex_arithmetic
from raising.frontend.python.annotations import Given, Shaped, Signature, parameters
from raising.frontend.python.expressions import Expressions
from raising.frontend.python.module import Module, refused
from raising.frontend.python.numpy_library.numpy_quotients import absolute
from raising.frontend.python.typed_nodes import Typed, called, chosen, constant
from raising.frontend.python.types import BOOL, COMPLEX, FLOAT, INT, Kind, named, of_both, of_function
from raising.support.record import dataclass
from raising.support.source import Loc

OF_NUMBER = "_of_number"  # behind the name of a function that takes a number first
_CLASSES = frozenset(["isnan", "isinf", "isfinite", "signbit"])
_OF_BOTH = frozenset(["pow", "fmod", "fmax", "fmin"])  # NumPy gives integers for integers
_CONJUGATES = ("conj", "conjugate", "_conjugate")
_ROUNDED = ("floor", "ceil", "trunc")  # of `math`, these give an integer


@dataclass(frozen=True)
class Translated:
    """A function of the file in the core; `result` is the kind of the number that it returns."""

    signature: Signature
    function: st.Function
    result: Kind | None


Callee = Callable[[str, Given], Translated]
"""A function of the file by its name, and the types of those arguments whose parameters have none."""


class _Substitution(ast.NodeTransformer):
    """Names by what they mean, and `A.shape[k]` by the size that it is."""

    def __init__(self, known: dict[str, ast.expr], extent: Callable[[ast.expr], ast.expr | None]) -> None:
        self.known = known
        self.extent = extent

    def visit(self, node: ast.AST) -> Any:
        """The node with everything inside of it replaced."""
        if isinstance(node, ast.Name) and node.id in self.known:
            rest = {k: v for k, v in self.known.items() if k != node.id}
            return _Substitution(rest, self.extent).visit(self.known[node.id])
        size = self.extent(node) if isinstance(node, ast.Subscript | ast.Call) else None
        if size is not None:
            return self.visit(size)
        fields = {name: self.visit(part) for name, part in ast.iter_fields(node) if isinstance(part, ast.AST)}
        return ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), **fields}), node)


class Calls(Expressions):
    """Translates calls."""

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
        values = self.values(node.args)
        kind = named(last)
        if kind is not None and len(values) == 1 and (kind.is_complex or not values[0].kind.is_complex):
            return self._converted(values[0], kind, node, loc)
        if any(v.kind.is_complex for v in values):
            return self._of_parts(name, values, node, loc)
        if home == "numpy" and last in ("real", "imag", *_CONJUGATES) and not values[0].kind.is_bool:
            zero = constant(0, loc).converted(values[0].kind, loc)
            return Typed(zero, values[0].kind) if last == "imag" else values[0]
        if home == "numpy" and last in ("_as", "_floating", "_of_floats"):
            return self._made_floating(values, loc, last == "_of_floats")
        found = self._extremum(name, values, node, loc) or self._classified(home, last, values, loc)
        found = found or self._of_integers(home, last, values, loc) or self._math(home, last, values, loc)
        if found is None:
            raise refused(self.module, node, f"calls '{name or '...'}', which is not defined in this file")
        return found

    def _converted(self, value: Typed, kind: Kind, node: ast.Call, loc: Loc) -> Typed:
        if isinstance(node.func, ast.Attribute):
            kind = Kind(kind.dtype)
            self.check_fits([value], kind, loc)
        if kind.is_bool and value.kind.is_float:
            raise refused(self.module, node, "a floating number as a truth value; compare it with 0")
        return Typed(value.converted(kind, loc), kind, value.number if kind.weak == value.kind.weak else None)

    def _of_parts(self, name: str, values: list[Typed], node: ast.Call, loc: Loc) -> Typed:
        """A function of one complex number."""
        kind, last = values[0].kind, name.rpartition(".")[2]
        if last == "_pythons":
            return Typed(values[0].node, COMPLEX)
        if len(values) > 1 or name not in (last, f"numpy.{last}"):
            raise refused(self.module, node, f"'{name}' of complex numbers")
        part = kind.part
        real, imaginary = complex_arithmetic.parts(self.kept(values[0].node), loc)
        if last in ("real", "imag"):
            return Typed(real if last == "real" else imaginary, part)
        if last in _CONJUGATES:
            made = complex_arithmetic.made(real, build.unary("neg", imaginary, loc), kind, loc)
            return Typed(made, Kind(kind.dtype))
        if last in ("abs", "absolute"):
            return self._hypotenuse([real, imaginary], Kind(part.dtype, part.weak and name == last), loc)
        if last == "angle":
            return called("atan2", [imaginary, real], Kind(part.dtype), loc)
        if name == "numpy.exp":
            kind = Kind(kind.dtype)
            return Typed(self.kept(complex_arithmetic.exponential(real, imaginary, kind, loc, self.kept)), kind)
        raise refused(self.module, node, f"'{name}' of complex numbers")

    def _made_floating(self, values: list[Typed], loc: Loc, is_one: bool) -> Typed:
        """A number in the type of another one, or else in that of NumPy's functions of floats; or one that `is_one`."""
        kind = values[0].kind
        if is_one and not kind.is_float:
            raise Refused(loc, f"this function of a {kind.dtype}; convert it first")
        made = values[-1].kind if len(values) > 1 else kind if kind.is_float else of_function(kind)
        if made.dtype == "float16":
            raise Refused(loc, f"a function of a {kind.dtype} has half precision; convert it first")
        return Typed(values[0].converted(made, loc), made)

    def _extremum(self, name: str, values: list[Typed], node: ast.Call, loc: Loc) -> Typed | None:
        if name in ("min", "max") and len(values) > 1:
            kind, found = self.same(values, node.args), values[0]
            for value in values[1:]:
                found = found if found is values[0] else self.keep(found)
                sides = [v.converted(kind, loc) for v in (value, found)]
                test = build.compare("lt" if name == "min" else "gt", sides[0], sides[1], loc)
                found = chosen(test, value, found, kind, loc)
            return found
        if name in ("numpy.maximum", "numpy.minimum") and len(values) == 2:
            kind = of_both(values[0].kind, values[1].kind)
            self.check_fits(values, kind, loc)
            sides = [v.converted(kind, loc) for v in values]
            if kind.is_float:
                return called(name.removeprefix("numpy."), sides, kind, loc)
            test = build.compare("gt" if name == "numpy.maximum" else "lt", sides[0], sides[1], loc)
            return chosen(test, values[0], values[1], kind, loc)
        return None

    def _of_integers(self, home: str, name: str, values: list[Typed], loc: Loc) -> Typed | None:
        """Functions that give an integer for integers; `square` of floats, too."""
        kind = values[0].kind
        if len(values) != 1:
            return None
        if name in ("abs", "absolute") and home in ("", "numpy") and not kind.is_float:
            kind = INT if kind.is_bool and kind.weak else kind
            return Typed(absolute(values[0].converted(kind, loc), kind, loc), kind)
        if name == "square" and home == "numpy" and not kind.is_bool:
            factor = values[0].converted(kind, loc)
            return Typed(build.binary("mul", factor, factor, loc, kind.wraps), kind)
        if name in (*_ROUNDED, "_rounded") and home == "numpy" and not kind.is_float and not kind.is_bool:
            return Typed(values[0].converted(kind, loc), Kind(kind.dtype))
        return None

    def _math(self, home: str, name: str, values: list[Typed], loc: Loc) -> Typed | None:
        kind = values[0].kind
        for value in values[1:]:
            kind = of_both(kind, value.kind)
        own = self._intrinsic(home, name)
        if own is None or len(values) != INTRINSICS[own].arity:
            return None
        if home == "math":
            kind = FLOAT
        elif home == "numpy":
            if own in _OF_BOTH and not kind.is_float:
                raise Refused(loc, f"'{name}' of integers")
            kind = Kind("float64") if kind.weak else of_function(kind)
            if kind.dtype == "float16":
                raise Refused(loc, f"'{name}' of a {values[0].kind.dtype} has half precision; convert it first")
        sides = [v.converted(kind, loc) for v in values]
        found = self._hypotenuse(sides, kind, loc) if own == "hypot" else called(own, sides, kind, loc)
        return Typed(build.convert(found.node, I64, loc), INT) if home == "math" and name in _ROUNDED else found

    def _intrinsic(self, home: str, name: str) -> str | None:
        """The function of the core that a function of Python's is."""
        if home in ("math", "numpy") and name == "hypot":
            return name
        if home == "math":
            row = BY_PYTHON.get(name)
        elif home == "numpy" or name == "abs":
            row = BY_NUMPY.get({"_rounded": "rint"}.get(name, name))
        else:
            return None
        return row.names_in_c[0] if row else None

    def _hypotenuse(self, sides: list[ex.Expr], kind: Kind, loc: Loc) -> Typed:
        """The longer side times the root of 1 + the square of the quotient: only the result can leave the range."""
        one, nothing, far = (constant(n, loc).converted(kind, loc) for n in (1, 0, inf))
        lengths = [self.kept(called("fabs", [side], kind, loc).node) for side in sides]
        most, least = (self.kept(called(name, lengths, kind, loc).node) for name in ("maximum", "minimum"))
        ratio = self.kept(build.binary("div", least, most, loc))
        root = called("sqrt", [build.binary("add", one, build.binary("mul", ratio, ratio, loc), loc)], kind, loc)
        found = Typed(build.binary("mul", most, root.node, loc), kind)
        found = chosen(build.compare("eq", most, nothing, loc), Typed(nothing, kind), found, kind, loc)
        for length in lengths:
            found = chosen(build.compare("eq", length, far, loc), Typed(far, kind), found, kind, loc)
        return found

    def _classified(self, home: str, name: str, values: list[Typed], loc: Loc) -> Typed | None:
        """A question about a float; integers are finite."""
        if name not in _CLASSES or home not in ("math", "numpy") or len(values) != 1:
            return None
        kind = values[0].kind
        if kind.is_float and kind.dtype != "float16":
            found = build.intrinsic(name, (values[0].converted(kind, loc),), loc)
            return Typed(found, BOOL if home == "math" else Kind("bool"))
        if name == "signbit" or kind.is_float:
            raise Refused(loc, f"'{name}' of a {kind.dtype}; convert it first")
        return Typed(build.truth(name == "isfinite", loc), BOOL if home == "math" else Kind("bool"))

    # ---- functions of the file ---------------------------------------------------------------------

    def _own(self, node: ast.Call, name: str, loc: Loc) -> Typed:
        callee = self.callee(node)
        if callee.result is None:
            raise refused(self.module, node, f"the value of a call of '{name}', which returns no number")
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
        return [_substituted(r, known, lambda _: None) for r in signature.results.values()]

    def over_sizes(self, shape: Shaped, meanings: dict[str, ast.expr]) -> Shaped:
        """A shape over the parameters of this function, whose names have these meanings."""
        return _substituted(shape, meanings, self.extent)

    def callee(self, node: ast.Call) -> Translated:
        """The function of the file that is called, with the types of the arguments where it has none of its own."""
        name = self.module.dotted(node.func)
        other = f"{name}{OF_NUMBER}"
        if other in self.module.functions and node.args and self.argument_type(node.args[0])[1] == 0:
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


def _substituted(shape: Shaped, known: dict[str, ast.expr], extent: Callable[[ast.expr], ast.expr | None]) -> Shaped:
    return Shaped(shape.kind, tuple(_Substitution(known, extent).visit(e) for e in shape.extents))
