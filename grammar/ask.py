"""Asks a dialect's verifier: is this instance accepted, and which dimensions must be equal?

Dimensions are unified by asking: two are equal if the verifier refuses the
instance in which only those two are known and differ.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from grammar.bench import Attrs
from grammar.bindings import INFERS, SEGMENTS
from grammar.host import Host
from grammar.model import Op

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

    def types(self) -> tuple[Typed, ...]:
        """The operand types, then the result's if it is known."""
        return self.operands if self.result is None else (*self.operands, self.result)

    def text(self) -> str:
        """A module with one function that returns this operation's result, in generic form."""
        names = ", ".join(f"%a{k}" for k in range(len(self.operands)))
        kinds = ", ".join(str(t) for t in self.operands)
        given = ", ".join(f"%a{k}: {t}" for k, t in enumerate(self.operands))
        attrs = "{" + ", ".join(f"{n} = {t}" for n, t in self.attributes()) + "}"
        region = f" ({{\n{self.region}\n}})" if self.region else ""
        return (
            f"func.func @main({given}) -> {self.result} {{\n"
            f'%r = "{self.op.full_name}"({names}){region} {attrs} : ({kinds}) -> {self.result}\n'
            f"func.return %r : {self.result}\n}}\n"
        )

    def attributes(self) -> Attrs:
        """The attributes, with the sizes of operand groups where the operation needs them."""
        if SEGMENTS not in self.op.traits:
            return self.attrs
        return (*self.attrs, ("operandSegmentSizes", f"array<i32: {', '.join(map(str, self.segments))}>"))


class Journal:
    """What is being asked, in memory that outlives the process, so that a question that ends it is not asked again.

    Questions are known by operation, operand ranks and the length of each attribute.
    """

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, 4096)
        self._deadly: set[bytes] = set()
        self.refused = 0  # questions not asked again

    def note(self, instance: Instance) -> bool:
        """Writes down a question; False if it is known to end the process."""
        ranks = [len(t.shape) for t in instance.types()]
        lengths = [t.count(",") + (">" not in t or ": " in t) for _, t in instance.attrs]
        key = f"{instance.op.full_name} {ranks} {lengths}\n".encode()
        self._page[: len(key)] = key
        self.refused += key in self._deadly
        return key not in self._deadly

    def blame(self) -> bool:
        """Takes the last question for what ended a process; False if that was known already."""
        key = bytes(self._page[: self._page.find(b"\n") + 1])
        known = key in self._deadly
        self._deadly.add(key)
        return not known


class Asker:
    """Puts instances to the verifier."""

    def __init__(self, host: Host, max_rank: int) -> None:
        self.host, self.max_rank = host, max_rank
        self.journal = Journal()
        self._blocks: dict[tuple[str, ...], Any] = {}
        self._kinds: dict[str, Any] = {}

    def result(self, instance: Instance) -> Typed | None:
        """The result type of an accepted instance; None if it is refused."""
        if not self.journal.note(instance):
            return None
        if instance.region:
            return self._parsed(instance)
        infer = instance.result is None
        if infer and INFERS not in instance.op.traits:
            return None
        ir = self.host.ir
        block = self._block(tuple(str(t) for t in instance.operands))
        op = None
        with self.host.context, ir.Location.unknown():
            try:
                op = ir.Operation.create(
                    instance.op.full_name,
                    results=None if infer else [self._kind(str(instance.result))],
                    operands=list(block.arguments),
                    attributes={n: ir.Attribute.parse(t) for n, t in instance.attributes()},
                    infer_type=infer,
                    ip=ir.InsertionPoint.at_block_begin(block),
                )
                op.verify()
                return typed(ir, op.results[0].type) if len(op.results) == 1 else None
            except self.host.errors:
                return None
            finally:
                for left in list(block.operations)[:-1]:
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

    def _block(self, types: tuple[str, ...]) -> Any:
        if types not in self._blocks:
            given = ", ".join(f"%a{k}: {t}" for k, t in enumerate(types))
            with self.host.context:
                self._blocks[types] = self.host.ir.Module.parse(f"func.func @main({given}) {{ func.return }}")
        return self._blocks[types].body.operations[0].regions[0].blocks[0]

    # ---- results and dimensions ------------------------------------------------------------------

    def open_results(self, instance: Instance, elements: Sequence[str]) -> Iterator[Instance]:
        """Accepted instances with a result: inferred (None stays), or of each element and unknown sizes."""
        if INFERS in instance.op.traits:
            if self.result(instance) is not None:
                yield instance
            return
        for element in elements:
            for rank in range(self.max_rank + 1):
                tried = _with(instance, Typed(element, (None,) * rank))
                if self.result(tried) is not None:
                    yield tried

    def unified(self, instance: Instance) -> tuple[tuple[int, ...], ...]:
        """A class number per dimension, operand by operand (the result last if it is not inferred)."""
        types = instance.types()
        places = [(k, d) for k, t in enumerate(types) for d in range(len(t.shape))]
        parent = {p: p for p in places}

        def find(p: tuple[int, int]) -> tuple[int, int]:
            return p if parent[p] == p else find(parent[p])

        for i, a in enumerate(places):
            for b in places[:i]:
                if a[0] != b[0] and find(a) != find(b) and self._must_equal(instance, a, b):
                    parent[find(a)] = find(b)
        roots = list(dict.fromkeys(find(p) for p in places))
        return tuple(tuple(roots.index(find((k, d))) for d in range(len(t.shape))) for k, t in enumerate(types))

    def _must_equal(self, instance: Instance, a: tuple[int, int], b: tuple[int, int]) -> bool:
        types = []
        for k, t in enumerate(instance.types()):
            known = {d: n for (op, d), n in ((a, 5), (b, 7)) if op == k}
            types.append(Typed(t.element, tuple(known.get(d) for d in range(len(t.shape)))))
        return self.result(retyped(instance, types)) is None

    def static_results(self, instance: Instance, elements: Sequence[str], fresh: Sequence[int]) -> Iterator[Instance]:
        """Instances whose result is a free choice: the operands' sizes and fresh ones, in all arrangements."""
        sizes = [n for t in instance.operands for n in t.shape if n is not None]
        for element in elements:
            for rank in range(self.max_rank + 1):
                for shape in _arrangements(sizes, fresh, rank):
                    tried = _with(instance, Typed(element, shape))
                    if self.result(tried) is not None:
                        yield tried


def retyped(instance: Instance, types: Sequence[Typed]) -> Instance:
    """The instance with other operand types, and another result if it has one."""
    count = len(instance.operands)
    result = types[count] if len(types) > count else None
    return Instance(instance.op, tuple(types[:count]), instance.attrs, instance.region, result, instance.segments)


def _with(instance: Instance, result: Typed) -> Instance:
    return Instance(instance.op, instance.operands, instance.attrs, instance.region, result, instance.segments)


def completed(asker: Asker, instance: Instance) -> Instance | None:
    """The instance with its result type, inferred if it was open; None if it is refused."""
    result = asker.result(instance)
    return None if result is None or any(n is None for n in result.shape) else _with(instance, result)


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
