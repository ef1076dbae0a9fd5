"""Vectorisation: an innermost loop on vectors, for several rows of the loop around it at once.

The nests of a loop and a shape come in (lanes of a vector, copies of the body, rows); lines of MLIR go out.

- `accumulators` has the partial results of reductions along the vector: their start, and how they are joined.
- `vector_body` writes all nests at one vector of points: a new way to load, compute or store goes there.
- `vector_loop` writes the loop: whole steps, then what they leave over; a new way to treat that goes there.
- `register_blocks` takes a few vectors of elements through a whole loop around them, where elements are on their own.
"""

from raising.native.loops.vectorise.register_blocks import BlockWriter, RegisterBlocks, register_blocks
from raising.native.loops.vectorise.vector_loop import VectorLoop

__all__ = ["BlockWriter", "RegisterBlocks", "VectorLoop", "register_blocks"]
