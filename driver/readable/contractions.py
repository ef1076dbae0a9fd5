"""Sums of products: `A @ B` where that says it, else `np.einsum`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from raising.readable.python_nodes import Node, attribute, binary, call, constant
from raising.readable.python_values import Expr, joined
from raising.support.record import dataclass

Dims = tuple[int, ...]
LETTERS = "ijklmnopqrstuvwxyzabcdefgh"


@dataclass(frozen=True)
class Factor:
    """An array with the dimensions of the operation along its own."""

    value: Expr
    dims: Dims


def contraction(module: str, factors: Sequence[Factor], out: Dims) -> Expr:
    """The sum of the products over all dimensions that the result has not."""
    dtype = factors[0].value.dtype
    numbers = [f.value.scaled[0] for f in factors if f.value.scaled is not None]
    inner = [Factor(f.value.but(f.value.scaled[1]), f.dims) if f.value.scaled is not None else f for f in factors]
    if numbers:  # the product of a number and a sum: fewer operations, and as people write it
        found = contraction(module, inner, out)
        node = found.node
        for number in numbers:
            node = binary(ast.Mult, number, node)
        return found.but(node, reads=joined(*(f.value for f in factors)))
    product = _matrix_product(factors, out) if len(factors) == 2 else None
    if product is None:
        order = {d: LETTERS[k] for k, d in enumerate(dict.fromkeys(d for f in factors for d in f.dims))}
        text = ",".join("".join(order[d] for d in f.dims) for f in factors)
        text += "->" + "".join(order[d] for d in out)
        product = call(f"{module}.einsum", constant(text), *(f.value.node for f in factors))
    return Expr(product, dtype, len(out), joined(*(f.value for f in factors)))


def _matrix_product(factors: Sequence[Factor], out: Dims) -> Node | None:
    for left, right in (factors, tuple(reversed(factors))):
        node = _in_order(left, right, out)
        if node is not None:
            return node
    return None


def _in_order(left: Factor, right: Factor, out: Dims) -> Node | None:
    """`left @ right`, with at most a transposition of each, if that has the dimensions of the result in order."""
    shared = [d for d in left.dims if d in right.dims and d not in out]
    batch = tuple(d for d in left.dims if d in right.dims and d in out)
    if len(shared) != 1 or out[: len(batch)] != batch or max(len(left.dims), len(right.dims)) > len(batch) + 2:
        return None
    k, b = shared[0], len(batch)
    rows = tuple(d for d in left.dims if d not in (*batch, k))
    columns = tuple(d for d in right.dims if d not in (*batch, k))
    if (*batch, *rows, *columns) != out or len(rows) > 1 or len(columns) > 1 or (b and not (rows and columns)):
        return None
    if left.dims[:b] != batch or right.dims[:b] != batch:
        return None
    first = left.value.node if left.dims[b:] == (*rows, k) else _transposed(left, b)
    second = right.value.node if right.dims[b:] == (k, *columns) else _transposed(right, b)
    return None if first is None or second is None else binary(ast.MatMult, first, second)


def _transposed(factor: Factor, batch: int) -> Node | None:
    return None if batch else attribute(factor.value.node, "T")
