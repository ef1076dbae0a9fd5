"""Structured operations on plain floating-point arrays, to compare with what an executor computes.

The search's numbers (`number`) decide equality in a field and leave NaN tests uninterpreted; here a body means what the
machine does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from raising.affine.ir.integer_functions import above
from raising.grammar.terms.literal import number_of
from raising.grammar.terms.scalar_ops import SCALARS, is_unsigned, predicate
from raising.grammar.terms.structured_op import Body, Map, Meaning, scalar_part
from raising.support.mlir.predicates import ORDER

Values = np.ndarray[Any, np.dtype[np.float64]]

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    **ORDER,
    "ord": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "uno": lambda a, b: np.isnan(a) | np.isnan(b),
    "true": lambda a, b: np.ones(np.broadcast_shapes(np.shape(a), np.shape(b)), dtype=bool),
    "false": lambda a, b: np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b)), dtype=bool),
}


def scalar(op: str, args: Sequence[Values], attrs: tuple[tuple[str, str], ...] = ()) -> Values:
    """One scalar operation, elementwise."""
    with np.errstate(all="ignore"):
        if SCALARS[op].residue == "compare":
            return np.asarray(_compared(op, attrs, *args), dtype=np.float64)
        if SCALARS[op].residue == "select":
            return np.where(args[0] != 0, args[1], args[2])
        return np.asarray(SCALARS[op].shadow(*args), dtype=np.float64)


def _compared(op: str, attrs: tuple[tuple[str, str], ...], a: Values, b: Values) -> Any:
    name = predicate(op, attrs)
    if name[0] not in "lg" or not is_unsigned(op, attrs):
        return _COMPARE[name](a, b)
    strict = above(a, b) if name[0] == "g" else above(b, a)
    return strict | (a == b) if name[1] == "e" else strict


def structured(meaning: Meaning, args: Sequence[Values], extents: Sequence[int]) -> Values:
    """One structured computation, from the neutral element where it accumulates."""
    inner, op = scalar_part(meaning.body)
    value = _body(inner, [_aligned(a, m, extents) for a, m in zip(args, meaning.maps[:-1], strict=True)])
    value = np.broadcast_to(value, tuple(extents))
    out = [e for e in meaning.maps[-1] if isinstance(e, int)]
    dropped = [d for d in range(len(extents)) if d not in out]
    value = value.transpose([*out, *dropped])
    if dropped:
        assert op is not None
        flat = value.reshape([extents[d] for d in out] + [-1])
        value = reduce(lambda a, b: scalar(op, (a, b)), (flat[..., k] for k in range(flat.shape[-1])))
    return np.asarray(value)


def _aligned(value: Values, m: Map, extents: Sequence[int]) -> Values:
    """The elements that a map reads, for every iteration point."""
    grid = np.indices(extents, sparse=True)
    index = (grid[e] if isinstance(e, int) else sum(c * grid[d] for d, c in e) for e in m)
    return np.asarray(value[tuple(index)])


def _body(body: Body, args: Sequence[Values]) -> Values:
    values: list[Any] = [*args, None]
    for instr in body.instrs:
        text = dict(instr.attrs).get("value") if not instr.args else None
        given = [values[a] for a in instr.args]
        if text is not None:
            values.append(np.asarray(number_of(text)))
        else:
            values.append(None if any(g is None for g in given) else scalar(instr.op, given, instr.attrs))
    return np.asarray(values[body.result])
