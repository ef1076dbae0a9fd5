"""Functions whose C arguments are structs, or pointers to them: their entry finds each parameter in these.

A parameter's path is the number of an argument, behind `&` if it means the memory of a struct that is passed by value,
or `@` and the name of a variable of the file, which nobody passes; then `+N`, so many bytes further (`+-N`: back), and
`*`, what a pointer there points to; `~N*` is how many elements of N bytes lie between the pointer before this place and
the one there (`size()` of a vector of C++). A null pointer on the way gives zeros: a function may be called with one
where it uses nothing of it.
"""

from __future__ import annotations

import re

from raising.native.abi.entry_lines import POINTER, EntryLines, scalar_type
from raising.native.base.signature import INTEGERS, Argument, Parameter, Signature
from raising.native.base.unsupported import CompileError

ZEROS = ".zeros"
_STEP = re.compile(r"\+(-?\d+)|~(\d+)\*|\*")
_PATH = re.compile(r"&?(\d+|@[A-Za-z_$][\w$.]*)((?:\+-?\d+|~[1-9]\d*\*|\*)*)")
_FILE = "@"


class _Registers:
    """The registers for arguments that are free (System V ABI, AMD64, 3.2.3)."""

    def __init__(self) -> None:
        self._integers, self._floats = 6, 8

    def take(self, integers: int, floats: int) -> bool:
        """Take so many for one argument; False if there are fewer of a kind: the argument is on the stack then."""
        if integers > self._integers or floats > self._floats:
            return False
        self._integers, self._floats = self._integers - integers, self._floats - floats
        return True


def found_in_records(entry: EntryLines, signature: Signature) -> list[list[str]]:
    """Take the C arguments; the value of each parameter."""
    starts = dict.fromkeys(_parsed(p.path)[0] for p in signature.parameters)
    values = {start: entry.address(start.removeprefix(_FILE)) for start in starts if start.startswith(_FILE)}
    parameters, registers = {p.path: p for p in signature.parameters}, _Registers()
    for k, argument in enumerate(signature.arguments):
        number = str(k)
        parameter = parameters.get(number)
        if argument.size:
            values[number] = _by_value(entry, argument, registers)
        elif parameter is not None and parameter.shape is None:
            integer = parameter.element in (*INTEGERS, "i1")
            registers.take(integer, not integer)
            values[number] = entry.head(scalar_type(parameter.element))
        elif argument.c_type.startswith("*") or number in starts:
            registers.take(1, 0)
            values[number] = entry.head(POINTER)
        else:
            raise CompileError(f"function '{signature.name}': the argument '{argument.name}' cannot be passed from C")
    reach = [int(n) for p in signature.parameters for n in re.findall(r"\+(\d+)", p.path)]
    zeros = _Zeros(entry, f"{signature.name}{ZEROS}", max(reach, default=0) + 16)
    return [[_followed(entry, zeros, values, p)] for p in signature.parameters]


def _parsed(path: str) -> tuple[str, str]:
    """The argument or variable that a path starts at, and its steps."""
    found = _PATH.fullmatch(path)
    if found is None:
        raise CompileError(f"'{path}' is no path in arguments")
    return found[1], found[2]


def _by_value(entry: EntryLines, argument: Argument, registers: _Registers) -> str:
    """A struct that is passed by value; its place in memory."""
    words = argument.words
    integers = words.count("i64")
    if not words or not registers.take(integers, len(words) - integers):
        return entry.head(f"{POINTER} {{llvm.byval = !llvm.array<{argument.size} x i8>, llvm.align = 8 : i64}}")
    place = entry.op(f"llvm.alloca {entry.number(2)} x i64 {{alignment = 16 : i64}} : (i64) -> {POINTER}")
    for k, word in enumerate(words):
        entry.store(entry.head(word), entry.place(place, 8 * k), word)
    return place


class _Zeros:
    """The zeros that are read where a pointer to a struct is null."""

    def __init__(self, entry: EntryLines, name: str, size: int) -> None:
        self._entry, self._name, self._size = entry, name, size
        self._made = ""

    def unless_null(self, pointer: str) -> str:
        """The pointer, or one to zeros if it is null."""
        entry = self._entry
        if not self._made:
            kind = f"!llvm.array<{self._size} x i8>"
            text = f"llvm.mlir.global internal constant @{self._name}(dense<0> : tensor<{self._size}xi8>)"
            entry.outside.append(f"{text} {{addr_space = 0 : i32, alignment = 16 : i64}} : {kind}")
            self._made = entry.op(f"llvm.mlir.addressof @{self._name} : {POINTER}")
        null = entry.op(f"llvm.mlir.zero : {POINTER}")
        missing = entry.compare("eq", pointer, null, POINTER)
        return entry.op(f"llvm.select {missing}, {self._made}, {pointer} : i1, {POINTER}")


def _followed(entry: EntryLines, zeros: _Zeros, values: dict[str, str], parameter: Parameter) -> str:
    """The value at the end of a parameter's path."""
    start, steps = _parsed(parameter.path)
    value, parts = values[start], list(_STEP.finditer(steps))
    for k, part in enumerate(parts):
        if part[1] is not None:
            loads = k + 1 < len(parts)
            value = entry.place(zeros.unless_null(value) if loads else value, int(part[1]))
        elif part[2] is not None:
            value = _counted(entry, value, int(part[2]))
        else:
            last = k + 1 == len(parts) and parameter.shape is None
            value = entry.load(value, scalar_type(parameter.element) if last else POINTER)
    return value


def _counted(entry: EntryLines, behind: str, size: int) -> str:
    """The number of elements between two pointers that lie in memory, `behind` being the place of the second."""
    first = entry.field(behind, -8, "i64")
    length = entry.op(f"llvm.sub {entry.load(behind, 'i64')}, {first} : i64")
    return entry.op(f"llvm.sdiv {length}, {entry.number(size)} : i64")
