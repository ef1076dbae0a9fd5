"""What compiled functions access of their arrays, found from the module that they are compiled from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from raising.affine.ir.program import Program, Store
from raising.affine.polyhedral.scop import accesses
from raising.native.base.signature import INTEGERS, Needed, Needs, Signature
from raising.native.call.accessed_elements import size_name
from raising.native.input.read_module import new_context, read
from raising.support.errors import InputError
from raising.support.mlir.walk import operations
from raising.validate.reading.reading import Side, Unreadable, read_side


def with_needs(data: bytes, file: str, signatures: Sequence[Signature]) -> tuple[Signature, ...]:
    """The signatures with what the functions access, where that depends on sizes that only a call knows."""
    return tuple(replace(s, needs=_needs(data, file, s)) if _depends(s) else s for s in signatures)


def _depends(signature: Signature) -> bool:
    """Whether a call decides which elements are accessed: by an extent, or by an integer."""
    arrays = [p for p in signature.parameters if p.shape is not None]
    numbers = any(p.shape is None and p.element in INTEGERS for p in signature.parameters)
    return _is_open(signature) or bool(arrays) and numbers


def _is_open(signature: Signature) -> bool:
    return any(not isinstance(extent, int) for p in signature.parameters for extent in p.shape or ())


def _needs(data: bytes, file: str, signature: Signature) -> Needs | None:
    try:
        return _of(read_side(data, signature.name, file), signature)
    except (Unreadable, InputError) as error:
        if not _is_open(signature) and not _has_positions(data, file):
            return None
        return Needs(unknown=" ".join(str(error).split()))


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
    lost = sorted(set(program.sizes) - known.keys())
    if lost:
        return Needs(unknown="a size is computed from data")
    sizes = tuple(known[name] for name in program.sizes)
    arrays = tuple(
        Needed(number, writes, text)
        for number, name in enumerate(side.arguments)
        if number not in side.variables and signature.parameters[number].shape is not None
        for writes, text in [_accessed(program, name)]
        if text
    )
    return Needs(sizes, arrays, tuple(_results(side, signature)))


def _known(side: Side, signature: Signature) -> dict[str, tuple[int, int | None]]:
    """The sizes that arguments give, by their names."""
    found: dict[str, tuple[int, int | None]] = {}
    for number in range(len(side.arguments) - len(side.variables)):
        found[size_name(number, None)] = (number, None)
        for dim in range(len(signature.parameters[number].shape or ())):
            found[size_name(number, dim)] = (number, dim)
    return found


def _accessed(program: Program, array: str) -> tuple[bool, str]:
    """Whether an array is written, and the elements that are accessed as an isl set; empty if there are none."""
    found: Any = None
    writes = False
    for access in accesses(program):
        if access.node.array == array:
            elements = access.relation.range().reset_tuple_id()
            found = elements if found is None else found.union(elements)
            writes = writes or isinstance(access.node, Store)
    return writes, "" if found is None else str(found.coalesce())


def _results(side: Side, signature: Signature) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The extents of result arrays whose type does not say them."""
    numbers = [k for k, p in enumerate(signature.parameters) if p.result]
    arrays = [name for name, kind in zip(side.results, side.result_types, strict=True) if kind[1] is not None]
    for number, name in zip(numbers, arrays, strict=True):
        if signature.parameters[number].open_dims:
            yield number, tuple(form.isl() for form in side.program.arrays[name].shape)
