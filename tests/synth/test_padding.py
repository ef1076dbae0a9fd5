"""Boxes of zeros around arrays."""

import islpy as isl

from raising.synth.spec.padding import _extreme


def test_an_extreme_that_no_size_bounds_is_none() -> None:
    every = isl.Set("[n] -> { : n >= 1 }")
    partly = isl.Set("[n] -> { [i] : 0 <= i < n; [i] : i < -n }")
    assert _extreme(partly.dim_min, 0, every) is None
    assert str(_extreme(partly.dim_max, 0, every)) == "n - 1"
