"""Places that a loop keeps: the last iteration in which a condition holds, and the one with the largest value.

    for (i = 0; i < n; i++) if (c(i)) k = i;                        k = i at the largest i with c(i)
    for (i = 0; i < n; i++) if (x[i] > m) { m = x[i]; k = i; }      k = i at the least i with x[i] == m, if m grew

The iteration is a maximum or minimum of its own, and what is kept is chosen behind the loop. A value is compared again
where it is only loaded, widened or without its sign: then it is the same number. No NaN is the largest value.
"""

from __future__ import annotations

from dataclasses import replace

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Array, Compute, IndexValue, Load, Loop, Node, Program, Scalar, Store, walk
from raising.affine.ir.rewriting import with_loops
from raising.affine.ir.value_names import computed_from, uses, values_in
from raising.affine.transforms.delays import arrays_of
from raising.support.mlir.predicates import GREATER, LESS, number_of
from raising.support.record import dataclass
from raising.support.source import Loc

_CASTS = ("arith.index_cast", "arith.extsi")
_SAME_NUMBER = ("arith.extsi", "arith.extui", "arith.extf", "math.absf")
_EQUAL = {"arith.cmpf": 1, "arith.cmpi": 0}
_NARROW = ("i1", "i8", "i16")  # which C counts in without a sign, beyond what their largest number with one is
_COUNTER = "i64"  # of iterations whose number is not what is kept


@dataclass(frozen=True)
class _Kept:
    """A store of `new` where `condition` holds (or, `inverted`, does not), and of the `old` contents elsewhere.

    `new` is a scalar, or (`shift`) the number of the iteration plus a constant, in the type `element`.
    """

    store: Store
    choice: Compute
    old: Load
    new: str
    condition: str
    inverted: bool
    element: str
    shift: int | None


@dataclass(frozen=True)
class _Extremum:
    """The largest or smallest `value` so far: a loop stores it where `relation` holds of it and what it loads.

    The relation is an operation and its predicate.
    """

    load: Load
    value: str
    relation: tuple[str, int]

    @property
    def strict(self) -> bool:
        """Whether an equal value changes nothing."""
        op, number = self.relation
        return number in (GREATER[op][0], LESS[op][0])


def with_places_apart(program: Program) -> Program:
    """The program with such places computed apart; the same one if there are none."""
    apart = _Apart(program)
    body = with_loops(program.body, apart.loop)
    return replace(program, body=body, arrays=apart.arrays, scalars=apart.scalars) if apart.count else program


class _Apart:
    """The pass: it counts the names that it makes, and adds their arrays and scalars."""

    def __init__(self, program: Program) -> None:
        self.arrays, self.scalars, self.count = dict(program.arrays), dict(program.scalars), 0
        self.casts = all(n.element == "index" for n in walk(program.body) if isinstance(n, IndexValue))

    def loop(self, loop: Loop) -> tuple[Node, ...]:
        """What stands for a loop, itself if nothing is rewritten."""
        if loop.step != 1 or len(loop.lower) > 1 or len(loop.upper) > 1 or loop.parallel:
            return (loop,)
        for store in loop.body:
            kept = _kept(store, loop, self.scalars) if isinstance(store, Store) else None
            if kept is None:
                continue
            if (extremum := _extremum(kept, loop)) is not None:
                return self._of_extremum(loop, kept, extremum)
            if not _needs_earlier(kept.condition, loop):
                return self._of_condition(loop, kept)
        return (loop,)

    def _of_condition(self, loop: Loop, kept: _Kept) -> tuple[Node, ...]:
        """The loop with the maximum of the iterations in which a condition holds, and what is kept behind it."""
        build = _Builder(self, kept.store.loc)
        last = build.counter(kept.element, none := loop.lower[0] - 1)
        before = build.flush()
        build.reduce(last, "arith.maxsi", loop.iv, none, kept)
        inner = _without(loop, kept)
        inner = replace(inner, body=(*inner.body, *build.flush()))
        build.keep(kept, build.reached(last, loop, kept), last)
        return (*before, *self.loop(inner), *build.flush())

    def _of_extremum(self, loop: Loop, kept: _Kept, extremum: _Extremum) -> tuple[Node, ...]:
        """The loop, one that finds the first (or last) iteration with the extreme value, and what is kept."""
        build = _Builder(self, kept.store.loc)
        none = loop.upper[0] if extremum.strict else loop.lower[0] - 1
        found, start = build.counter(kept.element, none), ""
        best = extremum.load
        if extremum.strict:
            start = build.cell(self.arrays[best.array].element)
            build.store(start, (), build.load(best.array, best.subscripts))
        before = build.flush()
        iv = build.fresh(loop.iv)
        value = build.computed_again(_operations_of(extremum.value, loop) or [], extremum.value, {loop.iv: var(iv)})
        op, predicate = extremum.relation
        equal = build.compute(op, (value, build.load(best.array, best.subscripts)), "i1", _EQUAL[op])
        hit = replace(kept, condition=equal, inverted=False)
        build.reduce(found, "arith.minsi" if extremum.strict else "arith.maxsi", iv, none, hit)
        search = replace(loop, iv=iv, body=tuple(build.flush()))
        if extremum.strict:
            now = build.load(best.array, best.subscripts), build.load(start, ())
            reached = build.compute(op, now, "i1", predicate)
        else:
            reached = build.reached(found, loop, kept)
        build.keep(kept, reached, found)
        return (*before, *self.loop(_without(loop, kept)), search, *build.flush())


class _Builder:
    """Nodes at one place of the source, under names of their own."""

    def __init__(self, program: _Apart, loc: Loc) -> None:
        self.program, self.loc, self.nodes = program, loc, list[Node]()

    def flush(self) -> list[Node]:
        """The nodes built since the last time."""
        nodes, self.nodes = self.nodes, []
        return nodes

    def fresh(self, name: str) -> str:
        """A name that nothing has."""
        self.program.count += 1
        return f"{name}_place{self.program.count}"

    def cell(self, element: str) -> str:
        """A memory for a number."""
        name = self.fresh("cell")
        self.program.arrays[name] = Array(name, element, (), "local")
        return name

    def counter(self, element: str, start: Lin) -> str:
        """A memory for the number of an iteration."""
        cell = self.cell(element)
        self.store(cell, (), self.number(start, element))
        return cell

    def load(self, array: str, subscripts: tuple[Lin, ...]) -> str:
        """What a memory holds."""
        name = self.fresh("v")
        self.nodes.append(Load(name, array, subscripts, self.loc))
        return name

    def store(self, array: str, subscripts: tuple[Lin, ...], value: str) -> None:
        """A store."""
        self.nodes.append(Store(self.fresh("S"), array, subscripts, value, self.loc))

    def compute(self, op: str, args: tuple[str, ...], element: str, predicate: int | None = None) -> str:
        """A scalar operation."""
        name = self.fresh("v")
        attrs = () if predicate is None else (("predicate", f"{predicate} : i64"),)
        self.nodes.append(Compute(name, op, args, attrs, element, self.loc))
        return name

    def number(self, form: Lin, element: str) -> str:
        """An index as an integer."""
        name = self.fresh("v")
        if form.is_const:
            self.program.scalars[name] = Scalar(name, element, str(form.const))
            return name
        casts = self.program.casts
        self.nodes.append(IndexValue(name, form, "index" if casts else element, self.loc))
        return self.compute("arith.index_cast", (name,), element) if casts else name

    def reduce(self, cell: str, op: str, iv: str, none: Lin, kept: _Kept) -> None:
        """Reduce to a cell the numbers of iterations in which a condition holds, and `none` for the others."""
        sides = self.number(var(iv), kept.element), self.number(none, kept.element)
        here = self.compute("arith.select", (kept.condition, *(sides[::-1] if kept.inverted else sides)), kept.element)
        self.store(cell, (), self.compute(op, (here, self.load(cell, ())), kept.element))

    def computed_again(self, nodes: list[Load | Compute], value: str, iterators: dict[str, Lin]) -> str:
        """A value as another iteration has it."""
        names: dict[str, str] = {}
        for node in nodes:
            new = names[node.dst] = self.fresh("v")
            if isinstance(node, Load):
                subscripts = tuple(f.substitute(iterators.get) for f in node.subscripts)
                self.nodes.append(replace(node, dst=new, subscripts=subscripts))
            else:
                self.nodes.append(replace(node, dst=new, args=tuple(names.get(a, a) for a in node.args)))
        return names[value]

    def reached(self, cell: str, loop: Loop, kept: _Kept) -> str:
        """Whether a cell holds the number of an iteration."""
        args = self.load(cell, ()), self.number(loop.lower[0], kept.element)
        return self.compute("arith.cmpi", args, "i1", GREATER["arith.cmpi"][1])

    def keep(self, kept: _Kept, reached: str, cell: str) -> None:
        """Store what is kept, of the iteration in a cell, if there was one."""
        new = kept.new
        if kept.shift is not None:
            new = self.load(cell, ())
        if kept.shift:
            new = self.compute("arith.addi", (new, self.number(Lin(kept.shift), kept.element)), kept.element)
        old = self.load(kept.store.array, kept.store.subscripts)
        element = self.program.arrays[kept.store.array].element
        value = self.compute("arith.select", (reached, new, old), element)
        self.nodes.append(replace(kept.store, value=value))


# ---- what a loop says -----------------------------------------------------------------------------


def _kept(store: Store, loop: Loop, scalars: dict[str, Scalar]) -> _Kept | None:
    """What a store of a loop keeps, if nothing else asks for it."""
    made = _made(loop)
    choice = made.get(store.value)
    if not isinstance(choice, Compute) or choice.op != "arith.select" or loop.iv in _names(store):
        return None
    inside = list(walk(loop.body))
    if sum(isinstance(n, Load | Store) and n.array == store.array for n in inside) != 2:
        return None
    condition, *sides = choice.args
    for new, old in (sides, sides[::-1]):
        load = made.get(old)
        if not isinstance(load, Load) or (load.array, load.subscripts) != (store.array, store.subscripts):
            continue
        form = _iteration(new, loop)
        alone = uses(load.dst, inside) == uses(choice.dst, inside) == 1
        if alone and (form is not None or new in scalars):
            element, shift = form or (_COUNTER, None)
            return _Kept(store, choice, load, new, condition, new != sides[0], element, shift)
    return None


def _iteration(name: str, loop: Loop) -> tuple[str, int] | None:
    """The type and the constant of a value that is the number of the iteration and a constant."""
    made, element = _made(loop), ""
    node = made.get(name)
    while isinstance(node, Compute) and node.op in _CASTS:
        element = element or node.element
        node = made.get(node.args[0])
    if isinstance(node, IndexValue) and node.element != "index":
        element = element or node.element
    offset = node.form.as_offset() if isinstance(node, IndexValue) else None
    known = offset is not None and offset[0] == loop.iv and element and element not in _NARROW
    return (element, offset[1]) if known and offset is not None else None


def _extremum(kept: _Kept, loop: Loop) -> _Extremum | None:
    """The largest or smallest value whose place is kept."""
    made = _made(loop)
    test = made.get(kept.condition)
    if not isinstance(test, Compute) or test.op not in GREATER or kept.inverted:
        return None
    number = number_of(test.attrs)
    turned = dict(zip((*GREATER[test.op], *LESS[test.op]), (*LESS[test.op], *GREATER[test.op]), strict=True))
    if number not in turned:
        return None
    left, right = test.args
    for value, other, relation in ((left, right, number), (right, left, turned[number])):
        load = made.get(other)
        if isinstance(load, Load) and _keeps(load, value, kept.condition, loop) and _operations_of(value, loop):
            return _Extremum(load, value, (test.op, relation))
    return None


def _keeps(load: Load, value: str, condition: str, loop: Loop) -> bool:
    """Whether a loop puts a value where a load is from, if a condition holds, and nothing else."""
    made, stores = _made(loop), [n for n in walk(loop.body) if isinstance(n, Store) and n.array == load.array]
    if len(stores) != 1 or stores[0] not in loop.body or stores[0].subscripts != load.subscripts:
        return False
    choice = made.get(stores[0].value)
    if loop.iv in _names(load) or not isinstance(choice, Compute) or choice.op != "arith.select":
        return False
    old = made.get(choice.args[2])
    same = isinstance(old, Load) and (old.array, old.subscripts) == (load.array, load.subscripts)
    return same and choice.args[:2] == (condition, value)


def _operations_of(value: str, loop: Loop) -> list[Load | Compute] | None:
    """The operations that compute a value in a loop's body; None if computing them again may give another number."""
    made, written = _made(loop), {n.array for n in walk(loop.body) if isinstance(n, Store)}
    names = computed_from([value], made)

    def is_same(name: str) -> bool:
        node = made.get(name)
        loads = isinstance(node, Load) and node.array not in written
        return loads or (isinstance(node, Compute) and node.op in _SAME_NUMBER)

    if not all(map(is_same, names)):
        return None
    return [n for n in loop.body if isinstance(n, Load | Compute) and n.dst in names]


def _needs_earlier(condition: str, loop: Loop) -> bool:
    """Whether a value may depend on what an earlier iteration stored."""
    written = {n.array for n in walk(loop.body) if isinstance(n, Store)}
    return not written.isdisjoint(arrays_of(condition, _made(loop)))


def _without(loop: Loop, kept: _Kept) -> Loop:
    gone = (kept.store, kept.choice, kept.old)
    return replace(loop, body=tuple(n for n in loop.body if n not in gone))


def _made(loop: Loop) -> dict[str, Load | Compute | IndexValue]:
    """The values that a loop's own block computes, by name."""
    return values_in(loop.body)


def _names(node: Load | Store) -> set[str]:
    return {name for form in node.subscripts for name in form.names()}
