"""Fields that are read once, at the start of a function: where they lie is passed, too, so that a test can ask for it.

What is written through a pointer may change such a field, if the pointer points to it. Who tests that at run time has
to know its address.

    before  parameters n = p->n, x; assumed: what is written through 'x' does not change 'n'
    after   parameters n = p->n, x, n_at = &p->n; the same, if 'x' and 'n_at' lie apart
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.lower.ir import nodes as tp

_COUNTED = "~"


def with_places_of_fields(function: tp.Function) -> tp.Function:
    """The function with a parameter for the place of what is assumed not to change: fields, and pointers to them."""
    kept = {name for assumption in function.assumptions for _, name in assumption.kept}
    fresh, arrays, parameters = tp.Fresh(function), dict(function.arrays), [*function.parameters]
    places: dict[str, str] = {}
    names: dict[str, tuple[str, ...]] = {}
    for field in (p for p in function.parameters if p.name in kept and _COUNTED not in p.path):
        for path, element in field.read_from:
            if path not in places:
                name = places[path] = fresh.name(f"{field.name}_at")
                arrays[name] = tp.Array(name, element, (None,), "place", field.loc)
                parameters.append(tp.Parameter(name, element, field.loc, None, path))
        names[field.name] = tuple(places[path] for path, _ in field.read_from)
    assumptions = tuple(_tested(assumption, names) for assumption in function.assumptions)
    return replace(function, parameters=tuple(parameters), arrays=arrays, assumptions=assumptions)


def without_places(function: tp.Function) -> tp.Function:
    """The function without parameters for places, which only tests ask for."""
    places = {name for name, array in function.arrays.items() if array.kind == "place"}
    parameters = tuple(p for p in function.parameters if p.name not in places)
    arrays = {name: array for name, array in function.arrays.items() if name not in places}
    return replace(function, parameters=parameters, arrays=arrays) if places else function


def _tested(assumption: tp.Assumption, names: dict[str, tuple[str, ...]]) -> tp.Assumption:
    if not assumption.kept or not names.keys() >= {name for _, name in assumption.kept}:
        return assumption
    return replace(assumption, apart=tuple((array, name) for array, field in assumption.kept for name in names[field]))
