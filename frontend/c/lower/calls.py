"""Calls: of functions in the same file, which are inlined, and of math.h."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from raising.frontend.c.ir.module import Refused, place
from raising.frontend.c.ir.polynomial import const
from raising.frontend.c.ir.types import DOUBLE, FLOAT, INT, LONG, SIZE, Number, Pointer, Void
from raising.frontend.c.known.typed_values import Cases, Data, Extremum, Nothing, Ptr, Sym, Value, Variable
from raising.frontend.c.lower import memory_calls as whole
from raising.frontend.c.lower.loops import Loops
from raising.frontend.c.lower.lvalues import size_of
from raising.support.source import Loc

MAX_CALLS = 40  # nested

_MATH = {
    "acos": 1, "acosh": 1, "asin": 1, "asinh": 1, "atan": 1, "atanh": 1, "cbrt": 1, "ceil": 1, "cos": 1, "cosh": 1,
    "erf": 1, "erfc": 1, "exp": 1, "exp2": 1, "expm1": 1, "floor": 1, "log": 1, "log10": 1, "log1p": 1, "log2": 1,
    "rint": 1, "round": 1, "sin": 1, "sinh": 1, "sqrt": 1, "tan": 1, "tanh": 1, "trunc": 1, "nearbyint": 1,
    "fabs": 1, "pow": 2, "atan2": 2, "copysign": 2, "fma": 3,
}  # fmt: skip
_SPELLED = {"fabs": "absf", "pow": "powf", "rint": "roundeven", "nearbyint": "roundeven"}
_EXTREMA = {"fmax": "maxnumf", "fmin": "minnumf", "numpy.maximum": "maximumf", "numpy.minimum": "minimumf"}
"""The last two are not C's: a NaN stays one."""
_HOLDING = (
    *(c_ast.Compound, c_ast.If, c_ast.For, c_ast.While, c_ast.DoWhile),
    *(c_ast.Switch, c_ast.Case, c_ast.Default, c_ast.Label),
)
"""Statements that hold others."""
_ABSOLUTE = {"abs": INT, "labs": LONG, "llabs": LONG}


class Calls(Loops):
    """Lowers calls."""

    def called(self, node: Any) -> Value:
        """The value of a call."""
        loc = place(node)
        if not isinstance(node.name, c_ast.ID):
            raise Refused(loc, "a call through a pointer")
        name = node.name.name
        arguments = list(node.args.exprs) if node.args is not None else []
        if name in self.unit.functions:
            return self._inlined(name, arguments, loc)
        return self._known(name.removeprefix("__builtin_"), arguments, loc)

    def _known(self, name: str, arguments: list[Any], loc: Loc) -> Value:
        if name in _ABSOLUTE and len(arguments) == 1:
            return self._absolute(self.value(arguments[0]), _ABSOLUTE[name], loc)
        if name in whole.NAMES and len(arguments) == 3:
            return self._whole(name, [self.value(a) for a in arguments], loc)
        t = FLOAT if name.endswith("f") and name[:-1] in (*_MATH, *_EXTREMA) else DOUBLE
        base = name[:-1] if t == FLOAT else name
        if base not in _MATH and base not in _EXTREMA:
            raise Refused(loc, f"calls '{name}', which is not defined in this file")
        if len(arguments) != _MATH.get(base, 2):
            raise Refused(loc, f"calls '{name}' with {len(arguments)} arguments")
        values = tuple(self.data(self.converted(self.value(a), t, loc), loc).id for a in arguments)
        operation = f"arith.{_EXTREMA[base]}" if base in _EXTREMA else f"math.{_SPELLED.get(base, base)}"
        holes = ", ".join(f"{{{k}}}" for k in range(len(values)))
        return Data(self.let(f"{operation} {holes} : {t.mlir}", values, t.mlir, loc), t)

    def _absolute(self, value: Value, t: Number, loc: Loc) -> Value:
        data = self.data(self.converted(value, t, loc), loc)
        return Data(self.let(f"math.absi {{0}} : {t.mlir}", (data.id,), t.mlir, loc), t)

    def _whole(self, name: str, values: list[Value], loc: Loc) -> Value:
        """`memset` and its like: what a call says gets names, and the loops are statements over these."""
        to = self.pointer(values[0], loc)
        element = whole.element_of(to, loc)
        source = None
        if name == "memset":
            text = whole.fill_text(values[1], element, loc)
            source = c_ast.Constant("unsigned long int", f"{text}UL", loc)
        else:
            whole.check_source(name, to, self.pointer(values[1], loc), loc)
        with self.scope():
            for known, value in ((whole.TO, to), (whole.FROM, values[1])):
                if isinstance(value, Ptr):
                    variable = self.variable(known, Pointer(value.to), loc)
                    self.store(variable, value, loc)
                    self.declare(known, variable)
            self.declare(whole.COUNT, self._steps(values[2], to, element.width // 8, loc))
            self.statement(whole.loops(to.to, source, loc))
        return to

    def _steps(self, size: Value, pointer: Ptr, width: int, loc: Loc) -> Sym | Data:
        """A number of bytes as a number of what a pointer points to."""
        bytes_ = self.converted(size, SIZE, loc)
        unit = size_of(pointer.to, loc).constant
        if unit is None:
            raise Refused(loc, "bytes of rows whose length is not a constant")
        unit *= width
        if not isinstance(bytes_, Sym):
            count = self.binary("/", bytes_, Sym(const(unit), SIZE), loc)
            return self.data(self.converted(count, LONG, loc), loc)
        if any(c % unit for _, c in bytes_.form.terms):
            raise Refused(loc, f"bytes that are not known to be whole elements or rows of {unit}")
        return Sym(bytes_.form.floordiv(unit), LONG)

    # ---- inlining ----------------------------------------------------------------------------------

    def _inlined(self, name: str, arguments: list[Any], loc: Loc) -> Value:
        if name in self.calls:
            raise Refused(loc, f"calls '{name}' recursively")
        if len(self.calls) >= MAX_CALLS:
            raise Refused(loc, "calls are nested too deeply")
        function = self.unit.functions[name]
        parameters = parameters_of(function)
        if len(parameters) != len(arguments):
            raise Refused(loc, f"calls '{name}' with {len(arguments)} arguments in place of {len(parameters)}")
        values = [self.value(a) for a in arguments]
        outer = self.calls, self.path, self.scopes
        self.calls, self.path = (*self.calls, name), f"{self.path}{name}:{loc.line}:{loc.col}/"
        # The scopes are a new list over the same globals, so that what is declared stays inside.
        self.scopes = [self.scopes[0], {}]
        try:
            for parameter, value in zip(parameters, values, strict=True):
                self._bind(parameter, value, loc)
            return self.body_value(function)
        finally:
            self.calls, self.path, self.scopes = outer

    def _bind(self, node: Any, value: Value, loc: Loc) -> None:
        t = self.parameter_type(node)
        if not isinstance(t, Number):
            to = t.to if isinstance(t, Pointer) else t.element
            variable = self.variable(node.name, Pointer(to), place(node))
            self.store(variable, value, loc)
        else:
            converted = self.converted(value, t, loc)
            variable = self.variable(node.name, t, place(node))
            if variable.cell is None and not isinstance(converted, Sym | Extremum | Cases):
                variable = Variable(variable.key, t, self.cell(node.name, t, loc))
            self.store(variable, converted, loc)
        self.declare(node.name, variable)

    def body_value(self, function: Any) -> Value:
        """Run a function's body; what it returns."""
        t = self.type_of(function.decl.type.type)
        items = function.body.block_items or []
        if isinstance(t, Void):
            self.returning(items, None)
            return Nothing()
        if not isinstance(t, Number):
            raise Refused(place(function.decl), "a function that returns a pointer or a struct")
        if items and isinstance(items[-1], c_ast.Return) and not any(has_return(i) for i in items[:-1]):
            with self.scope():
                for item in items[:-1]:
                    self.statement(item)
                return self._returned(items[-1], t)
        result = self.variable("result", t, place(function.decl))
        self.returning(items, result)
        return self.load(result, place(function.decl))

    def _returned(self, node: Any, t: Number) -> Value:
        loc = place(node)
        if node.expr is None:
            raise Refused(loc, "a return without a value")
        return self.converted(self.value(node.expr), t, loc)

    def returning(self, items: list[Any], result: Variable | None) -> None:
        """Run statements some of which return; what follows a branch that returns goes into the other one."""
        with self.scope():
            for k, item in enumerate(items):
                if not has_return(item):
                    self.statement(item)
                    continue
                self._leaving(item, items[k + 1 :], result)
                return

    def _leaving(self, item: Any, rest: list[Any], result: Variable | None) -> None:
        loc = place(item)
        if isinstance(item, c_ast.Return):
            if result is not None:
                assert isinstance(result.type, Number)
                self.store(result, self._returned(item, result.type), loc)
            elif item.expr is not None:
                self.value(item.expr)
        elif isinstance(item, c_ast.Compound):
            self.returning([*(item.block_items or []), *rest], result)
        elif isinstance(item, c_ast.If):
            bodies = [[*_items(part), *([] if always_returns(part) else rest)] for part in (item.iftrue, item.iffalse)]
            self.branch(item.cond, lambda: self.returning(bodies[0], result), lambda: self.returning(bodies[1], result))
        else:
            raise Refused(place(first_return(item)), "returns from inside of a loop")


def parameters_of(function: Any) -> list[Any]:
    """The declarations of a function's parameters."""
    arguments = function.decl.type.args
    found = list(arguments.params) if arguments is not None else []
    for node in found:
        if isinstance(node, c_ast.EllipsisParam | c_ast.ID):
            raise Refused(place(node), "a variable number of parameters, or parameters without a type")
    return [p for p in found if not _is_void(p)]


def _is_void(node: Any) -> bool:
    t = getattr(node, "type", None)
    return isinstance(t, c_ast.TypeDecl) and getattr(t.type, "names", None) == ["void"] and node.name is None


def _items(node: Any) -> list[Any]:
    if node is None:
        return []
    return list(node.block_items or []) if isinstance(node, c_ast.Compound) else [node]


def first_return(node: Any) -> Any:
    """The first `return` in a statement, None if there is none."""
    if node is None or isinstance(node, c_ast.Return):
        return node
    if not isinstance(node, _HOLDING):
        return None
    return next((found for child in node if (found := first_return(child)) is not None), None)


def has_return(node: Any) -> bool:
    """True if a statement holds a `return`."""
    return first_return(node) is not None


def always_returns(node: Any) -> bool:
    """True if control never goes past a statement."""
    if isinstance(node, c_ast.Compound):
        return any(always_returns(item) for item in node.block_items or [])
    if isinstance(node, c_ast.If):
        return always_returns(node.iftrue) and always_returns(node.iffalse)
    return isinstance(node, c_ast.Return)


def called_names(node: Any) -> list[str]:
    """The functions that a statement calls by name."""
    found: dict[str, None] = {}
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, c_ast.FuncCall) and isinstance(part.name, c_ast.ID):
            found[part.name.name] = None
        pending += reversed([*part])
    return list(found)
