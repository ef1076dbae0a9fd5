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

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from raising.frontend.lower.ir.module import AT_DATA, Refused
from raising.frontend.lower.ir.nodes import (
    Array,
    Assumption,
    Choose,
    Cond,
    For,
    Function,
    If,
    IndexOf,
    Let,
    Node,
    Read,
    Write,
    forms_of,
    is_loaded,
    map_forms,
    parts,
    walk,
    with_parts,
)
from raising.frontend.lower.ir.polynomial import MARK, Atom, Mono, Poly, var
from raising.frontend.lower.ir.types import LONG
from raising.frontend.lower.passes.if_conversion import may_trap
from raising.support.record import dataclass
from raising.support.source import Loc

_CAST = re.compile(r"arith\.index_cast(ui)? \{0\} : (i\d+) to index")
_Steps = tuple[tuple[Node, int], ...]  # the nodes around a place, outermost first, each with the number of a body


def with_stored_positions(function: Function, whole: frozenset[str], lengths: bool) -> Function:
    """The function with the positions stored that no array holds, and those in `whole` arrays that are not affine.

    Without `lengths`, nothing is assumed of how long arrays are. `Refused` where positions are not known in front of
    the loops.
    """
    storing = _Storing(function, whole, lengths)
    body = storing.outside(function.body, ())
    assumptions = (*function.assumptions, *dict.fromkeys(storing.assumptions))
    new = {node.iv: (node.lower, node.upper) for node in walk(body) if isinstance(node, For)}
    bounds = {**new, **function.bounds}
    return replace(function, body=body, arrays=storing.arrays, assumptions=assumptions, bounds=bounds)


@dataclass(frozen=True)
class _Place:
    """Where a value is defined."""

    node: Let | IndexOf | Read
    around: _Steps


@dataclass(frozen=True)
class _Wanted:
    """A position, and what is needed for it.

    `conds` are the branches on data that have to be taken, with their sides; `needed` the places of the values that it
    comes from, in the order of the text; `steps` are the loops and branches around it that are repeated.
    """

    form: Poly
    conds: tuple[tuple[int, bool], ...]
    needed: tuple[_Place, ...]
    steps: _Steps
    loc: Loc


def _defined(nodes: tuple[Node, ...], around: _Steps) -> Iterator[tuple[int, _Place]]:
    for node in nodes:
        if isinstance(node, Let | IndexOf | Read):
            yield node.dst, _Place(node, around)
        for k, body in enumerate(parts(node)):
            yield from _defined(body, (*around, (node, k)))


def _depth(loop: Node, around: _Steps) -> int | None:
    """How deep a loop is among the nodes around a place; None if it is not around it."""
    return next((k for k, (node, _) in enumerate(around) if node is loop), None)


def _marks(form: Poly) -> list[int]:
    """The numbers of the values in a form."""
    return sorted(int(name[len(MARK) :]) for name in form.names() if name.startswith(MARK))


def _extreme(form: Poly, same: Mapping[str, Poly], other: Mapping[str, Poly]) -> Poly | None:
    """A form with each loop variable at the end that makes it most; None if a variable is not in one term of its own.

    Of `i - i / 3 * 3`, that is at neither end.
    """
    for name in form.names() & same.keys():
        c = form.coefficient(name)
        if name in (form - var(name) * c).names():
            return None
        form = form.substitute({name: (same if c > 0 else other)[name]})
    return form


def _needs(node: Node) -> Iterator[int]:
    """The values that a value comes from."""
    yield from node.args if isinstance(node, Let) else ()
    yield from (number for form in forms_of(node) for number in _marks(form))


class _Storing:
    """A function while its positions are stored; `stores` are loops in front of the nest that is being rewritten."""

    def __init__(self, function: Function, whole: frozenset[str], lengths: bool) -> None:
        self.given, self.whole, self.lengths = function, whole, lengths
        self.arrays = dict(function.arrays)
        self.assumptions: list[Assumption] = []
        self.places = dict(_defined(function.body, ()))
        self.made: dict[int, Node] = {value: place.node for value, place in self.places.items()}
        self.constants = {
            k: p.node.text.split()[1]
            for k, p in self.places.items()
            if isinstance(p.node, Let) and "constant" in p.node.text
        }
        numbers = [*self.places, *(p.value for p in function.parameters if p.value is not None)]
        self.count = max(numbers, default=0)
        self.taken = {*function.arrays, *(p.name for p in function.parameters), *function.facts.free}
        self.taken |= {node.iv for node in walk(function.body) if isinstance(node, For)}
        self.stores: list[Node] = []
        self.written: set[str] = set()

    # ---- where positions are used ------------------------------------------------------------------

    def outside(self, nodes: tuple[Node, ...], around: _Steps) -> tuple[Node, ...]:
        """The nodes of a block outside of all loops."""
        out: list[Node] = []
        for node in nodes:
            inner: _Steps = (*around, (node, 0))
            if isinstance(node, For):
                self.stores, self.written = [], {n.array for n in walk((node,)) if isinstance(n, Write)}
                new = replace(node, body=self._block(node.body, inner, len(around), None))
                out += [*self.stores, new]
            else:
                bodies = (self.outside(body, (*around, (node, k))) for k, body in enumerate(parts(node)))
                out.append(with_parts(node, tuple(bodies)))
        return tuple(out)

    def _block(self, nodes: tuple[Node, ...], around: _Steps, depth: int, early: list[Node] | None) -> tuple[Node, ...]:
        """The nodes of a block in a nest that begins at a depth; `early` comes in front of a branch on data around."""
        out: list[Node] = []
        for node in nodes:
            first: list[Node] = [] if early is None else early
            if isinstance(node, Read) and (found := self._position(node, around, depth)) is not None:
                (out if early is None else early).extend(found)
                continue
            bodies = (
                self._block(body, (*around, (node, k)), depth, first if isinstance(node, Choose) else early)
                for k, body in enumerate(parts(node))
            )
            new = with_parts(node, tuple(bodies))
            out += [*(first if early is None else ()), new]
        return tuple(out)

    def _position(self, read: Read, around: _Steps, depth: int) -> list[Node] | None:
        """The load at positions that are stored, with the loads of these; None if it needs none."""
        found: list[Node] = []
        inner = around[depth:]
        conds = tuple((n.cond, k == 0) for n, k in inner if isinstance(n, Choose))
        if conds and not all(isinstance(n, Choose) for n, _ in inner[-len(conds) :]):
            return None  # a loop under a branch on data
        subscripts: list[Poly] = []
        for form in read.subscripts:
            alone = read.array in self.whole and not _marks(form) and not form.is_affine(self.given.facts.free)
            computed = [] if alone else [k for k in _marks(form) if not is_loaded(k, self.made, self.arrays)]
            if alone or (computed and (conds or read.array in self.whole)):
                new = self._stored(self._wanted(form, conds, inner, read.loc), found)
                self._has_an_element(read, bool(conds))
                subscripts.append(new)
                continue
            wanted = {f"{MARK}{k}": self._wanted(var(f"{MARK}{k}"), (), inner, read.loc) for k in computed}
            subscripts.append(form.substitute({name: self._stored(w, found) for name, w in wanted.items()}))
        return [*found, replace(read, subscripts=tuple(subscripts))] if found else None

    def _has_an_element(self, read: Read, chosen: bool) -> None:
        """Element 0 is read where a branch is not taken."""
        if not chosen:
            return
        if len(read.subscripts) > 1 or not self.lengths or read.array in self.written:
            raise Refused(read.loc, f"a position in '{read.array}' is only known under a branch on data")
        extent = self.given.arrays[read.array].shape[0]
        if extent is None or not self.given.facts.proves(extent - 1):
            text = f"'{read.array}' has an element, also where no branch uses one"
            self.assumptions.append(Assumption(read.loc, text))

    # ---- what a position needs ---------------------------------------------------------------------

    def _wanted(self, form: Poly, conds: tuple[tuple[int, bool], ...], inner: _Steps, loc: Loc) -> _Wanted:
        """What a position in a nest needs; `Refused` if it cannot be known in front of the nest."""
        if not all(isinstance(n, For | If | Choose) for n, _ in inner):
            raise Refused(loc, AT_DATA)
        needed: dict[int, _Place] = {}
        pending = [*_marks(form), *(cond for cond, _ in conds)]
        while pending:
            value = pending.pop()
            place = self.places.get(value)
            if value in needed or place is None or _depth(inner[0][0], place.around) is None:
                continue
            needed[value] = place
            pending += _needs(place.node)
        places = tuple(needed[value] for value in self.places if value in needed)
        return _Wanted(form, conds, places, self._repeated(form, places, inner, loc), loc)

    def _repeated(self, form: Poly, places: tuple[_Place, ...], inner: _Steps, loc: Loc) -> _Steps:
        """The loops that the values need, and all around one that must not be computed where the source does not."""
        deepest = 0
        for place in places:
            value, start = place.node, _depth(inner[0][0], place.around) or 0
            risky = isinstance(value, Read) or (isinstance(value, Let) and may_trap(value, self.constants))
            if not risky:
                continue
            if any(isinstance(n, Choose) for n, _ in place.around[start:]):
                raise Refused(loc, AT_DATA)
            if isinstance(value, Read) and (value.array in self.written or self.arrays[value.array].kind == "cell"):
                raise Refused(loc, "what is read at positions that are data changes in the same loops")
            deepest = max(deepest, len(place.around) - start)
        used = form.names().union(*(f.names() for p in places for f in forms_of(p.node)))
        kept: list[tuple[Node, int]] = []
        for depth, (node, k) in reversed(list(enumerate(inner))):
            wanted = depth < deepest and isinstance(node, For | If)
            if wanted or (isinstance(node, For) and node.iv in used):
                kept.insert(0, (node, k))
                used = used.union(*(f.names() for f in forms_of(node)))
        return tuple(kept)

    # ---- storing -----------------------------------------------------------------------------------

    def _stored(self, wanted: _Wanted, found: list[Node]) -> Poly:
        """A position as read from its array, by nodes behind those `found`; the loops that store it are added."""
        loops = [n for n, _ in wanted.steps if isinstance(n, For)]
        low, high = self._box(loops, wanted.loc)
        extents = tuple(high[n.iv] - low[n.iv] + 1 for n in loops)
        for extent in extents:
            if not self.given.facts.proves(extent):
                text = f"{extent.at_least_zero}: a position is stored for each iteration"
                self.assumptions.append(Assumption(wanted.loc, text, (Cond(extent),)))
        array = self.name("at")
        self.arrays[array] = Array(array, LONG, extents, "local", wanted.loc)
        copy = _Copy(self, wanted)
        self.stores += copy.around(0, array, tuple(var(n.iv) - low[n.iv] for n in loops))
        read = Read(self.number(), array, tuple(var(n.iv) - low[n.iv] for n in loops), wanted.loc)
        cast = Let(self.number(), "arith.index_cast {0} : i64 to index", (read.dst,), "index", wanted.loc)
        found += [read, cast]
        return var(f"{MARK}{cast.dst}")

    def _box(self, loops: list[For], loc: Loc) -> tuple[dict[str, Poly], dict[str, Poly]]:
        """The least and the largest value of each loop's variable, over sizes."""
        low: dict[str, Poly] = {}
        high: dict[str, Poly] = {}
        for loop in loops:
            least = (_extreme(f, low, high) for f in loop.lower)
            most = (_extreme(f - 1, high, low) for f in loop.upper)
            free = self.given.facts.free
            a = next((f for f in least if f is not None and f.names() <= free), None)
            b = next((f for f in most if f is not None and f.names() <= free), None)
            if a is None or b is None:
                raise Refused(loc, AT_DATA)
            low[loop.iv], high[loop.iv] = a, b
        return low, high

    def number(self) -> int:
        """A new value."""
        self.count += 1
        return self.count

    def name(self, wanted: str) -> str:
        """A name that nothing has."""
        while wanted in self.taken:
            wanted += "_"
        self.taken.add(wanted)
        return wanted


class _Copy:
    """The values that a position needs once more, in loops and with numbers of their own."""

    def __init__(self, storing: _Storing, wanted: _Wanted) -> None:
        self.storing, self.wanted = storing, wanted
        self.loops = {n.iv: var(storing.name(f"{n.iv}_")) for n, _ in wanted.steps if isinstance(n, For)}
        self.values: dict[int, int] = {}
        self.done: set[int] = set()

    def around(self, k: int, array: str, subscripts: tuple[Poly, ...]) -> list[Node]:
        """The loops from step `k` on, with the values that are known there, and the store in the innermost one."""
        steps = self.wanted.steps
        if k == len(steps):
            out = self._known(None)
            value = self._chosen(self._total(out), out)
            return [*out, Write(array, tuple(map(self._form, subscripts)), value, self.wanted.loc)]
        node, side = steps[k]
        before = self._known(node)
        inside = tuple(self.around(k + 1, array, subscripts))
        if isinstance(node, For):
            new: Node = replace(node, iv=str(self._form(var(node.iv))), body=inside)
        else:
            assert isinstance(node, If)
            new = replace(node, then=inside if side == 0 else (), orelse=() if side == 0 else inside)
        return [*before, map_forms(new, self._form)]

    def _known(self, until: Node | None) -> list[Node]:
        """The values that are known outside of a node and were not made yet; all others if there is none."""
        out: list[Node] = []
        for place in self.wanted.needed:
            if place.node.dst not in self.done and (until is None or all(n is not until for n, _ in place.around)):
                self.done.add(place.node.dst)
                out.append(self._again(place.node))
        return out

    def _again(self, node: Let | IndexOf | Read) -> Node:
        new = map_forms(node, self._form)
        assert isinstance(new, Let | IndexOf | Read)
        if isinstance(new, Let):
            new = replace(new, args=tuple(self._value(a) for a in new.args))
        self.values[node.dst] = self.storing.number()
        return replace(new, dst=self.values[node.dst])

    def _value(self, value: int) -> int:
        return self.values.get(value, value)

    def _form(self, form: Poly) -> Poly:
        marks = {f"{MARK}{k}": var(f"{MARK}{self._value(k)}") for k in _marks(form)}
        return form.substitute(self.loops | marks)

    # ---- the position as a number of 64 bits ---------------------------------------------------------

    def _total(self, out: list[Node]) -> int:
        """The sum of a form's terms: what is affine at once, products by multiplications."""
        free = self.storing.given.facts.free
        terms = self.wanted.form.terms
        plain = tuple(term for term in terms if not _marks(Poly((term,))) and Poly((term,)).is_affine(free))
        total = self._index(Poly(plain), out) if plain else None
        for term in terms:
            if term not in plain:
                product = self._product(term, out)
                total = product if total is None else self._operation("addi", total, product, out)
        return self._constant(0, out) if total is None else total

    def _product(self, term: tuple[Mono, int], out: list[Node]) -> int:
        mono, c = term
        factors = [self._factor(atom, out) for atom in mono] + ([self._constant(c, out)] if c != 1 else [])
        product, *rest = factors
        for factor in rest:
            product = self._operation("muli", product, factor, out)
        return product

    def _factor(self, atom: Atom, out: list[Node]) -> int:
        if not isinstance(atom, str) or not atom.startswith(MARK):
            return self._index(Poly((((atom,), 1),)), out)
        place = self.storing.places.get(int(atom[len(MARK) :]))
        cast = _CAST.match(place.node.text) if place is not None and isinstance(place.node, Let) else None
        if cast is None or place is None or not isinstance(place.node, Let):
            raise Refused(self.wanted.loc, AT_DATA)
        value, kind = self._value(place.node.args[0]), cast[2]
        return (
            value
            if kind == "i64"
            else self._let(f"arith.ext{'ui' if cast[1] else 'si'} {{0}} : {kind} to i64", (value,), out)
        )

    def _chosen(self, value: int, out: list[Node]) -> int:
        """The position where all branches are taken, else 0."""
        for cond, taken in self.wanted.conds:
            zero = self._constant(0, out)
            sides = (value, zero) if taken else (zero, value)
            value = self._let("arith.select {0}, {1}, {2} : i64", (self._value(cond), *sides), out)
        return value

    def _index(self, form: Poly, out: list[Node]) -> int:
        if form.constant is not None:
            return self._constant(form.constant, out)
        out.append(IndexOf(self.storing.number(), self._form(form), "i64", self.wanted.loc))
        return self.storing.count

    def _constant(self, value: int, out: list[Node]) -> int:
        return self._let(f"arith.constant {value} : i64", (), out)

    def _operation(self, name: str, left: int, right: int, out: list[Node]) -> int:
        return self._let(f"arith.{name} {{0}}, {{1}} : i64", (left, right), out)

    def _let(self, text: str, args: tuple[int, ...], out: list[Node]) -> int:
        out.append(Let(self.storing.number(), text, args, "i64", self.wanted.loc))
        return self.storing.count
