"""Variables of modules, which are arguments of functions when these are read: the same ones at the same positions."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from raising.affine.ir.affine_expr import const
from raising.affine.ir.program import Array, Program
from raising.validate.base.unreadable import Unreadable
from raising.validate.reading.function_body import SlotType
from raising.validate.reading.reading import Side


def aligned(source: Side, target: Side) -> tuple[Side, Side]:
    """Two functions with the same variables in the same order, behind their other arguments.

    One that only one of them uses is an array that the other one leaves alone. `Unreadable` if a variable has not the
    same type or contents in both modules.
    """
    if source.variables == target.variables == {}:
        return source, target
    known = _slots(source)
    for symbol, slot in _slots(target).items():
        if known.setdefault(symbol, slot)[0] != slot[0]:
            raise Unreadable(f"variable '{symbol}' is of another type in the other file")
        if known[symbol][1] and slot[1] and known[symbol][1] != slot[1]:
            raise Unreadable(f"variable '{symbol}' begins with other contents in the other file")
    types = {symbol: slot[0] for symbol, slot in known.items()}
    return _with(source, types), _with(target, types)


def _slots(side: Side) -> dict[str, tuple[SlotType, str]]:
    """The type and the first contents of each variable."""
    return {symbol: (side.types[k], contents) for k, (symbol, contents) in side.variables.items()}


def _with(side: Side, types: dict[str, SlotType]) -> Side:
    """A function with these variables in this order."""
    own = [k for k in range(len(side.types)) if k not in side.variables]
    places = {symbol: k for k, (symbol, _) in side.variables.items()}
    arrays, names, order = dict(side.program.arrays), dict[str, str](), dict[int, int]()
    for number, symbol in enumerate(types, start=len(own)):
        if symbol in places:
            names[symbol], order[places[symbol]] = side.arguments[places[symbol]], number
        else:
            element, shape = types[symbol]
            name = names[symbol] = f"variable.{symbol}"
            arrays[name] = Array(name, element, tuple(const(e) for e in shape or () if e is not None), "argument")
    written = frozenset(order.get(k, k) for k in side.written)
    arguments = (*(side.arguments[k] for k in own), *names.values())
    kinds = (*(side.types[k] for k in own), *types.values())
    program = replace(side.program, arrays=arrays)
    return replace(side, program=program, arguments=arguments, types=kinds, written=written)


# ---- what is read at positions that are data
#
# It is compared as a value that nobody knows: two programs that are equal whatever it is are equal. A difference
# between them says nothing: there may be no contents with which these values come about.

PREFIX = "g"


def gathered_names(source: Side, target: Side) -> tuple[dict[str, str], dict[str, str]]:
    """New names of the gathered arrays of both sides; `Unreadable` if what they read may change."""
    numbers: dict[Hashable, str] = {}
    found = []
    for side in (source, target):
        given = {name: k for k, name in enumerate(side.arguments) if name and k not in side.written}
        gathers = {a.name for a in side.program.arrays.values() if a.gathered is not None}
        names = {}
        for array in side.program.arrays.values():
            if array.gathered is not None:
                if not array.gathered.bases <= given.keys() | gathers:
                    raise Unreadable("what is read at positions that are data changes, or is computed")
                key = _key(side.program, array.name, given)
                names[array.name] = numbers.setdefault(key, f"{PREFIX}{len(numbers)}")
        found.append(names)
    return found[0], found[1]


def _key(program: Program, name: str, given: dict[str, int]) -> Hashable:
    """A key for what a gathered array stands for, with arguments by their positions."""
    what = program.arrays[name].gathered
    if what is None:
        return given[name]
    positions = tuple((_key(program, array, given), unsigned, at) for array, unsigned, at in what.positions)
    return _key(program, what.array, given), positions, what.forms


def as_inputs(program: Program) -> Program:
    """The program with its gathered arrays as arguments."""
    arrays = {
        n: a if a.gathered is None else replace(a, kind="argument", gathered=None) for n, a in program.arrays.items()
    }
    return replace(program, arrays=arrays)


def gathers(program: Program) -> bool:
    """Whether inputs of a pair's program are gathered."""
    return any(name.startswith(PREFIX) for name in program.arrays)
