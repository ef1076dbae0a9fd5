"""The function that Python calls: it reads the array objects itself, and goes on only if every array is as expected.

To look at arrays from Python takes as long as to read a megabyte, when caches are cold. What is read here of an array
object is what NumPy's own macros read (`PyArrayObject_fields` in `ndarraytypes.h`): its layout is part of NumPy's
binary interface. `raising.native.call.arguments` makes sure of it before this function is used.

Extents that the signature does not know, and integers, are compared with those of a call that was looked at closely:
they are in a table, and a call with others is looked at closely, too.

    before  llvm.func @scale(%p0: !llvm.ptr, %p1: f64, %workspace: !llvm.ptr)
    after   llvm.func @scale.objects(%table: !llvm.ptr, %p0: !llvm.ptr, %p1: f64, %workspace: !llvm.ptr) -> i64
              llvm.cond_br %known_type, ^arrays, ^closer
            ^call:    llvm.call @scale(%data, %p1, %workspace); llvm.return 0
            ^closer:  llvm.return 1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import prod

from raising.native.base.signature import INTEGERS, Parameter, Signature
from raising.support.mlir.text_lines import TextLines

BYTES = ".bytes"
"""What the function that tells the size of the workspace has behind the name."""
OBJECTS = ".objects"
"""What the function has behind the name."""

_FLOATS = ("f32", "f64")

OFFSETS = TYPE, DATA, RANK, EXTENTS, DTYPE, FLAGS = 8, 16, 24, 32, 56, 64
"""Where an array object has them, in bytes."""
CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
_POINTER = "!llvm.ptr"


def is_quick(signature: Signature) -> bool:
    """Whether a function takes numbers and arrays whose extents are numbers or open, and makes no array."""
    parameters = signature.parameters
    numbers = all(e in (*_FLOATS, *INTEGERS) for e in (*_scalars(signature), *signature.returns))
    extents = [extent for p in parameters for extent in p.shape or ()]
    plain = bool(extents) and not any(isinstance(extent, str) for extent in extents)
    return numbers and plain and not any(p.result for p in parameters)


def _scalars(signature: Signature) -> list[str]:
    return [p.element for p in signature.parameters if p.shape is None]


def told(signature: Signature) -> list[tuple[int, int | None]]:
    """The sizes that the table lists after the types: open dimensions of parameters, and integer arguments (None)."""
    found: list[tuple[int, int | None]] = []
    for number, parameter in enumerate(signature.parameters):
        found += [(number, dim) for dim in parameter.open_dims]
        found += [(number, None)] if parameter.shape is None and parameter.element in INTEGERS else []
    return found


def quick_entry(signature: Signature) -> str:
    """A module with `NAME.objects`: a table, the parameters with objects for arrays, and the workspace.

    The table has the addresses of the type of arrays and of each parameter's dtype, then what `told` lists. The
    function returns 0 after the call, and 1, without it, if anything has to be looked at closely. A number that the
    source returns is written to one more argument. The integers are those of the table: who calls makes sure that
    they are those of the arguments.
    """
    kinds = [_POINTER if p.shape is not None else scalar_type(p.element) for p in signature.parameters]
    table = {key: 8 * (len(kinds) + 1 + k) for k, key in enumerate(told(signature))}
    look = _Look([(k, p) for k, p in enumerate(signature.parameters) if p.shape is not None], table)
    for step, following in ((look.types, "arrays"), (look.heads, "shapes"), (look.shapes, "call")):
        look.go_on_if(list(step()), following)
    passed, types = look.passed(kinds)
    result = scalar_type(signature.returns[0]) if signature.returns else ""
    called = f"llvm.call @{signature.name}({passed}) : ({types}) -> {result or '()'}"
    if result:
        look.lines += [f"%result = {called}", f"llvm.store %result, %out : {result}, {_POINTER}"]
    else:
        look.line(called)
    look.back(0)
    look.line("^closer:")
    look.back(1)
    objects = [_POINTER if (k, None) in table else kind for k, kind in enumerate(kinds)]
    heads = ", ".join([*(f"%p{k}: {kind}" for k, kind in enumerate(objects)), f"%workspace: {_POINTER}"])
    heads += f", %out: {_POINTER}" if result else ""
    body = "\n".join(look.lines)
    return f"""llvm.func @{signature.name}({types}){f" -> {result}" if result else ""}
llvm.func @{signature.name}{OBJECTS}(%table: {_POINTER}, {heads}) -> i64 {{
{body}
}}"""


def scalar_type(element: str) -> str:
    """The type of a scalar in LLVM's dialect."""
    return "i64" if element == "index" else element


class _Look(TextLines):
    """The operations that look at arrays, which are parameters with their numbers.

    `table` says where the table has an extent or a number. `data` has what is passed for an array: where its elements
    are, and its open extents.
    """

    stem = "v"

    def __init__(self, arrays: Sequence[tuple[int, Parameter]], table: Mapping[tuple[int, int | None], int]) -> None:
        super().__init__()
        self.arrays, self.table = arrays, table
        self.data: dict[int, list[str]] = {}

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
            flags = self.op(f"llvm.and {self._field(array, FLAGS, 'i32')}, {mask} : i32")
            yield self._same(flags, mask, "i32")

    def shapes(self) -> Iterator[str]:
        """The extents, and that nothing that is written overlaps."""
        spans = []
        for number, parameter in self.arrays:
            extents = self._field(f"%p{number}", EXTENTS, _POINTER)
            open_: list[str] = []
            for axis, extent in enumerate(parameter.shape or ()):
                found = self._field(extents, 8 * axis, "i64")
                if isinstance(extent, int):
                    yield self._same(found, self.number(extent))
                else:
                    yield self._same(found, self._field("%table", self.table[number, axis], "i64"))
                    open_.append(found)
            data = self._field(f"%p{number}", DATA, _POINTER)
            self.data[number] = [data, *open_]
            low = self.op(f"llvm.ptrtoint {data} : {_POINTER} to i64")
            known = prod(extent for extent in parameter.shape or () if isinstance(extent, int)) * parameter.item_bytes
            if known:
                size = self.number(known)
                for extent in open_:
                    size = self.op(f"llvm.mul {size}, {extent} : i64")
                high = self.op(f"llvm.add {low}, {size} : i64")
                spans.append((parameter.written, low, high))
        for (one_written, *one), (other_written, *other) in combinations(spans, 2):
            if one_written or other_written:
                before = self.op(f'llvm.icmp "ule" {one[1]}, {other[0]} : i64')
                behind = self.op(f'llvm.icmp "ule" {other[1]}, {one[0]} : i64')
                yield self.op(f"llvm.or {before}, {behind} : i1")

    def passed(self, kinds: Sequence[str]) -> tuple[str, str]:
        """The arguments that are passed to the C function, and their types."""
        values, types = list[str](), list[str]()
        for number, kind in enumerate(kinds):
            own = self.data.get(number) or [self._integer(number, kind) or f"%p{number}"]
            values += own
            types += [kind, *["i64"] * (len(own) - 1)]
        return ", ".join([*values, "%workspace"]), ", ".join([*types, _POINTER])

    def _integer(self, number: int, kind: str) -> str:
        """An integer of the table; empty for what is none."""
        place = self.table.get((number, None))
        if place is None:
            return ""
        found = self._field("%table", place, "i64")
        return found if kind == "i64" else self.op(f"llvm.trunc {found} : i64 to {kind}")

    def go_on_if(self, conditions: Sequence[str], block: str) -> None:
        """Begin a block, to which it goes on if all conditions hold; else arrays are looked at closely."""
        whole = conditions[0]
        for condition in conditions[1:]:
            whole = self.op(f"llvm.and {whole}, {condition} : i1")
        self.lines += [f"llvm.cond_br {whole}, ^{block}, ^closer", f"^{block}:"]

    def back(self, number: int) -> None:
        """Return a number."""
        self.line(f"llvm.return {self.number(number)} : i64")

    def number(self, value: int, kind: str = "i64") -> str:
        """Write an integer constant; its name."""
        return self.op(f"llvm.mlir.constant({value} : {kind}) : {kind}")

    def _same(self, one: str, other: str, kind: str = "i64") -> str:
        return self.op(f'llvm.icmp "eq" {one}, {other} : {kind}')

    def _field(self, base: str, offset: int, kind: str) -> str:
        place = self.op(f"llvm.getelementptr {base}[{offset}] : ({_POINTER}) -> {_POINTER}, i8")
        return self.op(f"llvm.load {place} : {_POINTER} -> {kind}")
