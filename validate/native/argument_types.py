"""The types at the boundary of a function, as far as native calls understand them."""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.frontend.mlir.parse_module import make_context
from raising.support.element_types import CTYPES, NUMPY
from raising.support.mlir.walk import is_row_major, named
from raising.support.record import dataclass


class Unsupported(Exception):
    """A program outside of what can be run; the message is the reason of an `Unknown`."""


@dataclass(frozen=True)
class Slot:
    """One argument or result: its element type, and its shape unless it is a scalar (None is `?`)."""

    element: str
    shape: tuple[int | None, ...] | None

    @property
    def is_float(self) -> bool:
        """Whether values are compared with a tolerance."""
        return self.element.startswith("f")

    def __str__(self) -> str:
        if self.shape is None:
            return self.element
        sizes = "".join("?x" if size is None else f"{size}x" for size in self.shape)
        return f"memref<{sizes}{self.element}>"


@dataclass(frozen=True)
class Signature:
    """The types that a function takes and returns; `on_tensors` if it does not work on memory."""

    arguments: tuple[Slot, ...]
    results: tuple[Slot, ...]
    written: tuple[int, ...]
    on_tensors: bool


def quiet_context() -> Any:
    """A context without threads that accepts attributes of dialects it does not know."""
    context = make_context()
    context.allow_unregistered_dialects = True
    return context


def find_function(module: Any, name: str) -> Any:
    """The `func.func` with that name and a body."""
    for operation in module.body.operations:
        if operation.operation.name == "func.func" and operation.attributes["sym_name"].value == name:
            if not operation.regions[0].blocks:
                raise Unsupported(f"@{name} has no body")
            return operation
    raise Unsupported(f"there is no function @{name}")


def calls_itself(module: Any, name: str) -> bool:
    """True if a function may come to a function that is being called, and so never to an end."""
    calls: dict[str, set[str]] = {}
    for function in module.body.operations:
        if function.operation.name == "func.func":
            called = (op.attributes["callee"].value for op in named(function, "func.call"))
            calls[function.attributes["sym_name"].value] = set(called)
    around, done = set[str](), set[str]()

    def comes_back(at: str) -> bool:
        if at in around or at in done:
            return at in around
        around.add(at)
        found = any(comes_back(callee) for callee in sorted(calls.get(at, ())))
        around.remove(at)
        done.add(at)
        return found

    return comes_back(name)


def signature_of(function: Any) -> Signature:
    """Read the types, and which memrefs are stored to."""
    kind = function.attributes["function_type"].value
    return Signature(
        tuple(_slot(t) for t in kind.inputs),
        tuple(_slot(t) for t in kind.results),
        _written(function),
        any(isinstance(t, ir.RankedTensorType) for t in [*kind.inputs, *kind.results]),
    )


def _slot(kind: Any) -> Slot:
    if isinstance(kind, ir.MemRefType | ir.RankedTensorType):
        if isinstance(kind, ir.MemRefType) and not is_row_major(kind):
            raise Unsupported(f"the layout or memory space of {kind}")
        shape = tuple(None if size < 0 else int(size) for size in kind.shape)
        return _known(Slot(str(kind.element_type), shape), NUMPY)
    return _known(Slot(str(kind), None), CTYPES)


def _known(slot: Slot, table: dict[str, Any]) -> Slot:
    if slot.element not in table:
        raise Unsupported(f"the type {slot.element}")
    return slot


def _written(function: Any) -> tuple[int, ...]:
    """The numbers of the memref arguments that a store names directly."""
    written: set[int] = set()

    for operation in named(function, "memref.store", "affine.store"):
        target = operation.operands[1]
        if isinstance(target, ir.BlockArgument) and target.owner.owner.operation == function.operation:
            written.add(target.arg_number)
    return tuple(sorted(written))
