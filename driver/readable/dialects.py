"""What differs between NumPy and JAX: stores, loops, conditions.

NumPy changes arrays where they are. JAX makes new ones: a name gets a new value, and what a loop or a branch gives
names to is passed in and out as a tuple (`lax.fori_loop`, `lax.cond`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from raising.readable.python_nodes import Node, assign, attribute, call, constant, name, names_in, pair, subscript

_SIZED = {"range", "arange", "zeros", "ones", "empty", "full", "broadcast_to", "eye"}


class NumPy:
    """Arrays that are changed in place."""

    module = "np"
    imports = ("import numpy as np",)
    in_place = True

    def stored(self, target: ast.Subscript, value: Node) -> ast.stmt:
        """Assign to a part of an array; `C[:] = C + x` is left to who reads it."""
        return assign(target, value)

    def whole(self, target: str, rank: int, value: Node) -> ast.stmt:
        """Assign to all of an array."""
        return assign(subscript(name(target), [ast.Slice()] if rank else []), value)

    def loop(self, counter: str, bounds: Sequence[Node], body: list[ast.stmt], known: Iterable[str]) -> list[ast.stmt]:
        """`for counter in range(...)`."""
        return [_for(counter, bounds, body)]

    def branch(
        self, test: Node, yes: list[ast.stmt], no: list[ast.stmt], static: bool, known: Iterable[str], results: set[str]
    ) -> list[ast.stmt]:
        """The statements for a branch on `test`."""
        return _if(test, yes, no)


class Jax:
    """Arrays that never change."""

    module = "jnp"
    imports = ("import jax.numpy as jnp", "from jax import lax")
    in_place = False

    def __init__(self) -> None:
        self._bodies = 0

    def stored(self, target: ast.Subscript, value: Node) -> ast.stmt:
        """`A = A.at[...].set(value)`."""
        at = ast.Subscript(attribute(target.value, "at"), target.slice, ast.Load())
        return assign(target.value, call(attribute(at, "set"), value))

    def whole(self, target: str, rank: int, value: Node) -> ast.stmt:
        """The name gets another array."""
        return assign(name(target), value)

    def loop(self, counter: str, bounds: Sequence[Node], body: list[ast.stmt], known: Iterable[str]) -> list[ast.stmt]:
        """`lax.fori_loop` over what the body changes; a `for`, which is unrolled, where sizes depend on the counter."""
        made = _assigned(body)
        low, high, step = bounds
        carried = sorted(made & set(known))
        if not (isinstance(step, ast.Constant) and step.value == 1) or _sizes_change(body, {counter} | made):
            return [_for(counter, bounds, body)]
        if not carried:
            return []
        function = self._function("body", [counter, "carried"], carried, body)
        parts = pair([name(c) for c in carried])
        run = call("lax.fori_loop", low, high, name(function.name), _one(carried))
        return [function, assign(_one(carried) if len(carried) == 1 else parts, run)]

    def branch(
        self, test: Node, yes: list[ast.stmt], no: list[ast.stmt], static: bool, known: Iterable[str], results: set[str]
    ) -> list[ast.stmt]:
        """`lax.cond` over what the branches change; `if` where the sizes decide."""
        if static:
            return _if(test, yes, no)
        made = _assigned(yes) | _assigned(no)
        taken = sorted(made & set(known))
        given = sorted((made & set(known)) | results)
        if not given:
            return []
        functions = [
            self._function(word, ["carried"], taken, statements, given)
            for word, statements in (("then", yes), ("other", no))
        ]
        run = call("lax.cond", test, *(name(f.name) for f in functions), _one(taken) if taken else constant(None))
        return [*functions, assign(_one(given), run)]

    def _function(
        self, word: str, parameters: list[str], taken: list[str], body: list[ast.stmt], given: list[str] | None = None
    ) -> ast.FunctionDef:
        self._bodies += 1
        title = word if self._bodies == 1 else f"{word}_{self._bodies}"
        if len(taken) == 1:
            parameters = [taken[0] if p == "carried" else p for p in parameters]
        opened = [assign(_one(taken), name("carried"))] if len(taken) > 1 else []
        ending: ast.stmt = ast.Return(_one(taken if given is None else given))
        arguments = ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])
        return ast.FunctionDef(title, arguments, [*opened, *body, ending], [], lineno=0)


Dialect = NumPy | Jax
DIALECTS: dict[str, type[NumPy] | type[Jax]] = {"numpy": NumPy, "jax": Jax}


def _one(names: Sequence[str]) -> Node:
    return name(names[0]) if len(names) == 1 else pair([name(n) for n in names])


def _for(counter: str, bounds: Sequence[Node], body: list[ast.stmt]) -> ast.stmt:
    low, high, step = bounds
    given = [low, high, step]
    if isinstance(step, ast.Constant) and step.value == 1:
        given = [high] if isinstance(low, ast.Constant) and low.value == 0 else [low, high]
    target = ast.Name(counter, ast.Store())
    return ast.For(target, call("range", *given), body or [ast.Pass()], [], lineno=0)


def _if(test: Node, yes: list[ast.stmt], no: list[ast.stmt]) -> list[ast.stmt]:
    if not yes and not no:
        return []
    if not yes:
        return [ast.If(ast.UnaryOp(ast.Not(), test), no, [])]
    return [ast.If(test, yes, no)]


def _assigned(body: Sequence[ast.stmt]) -> set[str]:
    """The names that statements give values to, without those inside of functions that they define."""
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
    return found


def _sizes_change(body: Sequence[ast.stmt], names: set[str]) -> bool:
    """Whether the size of an array depends on one of these names."""
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Slice) and names & names_in(node):
                return True
            if isinstance(node, ast.For):
                return True  # it was not made a loop of JAX for the same reason
            if isinstance(node, ast.Call) and _name_of(node.func) in _SIZED:
                if names & {n for a in node.args[-1:] for n in names_in(a)} and _name_of(node.func) != "full":
                    return True
                if names & names_in(node.args[0]):
                    return True
    return False


def _name_of(function: Node) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )
