"""Questions to a dialect's verifier: is this instance accepted, and which dimensions must be equal?

Dimensions are unified by asking: two are equal if the verifier refuses the instance in which only those two are known
and differ. An instance is a production at given sizes, written in the plainest form of the target.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import permutations
from typing import Any

from raising.grammar.dialects.bindings import INFERS, SEGMENTS
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.op_signature import Op
from raising.grammar.measure.instance_reading import Reading
from raising.grammar.measure.workbench import Attrs
from raising.grammar.terms.structured_op import Map, Production
from raising.support.graphs import UnionFind
from raising.support.mlir import operand_segments
from raising.support.record import dataclass

Shape = tuple[int | None, ...]  # None: unknown


@dataclass(frozen=True)
class Typed:
    """An element type and a shape; the element of a type that is no tensor is its whole text."""

    element: str
    shape: Shape

    def __str__(self) -> str:
        return f"tensor<{''.join('?x' if n is None else f'{n}x' for n in self.shape)}{self.element}>"


@dataclass(frozen=True)
class Instance:
    """One instance of an operation: operand types, attributes, the text of its region, and its result."""

    op: Op
    operands: tuple[Typed, ...]
    attrs: Attrs
    region: str = ""
    result: Typed | None = None
    segments: tuple[int, ...] = ()
    bound: tuple[str, ...] = ()  # operations that make the last operands

    def types(self) -> tuple[Typed, ...]:
        """The operand types, then the result's if it is known."""
        return self.operands if self.result is None else (*self.operands, self.result)

    def text(self) -> str:
        """A module with one function that returns this operation's result, in generic form."""
        given, names, kinds = self.scope()
        attrs = "{" + ", ".join(f"{n} = {t}" for n, t in self.attributes()) + "}"
        region = f" ({{\n{self.region}\n}})" if self.region else ""
        return (
            f"func.func @main({given}) -> {self.result} {{\n{self.constants()}"
            f'%r = "{self.op.full_name}"({names}){region} {attrs} : ({kinds}) -> {self.result}\n'
            f"func.return %r : {self.result}\n}}\n"
        )

    def scope(self) -> tuple[str, str, str]:
        """The function's parameters, and the names and types of the operands, constants included."""
        given = ", ".join(f"%a{k}: {t}" for k, t in enumerate(self.operands))
        names = [*(f"%a{k}" for k in range(len(self.operands))), *(f"%c{k}" for k in range(len(self.bound)))]
        kinds = [*map(str, self.operands), *(text.rpartition("-> ")[2] for text in self.bound)]
        return given, ", ".join(names), ", ".join(kinds)

    def constants(self) -> str:
        """The operations that make the constant operands."""
        return "".join(f"%c{k} = {text}\n" for k, text in enumerate(self.bound))

    def attributes(self) -> Attrs:
        """The attributes, with the sizes of operand groups where the operation needs them."""
        if SEGMENTS not in self.op.traits:
            return self.attrs
        return (*self.attrs, (operand_segments.SEGMENTS, operand_segments.segments_text(*self.segments)))


class Journal:
    """A journal of questions, in memory that outlives the process: a question that ended it is not asked again."""

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, 1 << 16)
        self._deadly: set[bytes] = set()
        self.refused = 0  # what was not done again

    def note(self, what: str) -> bool:
        """Writes down what comes next; False if it is known to end the process."""
        key = f"{what}\n".encode()[-(1 << 16) :]
        self._page[: len(key)] = key
        self.refused += key in self._deadly
        return key not in self._deadly

    def blame(self) -> bool:
        """Record that the instance noted last ended the process; False if that was known already."""
        key = bytes(self._page[: self._page.find(b"\n") + 1])
        known = key in self._deadly
        self._deadly.add(key)
        return not known


class Verifier:
    """Puts instances to the verifier."""

    def __init__(self, host: Host, max_rank: int) -> None:
        self.host, self.max_rank = host, max_rank
        self.journal = Journal()
        self.queries = 0
        self._blocks: dict[tuple[str, ...], Any] = {}
        self._kinds: dict[str, Any] = {}

    def alone(self) -> Verifier:
        """The same with a journal of its own, for a process that asks beside others."""
        other = copy(self)
        other.journal = Journal()
        return other

    def result(self, instance: Instance) -> Typed | None:
        """The result type of an accepted instance; None if it is refused."""
        self.queries += 1
        if not self.journal.note(_question(instance)):
            return None
        if instance.region:
            return self._parsed(instance)
        infer = instance.result is None
        if infer and INFERS not in instance.op.traits:
            return None
        ir = self.host.ir
        block = self._block(instance)
        if block is None:
            return None
        before = len(block.operations)
        values = [*block.arguments, *(o.results[0] for o in list(block.operations)[: before - 1])]
        op = None
        with self.host.context, ir.Location.unknown():
            try:
                op = ir.Operation.create(
                    instance.op.full_name,
                    results=None if infer else [self._kind(str(instance.result))],
                    operands=values,
                    attributes={n: ir.Attribute.parse(t) for n, t in instance.attributes()},
                    infer_type=infer,
                    ip=ir.InsertionPoint.at_block_terminator(block),
                )
                op.verify()
                return typed(ir, op.results[0].type) if len(op.results) == 1 else None
            except self.host.errors:
                return None
            finally:
                for left in list(block.operations)[before - 1 : -1]:
                    left.operation.erase()

    def _parsed(self, instance: Instance) -> Typed | None:
        if instance.result is None:
            return None
        try:
            with self.host.context:
                module = self.host.ir.Module.parse(instance.text())
            return instance.result if module.operation.verify() else None
        except self.host.errors:
            return None

    def _kind(self, text: str) -> Any:
        if text not in self._kinds:
            self._kinds[text] = self.host.ir.Type.parse(text)
        return self._kinds[text]

    def _block(self, instance: Instance) -> Any:
        """A function's block with the operands in it, constants as operations; None if one cannot be made."""
        key = (*map(str, instance.operands), *instance.bound)
        if key not in self._blocks:
            given, _, _ = instance.scope()
            text = f"func.func @main({given}) {{\n{instance.constants()}func.return\n}}"
            try:
                with self.host.context:
                    self._blocks[key] = self.host.ir.Module.parse(text)
            except self.host.errors:
                self._blocks[key] = None
        module = self._blocks[key]
        return None if module is None else module.body.operations[0].regions[0].blocks[0]

    def refined(self, instance: Instance) -> Instance | None:
        """The instance with the result type that the target's own pass finds for it."""
        assert instance.result is not None
        if not self.journal.note(f"infer {_question(instance)}"):
            return None
        try:
            with self.host.context:
                module = self.host.ir.Module.parse(instance.text())
            self.host.run(self.host.target.infer, module)
        except self.host.errors:
            return None
        body = module.body.operations[0].regions[0].blocks[0]
        named = (o.operation for o in body.operations if o.operation.name == instance.op.full_name)
        found = next((typed(self.host.ir, o.results[0].type) for o in named), None)
        return None if found is None or None in found.shape else completed(self, replace(instance, result=found))

    # ---- results and dimensions ------------------------------------------------------------------

    def open_results(self, instance: Instance, elements: Sequence[str]) -> Iterator[Instance]:
        """Accepted instances with a result: inferred (None stays), or of each element and unknown sizes."""
        if INFERS in instance.op.traits:
            if self.result(instance) is not None:
                yield instance
            return
        for element in elements:
            for rank in range(self.max_rank + 1):
                tried = replace(instance, result=Typed(element, (None,) * rank))
                if self.result(tried) is not None:
                    yield tried

    def unified(self, instance: Instance) -> tuple[tuple[int, ...], ...]:
        """A class number per dimension, operand by operand (the result last if it is not found by itself)."""
        types = instance.operands if self.finds(instance.op) else instance.types()
        places = [(k, d) for k, t in enumerate(types) for d in range(len(t.shape))]
        equal = UnionFind[tuple[int, int]]()
        for i, a in enumerate(places):
            for b in places[:i]:
                if a[0] != b[0] and equal.find(a) != equal.find(b) and self._must_equal(instance, a, b):
                    equal.union(b, a)
        roots = list(dict.fromkeys(map(equal.find, places)))
        return tuple(tuple(roots.index(equal.find((k, d))) for d in range(len(t.shape))) for k, t in enumerate(types))

    def _must_equal(self, instance: Instance, a: tuple[int, int], b: tuple[int, int]) -> bool:
        types = []
        for k, t in enumerate(instance.types()):
            known = {d: n for (op, d), n in ((a, 5), (b, 7)) if op == k}
            types.append(Typed(t.element, tuple(known.get(d) for d in range(len(t.shape)))))
        return self.result(retyped(instance, types)) is None

    def finds(self, op: Op) -> bool:
        """True if result types follow from the operands, by the operation itself or the target's pass."""
        return INFERS in op.traits or bool(self.host.target.infer)

    def static_results(self, instance: Instance, elements: Sequence[str], fresh: Sequence[int]) -> Iterator[Instance]:
        """Instances whose result is a free choice: the operands' sizes and fresh ones, in all arrangements."""
        sizes = [n for t in instance.operands for n in t.shape if n is not None]
        for element in elements:
            for rank in range(self.max_rank + 1):
                for shape in _arrangements(sizes, fresh, rank):
                    tried = replace(instance, result=Typed(element, shape))
                    if self.result(tried) is not None:
                        yield tried


def _question(instance: Instance) -> str:
    """The key of a question: operation, operand ranks and the length of each attribute."""
    ranks = [*(len(t.shape) for t in instance.types()), *instance.bound]
    lengths = [t.count(",") + (">" not in t or ": " in t) for _, t in instance.attrs]
    return f"ask {instance.op.full_name} {ranks} {lengths}"


def retyped(instance: Instance, types: Sequence[Typed]) -> Instance:
    """The instance with other operand types, and another result if it has one."""
    count = len(instance.operands)
    result = types[count] if len(types) > count else None
    return replace(instance, operands=tuple(types[:count]), result=result)


def completed(verifier: Verifier, instance: Instance) -> Instance | None:
    """The instance with its result type, inferred if it was open; None if it is refused."""
    result = verifier.result(instance)
    return None if result is None or any(n is None for n in result.shape) else replace(instance, result=result)


def typed(ir: Any, kind: Any) -> Typed | None:
    """A tensor type of the bindings; None for any other."""
    if not isinstance(kind, ir.RankedTensorType):
        return None
    shape = tuple(None if kind.is_dynamic_dim(d) else kind.get_dim_size(d) for d in range(kind.rank))
    return Typed(str(kind.element_type), shape)


def _arrangements(sizes: Sequence[int], fresh: Sequence[int], rank: int) -> Iterator[tuple[int, ...]]:
    """Shapes of a rank: some of the sizes in any places, fresh ones in ascending order in the others."""
    marks: list[int | None] = [*sizes, *([None] * rank)]
    for places in dict.fromkeys(permutations(range(len(sizes) + rank), rank)):
        chosen = [marks[p] for p in places]
        free = [p for p in places if p >= len(sizes)]
        if free == sorted(free) and free == list(range(len(sizes), len(sizes) + len(free))):
            rest = iter(fresh)
            yield tuple(next(rest) if n is None else n for n in chosen)


def instance(p: Production, op: Op, sizes: Sequence[int]) -> Instance:
    """An instance of a production without a family; iteration dimension d has extent sizes[d]."""
    shapes = [_shape(p, k, sizes) for k in range(len(p.meaning.maps))]
    operands = []
    for role in p.operands:
        if role == "init":
            operands.append(Typed(p.elements[-1], ()))
        elif role.isdecimal():
            operands.append(Typed(p.elements[int(role)], shapes[int(role)]))
    bound = tuple(role for role in p.operands if role.startswith('"'))
    return Instance(op, tuple(operands), p.attrs, p.region, Typed(p.elements[-1], shapes[-1]), bound=bound)


def _shape(p: Production, number: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """The shape of an operand: its map's extents, with dimensions of extent one put in."""
    shape = list(shape_of(p.meaning.maps[number], sizes))
    for unit in sorted(p.units[number]) if p.units else ():
        shape.insert(unit, 1)
    return tuple(shape)


def shape_of(m: Map, sizes: Sequence[int]) -> tuple[int, ...]:
    """The smallest extents that a map stays inside of, for iteration dimension d of extent sizes[d]."""
    return tuple(sizes[e] if isinstance(e, int) else 1 + sum(c * (sizes[d] - 1) for d, c in e) for e in m)


def reading_of(p: Production) -> Reading:
    """The reading that an instance of a production should have."""
    start = p.operands.index("init") if "init" in p.operands else -1
    arguments = tuple(p.operands.index(str(k)) for k in range(len(p.elements) - 1))
    return Reading(p.meaning, arguments, start, units=p.units or ((),) * len(p.elements))
