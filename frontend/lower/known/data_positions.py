"""Subscripts that are data: `x[idx[i]]`, `table[tok[i] * d + j]`.

An integer that is read from memory is a name in a subscript, as a loop variable is (`%5`). Only a load may have such a
name in its subscripts, and only where that integer is known: `only_in_loads` says so of a lowered function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import Int
from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.module import AtData
from raising.frontend.lower.ir.nodes import definitions, forms_of, is_loaded, parts, source_of, substituted, walk
from raising.frontend.lower.ir.polynomial import MARK, Poly, const, is_data, values_in
from raising.frontend.lower.ir.types import LONG
from raising.frontend.lower.known.numbers_as_data import index
from raising.frontend.lower.known.state import State
from raising.frontend.lower.known.typed_values import Data, Sym, Value
from raising.support.source import Loc

_RING = ("add", "sub", "mul")
_SURE = 32
"""Bits of integers that are taken not to wrap around: narrower ones (of NumPy) do, and are positions all the same."""


def position(state: State, node: ex.Expr) -> Value:
    """An index as it is, or over integers that are data: as they lie in memory, or (`state.choices.computed`) any."""
    value = state.value(node)
    if state.choices.literal or not isinstance(value, Data) or value.type.kind != "int":
        return value
    form = _form(state, node)
    return value if form is None else Sym(form, LONG)


def _form(state: State, node: ex.Expr) -> Poly | None:
    if isinstance(node, ex.Convert) and isinstance(node.type, Int) and _widens(node):
        return _form(state, node.operand)
    if isinstance(node, ex.Binary) and node.op in _RING and isinstance(node.type, Int):
        left, right = _form(state, node.left), _form(state, node.right)
        if left is None or right is None or (node.wraps and node.type.width < _SURE):
            return None
        _stays(state, node)
        return left + right if node.op == "add" else left - right if node.op == "sub" else left * right
    value = state.value(node)
    if isinstance(value, Sym):
        return value.form
    if (
        not isinstance(value, Data)
        or value.type.kind != "int"
        or not (state.choices.computed or isinstance(node, ex.Load))
    ):
        return None
    found = index(state, value, node.loc)
    if (span := state.spans.get(value.id)) is not None:
        state.in_spans += [found - span[0], const(span[1]) - found]
    return found


def _widens(node: ex.Convert) -> bool:
    """Whether a conversion keeps every value; one to 64 bits without sign does where the result is a position."""
    old = node.operand.type
    if not isinstance(old, Int) or not isinstance(node.type, Int):
        return False
    (low, high), (least, most) = old.range, node.type.range
    return (least <= low and high <= most) or node.type.width >= 64


def _stays(state: State, node: ex.Binary) -> None:
    if node.wraps:
        width = node.type.width if isinstance(node.type, Int) else 0
        assume(state, f"unsigned integers of {width} bits do not wrap around", node.loc)


def assume(state: State, text: str, loc: Loc) -> None:
    """Assume what nothing can test before the loops run."""
    if not state.trial:
        state.assumptions.append(tp.Assumption(loc, text))


def only_in_loads(function: tp.Function) -> tp.Function:
    """The function; `Refused` if an integer that is data is needed elsewhere, or is not known there."""
    for node, known in _with_known(function.body, set()):
        for form in forms_of(node):
            wanted = set(values_in(form))
            if wanted and (not isinstance(node, tp.Read) or not wanted <= known):
                raise AtData(node.loc)
    return function


def at_known_positions(function: tp.Function) -> tp.Function:
    """The function with numbers in subscripts that are data, but always the same number."""
    made = definitions(function.body)
    numbers = {f"{MARK}{dst}": const(n) for dst in made if (n := _number(dst, made)) is not None}
    return replace(function, body=substituted(function.body, numbers))


def _number(value: int, made: Mapping[int, tp.Node]) -> int | None:
    """The constant that a value is, perhaps in more bits or as an index, if it is at least 0."""
    node = source_of(value, made)
    found = _CONSTANT.fullmatch(node.text) if isinstance(node, tp.Let) else None
    return int(found[1]) if found else None


_CONSTANT = re.compile(r"arith\.constant (\d+) : (?:i\d+|index)")


def first_computed_position(function: tp.Function) -> Loc | None:
    """Where a subscript is an integer that is data and does not lie in memory, but for its width, or lies in memory
    that the loops around it write; None if none is."""
    made, changing = definitions(function.body), _changing(function.body)
    at_data = ((read.loc, value) for read in _reads(function) for f in read.subscripts for value in values_in(f))
    lying = ((loc, is_loaded(value, made, function.arrays), source_of(value, made)) for loc, value in at_data)
    return next((loc for loc, is_there, read in lying if not is_there or id(read) in changing), None)


def _changing(nodes: tuple[tp.Node, ...]) -> set[int]:
    """The reads of what the outermost loop around them writes."""
    found: set[int] = set()
    for node in nodes:
        if isinstance(node, tp.For):
            inside = [*walk((node,))]
            written = {n.array for n in inside if isinstance(n, tp.Write)}
            found |= {id(n) for n in inside if isinstance(n, tp.Read) and n.array in written}
        else:
            found = found.union(*map(_changing, parts(node)))
    return found


def uncertain_places(function: tp.Function) -> Iterator[Loc]:
    """Where a position is computed of data, or is assumed to be what nothing can test, and where a branch stays."""
    if (computed := first_computed_position(function)) is not None:
        yield computed
    untold = {a.loc for a in function.assumptions if not (a.conds or a.apart or a.ranges)}
    yield from (read.loc for read in _reads(function) if read.loc in untold and any(map(is_data, read.subscripts)))
    yield from (loc for loc, _ in function.branches)


def _reads(function: tp.Function) -> Iterator[tp.Read]:
    return (node for node in walk(function.body) if isinstance(node, tp.Read))


def _with_known(nodes: tuple[tp.Node, ...], known: set[int]) -> Iterator[tuple[tp.Node, set[int]]]:
    """Every node with the values that are known before it."""
    known = set(known)
    for node in nodes:
        yield node, known
        if isinstance(node, tp.Definition):
            known.add(node.dst)
        for body in parts(node):
            yield from _with_known(body, known)
