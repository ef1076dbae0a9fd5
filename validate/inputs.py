"""Random inputs for a native run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from affine.element_types import NUMPY
from validate.call import Value
from validate.signature import Signature, Slot
from validate.sizes import Sizes

_SPANS, _SPAN = {"i8": (-128, 128), "i16": (-(1 << 15), 1 << 15)}, (-1000, 1000)
"""All integers of a narrow type; of others those whose sums and products are far from wrapping around."""

_PARTIAL = (*("arith.div", "arith.floordiv", "arith.ceildiv", "arith.rem", "arith.sh"), "math.")
"""Operations that are undefined, or a NaN, for some integers."""


def random_inputs(source: str, signature: Signature, sizes: Sizes, random: np.random.Generator) -> Iterator[Value]:
    """An argument for each slot, at these sizes.

    Integers have both signs where no operation of the source is undefined for some of them: an operation that reads
    bits with a sign and one that reads them without differ there only.
    """
    signed = not any(operation in source for operation in _PARTIAL)
    for number, slot in enumerate(signature.arguments):
        if slot.shape is not None:
            yield _array(slot, sizes.shape(number, slot.shape), random, signed)
        elif slot.is_float:
            yield float(random.uniform(0.5, 1.5))
        else:
            yield sizes.values[number, None]


def _array(slot: Slot, shape: tuple[int, ...], random: np.random.Generator, signed: bool) -> NDArray[Any]:
    """Positive numbers away from zero, so that quotients, roots and logarithms are defined; others if `signed`."""
    if slot.is_float:
        return random.uniform(0.5, 1.5, shape).astype(NUMPY[slot.element])
    low, high = (0, 2) if slot.element == "i1" else _SPANS.get(slot.element, _SPAN) if signed else (1, 10)
    return random.integers(low, high, shape).astype(NUMPY[slot.element])
