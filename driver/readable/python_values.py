"""A piece of Python with what is known of its value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raising.affine.ir.affine_expr import Affine
from raising.readable.python_nodes import Node
from raising.support.record import dataclass


class Unsaid(Exception):
    """A function that has no readable form here; the text is the reason."""


@dataclass(frozen=True)
class Expr:
    """`node` has elements of type `dtype` (NumPy's name) and `rank` dimensions.

    `reads` are the names of variables that it depends on; a `view` may share memory with them. A `weak` one is a
    number of Python without a type of its own. `form` is its value as a sum of sizes, where it is one. A tensor that
    has one value everywhere is a `splat`: its node is the number, of rank 0, and it takes any shape. `static` values
    depend on sizes alone. `ones` are the dimensions, counted from the last (1), along which the value is repeated.
    `scaled` are a number and an array, if it is their product.
    """

    node: Node
    dtype: str
    rank: int = 0
    reads: frozenset[str] = frozenset()
    view: bool = False
    weak: bool = False
    form: Affine | None = None
    splat: bool = False
    static: bool = False
    ones: frozenset[int] = frozenset()
    scaled: tuple[Node, Node] | None = None

    def but(self, node: Node, **changes: object) -> Expr:
        """The expression with another node."""
        return replace(self, node=node, **{"form": None, "scaled": None, **changes})  # type: ignore[arg-type]


def joined(*parts: Expr) -> frozenset[str]:
    """The variables that several expressions read."""
    return frozenset().union(*(p.reads for p in parts))


def repeated(parts: Sequence[Expr]) -> frozenset[int]:
    """The dimensions along which the result of an elementwise operation is still repeated."""
    rank = max((p.rank for p in parts), default=0)
    return frozenset(k for k in range(1, rank + 1) if all(p.rank < k or k in p.ones for p in parts))
