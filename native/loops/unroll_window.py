"""Sums over small windows, unrolled: one vector of results takes all elements of its window at once, in registers.

A stencil, a pooling or a filter says `y[i, j] += x[i + p, j + q]` with a few constant p and q. As loops over p and q,
each result would go to memory and back once for each of them; as one statement for all, results are stored once, and
rows done together share what they read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import prod

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.loops.loop_tree import unit_stride
from raising.native.loops.vector_ops import reduction
from raising.native.nest.nest import Nest, Scalar

MOST = 32
"""Elements of a window, at most: five by five, with some to spare."""
_OPERATIONS = 256
_VECTOR = 8
"""Results along the vector, at least: fewer are not worth it."""


def unrolled(nest: Nest) -> Nest:
    """The nest without its sums, if they are over a small window and all of it moves along one vector; else itself."""
    window = [d for d, parallel in enumerate(nest.parallel) if not parallel]
    if not window or not _small(nest, window) or not _moves_as_one(nest, window):
        return nest
    return _written_out(nest, window)


def _small(nest: Nest, window: list[int]) -> bool:
    sizes = [nest.extents[d] for d in window]
    if not all(size.is_constant and size.constant > 0 for size in sizes):
        return False
    count = prod(size.constant for size in sizes)
    return count <= MOST and count * len(nest.body) <= _OPERATIONS


def _moves_as_one(nest: Nest, window: list[int]) -> bool:
    """Whether there is a vector of results, of which each element needs its own sum and vectors of reads."""
    if not all(reduction(nest, place) is not None for place in range(len(nest.writes))):
        return False
    if any(scalar.name == "linalg.index" and int(scalar.properties) in window for scalar in nest.body):
        return False
    apart = all(
        read == write or not read.array.may_overlap(write.array) for read in nest.reads for write in nest.writes
    )
    return apart and any(_vector(nest, d) for d, parallel in enumerate(nest.parallel) if parallel)


def _vector(nest: Nest, d: int) -> bool:
    extent = nest.extents[d]
    if extent.is_constant and extent.constant < _VECTOR:
        return False
    return all(unit_stride(write, d) for write in nest.writes) and all(
        unit_stride(read, d) or d not in read.dims for read in nest.reads
    )


def _written_out(nest: Nest, window: list[int]) -> Nest:
    kept = [d for d in range(len(nest.extents)) if d not in window]
    values: dict[Term, Affine] = {old: dim(new) for new, old in enumerate(kept)}
    reads = [write.moved(values) for write in nest.writes]
    results = [f"in{place}" for place in range(len(reads))]
    body: list[Scalar] = []
    for point in _points(nest, window):
        here = values | point
        names: dict[str, str] = {}
        for number, read in enumerate(nest.reads):
            if read in nest.writes:
                names[f"in{number}"] = results[nest.writes.index(read)]
                continue
            element = read.moved(here)
            if element not in reads:
                reads.append(element)
            names[f"in{number}"] = f"in{reads.index(element)}"
        for number, scalar in enumerate(nest.body):
            names[f"v{number}"] = f"v{len(body)}"
            body.append(_renamed(scalar, names, kept))
        results = [names.get(each, each) for each in nest.yields]
    extents = tuple(nest.extents[d] for d in kept)
    writes = tuple(write.moved(values) for write in nest.writes)
    return replace(
        nest,
        extents=extents,
        parallel=(True,) * len(extents),
        reads=tuple(reads),
        writes=writes,
        body=tuple(body),
        yields=tuple(results),
    )


def _points(nest: Nest, window: list[int]) -> Iterator[dict[Term, Affine]]:
    """The elements of the window, in the order of the loops."""
    for point in product(*(range(nest.extents[d].constant) for d in window)):
        yield {d: Affine(value) for d, value in zip(window, point, strict=True)}


def _renamed(scalar: Scalar, names: Mapping[str, str], kept: list[int]) -> Scalar:
    properties = str(kept.index(int(scalar.properties))) if scalar.name == "linalg.index" else scalar.properties
    return replace(scalar, args=tuple(names.get(arg, arg) for arg in scalar.args), properties=properties)
