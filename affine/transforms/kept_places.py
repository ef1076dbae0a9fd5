"""Places that a loop keeps: the last iteration in which a condition holds, and the one with the largest value.

    for (i = 0; i < n; i++) if (c(i)) k = i;                        k = i at the largest i with c(i)
    for (i = 0; i < n; i++) if (x[i] > m) { m = x[i]; k = i; }      k = i at the least i with x[i] == m, if m grew

The iteration is a maximum or minimum of its own, and what is kept is chosen behind the loop. A value is compared again
where it is only loaded, widened or without its sign: then it is the same number. No NaN is the largest value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import (
    Array,
    Compute,
    IndexValue,
    Load,
    Loop,
    Node,
    Program,
    Scalar,
    Store,
    walk,
    with_loops,
)
from raising.affine.transforms.delays import arrays_of
from raising.support.mlir.predicates import number_of
from raising.support.record import dataclass
from raising.support.source import Loc

_CASTS = ("arith.index_cast", "arith.extsi")
_SAME_NUMBER = ("arith.extsi", "arith.extui", "arith.extf", "math.absf")
_GREATER = {"arith.cmpf": (2, 3), "arith.cmpi": (4, 5)}  # predicates by their number: ogt, oge; sgt, sge
_LESS = {"arith.cmpf": (4, 5), "arith.cmpi": (2, 3)}  # olt, ole; slt, sle
_EQUAL = {"arith.cmpf": 1, "arith.cmpi": 0}
_NARROW = ("i1", "i8", "i16")  # which C counts in without a sign, beyond what their largest number with one is
_COUNTER = "i64"  # of iterations whose number is not what is kept


@dataclass(frozen=True)
class _Kept:
    """A store of `new` where the condition `test` holds (or, not `taken`, does not), and of what was there elsewhere.

    `new` is a scalar, or (`shift`) the number of the iteration plus a constant, in the type `element`.
    """

    store: Store
    choice: Compute
    old: Load
    new: str
    test: str
    taken: bool
    element: str
    shift: int | None


@dataclass(frozen=True)
class _Best:
    """A cell `best` that gets `value` where `relation`, an operation and its predicate, holds of the two."""

    best: Load
    value: str
    relation: tuple[str, int]

    @property
    def strict(self) -> bool:
        """Whether an equal value changes nothing."""
        op, number = self.relation
        return number in (_GREATER[op][0], _LESS[op][0])


def with_places_apart(program: Program) -> Program:
    """The program with such places computed apart; the same one if there are none."""
    worker = _Worker(program)
    body = with_loops(program.body, worker.loop)
    return replace(program, body=body, arrays=worker.arrays, scalars=worker.scalars) if worker.count else program


class _Worker:
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
            best = _best(kept, loop)
            if best is not None or not _needs_earlier(kept.test, loop):
                before, inner, after = self._apart(loop, kept, best)
                return (*before, *self.loop(inner), *after)
        return (loop,)

    def _apart(self, loop: Loop, kept: _Kept, best: _Best | None) -> tuple[list[Node], Loop, list[Node]]:
        """The nodes before a loop, the loop without the values that it keeps, and the nodes behind it."""
        write = _Writer(self, kept.store.loc)
        cell = write.cell(kept.element)
        none = loop.upper[0] if best is not None and best.strict else loop.lower[0] - 1
        write.store(cell, (), write.number(none, kept.element))
        inner, seeking, start = _without(loop, kept), list[Node](), ""
        if best is None:
            step = write.taken(lambda: write.step(loop.iv, kept.test, kept.taken, (cell, kept.element, none)))
            inner = replace(inner, body=(*inner.body, *step))
        else:
            if best.strict:
                start = write.cell(self.arrays[best.best.array].element)
                write.store(start, (), write.load(best.best.array, best.best.subscripts))
            seeking = [self._second(write, loop, best, (cell, kept.element, none))]
        before, write.nodes = write.nodes, []
        met = write.met(kept, best, cell, start, loop.lower[0])
        place = kept.new if kept.shift is None else write.shifted(write.load(cell, ()), kept)
        old = write.load(kept.store.array, kept.store.subscripts)
        element = self.arrays[kept.store.array].element
        value = write.compute("arith.select", (met, place, old), element)
        write.nodes.append(replace(kept.store, value=value))
        return before, inner, [*seeking, *write.nodes]

    def _second(self, write: _Writer, loop: Loop, best: _Best, target: tuple[str, str, Lin]) -> Loop:
        """The loop that finds the value again."""
        iv = write.fresh(loop.iv)

        def body() -> None:
            value = write.again(_content(best.value, loop) or [], best.value, loop.iv, iv)
            top = write.load(best.best.array, best.best.subscripts)
            op = best.relation[0]
            write.step(iv, write.compute(op, (value, top), "i1", _EQUAL[op]), True, target, best.strict)

        return replace(loop, iv=iv, body=tuple(write.taken(body)))


class _Writer:
    """Nodes at one place of the source, under names of their own."""

    def __init__(self, worker: _Worker, loc: Loc) -> None:
        self.worker, self.loc, self.nodes = worker, loc, list[Node]()

    def fresh(self, name: str) -> str:
        """A name that nothing has."""
        self.worker.count += 1
        return f"{name}_place{self.worker.count}"

    def taken(self, emit: Callable[[], None]) -> list[Node]:
        """The nodes that `emit` appends, taken off."""
        outer, self.nodes = self.nodes, []
        emit()
        found, self.nodes = self.nodes, outer
        return found

    def cell(self, element: str) -> str:
        """A memory for a number."""
        name = self.fresh("cell")
        self.worker.arrays[name] = Array(name, element, (), "local")
        return name

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
            self.worker.scalars[name] = Scalar(name, element, str(form.const))
            return name
        casts = self.worker.casts
        self.nodes.append(IndexValue(name, form, "index" if casts else element, self.loc))
        return self.compute("arith.index_cast", (name,), element) if casts else name

    def step(self, iv: str, test: str, taken: bool, target: tuple[str, str, Lin], least: bool = False) -> None:
        """The largest (or least) number of an iteration in which a test holds (or, not `taken`, does not)."""
        cell, element, none = target
        sides = self.number(var(iv), element), self.number(none, element)
        here = self.compute("arith.select", (test, *(sides if taken else sides[::-1])), element)
        args = (here, self.load(cell, ()))
        self.store(cell, (), self.compute("arith.minsi" if least else "arith.maxsi", args, element))

    def again(self, content: list[Node], value: str, old: str, new: str) -> str:
        """A value as another iteration has it."""
        names: dict[str, str] = {}
        for node in content:
            assert isinstance(node, Load | Compute)
            names[node.dst] = self.fresh("v")
            if isinstance(node, Load):
                places = tuple(f.substitute({old: var(new)}.get) for f in node.subscripts)
                self.nodes.append(replace(node, dst=names[node.dst], subscripts=places))
            else:
                args = tuple(names.get(a, a) for a in node.args)
                self.nodes.append(replace(node, dst=names[node.dst], args=args))
        return names[value]

    def met(self, kept: _Kept, best: _Best | None, cell: str, start: str, first: Lin) -> str:
        """Whether there was such an iteration."""
        if best is None or not start:
            args = self.load(cell, ()), self.number(first, kept.element)
            return self.compute("arith.cmpi", args, "i1", _GREATER["arith.cmpi"][1])
        op, number = best.relation
        args = self.load(best.best.array, best.best.subscripts), self.load(start, ())
        return self.compute(op, args, "i1", number)

    def shifted(self, number: str, kept: _Kept) -> str:
        """What is kept of an iteration."""
        if not kept.shift:
            return number
        return self.compute("arith.addi", (number, self.number(Lin(kept.shift), kept.element)), kept.element)


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
    test, *sides = choice.args
    for new, old in (sides, sides[::-1]):
        load = made.get(old)
        if not isinstance(load, Load) or (load.array, load.subscripts) != (store.array, store.subscripts):
            continue
        form = _iteration(new, loop)
        alone = _uses(load.dst, inside) == _uses(choice.dst, inside) == 1
        if alone and (form is not None or new in scalars):
            element, shift = form or (_COUNTER, None)
            return _Kept(store, choice, load, new, test, new == sides[0], element, shift)
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


def _best(kept: _Kept, loop: Loop) -> _Best | None:
    """The largest or smallest value whose place is kept."""
    made = _made(loop)
    test = made.get(kept.test)
    if not isinstance(test, Compute) or test.op not in _GREATER or not kept.taken:
        return None
    number = number_of(test.attrs)
    turned = dict(zip((*_GREATER[test.op], *_LESS[test.op]), (*_LESS[test.op], *_GREATER[test.op]), strict=True))
    if number not in turned:
        return None
    left, right = test.args
    for value, other, relation in ((left, right, number), (right, left, turned[number])):
        load = made.get(other)
        if isinstance(load, Load) and _keeps(load, value, kept.test, loop) and _content(value, loop) is not None:
            return _Best(load, value, (test.op, relation))
    return None


def _keeps(load: Load, value: str, test: str, loop: Loop) -> bool:
    """Whether a loop puts a value where a load is from, if a test holds, and nothing else."""
    made, stores = _made(loop), [n for n in walk(loop.body) if isinstance(n, Store) and n.array == load.array]
    if len(stores) != 1 or stores[0] not in loop.body or stores[0].subscripts != load.subscripts:
        return False
    choice = made.get(stores[0].value)
    if loop.iv in _names(load) or not isinstance(choice, Compute) or choice.op != "arith.select":
        return False
    old = made.get(choice.args[2])
    same = isinstance(old, Load) and (old.array, old.subscripts) == (load.array, load.subscripts)
    return same and choice.args[:2] == (test, value)


def _content(value: str, loop: Loop) -> list[Node] | None:
    """The operations that compute a value in a loop's body; None if computing them again may give another number."""
    made, written = _made(loop), {n.array for n in walk(loop.body) if isinstance(n, Store)}
    needed, pending = set[str](), [value]
    while pending:
        name = pending.pop()
        node = made.get(name)
        if isinstance(node, Load) and node.array not in written:
            needed.add(name)
        elif isinstance(node, Compute) and node.op in _SAME_NUMBER:
            needed.add(name)
            pending += node.args
        else:
            return None
    return [n for n in loop.body if isinstance(n, Load | Compute) and n.dst in needed]


def _needs_earlier(test: str, loop: Loop) -> bool:
    """Whether a value may depend on what an earlier iteration stored."""
    written = {n.array for n in walk(loop.body) if isinstance(n, Store)}
    return not written.isdisjoint(arrays_of(test, _made(loop)))


def _without(loop: Loop, kept: _Kept) -> Loop:
    gone = (kept.store, kept.choice, kept.old)
    return replace(loop, body=tuple(n for n in loop.body if n not in gone))


def _made(loop: Loop) -> dict[str, Load | Compute | IndexValue]:
    """The values that a loop's own block computes, by name."""
    return {n.dst: n for n in loop.body if isinstance(n, Load | Compute | IndexValue)}


def _names(node: Load | Store) -> set[str]:
    return {name for form in node.subscripts for name in form.names()}


def _uses(name: str, nodes: list[Node]) -> int:
    """How often a value is an operand."""
    uses = [n.args for n in nodes if isinstance(n, Compute)] + [(n.value,) for n in nodes if isinstance(n, Store)]
    return sum(args.count(name) for args in uses)
