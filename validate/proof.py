"""The proof for all sizes: both programs in normal form, and each output's difference tested for zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from affine.scop import context_set
from validate.flows import Flows
from validate.pair import Assumptions, Pair
from validate.products import Algebra, Unprovable, minus
from validate.spaces import Sizes
from validate.vanish import Witness, smallest_sizes, witness
from validate.verdict import Proved, Unknown


@dataclass(frozen=True)
class Difference:
    """An output that differs at these sizes, if the uninterpreted functions in it are what they seem."""

    output: str
    sizes: dict[str, int]


def prove(pair: Pair, assumed: Assumptions, context: Any = None) -> Proved | Difference | Unknown:
    """Are the outputs equal for all sizes (in `context`, an isl parameter set, if that is given)?"""
    try:
        return _prove(pair, assumed, context_set(pair.source) if context is None else context)
    except Unprovable as reason:
        return Unknown(str(reason))
    except RecursionError:
        return Unknown("an expression is nested too deep")


def _prove(pair: Pair, assumed: Assumptions, context: Any) -> Proved | Difference | Unknown:
    algebra = Algebra(Sizes(pair.source.sizes, context), assumed)
    source = Flows(pair.source, algebra, pair.scopes, "source")
    target = Flows(pair.target, algebra, pair.scopes, "target")
    for label, (one, other) in zip(pair.labels, pair.outputs, strict=True):
        found = witness(algebra, minus(source.contents(one), target.contents(other)))
        if found is not None:
            return _difference(label, found)
    return Proved((*assumed.texts(), *algebra.assumed))


def _difference(label: str, found: Witness) -> Difference | Unknown:
    sizes = smallest_sizes(found.sizes)
    if sizes is None or any(name.startswith(("undefined", "?undefined")) for name, _ in found.leaves):
        undefined = any("undefined" in name for name, _ in found.leaves)
        why = "it depends on memory that nothing has written" if undefined else "at no small sizes"
        return Unknown(f"{label} differs, and {why}")
    return Difference(label, sizes)
