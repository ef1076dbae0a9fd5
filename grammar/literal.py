"""Scalar constants as MLIR text."""

from __future__ import annotations

_WIDTHS = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7)}


def literal_text(text: str, element: str) -> str:
    """A constant as MLIR text: decimal where it is finite, bits where it is not."""
    if element == "i1":
        return "true" if int(text) else "false"
    if element not in _WIDTHS:
        return str(int(float(text)))
    value = float(text)
    if value in (float("inf"), float("-inf")) or value != value:
        exponent, mantissa = _WIDTHS[element]
        bits = ((1 << exponent) - 1) << mantissa
        bits |= 1 << (mantissa - 1) if value != value else 0
        bits |= 1 << (exponent + mantissa) if value < 0 else 0
        return f"0x{bits:0{(1 + exponent + mantissa) // 4}X}"
    mantissa_text, _, exponent_text = repr(value).partition("e")
    mantissa_text += "" if "." in mantissa_text else ".0"
    return mantissa_text + (f"e{exponent_text}" if exponent_text else "")
