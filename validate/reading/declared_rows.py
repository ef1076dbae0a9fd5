"""How long the rows of arrays are, as C functions declare them.

Memory of unknown length may be read as rows by its subscripts (`a[i * n + j]`). Element [i][j] of two functions is the
same one only where their rows are equally long.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.c_parameters import Declared, ExtentError, declared, evaluate, linear


def declared_rows(function: Any, count: int) -> dict[int, tuple[Hashable, ...]]:
    """The extents of each array but for the first, by the position of its argument, in forms that name no parameter."""
    parameters = declared(function, count)
    return {k: tuple(_form(text, parameters) for text in dims[1:]) for k, (_, _, dims) in enumerate(parameters) if dims}


def declared_truths(function: Any, count: int) -> list[int]:
    """The positions of arguments that hold 0 or 1, as C's `_Bool` does."""
    return [k for k, (kind, _, _) in enumerate(declared(function, count)) if kind == "_Bool"]


def _form(text: str, parameters: Declared) -> Hashable:
    """An extent over positions of parameters: equal forms have equal values."""
    places = {name: f"n{k}" for k, (_, name, _) in enumerate(parameters)}
    form: Lin | None = linear(text, {name: var(place) for name, place in places.items()})
    if form is not None:
        return form
    try:
        return evaluate(text, places, str, _combined)
    except ExtentError:
        return text


def _combined(operation: str, left: str, right: str) -> str:
    one, other = sorted((left, right)) if operation in ("add", "mul") else (left, right)
    return f"({one} {operation} {other})"
