"""What a module computes, by kinds of operation: told by maps and bodies, not by names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

LOOPS = ("affine.for", "affine.parallel", "scf.for", "scf.while", "scf.parallel", "scf.forall")
_TENSORS = {"bufferization.to_tensor", "bufferization.materialize_in_destination"}


def operations(text: str) -> list[str]:
    """The names of all operations, those inside of regions too."""
    with ir.Context(), ir.Location.unknown():
        return [op.name for op in _walk(ir.Module.parse(text).operation)]


def loops(text: str) -> list[str]:
    """The names of the loops that are left."""
    return [name for name in operations(text) if name in LOOPS]


def loops_of_fallbacks(text: str) -> list[str]:
    """The names of those loops that are left which run only at sizes at which a tensor form does not stand.

    They are in the second branch of a test whose first one has the tensor form; nothing in the second one is a tensor.
    """
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        tests = [op for op in _walk(module.operation) if op.name == "scf.if" and len(op.regions) > 1]
        branches = [[[o.name for o in _in_region(part)] for part in op.regions] for op in tests]
    return [
        name
        for raised, other in branches
        if _TENSORS & {*raised} and not _TENSORS & {*other}
        for name in other
        if name in LOOPS
    ]


def signatures(text: str) -> dict[str, str]:
    """The type of each function."""
    with ir.Context(), ir.Location.unknown():
        found = [op for op in _walk(ir.Module.parse(text).operation) if op.name == "func.func"]
        return {ir.StringAttr(op.attributes["sym_name"]).value: str(op.attributes["function_type"]) for op in found}


def kinds(text: str) -> dict[str, int]:
    """How many contractions, reductions, outer products, selections and pointwise operations there are.

    A contraction multiplies two or more inputs and sums over a dimension; fills, mere movements of
    elements and the masks of selections are not counted.
    """
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        PassManager.parse("builtin.module(func.func(linalg-generalize-named-ops))").run(module.operation)
        found = Counter(_kind(op) for op in _walk(module.operation) if op.name == "linalg.generic")
    return {kind: count for kind, count in found.items() if kind not in ("movement", "mask")}


def _kind(op: Any) -> str:
    body = [o.operation.name for o in op.regions[0].blocks[0].operations][:-1]
    inputs = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0]
    maps = [ir.AffineMapAttr(m).value for m in ir.ArrayAttr(op.attributes["indexing_maps"])]
    if maps[0].n_dims > len(maps[-1].results):
        product = body in (["arith.mulf", "arith.addf"], ["arith.muli", "arith.addi"])
        return f"contraction {maps[0].n_dims}" if product and inputs == 2 else "reduction"
    if "arith.select" in body:
        return "selection"
    if "linalg.index" in body:
        return "mask"
    apart = sum(len(m.results) for m in maps[:inputs]) == maps[0].n_dims
    if body == ["arith.mulf"] and apart and all(m.results for m in maps[:inputs]):
        return "outer product"
    return "pointwise" if body else "movement"


def _walk(op: Any) -> Iterator[Any]:
    yield op
    for region in op.regions:
        yield from _in_region(region)


def _in_region(region: Any) -> Iterator[Any]:
    for block in region:
        for inner in block.operations:
            yield from _walk(inner.operation)


def without_fallbacks(text: str) -> str:
    """A module's text without what runs at the sizes at which its tensor form does not stand: the `else` branches."""
    kept: list[str] = []
    end = ""
    for line in text.splitlines():
        if not end and line.lstrip() == "} else {":
            end = line.partition("}")[0] + "}"
        if not end or line == end:
            kept.append(line)
            end = ""
    return "\n".join(kept)
