"""The tools of the front ends: C or Python as core, as a typed program, and as affine MLIR."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from raising.frontend.c.c_to_mlir import convert as c_to_mlir
from raising.frontend.c.read_c import read_c
from raising.frontend.core.statement_nodes import Function, Unit
from raising.frontend.lower.from_core.function_to_typed import lower
from raising.frontend.lower.jumps.early_exits import without_early_exits
from raising.frontend.lower.jumps.exchanged_pointers import with_pointers_back
from raising.frontend.lower.jumps.exits_as_flags import with_exits_as_flags
from raising.frontend.lower.jumps.extreme_places import with_places_apart
from raising.frontend.lower.jumps.flag_exits import with_flags_as_exits
from raising.frontend.lower.jumps.forward_gotos import gotos_as_breaks, unused_labels_dropped, without_gotos
from raising.frontend.lower.jumps.without_jumps import without_jumps
from raising.frontend.lower.known.state import Budget, Choices
from raising.frontend.lower.passes.delinearise import delinearised
from raising.frontend.lower.passes.exact_quotients import with_exact_quotients
from raising.frontend.lower.passes.first_elements import with_first_elements
from raising.frontend.lower.passes.flat_loops import with_rows
from raising.frontend.lower.passes.if_conversion import selected
from raising.frontend.lower.passes.known_choices import with_known_choices
from raising.frontend.lower.passes.mem2reg import promoted
from raising.frontend.lower.passes.places_of_fields import with_places_of_fields
from raising.frontend.lower.passes.small_arrays import taken_apart
from raising.frontend.lower.passes.stored_positions import with_stored_positions
from raising.frontend.lower.passes.unsigned_sizes import with_sizes_of_memory
from raising.frontend.lower.passes.unswitching import unswitched
from raising.frontend.python.python_to_mlir import convert as python_to_mlir
from raising.frontend.python.read_python import read_python
from tests.frontend.core.core_text import function_text as core_text
from tests.frontend.lower.typed_text import function_text

Options = tuple[tuple[str, dict[str, str]], ...]


def _body(change: Callable[[Any], Any]) -> Callable[[Unit, Function], Any]:
    return lambda unit, function: replace(function, body=change(function.body or ()))


JUMPS: dict[str, Callable[[Unit, Function], Any]] = {
    "with-pointers-back": lambda unit, function: with_pointers_back(function),
    "gotos-as-breaks": _body(gotos_as_breaks),
    "without-gotos": _body(without_gotos),
    "unused-labels-dropped": _body(unused_labels_dropped),
    "with-flags-as-exits": lambda unit, function: with_flags_as_exits(function),
    "with-exits-as-flags": lambda unit, function: with_exits_as_flags(function),
    "without-early-exits": without_early_exits,
    "with-places-apart": lambda unit, function: with_places_apart(unit, function, True),
    "without-jumps": lambda unit, function: without_jumps(unit, function, True)[1:],
}
"""Rewrites of functions of the core; some give what they assume, too."""

TYPED: dict[str, Callable[[Any], Any]] = {
    "delinearised": delinearised,
    "with-rows": with_rows,
    "with-stored-positions": lambda function: with_stored_positions(function, frozenset(), True),
    "with-exact-quotients": with_exact_quotients,
    "taken-apart": taken_apart,
    "selected": selected,
    "with-first-elements": lambda function: with_first_elements(function, frozenset()),
    "with-places-of-fields": with_places_of_fields,
    "with-sizes-of-memory": with_sizes_of_memory,
    "promoted": promoted,
    "unswitched": unswitched,
    "with-known-choices": with_known_choices,
}
"""Passes over typed programs."""

_WHERE = re.compile(r' loc\((?:"[^"]*"\()?#loc\d+\)?\)')


def _unit(text: str, file: str) -> Unit:
    return read_python(text, file).unit if file.endswith(".py") else read_c(text, file)


def _functions(unit: Unit) -> list[Function]:
    return [f for f in unit.routines.values() if f.body is not None and f.external]


def core(text: str, file: str, options: Options) -> str:
    """The functions in the core, after the rewrites that are named, and what these assume."""
    unit = _unit(text, file)
    lines = []
    for function in _functions(unit):
        assumed: list[Any] = []
        for name, _ in options:
            found = JUMPS[name](unit, function)
            function, more = found if isinstance(found, tuple) else (found, ())
            assumed += more
        lines += [core_text(function), *(f"assumed {each.text}" for each in assumed)]
    return "\n".join(lines) + "\n"


def typed(text: str, file: str, options: Options) -> str:
    """The functions as typed programs, lowered and after the passes that are named."""
    unit = _unit(text, file)
    lines = []
    stored = ("with-stored-positions", {}) in options
    for function in _functions(unit):
        made = lower(unit, function, Budget(), Choices(naming=True, splitting=True, computed=stored))
        for name, _ in options:
            made = TYPED[name](made)
        lines += [f"function {function.name}(", function_text(made)]
    return "\n".join(lines) + "\n"


def affine(text: str, file: str, options: Options) -> str:
    """The functions as affine MLIR, then what is assumed of each and what was refused."""
    made = python_to_mlir(text, file) if file.endswith(".py") else c_to_mlir(text, file)
    said = [f"refused {refused.reason}" for refused in made.refused]
    return "\n".join([_WHERE.sub("", made.mlir), *said]) + "\n"
