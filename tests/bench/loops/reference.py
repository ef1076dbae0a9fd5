"""A function of the corpus as its language has it, and as MLIR: both called on the same values."""

from __future__ import annotations

import ast
import re
import runpy
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from raising.frontend.c import COptions
from raising.frontend.c import convert as convert_c
from raising.frontend.lower.ir.module import SourceFunction, SourceModule
from raising.frontend.mlir.reader import parse
from raising.frontend.python import convert as convert_python
from raising.support.element_types import NUMPY
from raising.validate.native.foreign_call import Compiled
from tests.bench.loops.corpus import HEADERS, Function
from tests.c.gcc import Library

C_TYPES = {
    "float": "float32", "double": "float64", "int": "int32", "unsigned": "uint32", "long": "int64", "short": "int16",
    "unsigned char": "uint8", "signed char": "int8", "size_t": "uint64", "bool": "bool", "void": "void",
    "unsigned short": "uint16", "uint8_t": "uint8", "int64_t": "int64", "int32_t": "int32", "uint32_t": "uint32",
    "int8_t": "int8", "int16_t": "int16", "uint16_t": "uint16",
}  # fmt: skip
PYTHON_TYPES = {"int": "int64", "float": "float64"}
_TYPED = re.compile(r"([\w ]+?)\s*(\**)\s*(?:restrict)?\s*(\w+)((?:\[[^]]*\])*)")


class Source:
    """A function of C or Python: read, and to be called as its language does."""

    def __init__(self, function: Function, library: Library | None) -> None:
        self.function, self.library = function, library
        where = str(function.path.name)
        if function.path.suffix == ".c":
            self.module: SourceModule = convert_c(HEADERS + function.text, where, COptions(function=function.name))
        else:
            self.module = convert_python(function.text, where, function.name)

    def declared(self) -> dict[str, str]:
        """The parameters in their order, with NumPy's names of their types."""
        if self.function.path.suffix == ".py":
            found = re.findall(
                r'(\w+): "?(\w+)', self.function.text[self.function.text.index(f"def {self.function.name}(") :]
            )
            return {name: PYTHON_TYPES.get(kind, kind) for name, kind in found[: len(self.signature.parameters)]}
        head = self.function.text[self.function.text.index(f"{self.function.name}(") :].split("(", 1)[1]
        depth, end = 1, 0
        while depth:
            depth += {"(": 1, ")": -1}.get(head[end], 0)
            end += 1
        found = {}
        for part in re.sub(r"\[[^]]*\]", "[]", head[: end - 1]).split(","):
            matched = _TYPED.fullmatch(part.replace("const", "").strip())
            assert matched, part
            found[matched[3]] = C_TYPES[matched[1].strip()]
        return found

    @property
    def signature(self) -> SourceFunction:
        """What was read."""
        return next(f for f in self.module.functions if f.name == self.function.name)

    def arguments(self, sizes: dict[str, int], seed: int) -> dict[str, Any]:
        """Values of all parameters."""
        found = {}
        for name, kind in self.declared().items():
            if name in sizes:
                value = np.dtype(kind).type(sizes[name])
                found[name] = np.array([value]) if name in self.function.addressed else value
            elif self.function.path.suffix == ".c" and name not in self.function.arrays and self._is_pointer(name):
                found[name] = self.function.values(name, kind, sizes, seed).reshape(1)
            else:
                found[name] = self.function.values(name, kind, sizes, seed)
        return found

    def _is_pointer(self, name: str) -> bool:
        return bool(re.search(rf"\*\s*(restrict\s+)?{name}\b", self.function.text.split("{", 1)[0]))

    def called(self, values: Mapping[str, Any]) -> list[Any]:
        """What the arrays hold after a call in the source's language, and what is returned."""
        after = {k: np.copy(v) if np.ndim(v) else v for k, v in values.items()}
        if self.library is None:
            result = _python(self.function)(**after)
            return [*(v for v in after.values() if np.ndim(v)), *([] if result is None else [np.asarray(result)])]
        head = self.function.text.split(f"{self.function.name}(", 1)[0].rsplit("\n", 1)[-1].strip()
        returns = C_TYPES[head.removeprefix("static ").strip()]
        found = self.library.call(self.function.name, [*after.values()], None if returns == "void" else returns)
        return [v for v in found[: len(after)] if np.ndim(v)] + found[len(after) :]

    def raised(self, compiled: Compiled, values: Mapping[str, Any]) -> list[Any]:
        """The same of what was raised."""
        numbers = {
            k: int(np.ravel(v)[0]) for k, v in values.items() if np.size(v) == 1 and np.asarray(v).dtype.kind in "iu"
        }
        passed, arrays = [], []
        told = self._told()
        for parameter, slot in zip(self.signature.parameters, compiled.signature.arguments, strict=True):
            value = values[parameter.name]
            if slot.shape is None:
                arrays += [np.copy(value)] if np.ndim(value) else []  # passed by address
                passed.append(np.asarray(value).item())
                continue
            array = np.copy(value)
            arrays.append(array)
            shape = told.get(parameter.name) or parameter.shape or ()
            passed.append(_shaped(array, slot.shape, shape, numbers).view(NUMPY[slot.element]))
        results = compiled.call(passed).results
        return [*arrays, *map(np.asarray, results)]

    def _told(self) -> dict[str, tuple[str, ...]]:
        """The extents of the parameters as C's expressions over others."""
        found = re.search(rf"@{self.function.name}\(.*c_parameters = (\[.*?\]\])", self.module.mlir)
        return {row[1]: tuple(row[2:]) for row in ast.literal_eval(found[1])} if found else {}


def _shaped(array: Any, wanted: tuple[int | None, ...], told: tuple[str, ...], numbers: dict[str, int]) -> Any:
    """A flat array in the shape that the front end found."""
    if array.ndim == len(wanted) and array.ndim != 1:
        return array
    extents = [w if w is not None else _extent(t, numbers) for w, t in zip(wanted, told, strict=True)]
    rest = int(np.prod([max(e, 0) for e in extents if e is not None]))
    shape = [(array.size // rest if rest else 0) if e is None else max(e, 0) for e in extents]
    return np.reshape(np.ravel(array)[: int(np.prod(shape))], shape)


def _extent(told: str, numbers: dict[str, int]) -> int | None:
    try:
        text = told.replace(" floordiv ", "//").replace(" / ", "//")
        return None if told == "?" else int(eval(text, {}, dict(numbers)))  # noqa: S307
    except NameError:
        return None


_MODULES: dict[str, dict[str, Any]] = {}


def _python(function: Function) -> Any:
    if function.text not in _MODULES:
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(function.text)
            file.flush()
            _MODULES[function.text] = runpy.run_path(file.name)
    return _MODULES[function.text][function.name]


class Module:
    """A function of an MLIR file, lowered by MLIR; what it returns lives on the heap, so that it can be read."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.compiled = Compiled(_on_heap(str(parse(function.text, functions=False).module)), function.name, 0)
        signature = function.text[function.text.index("@" + function.name) :]
        self.names = re.findall(r"%(\w+)\s*:", signature[: signature.index("{")])

    def arguments(self, sizes: dict[str, int], seed: int) -> dict[str, Any]:
        """Values of all parameters."""
        found: dict[str, Any] = {}
        for name, slot in zip(self.names, self.compiled.signature.arguments, strict=True):
            kind = "int64" if slot.element == "index" else NUMPY[slot.element]
            found[name] = (
                np.dtype(kind).type(sizes[name]) if name in sizes else self.function.values(name, kind, sizes, seed)
            )
        return found

    def called(self, values: Mapping[str, Any]) -> list[Any]:
        """What arrays hold after a call, and what is returned."""
        return self.raised(self.compiled, values)

    def raised(self, compiled: Compiled, values: Mapping[str, Any]) -> list[Any]:
        """The same of what was raised."""
        after = [
            np.copy(v) if np.ndim(v) or slot.shape == () else v.item()
            for v, slot in zip(values.values(), compiled.signature.arguments, strict=True)
        ]
        results = compiled.call(after).results
        return [*(v for v in after if isinstance(v, np.ndarray)), *map(np.asarray, results)]


def _on_heap(text: str) -> str:
    return text.replace("memref.alloca(", "memref.alloc(")
