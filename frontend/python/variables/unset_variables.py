"""An error in front of what reads a variable that nothing may have set, where Python raises an UnboundLocalError.

    for k in range(n): last = x[k]        for k in range(n): last = x[k]
    return last                           if not n > 0: raise UnboundLocalError
                                          return last

A forward analysis finds the condition under which each variable is set. Where sizes, parameters and the counters of
loops tell it, the error asks for that condition; where data does, the variable gets a flag beside it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from typing import cast

from raising.frontend.python.module import Module
from raising.frontend.python.numpy_library.made_syntax import arguments_of, written
from raising.frontend.python.variables.scopes import assigned, blocks, counters, mentioned

Condition = bool | ast.expr | None
"""When a variable is set: always, never, where an expression is true, or as data decides."""
State = dict[str, Condition]
"""The condition of each variable at a point that control may reach; a variable that is missing is not set."""


def with_errors_of_unset(module: Module, function: ast.FunctionDef, unused: Callable[[str], str]) -> None:
    """Put the errors into a function whose loops count, in place. `unused` makes a name that it does not have."""
    flow = _Flow(module, function)
    flow.block(function.body, {})
    flags = {name: unused(f"{name}_is_set") for name in sorted(flow.flagged)}
    for block in [function.body, *(b for n in ast.walk(function) if isinstance(n, ast.stmt) for b in blocks(n))]:
        whole = cast(list[ast.stmt], block)
        whole[:] = [made for node in whole for made in _with_errors(node, flow.asked.get(id(node), {}), flags)]
    function.body[:0] = [s for flag in flags.values() for s in written("flag = False", function.body[0], flag=flag)]


def _with_errors(node: ast.stmt, asked: Mapping[str, _Asked], flags: Mapping[str, str]) -> list[ast.stmt]:
    """A statement behind the errors of what it reads, and in front of the flags of what it sets."""
    found: list[ast.stmt] = []
    for name, (guards, condition) in asked.items():
        test = deepcopy(_expression(condition)) if condition is not None else ast.Name(flags[name], ast.Load())
        told = ast.Constant(f"'{name}' is not set on this path")
        made = written("if not test: raise UnboundLocalError(told)", node, test=test, told=told)
        for guard in reversed(guards):
            made = written("if guard: made", node, guard=deepcopy(guard), made=made)
        found += made
    own = () if blocks(node) else sorted(assigned([node]) & flags.keys())
    return [*found, node, *(s for name in own for s in written("flag = True", node, flag=flags[name]))]


_Asked = tuple[tuple[ast.expr, ...], Condition]
"""What has to hold for a variable to be read, and when it is set."""


class _Flow:
    """The analysis: what each statement has to ask is in `asked`, and variables that need a flag in `flagged`."""

    def __init__(self, module: Module, function: ast.FunctionDef) -> None:
        self.module, self.body = module, function.body
        self.sets = _assignments(function)
        arguments = {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
        counting = {c for n in ast.walk(function) if isinstance(n, ast.For) for c in counters(n.target)}
        self.names = assigned(function.body) - arguments - counting
        self.asked: dict[int, dict[str, _Asked]] = {}
        self.flagged: set[str] = set()
        self.around: list[str] = []  # the counters of the loops around
        self.leaving: list[tuple[list[State], list[State]]] = []  # those of `continue` and `break`, of each such loop

    def block(self, body: Iterable[ast.stmt], state: State | None) -> State | None:
        """The state behind a block; None if control does not come there."""
        for node in body:
            if state is None:
                return None
            state = self._statement(node, state)
        return state

    def _statement(self, node: ast.stmt, state: State) -> State | None:
        match node:
            case ast.Assert() | ast.Pass():
                return state
            case ast.Raise():
                return None
            case ast.Continue() | ast.Break():
                self.leaving[-1][isinstance(node, ast.Break)].append(state)
                return None
            case ast.If(test=test):
                state = self._read(node, (test,), state)
                return self._joined(test, self.block(node.body, dict(state)), self.block(node.orelse, dict(state)))
            case ast.For(iter=source):
                return self._loop(node, self._read(node, (source,), state))
            case ast.While(test=test):
                return self._loop(node, self._read(node, (test,), state))
        updated = [node.target] if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) else []
        state = self._read(node, (node, *(ast.Name(n.id, ast.Load()) for n in updated)), state)
        return None if isinstance(node, ast.Return) else state | dict.fromkeys(assigned([node]) & self.names, True)

    def _read(self, node: ast.stmt, parts: Iterable[ast.AST], state: State) -> State:
        """Ask for what a statement reads; it is set from then on."""
        state = dict(state)
        for name, guards in [found for part in parts for found in _reads(part, ())]:
            condition = state.get(name, False)
            if name not in self.names or condition is True:
                continue
            self.asked.setdefault(id(node), {})[name] = (guards, condition)
            if condition is None:
                self.flagged.add(name)
            if not guards:
                state[name] = True
        return state

    def _loop(self, node: ast.For | ast.While, before: State) -> State | None:
        """The state behind a loop, whose body begins as it is in front of it or as an iteration left it."""
        runs, later = self._runs(node), self._is_later(node)
        around, flagged = self.around, set(self.flagged)
        asked = {number: dict(found) for number, found in self.asked.items()}
        self.around = [*around, *counters(node.target)] if isinstance(node, ast.For) else around
        alone, _ = self._round(node, {})
        self.asked, self.flagged = asked, flagged  # what was asked of a body that begins with nothing
        start = {n: _either(before.get(n, False), _both(later, alone.get(n, False))) for n in self.names}
        _, breaks = self._round(node, start)
        self.around = around
        inside = frozenset(counters(node.target)) if isinstance(node, ast.For) else frozenset[str]()
        behind: list[State] = [] if runs is True and isinstance(node, ast.While) else [
            {n: _either(before.get(n, False), _both(runs, _outside(alone.get(n, False), inside))) for n in self.names}
        ]  # fmt: skip
        return _one([*behind, *({n: _outside(c, inside) for n, c in state.items()} for state in breaks)])

    def _round(self, node: ast.For | ast.While, start: State) -> tuple[State, list[State]]:
        """The state behind one iteration, and those in which it leaves the loop."""
        self.leaving.append(([], []))
        end = self.block(node.body, dict(start))
        goes_on, breaks = self.leaving.pop()
        return _one([*goes_on, *([end] if end is not None else [])]) or dict.fromkeys(self.names, True), breaks

    def _joined(self, test: ast.expr, then: State | None, otherwise: State | None) -> State | None:
        if then is None or otherwise is None:
            return then if otherwise is None else otherwise
        known = test if self._is_stable(test) else None
        found: State = {}
        for name in then.keys() | otherwise.keys():
            one, other = then.get(name, False), otherwise.get(name, False)
            chosen = _either(_both(known, one), _both(_no(known), other))
            found[name] = one if _same(one, other) else chosen
        return found

    # ---- conditions that stay what they are ----------------------------------------------------------

    def _runs(self, node: ast.For | ast.While) -> Condition:
        """Whether a loop does something."""
        if isinstance(node, ast.While):
            return True if isinstance(node.test, ast.Constant) and node.test.value else None
        bounds, step = self._range(node)
        if not bounds or not all(map(self._is_stable, bounds)):
            return None
        low, high = bounds
        ends = [self.module.number(end) for end in bounds]
        if ends[0] is not None and ends[1] is not None:
            return ends[0] < ends[1] if step > 0 else ends[0] > ends[1]
        return ast.Compare(high, [ast.Gt() if step > 0 else ast.Lt()], [low])

    def _is_later(self, node: ast.For | ast.While) -> Condition:
        """Whether an iteration is not the first."""
        if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name):
            return None
        bounds, _ = self._range(node)
        if not bounds or not self._is_stable(bounds[0]):
            return None
        return ast.Compare(ast.Name(node.target.id, ast.Load()), [ast.NotEq()], [bounds[0]])

    def _range(self, node: ast.For) -> tuple[list[ast.expr], int]:
        """The start and the end of a range, and its step; none if it has another or none."""
        names = ("range", "prange", "numba.prange", "numba.range")
        given = next((found for name in names if (found := arguments_of(self.module, node.iter, name))), [])
        step = self.module.number(given[2]) if len(given) == 3 else 1
        if not given or not isinstance(step, int):
            return [], 1
        return (given[:2] if len(given) > 1 else [ast.Constant(0), given[0]]), step

    def _is_stable(self, node: ast.AST) -> bool:
        """Whether an expression is the same wherever it stands: made of constants, extents, parameters, counters of
        the loops around, and variables that the function sets once, at its top, to such."""
        match node:
            case ast.Constant(value=int() | float()):
                return True
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name()]) | ast.Attribute(value=ast.Name(), attr="size"):
                return True
            case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape"), slice=ast.Constant()):
                return True
            case ast.Name(id=name):
                return name in self.around or self._is_fixed(name)
            case ast.UnaryOp(op=ast.Not() | ast.USub()) | ast.BoolOp() | ast.Compare():
                return all(map(self._is_stable, _operands(node)))
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv()):
                return all(map(self._is_stable, _operands(node)))
        return False

    def _is_fixed(self, name: str) -> bool:
        match self.sets.get(name, []):
            case [ast.arg()]:
                return True
            case [ast.Assign(targets=[ast.Name()], value=value) as one] if one in self.body:
                return self._is_stable(value)
        return False


def _operands(node: ast.AST) -> list[ast.expr]:
    return [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]


def _assignments(function: ast.FunctionDef) -> dict[str, list[ast.AST]]:
    """What sets each name: a parameter, a loop, or a statement."""
    found: dict[str, list[ast.AST]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            found.setdefault(node.arg, []).append(node)
        elif isinstance(node, ast.stmt) and node is not function:
            parts = (node.target,) if isinstance(node, ast.For) else () if blocks(node) else (node,)
            for name in assigned(parts):
                found.setdefault(name, []).append(node)
    return found


def _reads(node: ast.AST, guards: tuple[ast.expr, ...]) -> Iterator[tuple[str, tuple[ast.expr, ...]]]:
    """The names that are read, each with what has to hold for that."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            yield name, guards
        case ast.BoolOp(op=op, values=values):
            for k, part in enumerate(values):
                before = values[:k] if isinstance(op, ast.And) else [ast.UnaryOp(ast.Not(), v) for v in values[:k]]
                yield from _reads(part, (*guards, *before))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield from _reads(test, guards)
            yield from _reads(body, (*guards, test))
            yield from _reads(orelse, (*guards, ast.UnaryOp(ast.Not(), test)))
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _reads(child, guards)


# ---- the algebra of conditions -----------------------------------------------------------------------


def _expression(condition: bool | ast.expr) -> ast.expr:
    return ast.Constant(condition) if isinstance(condition, bool) else condition


def _same(one: Condition, other: Condition) -> bool:
    if isinstance(one, ast.expr) and isinstance(other, ast.expr):
        return ast.dump(one) == ast.dump(other)
    return one is other and one is not None


def _both(one: Condition, other: Condition) -> Condition:
    return _combined(ast.And(), False, one, other)


def _either(one: Condition, other: Condition) -> Condition:
    return _combined(ast.Or(), True, one, other)


def _combined(op: ast.boolop, alone: bool, one: Condition, other: Condition) -> Condition:
    """Two conditions by an operation of which `alone` is the result as soon as one of them is that."""
    if one is alone or other is alone:
        return alone
    if isinstance(one, bool) or isinstance(other, bool) or _same(one, other):
        return other if isinstance(one, bool) else one
    return None if one is None or other is None else ast.BoolOp(op, [one, other])


def _no(condition: Condition) -> Condition:
    if isinstance(condition, ast.expr):
        return ast.UnaryOp(ast.Not(), condition)
    return condition if condition is None else not condition


def _outside(condition: Condition, counting: frozenset[str]) -> Condition:
    """A condition behind a loop, where its counters mean nothing."""
    return None if isinstance(condition, ast.expr) and mentioned([condition]) & counting else condition


def _one(states: list[State]) -> State | None:
    """What holds where control comes from several points; None if it comes from none."""
    if not states:
        return None
    first, *rest = states
    names = {name for state in states for name in state}
    return {
        n: first.get(n, False) if all(_same(first.get(n, False), s.get(n, False)) for s in rest) else None
        for n in names
    }
