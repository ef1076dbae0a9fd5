"""The function that Python calls: it reads the array objects itself, and goes on only if every array is as expected.

To look at arrays from Python takes as long as to read a megabyte, when caches are cold. What is read here of an array
object is what NumPy's own macros read (`PyArrayObject_fields` in `ndarraytypes.h`): its layout is part of NumPy's
binary interface. `raising.native.call.arguments` makes sure of it before this function is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import combinations
from math import prod

from raising.native.base.signature import Parameter, Signature
from raising.support.record import dataclass

OBJECTS = ".objects"
"""What the function has behind the name."""

OFFSETS = TYPE, DATA, RANK, EXTENTS, DTYPE, FLAGS = 8, 16, 24, 32, 56, 64
"""Where an array object has them, in bytes."""
CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
_POINTER = "!llvm.ptr"


def is_quick(signature: Signature) -> bool:
    """Whether a function takes floats and arrays of known extents, with a dimension at least, and returns nothing."""
    parameters = signature.parameters
    floats = all(p.element in ("f32", "f64") for p in parameters if p.shape is None)
    extents = [extent for p in parameters for extent in p.shape or ()]
    known = bool(extents) and all(isinstance(extent, int) for extent in extents)
    return floats and known and not signature.returns and not any(p.result for p in parameters)


def quick_entry(signature: Signature) -> str:
    """A module with `NAME.objects`: a table, the parameters with objects for arrays, and the workspace.

    The table has the addresses of the type of arrays and of each parameter's dtype. The function returns 0
    after the call, and 1, without it, if anything has to be looked at closely.
    """
    kinds = [_POINTER if p.shape is not None else p.element for p in signature.parameters]
    look = _Look([(k, p) for k, p in enumerate(signature.parameters) if p.shape is not None])
    for step, following in ((look.types, "arrays"), (look.heads, "shapes"), (look.shapes, "call")):
        look.go_on_if(list(step()), following)
    passed = ", ".join([*(look.data.get(k, f"%p{k}") for k in range(len(kinds))), "%workspace"])
    types = ", ".join([*kinds, _POINTER])
    look.lines.append(f"llvm.call @{signature.name}({passed}) : ({types}) -> ()")
    look.back(0)
    look.lines.append("^closer:")
    look.back(1)
    heads = ", ".join([*(f"%p{k}: {kind}" for k, kind in enumerate(kinds)), f"%workspace: {_POINTER}"])
    body = "\n".join(look.lines)
    return f"""llvm.func @{signature.name}({types})
llvm.func @{signature.name}{OBJECTS}(%table: {_POINTER}, {heads}) -> i64 {{
{body}
}}"""


@dataclass
class _Look:
    """The operations that look at arrays, which are parameters with their numbers; `data` has where elements are."""

    arrays: Sequence[tuple[int, Parameter]]
    lines: list[str] = field(default_factory=list)
    data: dict[int, str] = field(default_factory=dict)

    def types(self) -> Iterator[str]:
        """Each object is an array; nothing else of it may be read before."""
        kind = self._field("%table", 0, "i64")
        for number, _ in self.arrays:
            yield self._same(self._field(f"%p{number}", TYPE, "i64"), kind)

    def heads(self) -> Iterator[str]:
        """Type of the elements, rank, and flags."""
        for number, parameter in self.arrays:
            array, needed = f"%p{number}", CONTIGUOUS | ALIGNED | (WRITEABLE if parameter.written else 0)
            yield self._same(self._field(array, DTYPE, "i64"), self._field("%table", 8 * (number + 1), "i64"))
            yield self._same(self._field(array, RANK, "i32"), self.number(len(parameter.shape or ()), "i32"), "i32")
            mask = self.number(needed, "i32")
            flags = self._define(f"llvm.and {self._field(array, FLAGS, 'i32')}, {mask} : i32")
            yield self._same(flags, mask, "i32")

    def shapes(self) -> Iterator[str]:
        """The extents, and that nothing that is written overlaps."""
        spans = []
        for number, parameter in self.arrays:
            extents = self._field(f"%p{number}", EXTENTS, _POINTER)
            shape = [int(extent) for extent in parameter.shape or () if extent is not None]
            for axis, extent in enumerate(shape):
                yield self._same(self._field(extents, 8 * axis, "i64"), self.number(extent))
            self.data[number] = self._field(f"%p{number}", DATA, _POINTER)
            low = self._define(f"llvm.ptrtoint {self.data[number]} : {_POINTER} to i64")
            size = prod(shape) * parameter.item_bytes
            if size:
                high = self._define(f"llvm.add {low}, {self.number(size)} : i64")
                spans.append((parameter.written, low, high))
        for (one_written, *one), (other_written, *other) in combinations(spans, 2):
            if one_written or other_written:
                before = self._define(f'llvm.icmp "ule" {one[1]}, {other[0]} : i64')
                behind = self._define(f'llvm.icmp "ule" {other[1]}, {one[0]} : i64')
                yield self._define(f"llvm.or {before}, {behind} : i1")

    def go_on_if(self, conditions: Sequence[str], block: str) -> None:
        """Begin a block, to which it goes on if all conditions hold; else arrays are looked at closely."""
        whole = conditions[0]
        for condition in conditions[1:]:
            whole = self._define(f"llvm.and {whole}, {condition} : i1")
        self.lines += [f"llvm.cond_br {whole}, ^{block}, ^closer", f"^{block}:"]

    def back(self, number: int) -> None:
        """Return a number."""
        self.lines.append(f"llvm.return {self.number(number)} : i64")

    def number(self, value: int, kind: str = "i64") -> str:
        """A constant."""
        return self._define(f"llvm.mlir.constant({value} : {kind}) : {kind}")

    def _same(self, one: str, other: str, kind: str = "i64") -> str:
        return self._define(f'llvm.icmp "eq" {one}, {other} : {kind}')

    def _field(self, base: str, offset: int, kind: str) -> str:
        place = self._define(f"llvm.getelementptr {base}[{offset}] : ({_POINTER}) -> {_POINTER}, i8")
        return self._define(f"llvm.load {place} : {_POINTER} -> {kind}")

    def _define(self, operation: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {operation}")
        return name
