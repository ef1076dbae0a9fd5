"""If-conversion: branches on data become selections, where both sides may be evaluated.

A side may be evaluated if it has no loops and touches only memory that is known to be there: within a known extent,
touched on the other path, too, or read between two elements that are touched in any case; all fields of a struct are
there if one is. Of a parameter whose length is not told it is assumed that it is as long as another array which is
touched at the same position in any case. An integer divisor is 1 where its side is not taken. What lives on one side
only is written in any case. Other branches stay branches.

    before  choose %6                     after  %8 = x[i]
              x[i] = %7                          %9 = select %6, %7, %8
                                                 x[i] = %9
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from itertools import groupby

from raising.affine.ir.integer_functions import DIVISIONS
from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.nodes import definitions, parts, used_values, walk, with_parts
from raising.frontend.lower.ir.polynomial import Poly, const
from raising.frontend.lower.passes.delinearise import inner_facts
from raising.frontend.lower.passes.touched_memory import Touched, between, certain, within
from raising.support.record import dataclass
from raising.support.source import Loc

_Place = tuple[str, tuple[Poly, ...]]
_Record = tuple[str, tuple[Poly | None, ...], tuple[Poly, ...]]
_Plain = tp.Let | tp.IndexOf | tp.Read | tp.Write
_TRAPS = tuple(DIVISIONS)


def selected(function: tp.Function, lengths: bool = True) -> tp.Function:
    """The function with the branches that can be selections turned into them; `lengths` of arrays may be assumed."""
    worker = _Selecting(function, lengths)
    body = worker.block(function.body, function.facts, frozenset())
    stay = {n.loc for n in walk(body) if isinstance(n, tp.Choose)}
    branches = tuple((loc, why) for loc, why in worker.why.items() if loc in stay)
    new = tuple(a for places, a in worker.assumed if not places & stay)
    return replace(function, body=body, branches=branches, assumptions=(*function.assumptions, *new))


def may_trap(node: tp.Let, constants: Mapping[int, str]) -> bool:
    """Whether there are operands that an operation has no value for; `constants` are values that are, as text."""
    return node.text.startswith(_TRAPS) and constants.get(node.args[1], "0") in ("0", "-1")


def divided_by_choices(function: tp.Function) -> int:
    """The number of divisions whose divisor is a selection, as for a branch side that may not be taken."""
    lets = {n.dst: n for n in walk(function.body) if isinstance(n, tp.Let)}
    by = (lets.get(n.args[1]) for n in lets.values() if n.text.startswith(_TRAPS))
    return sum(one is not None and one.text.startswith("arith.select ") for one in by)


@dataclass
class _Side:
    """One side of a branch: what it computes, and what it leaves at each place."""

    nodes: list[tp.Node] = field(default_factory=list)
    final: dict[_Place, int] = field(default_factory=dict)
    renamed: dict[int, int] = field(default_factory=dict)
    assumed: list[tp.Assumption] = field(default_factory=list)

    def of(self, value: int) -> int:
        return self.renamed.get(value, value)


class _Selecting:
    def __init__(self, function: tp.Function, lengths: bool) -> None:
        self.lengths = lengths
        self.assumed: list[tuple[set[Loc], tp.Assumption]] = []  # each with the branch that needs it
        self.arrays: dict[str, tp.Array] = function.arrays
        self.records = {p.name: p.path for p in function.parameters if p.value is None and self.arrays[p.name].row > 1}
        nodes = list(walk(function.body))
        self.fresh = tp.Fresh(function)
        self.why: dict[Loc, str] = {}  # why a branch stays one, by its place
        self.constants = {n.dst: n.text.split()[1] for n in nodes if isinstance(n, tp.Let) and "constant" in n.text}

    def block(self, nodes: tuple[tp.Node, ...], facts: Facts, touched: frozenset[Touched]) -> tuple[tp.Node, ...]:
        """The nodes of a block; `touched` is memory that is accessed whenever the block runs."""
        touched |= certain(nodes)
        out: list[tp.Node] = []
        for node in nodes:
            inside = zip(parts(node), inner_facts(node, facts), strict=True)
            there = within(node, touched)
            node = with_parts(node, tuple(self.block(part, known, there) for part, known in inside))
            replaced = self._replaced(node, facts, touched) if isinstance(node, tp.Choose) else None
            out += [node] if replaced is None else replaced
            if replaced is not None:
                touched |= certain(tuple(replaced))
        return tuple(out)

    def _replaced(self, node: tp.Choose, facts: Facts, touched: frozenset[Touched]) -> list[tp.Node] | None:
        """A branch as selections, those of its loops inside of them; None if some branch of it must stay."""
        if not any(isinstance(inner, tp.For | tp.If) for inner in (*node.then, *node.orelse)):
            return self._converted(node, facts, touched)
        pieces = [*_inside(node, node.then, True), *_inside(node, node.orelse, False)]
        found = self.block(tuple(pieces), facts, touched)
        stays = any(isinstance(inner, tp.Choose) for inner in walk(found))
        used = {value for inner in walk(found) for value in used_values(inner)}
        made, kept = (definitions(tuple(nodes)).keys() for nodes in (pieces, found))
        return None if stays or not made & used <= kept else list(found)

    def _converted(self, node: tp.Choose, facts: Facts, touched: frozenset[Touched]) -> list[tp.Node] | None:
        sides = [self._side(node, taken, facts, touched) for taken in (True, False)]
        if sides[0] is None or sides[1] is None:
            return None
        then, orelse = sides[0], sides[1]
        places = list(dict.fromkeys([*then.final, *orelse.final]))
        if any(not _distinct(a, b) for k, a in enumerate(places) for b in places[:k]):
            self.why.setdefault(node.loc, "its sides may write to the same place")
            return None
        self.assumed += [({node.loc}, each) for each in (*then.assumed, *orelse.assumed)]
        out = [*then.nodes, *orelse.nodes]
        for where in places:
            if where[0] in node.own:  # nobody asks what it holds where its side is not taken
                out.append(tp.Write(*where, {**then.final, **orelse.final}[where], node.loc))
                continue
            before = None if where in then.final and where in orelse.final else self._read(where, node, out)
            values = [side.final.get(where, before) for side in (then, orelse)]
            out.append(tp.Write(*where, self._select(node, values, where[0], out), node.loc))
        return out

    def _read(self, where: _Place, node: tp.Choose, out: list[tp.Node]) -> int:
        number = self.fresh.number()
        out.append(tp.Read(number, *where, node.loc))
        return number

    def _select(self, node: tp.Choose, values: list[int | None], array: str, out: list[tp.Node]) -> int:
        yes, no = values
        assert yes is not None and no is not None
        t = self.arrays[array].element.mlir
        number = self.fresh.number()
        text, args = f"arith.select {{0}}, {{1}}, {{2}} : {t}", (node.cond, yes, no)
        if t == "i1" and self.constants.get(yes) == "true":
            text, args = "arith.ori {0}, {1} : i1", (node.cond, no)  # type: ignore[assignment]
        elif t == "i1" and self.constants.get(no) == "false":
            text, args = "arith.andi {0}, {1} : i1", (node.cond, yes)  # type: ignore[assignment]
        out.append(tp.Let(number, text, args, t, node.loc))
        return number

    # ---- one side ----------------------------------------------------------------------------------

    def _side(self, choice: tp.Choose, taken: bool, facts: Facts, touched: frozenset[Touched]) -> _Side | None:
        """A side taken apart, or None if it must not be evaluated when it is not chosen."""
        side = _Side()
        for node in choice.then if taken else choice.orelse:
            why = ""
            if not isinstance(node, _Plain):
                why = "there is a loop or another branch in it"
            elif not self._harmless(node, facts, touched) and not self._as_long(node, facts, touched, side):
                why = self._ends(node)
            elif not self._take(self._divided(node, choice, taken, side), side):
                why = "it may use one place in two ways"
            if why:
                self.why.setdefault(choice.loc, why)
                return None
        return side

    def _divided(self, node: _Plain, choice: tp.Choose, taken: bool, side: _Side) -> _Plain:
        """An integer division of a side by its divisor where the side is taken, and by 1 elsewhere."""
        if not isinstance(node, tp.Let) or not may_trap(node, self.constants):
            return node
        one, divisor = self.fresh.number(), self.fresh.number()
        side.nodes.append(tp.Let(one, f"arith.constant 1 : {node.type}", (), node.type, node.loc))
        args = (choice.cond, side.of(node.args[1]), one) if taken else (choice.cond, one, side.of(node.args[1]))
        side.nodes.append(tp.Let(divisor, f"arith.select {{0}}, {{1}}, {{2}} : {node.type}", args, node.type, node.loc))
        return replace(node, args=(node.args[0], divisor))

    def _ends(self, node: _Plain) -> str:
        """The remark that memory may end before an element, and the declaration that would rule it out."""
        assert isinstance(node, tp.Read | tp.Write)
        why = f"'{node.array}' may end before the element that it uses"
        array = self.arrays[node.array]
        if array.kind != "parameter":
            return why
        return f"{why}; declare how long it is, such as '{array.element.c} {node.array}[static n]'"

    def _take(self, node: _Plain, side: _Side) -> bool:
        if isinstance(node, tp.Let):
            side.nodes.append(replace(node, args=tuple(side.of(a) for a in node.args)))
        elif isinstance(node, tp.IndexOf):
            side.nodes.append(node)
        else:
            where = node.array, node.subscripts
            if not all(where == other or _distinct(where, other) for other in side.final):
                return False
            if isinstance(node, tp.Write):
                side.final[where] = side.of(node.value)
            elif where in side.final:
                side.renamed[node.dst] = side.final[where]
            else:
                side.nodes.append(node)
        return True

    def _harmless(self, node: tp.Node, facts: Facts, touched: frozenset[Touched]) -> bool:
        if not isinstance(node, tp.Read | tp.Write):
            return True
        array = self.arrays[node.array]
        if array.kind == "cell" or Touched(node.array, node.subscripts) in touched:
            return True
        if self._in_record(node.array, node.subscripts, touched):
            return True
        if isinstance(node, tp.Read) and between(node, touched, facts):
            return True
        pairs = zip(node.subscripts, array.shape, strict=True)
        return all(extent is not None and facts.proves(sub) and facts.proves(extent - 1 - sub) for sub, extent in pairs)

    def _in_record(self, array: str, subscripts: tuple[Poly, ...], touched: frozenset[Touched]) -> bool:
        """Whether it is a field of a struct of which another one, of any type, is touched in any case."""
        record = self._record(array, subscripts)
        others = (self._record(t.array, t.subscripts) for t in touched if not t.loops and t.array in self.records)
        return record is not None and record in others

    def _record(self, array: str, subscripts: tuple[Poly, ...]) -> _Record | None:
        """Which struct an element is in: its pointer, and its place among so many; None if that is unknown."""
        path, row, shape = self.records.get(array, ""), self.arrays[array].row, self.arrays[array].shape
        field = subscripts[-1].constant if path else None
        if field is None or shape[-1] != const(row) or not 0 <= field < row:
            return None
        return path, shape[:-1], subscripts[:-1]

    def _as_long(self, node: tp.Node, facts: Facts, touched: frozenset[Touched], side: _Side) -> bool:
        """True if a parameter needs to be as long as another one that is touched in any case: then it is assumed."""
        if not self.lengths or not isinstance(node, tp.Read | tp.Write) or self.arrays[node.array].kind != "parameter":
            return False
        first, *extents = self.arrays[node.array].shape
        begins, *inner = node.subscripts
        pairs = zip(inner, extents, strict=True)
        if first is not None or not all(
            e is not None and facts.proves(s) and facts.proves(e - 1 - s) for s, e in pairs
        ):
            return False
        alike = (t for t in touched if not t.loops and t.subscripts == node.subscripts)
        others = sorted(t.array for t in alike if t.array != node.array)
        if not others or not facts.proves(begins):
            return False
        text = f"'{node.array}' is as long as '{others[0]}', also where a branch does not use it"
        side.assumed.append(tp.Assumption(node.loc, text))
        return True


def _inside(choice: tp.Choose, side: tuple[tp.Node, ...], taken: bool) -> Iterator[tp.Node]:
    """One side of a branch in pieces: runs of plain nodes under the branch, other nodes with the branch in them."""

    def under(body: tuple[tp.Node, ...]) -> tuple[tp.Node, ...]:
        if not body:
            return ()
        return (replace(choice, then=body, orelse=()) if taken else replace(choice, then=(), orelse=body),)

    for plain, run in groupby(side, lambda node: isinstance(node, _Plain)):
        nodes = tuple(run)
        yield from under(nodes) if plain else (with_parts(n, tuple(map(under, parts(n)))) for n in nodes)


def _distinct(a: _Place, b: _Place) -> bool:
    """True if two places are never the same."""
    if a[0] != b[0]:
        return True
    gaps = ((x - y).constant for x, y in zip(a[1], b[1], strict=True))
    return any(gap is not None and gap != 0 for gap in gaps)
