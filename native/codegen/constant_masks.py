"""Stores of integers under masks that are constants, written as stores of the lanes that there are.

LLVM's code for x86 folds a conversion to narrower integers into a masked store. Where one lane of the mask is set, and
known to be, version 22 then stores that lane with its bits from before the conversion: a loop over 17 bytes that are
computed in 32 bits wrote three bytes behind their end. (`reduceMaskedStoreToScalarStore` in `X86ISelLowering.cpp` does
not look whether the store truncates.) A vector that is split for the machine has a mask for each half, so that all
such masks go, not those of one lane only.

    before  call void @llvm.masked.store.v4i16.p0(<4 x i16> %v, ptr align 2 %p, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
    after   store lanes 0 and 1 of %v at %p, and lane 2 at %p + 4
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count

_STORE = re.compile(
    r"\s*(?:tail |notail )?call void @llvm\.masked\.store\.v(\d+)i(\d+)\.p0\((.*)\)(?: #\d+)?((?:, !.*)?)$"
)
_MASK = re.compile(r"<\d+ x i1> <(.*)>$")
_PLACE = re.compile(r"ptr (?:.*?\balign (\d+) )?.*?((?:[%@]|getelementptr |inttoptr |null$|poison$).*)$")
MARK = "@llvm.masked.store."


def without_constant_masks(text: str) -> str:
    """A module's text with plain stores; the same text if it has no such masks."""
    if MARK not in text:
        return text
    names = (f"%lanes.{k}" for k in count())
    return "\n".join(line for each in text.split("\n") for line in _stores(each, names))


def _stores(line: str, names: Iterator[str]) -> Sequence[str]:
    """The stores in place of one line, or the line."""
    found = _STORE.match(line) if MARK in line else None
    if found is None:
        return (line,)
    lanes, bits, arguments, rest = int(found[1]), int(found[2]), _arguments(found[3]), found[4]
    value, place, mask = arguments[0], _PLACE.match(arguments[-2]), _MASK.match(arguments[-1])
    if place is None or mask is None:
        return (line,)
    align, pointer = int(place[1] or 1), place[2]
    stores = []
    for first, length in _runs([flag.strip() == "i1 true" for flag in mask[1].split(",")]):
        part, at = next(names), next(names)
        order = ", ".join(f"i32 {lane}" for lane in range(first, first + length))
        offset = first * bits // 8
        stores += [
            f"  {part} = shufflevector {value}, <{lanes} x i{bits}> poison, <{length} x i32> <{order}>",
            f"  {at} = getelementptr i8, ptr {pointer}, i64 {offset}",
            f"  store <{length} x i{bits}> {part}, ptr {at}, align {min(align, (offset & -offset) or align)}{rest}",
        ]
    return stores


def _arguments(text: str) -> list[str]:
    """What stands between commas that are in no brackets."""
    found, depth, begin = [], 0, 0
    for place, char in enumerate(text):
        depth += (char in "(<[{") - (char in ")>]}")
        if char == "," and not depth:
            found.append(text[begin:place].strip())
            begin = place + 1
    return [*found, text[begin:].strip()]


def _runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """The lanes that are set, as runs whose lengths are powers of two: the first lane and the length of each."""
    lane = 0
    while lane < len(flags):
        if not flags[lane]:
            lane += 1
            continue
        end = next((k for k in range(lane, len(flags)) if not flags[k]), len(flags))
        length = 1 << ((end - lane).bit_length() - 1)
        yield lane, length
        lane += length
