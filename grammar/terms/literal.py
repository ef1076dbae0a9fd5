"""Scalar constants as MLIR text."""

from __future__ import annotations

import struct

_BITS = {"f64": ("<d", 0), "f32": ("<f", 0), "f16": ("<e", 0), "bf16": ("<f", 16)}  # bf16: the upper half of an f32
_WIDTHS = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7)}


def literal_text(text: str, element: str) -> str:
    """A constant as MLIR text: decimal where it is finite, bits where it is not."""
    if element == "i1":
        return "true" if int(text) else "false"
    if element not in _WIDTHS:
        return str(int(exact(text)))
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


def exact(text: str) -> int | float:
    """The number that a constant's text is; a whole one exactly, as one of 64 bits is more than a float holds."""
    if text.strip() in ("true", "false"):
        return int(text.strip() == "true")
    try:
        return int(text)
    except ValueError:
        return float(text)


def number_of(text: str) -> float:
    """The value of a scalar attribute's text, `literal : type`; ValueError if it is none."""
    literal, _, kind = (part.strip() for part in text.partition(":"))
    if literal in ("true", "false"):
        return float(literal == "true")
    if not literal.startswith("0x"):
        return float(literal)
    if kind not in _BITS:
        raise ValueError(f"a constant of type {kind} in hexadecimal")
    layout, shift = _BITS[kind]
    bits = (int(literal, 16) << shift).to_bytes(struct.calcsize(layout), "little")
    return float(struct.unpack(layout, bits)[0])


def exact_of(attribute: str) -> int | float:
    """The same of a scalar attribute's text, `literal : type`."""
    literal = attribute.partition(":")[0].strip()
    return number_of(attribute) if literal.startswith("0x") else exact(literal)


def retyped(attribute: str, element: str) -> str:
    """A constant's attribute, `literal : type`, at another element type of the same kind."""
    kind = attribute.rpartition(" : ")[2]
    if kind in (attribute, element):
        return attribute
    return f"{literal_text(repr(number_of(attribute)), element)} : {element}"


def same_kind(a: str, b: str) -> bool:
    """True for two kinds of floats, or two kinds of integers."""
    return (a in _WIDTHS) == (b in _WIDTHS)
