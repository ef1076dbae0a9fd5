"""The variables of a file: which of them a module can have, and their text in it.

A variable keeps its linkage, its first contents and its identity: what the module does with it, and what stays in C
does, is done to the same memory. Where that cannot be, the functions that use it are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from math import prod

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.traverse import inside, nodes_of, statements
from raising.frontend.lower.emit.text import Locations
from raising.frontend.lower.from_core.initial_bytes import constants, outside_of_functions, record_spelled
from raising.frontend.lower.from_core.named_variables import MAX_INITIAL
from raising.frontend.lower.from_core.parameters.record_parameters import FILE, file_variable
from raising.frontend.lower.ir.module import Refused, check_name
from raising.frontend.lower.ir.nodes import Function
from raising.frontend.lower.ir.polynomial import const
from raising.frontend.lower.ir.types import Number, extents, scalar_of
from raising.frontend.lower.known.resolved_types import resolved
from raising.frontend.lower.known.state import State
from raising.support.graphs import reachable
from raising.support.record import dataclass

_ALIGNED = 16
"""Bytes from which on an array starts at a multiple of as many (System V ABI, AMD64, 3.1.2)."""


@dataclass
class Variables:
    """The variables of a file as a module needs them.

    `inside` are functions that the module has. What they use is defined in it if the file defines it; `weak` if other
    functions stay in C, with which the file's own object defines it, too. A module that is `joined` with that object
    may use static variables that others use.
    """

    unit: st.Unit
    inside: frozenset[str]
    joined: bool = False
    _texts: dict[str, tuple[str, str, str]] = field(default_factory=dict)

    @property
    def left(self) -> frozenset[str]:
        """The functions that stay in C and can run: those that others can call, and what these mention."""
        stay = {n: f for n, f in self.unit.routines.items() if f.body is not None and n not in self.inside}
        starts = [name for name, f in stay.items() if not is_hidden(f)]
        starts += [n for node in self.unit.globals.values() for n in _mentioned_by(node.initial)]
        return frozenset(reachable(starts, lambda n: mentioned(stay[n]) if n in stay else ())) & stay.keys()

    def obstacle(self, name: str) -> Refused | None:
        """Why the module cannot have a variable, if it cannot."""
        try:
            self.text(name, Locations())
        except Refused as error:
            return error
        node = self.unit.globals[name]
        if node.external or self.joined:
            return None
        loc, source = node.variable.loc, node.variable.source
        for other in sorted(self.left):
            if name in mentioned(self.unit.routines[other]):
                return Refused(loc, f"static variable '{source}' is shared with '{other}', which stays in C")
        for other, holder in self.unit.globals.items():
            if name in _mentioned_by(holder.initial):
                return Refused(loc, f"the address of static variable '{source}' is in '{other}'")
        return None

    def shaped(self, function: Function) -> Function:
        """The function with the shapes that its variables of the file have; `Refused` for those that have none."""
        arrays = dict(function.arrays)
        for name, array in arrays.items():
            if array.kind == "global":
                *extents, _ = _spelled(self.unit, self.unit.globals[name])[0].removeprefix("memref<").split("x")
                arrays[name] = replace(array, shape=tuple(const(int(extent)) for extent in extents))
        return replace(function, arrays=arrays)

    def text(self, name: str, locations: Locations) -> str:
        """The declaration of a variable in the module; `Refused` for one that it cannot have."""
        node = self.unit.globals[name]
        loc, source = node.variable.loc, node.variable.source
        if node.variable.storage == "thread":
            raise Refused(loc, f"variable '{source}' belongs to a thread, or is atomic")
        check_name(name, loc)
        if name not in self._texts:
            self._texts[name] = _spelled(self.unit, node)
        kind, initial, attributes = self._texts[name]
        contents = f" = dense<{initial}>" if node.defined else ""
        weak = ", raise.weak" if node.defined and self.left and node.external else ""
        linkage = "public" if node.external else "private"
        constant = " constant" if node.variable.constant and node.defined else ""
        head = f'  memref.global "{linkage}"{constant} @{name} : {kind}{contents} {{{attributes}{weak}}}'
        return head + locations.of(loc)


def is_hidden(function: st.Function) -> bool:
    """Whether nobody outside of the file can call a function."""
    return function.inline or not function.external


def mentioned(function: st.Function) -> set[str]:
    """The variables and functions that a function mentions."""
    body = function.body or ()
    called = {s.callee for s in statements(body) if isinstance(s, st.Call) and isinstance(s.callee, str)}
    return called | {node.name for node in nodes_of(body) if isinstance(node, ex.Name | ex.RoutineName)}


def _mentioned_by(initial: ex.Initial | None) -> set[str]:
    nodes = () if initial is None else inside(initial)
    return {node.name for node in nodes if isinstance(node, ex.Name | ex.RoutineName)}


# ---- types and contents -----------------------------------------------------------------------------


def _spelled(unit: st.Unit, node: st.Global) -> tuple[str, str, str]:
    """A variable's type, its first contents between `dense<` and `>`, and attributes."""
    variable, loc = node.variable, node.variable.loc
    if isinstance(core_types.innermost(variable.type), core_types.Record):
        return record_spelled(unit, node)
    state = outside_of_functions(unit, variable)
    what = f"variable '{variable.source}'"
    try:
        t = resolved(state, variable.type, loc)
    except Refused:
        raise Refused(loc, f"{what} is a pointer or a struct") from None
    element, shape = scalar_of(t), tuple(None if e is None else e.constant for e in extents(t))
    if element is None:
        raise Refused(loc, f"{what} is a pointer or a struct")
    if any(extent is None for extent in shape):
        raise Refused(loc, f"{what} is an array without a length")
    known = tuple(extent for extent in shape if extent is not None)
    kind = f"memref<{''.join(f'{extent}x' for extent in known)}{element.mlir}>"
    attributes = f'c_type = "{variable.numbers or element.c}"'
    if known and prod(known) * element.width >= 8 * _ALIGNED:
        attributes = f"alignment = {_ALIGNED} : i64, {attributes}"
    return kind, _contents(state, node, element, known, what), attributes


def _contents(state: State, node: st.Global, element: Number, shape: tuple[int, ...], what: str) -> str:
    zero, loc = "0.0" if element.is_float else "0", node.variable.loc
    if not node.defined:
        return zero
    if node.initial is None:
        raise Refused(loc, f"a first value of {what} is not a constant number")
    given = dict(build.listed(node.initial))
    if len(given) > MAX_INITIAL:
        raise Refused(loc, f"{what} has more than {MAX_INITIAL} initial values")
    if not given:
        return zero
    if prod(shape) > MAX_INITIAL:
        raise Refused(loc, f"{what} has initial values and more than {MAX_INITIAL} elements")
    texts = constants(state, list(given.values()), element, what)
    return _nested(dict(zip(given, texts, strict=True)), shape, (), zero)


def _nested(values: dict[tuple[int, ...], str], shape: tuple[int, ...], at: tuple[int, ...], zero: str) -> str:
    if len(at) == len(shape):
        return values.get(at, zero)
    return f"[{', '.join(_nested(values, shape, (*at, k), zero) for k in range(shape[len(at)]))}]"


def used_in(functions: Iterable[Function]) -> Iterator[str]:
    """The variables that functions use, each once."""
    names = [a.name for f in functions for a in f.arrays.values() if a.kind == "global"]
    names += [file_variable(p.path) for f in functions for p in f.parameters if p.path.startswith(FILE)]
    return iter(dict.fromkeys(names))


def exported(unit: st.Unit) -> list[str]:
    """The variables that a file defines for others."""
    return [name for name, node in unit.globals.items() if node.defined and node.external]
