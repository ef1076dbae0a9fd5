"""What compiled functions access of their arrays, found from the module that they are compiled from."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import islpy as isl
from mlir import ir

from raising.affine.ir.affine_expr import var
from raising.affine.ir.program import Gathered, Program, Store
from raising.affine.polyhedral.chambers import outside
from raising.affine.polyhedral.scop import Access, accesses, for_some
from raising.frontend.mlir.parse_module import make_context, parse_module
from raising.native.base.signature import INTEGERS, Needed, Needs, Positions, Signature
from raising.native.base.unsupported import CompileError
from raising.native.bufferize.bufferize import bufferize
from raising.native.bufferize.destination_passing import SUFFIX, to_destinations
from raising.native.call.accessed_elements import size_name
from raising.native.input.decompose import decompose
from raising.native.input.read_module import new_context, read
from raising.support.errors import InputError
from raising.support.mlir.inline import apart
from raising.support.mlir.walk import operations
from raising.validate.base.unreadable import Unreadable
from raising.validate.reading.reading import Side, read_side
from raising.verify.every_branch import read_every_branch


class _Computed(Unreadable):
    """Where a function accesses an array is more than an element of an argument."""


def with_needs(
    data: bytes, file: str, signatures: Sequence[Signature], *, known: bool = False
) -> tuple[Signature, ...]:
    """The signatures with the accessed elements of each function, if only a call knows its sizes or positions.

    With `known`, also where every size is known: it may be one at which the function leaves its arrays.
    """
    alone = _alone(data, file) if len(signatures) > 1 else {}

    def needs(signature: Signature) -> Needs | None:
        find = _needs if known or _depends(signature) else _at_data
        return find(alone.get(signature.name, data), file, signature)

    return tuple(replace(s, needs=needs(s)) for s in signatures)


def computed_positions(loops: str, name: str, file: str) -> str:
    """Why no call knows what loops over its arrays access, before it runs: where they do is computed from data.

    Empty if a call knows, or if that cannot be told.
    """
    if "memref.load" not in loops:
        return ""
    try:
        side = read_side(loops, name, file, read_every_branch)
        for _ in _positions(side.program, accesses(side.program), {n: k for k, n in enumerate(side.arguments)}):
            pass
    except _Computed as error:
        return str(error)
    except (Unreadable, InputError):
        return ""
    return ""


def _alone(data: bytes, file: str) -> dict[str, bytes]:
    """Each function with what it calls, so that no reading pays for all others; none in a dialect that is no MLIR's."""
    try:
        with make_context():
            parts = apart(parse_module(data, file), ir)
            texts = {name: part.operation.get_asm(enable_debug_info=True) for name, part in parts.items()}
    except InputError:
        return {}
    return {name: text.encode() for name, text in texts.items()}


def _at_data(data: bytes, file: str, signature: Signature) -> Needs | None:
    """The needs of a function whose arguments are all of known size, if it accesses positions that are data."""
    if not any(name in data for name in (b"memref.load", b"tensor.extract ", b"tensor.extract[")):
        return None
    try:
        found = _of(read_side(data, signature.name, file, read_every_branch), signature)
    except _Computed as error:
        return Needs(unknown=str(error))
    except (Unreadable, InputError, CompileError):
        return None
    return found if found.positions else None


def _depends(signature: Signature) -> bool:
    """Whether a call decides which elements are accessed: by an extent, or by an integer."""
    arrays = [p for p in signature.parameters if p.shape is not None]
    numbers = any(p.shape is None and p.element in INTEGERS for p in signature.parameters)
    return _is_open(signature) or bool(arrays) and numbers


def _is_open(signature: Signature) -> bool:
    return any(not isinstance(extent, int) for p in signature.parameters for extent in p.shape or ())


def _needs(data: bytes, file: str, signature: Signature) -> Needs | None:
    reasons: list[str] = []
    for side in _readings(data, signature.name, file):
        try:
            return _of(side(), signature)
        except (Unreadable, InputError, CompileError) as error:
            reasons.append(" ".join(str(error).split()))
    if not _is_open(signature) and not _has_positions(data, file):
        return None
    return Needs(unknown=next((r for r in reasons[1:] if _PASSES not in r), reasons[-1]))


_PASSES = "cannot be lowered to loops"  # what MLIR's own passes say then is of use to nobody


def _readings(data: bytes, name: str, file: str) -> Iterator[Callable[[], Side]]:
    """Ways to read a function: as it is, with all that depends on data executed, and as loops over memory of ours."""
    yield partial(read_side, data, name, file)
    yield partial(read_side, data, name, file, read_every_branch)
    yield lambda: read_side(_upstream(data, file), name, file, read_every_branch)
    yield lambda: read_side(_in_memory(data, file), name + SUFFIX, file, read_every_branch)


def _upstream(data: bytes, file: str) -> str:
    """The module in upstream's dialects."""
    with new_context() as context, ir.Location.unknown():
        module = read(data, file, context)
        decompose(module)
        return str(module)


def _in_memory(data: bytes, file: str) -> str:
    """The module as it is compiled, on memory; its results are further arguments."""
    with new_context() as context, ir.Location.unknown():
        module = read(data, file, context)
        if any(p.result and p.open_dims for s in to_destinations(module) for p in s.parameters):
            raise Unreadable("the extents of its results are not known")
        return str(bufferize(module))


_WITHOUT = ("arith.", "index.", "math.", "scf.", "func.", "linalg.")
"""Dialects whose operations take numbers that are no positions in an array."""


def _has_positions(data: bytes, file: str) -> bool:
    """Whether an operation of a module takes a place in an array, or a size, that is computed."""
    with new_context() as context:
        module = read(data, file, context)
        indexed = operations(module, lambda op: any(str(value.type) == "index" for value in op.operands))
        return any(not op.name.startswith(_WITHOUT) for op in indexed)


def _of(side: Side, signature: Signature) -> Needs:
    """The needs of a function that was read; its arguments are the first parameters, its results the last ones."""
    program, known = side.program, _known(side, signature)
    open_rows = [size_name(k, 0) for k in side.flat]  # how many rows flat memory has, an access does not ask
    lost = sorted(set(program.sizes) - known.keys() - set(open_rows))
    if lost:
        raise Unreadable("a size is computed from data")
    tied = list(_tied(side, known))
    names = dict.fromkeys((*(n for n in program.sizes if n in known), *(name for pair in tied for name in pair)))
    sizes = tuple(known[name] for name in names)
    found = accesses(program)
    named = dict(_arrays(side, signature))
    positions = tuple(dict.fromkeys(_positions(program, found, named)))
    arrays = tuple(
        Needed(number, writes, text, tuple(extent.isl() for extent in side.flat.get(number, ())))
        for name, number in named.items()
        for writes, text in [_accessed(program, found, name, open_rows)]
        if text
    )
    wrong = _wrong(_leaving(program, found, named.keys(), open_rows), tied)
    return Needs(sizes, arrays, tuple(_results(side, signature)), wrong=wrong, positions=positions)


def _tied(side: Side, known: Container[str]) -> Iterator[tuple[str, str]]:
    """Extents of arguments that operations on tensors take to be the same."""
    for assumption in side.assumed:
        one, _, other = assumption.condition.partition(" = ")
        if assumption.kind == "extent" and one in known and other in known:
            yield one, other


def _wrong(leaving: Any, tied: Sequence[tuple[str, str]]) -> str:
    """The sizes at which a memory of its own is left, or extents differ that have to be the same; empty if none."""
    for one, other in tied:
        differ = isl.Set(f"[{one}, {other}] -> {{ : {one} < {other} or {one} > {other} }}")
        leaving = differ if leaving is None else leaving.union(differ)
    return "" if leaving is None or leaving.is_empty() else str(leaving.coalesce())


def _arrays(side: Side, signature: Signature) -> Iterator[tuple[str, int]]:
    """The arrays that a call passes, each with the number of its parameter."""
    for number, name in enumerate(side.arguments):
        if number not in side.variables and signature.parameters[number].shape is not None:
            yield name, number
    results = [name for name, kind in zip(side.results, side.result_types, strict=True) if kind[1] is not None]
    yield from zip(results, [k for k, p in enumerate(signature.parameters) if p.result], strict=False)


def _leaving(program: Program, found: Sequence[Access], passed: Container[str], unknown: Sequence[str]) -> Any:
    """The sizes at which an access leaves a memory that the function makes, as an isl set; None if it makes none."""
    wrong: Any = None
    for access in found:
        if access.node.array not in passed and program.arrays[access.node.array].shape:
            sizes = for_some(outside(program, access), unknown)
            wrong = sizes if wrong is None else wrong.union(sizes)
    return wrong


def _known(side: Side, signature: Signature) -> dict[str, tuple[int, int | None]]:
    """The sizes that arguments give, by their names."""
    found: dict[str, tuple[int, int | None]] = {}
    for number in range(len(side.arguments) - len(side.variables)):
        found[size_name(number, None)] = (number, None)
        dims = range(len(signature.parameters[number].shape or ()))
        behind = len(side.flat[number]) + 1 if number in side.flat else 0  # as the reader numbers a flat length
        found |= {size_name(number, dim + behind): (number, dim) for dim in dims}
    return found


def _accessed(program: Program, found: Sequence[Access], array: str, unknown: Sequence[str]) -> tuple[bool, str]:
    """Whether an array is written, and the elements that are accessed as an isl set, at whatever value sizes have that
    are `unknown`; empty if there are none.
    """
    total: Any = None
    writes = False
    for access in found:
        for elements in _elements(program, access, array):
            total = elements if total is None else total.union(elements)
            writes = writes or isinstance(access.node, Store)
    return writes, "" if total is None else str(for_some(total, unknown).coalesce())


def _elements(program: Program, access: Access, array: str) -> Iterator[Any]:
    """The elements of an array that an access reads or writes, also at positions that are data and as such."""
    elements = access.relation.range().reset_tuple_id()
    if access.node.array == array:
        yield elements
    what = program.arrays[access.node.array].gathered
    if what is None:
        return
    for name, _, dims in what.positions:
        if name == array:
            yield elements.apply(isl.Map(_text(elements, [f"g{d}" for d in dims], "")))
    if what.array == array:
        yield elements.apply(_around(elements, what, [extent.isl() for extent in program.arrays[array].shape]))


def _around(elements: Any, what: Gathered, extents: Sequence[str]) -> Any:
    """From an element of a gathered array to those of the array that is read, anywhere where positions say where."""
    rest = iter(range(len({d for _, _, dims in what.positions for d in dims}), elements.dim(isl.dim_type.set)))
    places, inside = [], []
    for k, form in enumerate(what.forms):
        if form is None:
            places.append(f"g{next(rest)}")
        elif any(name.startswith("p") for name in form.names()):
            places.append(f"e{k}")
            inside.append(f"0 <= e{k} < {extents[k]}")
        else:
            places.append(form.isl().replace("d", "g"))
    return isl.Map(_text(elements, places, " and ".join(inside)))


def _text(elements: Any, places: Sequence[str], where: str) -> str:
    """A map from elements `g0`, `g1`, … to places as isl's text."""
    sizes = [elements.get_dim_name(isl.dim_type.param, k) for k in range(elements.dim(isl.dim_type.param))]
    dims = ", ".join(f"g{k}" for k in range(elements.dim(isl.dim_type.set)))
    return f"[{', '.join(sizes)}] -> {{ [{dims}] -> [{', '.join(places)}] : {where or 'true'} }}"


def _positions(program: Program, found: Sequence[Access], named: Mapping[str, int]) -> Iterator[Positions]:
    """The data that are positions in arrays; `Unreadable` unless they are elements of arguments that never change."""
    written = {access.node.array for access in found if isinstance(access.node, Store)}
    for access in found:
        what = program.arrays[access.node.array].gathered
        if what is None:
            continue
        if not {what.array, *(name for name, _, _ in what.positions)} <= named.keys():
            raise _Computed("a position in an array is computed from data")
        for dim, form in enumerate(what.forms):
            used = [name for name in form.names() if name.startswith("p")] if form is not None else []
            if form is None or not used:
                continue
            offset = form - var(used[0])
            name, unsigned, _ = what.positions[int(used[0][1:])]
            if not offset.is_const or name in written:
                raise _Computed("a position in an array is computed from data")
            yield Positions(named[name], unsigned, named[what.array], dim, offset.const)


def _results(side: Side, signature: Signature) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The extents of result arrays whose type does not say them."""
    numbers = [k for k, p in enumerate(signature.parameters) if p.result]
    arrays = [name for name, kind in zip(side.results, side.result_types, strict=True) if kind[1] is not None]
    for number, name in zip(numbers if arrays else [], arrays, strict=True):
        if signature.parameters[number].open_dims:
            yield number, tuple(form.isl() for form in side.program.arrays[name].shape)
