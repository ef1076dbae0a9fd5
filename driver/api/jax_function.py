"""A function of a raised module as a function of JAX.

It is compiled from the syntax that `to_source` made, with nothing in reach but JAX and a few functions of Python; no
text is evaluated.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from raising.readable.to_source import to_source

if TYPE_CHECKING:
    from raising.api.result import RaiseResult

_PYTHON = {f.__name__: f for f in (range, int, float, bool, max, min, abs, len)}


def jax_function(result: RaiseResult, name: str) -> Callable[..., Any]:
    """The function, as `RaiseResult.to_jax` says."""
    source = to_source(result.text, "jax", {f.name: f.arguments for f in result.functions})
    known = [*source.functions, *source.refused]
    if not name and len(known) != 1:
        raise ValueError(f"name one of the functions: {', '.join(known)}" if known else "the module has no function")
    name = name or known[0]
    if name in source.refused:
        raise ValueError(f"function '{name}' is not written for jax: {source.refused[name]}")
    if name not in source.functions:
        raise ValueError(f"there is no function '{name}' (there are: {', '.join(known)})")
    node = source.functions[name]
    _check_names(node)
    import jax.numpy as jnp
    from jax import lax

    space: dict[str, Any] = {"__builtins__": _PYTHON, "jnp": jnp, "lax": lax, "__name__": "raising.to_jax"}
    exec(compile(ast.Module([node], []), f"<{node.name} in JAX>", "exec"), space)  # our own syntax, names checked
    found = space[node.name]
    found.__doc__ = ast.unparse(node)
    found.written, found.static_argnums = source.written[name], source.integers[name]
    made: Callable[..., Any] = found
    return made


def _check_names(node: ast.AST) -> None:
    """ValueError for a name that is none of Python, or that reaches into its objects."""
    for part in ast.walk(node):
        names = [v for k, v in ast.iter_fields(part) if k in ("id", "attr", "arg", "name") and isinstance(v, str)]
        for name in names:
            if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__"):
                raise ValueError(f"'{name}' is no name for a function or an argument in Python")
        if isinstance(part, ast.Attribute) and part.attr.startswith("_"):
            raise ValueError(f"the attribute '{part.attr}' is private")
