"""Functions as JAX prints them (`jax.jit(f).lower(...).as_text()`): calls, CHLO, branches, loops, computed places.

Each pair `NAME.a.mlir`, `NAME.b.mlir` writes one function in two ways (a variance by its two formulas, a convolution by
a gather, a product as a loop, ...), or two that differ a little (the sign of a rotation, `>` for `>=`, ...).
"""

from pathlib import Path

import pytest

from raising.validate.base.verdict import Proved, Refuted, Verdict
from raising.validate.check import CheckOptions, check

FOLDER = Path(__file__).parent / "exports"
EQUAL = ("relu", "square", "roll", "flip_take", "conv1d_gather", "fori_mm", "cond", "causal_mask")
DIFFERENT = ("cond_ge", "conv_flip", "mask_strict", "roll_dir", "scan_off", "ln_ddof")


def verdict(name: str, **options: str) -> Verdict:
    one, other = ((FOLDER / f"{name}.{side}.mlir").read_text() for side in "ab")
    return check(one, other, CheckOptions(timeout=60, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", EQUAL)
def test_equal_functions_are_proved(name: str) -> None:
    found = verdict(name)
    assert isinstance(found, Proved) and found.sizes is None, found


@pytest.mark.parametrize("name", DIFFERENT)
def test_functions_that_differ_are_refuted(name: str) -> None:
    found = verdict(name)
    assert isinstance(found, Refuted) and found.example is not None, found


def test_a_difference_at_other_sizes_is_none_at_those_of_the_files() -> None:
    # the mean of squares less the square of the mean, with a division by 9, is the variance of 9 numbers only
    found = verdict("var")
    assert isinstance(found, Proved) and found.sizes == (("N0", 9),), found
    assert isinstance(verdict("var", level="proved-all-sizes"), Refuted)
