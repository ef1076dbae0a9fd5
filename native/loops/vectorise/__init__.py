"""Vectorisation: an innermost loop on vectors, for several rows of the loop around it at once.

The nests of a loop and a shape come in (lanes of a vector, copies of the body, rows); lines of MLIR go out.

- `accumulators` has the partial results of reductions along the vector: their start, and how they are joined.
- `vector_body` writes all nests at one vector of points: a new way to load, compute or store goes there.
- `vector_loop` writes the loop: whole steps, then what they leave over; a new way to treat that goes there.
"""

from raising.native.loops.vectorise.vector_loop import VectorLoop

__all__ = ["VectorLoop"]
