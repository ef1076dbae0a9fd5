"""Vectors of floating-point numbers and of integers with as many bits, while functions of them are written."""

from __future__ import annotations

import math
import struct
import tomllib
from collections.abc import Callable
from dataclasses import field
from functools import cache
from pathlib import Path

from raising.native.nest.mlir_builder import Lines
from raising.support.record import dataclass


@dataclass(frozen=True)
class Format:
    """A floating-point format: its bits, and how many of them are the fraction."""

    bits: int
    fraction: int

    @property
    def bias(self) -> int:
        """The bias that exponents are stored with."""
        return int((1 << (self.bits - self.fraction - 2)) - 1)

    @property
    def magic(self) -> float:
        """A number whose neighbours are 1 apart: adding it rounds to a whole number, which the last bits then hold."""
        return 1.5 * 2.0**self.fraction

    def pattern(self, value: float) -> int:
        """The bits of a number."""
        kinds = ("<I", "<f") if self.bits == 32 else ("<Q", "<d")
        return int(struct.unpack(kinds[0], struct.pack(kinds[1], value))[0])


FORMATS = {"f32": Format(32, 23), "f64": Format(64, 52)}


@dataclass(frozen=True)
class Value:
    """A vector of floats; numbers beside it are in every lane."""

    vector: Vector
    name: str

    def __add__(self, other: Value | float) -> Value:
        return self.vector.f("addf", self, other)

    def __sub__(self, other: Value | float) -> Value:
        return self.vector.f("subf", self, other)

    def __rsub__(self, other: float) -> Value:
        return self.vector.f("subf", other, self)

    def __mul__(self, other: Value | float) -> Value:
        return self.vector.f("mulf", self, other)

    def __truediv__(self, other: Value | float) -> Value:
        return self.vector.f("divf", self, other)

    def __rtruediv__(self, other: float) -> Value:
        return self.vector.f("divf", other, self)

    @property
    def negative(self) -> Value:
        """The value with the other sign."""
        return self.vector.f("negf", self)

    @property
    def size(self) -> Value:
        """The value without its sign."""
        return self.vector.m("absf", self)

    @property
    def bits(self) -> Bits:
        """The bits of the floats."""
        v = self.vector
        return Bits(v, v.code.op(f"arith.bitcast {self.name} : {v.floats} to {v.integers}", "k"))


@dataclass(frozen=True)
class Bits:
    """A vector of integers; numbers beside it are in every lane."""

    vector: Vector
    name: str

    def __add__(self, other: Bits | int) -> Bits:
        return self.vector.i("addi", self, other)

    def __sub__(self, other: Bits | int) -> Bits:
        return self.vector.i("subi", self, other)

    def __lshift__(self, count: int) -> Bits:
        return self.vector.i("shli", self, count)

    def __rshift__(self, count: int) -> Bits:
        """Zeros come from the left."""
        return self.vector.i("shrui", self, count)

    def __and__(self, other: Bits | int) -> Bits:
        return self.vector.i("andi", self, other)

    def __or__(self, other: Bits | int) -> Bits:
        return self.vector.i("ori", self, other)

    def __xor__(self, other: Bits | int) -> Bits:
        return self.vector.i("xori", self, other)

    @property
    def value(self) -> Value:
        """The floats with these bits."""
        v = self.vector
        return Value(v, v.code.op(f"arith.bitcast {self.name} : {v.integers} to {v.floats}", "f"))

    @property
    def number(self) -> Value:
        """The floats that are as large as the signed integers."""
        v = self.vector
        return Value(v, v.code.op(f"arith.sitofp {self.name} : {v.integers} to {v.floats}", "f"))


Mask = str
"""The name of a vector of truths."""


@dataclass(frozen=True)
class Vector:
    """Operations on vectors of one format, written to a function.

    `scales`: AVX-512 can multiply by powers of two. `strict`: results have the bits of strict arithmetic. `loads`: the
    numbers of polynomials are loaded from variables of the module, which `tables` has by their names.
    """

    code: Lines
    element: str
    lanes: int
    scales: bool
    strict: bool
    loads: bool
    tables: dict[str, str] = field(default_factory=dict)

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

    @property
    def masks(self) -> str:
        """The type of vectors of truths."""
        return f"vector<{self.lanes}xi1>"

    def number(self, value: Value | float) -> Value:
        """A constant in every lane."""
        if isinstance(value, Value):
            return value
        digits = self.format.bits // 4
        bits = f"0x{self.format.pattern(value):0{digits}X}"
        return Value(self, self.code.op(f"arith.constant dense<{bits}> : {self.floats}", "n"))

    def f(self, name: str, *args: Value | float) -> Value:
        """An operation of arith on floats."""
        names = ", ".join(self.number(arg).name for arg in args)
        return Value(self, self.code.op(f"arith.{name} {names} : {self.floats}", "f"))

    def m(self, name: str, *args: Value | float) -> Value:
        """An operation of math that the processor has."""
        names = ", ".join(self.number(arg).name for arg in args)
        return Value(self, self.code.op(f"math.{name} {names} : {self.floats}", "f"))

    def i(self, name: str, one: Bits, other: Bits | int) -> Bits:
        """An operation of arith on integers."""
        if not isinstance(other, Bits):
            other = Bits(self, self.code.op(f"arith.constant dense<{other}> : {self.integers}", "n"))
        return Bits(self, self.code.op(f"arith.{name} {one.name}, {other.name} : {self.integers}", "k"))

    def fma(self, a: Value | float, b: Value | float, c: Value | float) -> Value:
        """a * b + c, rounded once."""
        return self.m("fma", a, b, c)

    def compare(self, predicate: str, a: Value | float, b: Value | float) -> Mask:
        """The mask of the lanes in which a comparison of arith holds."""
        names = f"{self.number(a).name}, {self.number(b).name}"
        return self.code.op(f"arith.cmpf {predicate}, {names} : {self.floats}", "q")

    def below(self, bits: Bits, limit: int) -> Mask:
        """The mask of the lanes in which unsigned integers are less than a number."""
        number = self.code.op(f"arith.constant dense<{limit}> : {self.integers}", "n")
        return self.code.op(f"arith.cmpi ult, {bits.name}, {number} : {self.integers}", "q")

    def outside(self, bits: Bits, low: int, end: int) -> Mask:
        """The mask of the lanes in which unsigned integers are not in a range: one signed comparison.

        Processors without AVX-512 compare signed integers only.
        """
        half = 1 << (self.format.bits - 1)
        moved = bits + (-low % (2 * half) - half)
        number = self.code.op(f"arith.constant dense<{end - low - half}> : {self.integers}", "n")
        return self.code.op(f"arith.cmpi sge, {moved.name}, {number} : {self.integers}", "q")

    def both(self, a: Mask, b: Mask) -> Mask:
        """The conjunction of two masks."""
        return self.code.op(f"arith.andi {a}, {b} : {self.masks}", "q")

    def either(self, a: Mask, b: Mask) -> Mask:
        """The disjunction of two masks."""
        return self.code.op(f"arith.ori {a}, {b} : {self.masks}", "q")

    def same(self, a: Mask, b: Mask) -> Mask:
        """The mask of the lanes in which two masks agree."""
        return self.code.op(f"arith.cmpi eq, {a}, {b} : {self.masks}", "q")

    def nowhere(self, a: Mask) -> Mask:
        """The negation of a mask."""
        ones = self.code.op(f"arith.constant dense<true> : {self.masks}", "n")
        return self.code.op(f"arith.xori {a}, {ones} : {self.masks}", "q")

    def choose(self, condition: Mask, a: Value | float, b: Value | float) -> Value:
        """a where the condition holds, else b."""
        names = f"{self.number(a).name}, {self.number(b).name}"
        return Value(self, self.code.op(f"arith.select {condition}, {names} : {self.masks}, {self.floats}", "f"))

    def at_most(self, limit: float, x: Value) -> Value:
        """The smaller of both; NaN stays."""
        return self.choose(self.compare("olt", limit, x), limit, x)

    def at_least(self, limit: float, x: Value) -> Value:
        """The larger of both; NaN stays."""
        return self.choose(self.compare("ogt", limit, x), limit, x)

    def signed(self, x: Value, sign: Value) -> Value:
        """x with the sign of another."""
        return self.m("copysign", x, sign)

    def power(self, shifted: Value, less: int = 0) -> Value:
        """2^(n - less) in the normal range, of n with the magic number added."""
        bits = shifted.bits << self.format.fraction
        return (bits + self.format.pattern(math.ldexp(1.0, -less))).value

    def scaled(self, x: Value, n: Value, shifted: Value) -> Value:
        """x 2^n, also beyond the normal range, for x near 1 and whole n, given again with the magic number added."""
        if self.scales:
            return self._scaled_at_once(x, n)
        half = self.fma(n, 0.5, self.format.magic)
        rest = (shifted.bits - half.bits) << self.format.fraction
        return (x.bits + rest).value * self.power(half)

    def _scaled_at_once(self, x: Value, n: Value) -> Value:
        """The same by one instruction of AVX-512."""
        kind = "ps" if self.element == "f32" else "pd"
        width = self.format.bits // 2
        bits = self.code.op(f"llvm.mlir.constant(-1 : i{self.lanes}) : i{self.lanes}", "n")
        mode = self.code.op("llvm.mlir.constant(4 : i32) : i32", "n")
        names = f"{x.name}, {n.name}, {x.name}, {bits}, {mode}"
        types = f"{self.floats}, {self.floats}, {self.floats}, i{self.lanes}, i32"
        call = f'llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.{kind}.512"({names}) : ({types}) -> {self.floats}'
        assert width * 2 * self.lanes == 512
        return Value(self, self.code.op(call, "f"))

    def parts(self, name: str) -> tuple[float, ...]:
        """A constant in three parts."""
        return _numbers("parts", f"{name} {self.element}")

    def polynomial(self, name: str, x: Value) -> Value:
        """The polynomial of this name; long ones in two chains, of even and of odd powers."""
        numbers = _numbers("polynomials", f"{name} {self.element}")
        if len(numbers) < 6:
            return self._horner(x, numbers)
        square = x * x
        last, other = self._horner(square, numbers[-1::-2][::-1]), self._horner(square, numbers[-2::-2][::-1])
        return self.fma(other, x, last)

    def _horner(self, x: Value, coefficients: tuple[float, ...]) -> Value:
        total = self.coefficient(coefficients[0])
        for each in coefficients[1:]:
            total = self.fma(total, x, self.coefficient(each))
        return total

    def coefficient(self, value: float) -> Value:
        """A number in every lane, from memory if that is better.

        LLVM makes a constant vector from a number where it is used, by an instruction of its own, if there are too few
        registers. What it has to load as a vector is an operand of the instruction that uses it.
        """
        if not self.loads:
            return self.number(value)
        bits = f"0x{self.format.pattern(value):0{self.format.bits // 4}X}"
        name = f"raise.number.{self.lanes}x{self.element}.{bits}"
        self.tables[name] = (
            f'llvm.mlir.global internal @"{name}"(dense<{bits}> : {self.floats}) '
            f"{{addr_space = 0 : i32, alignment = 64 : i64, externally_initialized}} : {self.floats}"
        )
        where = self.code.op(f'llvm.mlir.addressof @"{name}" : !llvm.ptr')
        text = f"llvm.load {where} invariant {{alignment = 64 : i64}} : !llvm.ptr -> {self.floats}"
        return Value(self, self.code.op(text, "n"))

    def where_any(self, mask: Mask, rare: Callable[[], Value], usual: Value) -> Value:
        """The value `usual`, but `rare()` in the lanes of a mask, computed only if the mask holds in some lane."""
        return self.all_where_any(mask, lambda: [rare()], [usual])[0]

    def all_where_any(self, mask: Mask, rare: Callable[[], list[Value]], usual: list[Value]) -> list[Value]:
        """The same of several values."""
        code = self.code
        some = code.op(f"vector.reduction <or>, {mask} : {self.masks} into i1", "q")
        results = [code.fresh("f") for _ in usual]
        types = ", ".join([self.floats] * len(usual))
        code.line(f"{', '.join(results)} = scf.if {some} -> ({types}) {{")
        chosen = [self.choose(mask, new, old).name for new, old in zip(rare(), usual, strict=True)]
        code.line(f"scf.yield {', '.join(chosen)} : {types}\n}} else {{")
        code.line(f"scf.yield {', '.join(each.name for each in usual)} : {types}\n}}")
        return [Value(self, name) for name in results]

    def one_by_one(self, name: str, *args: Value) -> Value:
        """A function of C's library, lane by lane."""
        code = self.code
        bounds = code.index(0), code.index(self.lanes), code.index(1)
        with code.loop(bounds, [(args[0].name, self.floats)]) as lane:
            place = lane.induction
            taken = [code.op(f"vector.extract {arg.name}[{place}] : {self.element} from {self.floats}") for arg in args]
            found = code.op(f"math.{name} {', '.join(taken)} : {self.element}")
            text = f"vector.insert {found}, {lane.start[0]}[{place}] : {self.element} into {self.floats}"
            lane.values[0] = code.op(text, "f")
        return Value(self, lane.results[0])


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("coefficients.toml").read_text())


def _numbers(table: str, name: str) -> tuple[float, ...]:
    """The numbers of a row of `coefficients.toml`."""
    return tuple(map(float.fromhex, _tables()[table][name].split()))
