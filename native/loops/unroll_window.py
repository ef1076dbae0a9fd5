"""Sums over small windows and rows of few elements, unrolled.

A stencil, a pooling or a filter says `y[i, j] += x[i + p, j + q]` with a few constant p and q. As loops over p and q,
each result would go to memory and back once for each of them; as one statement for all, one vector of results takes
all elements of its window at once, in registers: results are stored once, and rows done together share what they read.

Rows of two to four elements (`y[i, c] = x[i]`, the colours of a pixel) would leave most of a vector empty. With a
result for each of them, a vector runs across the rows, and `interleave` puts the results together.

    before  for i: for p in 0 .. 3: y[i] += x[i + p]
    after   for i: y[i] = y[i] + x[i] + x[i + 1] + x[i + 2]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from operator import eq, ge, gt, le, lt, ne

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.loops.interleave import MOST as SHORT
from raising.native.loops.interleave import is_whole, place_of
from raising.native.loops.loop_tree import unit_stride
from raising.native.loops.vector_ops import element_bits, reduction
from raising.native.nest.nest import Access, Nest, Scalar

MOST = 32
"""Elements of a window, at most: five by five, with some to spare."""
_OPERATIONS = 256
_PREDICATE = re.compile(r"predicate = (\d+)")
_HOLDS = (eq, ne, lt, le, gt, ge)
"""What the predicates of `arith.cmpi` say, by their numbers, of numbers with a sign."""
_TABLE = 16
"""Rows and columns of a table, at most, that registers hold."""
_VECTOR = 256
"""Bits of the results along the vector, at least: fewer are not worth it."""


def unrolled(nest: Nest) -> Nest:
    """The nest without its sums over a small window, if all of it moves along one vector, or without its short rows."""
    window = [d for d, parallel in enumerate(nest.parallel) if not parallel]
    if not window:
        return _across_rows(nest)
    if not _small(nest, window) or not _each_by_itself(nest, window):
        return nest
    found = _written_out(nest, window)
    if any(_vector(nest, d) for d, parallel in enumerate(nest.parallel) if parallel):
        return found
    across = _across_rows(found)
    return nest if across is found else across


def _small(nest: Nest, window: list[int]) -> bool:
    sizes = [nest.extents[d] for d in window]
    if not all(size.is_constant and size.constant > 0 for size in sizes):
        return False
    count = prod(size.constant for size in sizes)
    return count <= MOST and count * len(nest.body) <= _OPERATIONS


def _each_by_itself(nest: Nest, window: list[int]) -> bool:
    """Whether each result needs its own sum only."""
    if not all(reduction(nest, place) is not None for place in range(len(nest.writes))):
        return False
    if any(scalar.name == "linalg.index" and int(scalar.properties) in window for scalar in nest.body):
        return False
    return _reads_own(nest)


def _reads_own(nest: Nest) -> bool:
    """Whether each iteration reads what it writes itself, and nothing else of what is written."""
    return all(read == write or not read.array.may_overlap(write.array) for read in nest.reads for write in nest.writes)


def _vector(nest: Nest, d: int) -> bool:
    """Whether there is a vector of results along a dimension, of vectors of reads."""
    if _is_short(nest, d):
        return False
    return all(unit_stride(write, d) for write in nest.writes) and all(
        unit_stride(read, d) or d not in read.dims or place_of(read, d) is not None or _is_table(nest, read, d)
        for read in nest.reads
    )


def _is_short(nest: Nest, d: int) -> bool:
    """Whether a dimension is known to have too few results for a vector."""
    extent, bits = nest.extents[d], min(element_bits(write.array.element) for write in nest.writes)
    return extent.is_constant and extent.constant * bits < _VECTOR


def _is_table(nest: Nest, read: Access, d: int) -> bool:
    """Whether few elements are read for all results along a dimension: they stay in registers, however they lie."""
    window = {k for k, parallel in enumerate(nest.parallel) if not parallel}
    sizes = [nest.extents[k] for k in (d, *window)]
    known = read.stride(d) is not None and all(size.is_constant for size in sizes)
    return known and read.dims <= {d, *window} and all(size.constant <= _TABLE for size in sizes)


def _across_rows(nest: Nest) -> Nest:
    """The nest with all elements of a short row at once, if vectors across rows are stored and loaded whole."""
    if not _by_itself(nest):
        return nest
    for c, extent in enumerate(nest.extents):
        if extent.is_constant and 2 <= extent.constant <= SHORT and extent.constant * len(nest.body) <= _OPERATIONS:
            found = _row_written_out(nest, c)
            if any(_whole_across(found, d) for d in range(len(found.extents))):
                return found
    return nest


def _by_itself(nest: Nest) -> bool:
    """Whether no iteration reads what another one writes, so that several may load before any stores."""
    arrays = [write.array for write in nest.writes]
    return _reads_own(nest) and not any(one.may_overlap(two) for k, one in enumerate(arrays) for two in arrays[:k])


def _row_written_out(nest: Nest, c: int) -> Nest:
    kept = [d for d in range(len(nest.extents)) if d != c]
    values: dict[Term, Affine] = {old: dim(new) for new, old in enumerate(kept)}
    reads: list[Access] = []
    writes: list[Access] = []
    body: list[Scalar] = []
    results: list[str] = []
    for point in _points(nest, [c]):
        here = values | point
        names: dict[str, str] = {}
        for number, read in enumerate(nest.reads):
            names[f"in{number}"] = _input(read.moved(here), reads)
        for number, scalar in enumerate(nest.body):
            new = _renamed(_placed(scalar, point), names, kept)
            chosen = _chosen(body, new)
            names[f"v{number}"] = chosen or f"v{len(body)}"
            body += [] if chosen else [new]
        results += [names.get(each, each) for each in nest.yields]
        writes += [write.moved(here) for write in nest.writes]
    found = replace(
        nest,
        extents=tuple(nest.extents[d] for d in kept),
        parallel=tuple(nest.parallel[d] for d in kept),
        reads=tuple(reads),
        writes=tuple(writes),
        body=tuple(body),
        yields=tuple(results),
    )
    return _without_unused(found)


def _chosen(body: Sequence[Scalar], scalar: Scalar) -> str | None:
    """The value that a selection gives, where the place in the row decides it."""
    if scalar.name != "arith.select" or not scalar.args[0].startswith("v"):
        return None
    compare = body[int(scalar.args[0][1:])]
    found = _PREDICATE.search(compare.properties)
    if compare.name != "arith.cmpi" or found is None or int(found[1]) >= len(_HOLDS):
        return None
    left, right = (_index(body, name) for name in compare.args)
    if left is None or right is None or not left.is_constant or not right.is_constant:
        return None
    return scalar.args[1 if _HOLDS[int(found[1])](left.constant, right.constant) else 2]


def _index(body: Sequence[Scalar], name: str) -> Affine | None:
    """An index as an expression; None if it is not one."""
    return body[int(name[1:])].index(lambda arg: _index(body, arg)) if name.startswith("v") else None


def _without_unused(nest: Nest) -> Nest:
    """The nest without reads that nothing uses: of a row, some elements may have no value yet."""
    used = {*nest.yields, *(arg for scalar in nest.body for arg in scalar.args)}
    kept = [k for k, read in enumerate(nest.reads) if f"in{k}" in used or read in nest.writes]
    names = {f"in{old}": f"in{new}" for new, old in enumerate(kept)}
    body = tuple(replace(each, args=tuple(names.get(arg, arg) for arg in each.args)) for each in nest.body)
    yields = tuple(names.get(each, each) for each in nest.yields)
    return replace(nest, reads=tuple(nest.reads[k] for k in kept), body=body, yields=yields)


def _input(element: Access, reads: list[Access]) -> str:
    """The name of a read of a nest, which is added to these if it is a new one."""
    if element not in reads:
        reads.append(element)
    return f"in{reads.index(element)}"


def _placed(scalar: Scalar, point: Mapping[Term, Affine]) -> Scalar:
    """An operation, or a number for an index that is one."""
    if scalar.name != "linalg.index" or int(scalar.properties) not in point:
        return scalar
    number = point[int(scalar.properties)].constant
    return replace(scalar, name="arith.constant", properties=f"<{{value = {number} : index}}>")


def _whole_across(nest: Nest, d: int) -> bool:
    """Whether vectors along a dimension are whole pieces of memory, and some of them interleaved."""
    if _is_short(nest, d):
        return False
    if not any(place_of(access, d) for access in (*nest.needed, *nest.writes)):
        return False
    return all(unit_stride(write, d) or is_whole(write, nest.writes, d) for write in nest.writes) and all(
        unit_stride(read, d) or d not in read.dims or place_of(read, d) is not None for read in nest.needed
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
            names[f"in{number}"] = _input(read.moved(here), reads)
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
