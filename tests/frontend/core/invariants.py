"""The invariants of the core, checked: what a reader promises and every pass has to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.build import same
from raising.frontend.core.intrinsics import INTRINSICS
from raising.frontend.core.printer import type_text
from raising.frontend.core.traverse import bodies, inside, own_expressions, statements
from raising.frontend.core.types import Array, Bool, Complex, Float, Int, Pointer, Record, Type, Void, is_number
from raising.support.source import Loc

Problem = tuple[Loc, str]


def verify(unit: st.Unit) -> list[str]:
    """What is wrong with a unit, each with its function and place; empty if nothing is."""
    found = []
    for function in unit.routines.values():
        for loc, text in _Checker(unit, function).problems():
            found.append(f"{loc}: {function.name}: {text}")
    return found


class _Checker:
    def __init__(self, unit: st.Unit, function: st.Function) -> None:
        self.unit = unit
        self.function = function

    def problems(self) -> Iterator[Problem]:
        body = self.function.body or ()
        yield from self._declarations(body)
        yield from self._jumps(body, False, False)
        for stmt in statements(body):
            yield from self._statement(stmt)
            for root in own_expressions(stmt):
                for node in inside(root):
                    check = _CHECKS.get(type(node))
                    if check is not None:
                        yield from check(self, node)

    # ---- declarations and jumps --------------------------------------------------------------------

    def _declarations(self, body: tuple[st.Stmt, ...]) -> Iterator[Problem]:
        declared = [p.name for p in self.function.parameters]
        for stmt in statements(body):
            if isinstance(stmt, st.Declare):
                declared.append(stmt.variable.name)
            elif isinstance(stmt, st.Call) and stmt.result is not None:
                declared.append(stmt.result.name)
        for name in {n for n in declared if declared.count(n) > 1}:
            yield self.function.loc, f"'{name}' is declared more than once"
        if set(declared) != self.function.variables.keys():
            yield self.function.loc, f"variables differ: {set(declared) ^ self.function.variables.keys()}"
        for name in self.function.variables.keys() & self.unit.globals.keys():
            yield self.function.loc, f"'{name}' is also the name of a global variable"
        labels = [s.label for s in statements(body) if isinstance(s, st.Label)]
        for stmt in statements(body):
            if isinstance(stmt, st.Goto) and labels.count(stmt.label) != 1:
                yield stmt.loc, f"label '{stmt.label}' stands {labels.count(stmt.label)} times"

    def _jumps(self, body: tuple[st.Stmt, ...], in_loop: bool, in_switch: bool) -> Iterator[Problem]:
        for stmt in body:
            if isinstance(stmt, st.Break) and not (in_loop or in_switch):
                yield stmt.loc, "break outside of loops"
            if isinstance(stmt, st.Continue) and not in_loop:
                yield stmt.loc, "continue outside of loops"
            for part in bodies(stmt):
                yield from self._jumps(
                    part, in_loop or isinstance(stmt, st.Loop), in_switch or isinstance(stmt, st.Switch)
                )

    # ---- statements --------------------------------------------------------------------------------

    def _statement(self, stmt: st.Stmt) -> Iterator[Problem]:
        match stmt:
            case st.If() | st.Loop() | st.Assume():
                yield from _expect(
                    isinstance(stmt.condition.type, Bool), stmt.loc, "a condition that is no truth value"
                )
            case st.Assign():
                yield from _equal(stmt.target.type, stmt.value.type, stmt.loc, "an assignment")
            case st.Declare(initial=initial) if initial is not None:
                yield from _equal(stmt.variable.type, initial.type, stmt.loc, "an initial value")
            case st.Switch():
                yield from _expect(isinstance(stmt.value.type, Int), stmt.loc, "a switch on no integer")
            case st.Return():
                result = Void() if stmt.value is None else stmt.value.type
                yield from _equal(self.function.result, result, stmt.loc, "a return")
            case st.Call():
                yield from self._call(stmt)

    def _call(self, stmt: st.Call) -> Iterator[Problem]:
        if not isinstance(stmt.callee, str):
            return
        routine = self.unit.routines.get(stmt.callee)
        if routine is None:
            yield stmt.loc, f"calls '{stmt.callee}', which the unit does not have"
            return
        if stmt.result is not None:
            yield from _equal(routine.result, stmt.result.type, stmt.loc, "a result")
        few = len(stmt.arguments) < len(routine.parameters)
        if few or (len(stmt.arguments) > len(routine.parameters) and not routine.variadic):
            yield stmt.loc, f"{len(stmt.arguments)} arguments for {len(routine.parameters)} parameters"
        for argument, parameter in zip(stmt.arguments, routine.parameters, strict=False):
            if not _has_extents(parameter.type):
                yield from _equal(parameter.type, argument.type, stmt.loc, "an argument")

    # ---- expressions -------------------------------------------------------------------------------

    def name(self, node: ex.Name) -> Iterator[Problem]:
        found = self.function.variables.get(node.name)
        if found is None and node.name in self.unit.globals:
            found = self.unit.globals[node.name].variable
        if found is None:
            yield node.loc, f"no variable '{node.name}'"
        else:
            yield from _equal(found.type, node.type, node.loc, f"variable '{node.name}'")

    def member(self, node: ex.Member) -> Iterator[Problem]:
        t = node.base.type
        fields = self.unit.records[t.name].fields if isinstance(t, Record) and t.name in self.unit.records else None
        if not any(f.name == node.field and same(f.type, node.type) for f in fields or ()):
            yield node.loc, f"no field '{node.field}' of type {type_text(node.type)} in {type_text(t)}"

    def load(self, node: ex.Load) -> Iterator[Problem]:
        yield from _equal(node.source.type, node.type, node.loc, "a load")
        yield from _expect(not isinstance(node.type, Array | Void), node.loc, "a load of an array or of nothing")

    def pointer(self, node: ex.Deref | ex.Offset | ex.Distance | ex.AddressOf | ex.Decay) -> Iterator[Problem]:
        match node:
            case ex.Deref(pointer=p):
                yield from _expect(isinstance(p.type, Pointer), node.loc, "what is read through is no pointer")
                if isinstance(p.type, Pointer):
                    yield from _equal(p.type.to, node.type, node.loc, "what a pointer points to")
            case ex.Offset():
                yield from _expect(isinstance(node.pointer.type, Pointer), node.loc, "an offset of no pointer")
                yield from _expect(isinstance(node.index.type, Int), node.loc, "an index that is no integer")
                yield from _equal(node.pointer.type, node.type, node.loc, "an offset")
            case ex.Distance():
                yield from _equal(node.left.type, node.right.type, node.loc, "a distance")
            case ex.AddressOf():
                yield from _equal(Pointer(node.target.type), node.type, node.loc, "an address")
            case ex.Decay(array=a):
                to = a.type.element if isinstance(a.type, Array) else Void()
                yield from _equal(Pointer(to), node.type, node.loc, "an array as a pointer")

    def operator(self, node: ex.Unary | ex.Binary) -> Iterator[Problem]:
        if isinstance(node, ex.Unary):
            yield from _equal(node.operand.type, node.type, node.loc, node.op)
            yield from _expect(is_number(node.type), node.loc, f"{node.op} of {type_text(node.type)}")
            return
        yield from _equal(node.left.type, node.type, node.loc, f"the left side of {node.op}")
        shift, bits = node.op in ("shl", "shr"), node.op in ("and", "or", "xor")
        if not shift:
            yield from _equal(node.right.type, node.type, node.loc, f"the right side of {node.op}")
        only = Int if shift or node.op == "rem" else Int | Bool if bits else Int | Float | Complex
        good = isinstance(node.type, only) and (not shift or isinstance(node.right.type, Int))
        yield from _expect(good, node.loc, f"{node.op} of {type_text(node.type)}")

    def truth(self, node: ex.Compare | ex.Not | ex.Logical | ex.Select) -> Iterator[Problem]:
        match node:
            case ex.Compare():
                yield from _equal(node.left.type, node.right.type, node.loc, "a comparison")
            case ex.Not():
                yield from _expect(isinstance(node.operand.type, Bool), node.loc, "not of no truth value")
            case ex.Logical():
                both = isinstance(node.left.type, Bool) and isinstance(node.right.type, Bool)
                yield from _expect(both, node.loc, f"{node.op} of no truth values")
            case ex.Select():
                yield from _expect(isinstance(node.condition.type, Bool), node.loc, "a choice by no truth value")
                yield from _equal(node.then.type, node.type, node.loc, "a choice")
                yield from _equal(node.otherwise.type, node.type, node.loc, "a choice")
        yield from _expect(isinstance(node, ex.Select) or isinstance(node.type, Bool), node.loc, "no truth value")

    def intrinsic(self, node: ex.Intrinsic) -> Iterator[Problem]:
        known = INTRINSICS.get(node.name)
        if known is None or len(node.arguments) != known.arity:
            yield node.loc, f"intrinsic '{node.name}' of {len(node.arguments)} arguments"
            return
        of = {"float": Float, "int": Int, "complex": Complex}[known.of]
        for argument in node.arguments:
            yield from _expect(isinstance(argument.type, of), node.loc, f"{node.name} of {type_text(argument.type)}")
            yield from _equal(argument.type, node.arguments[0].type, node.loc, node.name)


_CHECKS: dict[type, Callable[..., Iterator[Problem]]] = {
    ex.Name: _Checker.name,
    ex.Member: _Checker.member,
    ex.Load: _Checker.load,
    ex.Unary: _Checker.operator,
    ex.Binary: _Checker.operator,
    ex.Intrinsic: _Checker.intrinsic,
    **dict.fromkeys((ex.Deref, ex.Offset, ex.Distance, ex.AddressOf, ex.Decay), _Checker.pointer),
    **dict.fromkeys((ex.Compare, ex.Not, ex.Logical, ex.Select), _Checker.truth),
}


def _equal(a: Type, b: Type, loc: Loc, what: str) -> Iterator[Problem]:
    if not same(a, b):
        yield loc, f"{what}: {type_text(a)} and {type_text(b)}"


def _expect(good: bool, loc: Loc, text: str) -> Iterator[Problem]:
    if not good:
        yield loc, text


def _has_extents(t: Type) -> bool:
    """True if a type mentions variables, which are those of the function called."""
    while isinstance(t, Pointer | Array):
        if isinstance(t, Array) and not isinstance(t.extent, int):
            return True
        t = t.to if isinstance(t, Pointer) else t.element
    return False
