"""What has to be cleaned up or refused after raising: unused local memory, and lengths that C does not know.

`memref<?xf64>` has an extent in MLIR. A pointer of C has none, so compiled code would make one up; a raised function
may depend only on elements that its own sizes tell apart, and must not ask how long such memory is.

    before  %t = memref.alloc() : memref<8xf32>          # used by loops that are operations on tensors now
            memref.dealloc %t
    after   nothing
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from raising.support.graphs import reachable
from raising.support.mlir.walk import around, constant_number, maker, named, operations

ALLOCATIONS = ("memref.alloc", "memref.alloca")
_STORE, _VIEW, _WRITABLE = "bufferization.materialize_in_destination", "bufferization.to_tensor", "writable"
_VALUES = ("tensor.", "linalg.", "arith.", "math.", "affine.apply")
"""Operations that neither read nor write memory."""


def erase_unused_memory(function: Any) -> None:
    """Erase allocations of `function` that are only freed, and those frees.

    What is put whole into one and read as a tensor behind that is the tensor that was put there.
    """
    for op in named(function, *ALLOCATIONS):
        _fold_extents(op)
        _forward(op)
        users = [use.owner.operation for use in op.results[0].uses]
        if all(user.name == "memref.dealloc" for user in users):
            for user in users:
                user.erase()
            op.erase()
    for block in {op.block for op in named(function, _VIEW)}:
        _join_views(block)


def _join_views(block: Any) -> None:
    """One tensor of each memory between two writes: bufferization takes two for one that may be read only."""
    first: dict[Any, Any] = {}
    for op in [each.operation for each in block.operations]:
        if op.name != _VIEW:
            first = first if _keeps_memory(op) else {}
        elif op.results[0].type == (view := first.setdefault(op.operands[0], op)).results[0].type and view != op:
            if _WRITABLE in op.attributes:
                view.attributes[_WRITABLE] = op.attributes[_WRITABLE]
            op.results[0].replace_all_uses_with(view.results[0])
            op.erase()


def _fold_extents(allocation: Any) -> None:
    """Take `?` extents from the allocation's operands instead of from its result."""
    kind = ir.MemRefType(allocation.results[0].type)
    sizes = iter(allocation.operands)
    extent = {d: next(sizes) for d in range(kind.rank) if kind.is_dynamic_dim(d)}
    for use in list(allocation.results[0].uses):
        user = use.owner.operation
        dim = constant_number(user.operands[1]) if user.name == "memref.dim" else None
        if dim in extent:
            user.results[0].replace_all_uses_with(extent[dim])
            user.erase()


def _forward(allocation: Any) -> None:
    """Use the tensor that is put into an allocation, once and for all, in place of what is read there.

    Not where other memory is written between the first read that the tensor is made of and its last use: nobody could
    tell when it is computed.
    """
    users = {use.owner.operation for use in allocation.results[0].uses}
    stores = [user for user in users if user.name == _STORE]
    reads = [user for user in users if user.name == _VIEW]
    others = [user for user in users if user.name != "memref.dealloc"]
    if len(stores) != 1 or len(others) != 1 + len(reads) or stores[0].operands[1] != allocation.results[0]:
        return
    (store,) = stores
    tensor = store.operands[0]
    if any(read.results[0].type != tensor.type for read in reads) or not _stays(store, reads):
        return
    for read in reads:
        read.results[0].replace_all_uses_with(tensor)
        read.erase()
    store.erase()


def _stays(store: Any, reads: list[Any]) -> bool:
    """Whether no memory changes from what is stored was made of on until what is read there is used."""
    block = [op.operation for op in store.block.operations]
    known = {op: place for place, op in enumerate(block)}
    used = reachable(reads, lambda op: [use.owner.operation for result in op.results for use in result.uses])
    outer = {op: around(op, store.block) for op in used}
    if not all(op == there or (there is not None and _keeps_memory(there)) for op, there in outer.items()):
        return False
    places = [known[store], *(known[there] for there in outer.values())]
    made = [known[op] for op in reachable([store], _makers) if op in known and not op.name.startswith(_VALUES)]
    return min(places) == known[store] and all(map(_keeps_memory, block[min(made) : max(places)]))


def _makers(operation: Any) -> list[Any]:
    """The operations whose results one uses, itself or inside of it."""
    return [op for inner in operations(operation) for value in inner.operands if (op := maker(value)) is not None]


def _keeps_memory(operation: Any) -> bool:
    """Whether an operation writes to nothing but tensors and the function's own memory."""
    if operation.name == _STORE:
        return maker(operation.operands[1], *ALLOCATIONS) is not None
    kept = (*ALLOCATIONS, "memref.dealloc", "memref.dim", _VIEW)
    return operation.name.startswith(_VALUES) or operation.name in kept


_PARAMETERS = "c_parameters"
_BOXED = {"tensor.extract_slice": 0, "tensor.extract": 0, "tensor.insert_slice": 1, "tensor.insert": 1}
"""Operations that use elements of a tensor at places that they name: the number of that operand."""

_CARRYING = ("scf.for", "scf.yield", "scf.if")


def asks_for_length(operation: Any) -> str:
    """The C name of a parameter whose unknown length a function of tensors depends on; empty if there is none."""
    if _PARAMETERS not in operation.attributes:
        return ""
    body, places = operation.regions[0].blocks[0], _places(operation)
    for argument, told in zip(body.arguments, ir.ArrayAttr(operation.attributes[_PARAMETERS]), strict=True):
        said = [ir.StringAttr(text).value for text in ir.ArrayAttr(told)]
        if said[2:3] == ["?"]:
            uses = list(_uses(argument))
            if any(map(_asks, uses)) or _copied(uses, places):
                return str(said[1])
    return ""


def _places(function: Any) -> dict[Any, int]:
    """The place of each operation in the text."""
    found: dict[Any, int] = {}

    for op in operations(function, outer_first=True):
        found[op] = len(found)
    return found


def _copied(uses: list[tuple[Any, Any]], places: dict[Any, int]) -> bool:
    """Whether a tensor is used after it was written to: bufferization copies all of it, however long that is."""
    written: dict[Any, int] = {}
    for user, value in uses:
        if _BOXED.get(user.name) == 1 and user.operands[1] == value:
            written[value] = min(places[user], written.get(value, places[user]))
    return any(value in written and places[user] > written[value] for user, value in uses)


def _uses(value: Any) -> Iterator[tuple[Any, Any]]:
    """The uses of memory and of the tensors that have its length, each as the user and what it uses."""
    alike = reachable([value], lambda v: [same for use in v.uses for same in _as_long(use.owner.operation, v)])
    return ((use.owner.operation, v) for v in alike for use in v.uses)


def _as_long(user: Any, value: Any) -> list[Any]:
    """The values that have the length of an operand."""
    if user.name == _VIEW or _BOXED.get(user.name) == 1 and user.operands[1] == value:
        return [user.results[0]]
    if user.name == "scf.for":
        place = [k for k, operand in enumerate(user.operands) if operand == value]
        inside = user.regions[0].blocks[0].arguments
        return [v for k in place for v in (user.results[k - 3], inside[k - 2])]
    return []


def _asks(use: tuple[Any, Any]) -> bool:
    """Whether a use depends on the length."""
    user, value = use
    if user.name == "memref.dim":
        return bool(list(user.results[0].uses)) and constant_number(user.operands[1]) in (0, None)
    if user.name in _BOXED:
        return bool(user.operands[_BOXED[user.name]] != value)
    return not (user.name in _CARRYING or user.name.startswith(("memref.", "affine.", "bufferization.")))
