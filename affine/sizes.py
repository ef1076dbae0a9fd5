"""Sizes made symbolic: a program at 1000 × 1100 becomes one at N0 × N1.

Two constants become one symbol only where a loop variable ties them together,
so that an all-1000 program still has distinct dimensions. Constants within
`NEAR` of a tied size become that symbol plus an offset (`N0 - 1`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from affine.expr import Cond, Floor, Lin, const, var
from affine.program import Array, Guard, IndexValue, Load, Loop, Node, Program, Store, forms, walk

NEAR = 4
Key = tuple[str, ...]


@dataclass(frozen=True)
class Generalised:
    """A program over size symbols, and the value that each symbol has in the source."""

    program: Program
    values: dict[str, Lin]


class _Classes:
    """Union-find over size constants, each with its number."""

    def __init__(self) -> None:
        self.parent: dict[Key, Key] = {}
        self.number: dict[Key, int] = {}

    def add(self, key: Key, number: int) -> None:
        self.parent.setdefault(key, key)
        self.number.setdefault(key, number)

    def find(self, key: Key) -> Key:
        while self.parent[key] != key:
            key = self.parent[key]
        return key

    def link(self, a: Key, b: Key, offset: int = 0) -> None:
        """Tie b to a if both are known and number(a) + offset is near number(b)."""
        if a in self.number and b in self.number and abs(self.number[a] + offset - self.number[b]) <= NEAR:
            self.parent[self.find(b)] = self.find(a)


def _ranges(program: Program) -> dict[str, tuple[int, int] | None]:
    """Each loop variable's range [low, high) as numbers; None where a size is not a constant."""
    ranges: dict[str, tuple[int, int] | None] = {}
    for node in walk(program.body):
        if isinstance(node, Loop):
            lows = [_extreme(f, ranges, 0) for f in node.lower]
            highs = [_extreme(f, ranges, 1) for f in node.upper]
            known_low = [x for x in lows if x is not None]
            known_high = [x for x in highs if x is not None]
            ranges[node.iv] = (max(known_low), min(known_high)) if known_low and known_high else None
    return ranges


def _extreme(form: Lin, ranges: dict[str, tuple[int, int] | None], side: int) -> int | None:
    value = form.const
    for atom, c in form.terms:
        bounds = ranges.get(atom) if isinstance(atom, str) else None
        if bounds is None:
            return None
        low, high = bounds[0], bounds[1] - 1
        value += c * ((low, high) if c > 0 else (high, low))[side]
    return value


def generalise(program: Program, small: int = NEAR, tie: bool = True) -> Generalised:
    """Replace size constants above `small` by symbols, and (to `tie`) `?` extents by the size that loops give them."""
    program = _wrapped(program)
    program = _tied_extents(program) if tie else program
    classes, ranges = _Classes(), _ranges(program)
    for array in program.arrays.values():
        for k, extent in enumerate(array.shape):
            if extent.is_const and extent.const > small:
                classes.add(("dim", array.name, str(k)), extent.const)
    for iv, bounds in ranges.items():
        if bounds is not None and bounds[1] > small:
            classes.add(("iv", iv), bounds[1])
    _link_loops(program, classes)
    _link_accesses(program, classes)
    return _unwrapped(_Rewriter(program, classes, small).run())


def _wrapped(program: Program) -> Program:
    """The program inside of its outer loops, so that their bounds and uses count too."""
    body = program.body
    for loop in reversed(program.outer):
        body = (replace(loop, body=body),)
    return replace(program, body=body)


def _unwrapped(general: Generalised) -> Generalised:
    """The outer loops off again: their variables are sizes within the loops' bounds."""
    program = general.program
    body, outer, context = program.body, [], list(program.context)
    for _ in program.outer:
        loop = body[0]
        assert isinstance(loop, Loop)
        body = loop.body
        outer.append(replace(loop, body=()))
        context += [Cond(var(loop.iv) - f) for f in loop.lower] + [Cond(f - var(loop.iv) - 1) for f in loop.upper]
    names = tuple(loop.iv for loop in outer)
    values = {**general.values, **{n: var(n) for n in names}}
    sizes = (*(n for n in program.sizes if n not in names), *names)
    program = replace(program, body=body, outer=tuple(outer), context=tuple(context), sizes=sizes)
    return Generalised(program, values)


def _tied_extents(program: Program) -> Program:
    """A `?` extent that every access walks to one common bound becomes that bound."""
    bounds = {n.iv: n.upper[0] for n in walk(program.body) if isinstance(n, Loop) and len(n.upper) == 1}
    reach: dict[str, list[Lin]] = {}
    free: set[str] = set()
    for access in _accesses(program):
        for extent, subscript in zip(program.arrays[access.array].shape, access.subscripts, strict=True):
            plain, name = subscript.as_offset(), extent.as_offset()
            if name is None or name[1]:
                continue
            if plain is not None and plain[0] in bounds:
                reach.setdefault(name[0], []).append(bounds[plain[0]] + plain[1])
            elif subscript.names() & bounds.keys():
                free.add(name[0])
    chosen: dict[str, Lin] = {}
    for name_, bounds_of in reach.items():
        largest = max(bounds_of, key=lambda f: f.const)
        if all((f - largest).is_const for f in bounds_of) and name_ not in free and not largest.names() & bounds.keys():
            chosen[name_] = largest
    arrays = {
        a.name: replace(a, shape=tuple(s.substitute(lambda n: chosen.get(n)) for s in a.shape))
        for a in program.arrays.values()
    }
    return replace(program, arrays=arrays)


def _accesses(program: Program) -> Iterator[Load | Store]:
    return (n for n in walk(program.body) if isinstance(n, Load | Store))


def _link_loops(program: Program, classes: _Classes) -> None:
    for node in walk(program.body):
        if isinstance(node, Loop):
            for form in node.upper:
                for name in sorted(form.names()):
                    classes.link(("iv", name), ("iv", node.iv))


def _link_accesses(program: Program, classes: _Classes) -> None:
    for access in _accesses(program):
        for k, subscript in enumerate(access.subscripts):
            dim = ("dim", access.array, str(k))
            for atom, c in subscript.terms:
                if not isinstance(atom, str):
                    continue
                if c == 1:
                    classes.link(dim, ("iv", atom), -subscript.const if len(subscript.terms) == 1 else 0)
                elif c == -1:
                    classes.link(dim, ("iv", atom))


class _Rewriter:
    """Writes the program anew with constants replaced, collecting the symbols it makes."""

    def __init__(self, program: Program, classes: _Classes, small: int) -> None:
        self.program, self.classes, self.small = program, classes, small
        self.symbol: dict[Key, str] = {}
        self.loose: list[Key] = []
        self.values: dict[str, Lin] = {n: var(n) for n in program.sizes}

    def run(self) -> Generalised:
        arrays = {
            a.name: replace(a, shape=tuple(self.form(s, ("dim", a.name, str(k))) for k, s in enumerate(a.shape)))
            for a in self.program.arrays.values()
        }
        body = tuple(self.node(n) for n in self.program.body)
        used = _names_used(arrays, body)
        values = {n: v for n, v in self.values.items() if n in used}
        sizes = tuple(sorted(values, key=_symbol_order))
        program = replace(self.program, arrays=arrays, body=body, sizes=sizes, context=self.order())
        return Generalised(program, values)

    def node(self, node: Node) -> Node:
        match node:
            case Loop():
                hint = ("iv", node.iv)
                return replace(
                    node,
                    lower=tuple(self.form(f, hint) for f in node.lower),
                    upper=tuple(self.form(f, hint) for f in node.upper),
                    body=tuple(self.node(n) for n in node.body),
                )
            case Guard():
                conds = tuple(Cond(self.form(c.form), c.equality) for c in node.conds)
                return replace(node, conds=conds, body=tuple(self.node(n) for n in node.body))
            case Load() | Store():
                hints = [("dim", node.array, str(k)) for k in range(len(node.subscripts))]
                forms = tuple(self.form(f, h) for f, h in zip(node.subscripts, hints, strict=True))
                return replace(node, subscripts=forms)
            case IndexValue():
                return replace(node, form=self.form(node.form))
            case _:
                return node

    def form(self, form: Lin, *hints: Key) -> Lin:
        """The form with its constant (and those in its quotients) made symbolic."""
        out = Lin(0)
        for atom, c in form.terms:
            if isinstance(atom, Floor):
                out = out + self.form(atom.inner, *hints).floordiv(atom.divisor).scaled(c)
            else:
                out = out + var(atom).scaled(c)
        if abs(form.const) <= self.small:
            return out + form.const
        keys = [*hints, *(("iv", n) for n in sorted(form.names()))]
        sign = 1 if form.const > 0 else -1
        return out + self.constant(abs(form.const), keys).scaled(sign)

    def constant(self, number: int, hints: list[Key]) -> Lin:
        """A size constant as symbol plus offset, the symbol of a hinted class if one is near."""
        roots = [self.classes.find(h) for h in hints if h in self.classes.parent]
        for root in roots:
            if abs(self.classes.number[root] - number) <= NEAR:
                return self.of_root(root) + (number - self.classes.number[root])
        for root in self.loose:
            if abs(self.classes.number[root] - number) <= NEAR:
                return self.of_root(root) + (number - self.classes.number[root])
        key = ("const", str(number))
        self.classes.add(key, number)
        self.loose.append(key)
        return self.of_root(key)

    def order(self) -> tuple[Cond, ...]:
        """How sizes that no loop ties to another lie to the other sizes."""
        conds = []
        for a in (self.symbol[root] for root in self.loose):
            for b, value in self.values.items():
                if value.is_const and value.const != self.values[a].const:
                    gap = var(b) - var(a) if value.const > self.values[a].const else var(a) - var(b)
                    conds.append(Cond(gap - 1))
        return tuple(dict.fromkeys(conds))

    def of_root(self, root: Key) -> Lin:
        if root not in self.symbol:
            self.symbol[root] = f"N{len(self.symbol)}"
            self.values[self.symbol[root]] = const(self.classes.number[root])
        return var(self.symbol[root])


def _symbol_order(name: str) -> tuple[str, int, str]:
    digits = name.lstrip("NnA").split("_")[0]
    return name[0], int(digits) if digits.isdigit() else 0, name


def _names_used(arrays: dict[str, Array], body: tuple[Node, ...]) -> set[str]:
    used = {n for a in arrays.values() for f in a.shape for n in f.names()}
    return used | {n for node in walk(body) for f in forms(node) for n in f.names()}
