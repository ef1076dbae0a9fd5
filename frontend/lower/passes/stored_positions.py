"""Positions that are computed of data, or are no affine functions: they are stored, and read where they are used.

Loops in front of the outermost loop around a load compute its subscript into an array of the function, so that the load
is one at positions that an array holds. Under a branch on data, 0 is stored where the branch is not taken, and the load
comes in front of the branch: that the array has an element at all is assumed then.

    before  for i < n                     after  for i < n
              %4 = b[i]; %5 = %4 & 7               %4 = b[i]; %5 = %4 & 7; at[i] = %5
              %6 = x[%5]                         for i < n
                                                   %7 = at[i]; %6 = x[%7]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.module import AtData, Refused
from raising.frontend.lower.ir.nodes import forms_of, is_loaded, parts, source_of, used_values, walk, with_parts
from raising.frontend.lower.ir.polynomial import MARK, Poly, const, values_in, var
from raising.frontend.lower.ir.ranges_of_values import Ranges
from raising.frontend.lower.ir.types import LONG, Number
from raising.frontend.lower.passes.if_conversion import may_trap
from raising.frontend.lower.passes.position_loops import Definition, Position, PositionLoops, Steps
from raising.support.graphs import reachable
from raising.support.source import Loc

_NARROW = (Number("int", 8, signed=False), Number("int", 16, signed=False))


def with_stored_positions(function: tp.Function, whole: frozenset[str], lengths: bool) -> tp.Function:
    """The function with the positions stored that no array holds, and those in `whole` arrays that are not affine.

    Without `lengths`, nothing is assumed of how long arrays are. `Refused` where positions are not known in front of
    the loops.
    """
    storing = _Storing(function, whole, lengths)
    body = storing.outside(function.body, ())
    assumptions = (*function.assumptions, *dict.fromkeys(storing.assumptions))
    new = {node.iv: (node.lower, node.upper) for node in walk(body) if isinstance(node, tp.For)}
    bounds = {**new, **function.bounds}
    return replace(function, body=body, arrays=storing.arrays, assumptions=assumptions, bounds=bounds)


def _defined(nodes: tuple[tp.Node, ...], around: Steps) -> Iterator[tuple[int, Definition]]:
    """The definitions of values, by their numbers."""
    for node in nodes:
        if isinstance(node, tp.Let | tp.IndexOf | tp.Read):
            yield node.dst, Definition(node, around)
        for k, body in enumerate(parts(node)):
            yield from _defined(body, (*around, (node, k)))


def _extreme(form: Poly, same: Mapping[str, Poly], other: Mapping[str, Poly]) -> Poly | None:
    """The greatest value of a form, with each loop variable at one end of its range; None if it may lie in between.

    That is so if a variable occurs in more than one term, as in `i - i / 3 * 3`. A variable with a positive factor is
    at its end in `same`, the others are at theirs in `other`; the least value is that with the two exchanged.
    """
    for name in form.names() & same.keys():
        c = form.coefficient(name)
        if name in (form - var(name) * c).names():
            return None
        form = form.substitute({name: (same if c > 0 else other)[name]})
    return form


def _is_one_to_one(subscripts: tuple[Poly, ...], loops: list[tp.For]) -> bool:
    """Whether each iteration of some loops has an element of its own: their variables are digits of subscripts."""
    left = loops[::-1]
    for form in subscripts:
        width: Poly | None = None
        for loop in [each for each in left if each.iv in form.names()]:
            step = form.substitute({loop.iv: var(loop.iv) + 1}) - form
            if step.names() if width is None else step != width or not width.names() and width == const(0):
                return False
            if step == const(0) or len(loop.lower) != 1 or len(loop.upper) != 1:
                return False
            width = step * (loop.upper[0] - loop.lower[0])
            left.remove(loop)
    return not left


def _narrowest(span: tuple[int, int] | None) -> Number:
    """The type of fewest bits in which positions can be kept: memory is what they cost."""
    kinds = (kind for kind in _NARROW if span is not None and span[0] >= 0 and span[1] <= kind.range[1])
    return next(kinds, LONG)


class _Storing:
    """A function while its positions are stored; `stores` are loops in front of the nest that is being rewritten."""

    def __init__(self, function: tp.Function, whole: frozenset[str], lengths: bool) -> None:
        self.given, self.whole, self.lengths = function, whole, lengths
        self.free = function.facts.free
        self.arrays = dict(function.arrays)
        self.assumptions: list[tp.Assumption] = []
        self.definitions = dict(_defined(function.body, ()))
        self.nodes: dict[int, tp.Node] = {value: definition.node for value, definition in self.definitions.items()}
        lets = {value: node for value, node in self.nodes.items() if isinstance(node, tp.Let)}
        self.constants = {value: let.text.split()[1] for value, let in lets.items() if "constant" in let.text}
        self.fresh, self.ranges = tp.Fresh(function), Ranges(function)
        self.stores: list[tp.Node] = []
        self.written: set[str] = set()

    # ---- where positions are used ------------------------------------------------------------------

    def outside(self, nodes: tuple[tp.Node, ...], around: Steps) -> tuple[tp.Node, ...]:
        """The nodes of a block outside of all loops."""
        out: list[tp.Node] = []
        for node in nodes:
            if isinstance(node, tp.For):
                self.stores, self.written = [], {n.array for n in walk((node,)) if isinstance(n, tp.Write)}
                new = replace(node, body=self._block(node.body, (*around, (node, 0)), len(around)))
                out += [*self.stores, new]
            else:
                bodies = (self.outside(body, (*around, (node, k))) for k, body in enumerate(parts(node)))
                out.append(with_parts(node, tuple(bodies)))
        return tuple(out)

    def _block(
        self, nodes: tuple[tp.Node, ...], around: Steps, depth: int, before: list[tp.Node] | None = None
    ) -> tuple[tp.Node, ...]:
        """The nodes of a block in a nest that begins at a depth.

        Loads at stored positions come to the end of `before`, the nodes in front of the outermost branch on data around
        the block; outside of such branches they stay in the block.
        """
        out: list[tp.Node] = []
        for node in nodes:
            here = out if before is None else before
            if isinstance(node, tp.Read) and (loads := self._loads(node, around[depth:])):
                here += loads
                continue
            inner = here if isinstance(node, tp.Choose) else before
            bodies = tuple(self._block(b, (*around, (node, k)), depth, inner) for k, b in enumerate(parts(node)))
            out.append(with_parts(node, bodies))
        return tuple(out)

    def _loads(self, read: tp.Read, nest: Steps) -> list[tp.Node]:
        """The load at positions that are stored, behind the loads of these; none if it needs no such position."""
        branches = tuple((node.cond, k == 0) for node, k in nest if isinstance(node, tp.Choose))
        if branches and not all(isinstance(node, tp.Choose) for node, _ in nest[-len(branches) :]):
            return []  # a loop under a branch on data
        loads: list[tp.Node] = []
        subscripts: list[Poly] = []
        for form in read.subscripts:
            not_affine = read.array in self.whole and not values_in(form) and not form.is_affine(self.free)
            computed = [] if not_affine else [k for k in values_in(form) if not self._is_held(k)]
            if not_affine or (computed and (branches or read.array in self.whole)):
                subscripts.append(self._stored(self._position(form, branches, nest, read.loc), loads))
                self._has_an_element(read, bool(branches))
                continue
            values = {f"{MARK}{k}": self._position(var(f"{MARK}{k}"), (), nest, read.loc) for k in computed}
            subscripts.append(form.substitute({name: self._stored(value, loads) for name, value in values.items()}))
        return [*loads, replace(read, subscripts=tuple(subscripts))] if loads else []

    def _is_held(self, value: int) -> bool:
        """Whether an array holds a position while the nest runs: elements of it that are written are stored before."""
        read = source_of(value, self.nodes)
        if not is_loaded(value, self.nodes, self.arrays) or not isinstance(read, tp.Read):
            return False
        return read.array not in self.written or not self._comes_first(read)

    def _comes_first(self, read: tp.Read) -> bool:
        """Whether a read comes before all that the nest writes to its element, so that it is known in front of it."""
        around = self.definitions[read.dst].around
        loops = [node for node, _ in around if isinstance(node, tp.For)]
        inside = list(walk((loops[0],))) if loops else []
        writes = [k for k, n in enumerate(inside) if isinstance(n, tp.Write) and n.array == read.array]
        same = all(inside[k].subscripts == read.subscripts for k in writes)  # type: ignore[union-attr]
        return bool(writes) and same and inside.index(read) < writes[0] and _is_one_to_one(read.subscripts, loops)

    def _has_an_element(self, read: tp.Read, chosen: bool) -> None:
        """Element 0 is read where a branch is not taken."""
        if not chosen:
            return
        if len(read.subscripts) > 1 or not self.lengths or read.array in self.written:
            raise Refused(read.loc, f"a position in '{read.array}' is only known under a branch on data")
        extent = self.given.arrays[read.array].shape[0]
        if extent is None or not self.given.facts.proves(extent - 1):
            text = f"'{read.array}' has an element, also where no branch uses one"
            self.assumptions.append(tp.Assumption(read.loc, text))

    # ---- what a position needs ---------------------------------------------------------------------

    def _position(self, form: Poly, branches: tuple[tuple[int, bool], ...], nest: Steps, loc: Loc) -> Position:
        """A position in a nest with what it needs; `Refused` if it cannot be known in front of the nest."""
        if not all(isinstance(node, tp.For | tp.If | tp.Choose) for node, _ in nest):
            raise AtData(loc)
        outermost = nest[0][0]
        inside = {v: d.node for v, d in self.definitions.items() if d.depth(outermost) is not None}
        asked = [*values_in(form), *(cond for cond, _ in branches)]
        needed = set(reachable(asked, lambda value: used_values(inside[value]) if value in inside else ()))
        values = tuple(self.definitions[value] for value in inside if value in needed)
        return Position(form, branches, values, self._repeated(form, values, nest, loc), loc)

    def _repeated(self, form: Poly, values: tuple[Definition, ...], nest: Steps, loc: Loc) -> Steps:
        """The loops that the values need, and all around one that must not be computed where the source does not."""
        deepest = 0
        for definition in values:
            node, start = definition.node, definition.depth(nest[0][0]) or 0
            if not (isinstance(node, tp.Read) or (isinstance(node, tp.Let) and may_trap(node, self.constants))):
                continue
            if any(isinstance(outer, tp.Choose) for outer, _ in definition.around[start:]):
                raise AtData(loc)
            changes = isinstance(node, tp.Read) and node.array in self.written and not self._comes_first(node)
            if isinstance(node, tp.Read) and (changes or self.arrays[node.array].kind == "cell"):
                raise Refused(loc, "what is read at positions that are data changes in the same loops")
            deepest = max(deepest, len(definition.around) - start)
        used = form.names().union(*(f.names() for definition in values for f in forms_of(definition.node)))
        kept: list[tuple[tp.Node, int]] = []
        for depth, (outer, k) in reversed(list(enumerate(nest))):
            inside = depth < deepest and isinstance(outer, tp.For | tp.If)
            if inside or (isinstance(outer, tp.For) and outer.iv in used):
                kept.insert(0, (outer, k))
                used = used.union(*(f.names() for f in forms_of(outer)))
        return tuple(kept)

    # ---- storing -----------------------------------------------------------------------------------

    def _stored(self, position: Position, loads: list[tp.Node]) -> Poly:
        """A position as read from its array, behind other `loads`; the loops that store it are added."""
        loc, loops = position.loc, position.loops
        low, high = self._box(loops, loc)
        extents = tuple(high[loop.iv] - low[loop.iv] + 1 for loop in loops)
        for extent in extents:
            if not self.given.facts.proves(extent):
                text = f"{extent.at_least_zero}: a position is stored for each iteration"
                self.assumptions.append(tp.Assumption(loc, text, (tp.Cond(extent),)))
        array, at = self.fresh.name("at"), tuple(var(loop.iv) - low[loop.iv] for loop in loops)
        value = position.value
        element = LONG if value is None else _narrowest(self.ranges.of(value, signed=True))
        self.arrays[array] = tp.Array(array, element, extents, "local", loc)
        self.stores += PositionLoops(self.fresh, self.definitions, self.free, position, element).storing(array, at)
        read = tp.Read(self.fresh.number(), array, at, loc)
        text = f"arith.index_cast{'' if element.signed else 'ui'} {{0}} : {element.mlir} to index"
        cast = tp.Let(self.fresh.number(), text, (read.dst,), "index", loc)
        loads += [read, cast]
        return var(f"{MARK}{cast.dst}")

    def _box(self, loops: list[tp.For], loc: Loc) -> tuple[dict[str, Poly], dict[str, Poly]]:
        """The least and the largest value of each loop's variable, over sizes."""
        low: dict[str, Poly] = {}
        high: dict[str, Poly] = {}
        for loop in loops:
            least = (_extreme(form, low, high) for form in loop.lower)
            most = (_extreme(form - 1, high, low) for form in loop.upper)
            first = next((form for form in least if form is not None and form.names() <= self.free), None)
            last = next((form for form in most if form is not None and form.names() <= self.free), None)
            if first is None or last is None:
                raise AtData(loc)
            low[loop.iv], high[loop.iv] = first, last
        return low, high
