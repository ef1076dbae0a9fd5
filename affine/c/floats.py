"""Constants of floating types, as C reads them and MLIR spells them."""

from __future__ import annotations

import struct
from decimal import Decimal
from fractions import Fraction

from affine.c.types import Number


def float_text(value: float, t: Number) -> str:
    """A constant of MLIR with exactly this value."""
    text = repr(value)
    if text in ("inf", "-inf", "nan"):
        code = ("<f", "<I") if t.width == 32 else ("<d", "<Q")
        return f"0x{struct.unpack(code[1], struct.pack(code[0], value))[0]:0{t.width // 4}X}"
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e")
    return text


def rounded(text: str, t: Number) -> float:
    """A decimal or hexadecimal literal, rounded once to its type."""
    try:
        value = float.fromhex(text) if text.lower().startswith("0x") else float(text)
    except OverflowError:
        return float("inf")
    if t.width == 64 or value in (float("inf"), 0.0):
        return value
    near = single(value)
    if "x" in text.lower() or near == float("inf"):
        return near
    # `value` may sit on a midpoint that the text itself does not: take the neighbour nearest to the text.
    exact = Fraction(Decimal(text))
    bits = struct.unpack("<I", struct.pack("<f", near))[0]
    options = [struct.unpack("<f", struct.pack("<I", b))[0] for b in (bits - 1, bits, bits + 1) if 0 <= b < 0x7F800000]
    return float(min(options, key=lambda f: (abs(Fraction(f) - exact), abs(f - near))))


def single(value: float) -> float:
    """A number rounded to 32 bits."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float("inf")
