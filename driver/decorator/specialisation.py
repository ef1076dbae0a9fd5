"""Code of a function for some types of arguments: whether a call fits, and the call."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raising.decorator.call_types import COMPLEX, Pattern, fits, shapes_of
from raising.decorator.settings import Settings
from raising.decorator.size_forms import evaluated, failing, parsed
from raising.native.base.target import target_for
from raising.native.base.unsupported import CallError
from raising.native.call.compiled import NativeFunction, load
from raising.native.call.python_function import CLOSER
from raising.support.errors import InputError
from raising.support.source import Loc

_PARTS = {np.dtype(name): np.dtype(part) for name, part in COMPLEX.items()}
_PYTHON: dict[str, type] = {"float64": float, "int64": int, "bool": bool, "complex128": complex}


class Specialisation:
    """Loaded code, for extents that are as `pattern` says; `built` is what `build_code` made, texts included."""

    def __init__(self, names: Sequence[str], pattern: Pattern, built: Mapping[str, Any], settings: Settings) -> None:
        self.names, self.pattern, self.built = names, pattern, built
        self.threads, self.fp = settings.threads, settings.fp
        code, signatures, libraries = built["code"]
        loaded = load(code, signatures, target_for(threads=self.threads), libraries)
        (function,) = loaded.functions.values()
        assert isinstance(function, NativeFunction)
        self.function = function
        self._extents = [list(map(parsed, extents)) for _, _, extents in built["results"]]
        self._dtypes = [np.dtype(dtype) for _, dtype, _ in built["results"]]
        self._places = {name: k for k, name in enumerate(names)}
        self._boxed = {name: _maker(*kind) for name, kind in built["boxed"].items()}
        self._number = _maker(*built["number"]) if built["number"] else None
        self._failures: Sequence[tuple[str, int, int, str]] = built.get("failures", ())

    # ---- calls -------------------------------------------------------------------------------------

    def sizes(self, values: Sequence[Any]) -> dict[str, int]:
        """The values of the sizes in which the extents of results and the assumptions are given."""
        told = {size: values[self._places[array]].shape[dim] for size, (array, dim) in self.built["sizes"].items()}
        numbers = {n: int(v) for n, v in zip(self.names, values, strict=True) if _is_integer(v)}
        return {**told, **numbers}

    def complaint(self, values: Sequence[Any]) -> Mapping[str, Any] | None:
        """Which assumption does not hold for the arguments; None if all do.

        The code takes extents of its results not to be negative, as those of any array that it is given.
        """
        sizes = self.sizes(values)
        for (name, _, _), extents in zip(self.built["results"], self._extents, strict=True):
            if any(evaluated(e, sizes) < 0 for e in extents):
                return {"where": self.built["place"], "text": f"array '{name}' has no negative length"}
        return failing(self.built["assumed"], sizes)

    def fits(self, values: Sequence[Any]) -> bool:
        """Whether the code is right for these arguments, whose types it has."""
        return fits(self.pattern, shapes_of(values)) and self.complaint(values) is None

    def __call__(self, values: Sequence[Any]) -> Any:
        """Call the code; arrays that are not as it needs them are copied, and copied back if they are written."""
        given = [self._as_needed(k, v) for k, v in enumerate(values)]
        pairs = enumerate(zip(values, given, strict=True))
        copied = [k for k, (v, g) in pairs if _is_array(v) and v.size and g.ctypes.data != v.ctypes.data]
        self._check_overlap(values, copied)
        results = self._results(self.sizes(values))
        if self._failures:
            given, results = [_roomy(v) for v in given], [_roomy(v) for v in results]
        number = self._run([*given, *map(_signed, results)])
        for k in copied:
            if self.function.signature.parameters[k].written:
                values[k][...] = given[k].view(values[k].dtype.newbyteorder("=")).reshape(values[k].shape)
        if self._failures and (failed := results[-1][0]):
            self._fail(*self._failures[failed - 1])
        return self._returned(values, results, number)

    def _run(self, given: Sequence[Any]) -> Any:
        """Run the code; its errors name parameters and results as the source does."""
        try:
            return self.function(*given)
        except CallError as error:
            names = [*self.names, *(name for name, _, _ in self.built["results"])]
            raise type(error)(re.sub(r"\barg(\d+)\b", lambda m: names[int(m[1])], str(error))) from None

    def _fail(self, file: str, line: int, column: int, reason: str) -> None:
        where = Loc(file, line, column)
        if not reason:
            raise IndexError(f"{where}: a subscript lies outside of its array")
        raise InputError(where, f"these arguments do not fit: it is needed that {reason}")

    def _results(self, sizes: Mapping[str, int]) -> list[NDArray[Any]]:
        shapes = [[evaluated(e, sizes) for e in extents] for extents in self._extents]
        return [np.empty(shape, dtype) for shape, dtype in zip(shapes, self._dtypes, strict=True)]

    def _returned(self, values: Sequence[Any], results: Sequence[Any], number: Any) -> Any:
        names = self.built["returns"]
        if names is None:
            return number if self._number is None or number is None else self._number(number)
        known = dict(zip(self.names, values, strict=True))
        for (name, _, _), array in zip(self.built["results"], results, strict=True):
            known[name] = self._boxed[name](array[0]) if name in self._boxed else array
        return known[names[0]] if len(names) == 1 else tuple(known[n] for n in names[:-1])

    def _as_needed(self, number: int, value: Any) -> Any:
        """An argument as the code takes it."""
        parameter = self.function.signature.parameters[number]
        if parameter.shape is None:
            return _signed(value) if isinstance(value, np.generic) and not parameter.unsigned else value
        if parameter.written and not value.flags.writeable:
            raise CallError(f"argument '{self.names[number]}' is read-only, but the function writes to it")
        native = value.dtype.newbyteorder("=")
        if value.flags.c_contiguous and value.flags.aligned and value.dtype.isnative:
            return _signed(value.view(np.ndarray))
        return _signed(np.array(value, native, order="C", subok=False))

    def _check_overlap(self, values: Sequence[Any], copied: Sequence[int]) -> None:
        """CallError if an array that is written shares memory with another one or has two elements in the same place,
        where a copy would hide that.
        """
        if not copied:
            return
        arrays = [(k, v) for k, v in enumerate(values) if _is_array(v)]
        written = {k for k, _ in arrays if self.function.signature.parameters[k].written}
        for k in written.intersection(copied):
            if _may_overlap_itself(values[k]):
                raise CallError(f"argument '{self.names[k]}' has elements that overlap in memory, and is written")
        for (i, a), (j, b) in combinations(arrays, 2):
            if (i in written or j in written) and (i in copied or j in copied) and np.shares_memory(a, b):
                one, other = self.names[i], self.names[j]
                raise CallError(f"arguments '{one}' and '{other}' overlap in memory, and one of them is written")

    # ---- the quick way -----------------------------------------------------------------------------

    def quickly(self, values: Sequence[Any]) -> Callable[..., Any] | None:
        """A function for calls with arguments such as these, which gives CLOSER for others; None if there is none."""
        arrays = self._results(self.sizes(values))
        given = [*values, *arrays]
        if self._failures and not all(v.size for v in given if _is_array(v)):
            return None
        passed = [_as_passed(v) for v in given]
        dtypes = [getattr(v, "dtype", None) for v in passed]
        if any(isinstance(v, np.generic) for v in passed) or not all(d is None or d.isnative for d in dtypes):
            return None
        enter = self.function.quick_for(passed, dtypes)
        if enter is None:
            return None
        changed = [(k, type(v)) for k, v in enumerate(given) if passed[k] is not v or type(v) is bool]  # not 0 and 1
        if changed:
            enter = _changing(enter, changed)
        makers = [(r.shape, r.dtype) for r in arrays]
        if not makers and self.built["returns"] is None:
            return enter if self._number is None else _converting(enter, self._number)
        alone = self.built["returns"] == [r[0] for r in self.built["results"]] and not self._boxed
        empty, finish, failing = np.empty, self._returned, bool(self._failures)

        def call(*arguments: Any) -> Any:
            results = [empty(shape, dtype) for shape, dtype in makers]
            if (number := enter(*arguments, *results)) is CLOSER:
                return CLOSER
            if failing and (failed := results[-1][0]):
                self._fail(*self._failures[failed - 1])
            return results[0] if alone else finish(arguments, results, number)

        return call


def _changing(enter: Callable[..., Any], changed: Sequence[tuple[int, type]]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        given = list(arguments)
        for k, kind in changed:
            if type(given[k]) is not kind:
                return CLOSER
            given[k] = _as_passed(given[k])
        return enter(*given)

    return call


def _as_passed(value: Any) -> Any:
    """An argument as code looks at it: numbers of NumPy's as Python's, complex numbers in memory as pairs of numbers.

    Those without a sign stay, and are looked at closely: code has other numbers for them.
    """
    if isinstance(value, np.generic):
        return value.item() if value.dtype.kind in "if" else value
    return _signed(value) if _is_array(value) and value.dtype in _PARTS and value.flags.c_contiguous else value


def _converting(enter: Callable[..., Any], number: Callable[[Any], Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        found = enter(*arguments)
        return found if found is CLOSER else number(found)

    return call


def _maker(dtype: str, weak: bool) -> Callable[[Any], Any]:
    """A function that converts a number to a type of NumPy's, or of Python's own."""
    if weak:
        return _PYTHON[dtype]
    made: Callable[[Any], Any] = np.dtype(dtype).type
    if dtype.startswith("uint"):
        return lambda number: made(int(number) % (1 << 8 * np.dtype(dtype).itemsize))
    return made


def _signed(value: Any) -> Any:
    """The bits of unsigned integers and truth values as the signed ones that code has for them; others as they are."""
    if value.dtype.kind == "c":
        return value.view(_PARTS[value.dtype]).reshape(*value.shape, 2)
    if value.dtype.kind in "ub":
        value = value.view(f"i{value.dtype.itemsize}")
    return value if isinstance(value, np.ndarray) else value.item()


def _roomy(value: Any) -> Any:
    """An array without elements as one in memory of one: code that looks at accesses reads there, and uses it not."""
    return np.zeros(1, value.dtype)[:0].reshape(value.shape) if _is_array(value) and not value.size else value


def _may_overlap_itself(array: NDArray[Any]) -> bool:
    """Whether elements may lie in the same memory: a step is shorter than all that shorter ones reach."""
    reach = array.itemsize
    for step, extent in sorted((abs(s), e) for s, e in zip(array.strides, array.shape, strict=True) if e > 1):
        if step < reach:
            return True
        reach += step * (extent - 1)
    return False


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _is_integer(value: Any) -> bool:
    return type(value) is int or isinstance(value, np.integer)
