"""Pointers that point to the first element of their memory, as arrays of MLIR do.

C may use what lies in front of where a pointer points (`x[i - k]`, a delay line, a shift to the other side). If it is
known to be at most a number of elements, the parameter becomes a pointer to the first of these (`Array.lead`). That
none is used is assumed where the bounds of the loops do not say so. A length of a parameter's array says nothing to C:
that nothing behind it is used is assumed as well.

    before  for (i = s; i < n; i++) x[i] = y[i - 2];                            (of double x[100])
    after   x[i] = y'[i], with y' = y - 2; assumed: 'x' is not used in front of where it points, nor behind its length
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import parts
from raising.frontend.lower.ir.polynomial import Poly, is_data, isl_text
from raising.frontend.lower.ir.types import LONG
from raising.frontend.lower.passes.delinearise import inner_facts

MOST = 1024  # rows or elements in front of where a pointer points
_Unknown = list[tuple[tp.Read | tp.Write, Poly, Facts]]
Found = dict[tuple[str, Poly], tp.Assumption]


def with_first_elements(function: tp.Function, whole: frozenset[str]) -> tp.Function:
    """The function, with what is assumed of positions in memory that a pointer points to; `Refused` if that fails.

    Parameters in `whole` are arrays, which are as long as they say.
    """
    known = function.facts.with_forms(form for a in function.assumptions for c in a.conds for form in c.forms)
    unknown = list(_unknown(function, _first, function.body, known))
    leads = {name: lead for name in {node.array for node, *_ in unknown} if (lead := _lead(function, name, unknown))}
    found: Found = {}
    for node, form, _ in (one for one in unknown if one[0].array not in leads):
        if form.constant is not None:
            raise Refused(node.loc, f"'{node.array}' is used in front of where it points")
        text = f"'{node.array}' is not used in front of where it points"
        found.setdefault((node.array, form), tp.Assumption(node.loc, text, ranges=(tp.Range(form, 0, LONG.range[1]),)))
    behind: Found = {}
    for node, form, _ in _unknown(function, _behind(function, whole), function.body, known):
        text = f"'{node.array}' is not used behind the length that it is declared with"
        behind.setdefault((node.array, form), tp.Assumption(node.loc, text, ranges=(tp.Range(form, 0, LONG.range[1]),)))
    found_out = replace(function, assumptions=(*function.assumptions, *_of_arrays(found), *_of_arrays(behind)))
    return _moved(found_out, leads) if leads else found_out


def _lead(function: tp.Function, name: str, unknown: _Unknown) -> int:
    """How many rows in front of where it points a parameter is used, if that is known; else 0."""
    path = next(p.path for p in function.parameters if p.name == name)
    asked = [(form, known) for node, form, known in unknown if node.array == name]
    if not (path.isdigit() or path.endswith("*")) or not _elements(function.arrays[name]):
        return 0
    if not any(_is_in_front(function, form) for form, _ in asked):
        return 0  # it may be where sizes are as the source has them
    if not all(known.proves(form + MOST) for form, known in asked):
        return 0
    return bisect_left(range(MOST), True, key=lambda lead: all(known.proves(form + lead) for form, known in asked))


def _is_in_front(function: tp.Function, form: Poly) -> bool:
    """Whether a position is negative in the first or last iterations of all loops, at all sizes."""
    linear = {str(mono[0]): c for mono, c in form.terms if len(mono) == 1}
    name = next((name for name in linear if name in function.bounds), None)
    if name is None:
        return form.constant is not None and form.constant < 0
    lower, upper = function.bounds[name]
    return _is_in_front(function, form.substitute({name: lower[0] if linear[name] > 0 else upper[0] - 1}))


def _elements(array: tp.Array) -> int:
    """The elements of a row, if that is a number; of memory that is used as many things, 0."""
    rows = [form.constant if form is not None else None for form in array.shape[1:]]
    return 0 if array.row else math.prod(extent or 0 for extent in rows)


def _moved(function: tp.Function, leads: Mapping[str, int]) -> tp.Function:
    """The function with parameters that point to the first rows that are used."""

    def moved(node: tp.Node) -> tuple[tp.Node, ...]:
        if isinstance(node, tp.Read | tp.Write) and node.array in leads:
            first, *others = node.subscripts
            return (replace(node, subscripts=(first + leads[node.array], *others)),)
        return (node,)

    arrays = {n: replace(a, lead=leads[n] * _elements(a)) if n in leads else a for n, a in function.arrays.items()}
    parameters = [
        replace(p, path=f"{p.path}+-{arrays[p.name].lead_bytes}") if p.name in leads else p for p in function.parameters
    ]
    return replace(function, arrays=arrays, parameters=tuple(parameters), body=tp.map_nodes(function.body, moved))


def _of_arrays(found: Found) -> Iterator[tp.Assumption]:
    """One assumption for each array."""
    for name in dict.fromkeys(array for array, _ in found):
        mine = [one for (array, _), one in found.items() if array == name]
        yield replace(mine[0], ranges=tuple(r for one in mine for r in one.ranges))


def _first(node: tp.Read | tp.Write) -> Poly | None:
    """The first position of an access."""
    return node.subscripts[0]


def _behind(function: tp.Function, whole: frozenset[str]) -> Callable[[tp.Read | tp.Write], Poly | None]:
    """How far the first position of an access is from the last one that an array is declared with, if it is."""
    own = {p.name for p in function.parameters if p.path.isdigit()} - whole

    def distance(node: tp.Read | tp.Write) -> Poly | None:
        length = function.arrays[node.array].shape[0] if node.array in own else None
        return None if length is None else length - 1 - node.subscripts[0]

    return distance


def _unknown(
    function: tp.Function, of: Callable[[tp.Read | tp.Write], Poly | None], nodes: tuple[tp.Node, ...], known: Facts
) -> Iterator[tuple[tp.Read | tp.Write, Poly, Facts]]:
    """The accesses of which a form is not known to be at least 0, and what is known there."""
    for node in nodes:
        if isinstance(node, tp.Read | tp.Write) and node.subscripts and function.arrays[node.array].kind == "parameter":
            form = of(node)
            if form is not None and not is_data(form) and not known.proves(form) and not _never(form, known):
                yield node, form, known
        for part, inside in zip(parts(node), inner_facts(node, known), strict=True):
            yield from _unknown(function, of, part, inside)


# ---- where a proof by single facts is not found -----------------------------------------------------


def _never(form: Poly, known: Facts) -> bool:
    """Whether no integers meet the linear facts and make a linear form negative."""
    facts = [fact for fact in known.forms if fact.is_linear]
    if not form.is_linear:
        return False
    import islpy  # loaded only where it is asked

    names = sorted({name for one in (form, *facts) for name in one.names()})
    ids = {name: f"x{k}" for k, name in enumerate(names)}
    conds = " and ".join(f"{isl_text(one, ids)} >= 0" for one in (*facts, -form - 1))
    return bool(islpy.Set(f"{{ [{', '.join(ids.values())}] : {conds} }}").is_empty())
