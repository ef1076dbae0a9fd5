"""Which elements of its arrays a function accesses, asked before it is entered with sizes that only the call knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from math import prod
from typing import Any

from raising.native.base.signature import Needed, Needs, Signature
from raising.native.base.unsupported import CallError

_KNOWN = 256
"""Tuples of sizes that have been found right and are not looked at again."""


def size_name(number: int, dim: int | None) -> str:
    """The name of a size in texts for isl."""
    return f"n{number}" if dim is None else f"a{number}_{dim}"


def checker(signature: Signature, needs: Needs) -> Callable[[Sequence[Any]], None]:
    """A check of the arguments of a call: CallError if the function would leave one of its arrays."""

    @lru_cache(maxsize=_KNOWN)
    def fits(sizes: tuple[int, ...], shapes: tuple[tuple[int, ...], ...]) -> str:
        return _complaint(signature, needs, sizes, shapes)

    if needs.unknown:
        return partial(_refuse, signature, needs)
    numbers = [each.number for each in needs.arrays] + [number for number, _ in needs.results]

    def check(values: Sequence[Any]) -> None:
        sizes = tuple(int(values[k]) if dim is None else values[k].shape[dim] for k, dim in needs.sizes)
        complaint = fits(sizes, tuple(values[k].shape for k in numbers)) or _misplaced(signature, needs, values)
        if complaint:
            raise CallError(complaint)

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


def _complaint(signature: Signature, needs: Needs, sizes: tuple[int, ...], shapes: tuple[tuple[int, ...], ...]) -> str:
    """A message about the access that is out of bounds at these sizes; empty if there is none."""
    import islpy as isl  # takes a while, and is of use here only

    names = [size_name(*size) for size in needs.sizes]
    values = ", ".join(f"{name} = {value}" for name, value in zip(names, sizes, strict=True))
    given = isl.Set(f"[{', '.join(names)}] -> {{ : {values.replace(', ', ' and ') or 'true'} }}")
    for (number, forms), shape in zip(needs.results, shapes[len(needs.arrays) :], strict=True):
        wanted = tuple(_value(isl, form, names, sizes) for form in forms)
        if wanted != shape:
            texts = ("x".join(map(str, each)) for each in (shape, wanted))
            return "{}: the shape is {}, not {}".format(signature.parameters[number].name, *texts)
    for needed, shape in zip(needs.arrays, shapes, strict=False):
        elements = isl.Set(needed.set).intersect_params(given)
        if elements.is_empty():
            continue
        if needed.rows:
            elements = elements.apply(_flat(isl, [_value(isl, form, names, sizes) for form in needed.rows]))
        for dim, extent in enumerate(shape):
            low, high = (bound.to_python() for bound in (elements.dim_min_val(dim), elements.dim_max_val(dim)))
            if low < 0 or high >= extent:
                return _outside(signature, needed, dim, low if low < 0 else high, shape) + _at(signature, needs, sizes)
    if needs.wrong and not isl.Set(needs.wrong).intersect(given).is_empty():
        return f"{signature.name}: the sizes of its arguments do not fit together{_at(signature, needs, sizes)}"
    return ""


def _flat(isl: Any, inner: list[int]) -> Any:
    """From subscripts in rows, with these inner extents, to those of flat memory."""
    names = [f"d{k}" for k in range(len(inner) + 1)]
    terms = (f"{prod(inner[k:])} * {name}" for k, name in enumerate(names))
    return isl.Map(f"{{ [{', '.join(names)}] -> [{' + '.join(terms)}] }}")


def _value(isl: Any, form: str, names: list[str], sizes: tuple[int, ...]) -> int:
    known = " and ".join(f"{name} = {value}" for name, value in zip(names, sizes, strict=True)) or "true"
    found = isl.Set(f"[{', '.join(names)}] -> {{ [x] : x = {form} and {known} }}").dim_max_val(0)
    return max(0, int(found.to_python()))


def _outside(signature: Signature, needed: Needed, dim: int, subscript: int, shape: tuple[int, ...]) -> str:
    verb = "writes" if needed.writes else "reads"
    name = signature.parameters[needed.number].name
    subscripts = "".join(f"[{subscript}]" if d == dim else "[…]" for d in range(len(shape)))
    return f"{name}: {signature.name} {verb} {name}{subscripts}, the array has {'x'.join(map(str, shape))} elements"


def _at(signature: Signature, needs: Needs, sizes: tuple[int, ...]) -> str:
    """The numbers among the arguments, for people."""
    pairs = zip(needs.sizes, sizes, strict=True)
    told = [f"{signature.parameters[k].name} = {value}" for (k, dim), value in pairs if dim is None]
    return f" ({', '.join(told)})" if told else ""
