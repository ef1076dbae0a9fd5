"""Raise a text and run what comes out, beside the loops or the oracle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from raising.pipeline import RaiseOptions, RaiseResult, raise_module
from raising.validate.native.foreign_call import Compiled
from tests.kernels import EVERY
from tests.kernels.execute import Value
from tests.oracles import mismatch
from tests.variants import Variant

SQUARE = 13


def medium(name: str) -> dict[str, int]:
    """Distinct sizes that are quick to run, yet large enough to be taken for sizes and not for constants."""
    return dict(zip(EVERY[name].large, (6, 11, 16, 21, 26), strict=False))


def raised(text: str, check: str = "field") -> RaiseResult:
    """Raise without a native run; tests run the result themselves."""
    return raise_module(text, options=RaiseOptions(check=check))


def execute(text: str, name: str, arguments: Sequence[Value]) -> list[Value]:
    """Call `name` on copies of `arguments`; their final values, then what it returned."""
    after = [value.copy() for value in arguments]
    passed = [v if isinstance(v, np.ndarray) else v.item() for v in after]
    returned = Compiled(text, name).call(passed).results
    return [*after, *(np.asarray(r) for r in returned)]


def wrong(variant: Variant, text: str) -> str:
    """How a raised variant differs from the oracle; an empty string if it does not."""
    before = variant.inputs()
    after = execute(text, f"kernel_{variant.kernel}", before)
    return mismatch(variant.kernel, before, after, 1e-4 if variant.style.dtype == "f32" else 1e-10)


def kept(result: RaiseResult) -> list[str]:
    """The remarks on loops that were not raised."""
    return [str(remark) for remark in result.remarks if remark.kind == "kept"]
