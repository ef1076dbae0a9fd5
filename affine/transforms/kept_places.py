"""Index reductions: the last iteration in which a condition holds, and the iteration with the extreme value.

    for (i = 0; i < n; i++) if (c(i)) k = i;                        k = max { i : c(i) }
    for (i = 0; i < n; i++) if (x[i] > m) { m = x[i]; k = i; }      k = min { i : x[i] == m }, if m grew

A conditional store of the iteration number is no reduction that the search knows. So the number becomes a maximum or a
minimum of its own, and the store moves behind the loop, under the condition that there was such an iteration. In the
second case another loop compares each value with the final extremum. That needs values that are the same number when
they are computed again: what is loaded, widened or made positive, and nothing else. A NaN is never the extremum.
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
_COUNTER = "i64"  # the type of iteration numbers that are not themselves stored


@dataclass(frozen=True)
class _ConditionalStore:
    """`store` writes `new` where `condition` holds (or, if `inverted`, does not), and the `old` contents elsewhere.

    `choice` is the selection between the two. `new` is a scalar or, if `shift` is given, the number of the iteration
    plus that constant, in the type `element`.
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
    """A running maximum or minimum: the loop stores `value` where it compares so with the one loaded by `load`.

    `relation` is the comparison: an operation and its predicate.
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
    """The program with its index reductions as reductions; the same program if there are none."""
    reductions = _IndexReductions(program)
    body = with_loops(program.body, reductions.loop)
    return (
        replace(program, body=body, arrays=reductions.arrays, scalars=reductions.scalars)
        if reductions.count
        else program
    )


class _IndexReductions:
    """The pass: it numbers the names that it makes, and collects their arrays and scalars."""

    def __init__(self, program: Program) -> None:
        self.arrays, self.scalars, self.count = dict(program.arrays), dict(program.scalars), 0
        self.casts = all(n.element == "index" for n in walk(program.body) if isinstance(n, IndexValue))

    def loop(self, loop: Loop) -> tuple[Node, ...]:
        """The nodes in place of a loop; the loop itself if nothing is rewritten."""
        if loop.step != 1 or len(loop.lower) > 1 or len(loop.upper) > 1 or loop.parallel:
            return (loop,)
        for store in loop.body:
            update = _conditional_store(store, loop, self.scalars) if isinstance(store, Store) else None
            if update is None:
                continue
            if (extremum := _running_extremum(update, loop)) is not None:
                return self._iteration_of_extremum(loop, update, extremum)
            if not _depends_on_earlier(update.condition, loop):
                return self._last_iteration(loop, update)
        return (loop,)

    def _last_iteration(self, loop: Loop, update: _ConditionalStore) -> tuple[Node, ...]:
        """The loop with the maximum of the iterations in which a condition holds, and the store behind it."""
        build = _Builder(self, update.store.loc)
        last = build.counter(update.element, none := loop.lower[0] - 1)
        before = build.take()
        build.reduce(last, "arith.maxsi", loop.iv, none, update)
        inner = _without_update(loop, update)
        inner = replace(inner, body=(*inner.body, *build.take()))
        build.store_behind(update, build.reached(last, loop, update), last)
        return (*before, *self.loop(inner), *build.take())

    def _iteration_of_extremum(self, loop: Loop, update: _ConditionalStore, extremum: _Extremum) -> tuple[Node, ...]:
        """The loop, a loop that finds the first (or last) iteration with the extreme value, and the store."""
        build = _Builder(self, update.store.loc)
        none = loop.upper[0] if extremum.strict else loop.lower[0] - 1
        found, start = build.counter(update.element, none), ""
        best = extremum.load
        if extremum.strict:
            start = build.cell(self.arrays[best.array].element)
            build.store(start, build.load(best.array, best.subscripts))
        before = build.take()
        iv = build.fresh(loop.iv)
        value = build.recomputed(_recomputable(extremum.value, loop) or [], extremum.value, {loop.iv: var(iv)})
        op, predicate = extremum.relation
        equal = build.compute(op, (value, build.load(best.array, best.subscripts)), "i1", _EQUAL[op])
        hit = replace(update, condition=equal, inverted=False)
        build.reduce(found, "arith.minsi" if extremum.strict else "arith.maxsi", iv, none, hit)
        search = replace(loop, iv=iv, body=tuple(build.take()))
        if extremum.strict:
            now = build.load(best.array, best.subscripts), build.load(start, ())
            reached = build.compute(op, now, "i1", predicate)
        else:
            reached = build.reached(found, loop, update)
        build.store_behind(update, reached, found)
        return (*before, *self.loop(_without_update(loop, update)), search, *build.take())


class _Builder:
    """Makes nodes with new names at one place of the source."""

    def __init__(self, program: _IndexReductions, loc: Loc) -> None:
        self.program, self.loc, self.nodes = program, loc, list[Node]()

    def take(self) -> list[Node]:
        """The nodes made since the last call."""
        nodes, self.nodes = self.nodes, []
        return nodes

    def fresh(self, name: str) -> str:
        """A name that nothing in the program has."""
        self.program.count += 1
        return f"{name}_place{self.program.count}"

    def cell(self, element: str) -> str:
        """A new local memory for one number."""
        name = self.fresh("cell")
        self.program.arrays[name] = Array(name, element, (), "local")
        return name

    def counter(self, element: str, start: Lin) -> str:
        """A new local memory for an iteration number, which holds `start`."""
        cell = self.cell(element)
        self.store(cell, self.number(start, element))
        return cell

    def load(self, array: str, subscripts: tuple[Lin, ...]) -> str:
        """Write a load; the name of its value."""
        name = self.fresh("v")
        self.nodes.append(Load(name, array, subscripts, self.loc))
        return name

    def store(self, cell: str, value: str) -> None:
        """Append a store of a value."""
        self.nodes.append(Store(self.fresh("S"), cell, (), value, self.loc))

    def compute(self, op: str, args: tuple[str, ...], element: str, predicate: int | None = None) -> str:
        """A scalar operation; the name of its result."""
        name = self.fresh("v")
        attrs = () if predicate is None else (("predicate", f"{predicate} : i64"),)
        self.nodes.append(Compute(name, op, args, attrs, element, self.loc))
        return name

    def number(self, form: Lin, element: str) -> str:
        """An index expression as an integer value; its name."""
        name = self.fresh("v")
        if form.is_const:
            self.program.scalars[name] = Scalar(name, element, str(form.const))
            return name
        casts = self.program.casts
        self.nodes.append(IndexValue(name, form, "index" if casts else element, self.loc))
        return self.compute("arith.index_cast", (name,), element) if casts else name

    def reduce(self, cell: str, op: str, iv: str, none: Lin, update: _ConditionalStore) -> None:
        """Reduce into a cell the numbers of iterations in which the condition holds; the others count as `none`."""
        sides = self.number(var(iv), update.element), self.number(none, update.element)
        here = self.compute(
            "arith.select", (update.condition, *(sides[::-1] if update.inverted else sides)), update.element
        )
        self.store(cell, self.compute(op, (here, self.load(cell, ())), update.element))

    def recomputed(self, nodes: list[Load | Compute], value: str, iterators: dict[str, Lin]) -> str:
        """Write the computation of a value for another iteration; the name of the new value."""
        names: dict[str, str] = {}
        for node in nodes:
            new = names[node.dst] = self.fresh("v")
            if isinstance(node, Load):
                subscripts = tuple(f.substitute(iterators.get) for f in node.subscripts)
                self.nodes.append(replace(node, dst=new, subscripts=subscripts))
            else:
                self.nodes.append(replace(node, dst=new, args=tuple(names.get(a, a) for a in node.args)))
        return names[value]

    def reached(self, cell: str, loop: Loop, update: _ConditionalStore) -> str:
        """The truth value that a cell holds an iteration number, and not the one that stands for none."""
        args = self.load(cell, ()), self.number(loop.lower[0], update.element)
        return self.compute("arith.cmpi", args, "i1", GREATER["arith.cmpi"][1])

    def store_behind(self, update: _ConditionalStore, reached: str, cell: str) -> None:
        """Store `new` as the iteration in a cell has it, if there was such an iteration."""
        new = update.new
        if update.shift is not None:
            new = self.load(cell, ())
        if update.shift:
            new = self.compute("arith.addi", (new, self.number(Lin(update.shift), update.element)), update.element)
        old = self.load(update.store.array, update.store.subscripts)
        element = self.program.arrays[update.store.array].element
        value = self.compute("arith.select", (reached, new, old), element)
        self.nodes.append(replace(update.store, value=value))


# ---- recognition ------------------------------------------------------------------------------------


def _conditional_store(store: Store, loop: Loop, scalars: dict[str, Scalar]) -> _ConditionalStore | None:
    """A store as a conditional one, if the loop uses its array nowhere else; None for any other store."""
    made = _values(loop)
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
            return _ConditionalStore(store, choice, load, new, condition, new != sides[0], element, shift)
    return None


def _iteration(name: str, loop: Loop) -> tuple[str, int] | None:
    """Type and constant of a value that is the iteration number plus a constant; None for any other value."""
    made, element = _values(loop), ""
    node = made.get(name)
    while isinstance(node, Compute) and node.op in _CASTS:
        element = element or node.element
        node = made.get(node.args[0])
    if isinstance(node, IndexValue) and node.element != "index":
        element = element or node.element
    offset = node.form.as_offset() if isinstance(node, IndexValue) else None
    known = offset is not None and offset[0] == loop.iv and element and element not in _NARROW
    return (element, offset[1]) if known and offset is not None else None


def _running_extremum(update: _ConditionalStore, loop: Loop) -> _Extremum | None:
    """The running extremum that a conditional store follows; None if it follows none."""
    made = _values(loop)
    test = made.get(update.condition)
    if not isinstance(test, Compute) or test.op not in GREATER or update.inverted:
        return None
    number = number_of(test.attrs)
    turned = dict(zip((*GREATER[test.op], *LESS[test.op]), (*LESS[test.op], *GREATER[test.op]), strict=True))
    if number not in turned:
        return None
    left, right = test.args
    for value, other, relation in ((left, right, number), (right, left, turned[number])):
        load = made.get(other)
        if (
            isinstance(load, Load)
            and _stores_extremum(load, value, update.condition, loop)
            and _recomputable(value, loop)
        ):
            return _Extremum(load, value, (test.op, relation))
    return None


def _stores_extremum(load: Load, value: str, condition: str, loop: Loop) -> bool:
    """Whether the only store to where `load` reads writes `value` if the condition holds, else the old contents."""
    made, stores = _values(loop), [n for n in walk(loop.body) if isinstance(n, Store) and n.array == load.array]
    if len(stores) != 1 or stores[0] not in loop.body or stores[0].subscripts != load.subscripts:
        return False
    choice = made.get(stores[0].value)
    if loop.iv in _names(load) or not isinstance(choice, Compute) or choice.op != "arith.select":
        return False
    old = made.get(choice.args[2])
    same = isinstance(old, Load) and (old.array, old.subscripts) == (load.array, load.subscripts)
    return same and choice.args[:2] == (condition, value)


def _recomputable(value: str, loop: Loop) -> list[Load | Compute] | None:
    """The operations that compute a value in a loop's body; None if computing them again may give another number."""
    made, written = _values(loop), {n.array for n in walk(loop.body) if isinstance(n, Store)}
    names = computed_from([value], made)

    def is_same(name: str) -> bool:
        node = made.get(name)
        loads = isinstance(node, Load) and node.array not in written
        return loads or (isinstance(node, Compute) and node.op in _SAME_NUMBER)

    if not all(map(is_same, names)):
        return None
    return [n for n in loop.body if isinstance(n, Load | Compute) and n.dst in names]


def _depends_on_earlier(condition: str, loop: Loop) -> bool:
    """Whether the condition may depend on a value that an earlier iteration stored."""
    written = {n.array for n in walk(loop.body) if isinstance(n, Store)}
    return not written.isdisjoint(arrays_of(condition, _values(loop)))


def _without_update(loop: Loop, update: _ConditionalStore) -> Loop:
    gone = (update.store, update.choice, update.old)
    return replace(loop, body=tuple(n for n in loop.body if n not in gone))


def _values(loop: Loop) -> dict[str, Load | Compute | IndexValue]:
    """The values that a loop's own block computes, by name."""
    return values_in(loop.body)


def _names(node: Load | Store) -> set[str]:
    return {name for form in node.subscripts for name in form.names()}
