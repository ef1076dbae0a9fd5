"""Structured operations and views of memory as loops over whole arrays, by upstream's passes."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from raising.frontend.mlir.attributes import Refusal
from raising.frontend.mlir.variables import variables
from raising.support.mlir.accumulation import read_apart
from raising.support.mlir.diagnostics import first_error
from raising.support.mlir.op_writer import OpWriter
from raising.support.mlir.operand_segments import segment_sizes, segmented
from raising.support.mlir.walk import constant_number, maker, named, operations
from raising.support.source import Loc
from raising.validate.base.assumption import Assumption
from raising.validate.reading.indirect_loads import compute_places
from raising.validate.reading.memory_use import is_in_place, is_written, may_overlap
from raising.validate.reading.structured_operations import check_iterators, tied_extents
from raising.validate.reading.value_ranges import as_positions, drop_clamps

_HERE = OpWriter(ir)
_ELEMENTS = "func.func(linalg-generalize-named-ops,convert-elementwise-to-linalg)"
_EXTENTS = "convert-shape-to-std,canonicalize"  # the extents of a tensor one by one, not as a tensor
_TENSORS = (
    "func.func(linalg-fuse-elementwise-ops),"
    "one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map},"
    "canonicalize,cse"
)
_MEMORY = "func.func({}),fold-memref-alias-ops,canonicalize"
_TIDY = "canonicalize,cse"
CLAMPED = "raise.clamped"
"""Attribute of an allocation of which a size below 0 is 0."""

_RESHAPES = ("memref.collapse_shape", "memref.expand_shape")
MOST_ELEMENTS = 64
"""Elements of a constant that are read one by one."""
_PLAIN = (
    *("builtin.", "func.", "affine.", "scf.", "arith.", "math."),
    *("memref.load", "memref.store", "memref.alloc", "memref.dim", "memref.dealloc"),
)


def lower(module: Any, where: Loc) -> tuple[Assumption, ...]:
    """Rewrite a module, in place, to loops and plain accesses; what that assumes.

    `Refusal` if passes do not accept it.
    """
    in_place = operations(module, is_in_place)  # what iterations of these may need of each other, their loops tell
    try:
        if operations(module, lambda op: op.name.startswith("shape.")):
            _run(module, _EXTENTS)
        _run(module, _ELEMENTS)
        check_iterators(module)
        tied = tied_extents(module)
        read_apart(module)
        compute_places(module)
        _run(module, _TENSORS)
        _spell_copies(module)
        _return_memories(module)
        _run(module, _MEMORY.format("convert-linalg-to-parallel-loops" if in_place else "convert-linalg-to-loops"))
        if named(module, "arith.index_cast"):
            as_positions(module)
            drop_clamps(module)
            _run(module, _TIDY)
    except ir.MLIRError as error:
        raise Refusal(where, f"it cannot be lowered to loops: {first_error(error)}") from None
    _mark_clamped(module)
    for op in named(module, "arith.maxsi"):
        _drop_clamp(op)
    return tied


def _run(module: Any, passes: str) -> None:
    PassManager.parse(f"builtin.module({passes})").run(module.operation)


def hide_constants(module: Any, function: Any) -> list[Any]:
    """Make each float constant of a function one more argument; their attributes, in order.

    Passes fold constants in floats, with rounding, and the other side may not have been folded.
    """
    if named(module, "func.call"):
        return []
    block, found = function.regions[0].blocks[0], []
    for op in named(function, "arith.constant"):
        if isinstance(op.results[0].type, ir.F64Type | ir.F32Type | ir.F16Type | ir.BF16Type):
            found.append(op.attributes["value"])
            op.results[0].replace_all_uses_with(block.add_argument(op.results[0].type, op.location))
            op.erase()
    if found:
        kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
        inputs = [a.type for a in block.arguments]
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, list(kind.results)))
        if "arg_attrs" in function.attributes:
            del function.attributes["arg_attrs"]
    return found


def is_structured(module: Any) -> bool:
    """True if an operation is neither a loop nor a plain access, or works on tensors."""
    return any(
        not op.name.startswith(_PLAIN)
        or any(isinstance(v.type, ir.RankedTensorType) for v in [*op.operands, *op.results])
        for op in operations(module)
    )


def _spell_copies(module: Any) -> None:
    """Copies and constant arrays as structured operations, which lower to loops."""
    for op in named(module, "memref.copy", "memref.get_global"):
        with ir.InsertionPoint(op), op.location:
            if op.name == "memref.copy":
                if op.operands[0] != op.operands[1]:  # to itself it copies nothing, not even what is outside
                    _copy(*op.operands)
            elif not _filled(module, op):
                continue
        op.erase()


def _return_memories(module: Any) -> None:
    """Copy memory that is returned reshaped, or as a part of another memory, to memory of its own."""
    for op in named(module, "func.return"):
        for number, value in enumerate(op.operands):
            if isinstance(value, ir.OpResult) and _is_seen(value.owner) and value.type.has_static_shape:
                with ir.InsertionPoint(op), op.location:
                    none = segmented(ir, 0, 0)
                    made = ir.Operation.create("memref.alloc", results=[value.type], attributes=none)
                    _copy(value, made.results[0])
                op.operands[number] = made.results[0]


def _is_seen(op: Any) -> bool:
    """Whether a memory is another one in another shape, or a part of one (of which bufferization hides the strides)."""
    if op.name != "memref.cast":
        return op.name in _RESHAPES
    return maker(op.operands[0], "memref.subview") is not None


def _copy(source: Any, into: Any) -> None:
    """Loops that copy one memory to another. (`mlir.dialects.linalg`, which has a copy, takes long to import.)

    If they may overlap, the loops are parallel, so that what copies one element must not write another one.
    """
    _copy_elements(source, into, [], may_overlap(source, into))


def _copy_elements(source: Any, into: Any, indices: list[Any], parallel: bool) -> None:
    """Loops over the dimensions that have no subscript in `indices`, around the copy of an element."""
    kind, dim, index = into.type, len(indices), ir.IndexType.get()
    if dim == kind.rank:
        read = ir.Operation.create("memref.load", results=[kind.element_type], operands=[source, *indices])
        ir.Operation.create("memref.store", operands=[read.results[0], into, *indices])
        return
    zero, one = _HERE.index(0), _HERE.index(1)
    if kind.is_dynamic_dim(dim):
        (extent,) = ir.Operation.create("memref.dim", results=[index], operands=[into, _HERE.index(dim)]).results
    else:
        extent = _HERE.index(kind.shape[dim])
    loop = _loop([zero, extent, one], parallel)
    block = loop.regions[0].blocks.append(index, arg_locs=[loop.location])
    with ir.InsertionPoint(block):
        _copy_elements(source, into, [*indices, block.arguments[0]], parallel)
        ir.Operation.create("scf.reduce" if parallel else "scf.yield")


def _loop(operands: list[Any], parallel: bool) -> Any:
    """A loop of `scf` from its bounds and its step, without a body."""
    if not parallel:
        return ir.Operation.create("scf.for", operands=operands, regions=1)
    return ir.Operation.create("scf.parallel", operands=operands, attributes=segmented(ir, 1, 1, 1, 0), regions=1)


def _filled(module: Any, op: Any) -> bool:
    """An array with the contents of a constant in place of it; False if it is none, or one of many elements."""
    from mlir.dialects import linalg, memref

    variable = variables(module).get(ir.FlatSymbolRefAttr(op.attributes["name"]).value)
    value = variable.initial if variable is not None and variable.constant else None
    if not isinstance(value, ir.DenseElementsAttr) or is_written(op.results[0]):
        return False
    if not value.is_splat and prod(value.type.shape) > MOST_ELEMENTS:
        return False
    array = memref.alloc(op.results[0].type, [], [])
    if value.is_splat:
        linalg.fill(_HERE.attribute(value.get_splat_value()), outs=[array])
    else:
        element = value.type.element_type
        made = ir.FloatAttr.get if isinstance(element, ir.FloatType) else ir.IntegerAttr.get
        for indices, number in zip(product(*map(range, value.type.shape)), value, strict=True):
            memref.store(_HERE.attribute(made(element, number)), array, list(map(_HERE.index, indices)))
    op.results[0].replace_all_uses_with(array)
    return True


def _mark_clamped(module: Any) -> None:
    """Mark allocations of which every size is an extent, or 0 where it would be less."""
    for op in named(module, "memref.alloc"):
        if all(map(_is_counted, op.operands)):
            op.attributes[CLAMPED] = ir.UnitAttr.get()


def _drop_clamp(op: Any) -> None:
    """max(n, 0) as n where it is only how often a loop from 0 runs or how large an array is: none of either."""
    number, zero = op.operands
    if constant_number(zero) == 0 and all(_is_extent(use) for use in op.results[0].uses):
        op.results[0].replace_all_uses_with(number)
        op.operation.erase()


def _is_counted(value: Any) -> bool:
    """Whether a number is an extent, or 0 where it would be less."""
    owner = maker(value, "arith.maxsi", "memref.dim")
    if owner is None or owner.name == "memref.dim":
        return owner is not None
    return 0 in (constant_number(owner.operands[0]), constant_number(owner.operands[1]))


def _is_extent(use: Any) -> bool:
    owner = use.owner.operation
    if owner.name == "scf.for":
        return use.operand_number == 1 and constant_number(owner.operands[0]) == 0
    if owner.name == "memref.reinterpret_cast":
        memory, offsets, sizes, _ = segment_sizes(owner)
        return bool(0 <= use.operand_number - memory - offsets < sizes)
    return bool(owner.name == "memref.alloc")
