"""Flat memory that was read in rows, as a memory of these rows: `memref.reinterpret_cast`.

It has as many rows as are whole in the memory. The reader proves that loops touch no others.

    before  %a : memref<?xf32>, read at [i * 8 + j]
    after   %rows = memref.reinterpret_cast %a to offset: [0], sizes: [%n, 8], strides: [8, 1]
"""

from __future__ import annotations

from typing import Any

from raising.affine.ir.program import Array
from raising.grammar.emit.term_builder import Builder
from raising.grammar.select.selector import Argument


def in_rows(builder: Builder, array: Array, flat: Any) -> Argument:
    """The memory `%name`, of type `flat`, with the inner extents that its array has."""
    sizes: list[str] = []
    strides = ["1"]
    for extent in reversed(array.shape[1:]):
        sizes.insert(0, str(extent.const) if extent.is_const else builder.size(extent))
        step = str(extent.const) if extent.is_const else builder.index(extent)
        strides.insert(0, _product(builder, strides[0], step))
    zero, one = (builder.once(f"arith.constant {n} : index") for n in (0, 1))
    length = strides[0] if strides[0].startswith("%") else builder.once(f"arith.constant {strides[0]} : index")
    whole = builder.once(f"memref.dim %{array.name}, {zero} : {flat}")
    rows = builder.once(f"arith.divsi {whole}, {builder.once(f'arith.maxsi {length}, {one} : index')} : index")
    shape = "x".join(["?", *("?" if s.startswith("%") else s for s in sizes)])
    layout = ", ".join("?" if s.startswith("%") else s for s in strides)
    kind = f"memref<{shape}x{array.element}, strided<[{layout}]>>"
    name = builder.once(
        f"memref.reinterpret_cast %{array.name} to offset: [0], sizes: [{', '.join([rows, *sizes])}], "
        f"strides: [{', '.join(strides)}] : {flat} to {kind}"
    )
    return Argument(name, kind)


def _product(builder: Builder, left: str, right: str) -> str:
    if left == "1":
        return right
    if not left.startswith("%") and not right.startswith("%"):
        return str(int(left) * int(right))
    factors = [f if f.startswith("%") else builder.once(f"arith.constant {f} : index") for f in (left, right)]
    return builder.once(f"arith.muli {factors[0]}, {factors[1]} : index")
