"""The function that Python calls: it reads the array objects itself, and goes on only if every array is as expected.

To look at arrays from Python takes as long as to read a megabyte, when caches are cold. What is read here of an array
object is what NumPy's own macros read (`PyArrayObject_fields` in `ndarraytypes.h`): its layout is part of NumPy's
binary interface. `raising.native.call.python_function` makes sure of it before this function is used.

Extents that the signature does not know, and integers, are compared with those of a call that was looked at closely:
they are in a table, and a call with others is looked at closely, too. A second function is one that Python calls as
it calls its own built-in ones: it takes the objects of all arguments, and gives an object.

    before  llvm.func @scale(%p0: !llvm.ptr, %p1: f64, %workspace: !llvm.ptr)
    after   llvm.func @scale.objects(%table: !llvm.ptr, %p0: !llvm.ptr, %p1: f64, %workspace: !llvm.ptr) -> i64
              llvm.cond_br %known_type, ^arrays, ^closer
            ^call:    llvm.call @scale(%data, %p1, %workspace); llvm.return 0
            ^closer:  llvm.return 1
            llvm.func @scale.called(%self: !llvm.ptr, %objects: !llvm.ptr, %count: i64) -> !llvm.ptr
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import prod

from raising.native.abi.entry_lines import POINTER, EntryLines, Value, scalar_type
from raising.native.base.signature import INTEGERS, Parameter, Signature

BYTES = ".bytes"
"""What the function that tells the size of the workspace has behind the name."""
OBJECTS = ".objects"
"""What the function has behind the name."""
CALLED = ".called"
"""What the one has that Python calls."""
CONTEXT = ("closer", "nothing", "share", "leave", "enter", "float", "int", "as_float", "as_integer", "from_float",
           "from_integer", "from_unsigned", "workspace", "busy")  # fmt: skip
"""What the table has last: two objects, `Py_IncRef`, how a thread leaves the interpreter and enters it again, two types
of numbers and the functions that convert them, memory for temporaries, and whether a call uses it: 0 or 1, or `SHARED`
where there are none, so that any number of calls may.
"""
SHARED = 2

_FLOATS = ("f32", "f64")

OFFSETS = TYPE, DATA, RANK, EXTENTS, DTYPE, FLAGS = 8, 16, 24, 32, 56, 64
"""Where an array object has them, in bytes."""
CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400


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
    kinds = [POINTER if p.shape is not None else scalar_type(p.element) for p in signature.parameters]
    table = {key: 8 * (len(kinds) + 1 + k) for k, key in enumerate(told(signature))}
    look = _Look([(k, p) for k, p in enumerate(signature.parameters) if p.shape is not None], table)
    look.head(POINTER, "%table")
    for number, kind in enumerate(kinds):
        look.head(POINTER if (number, None) in table else kind, f"%p{number}")
    look.head(POINTER, "%workspace")
    for step, following in ((look.types, "arrays"), (look.heads_of, "shapes"), (look.shapes, "call")):
        look.go_on_if(list(step()), following)
    result = scalar_type(signature.returns[0]) if signature.returns else ""
    found = look.call(f"@{signature.name}", look.passed(kinds), result)
    if result:
        look.store(found, look.head(POINTER, "%out"), result)
    look.back(0)
    look.line("^closer:")
    look.back(1)
    return f"{look.function(signature.name + OBJECTS, 'i64')}\n{_called(signature, table)}"


def _called(signature: Signature, table: Mapping[tuple[int, int | None], int]) -> str:
    """The function that Python calls."""
    call = _Call(signature, table)
    call.count()
    call.numbers()
    call.run()
    return call.function(signature.name + CALLED, POINTER)


class _Entry(EntryLines):
    """Operations that read what objects and the table have."""

    def go_on_if(self, conditions: Sequence[str], block: str) -> None:
        """Begin a block, to which it goes on if all conditions hold; else arguments are looked at closely."""
        if conditions:
            whole = conditions[0]
            for condition in conditions[1:]:
                whole = self.op(f"llvm.and {whole}, {condition} : i1")
            self.lines += [f"llvm.cond_br {whole}, ^{block}, ^closer", f"^{block}:"]


class _Call(_Entry):
    """The operations of the function that Python calls; `table` says where the table has a number."""

    def __init__(self, signature: Signature, table: Mapping[tuple[int, int | None], int]) -> None:
        super().__init__()
        self.signature, self.table = signature, table
        first = 8 * (1 + len(signature.parameters) + len(table))
        self.context = {name: first + 8 * k for k, name in enumerate(CONTEXT)}
        for kind, name in ((POINTER, "%self"), (POINTER, "%objects"), ("i64", "%count")):
            self.head(kind, name)
        self.passed: list[str] = []

    def count(self) -> None:
        """There are as many arguments as parameters; their objects are read."""
        one = self.number(1)
        self.slots = [self.op(f"llvm.alloca {one} x i64 : (i64) -> {POINTER}") for _ in range(2)]
        self.known = self.field("%self", DATA, POINTER)
        self.go_on_if([self.compare("eq", "%count", self.number(len(self.signature.parameters)))], "numbers")
        self.passed = [self.field("%objects", 8 * k, POINTER) for k in range(len(self.signature.parameters))]

    def numbers(self) -> None:
        """Numbers are of Python's own types; integers have the values of the table."""
        scalars = [(k, p.element) for k, p in enumerate(self.signature.parameters) if p.shape is None]
        kinds = [(k, "int" if (k, None) in self.table else "float") for k, _ in scalars]
        self.go_on_if(
            [
                self.compare("eq", self.field(self.passed[k], TYPE, "i64"), self._known(kind, "i64"))
                for k, kind in kinds
            ],
            "values",
        )
        conditions = []
        for k, element in scalars:
            given = (self.passed[k], POINTER)
            if (k, None) in self.table:
                found = self.call(self._known("as_integer"), [given, (self.slots[0], POINTER)], "i64")
                fits = self.compare("eq", self.field(self.slots[0], 0, "i32"), self.number(0, "i32"), "i32")
                conditions += [fits, self.compare("eq", found, self.field(self.known, self.table[k, None], "i64"))]
            else:
                found = self.call(self._known("as_float"), [given], "f64")
                self.passed[k] = found if element == "f64" else self.op(f"llvm.fptrunc {found} : f64 to {element}")
        self.go_on_if(conditions, "integers")

    def run(self) -> None:
        """With the memory for temporaries, and without the interpreter's lock, the call."""
        busy, one, zero = self.place(self.known, self.context["busy"]), self.number(1), self.number(0)
        pair = self.op(f"llvm.cmpxchg {busy}, {zero}, {one} acq_rel monotonic : {POINTER}, i64")
        before = self.op(f"llvm.extractvalue {pair}[0] : !llvm.struct<(i64, i1)>")
        self.go_on_if([self.compare("ne", before, one)], "free")
        thread = self.call(self._known("leave"), [], POINTER)
        floats = [p.element if p.shape is None and p.element in _FLOATS else POINTER for p in self.signature.parameters]
        behind = [self._known("workspace"), *self.slots[1:] * len(self.signature.returns)]
        values = [(self.known, POINTER), *zip(self.passed, floats, strict=True), *((v, POINTER) for v in behind)]
        outcome = self.call(f"@{self.signature.name}{OBJECTS}", values, "i64", declared=True)
        self.call(self._known("enter"), [(thread, POINTER)])
        self.line(f"llvm.store {before}, {busy} atomic release {{alignment = 8 : i64}} : i64, {POINTER}")
        self.go_on_if([self.compare("eq", outcome, zero)], "done")
        self.line(f"llvm.return {self._result() if self.signature.returns else self._shared('nothing')} : {POINTER}")
        self.line("^closer:")
        self.line(f"llvm.return {self._shared('closer')} : {POINTER}")

    def _result(self) -> str:
        """The number that was returned, as an object."""
        (element,) = self.signature.returns
        kind, maker = scalar_type(element), "from_float"
        found = self.field(self.slots[1], 0, kind)
        if kind == "f32":
            found = self.op(f"llvm.fpext {found} : f32 to f64")
        elif element not in _FLOATS:
            unsigned = self.signature.result.startswith("unsigned")
            maker = "from_unsigned" if unsigned else "from_integer"
            found = self.widened(found, kind, unsigned)
        kind = "f64" if element in _FLOATS else "i64"
        return self.call(self._known(maker), [(found, kind)], POINTER)

    def _shared(self, name: str) -> str:
        """An object of the table, which whoever gets it owns."""
        found = self._known(name)
        self.call(self._known("share"), [(found, POINTER)])
        return found

    def _known(self, name: str, kind: str = POINTER) -> str:
        return self.field(self.known, self.context[name], kind)


class _Look(_Entry):
    """The operations that look at arrays, which are parameters with their numbers.

    `table` says where the table has an extent or a number. `data` has what is passed for an array: where its elements
    are, and its open extents.
    """

    def __init__(self, arrays: Sequence[tuple[int, Parameter]], table: Mapping[tuple[int, int | None], int]) -> None:
        super().__init__()
        self.arrays, self.table = arrays, table
        self.data: dict[int, list[str]] = {}

    def types(self) -> Iterator[str]:
        """Each object is an array; nothing else of it may be read before."""
        kind = self.field("%table", 0, "i64")
        for number, _ in self.arrays:
            yield self.compare("eq", self.field(f"%p{number}", TYPE, "i64"), kind)

    def heads_of(self) -> Iterator[str]:
        """Type of the elements, rank, and flags."""
        for number, parameter in self.arrays:
            array, needed = f"%p{number}", CONTIGUOUS | ALIGNED | (WRITEABLE if parameter.written else 0)
            yield self.compare("eq", self.field(array, DTYPE, "i64"), self.field("%table", 8 * (number + 1), "i64"))
            yield self.compare(
                "eq", self.field(array, RANK, "i32"), self.number(len(parameter.shape or ()), "i32"), "i32"
            )
            mask = self.number(needed, "i32")
            flags = self.op(f"llvm.and {self.field(array, FLAGS, 'i32')}, {mask} : i32")
            yield self.compare("eq", flags, mask, "i32")

    def shapes(self) -> Iterator[str]:
        """The extents, and that nothing that is written overlaps."""
        spans = []
        for number, parameter in self.arrays:
            extents = self.field(f"%p{number}", EXTENTS, POINTER)
            open_: list[str] = []
            for axis, extent in enumerate(parameter.shape or ()):
                found = self.field(extents, 8 * axis, "i64")
                if isinstance(extent, int):
                    yield self.compare("eq", found, self.number(extent))
                else:
                    yield self.compare("eq", found, self.field("%table", self.table[number, axis], "i64"))
                    open_.append(found)
            data = self.field(f"%p{number}", DATA, POINTER)
            self.data[number] = [data, *open_]
            low = self.op(f"llvm.ptrtoint {data} : {POINTER} to i64")
            known = prod(extent for extent in parameter.shape or () if isinstance(extent, int)) * parameter.item_bytes
            if known:
                size = self.number(known)
                for extent in open_:
                    size = self.op(f"llvm.mul {size}, {extent} : i64")
                high = self.op(f"llvm.add {low}, {size} : i64")
                spans.append((parameter.written, low, high))
        for (one_written, *one), (other_written, *other) in combinations(spans, 2):
            if one_written or other_written:
                before = self.compare("ule", one[1], other[0])
                behind = self.compare("ule", other[1], one[0])
                yield self.op(f"llvm.or {before}, {behind} : i1")

    def passed(self, kinds: Sequence[str]) -> list[Value]:
        """The arguments that are passed to the C function."""
        values: list[Value] = []
        for number, kind in enumerate(kinds):
            first, *extents = self.data.get(number) or [self._integer(number, kind) or f"%p{number}"]
            values += [(first, kind), *((extent, "i64") for extent in extents)]
        return [*values, ("%workspace", POINTER)]

    def _integer(self, number: int, kind: str) -> str:
        """An integer of the table; empty for what is none."""
        place = self.table.get((number, None))
        if place is None:
            return ""
        found = self.field("%table", place, "i64")
        return found if kind == "i64" else self.op(f"llvm.trunc {found} : i64 to {kind}")

    def back(self, number: int) -> None:
        """Return a number."""
        self.line(f"llvm.return {self.number(number)} : i64")
