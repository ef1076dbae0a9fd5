"""Functions that test their arguments at run time: what runs where the test fails is compiled on its own.

`raise --guard` writes one `scf.if` whose condition compares the addresses of arrays. Its first branch is what was
raised, and may take its arrays for apart. The other branch runs exactly where they may overlap, so that nothing here
that takes arrays for apart may see it: no schedule, no dependence, no `noalias`. It gets a function of its own, in a
module that is lowered as it stands:

    func.func @f(%a: memref<?xf32>, %b: memref<?xf32>) {      @f           what was raised
      %apart = …                                         →    @f.holds     returns %apart
      scf.if %apart { what was raised } else { loops }        @f.otherwise the loops
    }

The entry (`raising.native.abi.c_entry`) calls the second, then the first or the third. A function that `raise --whole`
wrote as C has it is another branch only: its test never holds.

    before  scf.if %apart { linalg.fill outs(%a) } else { linalg.fill outs(%b) }
    after   linalg.fill outs(%a)              and, in a module of its own, the test and the other branch
"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith, memref, scf

from raising.native.base.effects import may_write
from raising.native.bufferize.bool_bytes import to_bytes
from raising.native.bufferize.destination_passing import drop_signs
from raising.native.codegen.lower import to_llvm, to_loops
from raising.native.input.read_module import run
from raising.support.mlir.branches import take_branch
from raising.support.mlir.permission import OVERLAPPING
from raising.support.mlir.walk import operations, symbol_name
from raising.support.record import dataclass

_STORES = ("affine.store", "memref.store")
HOLDS, OTHERWISE = ".holds", ".otherwise"
"""What the two functions have behind the name of the function."""

_ADDRESS = "memref.extract_aligned_pointer_as_index"
_PURE = (
    *("arith.", "math.", "affine.apply", "affine.min", "affine.max", "affine.load"),
    *("memref.dim", "memref.load", "memref.get_global", _ADDRESS),
)


@dataclass(frozen=True)
class Fallbacks:
    """The module of tests and other branches; per function, which of its arguments the other branch writes."""

    module: Any
    written: dict[str, tuple[bool, ...]]


def take_fallbacks(module: Any) -> Fallbacks | None:
    """Reduce each function with a test to its first branch; the tests and the other branches, if there are any."""
    for function in _functions(module):
        if OVERLAPPING in function.attributes:
            _never_first(function)
    choices = {f.name.value: choice for f in _functions(module) if (choice := _choice(f)) is not None}
    if not choices:
        return None
    other = ir.Module.parse(str(module.operation.get_asm(print_generic_op_form=True)), module.context)
    written = _split(other, frozenset(choices))
    for choice in choices.values():
        truth = choice.operands[0].owner.operation
        take_branch(choice, 0)
        if truth.name == "scf.if":  # a test with loops, whose cells nothing else uses
            cells = {v.owner.operation for op in operations(truth) if op.name in _STORES for v in [op.operands[1]]}
            truth.erase()
            for cell in cells:
                cell.erase()
    run(module, "cse", "a test at run time cannot be taken out")
    return Fallbacks(other, written)


def _never_first(function: Any) -> None:
    """Put all that a function does into the other branch of a test of its memory that never holds."""
    block = function.regions[0].blocks[0]
    *body, end = [op.operation for op in block.operations]
    memory = next((a for a in block.arguments if isinstance(a.type, ir.MemRefType)), None)
    if memory is None:
        return
    kinds = [v.type for v in end.operands]
    with ir.InsertionPoint(end), function.location:
        place = memref.extract_aligned_pointer_as_index(memory)
        moved = arith.cmpi(arith.CmpIPredicate.ne, place, place)
        choice = scf.IfOp(moved, kinds, has_else=True)
    for op in body:
        choice.else_block.append(op)
    scf.YieldOp(list(end.operands), ip=ir.InsertionPoint(choice.else_block))
    with ir.InsertionPoint(choice.then_block), function.location:
        scf.YieldOp([arith.constant(kind, 0.0 if isinstance(kind, ir.FloatType) else 0) for kind in kinds])
    for k, result in enumerate(choice.results):
        end.operands[k] = result


def lowered(fallbacks: Fallbacks) -> Any:
    """The tests and other branches in LLVM's dialect, in the order of the source to the last rounding."""
    module = fallbacks.module
    to_loops(module)
    to_bytes(module)
    to_llvm(module, reassociate=False)
    return module


def _split(module: Any, names: frozenset[str]) -> dict[str, tuple[bool, ...]]:
    """Split each function into test and other branch, hide all others; which arguments each other branch writes."""
    for function in _functions(module):
        if function.name.value not in names:
            function.attributes["sym_visibility"] = ir.StringAttr.get("private")
            continue
        test = function.operation.clone(ir.InsertionPoint(function)).opview
        ir.SymbolTable.set_symbol_name(test, f"{function.name.value}{HOLDS}")
        _return_condition(test)
        ir.SymbolTable.set_symbol_name(function, f"{function.name.value}{OTHERWISE}")
        take_branch(_choice(function), 1)
    drop_signs(module)
    run(module, "inline,cse,symbol-dce", "calls cannot be resolved")
    _rename_tables(module)
    bodies = [f for f in _functions(module) if f.name.value.endswith(OTHERWISE)]
    return {f.name.value.removesuffix(OTHERWISE): tuple(_writes(a) for a in f.arguments) for f in bodies}


def _writes(argument: Any) -> bool:
    return isinstance(argument.type, ir.MemRefType) and may_write(argument)


def _return_condition(function: Any) -> None:
    """Have a function return the condition of its choice, and nothing run behind it."""
    choice = _choice(function)
    *rest, end = [op.operation for op in function.regions[0].blocks[0].operations]
    end.erase()
    for op in reversed(rest[rest.index(choice) + 1 :]):
        op.erase()
    truth = choice.operands[0]
    choice.erase()
    ir.Operation.create("func.return", [], [truth], ip=ir.InsertionPoint(function.regions[0].blocks[0]))
    kind = ir.FunctionType.get(list(function.type.inputs), [truth.type])
    function.attributes["function_type"] = ir.TypeAttr.get(kind)
    if "res_attrs" in function.attributes:
        del function.attributes["res_attrs"]


def _rename_tables(module: Any) -> None:
    """Give constant tables names that the module of the functions has not."""
    for op in [op.operation for op in module.body.operations if op.operation.name == "memref.global"]:
        name = symbol_name(op)
        ir.SymbolTable.replace_all_symbol_uses(name, f"{name}{OTHERWISE}", module.operation)
        ir.SymbolTable.set_symbol_name(op, f"{name}{OTHERWISE}")


def _functions(module: Any) -> list[Any]:
    return [op for op in module.body.operations if op.operation.name == "func.func" and op.regions[0].blocks]


def _choice(function: Any) -> Any:
    """The branch on the addresses of arguments in front of everything that a function does; None if there is none.

    What it is on may be another branch, which looks for the bounds of positions and keeps them in cells of its own.
    """
    blocks = list(function.regions[0].blocks)
    for op in (op.operation for op in blocks[0].operations) if len(blocks) == 1 else ():
        if op.name == "scf.if" and not _decides(op):
            return op if _compares_addresses(op.operands[0], set()) else None
        if not all(map(_only_asks, operations(op))):
            return None
    return None


def _decides(branch: Any) -> bool:
    """Whether a branch yields one truth value, which the next branch tests."""
    results = list(branch.results)
    users = [use.owner.operation for use in results[0].uses] if len(results) == 1 else []
    return len(users) == 1 and users[0].name == "scf.if" and bool(users[0].operands[0] == results[0])


def _only_asks(op: Any) -> bool:
    """Whether an operation itself changes nothing but cells of the function."""
    if op.name in _STORES:
        cell = op.operands[1]
        return isinstance(cell, ir.OpResult) and bool(cell.owner.operation.name == "memref.alloca")
    asks = (*_PURE, "memref.alloca", "affine.for", "affine.if", "affine.yield", "scf.if", "scf.yield")
    return str(op.name).startswith(asks)


def _compares_addresses(value: Any, seen: set[Any]) -> bool:
    """Whether a value is computed from the address of memory."""
    if isinstance(value, ir.BlockArgument) or value in seen:
        return False
    seen.add(value)
    op = value.owner.operation
    asked = any(inner.name == _ADDRESS for inner in operations(op))
    return asked or any(_compares_addresses(v, seen) for v in op.operands)
