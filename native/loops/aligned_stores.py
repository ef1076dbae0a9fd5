"""Aligned vectors: how many iterations a loop does before its vectors lie at multiples of their size in memory.

A vector that crosses from one line of the cache to the next costs two accesses, and C's `malloc` aligns to 16 bytes
only. Arrays that lie differently cannot all be aligned: as many bytes as possible are, and of two arrays the one that
is read. (Aligned stores alone cost rows of 4 KB that three arrays are read for a quarter of their speed.) Sums are
left alone: where a vector begins decides how a sum is grouped, and results must not depend on where an array lies.

A store to a line that no cache has reads that line first, although all of it is overwritten. Stores that go past the
caches fill whole lines without that, if they are aligned; they pay where so much is written that whoever reads it would
not find it in a cache anyway.

    before  for i in 0 .. n by 4: out[i .. i + 4] = ...
    after   lead = the elements from where most bytes lie on to the next multiple of 32 bytes
            the first lead elements under a mask; for i in lead .. n by 4: out[i .. i + 4] = ...
            where n is large: the same with lead from out alone, past the caches; then a fence
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.loops.interleave import is_whole, place_of
from raising.native.loops.loop_tree import backwards, unit_stride
from raising.native.loops.vector_ops import element_bits
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Array, Nest, Scalar
from raising.support.record import dataclass

LINE = 64
LEAST = 8
"""Vectors of a loop, at least, so that it pays, where each is a line; of half of one, only every second crosses any."""
LIGHT = 16
"""Operations, at most, of bodies that wait for memory more than for what they compute."""
FENCE = 'llvm.call_intrinsic "llvm.x86.sse.sfence"() : () -> ()'
"""Behind stores that go past the caches: other threads see what comes later only after them."""
INSTRUCTIONS = ("math.absf", "math.absi", "math.ceil", "math.copysign", "math.floor", "math.fma", "math.sqrt")
"""Functions that are one instruction on vectors, or two."""
MANY = 4
"""Arrays, at most, that are weighed against each other: of more, those that are written count."""


def light(nests: tuple[Nest, ...], d: int, most: int = LIGHT) -> bool:
    """Whether nests do little but load and store, along a dimension: at most so many operations."""
    scalars = [scalar for nest in nests for scalar in _along(nest, d)]
    return len(scalars) <= most and not any(_is_long(scalar) for scalar in scalars)


def _is_long(scalar: Scalar) -> bool:
    """Whether an operation is more than an instruction."""
    return scalar.name.startswith("math.") and scalar.name not in INSTRUCTIONS


def _along(nest: Nest, d: int) -> list[Scalar]:
    """The operations whose values change along a dimension: the others are done once."""
    names = {f"in{number}" for number, read in enumerate(nest.reads) if d in read.dims}
    found = []
    for number, scalar in enumerate(nest.body):
        if names.intersection(scalar.args) or (scalar.name == "linalg.index" and scalar.properties == str(d)):
            names.add(f"v{number}")
            found.append(scalar)
    return found


def streamed(nests: tuple[Nest, ...], temporary: frozenset[str], d: int) -> tuple[Access, int] | None:
    """What a loop writes by whole vectors, and its step in elements, if that is one stream that nothing reads."""
    writes = [each for nest in nests for each in nest.writes if each.array.root not in temporary]
    reads = [each for nest in nests for each in nest.needed if each.array.root not in temporary]
    steps = {_step(write, writes, d) for write in writes}
    if len({(write.array, _begin(write, d)) for write in writes}) != 1 or len(steps) != 1:
        return None
    write, step = writes[0], steps.pop()
    alone = not any(read.array.may_overlap(write.array) for read in reads)
    return (write, step) if alone and step is not None and step > 0 else None


def past_caches(
    code: Lines,
    found: tuple[Access, int],
    d: int,
    loop: tuple[Mapping[Term, str], str, int],
    instead: tuple[str, int],
) -> tuple[str, int, str]:
    """Whether stores go past the caches, the bytes that they are aligned to then, and the iterations before.

    They do from so many bytes on as `instead` says; it also has the iterations before if they do not.
    """
    (access, step), (names, total, lanes), (before, least) = found, loop, instead
    size, aligned, lead = element_bits(access.array.element) // 8, code.fresh(), code.fresh()
    line = min(LINE, lanes * (size * step if step % 2 == 0 else size))
    many = max(LINE, -(-least // (size * step)))  # more than there are before
    code.line(f"{aligned}, {lead} = scf.if {code.formula(f'{total} >= {many}')} -> (i1, index) {{")
    first = _stream(code, (access, step, 0), d, (names, lanes)).lead
    moved = code.formula(f"{first} * {size * step}")
    fits = code.formula(f"({moved} + {_address(code, access, d, names)} & {line - 1}) == 0")
    first = code.formula(f"{first} if {fits} else {before}")
    code.line(f"scf.yield {fits}, {first} : i1, index\n}} else {{")
    no = code.op("arith.constant false")
    code.line(f"scf.yield {no}, {before} : i1, index\n}}")
    return aligned, line, lead


@dataclass(frozen=True)
class _Stream:
    """Vectors of an array: `weight` bytes in an iteration, and after how many iterations they are aligned as before."""

    lead: str
    period: int
    weight: int


def iterations_before(
    code: Lines,
    work: tuple[tuple[Nest, ...], frozenset[str]],
    d: int,
    loop: tuple[Mapping[Term, str], str, int],
) -> str | None:
    """The number, less than a vector's, of a loop with these names, iterations and lanes; None if it is not known how.

    `work` are its nests, and the roots that are not in memory. 0 for short loops.
    """
    names, total, lanes = loop
    nests, temporary = work
    reads = [each for nest in nests for each in nest.needed if each.array.root not in temporary and d in each.dims]
    writes = [each for nest in nests for each in nest.writes if each.array.root not in temporary]
    if not any(_step(write, writes, d) for write in writes):
        return None
    found = _weighed((reads, writes), d, lanes)
    longest = max(element_bits(access.array.element) // 8 * abs(step) * lanes for access, step, _ in found)
    least = LEAST * max(1, LINE // longest) ** 2 * lanes  # fewer of them cross a line, and each costs less to do
    lead, long = code.fresh(), code.formula(f"{total} >= {least}")
    code.line(f"{lead} = scf.if {long} -> (index) {{")
    streams = [_stream(code, each, d, (names, lanes)) for each in found]
    code.line(f"scf.yield {_best(code, sorted(streams, key=lambda each: -each.weight))} : index")
    code.line(f"}} else {{\nscf.yield {code.index(0)} : index\n}}")
    return lead


def _weighed(accesses: tuple[Sequence[Access], Sequence[Access]], d: int, lanes: int) -> list[tuple[Access, int, int]]:
    """Accesses that begin at different places, each with its step in elements and its weight: reads come first."""
    found: dict[tuple[Array, tuple[Affine, ...]], tuple[Access, int, int]] = {}
    for group, extra in zip(accesses, (1, 0), strict=True):
        for access in {each: None for each in group}:
            step, key = _step(access, group, d), (access.array, _begin(access, d))
            if step:
                size = element_bits(access.array.element) // 8 * abs(step) * lanes
                found[key] = access, step, (found[key][2] if key in found else 0) + 2 * size + extra
    if len(found) > MANY:
        return [each for each in found.values() if each[0] in accesses[1]]
    return list(found.values())


def _stream(code: Lines, found: tuple[Access, int, int], d: int, loop: tuple[Mapping[Term, str], int]) -> _Stream:
    """An access, its step in elements and its weight, with the iterations until its vectors are aligned."""
    access, step, weight = found
    (names, lanes), reversed_, step = loop, step < 0, abs(step)
    size = element_bits(access.array.element) // 8
    unit = size * step if step % 2 == 0 else size
    line = min(LINE, lanes * unit)
    address = _address(code, access, d, names)
    far = f"{address} + {size}" if reversed_ else f"0 - {address}"
    lead = code.formula(f"divui({far} & {line - 1}, {unit})")
    if step % 2:
        inverse = pow(step, -1, line // size) if line > size else 0
        lead = code.formula(f"{lead} * {inverse} & {line // size - 1}")
    return _Stream(lead, max(1, line // unit), weight)


def _best(code: Lines, streams: list[_Stream]) -> str:
    """The iterations that align the first of these streams, heaviest first, that is aligned together with another."""
    best = streams[0].lead
    if 2 * streams[0].weight > sum(each.weight for each in streams):
        return best
    for number in reversed(range(len(streams) - 1)):
        alike, *others = (_same(code, streams[number], other) for other in streams[number + 1 :])
        for other in others:
            alike = code.formula(f"{alike} or {other}")
        best = code.formula(f"{streams[number].lead} if {alike} else {best}")
    return best


def _same(code: Lines, one: _Stream, two: _Stream) -> str:
    """Whether the iterations that align a stream align another one."""
    return code.formula(f"({one.lead} - {two.lead} & {min(one.period, two.period) - 1}) == 0")


def _step(write: Access, writes: Sequence[Access], d: int) -> int | None:
    """The elements between those of a vector that is loaded or stored whole, in an array whose addresses are simple.

    -1 for a vector that is reversed.
    """
    array = write.array
    if "," in array.type or not array.type.startswith("memref<") or element_bits(array.element) % 8:
        return None
    if unit_stride(write, d):
        return 1
    if backwards(write, d):
        return -1
    place = place_of(write, d)
    return place.group.step if place is not None and is_whole(write, writes, d) else None


def _begin(access: Access, d: int) -> tuple[Affine, ...]:
    """Where a loop's first element lies; of interleaved ones, the first of its stride."""
    index = [each.substitute({d: Affine(0)}) for each in access.map]
    place = place_of(access, d)
    if place is not None:
        index[-1] = index[-1] - place.phase
    return tuple(index)


def _address(code: Lines, write: Access, d: int, names: Mapping[Term, str]) -> str:
    """Where a loop's first element lies, as a number."""
    array = write.array
    name = names[array.name]
    flat = code.index(0)
    for axis, each in enumerate(_begin(write, d)):
        extent = array.shape[axis]
        if axis:
            size = code.dim(name, axis, array.type) if extent is None else extent
            flat = code.formula(f"{flat} * {size}")
        flat = code.formula(f"{flat} + {code.affine(each, names)}")
    start = code.op(f"memref.extract_aligned_pointer_as_index {name} : {array.type} -> index")
    return code.formula(f"{start} + {flat} * {element_bits(array.element) // 8}")
