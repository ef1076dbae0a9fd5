"""A program of NumPy as one of JAX: by hand where `jax_hand` has it, else by machine.

By machine: `np` becomes `jnp`; what is stored gives the array's name a new array; loops become `lax.fori_loop` where no
size depends on the counter, and are unrolled elsewhere; conditions on data become `lax.cond` or `jnp.where`. The
function returns what it returned and the parameters that it changed.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from raising.readable.dialects import Jax
from raising.readable.python_nodes import Node, assign, attribute, binary, call, constant, name, pair
from tests.bench.programs import jax_hand
from tests.bench.programs.register import Program


@dataclass(frozen=True)
class JaxForm:
    """A function under `jax.jit`; `written` are the places of the parameters that it returns behind its result."""

    function: Callable[..., Any]
    written: tuple[int, ...]

    def given(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments as JAX has them, on the device."""
        import jax

        made = [jax.numpy.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        found: tuple[Any, ...] = jax.block_until_ready(tuple(made))
        return found

    def __call__(self, *arguments: Any) -> Any:
        """As the function of NumPy: arrays of the arguments are changed."""
        result, changed = self.function(*self.given(arguments))
        for place, value in zip(self.written, changed, strict=True):
            arguments[place][...] = np.asarray(value)
        return tuple(map(np.asarray, result)) if isinstance(result, tuple) else _plain(result)


def _plain(result: Any) -> Any:
    return None if result is None else np.asarray(result)


def jax_form(program: Program, arguments: tuple[Any, ...]) -> JaxForm:
    """The program under `jax.jit`; integers are constants of it."""
    import jax

    hand = getattr(jax_hand, program.name, None)
    source = textwrap.dedent(inspect.getsource(hand or program.function))
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    parameters = [a.arg for a in function.args.args]
    written = _Form(parameters).rewritten(function)
    module = ast.fix_missing_locations(ast.Module([function], []))
    space = {**vars(jax_hand), **_names(jax)}
    exec(compile(module, program.name, "exec"), space)  # a function of this folder
    static = tuple(k for k, a in enumerate(arguments) if isinstance(a, int))
    compiled = jax.jit(space[program.name], static_argnums=static)
    return JaxForm(compiled, tuple(parameters.index(w) for w in written))


def _names(jax: Any) -> dict[str, Any]:
    jnp = jax.numpy
    return {
        "np": jnp,
        "jnp": jnp,
        "lax": jax.lax,
        "min": lambda *given: reduce(jnp.minimum, given),
        "max": lambda *given: reduce(jnp.maximum, given),
    }


class _Form:
    """Rewrites statements; `known` are the names that have values."""

    def __init__(self, parameters: list[str]) -> None:
        self.parameters, self.jax, self.known, self.stored = parameters, Jax(), set(parameters), set[str]()

    def rewritten(self, function: ast.FunctionDef) -> list[str]:
        """Rewrites a function where it is; returns the parameters that it changes."""
        function.decorator_list = []
        for node in ast.walk(function):
            target = node.target if isinstance(node, ast.AugAssign) else None
            targets = node.targets if isinstance(node, ast.Assign) else [target] if target else []
            self.stored |= {_base(t) for t in targets if isinstance(t, ast.Subscript)}
            self.stored |= {target.id} if isinstance(target, ast.Name) else set()
        written = [p for p in self.parameters if p in self.stored]
        body = function.body
        last = body.pop() if isinstance(body[-1], ast.Return) else ast.Return(None)
        assert isinstance(last, ast.Return)
        result = _Selections().visit(last.value) if last.value else constant(None)
        changed = pair([name(w) for w in written])
        function.body = [*self._all(body), ast.Return(ast.Tuple([result, changed], ast.Load()))]
        return written

    def _all(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [made for statement in body for made in self._one(statement)]

    def _one(self, statement: ast.stmt) -> list[ast.stmt]:
        if isinstance(statement, ast.For):
            return self._loop(statement)
        if isinstance(statement, ast.If):
            before = set(self.known)
            yes, no = self._all(statement.body), self._all(statement.orelse)
            return self.jax.branch(_Selections().visit(statement.test), yes, no, False, before, set())
        statement = _Selections().visit(statement)
        if isinstance(statement, ast.AugAssign):
            read = ast.parse(ast.unparse(statement.target), mode="eval").body
            return self._one(ast.Assign([statement.target], ast.BinOp(read, statement.op, statement.value), lineno=0))
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
            return [_stored(statement.targets[0], statement.value)]
        self.known |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return [statement]

    def _loop(self, statement: ast.For) -> list[ast.stmt]:
        if not isinstance(statement.iter, ast.Call) or not isinstance(statement.target, ast.Name):  # over a few values
            return [ast.For(statement.target, statement.iter, self._all(statement.body), [], lineno=0)]
        given, counter = statement.iter.args, statement.target.id
        low, high = (constant(0), given[0]) if len(given) == 1 else (given[0], given[1])
        before, body = set(self.known), statement.body
        if len(given) == 3:  # downwards by one
            turned = binary(ast.Sub, low, name("turn"))
            body = [assign(name(counter), turned), *body]
            low, high, counter = constant(0), binary(ast.Sub, low, high), "turn"
        made = self.jax.loop(counter, (low, high, constant(1)), self._all(body), before)
        self.known = before
        return made


def _base(target: Node) -> str:
    while isinstance(target, ast.Subscript):
        target = target.value
    return ast.unparse(target)


def _stored(target: ast.Subscript, value: Node) -> ast.stmt:
    """`A = A.at[...].set(value)`, through parts of parts."""
    at = ast.Subscript(attribute(target.value, "at"), target.slice, ast.Load())
    made = call(attribute(at, "set"), value)
    if isinstance(target.value, ast.Subscript):
        return _stored(target.value, made)
    return assign(target.value, made)


class _Selections(ast.NodeTransformer):
    """`a if test else b` is a selection."""

    def visit_IfExp(self, node: ast.IfExp) -> Node:
        self.generic_visit(node)
        return call("jnp.where", node.test, node.body, node.orelse)
