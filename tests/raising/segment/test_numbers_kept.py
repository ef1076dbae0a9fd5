"""What is small stays: numbers are not joined where that rounds, and values that are no numbers are told apart."""

import re

import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import raise_module
from tests.raising.running import kept

HEAD = "#include <math.h>\nfloat f(int n, float e, const float *restrict p, float *restrict y)"
JOINED = {
    "a small number and one": ("1.0f - p[i] + 1e-7f", False),
    "numbers whose sum is a float": ("1.0f - p[i] + 0.5f", True),
    "numbers whose sum is too large": ("3e38f - p[i] + 3e38f", False),
    "an argument and one": ("1.0f - p[i] + e", False),
    "what the loop adds itself": ("(e + 1.0f) - p[i]", True),
}


@pytest.mark.parametrize("name", JOINED)
def test_numbers_are_joined_only_where_nothing_is_rounded(name: str) -> None:
    value, joined = JOINED[name]
    assert (len(re.findall(r"linalg\.(?:add|sub) ", _raised(f"y[i] = {value};", "0"))) == 1) == joined


def _raised(statement: str, returned: str) -> str:
    text = f"{HEAD} {{ float s = 0; for (int i = 0; i < n; i++) {statement} return {returned}; }}"
    result = raise_module(convert(text, "k.c", COptions()).mlir, check="proof")
    assert not kept(result)
    return result.text


def test_a_value_that_is_no_number_at_any_point_is_not_another_one() -> None:
    value = "s -= y[i] * logf(p[i]) + (1 - y[i]) * logf(1 - p[i]);"  # one of the two is a NaN at every p
    _raised(value, "s")
