"""Which elements of its arrays a function accesses, asked before it is entered with sizes that only the call knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from math import prod
from typing import Any

import numpy as np

from raising.native.base.signature import Needed, Needs, Positions, Signature
from raising.native.base.unsupported import CallError, PositionError
from raising.native.call.python_function import CLOSER

_KNOWN = 256
"""Tuples of sizes that have been found right and are not looked at again."""


def size_name(number: int, dim: int | None) -> str:
    """The name of a size in texts for isl."""
    return f"n{number}" if dim is None else f"a{number}_{dim}"


def checker(signature: Signature, needs: Needs) -> Callable[[Sequence[Any]], None]:
    """A check of the arguments of a call: CallError if the function would leave one of its arrays."""

    @lru_cache(maxsize=_KNOWN)
    def fits(sizes: tuple[int, ...], shapes: tuple[tuple[int, ...], ...]) -> str:
        return _Call(signature, needs, sizes).complaint(shapes)

    if needs.unknown:
        return partial(_refuse, signature, needs)
    numbers = [each.number for each in needs.arrays] + [number for number, _ in needs.results]

    def check(values: Sequence[Any]) -> None:
        sizes = tuple(int(values[k]) if dim is None else values[k].shape[dim] for k, dim in needs.sizes)
        if complaint := fits(sizes, tuple(values[k].shape for k in numbers)):
            raise CallError(complaint)
        if complaint := _misplaced(signature, needs, values):
            raise PositionError(complaint)

    return check


def _refuse(signature: Signature, needs: Needs, _: Sequence[Any]) -> None:
    told = f"{signature.name}: what it accesses of its arrays is not known before it runs ({needs.unknown})"
    raise CallError(f"{told}; compile it with unchecked=True to call it all the same")


def _misplaced(signature: Signature, needs: Needs, values: Sequence[Any]) -> str:
    """Which position that is data lies outside of its array; empty if none does. All of an array's are looked at."""
    for each in needs.positions:
        places, extent = values[each.number], values[each.array].shape[each.dim]
        if not places.size:
            continue
        places = places.view(f"{'u' if each.unsigned else 'i'}{places.dtype.itemsize}")
        low, high = int(places.min()) + each.offset, int(places.max()) + each.offset
        if low < 0 or high >= extent:
            data, array = (signature.parameters[k].name for k in (each.number, each.array))
            where = f"position {low if low < 0 else high} along dimension {each.dim} of {array}"
            return f"{signature.name}: {data} has {where}, which has {extent} there"
    return ""


def looking_first(enter: Callable[..., Any], needs: Needs) -> Callable[..., Any]:
    """A function for calls such as `enter` takes, which gives CLOSER if a position may lie outside of its array.

    One comparison is enough for each: bits of a number that is less than 0 are those of one as large as its type has.
    """

    def call(*arguments: Any) -> Any:
        return enter(*arguments) if all(_inside(each, arguments) for each in needs.positions) else CLOSER

    return call


def _inside(each: Positions, arguments: Sequence[Any]) -> bool:
    """Whether positions are known to lie in their array; `enter` looks at the types of both, and at the shapes."""
    if each.offset < 0 or max(each.number, each.array) >= len(arguments):
        return False
    places, array = arguments[each.number], arguments[each.array]
    if type(places) is not np.ndarray or type(array) is not np.ndarray or array.ndim <= each.dim:
        return False
    if places.dtype.kind not in "iu" or not places.size:
        return False
    most = int(np.maximum.reduce(places.view(f"u{places.itemsize}"), None))
    return most >> 8 * places.itemsize - (not each.unsigned) == 0 and most + each.offset < array.shape[each.dim]


class _Call:
    """A call of a function with `sizes`, the values of `needs.sizes`."""

    def __init__(self, signature: Signature, needs: Needs, sizes: tuple[int, ...]) -> None:
        import islpy as isl  # takes a while, and is of use here only

        self.isl, self.signature, self.needs, self.sizes = isl, signature, needs, sizes
        names = [size_name(*size) for size in needs.sizes]
        self.parameters = f"[{', '.join(names)}] -> "
        self.known = " and ".join(f"{name} = {value}" for name, value in zip(names, sizes, strict=True)) or "true"
        self.given = isl.Set(f"{self.parameters}{{ : {self.known} }}")

    def complaint(self, shapes: tuple[tuple[int, ...], ...]) -> str:
        """What is wrong with the sizes or with an access; empty if nothing is."""
        arrays = len(self.needs.arrays)
        return self._wrong_result(shapes[arrays:]) or self._left_array(shapes[:arrays]) or self._misfit()

    def _wrong_result(self, shapes: Sequence[tuple[int, ...]]) -> str:
        for (number, forms), shape in zip(self.needs.results, shapes, strict=True):
            wanted = tuple(map(self._value, forms))
            if wanted != shape:
                name, texts = self.signature.parameters[number].name, ["x".join(map(str, s)) for s in (shape, wanted)]
                return f"{name}: the shape is {texts[0]}, not {texts[1]}"
        return ""

    def _left_array(self, shapes: Sequence[tuple[int, ...]]) -> str:
        for needed, shape in zip(self.needs.arrays, shapes, strict=True):
            elements = self.isl.Set(needed.set).intersect_params(self.given)
            if elements.is_empty():
                continue
            if needed.rows:
                elements = elements.apply(_flat(self.isl, list(map(self._value, needed.rows))))
            for dim, extent in enumerate(shape):
                low, high = (bound.to_python() for bound in (elements.dim_min_val(dim), elements.dim_max_val(dim)))
                if low < 0 or high >= extent:
                    return _outside(self.signature, needed, dim, low if low < 0 else high, shape) + self._at()
        return ""

    def _misfit(self) -> str:
        if not self.needs.wrong or self.isl.Set(self.needs.wrong).intersect(self.given).is_empty():
            return ""
        return f"{self.signature.name}: the sizes of its arguments do not fit together{self._at()}"

    def _value(self, form: str) -> int:
        """An extent as a form over sizes; 0 where it would be less."""
        found = self.isl.Set(f"{self.parameters}{{ [x] : x = {form} and {self.known} }}").dim_max_val(0)
        return max(0, int(found.to_python()))

    def _at(self) -> str:
        """The numbers among the arguments, for people."""
        pairs = zip(self.needs.sizes, self.sizes, strict=True)
        told = [f"{self.signature.parameters[k].name} = {value}" for (k, dim), value in pairs if dim is None]
        return f" ({', '.join(told)})" if told else ""


def _flat(isl: Any, inner: list[int]) -> Any:
    """From subscripts in rows, with these inner extents, to those of flat memory."""
    names = [f"d{k}" for k in range(len(inner) + 1)]
    terms = (f"{prod(inner[k:])} * {name}" for k, name in enumerate(names))
    return isl.Map(f"{{ [{', '.join(names)}] -> [{' + '.join(terms)}] }}")


def _outside(signature: Signature, needed: Needed, dim: int, subscript: int, shape: tuple[int, ...]) -> str:
    verb = "writes" if needed.writes else "reads"
    name = signature.parameters[needed.number].name
    subscripts = "".join(f"[{subscript}]" if d == dim else "[…]" for d in range(len(shape)))
    return f"{name}: {signature.name} {verb} {name}{subscripts}, the array has {'x'.join(map(str, shape))} elements"
