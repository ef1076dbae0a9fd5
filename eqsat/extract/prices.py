"""What is paid for work, and what finds out how much of it an operation is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from raising.eqsat.extract.op_work import BYTES, OPERATIONS, Lowerer
from raising.support.record import dataclass


@dataclass(frozen=True)
class Prices:
    """The price of each feature of the work; everything else is at `default`, and `each` is paid per operation."""

    features: Mapping[str, float] = field(default_factory=dict)
    default: float = 0.0
    each: float = 0.0


FLOPS = Prices({BYTES: 0.0, OPERATIONS: 0.0}, default=1.0)
BYTES_MOVED = Prices({BYTES: 1.0})
SIZE = Prices(each=1.0)
BY_SHAPE: dict[str, Prices] = {"flops": FLOPS, "bytes": BYTES_MOVED, "size": SIZE}

Compiles = Callable[[Any], bool]
"""Whether the native back end takes a lowered module of upstream's MLIR; may change the module."""


@dataclass(frozen=True)
class Pricing:
    """Costs from shapes: what is paid, and what finds out about operations.

    `extents` are numbers in shapes that stand for extents known at run time only, with what they count as: a number, or
    a polynomial.
    """

    prices: Prices
    lowerer: Lowerer
    compiles: Compiles | None = None
    extents: Mapping[int, Any] = field(default_factory=dict)

    def sizes(self, shape: Sequence[Any]) -> tuple[Any, ...]:
        """The numbers that stand for the extents of a shape in costs."""
        return tuple(self.extents.get(n, n) if isinstance(n, int) else n for n in shape)
