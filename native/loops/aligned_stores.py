"""Aligned stores: how many iterations a loop does before its vectors are stored at multiples of their size.

A vector that crosses from one line of the cache to the next costs two accesses, and C's `malloc` aligns to 16 bytes
only. Sums are left alone: where a vector begins decides how a sum is grouped, and results must not depend on where
an array lies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.loops.interleave import is_whole, place_of
from raising.native.loops.loop_tree import unit_stride
from raising.native.loops.vector_ops import element_bits
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Nest, Scalar

LINE = 64
LEAST = 8
"""Vectors of a loop, at least, so that it pays."""
LIGHT = 16
"""Operations, at most, of bodies that wait for memory more than for what they compute."""


def light(nests: tuple[Nest, ...], d: int) -> bool:
    """Whether nests do little but load and store, along a dimension."""
    scalars = [scalar for nest in nests for scalar in _along(nest, d)]
    return len(scalars) <= LIGHT and not any(scalar.name.startswith("math.") for scalar in scalars)


def _along(nest: Nest, d: int) -> list[Scalar]:
    """The operations whose values change along a dimension: the others are done once."""
    names = {f"in{number}" for number, read in enumerate(nest.reads) if d in read.dims}
    found = []
    for number, scalar in enumerate(nest.body):
        if names.intersection(scalar.args) or (scalar.name == "linalg.index" and scalar.properties == str(d)):
            names.add(f"v{number}")
            found.append(scalar)
    return found


def iterations_before(
    code: Lines, writes: Sequence[Access], d: int, loop: tuple[Mapping[Term, str], str, int]
) -> str | None:
    """The number, less than a vector's, of a loop with these names, iterations and lanes; None if it is not known how.

    `writes` are all that it stores. 0 for short loops.
    """
    names, total, lanes = loop
    found = next(((write, step) for write in writes if (step := _step(write, writes, d))), None)
    if found is None:
        return None
    write, step = found
    size = element_bits(write.array.element) // 8
    even = step % 2 == 0
    line = min(LINE, lanes * size * (step if even else 1))
    address = _address(code, write, d, names)
    below = code.op(f"arith.subi {code.index(0)}, {address} : index")
    below = code.op(f"arith.andi {below}, {code.index(line - 1)} : index")
    lead = code.op(f"arith.divui {below}, {code.index(size * (step if even else 1))} : index")
    if not even:
        inverse = pow(step, -1, line // size) if line > size else 0
        lead = code.op(f"arith.muli {lead}, {code.index(inverse)} : index")
        lead = code.op(f"arith.andi {lead}, {code.index(line // size - 1)} : index")
    long = code.op(f"arith.cmpi sge, {total}, {code.index(LEAST * lanes)} : index")
    return code.op(f"arith.select {long}, {lead}, {code.index(0)} : index")


def _step(write: Access, writes: Sequence[Access], d: int) -> int | None:
    """The elements between those of a vector that is stored whole, in an array whose addresses are simple."""
    array = write.array
    if "," in array.type or not array.type.startswith("memref<") or element_bits(array.element) % 8:
        return None
    if unit_stride(write, d):
        return 1
    place = place_of(write, d)
    return place.group.step if place is not None and is_whole(write, writes, d) else None


def _address(code: Lines, write: Access, d: int, names: Mapping[Term, str]) -> str:
    """Where a loop's first element lies, as a number; of interleaved ones, the first of its stride."""
    array, place = write.array, place_of(write, d)
    index = [each.substitute({d: Affine(0)}) for each in write.map]
    if place is not None:
        index[-1] = index[-1] - place.phase
    name = names[array.name]
    flat = code.index(0)
    for axis, each in enumerate(index):
        extent = array.shape[axis]
        if axis:
            size = (
                code.index(extent)
                if extent is not None
                else code.op(f"memref.dim {name}, {code.index(axis)} : {array.type}")
            )
            flat = code.op(f"arith.muli {flat}, {size} : index")
        flat = code.op(f"arith.addi {flat}, {code.affine(each, names)} : index")
    start = code.op(f"memref.extract_aligned_pointer_as_index {name} : {array.type} -> index")
    bytes_ = code.op(f"arith.muli {flat}, {code.index(element_bits(array.element) // 8)} : index")
    return code.op(f"arith.addi {start}, {bytes_} : index")
