"""Lists that a loop appends one number to in each round, as arrays that it fills.

found = []                             found = numpy.empty(len(x), dtype=<the type of item>)
for k in range(len(x)):         ->     for k in range(len(x)):
    y = x[k] ** 2                          y = x[k] ** 2
    found.append(y + 1)                    item = y + 1; found[k] = item
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import cast

from raising.frontend.python.module import Module
from raising.frontend.python.numpy_library.made_syntax import arguments_of, expression, numpy_call, placed, written
from raising.frontend.python.variables.scopes import mentioned


def with_filled_arrays(module: Module, function: ast.FunctionDef, unused: Callable[[str], str]) -> None:
    """The function without such lists, in place, where it counts its loops and asks for lists as for arrays alone.

    `unused` makes a name that the function does not have.
    """
    fields = (getattr(n, field, None) for n in ast.walk(function) for field in ("body", "orelse"))
    for block in [b for b in fields if isinstance(b, list)]:
        for start, node in enumerate(block):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])):
                    if (loop := _growing(module, function, block[start + 1 :], name)) is not None:
                        _fill(module, block, block[start], loop, unused(f"{name}_item"))


def _growing(module: Module, function: ast.FunctionDef, behind: Sequence[ast.stmt], name: str) -> ast.For | None:
    """The loop that appends to a list in each round; None where that is not all that happens to it."""
    number = next((k for k, s in enumerate(behind) if name in mentioned([s])), 0)
    loop = behind[number] if behind else None
    bounds = arguments_of(module, loop.iter, "range") if isinstance(loop, ast.For) else []
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or len(bounds) not in (1, 2):
        return None
    added = sum(_appended(s, name) is not None for s in loop.body)
    uses = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(function))
    left = any(isinstance(n, ast.Break | ast.Continue | ast.Return) for n in ast.walk(loop))
    asked = _array_uses(module, behind[number + 1 :], name)
    return loop if added == 1 and not left and uses == 2 + asked else None


def _fill(module: Module, block: list[ast.stmt], list_: ast.Assign, loop: ast.For, item: str) -> None:
    """An array in the place of a list that a loop appends to."""
    (target,), bounds = list_.targets, arguments_of(module, loop.iter, "range")
    assert isinstance(target, ast.Name) and isinstance(loop.target, ast.Name)
    at = next(k for k, s in enumerate(loop.body) if _appended(s, target.id) is not None)
    place, count = expression("k", loop.body[at], k=loop.target.id), bounds[-1]
    if len(bounds) == 2:
        place = expression("k - start", loop.body[at], k=loop.target.id, start=bounds[0])
        count = expression("max(end - start, 0)", list_, end=bounds[1], start=bounds[0])
    kind = numpy_call("result_type", [])
    kind.of = [placed(ast.Name(item, ast.Load()), list_)]  # type: ignore[attr-defined]  # no syntax, as nothing is computed here
    value = cast(ast.expr, _appended(loop.body[at], target.id))
    text = "item = value\nfound[place] = item"
    loop.body[at : at + 1] = written(text, loop.body[at], item=item, value=value, found=target.id, place=place)
    made = written("found = numpy.empty(count, dtype=kind)", list_, found=target, count=count, kind=kind)
    block[block.index(loop) : block.index(loop)] = made
    block[block.index(list_)] = placed(ast.Pass(), list_)


def _appended(statement: ast.stmt, name: str) -> ast.expr | None:
    """What a statement appends to a list; None for other statements."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=own), attr="append"), args=[value])):
            return value if own == name and not isinstance(value, ast.Tuple | ast.List) else None
    return None


def _array_uses(module: Module, behind: Sequence[ast.stmt], name: str) -> int:
    """How often statements ask for a list as they would for an array: its length, or what NumPy makes of it."""
    found = 0
    for node in (n for s in behind for n in ast.walk(s)):
        match node:
            case ast.Call(func=function, args=[ast.Name(id=own), *_]) if own == name:
                found += module.dotted(function).startswith("numpy.") or module.dotted(function) == "len"
    return found
