"""Variables of modules, which are arguments of functions when these are read: the same ones at the same positions."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from raising.affine.ir.affine_expr import const
from raising.affine.ir.program import Array, Compute, IndexValue, Load, Node, Program, Store, walk
from raising.affine.ir.rewriting import rewritten
from raising.support.record import dataclass
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
# between them says nothing: there may be no contents with which these values come about. Where the positions are
# arguments, what is read is an input; where they are computed, it is an unknown function of them.

PREFIX = "g"
LOOKUP = "lookup "
_CHANGES = "what is read at positions that are data changes, or is computed"


def gathered_names(source: Side, target: Side) -> tuple[dict[str, str], dict[str, str]]:
    """New names of the gathered arrays of both sides; `Unreadable` if what they read may change."""
    numbers: dict[Hashable, str] = {}
    found = []
    for side in (source, target):
        given = _given(side)
        arrays = side.program.arrays
        if not all(a.gathered.bases <= given.keys() | arrays.keys() for a in arrays.values() if a.gathered is not None):
            raise Unreadable(_CHANGES)
        gathers = (name for name, array in arrays.items() if array.gathered is not None)
        keys = {name: _key(side.program, name, given) for name in gathers}
        found.append({name: numbers.setdefault(key, f"{PREFIX}{len(numbers)}") for name, key in keys.items()})
    return found[0], found[1]


def _given(side: Side) -> dict[str, int]:
    """The arguments that a function does not change, and their places."""
    return {name: k for k, name in enumerate(side.arguments) if name and k not in side.written}


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
    """Whether values of a pair's program are read at positions that are data."""
    looked_up = (isinstance(node, Compute) and node.op.startswith(LOOKUP) for node in walk(program.body))
    return any(name.startswith(PREFIX) for name in program.arrays) or any(looked_up)


def with_lookups(side: Side) -> Side:
    """A function with what it reads at positions that it computes, or in a table of constants of its own, as functions
    of the positions; each of them is named after the table. `Unreadable` if a table may change.
    """
    program, given = side.program, _given(side)
    gathers = {name: array.gathered for name, array in program.arrays.items() if array.gathered is not None}
    computed = {name for name, what in gathers.items() if not what.bases <= given.keys() | gathers.keys()}
    if not computed:
        return side
    tables = {name: f"argument {k}" for name, k in given.items()} | _constants(program)
    body = rewritten(program.body, _Lookups(program, computed, tables).nodes)
    arrays = {name: array for name, array in program.arrays.items() if name not in computed}
    return replace(side, program=replace(program, arrays=arrays, body=body))


@dataclass(frozen=True)
class _Lookups:
    """Puts an operation on positions in place of each load of one of the `computed` arrays."""

    program: Program
    computed: set[str]
    tables: dict[str, str]

    def nodes(self, node: Node) -> tuple[Node, ...]:
        """What computes the same as a node."""
        if not isinstance(node, Load) or node.array not in self.computed:
            return (node,)
        array = self.program.arrays[node.array]
        what = array.gathered
        if what is None or what.array not in self.tables or array.element == "i1":
            raise Unreadable(_CHANGES)
        place = [s + low for s, low in zip(node.subscripts, what.low, strict=True)]
        kept = len(place) - what.forms.count(None)
        names = frozenset().union(*(form.names() for form in what.forms if form is not None))
        by_place = [p for d, p in enumerate(place) if d >= kept or f"d{d}" in names]
        read: list[Load | IndexValue] = [
            Load(f"{node.dst}_at{k}", name, tuple(place[d] for d in at), node.loc)
            for k, (name, _, at) in enumerate(what.positions)
        ]
        read += [IndexValue(f"{node.dst}_by{k}", form, "index", node.loc) for k, form in enumerate(by_place)]
        signs = " ".join(str(unsigned) for _, unsigned, _ in what.positions)
        op = f"{LOOKUP}{self.tables[what.array]} at {', '.join(map(str, what.forms))} {signs}"
        found = Compute(node.dst, op, tuple(n.dst for n in read), (), array.element, node.loc)
        return (*(n for each in read for n in self.nodes(each)), found)


def _constants(program: Program) -> dict[str, str]:
    """The contents of each memory of its own to which a program stores constants alone, before it is read."""
    found: dict[str, dict[str, str]] = {}
    read, changed = set[str](), set[str]()
    for node in program.body:
        number = program.scalars.get(node.value) if isinstance(node, Store) else None
        if isinstance(node, Store) and number is not None and number.literal is not None and node.array not in read:
            found.setdefault(node.array, {})[str(node.subscripts)] = number.literal
            continue
        for inner in walk((node,)):
            if isinstance(inner, Load):
                what = program.arrays[inner.array].gathered
                read |= {inner.array} if what is None else what.bases
            elif isinstance(inner, Store):
                changed.add(inner.array)
    own = {name for name in found.keys() - changed if program.arrays[name].kind == "local"}
    return {name: f"of {program.arrays[name].element} {sorted(found[name].items())}" for name in own}
