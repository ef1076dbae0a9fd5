"""The memory of tensors: arrays of the caller as far as possible, else temporaries.

before  %t = bufferization.to_tensor %a restrict writable : memref<8xf32> to tensor<8xf32>
        %r = linalg.generic outs(%t : tensor<8xf32>) { ... }
        bufferization.materialize_in_destination %r in restrict writable %a
after   linalg.generic outs(%a : memref<8xf32>) { ... }
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from mlir import ir

from raising.affine.ir.c_parameters import UNBOUNDED, declared
from raising.native.base.target import ALIGNMENT
from raising.native.base.unsupported import CompileError
from raising.native.bufferize.element_versions import resolve_elements
from raising.native.bufferize.elementwise import choose_elements, fuse_elementwise, to_scalars
from raising.native.bufferize.in_place_updates import INTO, order_updates
from raising.native.bufferize.lifetimes import check_lifetimes
from raising.native.bufferize.loop_carried import (
    duplicate_shared_empties,
    duplicate_shared_fills,
    tie_results,
    write_carried_in_place,
)
from raising.native.bufferize.parts_of_carried import build_on_old
from raising.native.bufferize.parts_of_tensors import put_directly
from raising.native.bufferize.shapes import without_whole_slices
from raising.native.bufferize.slice_versions import update_in_place
from raising.native.bufferize.unwritten_parts import read_from_begin
from raising.native.input.decompose import decompose
from raising.native.input.read_module import run
from raising.support.mlir.operand_segments import segmented
from raising.support.mlir.walk import constant_number, is_row_major, maker, named, operations, symbol_name

_TENSORS = "func.func(linalg-generalize-named-ops),lower-affine,canonicalize,cse"
_ELEMENTWISE = "func.func(convert-elementwise-to-linalg)"
_UNITS = "func.func(linalg-fold-unit-extent-dims),canonicalize,cse"
_RANGES = "lower-affine,int-range-optimizations,canonicalize"  # MLIR aborts at an affine.for of open bounds
_REUSE = "eliminate-empty-tensors,cse"
_BUFFERS = (
    f"one-shot-bufferize{{allow-return-allocs-from-loops=1 buffer-alignment={ALIGNMENT}}}",
    "canonicalize",
    "cse",
    "canonicalize",
)
_LOOPS = ("func.func(scf-forall-to-for)", "lower-affine", "canonicalize", "cse")


def bufferize(module: Any) -> Any:
    """A module of functions on memory with no tensor left; the given one is used up.

    In it, a function consists of memref.alloc, dim and subview, linalg operations
    on memory, scf loops, and scalar arithmetic. Temporaries are not freed:
    `raising.native.abi.workspace` gives each a place that outlives the call's use of it.
    CompileError for an operation that has no form on memory.
    """
    decompose(module)
    with module.context, ir.Location.unknown():
        put_directly(module)
        scalars = to_scalars(module)
    if scalars:
        run(module, _RANGES, "tensors cannot be simplified")
    _decide_choices(module)
    with module.context, ir.Location.unknown():
        choose_elements(module)
    if operations(module, _is_part_of_result):
        run(module, "canonicalize,cse", "tensors cannot be simplified")
        _leave_out_whole_slices(module)  # they would stand between operations that are fused
    fuse_elementwise(module)
    if operations(module, _is_elementwise):
        run(module, _ELEMENTWISE, "tensors cannot be simplified")
    run(module, _TENSORS, "tensors cannot be simplified")
    if operations(module, _has_units):
        run(module, _UNITS, "tensors cannot be simplified")
        with module.context, ir.Location.unknown():
            _put_flat(module)
    _leave_out_whole_slices(module)
    _decide_choices(module)
    module = _placed(module) if len(_bodies(module)) == 1 else _each_placed(module)
    run(module, ",".join(_LOOPS), "loops cannot be lowered")
    with module.context, ir.Location.unknown():
        _copies_as_loops(module)
    return module


def _leave_out_whole_slices(module: Any) -> None:
    with module.context, ir.Location.unknown():
        whole = without_whole_slices(module)
    if whole:
        run(module, "canonicalize,cse", "tensors cannot be simplified")


def _is_part_of_result(op: Any) -> bool:
    """Whether an operation takes a part of what another one computes."""
    made = maker(op.operands[0]) if op.name == "tensor.extract_slice" else None
    return made is not None and made.name.startswith("linalg.")


def _is_elementwise(op: Any) -> bool:
    """Whether a scalar operation is done on whole tensors; a number that chooses between two tensors does no work."""
    if not op.name.startswith(("arith.", "math.")) or op.name == "arith.constant":
        return False
    chooses = op.name == "arith.select" and not isinstance(op.operands[0].type, ir.RankedTensorType)
    return not chooses and _makes_tensors(op)


def _makes_tensors(op: Any) -> bool:
    return any(isinstance(result.type, ir.RankedTensorType) for result in op.results)


def _has_units(op: Any) -> bool:
    """Whether an operation on tensors goes over a dimension of one element, a loop that nothing is gained by."""
    return op.name == "linalg.generic" and any(1 in result.type.shape for result in op.results)


def _put_flat(module: Any) -> None:
    """Put tensors that got dimensions of one element for their array's sake into the array seen without these."""
    for op in named(module, "bufferization.materialize_in_destination"):
        made, array = maker(op.operands[0], "tensor.expand_shape"), op.operands[1]
        if made is None or not isinstance(array.type, ir.MemRefType) or not is_row_major(array.type):
            continue
        flat, own = made.operands[0], {"reassociation": made.attributes["reassociation"]}
        kind = ir.MemRefType.get(flat.type.shape, flat.type.element_type)
        with op.location:
            view = ir.Operation.create("memref.collapse_shape", [kind], [array], own, ip=ir.InsertionPoint(op))
        op.operands[0], op.operands[1] = flat, view.results[0]


def _placed(module: Any) -> Any:
    """A module of one function with its tensors in memory, in place as far as possible; CompileError if none is."""
    unchanged = module.operation.clone()
    with module.context, ir.Location.unknown():
        changed = [build_on_old(module), read_from_begin(module), resolve_elements(module), update_in_place(module)]
    if any(changed):
        run(module, "canonicalize,cse", "tensors cannot be simplified")
    with module.context, ir.Location.unknown():
        duplicate_shared_fills(module)  # before one of them is put into the memory of a result
        duplicate_shared_empties(module)
    plain = module.operation.clone()
    with module.context, ir.Location.unknown():
        write_carried_in_place(module)
        order_updates(module)
        tie_results(module)
    try:
        run(module, _REUSE, "a tensor cannot be placed in memory")
        _place(module)
        check_lifetimes(module)
        return module
    except CompileError as problem:
        for other in (plain, unchanged, _without_last_copies(unchanged)):
            with suppress(CompileError):
                return _placed_as_written(other.clone())
        raise problem


def _bodies(module: Any) -> list[Any]:
    return operations(module, lambda op: op.name == "func.func" and bool(op.regions[0].blocks))


def _each_placed(module: Any) -> Any:
    """The module with its functions placed one by one, so that none depends on what else is in the module."""
    with module.context, ir.Location.unknown():
        frame = module.operation.clone()
        for function in _bodies(frame):
            _declare(function)
        for function in _bodies(module):
            if not operations(function, _makes_tensors):
                continue
            alone = frame.clone()
            (declaration,) = (op for op in named(alone, "func.func") if symbol_name(op) == symbol_name(function))
            function.clone(ir.InsertionPoint(declaration))
            declaration.erase()
            alone = _placed(alone)
            _take_constants(alone, module, symbol_name(function))
            (placed,) = _bodies(alone)
            placed.clone(ir.InsertionPoint(function))
            function.erase()
    return module


def _declare(function: Any) -> None:
    kept = {name: function.attributes[name] for name in ("sym_name", "function_type")}
    kept["sym_visibility"] = ir.StringAttr.get("private")
    ir.Operation.create("func.func", attributes=kept, regions=1, ip=ir.InsertionPoint(function))
    function.erase()


def _take_constants(placed: Any, module: Any, user: str) -> None:
    """Move the constants that placing put in memory into a module, under names with their user's."""
    known = {symbol_name(op) for op in named(module, "memref.global")}
    renamed = {}
    for constant in named(placed, "memref.global"):
        if (name := symbol_name(constant)) not in known:
            renamed[name] = constant.attributes["sym_name"] = ir.StringAttr.get(f"{name}.{user}")
            constant.clone(ir.InsertionPoint.at_block_begin(module.operation.regions[0].blocks[0]))
    for get in named(placed, "memref.get_global"):
        name = get.attributes["name"].value
        if name in renamed:
            get.attributes["name"] = ir.FlatSymbolRefAttr.get(renamed[name].value)


def _without_last_copies(module: Any) -> Any:
    """The module without copies of what an array becomes: the order of stores keeps what is still needed, too."""
    found = module.clone()
    with module.context, ir.Location.unknown():
        for copy in operations(found, lambda op: op.name == "bufferization.alloc_tensor" and len(op.operands) == 1):
            uses = [use.owner.operation for use in copy.results[0].uses]
            if all(user.name == INTO and not user.results for user in uses):
                copy.results[0].replace_all_uses_with(copy.operands[0])
    return found


def _placed_as_written(module: Any) -> Any:
    """The module with its tensors in memory, and no attempt to write into the memory of others."""
    with module.context, ir.Location.unknown():
        duplicate_shared_empties(module)
        write_carried_in_place(module, always=True)
        tie_results(module)
    _place(module)
    return module


def _place(module: Any) -> None:
    """Put tensors in memory; CompileError if that would copy an array of C of which nobody knows how long it is."""
    with module.context, ir.Location.unknown():
        duplicate_shared_fills(module)
    run(module, ",".join(_BUFFERS), "a tensor cannot be placed in memory")
    for function in operations(module, lambda op: op.name == "func.func" and bool(op.regions[0].blocks)):
        arguments = list(function.regions[0].blocks[0].arguments)
        for argument, (_, name, extents) in zip(arguments, declared(function, len(arguments)), strict=False):
            if extents[:1] == (UNBOUNDED,) and any(map(_is_first_extent, argument.uses)):
                raise CompileError(f"a copy of '{name}' would be needed, and how long that is C does not say")


def _is_first_extent(use: Any) -> bool:
    user = use.owner.operation
    return bool(
        user.name == "memref.dim" and constant_number(user.operands[1]) in (0, None) and list(user.results[0].uses)
    )


def _decide_choices(module: Any) -> None:
    """Decide conditions that whole tensors depend on by the ranges of loops, as far as they say."""
    if _chooses_tensors(module):
        run(module, _RANGES, "tensors cannot be simplified")


def _chooses_tensors(module: Any) -> bool:
    """Whether a whole tensor depends on a condition."""
    return any(isinstance(op.results[0].type, ir.RankedTensorType) for op in named(module, "arith.select"))


def _copies_as_loops(module: Any) -> None:
    """Copies as linalg operations: a strided one would become a call of MLIR's runtime library."""
    for op in named(module, "memref.copy"):
        _copy(op)
        op.operation.erase()


def _copy(op: Any) -> None:
    source, destination = op.operands
    rank, element = destination.type.rank, destination.type.element_type
    same = ir.AffineMapAttr.get(ir.AffineMap.get_identity(rank))
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    generic = ir.Operation.create(
        "linalg.generic",
        operands=[source, destination],
        attributes={
            "indexing_maps": ir.ArrayAttr.get([same, same]),
            "iterator_types": ir.ArrayAttr.get([parallel] * rank),
            **segmented(ir, 1, 1),
        },
        regions=1,
        ip=ir.InsertionPoint(op),
    )
    block = generic.regions[0].blocks.append(element, element)
    ir.Operation.create("linalg.yield", operands=[block.arguments[0]], ip=ir.InsertionPoint(block))
