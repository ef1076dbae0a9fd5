"""A function of the core whose accesses are looked at when they run: what is kept as it is written is safe to call.

Each access of an array asks whether it lies inside; what was assumed is asked where it stands. Where the answer is no,
its number is stored in an array of one element that the function gets behind its parameters, nothing is read or
written there, and loops on conditions end. Functions of arrays that it calls do the same, and get that array too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.leaving_jumps import leaves
from raising.frontend.core.traverse import (
    bodies,
    inside,
    operands,
    own_expressions,
    statements,
    with_bodies,
    with_operands,
)
from raising.frontend.core.types import I64, Array, Int, Pointer, Type
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.polynomial import Poly, const, var
from raising.support.record import dataclass
from raising.support.source import Loc

_UNSIGNED = Int(64, signed=False)
_DEPTH = 20
OUTSIDE = ""
"""The reason of an access that lies outside; others are what was needed."""


@dataclass(frozen=True)
class Need:
    """What must not be negative in a call, over sizes and integers that are parameters, and that in words."""

    text: str
    form: Poly
    loc: Loc


@dataclass(frozen=True)
class Checked:
    """The function, the unit with what it calls, and for each number but 0 where it is stored and why.

    The `needs` are of each call.
    """

    unit: st.Unit
    function: st.Function
    reasons: tuple[tuple[Loc, str], ...]
    needs: tuple[Need, ...]


def checked(unit: st.Unit, function: st.Function, sizes: Mapping[str, Collection[str]], name: str) -> Checked:
    """The function with a last parameter `name`; `Refused` if data decides on lengths of arrays.

    Of each function, the parameters that are in `sizes` are extents of arrays.
    """
    file = _File(unit, sizes, name, function.name)
    own = {p.name for p in function.parameters if isinstance(p.type, Int)}
    made = file.checked(function, lambda checks: (checks.stored(0, function.loc),), own)
    unit = replace(unit, routines={**unit.routines, **file.made})
    return Checked(unit, made, tuple(file.reasons), tuple(dict.fromkeys(file.needs)))


class _File:
    """The functions that look at their accesses, and the reasons of all of them."""

    def __init__(self, unit: st.Unit, sizes: Mapping[str, Collection[str]], name: str, called: str) -> None:
        self.unit, self.sizes, self.name, self.called = unit, sizes, name, called
        self.made: dict[str, st.Function] = {}
        self.reasons: list[tuple[Loc, str]] = []
        self.needs: list[Need] = []

    def checked(
        self,
        function: st.Function,
        start: Callable[[_Checks], Sequence[st.Stmt]],
        integers: Collection[str] = (),
    ) -> st.Function:
        """A function with the last parameter, and statements at its start; a call tells these `integers`."""
        place = st.Variable(self.name, Pointer(I64), "parameter", function.loc, self.name, length=1)
        checks = _Checks(self, function, place, integers)
        body = (*start(checks), *checks.block(function.body or ()))
        variables = {**function.variables, self.name: place}
        parameters = (*function.parameters, place)
        return st.Function(function.name, function.result, parameters, body, function.loc, variables)

    def callee(self, name: str) -> None:
        """Make a function that is called, once."""
        if name not in self.made:
            self.made[name] = self.checked(self.unit.routines[name], lambda checks: ())


class _Checks:
    def __init__(self, file: _File, function: st.Function, place: st.Variable, integers: Collection[str]) -> None:
        self.file, self.unit, self.place = file, file.unit, place
        self.sizes = file.sizes.get(function.name, ())
        self.lengths = {p.name: p.length for p in function.parameters}
        self.reasons = file.reasons
        self.meanings, self.most = _set_once(function), _counted(function)
        self.bounds: dict[Array, ex.Expr] = {}  # lengths that a call tells, of arrays whose own ones counters tell
        # blocks around, and ways out before: a call comes to the first block of the function that is called
        self.nested = int(function.name != file.called)
        self.integers = {n for n in integers if n not in self.meanings}

    # ---- statements --------------------------------------------------------------------------------

    def stored(self, number: int, loc: Loc) -> st.Assign:
        """The statement that stores a number."""
        return st.Assign(self._cell(loc), build.integer(number, I64, loc), loc)

    def _cell(self, loc: Loc) -> ex.Lvalue:
        return build.element(build.name(self.place, loc), build.integer(0, I64, loc), loc)

    def _failed(self, loc: Loc, why: str) -> st.Stmt:
        """The number of a reason is stored, if none is yet."""
        if (loc, why) not in self.reasons:
            self.reasons.append((loc, why))
        return st.If(self._none(loc), (self.stored(self.reasons.index((loc, why)) + 1, loc),), (), loc)

    def _none(self, loc: Loc) -> ex.Expr:
        return build.compare("eq", build.load(self._cell(loc), loc), build.integer(0, I64, loc), loc)

    def block(self, body: Sequence[st.Stmt]) -> tuple[st.Stmt, ...]:
        """Statements, each behind what it asks."""
        outside, found = self.nested, list[st.Stmt]()
        self.nested += 1
        for stmt in body:
            found += self._statement(stmt)
            self.nested += leaves(stmt)  # what follows may not be reached
        self.nested = outside
        return tuple(found)

    def _statement(self, stmt: st.Stmt) -> Sequence[st.Stmt]:
        loc = stmt.loc
        match stmt:
            case st.Call(callee=callee, arguments=arguments):
                assert isinstance(callee, str)  # Python calls by name
                before = [one for argument in arguments for one in self._asked(argument, loc)]
                given = tuple(map(self.safe, arguments))
                if not self._only_of_numbers(callee):
                    self.file.callee(callee)
                    given = (*given, build.load(build.name(self.place, loc), loc))
                return [*before, replace(stmt, arguments=given)]
            case st.Assign(target=target, value=value):
                wrong = _either([self.wrong(target), self.wrong(value)], loc)
                return [stmt] if wrong is None else [st.If(wrong, (self._failed(loc, OUTSIDE),), (stmt,), loc)]
            case st.Assume(condition=condition, why=why):
                self.nested += bool(why) and not self._told_by_call(condition, why, loc)  # its error comes first
                asked = build.negated(self.safe(condition), loc)
                no = _either([self.wrong(condition), asked], loc)
                return [st.If(no, (self._failed(loc, why),), (), loc)] if why and no else []
            case st.Declare(variable=variable, initial=initial) if initial is None:
                wrong, t = self._with_bounds(variable.type, variable)
                self._check_length(replace(variable, type=t))
                made = st.Declare(replace(variable, type=t), None, loc)
                why = f"array '{variable.source}' has no negative length"
                return [made] if wrong is None else [st.If(wrong, (self._failed(loc, why),), (), loc), made]
            case st.Declare(variable=variable, initial=initial):
                return [*self._asked(initial, loc), st.Declare(variable, self.safe(initial), loc)]
            case st.Return(value=value) if value is not None:
                return [*self._asked(value, loc), st.Return(self.safe(value), loc)]
            case st.If(condition=condition, then=then, otherwise=otherwise):
                made_if = st.If(self.safe(condition), self.block(then), self.block(otherwise), loc)
                return [*self._asked(condition, loc), made_if]
            case st.Loop():
                return [self._loop(stmt)]
        return [with_bodies(stmt, tuple(map(self.block, bodies(stmt)))) if bodies(stmt) else stmt]

    def _loop(self, loop: st.Loop) -> st.Loop:
        loc = loop.loc
        test = (*self.block(loop.test), *self._asked(loop.condition, loc))
        condition = self.safe(loop.condition)
        if loop.keyword == "while":
            condition = build.both(self._none(loc), condition, loc)
        body, step = self.block(loop.body), self.block(loop.step)
        return st.Loop(test, condition, body, step, loop.tests_first, loop.keyword, loc)

    def _asked(self, node: Any, loc: Loc) -> list[st.Stmt]:
        wrong = self.wrong(node)
        return [] if wrong is None else [st.If(wrong, (self._failed(loc, OUTSIDE),), (), loc)]

    def _told_by_call(self, condition: ex.Expr, why: str, loc: Loc) -> bool:
        """Whether a call tells that something holds, which is asked before anything is run if control comes here."""
        match condition:
            case ex.Compare(op="ge", left=left, right=right):
                high, low = self._form(left), self._form(right)
                if high is not None and low is not None and self.nested == 1:
                    self.file.needs.append(Need(why, high - low, loc))
                return high is not None and low is not None
        return False

    def _check_length(self, variable: st.Variable) -> None:
        """Arrays of the function have lengths that the call tells, over sizes and integers that are arguments."""
        t = variable.type
        while isinstance(t, Array):
            form = const(t.extent) if isinstance(t.extent, int) else self._form(t.extent)
            if form is None:
                raise Refused(variable.loc, f"the length of array '{variable.source}' depends on data")
            if any(coefficient < 0 for _, coefficient in form.terms) or not form.names() <= {*self.sizes}:
                text = f"array '{variable.source}' has no negative length"
                self.file.needs.append(Need(text, form, variable.loc))
            t = t.element

    def _with_bounds(self, t: Type, variable: st.Variable) -> tuple[ex.Expr | None, Type]:
        """The type of an array with lengths that a call tells, where loops tell its own; when those are too small."""
        if not isinstance(t, Array):
            return None, t
        inner, element = self._with_bounds(t.element, variable)
        form = const(t.extent) if isinstance(t.extent, int) else self._form(t.extent)
        if form is not None and (self.nested == 1 or all(c >= 0 for _, c in form.terms)):
            return inner, replace(t, element=element)
        assert isinstance(t.extent, ex.Expr)
        loc, own, most = variable.loc, self.safe(t.extent), self._bound(t.extent, variable.loc)
        if most is None:
            raise Refused(loc, f"the length of array '{variable.source}' depends on data")
        self.bounds[t] = most
        sides = build.compare("lt", own, build.integer(0, I64, loc), loc), build.compare("gt", own, most, loc)
        return _either([inner, *sides], loc), replace(t, element=element, extent=most)

    def _bound(self, node: Any, loc: Loc, depth: int = 0) -> ex.Expr | None:
        """What an integer is not greater than, if all that it is made of is not negative, over what a call tells."""
        if depth > _DEPTH:
            return None
        match node:
            case ex.Literal(value=int(value)):
                return build.integer(max(value, 0), I64, loc)
            case ex.Load(source=ex.Name(name=name)):
                known = name in self.sizes or name in self.integers
                return node if known else self._bound(self.meanings.get(name) or self.most.get(name), loc, depth + 1)
            case ex.Binary(op="mul", left=ex.Literal(value=int(value))) if value < 0:
                return build.integer(0, I64, loc)
            case ex.Binary(op="add" | "mul" as op, left=left, right=right):
                a, b = (self._bound(side, loc, depth + 1) for side in (left, right))
                return None if a is None or b is None else build.binary(op, a, b, loc)
            case ex.Binary(op="sub" | "floordiv", left=left):
                return self._bound(left, loc, depth + 1)
            case ex.Convert(operand=operand, type=Int(width=64)):
                return self._bound(operand, loc, depth + 1)
        return None

    def _form(self, node: Any) -> Poly | None:
        """An integer over what a call tells; None for others."""
        match node:
            case ex.Literal(value=int(value)):
                return const(value)
            case ex.Load(source=ex.Name(name=name)):
                known = name in self.sizes or name in self.integers
                return var(name) if known else self._form(self.meanings.get(name))
            case ex.Binary(op="add" | "sub" | "mul" as op, left=left, right=right):
                a, b = self._form(left), self._form(right)
                return None if a is None or b is None else {"add": a + b, "sub": a - b, "mul": a * b}[op]
            case ex.Convert(operand=operand, type=Int(width=64)):
                return self._form(operand)
        return None

    def _only_of_numbers(self, name: str) -> bool:
        """Whether a function that is called accesses no memory, nor those that it calls."""
        for stmt in statements(self.unit.routines[name].body or ()):
            if isinstance(stmt, st.Call) and not (isinstance(stmt.callee, str) and self._only_of_numbers(stmt.callee)):
                return False
            if isinstance(stmt, st.Assume) and stmt.why or isinstance(stmt, st.Declare) and _is_array(stmt.variable):
                return False
            if any(isinstance(part, ex.Deref) for node in own_expressions(stmt) for part in inside(node)):
                return False
        return True

    # ---- expressions -------------------------------------------------------------------------------

    def wrong(self, node: Any) -> ex.Expr | None:
        """Whether some access of an expression lies outside of its array; None if none can."""
        loc = node.loc
        match node:
            case ex.Logical(op=op, left=left, right=right):
                then = self.wrong(right)
                goes_on = self.safe(left) if op == "and" else build.negated(self.safe(left), loc)
                return _either([self.wrong(left), then and build.both(goes_on, then, loc)], loc)
            case ex.Select(condition=condition, then=then, otherwise=otherwise):
                test = self.safe(condition)
                yes, no = self.wrong(then), self.wrong(otherwise)
                each = [yes and build.both(test, yes, loc), no and build.both(build.negated(test, loc), no, loc)]
                return _either([self.wrong(condition), *each], loc)
            case ex.Offset(pointer=pointer, index=index):
                found = [self.wrong(pointer), self.wrong(index)]
                lies = self._inside(pointer, self.safe(index))
                return _either([*found, lies and build.negated(lies, loc)], loc)
        return _either([self.wrong(part) for part in operands(node)], loc)

    def safe(self, node: Any) -> Any:
        """The expression with subscripts of 0 where they would lie outside."""
        made = with_operands(node, self.safe)
        if isinstance(made, ex.Offset):
            lies = self._inside(made.pointer, made.index)
            if lies is not None:
                zero = build.integer(0, made.index.type, node.loc)
                index = ex.Select(lies, made.index, zero, made.index.type, node.loc)
                return ex.Offset(made.pointer, index, made.type, node.loc)
        return made

    def _inside(self, pointer: ex.Expr, index: ex.Expr) -> ex.Expr | None:
        """Whether a subscript lies in what a pointer points into; None if it does in any case."""
        extent, loc = self._extent(pointer), index.loc
        if isinstance(index, ex.Literal) and isinstance(extent, int) and 0 <= index.value < extent:
            return None
        length = build.integer(extent, I64, loc) if isinstance(extent, int) else build.convert(extent, I64, loc)
        bound = self.bounds.get(pointer.array.type) if isinstance(pointer, ex.Decay) else None  # type: ignore[arg-type]
        place, *ends = (
            build.convert(build.convert(n, I64, loc), _UNSIGNED, loc) for n in (index, length, bound) if n is not None
        )
        lies: list[ex.Expr] = [build.compare("lt", place, end, loc) for end in ends]
        return reduce(partial(build.both, loc=loc), lies)

    def _extent(self, pointer: ex.Expr) -> int | ex.Expr:
        extent: int | ex.Expr | None = None
        if isinstance(pointer, ex.Decay) and isinstance(pointer.array.type, Array):
            extent = pointer.array.type.extent
        elif isinstance(pointer, ex.Load) and isinstance(pointer.source, ex.Name):
            extent = self.lengths.get(pointer.source.name)
        if extent is None:
            raise Refused(pointer.loc, "an access of memory whose extent is not known")
        return extent


def _set_once(function: st.Function) -> dict[str, Any]:
    """What each variable is set to; None if it is set more than once, or by a call."""
    found: dict[str, Any] = {}
    for stmt in statements(function.body or ()):
        match stmt:
            case (
                st.Assign(target=ex.Name(name=name), value=value)
                | st.Declare(variable=st.Variable(name=name), initial=value)
            ) if value is not None:
                found[name] = None if name in found else value
            case st.Call(result=st.Variable(name=name)):
                found[name] = None
    return found


def _counted(function: st.Function) -> dict[str, ex.Expr]:
    """What the counters of loops are not greater than."""
    found: dict[str, ex.Expr] = {}
    starts: dict[str, ex.Expr] = {}
    for stmt in statements(function.body or ()):
        match stmt:
            case st.Declare(variable=variable, initial=initial) if isinstance(initial, ex.Expr):
                starts[variable.name] = initial
            case st.Loop(condition=ex.Compare(op=op, left=ex.Load(source=ex.Name(name=name)), right=end)):
                if op in ("lt", "le"):
                    found[name] = end
                elif name in starts:
                    found[name] = starts[name]
    return found


def _is_array(variable: st.Variable) -> bool:
    return isinstance(variable.type, Array)


def _either(found: Sequence[ex.Expr | None], loc: Loc) -> ex.Expr | None:
    some = [one for one in found if one is not None]
    return reduce(lambda a, b: build.either(a, b, loc), some) if some else None
