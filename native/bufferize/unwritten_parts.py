"""Parts of a tensor that a loop carries, read before they are written: they are parts of what the loop began with.

An array that C uses for results of its own (a matrix before it is factored, say) becomes a tensor that the loop
carries, reads a part of and writes the same part of. If each iteration reads only what none before it has written, and
nobody reads the tensor behind the loop, then nobody reads what was written: the tensor needs no updates, and no memory
of its own.

    before  scf.for %i ... iter_args(%p = %a) { %x = tensor.extract_slice %p[%i, 0] ...
                                                %q = tensor.insert_slice %y into %p[%i, 0] ...
                                                scf.yield %q }
    after   scf.for %i ... iter_args(%p = %a) { %x = tensor.extract_slice %a[%i, 0] ...
                                                scf.yield %p }
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.bufferize.element_versions import Region, Versions, named
from raising.native.bufferize.slice_versions import apart
from raising.support.mlir.walk import constant_number, maker

_SLICE, _PUT = "tensor.extract_slice", "tensor.insert_slice"


def read_from_begin(module: Any) -> bool:
    """Rewrite a module of tensor operations in place; whether there was anything to do."""
    versions, changed = Versions(), False
    for loop in named(module, "scf.for"):
        for number in range(len(loop.results)):
            changed |= _without_updates(loop, number, versions)
    return changed


def _without_updates(loop: Any, number: int, versions: Versions) -> bool:
    """Read a carried tensor from what the loop begins with; whether that is the same, and nobody needs its updates."""
    block = loop.regions[0].blocks[0]
    carried, end = block.arguments[number + 1], block.operations[len(block.operations) - 1].operation
    put = maker(end.operands[number], _PUT)
    uses = [(use.owner.operation, use.operand_number) for use in carried.uses]
    slices = [user for user, place in uses if user.name == _SLICE and place == 0]
    only = put is not None and len(uses) == len(slices) + 1 and put.operands[1] == carried != put.operands[0]
    if not only or len(list(put.results[0].uses)) != 1 or len(list(loop.results[number].uses)):
        return False
    if not all(_not_yet_written(each, put, loop, versions) for each in slices):
        return False
    for each in slices:
        each.operands[0] = loop.operands[number + 3]
    end.operands[number] = carried
    return True


def _not_yet_written(part: Any, put: Any, loop: Any, versions: Versions) -> bool:
    """Whether a part that an iteration reads has no element that an update wrote in an iteration before."""
    reads, writes = versions.region(part), versions.region(put)
    step, reader = constant_number(loop.operands[2]), versions.reader
    if reads is None or writes is None or step is None or step < 1:
        return False
    (counter,) = (term for term, _ in reader.index(loop.regions[0].blocks[0].arguments[0]).terms)
    terms = {term for region in (reads, writes) for start, sizes in region for each in (start, *sizes)
             for term, _ in each.terms} - {counter}  # fmt: skip
    if any(_changes(reader.values.get(str(term)), loop) for term in terms):
        return False
    before = reader.index(loop.operands[0]) + dim("before+")
    return apart(_at(reads, counter, before + step + dim("later+")), _at(writes, counter, before), versions)


def _at(region: Region, counter: Any, value: Affine) -> Region:
    """A region at a value of a loop's counter."""
    return tuple(
        (start.substitute({counter: value}), tuple(size.substitute({counter: value}) for size in sizes))
        for start, sizes in region
    )


def _changes(value: Any, loop: Any) -> bool:
    """Whether a value may differ between iterations of a loop: not if it is made outside of it."""
    if value is None:
        return True
    owner = value.owner
    inner = owner.owner.operation if isinstance(owner, ir.Block) else owner.operation
    while inner is not None and inner != loop.operation:
        inner = inner.parent.operation if inner.parent is not None else None
    return inner is not None
