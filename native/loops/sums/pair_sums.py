"""Sums of products of numbers of 16 bits: processors multiply these in pairs, and add the two products on 32 bits.

So they take half as many vectors as products of 32 bits. A sum of single numbers is one of products with 1. What is
summed has to be computed on at most 16 bits (`narrow` comes before): counting 32-bit comparisons gains nothing.

    before  %s = arith.addi %old, (arith.extsi (arith.muli (arith.extsi %a : i8 to i16), (arith.extsi %b : i8 to i16)))
    after   %s = arith.addi %old, (llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%x, %y))
"""

from __future__ import annotations

from raising.affine.ir.integer_functions import SPANS
from raising.native.loops.narrow import Narrower, computed_bits, fits_signed
from raising.native.loops.sums.grouped import PRODUCTS, Grouped, added, leaves
from raising.native.loops.vector_ops import element_bits
from raising.native.nest.nest import Nest, Scalar
from raising.support.record import dataclass

_MOST = 8
"""Products, at most, that are added for a point."""
_SHORT, _WIDE = f"i{PRODUCTS.bits}", f"i{PRODUCTS.into}"


def summed_pairs(nest: Nest) -> Grouped | None:
    """The sum of a nest that adds products of 16-bit numbers, or such numbers; None if it does not."""
    term = added(nest, (_WIDE,))
    if term is None:
        return None
    terms = _Terms(nest, Narrower(nest))
    found = terms.of(term)
    if found is None:
        return None
    body = tuple(terms.narrow.body)
    read = [name for name in leaves(body, [name for term in found for name in term]) if name[0] == "i"]
    wide = any(element_bits(nest.reads[int(name[2:])].array.element) > PRODUCTS.bits for name in read)
    return (
        None
        if wide or any(computed_bits(scalar) > PRODUCTS.bits for scalar in body)
        else Grouped(PRODUCTS, body, tuple(found))
    )


@dataclass(frozen=True)
class _Terms:
    """Takes values of a nest apart into sums of products, and writes the factors on 16 bits."""

    nest: Nest
    narrow: Narrower

    def of(self, name: str) -> list[tuple[str, ...]] | None:
        """The products whose sum is a value of 32 bits, modulo 2^32; None if it is something else."""
        scalar = self._scalar(name)
        if scalar is not None and scalar.name == "arith.addi":
            found = self.of(scalar.args[0])
            others = self.of(scalar.args[1]) if found else None
            return found + others if found and others and len(found) + len(others) <= _MOST else None
        product = self._product(scalar) if scalar else None
        factors = [self._factor(each) for each in product or (name,)]
        return [tuple(factor for factor in factors if factor)] if all(factors) else None

    def _product(self, scalar: Scalar) -> tuple[str, ...] | None:
        """The factors of a product of 32 bits, or of one of 16 that is extended and did not wrap around before."""
        if scalar.name == "arith.muli":
            return scalar.args
        inner = self._scalar(scalar.args[0]) if scalar.name in ("arith.extsi", "arith.extui") else None
        if inner is None or inner.name != "arith.muli" or inner.result != _SHORT:
            return None
        values = [value.values for each in inner.args if (value := self.narrow.value(each)) is not None]
        span = SPANS["arith.muli"](*values)
        least = 0 if scalar.name == "arith.extui" else -(1 << (PRODUCTS.bits - 1))
        fits = span is not None and least <= span[0] and span[1] < least + (1 << PRODUCTS.bits)
        return inner.args if fits else None

    def _factor(self, name: str) -> str | None:
        """A value on 16 bits, with a sign; None if it does not fit."""
        value = self.narrow.value(name)
        fits = value is not None and fits_signed(value.values, PRODUCTS.bits)
        return self.narrow.on(value, PRODUCTS.bits) if value is not None and fits else None

    def _scalar(self, name: str) -> Scalar | None:
        return self.nest.body[int(name[1:])] if name[0] == "v" else None
