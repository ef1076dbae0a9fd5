"""The signature of a function from outside: to C, to NumPy, and inside of the module.

A function is compiled as one that works on memory. Its parameters are those of the source in their order: a scalar is
passed by value, an array (memref or tensor) as a plain row-major pointer. Results of scalar type are returned; result
tensors are written to memory that the caller gives, behind the other parameters. Extents of arrays that were read from
C are expressions over the function's integer parameters; they are evaluated here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TypeVar

import raising.affine.ir.c_parameters
from raising.affine.ir.c_parameters import UNBOUNDED as UNBOUNDED
from raising.native.base.unsupported import CompileError
from raising.support.record import dataclass

T = TypeVar("T")


def evaluate(text: str, names: Mapping[str, T], number: Callable[[int], T], combine: Callable[[str, T, T], T]) -> T:
    """As `raising.affine.ir.c_parameters.evaluate`; CompileError for what is no extent."""
    try:
        return raising.affine.ir.c_parameters.evaluate(text, names, number, combine)
    except ValueError as error:
        raise CompileError(str(error)) from None


def number_of(extent: str, sizes: Mapping[str, int]) -> int:
    """The number that an extent is at these sizes; what has an extent of a quotient by 0 is not reached."""
    return evaluate(extent, sizes, int, lambda operation, a, b: int(_COMBINED[operation](a, b)))


_COMBINED: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "sdiv": lambda a, b: a // (b or 1),
    "srem": lambda a, b: a % (b or 1),
}
DIVIDING = ("sdiv", "srem")
"""Operations of extents that are as by 1 where they are by 0: what has such an extent is not reached."""

C_TYPES = {
    "f64": "double",
    "f32": "float",
    "f16": "_Float16",
    "bf16": "uint16_t",
    "i64": "int64_t",
    "i32": "int32_t",
    "i16": "int16_t",
    "i8": "int8_t",
    "i1": "bool",
    "index": "int64_t",
}
"""The C type of each element type that can be passed."""

INTEGERS = ("i8", "i16", "i32", "i64", "index")
"""Element types that can be sizes."""

_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "i1": 1, "index": 8}

Extent = int | str | None
"""A number, an expression over the C function's integer parameters, or not known (then it is passed)."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a function; its `shape` is None for a scalar.

    It is `written` if the call may change the array, and a `result` if the source returns it: what it holds before the
    call counts for nothing then. `path` says how it is found in the arguments of a C function that takes structs, or
    uses those of its file (`raising.native.abi.record_arguments`). Where C declares it as a pointer to rows, `in_rows`
    is the type of their elements.
    """

    name: str
    element: str
    shape: tuple[Extent, ...] | None
    c_type: str
    written: bool = False
    result: bool = False
    path: str = ""
    in_rows: str = ""

    @property
    def open_dims(self) -> tuple[int, ...]:
        """The dimensions whose extent is passed behind the pointer."""
        return () if self.shape is None else tuple(d for d, extent in enumerate(self.shape) if extent is None)

    @property
    def memref(self) -> str:
        """The type in MLIR: sizes that are not numbers are open."""
        if self.shape is None:
            return self.element
        return f"memref<{''.join(f'{_size(extent)}x' for extent in self.shape)}{self.element}>"

    @property
    def unsigned(self) -> bool:
        """Whether C takes it for a number without sign."""
        plain = self.c_type.startswith(("unsigned", "uint")) and self.element != "bf16"
        return plain or self.c_type in ("size_t", "bool", "_Bool")

    @property
    def item_bytes(self) -> int:
        """Bytes of one element in memory."""
        return element_bytes(self.element)


@dataclass(frozen=True)
class Argument:
    """An argument of a C function that takes structs; one by value has a `size`, and `words` if registers hold it."""

    c_type: str
    name: str
    size: int = 0
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Needed:
    """The elements of an array that a function accesses: `set` is an isl set over the sizes of `Needs`.

    `number` is the array's among the parameters; `writes` if it stores to some of them. Flat memory that is accessed in
    `rows` has their inner extents, isl forms, and the set is one of subscripts in rows.
    """

    number: int
    writes: bool
    set: str
    rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class Positions:
    """An array of integers which, with `offset` added, are positions along the dimension `dim` of another array.

    `number` and `array` are the numbers of both parameters; the integers are `unsigned` if they are read without signs.
    """

    number: int
    unsigned: bool
    array: int
    dim: int
    offset: int


@dataclass(frozen=True)
class Needs:
    """The elements that a function accesses at given sizes; an access that is not executed needs none.

    Each of `sizes` is an integer parameter (its number and None) or an extent (the number of an array and a dimension).
    Each of `results` is the number of a result array with isl forms of its extents. At the sizes in `wrong`, an isl
    set, the function leaves a memory of its own. `positions` are arrays whose elements each call looks at. If `unknown`
    has a reason, none of this is known.
    """

    sizes: tuple[tuple[int, int | None], ...] = ()
    arrays: tuple[Needed, ...] = ()
    results: tuple[tuple[int, tuple[str, ...]], ...] = ()
    unknown: str = ""
    wrong: str = ""
    positions: tuple[Positions, ...] = ()


@dataclass(frozen=True)
class Signature:
    """A compiled function: its symbol, its parameters with result arrays last, and the types of scalar results.

    `variables` are those of the module that it uses, by their symbols: nobody passes them. `needs` is asked before a
    call from Python; None where types say all there is to check. `arguments` are what C passes, where parameters are
    fields of structs; from Python the parameters themselves are passed. A function that is `tested` runs what it was
    before raising where its arrays overlap (`raising.native.abi.overlap_fallback`). `result` is the type that C
    has for the scalar result, if a source says so.
    """

    name: str
    parameters: tuple[Parameter, ...]
    returns: tuple[str, ...] = ()
    variables: tuple[Parameter, ...] = ()
    needs: Needs | None = None
    arguments: tuple[Argument, ...] = ()
    tested: bool = False
    result: str = ""

    @property
    def in_records(self) -> bool:
        """Whether parameters are found in structs, which C passes or the file has."""
        return any(parameter.path for parameter in self.parameters)

    @property
    def memory(self) -> tuple[Parameter, ...]:
        """The arguments of the function inside of the module: the parameters, then the variables that it uses."""
        return (*self.parameters, *self.variables)


def element_bytes(element: str) -> int:
    """Bytes of an element in memory."""
    if element not in _BYTES:
        raise CompileError(f"elements of type {element} have no form in memory")
    return _BYTES[element]


def _size(extent: Extent) -> str:
    return str(extent) if isinstance(extent, int) else "?"
