"""Choices of which both sides are the same wherever they are made, so that nothing depends on the condition.

A flag that is 0 or 1 is 1 where it is not 0: what is set anew in every iteration needs no earlier one of them then. And
where the condition of a choice is that its two sides are equal, or differ, one of the sides is always chosen.

before  in = select (in != 0), in, 1          after  in = 1
        last = select (x[i] != last), x[i], last     last = x[i]
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from raising.affine.ir.integer_functions import INTEGERS
from raising.affine.ir.integer_types import signed, unsigned, wrapped
from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.nodes import definitions, map_nodes, used_values, walk
from raising.frontend.lower.passes.unswitching import renumbered

MOST = 4
"""Values of a variable, at most, that are tried one by one."""
LARGEST = 64
"""Nodes, at most, that a value is followed through."""
_Values = frozenset[int] | None
_Made = Mapping[int, tp.Definition]
_OPERATION = re.compile(r"(\w+\.\w+)(?: (\w+),)?.* : (i\d+|index)(?: to (i\d+|index))?$")
_COMPARISON = re.compile(r"arith\.cmpi (eq|ne),")


def with_known_choices(function: tp.Function) -> tp.Function:
    """The function without such choices of integers."""
    made = definitions(function.body)
    chosen = {n.dst: n for n in made.values() if isinstance(n, tp.Let) and _is_choice(n)}
    cells = _values_of_cells(function, made) if chosen else {}
    same = {number: side for number, node in chosen.items() if (side := _side(node, made, cells)) is not None}
    if not same:
        return function
    for number in same:
        while same[number] in same:
            same[number] = same[same[number]]
    body = map_nodes(function.body, lambda n: () if isinstance(n, tp.Let) and n.dst in same else (n,))
    result = None if function.result is None else same.get(function.result, function.result)
    return replace(function, body=renumbered(body, same), result=result)


def _is_choice(node: tp.Let) -> bool:
    return node.text.startswith("arith.select ") and bool(re.fullmatch(r"i\d+", node.type))


def _side(node: tp.Let, made: _Made, cells: Mapping[str, frozenset[int]]) -> int | None:
    """The side that a choice always is; None if there is none."""
    cond, *sides = node.args
    asked = made.get(cond)
    found = _COMPARISON.match(asked.text) if isinstance(asked, tp.Let) else None
    if isinstance(asked, tp.Let) and found and set(sides) in (set(asked.args), _narrow(asked.args, made)):
        return node.args[2 if found[1] == "eq" else 1]
    tables = list(_tables(node.dst, made, cells)) if cells else []
    for side in sides:
        pairs = [(table.get(node.dst), table.get(side)) for table in tables]
        if pairs and all(one == two and one is not None and len(one) == 1 for one, two in pairs):
            return side
    return None


def _narrow(values: tuple[int, ...], made: _Made) -> set[int]:
    """Values before all of them were given more bits in the same way; none if they were not."""
    nodes = [made.get(value) for value in values]
    longer = [n for n in nodes if isinstance(n, tp.Let) and n.text.startswith(("arith.extsi", "arith.extui"))]
    return {n.args[0] for n in longer} if len(longer) == len(values) and len({n.text for n in longer}) == 1 else set()


def _values_of_cells(function: tp.Function, made: _Made) -> dict[str, frozenset[int]]:
    """The values that each variable is given, of those for which they are few."""
    writes = [n for n in walk(function.body) if isinstance(n, tp.Write) and function.arrays[n.array].kind == "cell"]
    cells: dict[str, _Values] = {n.array: frozenset() for n in writes}
    before: dict[str, _Values] = {}
    while cells != before:
        before = dict(cells)
        for node in writes:
            known = {cell: values for cell, values in cells.items() if values is not None}
            for table in _tables(node.value, made, known):
                old, more = cells[node.array], table.get(node.value)
                cells[node.array] = None if old is None or more is None else _few(old | more)
    return {cell: values for cell, values in cells.items() if values is not None}


def _tables(value: int, made: _Made, cells: Mapping[str, frozenset[int]]) -> Iterator[dict[int, _Values]]:
    """What a value and those that it is computed from may be, for each value of the variables that they read."""
    nodes = _computing(value, made)
    reads = {n.dst: cells[n.array] for n in nodes if isinstance(n, tp.Read) and n.array in cells}
    for values in product(*reads.values()) if len(reads) <= 2 else ():
        table: dict[int, _Values] = {number: frozenset({n}) for number, n in zip(reads, values, strict=True)}
        for node in nodes:
            table.setdefault(node.dst, _evaluated(node, table) if isinstance(node, tp.Let) else None)
        yield table
    if len(reads) > 2:
        yield {}


def _computing(value: int, made: _Made) -> list[tp.Definition]:
    """The nodes that a value is computed from, in order; none if they are too many."""
    waiting, seen = [value], set[int]()
    while waiting and len(seen) < LARGEST:
        number = waiting.pop()
        if number in made and number not in seen:
            seen.add(number)
            waiting += used_values(made[number])
    return [made[number] for number in sorted(seen)] if not waiting else []


def _evaluated(node: tp.Let, table: Mapping[int, _Values]) -> _Values:
    """The numbers that an integer may be, as many as `MOST`; None for more."""
    every = frozenset({0, 1}) if node.type == "i1" else None
    word = node.text.removeprefix("arith.constant ").split()[0]
    if word != node.text.split()[0]:
        number = {"true": 1, "false": 0}.get(word)
        if number is None and node.type.startswith("i"):
            number = wrapped(int(word), node.type)
        return every if number is None else frozenset({number})
    found, args = _OPERATION.match(node.text), [table.get(arg) for arg in node.args]
    if found is None:
        return every
    if found[1] == "arith.select":
        sides = [args[1 if cond else 2] for cond in args[0] or (0, 1)]
        return None if None in sides else _few(frozenset().union(*(side for side in sides if side is not None)))
    known = [arg for arg in args if arg is not None]
    results = {_result(found, node.type, numbers) for numbers in product(*known)} if len(known) == len(args) else {None}
    return every if None in results else _few(frozenset(r for r in results if r is not None))


def _few(values: frozenset[int]) -> _Values:
    return values if len(values) <= MOST else None


def _result(found: re.Match[str], kind: str, args: tuple[int, ...]) -> int | None:
    """What an operation on integers gives; None if it is one that is not known, or that may have no result."""
    name, predicate, of = found[1], found[2], found[3]
    if name == "arith.cmpi":
        numbers = [unsigned(arg, of) if predicate[0] == "u" else signed(arg, of) for arg in args]
        return int(getattr(operator, predicate[-2:])(*numbers))
    row = INTEGERS.get(name)
    if row is None or row.of_width or row.division or row.shift:
        return None
    return wrapped(row.exact(*(unsigned(arg, of) if row.unsigned else signed(arg, of) for arg in args)), kind)
