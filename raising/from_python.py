"""Raising a Python function from within Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from affine.errors import InputError
from affine.program import Loc
from affine.python import convert
from raising.pipeline import raise_module
from raising.result import RaiseResult


def raise_function(function: Callable[..., Any], **settings: Any) -> RaiseResult:
    """Raise a function that loops over NumPy arrays; what it was read from is its source text.

    Its parameters have annotations such as `float32[N, M]`; constants of its
    file are taken as they are written there. A function that Numba has wrapped
    is taken as it was before. `settings` are those of `raise_module`.

    Raises `affine.errors.InputError` with the place and the reason if the
    function is outside of the subset, or has no source text.
    """
    function = inspect.unwrap(getattr(function, "py_func", function))
    try:
        file, lines = inspect.getsourcefile(function) or "-", inspect.findsource(function)[0]
    except (OSError, TypeError):
        raise InputError(Loc("-"), f"{function!r} has no source text") from None
    if function.__qualname__ != function.__name__:
        raise InputError(Loc(file), f"'{function.__qualname__}' is not at the top level of its file")
    module = convert("".join(lines), file, function.__name__)
    for remark in module.refused:
        raise InputError(remark.place, remark.reason)
    return raise_module(module.mlir, file=file, **settings)
