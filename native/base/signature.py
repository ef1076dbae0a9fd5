"""The signature of a function from outside: to C, to NumPy, and inside of the module.

A function is compiled as one that works on memory. Its parameters are those of the source in their order: a scalar is
passed by value, an array (memref or tensor) as a plain row-major pointer. Results of scalar type are returned; result
tensors are written to memory that the caller gives, behind the other parameters. Extents of arrays that were read from
C are expressions over the function's integer parameters; they are evaluated here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from mlir import ir

import raising.affine.ir.c_parameters
from raising.affine.ir.c_parameters import C_ARGUMENTS, C_PATHS, declared
from raising.affine.ir.c_parameters import UNBOUNDED as UNBOUNDED
from raising.frontend.mlir.variables import argument_symbols
from raising.native.base.unsupported import CompileError
from raising.support.record import dataclass

T = TypeVar("T")


def evaluate(text: str, names: Mapping[str, T], number: Callable[[int], T], combine: Callable[[str, T, T], T]) -> T:
    """As `raising.affine.ir.c_parameters.evaluate`; CompileError for what is no extent."""
    try:
        return raising.affine.ir.c_parameters.evaluate(text, names, number, combine)
    except ValueError as error:
        raise CompileError(str(error)) from None


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

_UNSIGNED = re.compile(r"ui(8|16|32|64)")

INTEGERS = ("i8", "i16", "i32", "i64", "index")
"""Element types that can be sizes."""

_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "i1": 1, "index": 8}

Extent = int | str | None
"""A number, an expression over the C function's integer parameters, or not known (then it is passed)."""


@dataclass(frozen=True)
class Parameter:
    """One parameter; `shape` is None for a scalar. `written` if the call may change the array.

    `result` if the source returns it: its contents before the call count for nothing. `path` says how it is found in
    the arguments of a C function that takes structs (`raising.native.abi.record_arguments`).
    """

    name: str
    element: str
    shape: tuple[Extent, ...] | None
    c_type: str
    written: bool = False
    result: bool = False
    path: str = ""

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

    `number` is the array's among the parameters; `writes` if it stores to some of them.
    """

    number: int
    writes: bool
    set: str


@dataclass(frozen=True)
class Needs:
    """What a function accesses at given sizes: an access that is not executed needs nothing.

    A size is an integer parameter (its number, None), or an extent (the number of an array, a dimension). `results`
    have for a result array (its number) isl forms of its extents. At the sizes in `wrong`, an isl set, the function
    leaves a memory of its own. With an `unknown` reason, none of this is known.
    """

    sizes: tuple[tuple[int, int | None], ...] = ()
    arrays: tuple[Needed, ...] = ()
    results: tuple[tuple[int, tuple[str, ...]], ...] = ()
    unknown: str = ""
    wrong: str = ""


@dataclass(frozen=True)
class Signature:
    """A compiled function: its symbol, its parameters with result arrays last, and the types of scalar results.

    `variables` are those of the module that it uses, by their symbols: nobody passes them. `needs` is asked before a
    call from Python; None where types say all there is to check. `arguments` are what C passes, where parameters are
    fields of structs; from Python the parameters themselves are passed.
    """

    name: str
    parameters: tuple[Parameter, ...]
    returns: tuple[str, ...] = ()
    variables: tuple[Parameter, ...] = ()
    needs: Needs | None = None
    arguments: tuple[Argument, ...] = ()

    @property
    def memory(self) -> tuple[Parameter, ...]:
        """The arguments of the function inside of the module: the parameters, then the variables that it uses."""
        return (*self.parameters, *self.variables)


def element_bytes(element: str) -> int:
    """Bytes of an element in memory."""
    return _BYTES[element]


def signature_of(function: Any) -> Signature:
    """The signature of a `func.func` on tensors or memory; CompileError for a type that C cannot be given."""
    name = ir.StringAttr(function.attributes["sym_name"]).value
    kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    given = declared(function, len(kind.inputs)) or [("", f"arg{k}", ()) for k in range(len(kind.inputs))]
    taken = [_parameter(name, t, *c) for t, c in zip(kind.inputs, given, strict=True)]
    symbols = {k: s for k, s in argument_symbols(function).items() if isinstance(kind.inputs[k], ir.MemRefType)}
    parameters = [p for k, p in enumerate(taken) if k not in symbols]
    variables = tuple(replace(taken[k], name=symbol) for k, symbol in symbols.items())
    arrays = [t for t in kind.results if isinstance(t, ir.ShapedType)]
    scalars = tuple(_element(name, t) for t in kind.results if not isinstance(t, ir.ShapedType))
    if any(isinstance(t, ir.MemRefType) for t in arrays):
        raise CompileError(f"function '{name}' returns memory: only scalars and tensors can be returned")
    if len(scalars) > 1:
        raise CompileError(f"function '{name}' returns {len(scalars)} scalars: C returns one")
    outputs = [_parameter(name, t, "", f"result{k}", (), result=True) for k, t in enumerate(arrays)]
    sources = () if outputs else _arguments(function, len(parameters))
    if sources:
        paths = [ir.StringAttr(path).value for path in ir.ArrayAttr(function.attributes[C_PATHS])]
        parameters = [replace(p, path=path) for p, path in zip(parameters, paths, strict=True)]
    return Signature(name, (*parameters, *outputs), scalars, variables, arguments=sources)


def _arguments(function: Any, count: int) -> tuple[Argument, ...]:
    """What C passes to a function that takes structs, if it still has the parameters that were made of them."""
    attributes = function.attributes
    if C_ARGUMENTS not in attributes or C_PATHS not in attributes:
        return ()
    try:
        rows = [[ir.StringAttr(s).value for s in ir.ArrayAttr(row)] for row in ir.ArrayAttr(attributes[C_ARGUMENTS])]
        paths = [ir.StringAttr(path).value for path in ir.ArrayAttr(attributes[C_PATHS])]
        found = tuple(Argument(row[0], row[1], int(row[2]) if row[2:] else 0, tuple(row[3:])) for row in rows)
    except (ValueError, IndexError):
        return ()
    return found if len(paths) == count else ()


def _parameter(
    function: str, kind: Any, c_type: str, name: str, extents: tuple[str, ...], *, result: bool = False
) -> Parameter:
    if not isinstance(kind, ir.ShapedType):
        element = _element(function, kind)
        return Parameter(name, element, None, c_type or _c_type(kind))
    if not isinstance(kind, ir.MemRefType | ir.RankedTensorType):
        raise CompileError(f"function '{function}': {kind} cannot be passed from C")
    _plain_layout(function, kind)
    element = _element(function, kind.element_type)
    sizes: list[Extent] = [None if kind.is_dynamic_dim(d) else kind.get_dim_size(d) for d in range(kind.rank)]
    if extents:
        sizes = [text if size is None else size for text, size in zip(extents, sizes, strict=True)]
    return Parameter(name, element, tuple(sizes), c_type or _c_type(kind.element_type), result=result)


def _plain_layout(function: str, kind: Any) -> None:
    if isinstance(kind, ir.RankedTensorType) and kind.encoding is not None:
        raise CompileError(f"function '{function}': {kind} is not a plain row-major array")
    if isinstance(kind, ir.MemRefType):
        row_major = kind.affine_map == ir.AffineMap.get_identity(kind.rank)
        if not row_major or kind.memory_space is not None:
            raise CompileError(f"function '{function}': {kind} is not a plain row-major array")


def _element(function: str, kind: Any) -> str:
    """The element type inside of the module, where integers have no sign."""
    name = _UNSIGNED.sub(r"i\1", str(kind))
    if name not in C_TYPES:
        raise CompileError(f"function '{function}': the type {kind} cannot be passed from C")
    return name


def _c_type(kind: Any) -> str:
    return _UNSIGNED.sub(r"uint\1_t", str(kind)) if _UNSIGNED.fullmatch(str(kind)) else C_TYPES[str(kind)]


def _size(extent: Extent) -> str:
    return str(extent) if isinstance(extent, int) else "?"
