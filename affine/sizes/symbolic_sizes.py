"""Symbolic sizes: a program at 1000 × 1100 becomes one at N0 × N1.

Two constants become one symbol only where one loop variable connects them (`size_classes`), so that a program whose
sizes are all 1000 still has distinct dimensions. A constant that differs by at most `NEAR` from such a size becomes the
symbol plus an offset: 999 is `N0 - 1`. The length of a table whose elements are stored one by one stays a number.

Consecutive numbers that conditions compare with one index form a run, and share one symbol: `i <= 499` and `i == 500`
become `i <= N1` and `i == N1 + 1`, which still exclude each other and leave no iteration between them.

The places of a dimension that no loop goes along are fields: where they lie close to each other, a size that moves the
last of them onto the others would be another program, and it stays a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from raising.affine.ir.affine_expr import Cond, Lin, between, const, var
from raising.affine.ir.program import Guard, Load, Loop, Node, Program, Store, forms, walk
from raising.affine.ir.rewriting import with_forms
from raising.affine.sizes.size_classes import NEAR, Classes, Key, loop_ranges, size_classes
from raising.support.record import dataclass

MOST_ONE_BY_ONE = 8
"""Stores to constant subscripts of a dimension, at different places, beyond which its size is no symbol."""


@dataclass(frozen=True)
class Generalised:
    """A program over size symbols, and the value that each symbol has in the source."""

    program: Program
    values: dict[str, Lin]


def generalise(program: Program, small: int = NEAR, tie: bool = True) -> Generalised:
    """Replace size constants above `small` by symbols, and (to `tie`) `?` extents by the size that loops give them."""
    program = _wrapped(program)
    general = _Rewriter(program, size_classes(program, small), small).run()
    return _unwrapped(_tied_extents(general, frozenset(program.sizes)) if tie else general)


def _wrapped(program: Program) -> Program:
    """The program inside of its outer loops, so that their bounds and uses count too."""
    body = program.body
    for loop in reversed(program.outer):
        body = (replace(loop, body=body),)
    return replace(program, body=body)


def _unwrapped(general: Generalised) -> Generalised:
    """The program without its outer loops; their variables are sizes, and the loops' bounds conditions on them."""
    program = general.program
    body, outer, context = program.body, [], list(program.context)
    for _ in program.outer:
        loop = body[0]
        assert isinstance(loop, Loop)
        body = loop.body
        outer.append(replace(loop, body=()))
        context += between(loop.iv, loop.lower, loop.upper)
    names = tuple(loop.iv for loop in outer)
    values = {**general.values, **{n: var(n) for n in names}}
    sizes = (*(n for n in program.sizes if n not in names), *names)
    program = replace(program, body=body, outer=tuple(outer), context=tuple(context), sizes=sizes)
    return Generalised(program, values)


def _tied_extents(general: Generalised, open_: frozenset[str]) -> Generalised:
    """The program in which each of the `open_` extents whose accesses end at one common bound is that bound."""
    program, chosen = general.program, dict[str, Lin]()
    for name, ends in _ends(program, open_).items():
        known = [end for end in ends if end is not None]
        largest = max(known, key=lambda f: f.const, default=Lin(0))
        if len(known) == len(ends) and all((end - largest).is_const for end in known):
            chosen[name] = largest
    shapes = {n: tuple(s.substitute(chosen.get) for s in a.shape) for n, a in program.arrays.items()}
    arrays = {n: replace(a, shape=shapes[n]) for n, a in program.arrays.items()}
    return _used(Generalised(replace(program, arrays=arrays), general.values))


def _ends(program: Program, open_: frozenset[str]) -> dict[str, list[Lin | None]]:
    """For each of the `open_` extents, one more than the last subscript of each access (None: not a form in sizes)."""
    loops = {n.iv: _tightened(n) for n in walk(program.body) if isinstance(n, Loop)}
    found: dict[str, list[Lin | None]] = {}
    for access, guarded in _accesses(program.body):
        for extent, subscript in zip(program.arrays[access.array].shape, access.subscripts, strict=True):
            name, offset = extent.as_offset() or ("", 0)
            if offset or name not in open_ or subscript.is_const:
                continue
            walked = [loops[n] for n in subscript.names() & loops.keys()]
            if any(len(loop.upper) > 1 for loop in walked):  # these end at the least of several bounds
                continue
            rare = guarded and not (walked and subscript.as_offset())  # perhaps a last element, at some sizes only
            last = None if rare else _last(subscript, loops)
            found.setdefault(name, []).append(None if last is None else last + 1)
    return found


def _tightened(loop: Loop) -> Loop:
    """A loop that ends with its last iteration in which the loop inside of it runs: `i < n - 1` around `i < j < n`."""
    if len(loop.body) > 1 or not isinstance(inner := loop.body[0], Loop) or len(loop.upper) > 1:
        return loop
    inner = _tightened(inner)
    if len(inner.lower) > 1 or len(inner.upper) > 1:
        return loop
    last = inner.upper[0] - inner.lower[0] - 1 + var(loop.iv)
    fewer = last + 1 - loop.upper[0]
    return replace(loop, upper=(last + 1,)) if fewer.is_const and fewer.const < 0 else loop


def _used(general: Generalised) -> Generalised:
    """The program with only those sizes that occur in it."""
    program = general.program
    used = {n for a in program.arrays.values() for f in a.shape for n in f.names()}
    used |= {n for node in walk(program.body) for f in forms(node) for n in f.names()}
    context = tuple(c for c in program.context if c.form.names() <= used)
    values = {n: v for n, v in general.values.items() if n in used}
    sizes = tuple(sorted(values, key=_symbol_order))
    return Generalised(replace(program, sizes=sizes, context=context), values)


def _accesses(nodes: tuple[Node, ...], guarded: bool = False) -> Iterator[tuple[Load | Store, bool]]:
    """All accesses, and whether each is inside of a condition."""
    for node in nodes:
        if isinstance(node, Loop | Guard):
            yield from _accesses(node.body, guarded or isinstance(node, Guard))
        elif isinstance(node, Load | Store):
            yield node, guarded


def _last(form: Lin, loops: dict[str, Loop]) -> Lin | None:
    """The largest value of a form over all iterations of loops, as a form in sizes; None if it is not one."""
    if any(not isinstance(atom, str) and atom.inner.names() & loops.keys() for atom, _ in form.terms):
        return None
    for name in reversed(loops):  # inner loops first: their bounds are forms in the outer ones
        c = next((c for atom, c in form.terms if atom == name), 0)
        loop = loops[name]
        ends = loop.upper if c > 0 else loop.lower
        if c and (len(ends) > 1 or (c > 0 and loop.step > 1)):  # the last step may end before the bound
            return None
        if c:
            form = form + (ends[0] - (1 if c > 0 else 0) - var(name)).scaled(c)
    return form


class _Rewriter:
    """Replaces a program's constants by symbols, and holds the symbols' values."""

    def __init__(self, program: Program, classes: Classes, small: int) -> None:
        self.program, self.classes, self.small = program, classes, small
        self.symbol: dict[Key, str] = {}
        self.untied_runs: dict[
            Key, tuple[int, tuple[Key, ...]]
        ] = {}  # of no loop: the largest number of its run, and the axes
        self.values: dict[str, Lin] = {n: var(n) for n in program.sizes}
        told = (*_of_tables(program), *_of_fields(program, small))
        self.fixed = frozenset(classes.find(key) for key in told if key in classes.number)
        self.compared = dict(self.classes_of_compared())

    def run(self) -> Generalised:
        arrays = {
            a.name: replace(a, shape=tuple(self.form(s, ("dim", a.name, str(k))) for k, s in enumerate(a.shape)))
            for a in self.program.arrays.values()
        }
        body = tuple(self.node(n) for n in self.program.body)
        program = replace(self.program, arrays=arrays, body=body)
        program = replace(program, context=(*program.context, *self.positive(), *self.order()))
        return _used(Generalised(program, self.values))

    def node(self, node: Node) -> Node:
        match node:
            case Load() | Store():
                hints = [("dim", node.array, str(k)) for k in range(len(node.subscripts))]
                forms = tuple(self.form(f, h) for f, h in zip(node.subscripts, hints, strict=True))
                return replace(node, subscripts=forms)
            case Loop(iv=iv):
                new = with_forms(node, lambda form: self.form(form, ("iv", iv)))
                return replace(new, body=tuple(map(self.node, node.body)))
            case Guard():
                return replace(with_forms(node, self.condition), body=tuple(map(self.node, node.body)))
            case _:
                return with_forms(node, self.form)

    def form(self, form: Lin, *hints: Key) -> Lin:
        """The form with symbols for its constant and those in its quotients."""
        if not form.is_const and (self.axes(form), abs(form.const)) in self.compared:
            return self.condition(form)
        out = self.atoms(form, lambda inner: self.form(inner, *hints))
        if abs(form.const) <= self.small:
            return out + form.const
        roots = self.roots([*hints, *(("iv", n) for n in sorted(form.names()))])
        if not self.fixed.isdisjoint(roots):
            return out + form.const
        root = next((r for r in (*roots, *self.untied_runs) if self.distance(r, form.const) <= NEAR), None)
        return out + self.written(form.const, root or self.untied(range(abs(form.const), abs(form.const) + 1), ()))

    def condition(self, form: Lin) -> Lin:
        """A form of a condition: its constant is replaced only if it belongs to a run of compared numbers."""
        root = self.compared.get((self.axes(form), abs(form.const)))
        return self.atoms(form, self.condition) + self.written(form.const, root)

    def atoms(self, form: Lin, inside: Callable[[Lin], Lin]) -> Lin:
        """A form without its constant; `inside` is applied to what is divided in its quotients."""
        plain = Lin(0, form.terms)
        return plain.with_atoms(lambda a: var(a) if isinstance(a, str) else inside(a.inner).floordiv(a.divisor))

    def written(self, number: int, root: Key | None) -> Lin:
        """A constant as the symbol of a class and an offset, or unchanged if it has no class."""
        if root is None:
            return const(number)
        sign = 1 if number > 0 else -1
        return (self.of_root(root) + (abs(number) - self.classes.number[root])).scaled(sign)

    # ---- which class a constant belongs to ----

    def classes_of_compared(self) -> Iterator[tuple[tuple[tuple[Key, ...], int], Key | None]]:
        """The class of each number that conditions compare with, by the indices' axes and the number."""
        found: dict[tuple[Key, ...], set[int]] = {}
        for form in _compared(self.program):
            if form.const:
                found.setdefault(self.axes(form), set()).add(abs(form.const))
        for axes, numbers in found.items():
            for run in _runs(numbers):
                root = self.class_of_run(run, axes)
                yield from (((axes, number), root) for number in run)

    def class_of_run(self, run: range, axes: tuple[Key, ...]) -> Key | None:
        """The class of a run of numbers that indices of some `axes` are compared with; None for small numbers.

        It is that of an axis whose length is close to the run, or of another run close to it, or a new one.
        """
        low, high = run[0], run[-1]
        if not self.fixed.isdisjoint(axes):
            return None
        reach = NEAR if low > self.small else 2 if low > 2 else -1
        near = [*axes, *(root for root, (_, others) in self.untied_runs.items() if others == axes)]
        root = next((r for r in near if min(self.distance(r, low), self.distance(r, high)) <= reach), None)
        return root or (self.untied(run, axes) if low > self.small else None)

    def untied(self, run: range, axes: tuple[Key, ...]) -> Key:
        """A new class for the numbers of a run, which no loop variable connects with others."""
        key = ("const", str(run[0]), *(part for axis in axes for part in axis))
        self.classes.add(key, run[0])
        self.untied_runs[key] = run[-1], axes
        return key

    def axes(self, form: Lin) -> tuple[Key, ...]:
        """The classes of the loops of a form's indices."""
        return self.roots([("iv", n) for n in sorted(form.names())])

    def roots(self, keys: list[Key]) -> tuple[Key, ...]:
        return tuple(dict.fromkeys(self.classes.find(k) for k in keys if k in self.classes.number))

    def distance(self, root: Key, number: int) -> int:
        return abs(self.classes.number[root] - abs(number))

    def positive(self) -> tuple[Cond, ...]:
        """Conditions that each symbol is at least 1, or twice the length of a short loop.

        A short loop that counts down from the end of an array does not meet one that counts up from its start in the
        source; the second bound keeps them apart at all sizes.
        """
        back = {n for access, _ in _accesses(self.program.body) for f in access.subscripts for n, c in f.terms if c < 0}
        short = {2 * r[1] for iv, r in loop_ranges(self.program).items() if r is not None and iv in back}
        least = {1, *(length for length in short if 0 < length <= 2 * self.small)}
        known = [(n, v.const) for n, v in self.values.items() if v.is_const]
        return tuple(Cond(var(n) - max(k for k in least if k <= number)) for n, number in known)

    def order(self) -> tuple[Cond, ...]:
        """Conditions that symbols of untied runs compare with the other symbols as the source's numbers do."""
        named = {self.symbol[root]: high for root, (high, _) in self.untied_runs.items() if root in self.symbol}
        conds = []
        for a, high in named.items():
            low = self.values[a].const
            for b, value in self.values.items():
                if value.is_const and value.const > low:
                    conds.append(Cond(var(b) - var(a) - 1 - (high - low if value.const > high else 0)))
                elif value.is_const and value.const < low:
                    span = named.get(b, value.const) - value.const
                    conds.append(Cond(var(a) - var(b) - 1 - (span if value.const + span < low else 0)))
        return tuple(dict.fromkeys(conds))

    def of_root(self, root: Key) -> Lin:
        if root not in self.symbol:
            self.symbol[root] = f"N{len(self.symbol)}"
            self.values[self.symbol[root]] = const(self.classes.number[root])
        return var(self.symbol[root])


def _of_tables(program: Program) -> Iterator[Key]:
    """The dimensions that are stored to one by one, at many numbers or all, and the loops that go along them.

    What such a table holds ties its length down, and with it what else is done with it.
    """
    stored: dict[Key, set[tuple[int | None, ...]]] = {}
    walked: dict[Key, set[Key]] = {}
    for access, _ in _accesses(program.body):
        at = tuple(subscript.const if subscript.is_const else None for subscript in access.subscripts)
        for k, subscript in enumerate(access.subscripts):
            dim: Key = ("dim", access.array, str(k))
            walked.setdefault(dim, set()).update(("iv", name) for name in subscript.names())
            if at[k] is not None and isinstance(access, Store):
                stored.setdefault(dim, set()).add(at)
    for dim, positions in stored.items():
        _, array, axis = dim
        each = {at[int(axis)] for at in positions}
        if len(positions) > MOST_ONE_BY_ONE or program.arrays[array].shape[int(axis)] == const(len(each)):
            yield from (dim, *walked[dim])


def _of_fields(program: Program, small: int) -> Iterator[Key]:
    """The dimensions that no loop goes along, with places counted from the end close to those from the start."""
    places: dict[Key, set[int | None]] = {}
    for access, _ in _accesses(program.body):
        for k, subscript in enumerate(access.subscripts):
            at = subscript.const if subscript.is_const else None
            places.setdefault(("dim", access.array, str(k)), set()).add(at)
    for dim, found in places.items():
        known = [place for place in found if place is not None]
        first, last = ([p for p in known if (p > small) == behind] for behind in (False, True))
        if len(known) == len(found) and first and last and min(last) - max(first) <= NEAR:
            yield dim


def _compared(program: Program) -> list[Lin]:
    """The forms of conditions, and those inside of their quotients."""
    found = [form for node in walk(program.body) if isinstance(node, Guard) for form in forms(node)]
    return found + [quotient.inner for form in found for quotient in form.quotients()]


def _runs(numbers: set[int]) -> Iterator[range]:
    """The numbers as ranges of consecutive ones."""
    for low in sorted(n for n in numbers if n - 1 not in numbers):
        high = low
        while high + 1 in numbers:
            high += 1
        yield range(low, high + 1)


def _symbol_order(name: str) -> tuple[str, int, str]:
    digits = name.lstrip("NnA").split("_")[0]
    return name[0], int(digits) if digits.isdigit() else 0, name
