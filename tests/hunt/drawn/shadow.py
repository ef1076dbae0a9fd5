"""What C does with memory that is shared or lives longer than a call, said by a function of plain arguments.

A function whose pointers may overlap has as its shadow one of a single array, in which the second pointer is a
distance; one with globals a function to which they are given. The shadow says what a call has to do; `entry` calls
the function itself with the shadow's arguments.
"""

from __future__ import annotations

import ctypes
import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tests.hunt.calls import ROOM, Placed, passing
from tests.hunt.drawn.tree import (
    C_NAMES,
    FLOATS,
    NUMPY,
    Array,
    Bin,
    Elem,
    Function,
    Global,
    Node,
    Num,
    Scalar,
    Set,
    Var,
    mapped,
    walk,
)
from tests.hunt.spell import c as spell_c

DISTANCE = "distance"


def shadow(function: Function) -> Function:
    """The function of plain arguments; the function itself if it shares nothing."""
    return _without_globals(_overlapping(function))


def _overlapping(function: Function) -> Function:
    arrays = [p for p in function.params if isinstance(p, Array)]
    if all(a.restrict for a in arrays) or len(arrays) < 2:
        return function
    first, second = arrays[:2]

    def change(node: Node) -> Node:
        if isinstance(node, Elem) and node.array == second.name:
            return Elem(first.name, (Bin("+", Var(DISTANCE), node.subs[0]),))
        return node

    params = tuple(p for p in function.params if p is not second)
    return replace(function, params=(Scalar(DISTANCE, "i32", True), *params), body=mapped(function.body, change))


def _without_globals(function: Function) -> Function:
    scalars = {g.what.name for g in function.globals if isinstance(g.what, Scalar)}

    def change(node: Node) -> Node:
        return Elem(node.name, (Num(0),)) if isinstance(node, Var) and node.name in scalars else node

    given = tuple(replace(_cell(g.what), values=g.init if "const" in g.linkage else ()) for g in function.globals)
    return replace(function, params=(*function.params, *given), body=mapped(function.body, change), globals=())


def _cell(p: Array | Scalar) -> Array:
    """A global as an array."""
    return p if isinstance(p, Array) else Array(p.name, p.type, (Num(1),))


# ---- drawing -------------------------------------------------------------------------------------


def with_globals(function: Function, rng: random.Random) -> Function:
    """Some arrays of constant extents and the scalar as globals."""
    written = {n.target.array for n in walk(function.body) if isinstance(n, Set) and isinstance(n.target, Elem)}
    found: list[Global] = []
    for p in function.params:
        closed = isinstance(p, Array) and all(isinstance(d, Num) for d in p.dims)
        if (closed or (isinstance(p, Scalar) and not p.size)) and rng.random() < 0.8:
            linkage = rng.choice(["", "static"] if p.name in written else ["", "static", "const", "static const"])
            init = _initial(p, rng) if "const" in linkage or rng.random() < 0.6 else ()
            found.append(Global(replace(p, restrict=True) if isinstance(p, Array) else p, linkage, init))
    kept = tuple(p for p in function.params if p.name not in {g.what.name for g in found})
    return replace(function, params=kept, globals=tuple(found))


def _initial(p: Array | Scalar, rng: random.Random) -> tuple[float, ...]:
    count = math.prod(int(d.value) for d in _cell(p).dims if isinstance(d, Num))
    few = rng.randint(1, count) if rng.random() < 0.3 else count
    return tuple(float(rng.randint(0, 3)) if p.type in FLOATS else rng.randint(0, 3) for _ in range(few))


# ---- calls ---------------------------------------------------------------------------------------


def text(function: Function, name: str) -> str:
    """The function in C; with globals also `NAME_set` and `NAME_get`, which copy them from and to arguments."""
    found = spell_c.HEADER + spell_c.function(function, name)
    return found + "".join(_copier(function, f"{name}_{way}", way) for way in ("set", "get") if function.globals)


def _copier(function: Function, name: str, way: str) -> str:
    given, lines = [], []
    for g in function.globals:
        cell = _cell(g.what)
        subs = "".join(f"[i{k}]" for k in range(len(cell.dims))) if isinstance(g.what, Array) else ""
        dims = "".join(f"[{spell_c.expression(d)}]" for d in cell.dims if d is not None)
        given.append(f"{C_NAMES[g.what.type]} {g.what.name}_at{dims.replace('[', '[restrict ', 1)}")
        heads = "".join(
            f"for (int i{k} = 0; i{k} < {spell_c.expression(d)}; i{k}++) " for k, d in enumerate(cell.dims) if d
        )
        here, there = f"{g.what.name}{subs}", f"{g.what.name}_at{subs or '[i0]'}"
        if "const" not in g.linkage or way == "get":
            lines.append(f"  {heads}{f'{here} = {there}' if way == 'set' else f'{there} = {here}'};")
    return "\n".join([f"void {name}({', '.join(given)}) {{", *lines, "}", ""])


def entry(function: Function, name: str, library: Any) -> Callable[[Placed], None]:
    """What calls a function of C with the arguments of its shadow."""
    stands, plain = shadow(function), _overlapping(function)
    count = len(plain.params)

    def call(ready: Placed) -> None:
        passed = passing(stands, ready)
        if function.globals:
            getattr(library, f"{name}_set")(*passed[count:])
        getattr(library, name)(*_overlapped(function, passed[:count]))
        if function.globals:
            getattr(library, f"{name}_get")(*passed[count:])

    return call


def _overlapped(function: Function, passed: list[Any]) -> list[Any]:
    """Pointers into one array, where the shadow has a distance."""
    arrays = [p for p in function.params if isinstance(p, Array)]
    if all(a.restrict for a in arrays) or len(arrays) < 2:
        return passed
    distance, rest = passed[0].value, passed[1:]
    found: list[Any] = []
    for p in function.params:
        if p is arrays[1]:
            start = found[[q.name for q in function.params].index(arrays[0].name)].value
            found.append(ctypes.c_void_p(start + distance * np.dtype(arrays[1].type.replace("bool", "u1")).itemsize))
        else:
            found.append(rest.pop(0))
    return found


def starts_right(function: Function, name: str, library: Any) -> str:
    """How the globals differ from their initial values before any call; empty if they do not."""
    if not function.globals:
        return ""
    found = []
    for g in function.globals:
        count = math.prod(int(d.value) for d in _cell(g.what).dims if isinstance(d, Num))
        found.append(np.full(count + 2 * ROOM, 77).astype(NUMPY[g.what.type]))
    getattr(library, f"{name}_get")(*(ctypes.c_void_p(a.ctypes.data + ROOM * a.itemsize) for a in found))
    for g, a in zip(function.globals, found, strict=True):
        values = a[ROOM:-ROOM].tolist()
        wanted = [*g.init, *[0] * (len(values) - len(g.init))]
        if values != wanted:
            return f"{g.what.name} starts as {values}, not as {wanted}"
    return ""
