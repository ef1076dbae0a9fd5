"""Vectors of floating-point numbers, while functions of them are written."""

from __future__ import annotations

import math
import struct

from affine.record import dataclass
from native.lines import Lines


@dataclass(frozen=True)
class Format:
    """A floating-point format: bits, bits of the fraction, terms of polynomials, ln 2 in two parts, range of exp."""

    bits: int
    fraction: int
    exp_terms: int
    log_terms: int
    ln2: tuple[float, float]
    low: float
    high: float

    @property
    def bias(self) -> int:
        """What exponents are stored with."""
        return int((1 << (self.bits - self.fraction - 2)) - 1)


_SPLIT32, _SPLIT64 = 0.693359375, float.fromhex("0x1.62e42fee00000p-1")
FORMATS = {
    "f32": Format(32, 23, 7, 4, (_SPLIT32, math.log(2) - _SPLIT32), -104.0, 89.0),
    "f64": Format(64, 52, 14, 11, (_SPLIT64, float.fromhex("0x1.a39ef35793c76p-33")), -746.0, 710.0),
}


@dataclass(frozen=True)
class Vector:
    """Operations on vectors of one format, written to a function: each gives the name of its value."""

    code: Lines
    element: str
    lanes: int

    @property
    def format(self) -> Format:
        """The format of the elements."""
        return FORMATS[self.element]

    @property
    def floats(self) -> str:
        """The type of vectors."""
        return f"vector<{self.lanes}x{self.element}>"

    @property
    def integers(self) -> str:
        """The type of vectors of integers with as many bits."""
        return f"vector<{self.lanes}xi{self.format.bits}>"

    def number(self, value: float) -> str:
        """A constant in every lane."""
        if self.element == "f32":
            bits = f"0x{struct.unpack('<I', struct.pack('<f', value))[0]:08X}"
        else:
            bits = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        return self.code.op(f"arith.constant dense<{bits}> : {self.floats}", "n")

    def integer(self, value: int) -> str:
        """An integer constant in every lane."""
        return self.code.op(f"arith.constant dense<{value}> : {self.integers}", "n")

    def f(self, name: str, *args: str) -> str:
        """An operation of arith on floats."""
        return self.code.op(f"arith.{name} {', '.join(args)} : {self.floats}", "f")

    def i(self, name: str, *args: str) -> str:
        """An operation of arith on integers."""
        return self.code.op(f"arith.{name} {', '.join(args)} : {self.integers}", "k")

    def fma(self, a: str, b: str, c: str) -> str:
        """a * b + c, rounded once."""
        return self.code.op(f"math.fma {a}, {b}, {c} : {self.floats}", "f")

    def compare(self, predicate: str, a: str, b: str) -> str:
        """A mask."""
        return self.code.op(f"arith.cmpf {predicate}, {a}, {b} : {self.floats}", "q")

    def choose(self, condition: str, a: str, b: str) -> str:
        """a where the condition holds, else b."""
        return self.code.op(f"arith.select {condition}, {a}, {b} : vector<{self.lanes}xi1>, {self.floats}", "f")

    def bits(self, value: str) -> str:
        """The bits of floats as integers."""
        return self.code.op(f"arith.bitcast {value} : {self.floats} to {self.integers}", "k")

    def value(self, bits: str) -> str:
        """The floats with these bits."""
        return self.code.op(f"arith.bitcast {bits} : {self.integers} to {self.floats}", "f")

    def to_integer(self, value: str) -> str:
        """Integers of floats that are whole."""
        return self.code.op(f"arith.fptosi {value} : {self.floats} to {self.integers}", "k")

    def to_float(self, value: str) -> str:
        """Floats of integers."""
        return self.code.op(f"arith.sitofp {value} : {self.integers} to {self.floats}", "f")

    def power(self, exponent: str) -> str:
        """2 to an integer in the normal range."""
        raised = self.i("addi", exponent, self.integer(self.format.bias))
        return self.value(self.i("shli", raised, self.integer(self.format.fraction)))

    def horner(self, x: str, coefficients: list[float]) -> str:
        """The polynomial with these coefficients, that of the highest power first."""
        total = self.number(coefficients[0])
        for each in coefficients[1:]:
            total = self.fma(total, x, self.number(each))
        return total
