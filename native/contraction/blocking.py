"""Sizes of register tiles and cache blocks of a contraction, from the target and from the extents that are known."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

from raising.native.base.target import Target
from raising.native.contraction.gemm import Gemm
from raising.native.nest.fragment import Fragment
from raising.support.record import dataclass

_LATENCY = 8
"""Multiplications that have to be under way for the units to be busy: latency times issue width."""

_PACKING = 2
"""Cycles for a vector of an operand to be packed."""

_ALONE = 12_000
"""Cycles of products on vectors, two at a time: what is over then, after 4 µs, is over before another thread helps."""

_CONFLICT = 1024
"""Bytes: lines at a multiple of it from each other share few sets of a cache."""


_WORD = 32
_EXTENDS = {"arith.extsi": True, "arith.extui": False}


@dataclass(frozen=True)
class Word:
    """Integers that lie packed, `steps` of k in an element of 32 bits; one instruction sums as many products.

    Four bytes of A have to be without a sign where those of B have one, and the other way round (`turned`): where both
    are of the same kind, the highest bit of those of A is turned over (`flipped`), which adds or takes 128 times B.
    """

    steps: int
    turned: bool = False
    flipped: bool = False


@dataclass(frozen=True)
class Blocking:
    """A tile of C in registers is rows x (vectors * lanes); blocks of A are mc x kc, blocks of B kc x nc.

    `mc` is a multiple of `rows`, `nc` of the columns of a tile. The sizes are upper bounds:
    extents are cut into blocks that are as equal as can be. `kc` counts elements of the panels, which with `word` hold
    several steps each. With `unpacked`, A is read where it is. With `share`, C is
    cut into parts of so many rows and columns that are contractions of their own: one thread does all of one.
    """

    lanes: int
    rows: int
    vectors: int
    mc: int
    kc: int
    nc: int
    threads: int
    unpacked: bool
    word: Word | None = None
    share: tuple[int, int] | None = None

    @property
    def columns(self) -> int:
        """Columns of a tile."""
        return self.vectors * self.lanes


def bits(element: str) -> int:
    """How many bits an element has in memory; an i1 has a byte."""
    found = re.search(r"\d+", element)
    return max(8, int(found[0])) if found else 64


def choose(gemm: Gemm, target: Target) -> Blocking:
    """The sizes for a contraction on a target."""
    size = bits(gemm.element) // 8
    lanes = max(1, target.vector_bits // (8 * size))
    m, n, k = (gemm.extent(group) for group in (gemm.m, gemm.n, gemm.k))
    word = _word(gemm, target)
    batch = gemm.extent(gemm.batch)
    if m and n and k and batch and m * n * k * batch <= _ALONE * 2 * lanes * (word.steps if word else 1):
        target = replace(target, threads=1)
    k = -(-k // word.steps) if k and word else k
    shapes = _shapes(target.registers, 1 if word and word.flipped else 0)
    rows, vectors = _tile(shapes, lanes, m, n)
    # A panel of B takes a twelfth of the second cache, a block of A a quarter of it, a block of B a quarter
    # of the third. Longer panels pay for the way of C to memory and back. How k is cut does not depend on
    # the number of threads: sums are the same for each.
    kc = max(128, target.l2 // 12 // (vectors * lanes * size) // 8 * 8)
    if needs_one_block(gemm):
        kc = k or kc
    kc = min(kc, _balanced(k, kc)) if k else kc
    block = max(1, target.l2 // 4 // (kc * size))
    share = None
    if m and n and m < 2 * target.threads * block and _separable(gemm, target.threads):
        share, (rows, vectors) = _shared(shapes, lanes, (m, n), 1 if gemm.batch else target.threads)
        m, n = share
    columns = vectors * lanes
    mc = max(1, block // rows) * rows
    nc = max(1, target.l3 // 4 // (kc * size) // columns) * columns
    if m:
        mc = min(mc, -(-m // rows) * rows)
    if n:
        nc = max(nc, n) if gemm.whole else nc
        nc = min(nc, -(-n // columns) * columns)
    threads = target.threads if share is None else 1
    return Blocking(lanes, rows, vectors, mc, kc, nc, threads, _unpacked(gemm, size, columns), word, share)


def _word(gemm: Gemm, target: Target) -> Word | None:
    """The packed layout for small integers, if both operands are elements in memory that are only widened."""
    single = len(gemm.products) == len(gemm.m) == len(gemm.k) == 1
    special = gemm.whole or gemm.descending or gemm.mirrored or gemm.a_band or gemm.b_band
    if not single or special or bits(gemm.element) != _WORD or not gemm.integer:
        return None
    (both,) = gemm.products
    a, b = _widened(both.a, gemm.m[0], gemm.k[0]), _widened(both.b, gemm.n[0], gemm.k[0])
    if a is None or b is None:
        return None
    (width, signed), (other, b_signed) = a, b
    if target.dots == 4 and width == other == 8:
        return Word(4, turned=not b_signed, flipped=signed == b_signed)
    signs = all(each < 16 or sign for each, sign in (a, b))
    return Word(2) if target.dots and max(width, other) <= 16 and signs else None


def _widened(side: Fragment, along: int, depth: int) -> tuple[int, bool] | None:
    """Bits of an operand's elements, and whether they have a sign; None unless it is rows of them, only made wider."""
    if len(side.reads) != 1 or len(side.body) != 1 or side.result != "v0" or side.body[0].args != ("in0",):
        return None
    (access,), (made,) = side.reads, side.body
    if made.name not in _EXTENDS or access.array.element not in ("i8", "i16"):
        return None
    return (bits(access.array.element), _EXTENDS[made.name]) if 1 in map(access.stride, (along, depth)) else None


def _separable(gemm: Gemm, threads: int) -> bool:
    """Whether parts of C can be done apart: all of them have as much to do, and nothing is read that others write."""
    if threads == 1 or gemm.region or gemm.a_band or gemm.b_band or gemm.mirrored or gemm.descending or gemm.whole:
        return False
    if gemm.batch and (gemm.extent(gemm.batch) or 0) < 2 * threads:
        return False
    reads = (access.array for product in gemm.products for side in (product.a, product.b) for access in side.reads)
    return not any(array.may_overlap(gemm.write.array) for array in reads)


def _shared(
    shapes: list[tuple[int, int]], lanes: int, extents: tuple[int, int], threads: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Rows and columns of a share, and the tile, so that the largest share takes the fewest cycles."""
    m, n = extents
    found = []
    for down, shape in product((d for d in range(1, threads + 1) if threads % d == 0), shapes):
        rows, columns = shape[0], shape[1] * lanes
        share = (-(-m // down // rows) * rows, -(-n // (threads // down) // columns) * columns)
        height, width = min(m, share[0]), min(n, share[1])
        found.append((_cycles(shape, lanes, height, width) + _PACKING * (height + width) / lanes, share, shape))
    _, share, shape = min(found, key=lambda each: each[0])
    return share, shape


def needs_one_block(gemm: Gemm) -> bool:
    """Whether sums cannot be kept in C between two blocks of k: its elements are of another type, or needed."""
    return gemm.whole or gemm.write.array.element != gemm.element


def _unpacked(gemm: Gemm, size: int, columns: int) -> bool:
    """Whether packing A costs more than it saves: few tiles read each row, and its lines do not displace each other."""
    m, n = gemm.extent(gemm.m), gemm.extent(gemm.n)
    access = gemm.products[0].a.plain
    if m is None or n is None or n > 6 * columns or access is None or gemm.whole:
        return False
    if len(gemm.products) > 1 or len(gemm.m) > 1 or len(gemm.k) > 1 or access.array.element != gemm.element:
        return False
    strides = [access.stride(gemm.m[0]), access.stride(gemm.k[0])]
    if 1 not in strides or None in strides:
        return False
    return all((stride or 0) * size % _CONFLICT != 0 for stride in strides)


def _balanced(extent: int, block: int) -> int:
    """The size of the largest block if the extent is cut into as few equal ones as fit."""
    return -(-extent // -(-extent // block))


def _shapes(registers: int, extra: int) -> list[tuple[int, int]]:
    """Rows and vectors of tiles that keep the units busy, the widest square one first; `extra` rows of sums besides."""
    best = (8, 3) if registers == 32 else (4, 3)
    shapes = [(rows, vectors) for vectors in (3, 2, 4, 1) for rows in range(4, 25, 2)
              if (rows + extra + 1) * vectors + 1 <= registers and rows * vectors * 3 >= registers * 2 - 8]  # fmt: skip
    return sorted(shapes, key=lambda shape: shape != best)


def _tile(shapes: list[tuple[int, int]], lanes: int, m: int | None, n: int | None) -> tuple[int, int]:
    """Rows and vectors of the tile that takes the fewest cycles for all of C; the widest square one if that is open."""
    return shapes[0] if n is None else min(shapes, key=lambda shape: _cycles(shape, lanes, m or 1 << 10, n))


def _cycles(shape: tuple[int, int], lanes: int, m: int, n: int) -> float:
    """Cycles per step of k for all tiles: multiplications or loads, whichever are more, and what a tile costs."""
    rows, vectors = shape
    wide = -(-n // lanes)
    parts = [(m // rows, rows), (1 if m % rows else 0, m % rows)]
    strips = [(wide // vectors, vectors), (1 if wide % vectors else 0, wide % vectors)]
    return sum(
        count * strip * max(height * width, height + width, _LATENCY)
        for count, height in parts
        for strip, width in strips
    )
