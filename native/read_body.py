"""The scalar operations of a nest, read one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from mlir import ir

from affine.record import dataclass
from native.affine_index import Affine
from native.nest import Access, Scalar
from native.read_views import Reader

PURE = re.compile(
    r"(arith|math|index|ub)\..*|affine\.(apply|min|max)|memref\.(subview|cast|dim|get_global|alloca?|expand_shape"
    r"|collapse_shape|reinterpret_cast|view|assume_alignment|memory_space_cast)"
)
"""Operations that touch no memory."""


@dataclass
class BodyReader:
    """The scalar operations of a nest while they are read; `names` has those of the values so far."""

    reader: Reader
    names: dict[ir.Value, str]
    rank: int
    reads: list[Access] = field(default_factory=list)
    scalars: list[Scalar] = field(default_factory=list)
    captured: dict[str, str] = field(default_factory=dict)

    def outside(self, value: ir.Value) -> str:
        """The name of a scalar from around the nest; constants become part of the body."""
        owner = value.owner if isinstance(value.owner, ir.Block) else value.owner.operation
        if not isinstance(owner, ir.Block) and owner.name == "arith.constant":
            return self.add(owner, ())
        name = self.reader.name(value)
        self.captured[name] = str(value.type)
        return name

    def dimension(self, value: ir.Value, number: int) -> None:
        """Take a value for the index of a dimension."""
        self.scalars.append(Scalar("linalg.index", (), str(number), (), "index"))
        self.names[value] = f"v{len(self.scalars) - 1}"

    def operand(self, value: ir.Value) -> str:
        """The name of any value that the body uses."""
        if value not in self.names:
            self.names[value] = self.outside(value)
        return self.names[value]

    def add(self, operation: Any, args: tuple[str, ...]) -> str:
        """One more operation; the name of its value."""
        properties = _properties(operation)
        if operation.name == "linalg.index":
            properties = str(ir.IntegerAttr(operation.attributes["dim"]).value)
        types = tuple(str(operand.type) for operand in operation.operands)
        self.scalars.append(Scalar(operation.name, args, properties, types, str(operation.results[0].type)))
        return f"v{len(self.scalars) - 1}"

    def read(self, access: Access) -> str:
        """The name of the element that an access reads."""
        if access not in self.reads:
            self.reads.append(access)
        return f"in{self.reads.index(access)}"

    def visit(self, operation: Any) -> bool:
        """Take in one operation; False if it is none that a body can have."""
        if operation.name == "memref.load":
            return self._load(operation)
        scalar = operation.name == "linalg.index" or PURE.fullmatch(operation.name)
        if not scalar or len(operation.results) != 1 or len(operation.regions):
            return False
        args = tuple(self.operand(value) for value in operation.operands)
        return self._name(operation, self.add(operation, args))

    def _name(self, operation: Any, name: str) -> bool:
        self.names[operation.results[0]] = name
        return True

    def _load(self, operation: Any) -> bool:
        """A load at subscripts that are affine in the nest's dimensions is a read like others."""
        source, *indices = operation.operands
        access = self.access(source, indices)
        return access is not None and self._name(operation, self.read(access))

    def access(self, source: ir.Value, indices: Sequence[ir.Value]) -> Access | None:
        """An element of a memref, if its subscripts are affine."""
        found = [self.index(value) for value in indices]
        if None in found:
            return None
        view = self.reader.view(source)
        return Access(view.array, view.subscripts(tuple(index for index in found if index is not None)))

    def index(self, value: ir.Value) -> Affine | None:
        """An index value of the body as an expression over dimensions and values around the nest."""
        return self._named_index(self.names[value]) if value in self.names else self.reader.index(value)

    def _named_index(self, name: str) -> Affine | None:
        if name.startswith("%"):
            return self.reader.index(self.reader.values[name])
        return self.scalars[int(name[1:])].index(self._named_index) if name[0] == "v" else None


def _properties(operation: Any) -> str:
    """The part of an operation's generic form between its operands and its types."""
    text = operation.get_asm(print_generic_op_form=True, use_local_scope=True, assume_verified=True)
    found = re.search(r"\)\s*(<\{.*\}>)?\s*(\{.*\})? : \(", text, re.DOTALL)
    return " ".join(part for part in (found.groups() if found else ()) if part)
