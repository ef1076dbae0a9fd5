"""Sums of narrow integers: one instruction adds several neighbours, or products of neighbours, to one wider lane.

A nest comes in; a `Grouped` goes out if its sum can be written so.

- `grouped` has the instructions, and writes them.
- `byte_sums` finds sums of bytes and of their absolute differences.
- `pair_sums` finds sums of products of 16-bit numbers.
"""

from raising.native.loops.sums.byte_sums import summed_bytes
from raising.native.loops.sums.grouped import Grouped
from raising.native.loops.sums.pair_sums import summed_pairs

__all__ = ["Grouped", "summed_bytes", "summed_pairs"]
