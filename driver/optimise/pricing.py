"""The costs that programs are compared by, by the names of `raise-opt --cost`."""

from __future__ import annotations

import re
from typing import Any

from raising.eqsat.extract.op_work import BYTES, OPERATIONS, Lowerer
from raising.eqsat.extract.prices import BY_SHAPE, Prices, Pricing
from raising.grammar.dialects.host import Host
from raising.grammar.terms.scalar_ops import SCALARS
from raising.support.mlir.lowering import lower_in_place
from raising.support.mlir.walk import operations

_TRUTH = re.compile(r"xi1\b|<i1>")

DECLARED, CALIBRATED, ESTIMATED = "rules", "calibrated", "estimate"
COSTS = (DECLARED, ESTIMATED, *sorted(BY_SHAPE), CALIBRATED)

_SLOW = {n: 8.0 if n.startswith("math.") else 2.0 for n, s in SCALARS.items() if s.residue in ("opaque", "div")}
ESTIMATE = Prices({BYTES: 0.1, OPERATIONS: 50.0, **_SLOW}, default=0.4)  # nanoseconds, on some processor


def pricing_of(name: str, host: Host) -> Pricing | None:
    """The pricing for the name of a cost; None if the rules declare costs."""
    if name not in COSTS:
        raise ValueError(f"unknown cost '{name}' (known: {', '.join(COSTS)})")
    if name == DECLARED:
        return None
    return Pricing(_prices(name), Lowerer(host), None if name == ESTIMATED else compiles)


def _prices(name: str) -> Prices:
    if name == CALIBRATED:
        from raising.optimise.calibrate import calibrated  # the whole native back end

        return calibrated()
    return ESTIMATE if name == ESTIMATED else BY_SHAPE[name]


def compiles(module: Any) -> bool:
    """Whether the passes that lead to native code leave nothing but LLVM's operations; works in place."""
    from mlir.ir import MLIRError

    if _TRUTH.search(str(module)):
        return True  # truth values are computed where they are used; alone, they would end the process
    try:
        lower_in_place(module)
    except (MLIRError, RuntimeError, ValueError):
        return False
    return all(op.name.startswith(("llvm.", "builtin.")) for op in operations(module))
