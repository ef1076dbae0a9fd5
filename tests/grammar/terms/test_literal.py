"""Scalar constants from MLIR text, and at other types."""

import math

import pytest

from raising.grammar.terms.literal import literal_text, number_of, retyped


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", 1.0),
        ("-5 : i64", -5.0),
        ("1.500000e+00 : f32", 1.5),
        ("0x7F800000 : f32", math.inf),
        ("0xFF80 : bf16", -math.inf),
        ("0xFC00 : f16", -math.inf),
        ("0x3FF8000000000000 : f64", 1.5),
    ],
)
def test_the_number_of_an_attribute(text: str, value: float):
    assert number_of(text) == value


@pytest.mark.parametrize("text", ["9223372036854775807", "-9223372036854775808", "9007199254740993"])
def test_whole_numbers_are_written_digit_by_digit(text: str):
    assert literal_text(text, "i64") == text


def test_bits_of_a_type_without_a_layout_are_refused():
    with pytest.raises(ValueError, match="f80"):
        number_of("0x3FFF8000000000000000 : f80")


@pytest.mark.parametrize(
    ("attribute", "element", "wanted"),
    [
        ("1.000000e+00 : f64", "f32", "1.0 : f32"),
        ("0xFFF0000000000000 : f64", "f32", "0xFF800000 : f32"),
        ("-7 : i32", "i8", "-7 : i8"),
        ("1.0 : f32", "f32", "1.0 : f32"),
        ("true", "i1", "true"),
    ],
)
def test_a_constant_at_another_type(attribute: str, element: str, wanted: str):
    assert retyped(attribute, element) == wanted
