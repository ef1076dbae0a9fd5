"""Finds what each operation of a dialect of pure tensor operations can say.

An instance is accepted by the verifier, lowered by the target's own pipeline,
and read from the trace of what is left. No operation is known by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from grammar.ask import Asker, Instance
from grammar.bench import NotStructured
from grammar.bindings import INFERS
from grammar.crosscheck import Executor
from grammar.families import families
from grammar.fields import Choice, Fields, NoFields
from grammar.host import Host
from grammar.isolate import Died, guarded
from grammar.layouts import SIZES, Flavour, Layout, Layouts
from grammar.lowering import Lowering
from grammar.meaning import Production
from grammar.model import Op
from grammar.reading import Reading, read
from grammar.target import Target
from grammar.templates import ELEMENTS, truthful

_RANGES = ((0.25, 0.9), (-2.0, 2.0))  # of random input: where all functions are defined, and both signs


@dataclass(frozen=True)
class Workshop:
    """What every probe needs: the dialect's MLIR, its verifier and its lowering."""

    target: Target
    host: Host
    asker: Asker
    lowering: Lowering
    executor: Executor

    def read(self, instance: Instance) -> Reading:
        """What an accepted instance does, by its lowering alone."""
        return read(self.lowering.trace(instance.text()))

    def checked(self, instance: Instance) -> Reading:
        """The same, after comparison with the executor."""
        trace = self.lowering.trace(instance.text())
        reading = read(trace)
        if self.executor.check(instance, reading, trace, _RANGES) == 0:
            raise NotStructured("the executor cannot run it")
        return reading


@dataclass(frozen=True)
class Region:
    """A region made of one of the target's own operations on tensors of rank zero."""

    elements: tuple[str, ...]
    text: str


def regions(productions: Sequence[Production], terminator: str) -> tuple[Region, ...]:
    """A region per production that computes on tensors of rank zero."""
    found = []
    for p in productions:
        if p.family or p.region or any(p.meaning.maps) or not p.meaning.body.instrs:
            continue
        args = [f"%b{k}" for k in range(len(p.elements) - 1)]
        kinds = [f"tensor<{e}>" for e in p.elements]
        given = ", ".join(f"{a}: {t}" for a, t in zip(args, kinds, strict=False))
        attrs = "{" + ", ".join(f"{n} = {t}" for n, t in p.attrs) + "}"
        order = ", ".join(args[int(o)] for o in p.operands)
        text = (
            f"^bb0({given}):\n"
            f'%c = "{p.op}"({order}) {attrs} : ({", ".join(kinds[int(o)] for o in p.operands)}) -> {kinds[-1]}\n'
            f'"{terminator}"(%c) : ({kinds[-1]}) -> ()'
        )
        found.append(Region(p.elements, text))
    return tuple(dict.fromkeys(found))


def probe(op: Op, shop: Workshop, bodies: tuple[Region, ...]) -> tuple[list[Production], str]:
    """The productions of one operation, and the reason if there are none."""
    why = unfit(op)
    if why:
        return [], why
    try:
        return _Probe(op, shop, Fields(op, shop.host)).run(bodies)
    except NoFields as kind:
        return [], str(kind)


def guarded_probe(op: Op, shop: Workshop, bodies: tuple[Region, ...]) -> tuple[list[Production], str]:
    """The same in child processes; a question that ends one is left out of the next."""
    while True:
        try:
            return guarded(lambda: probe(op, shop, bodies), 600)
        except Died as how:
            if not shop.asker.journal.blame():
                return [], str(how)


def unfit(op: Op) -> str:
    """Why the signature alone rules an operation out, or nothing."""
    if len(op.results) > 1:
        return f"has {len(op.results)} results"
    if len(op.regions) > 1:
        return f"has {len(op.regions)} regions"
    if not op.operands and not op.required:
        return "has neither operands nor attributes"
    return ""


class _Probe:
    """The search over one operation's element types, regions and layouts."""

    def __init__(self, op: Op, shop: Workshop, fields: Fields) -> None:
        self.op, self.shop, self.fields = op, shop, fields
        self.layouts = Layouts(op, fields, shop.asker, shop.target.max_sampled_dims)
        self.reasons: Counter[str] = Counter()
        self.found: dict[tuple[object, ...], Production] = {}
        self.moves: list[tuple[Instance, Choice, Reading]] = []

    def run(self, bodies: tuple[Region, ...]) -> tuple[list[Production], str]:
        """All productions, and the reason if there are none."""
        for segments in self.layouts.counts(self.shop.target.max_inputs):
            known: list[Layout] | None = None
            for flavour in self._flavours(sum(segments), bodies):
                if known is None:
                    known = self._explore(flavour, segments)
                else:
                    self._reuse(flavour, segments, known)
        productions = list(self.found.values())
        loose = any(o.arity == "variadic" for o in self.op.operands) and not self.op.regions
        if self.moves or loose or any(f.sort != "case" for f in self.fields.fields):
            productions += families(self.op, self.fields, self.layouts, self.shop, self.moves)
        productions = _useful(productions)
        if productions:
            return productions, ""
        tried = f"no instance up to rank {self.shop.target.max_rank} is accepted"
        if self.shop.asker.journal.refused:
            tried = "instances of it end the process that probes them"
        return [], self.reasons.most_common(1)[0][0] if self.reasons else tried

    def _flavours(self, count: int, bodies: tuple[Region, ...]) -> Iterator[Flavour]:
        elements = sorted(product(ELEMENTS, repeat=count + 1), key=lambda e: len(set(e)))
        if count > 1 and INFERS not in self.op.traits:  # mixed ones would only add casts
            elements = [e for e in elements if len(set(e)) == 1]
        for chosen in elements:
            if not self.op.regions:
                yield Flavour(chosen)
            for body in bodies if self.op.regions else ():
                if body.elements[-1] == chosen[-1] and set(chosen[:-1]) == set(body.elements[:-1]):
                    yield Flavour(chosen, body.text)

    # ---- layouts ---------------------------------------------------------------------------------

    def _explore(self, flavour: Flavour, segments: tuple[int, ...]) -> list[Layout] | None:
        """The layouts that mean something; None if this flavour is not accepted at all."""
        small = list(self.layouts.small(flavour, segments))
        if not small:
            return None
        kept = [layout for layout in small if self._take(flavour, segments, layout)]
        if not kept:
            return None
        larger = list(self.layouts.larger(flavour, segments, kept))
        return kept + [layout for layout in larger if self._take(flavour, segments, layout)]

    def _reuse(self, flavour: Flavour, segments: tuple[int, ...], known: list[Layout]) -> None:
        misses = 0
        for layout in known:
            if self._take(flavour, segments, layout, checked=True):
                misses = -len(known)
            else:
                misses += 1
            if misses > 3:
                return

    def _take(self, flavour: Flavour, segments: tuple[int, ...], layout: Layout, checked: bool = False) -> bool:
        """Adds the production of a layout; False if it has none. With `checked` it is known to be free of sizes."""
        instance = self.layouts.sized(flavour, segments, layout, SIZES[0])
        if instance is None:
            return False
        try:
            reading = self.shop.checked(instance)
            if reading.family:
                self.moves.append((instance, layout.choice, reading))
                return False
            production = produced(instance, reading)
            if not checked and not self._free_of_sizes(flavour, segments, layout, reading):
                raise NotStructured("its attributes hold sizes")
        except NotStructured as why:
            self.reasons[str(why)] += 1
            return False
        key = (production.elements, production.meaning, production.operands)
        self.found.setdefault(key, production)
        return True

    def _free_of_sizes(self, flavour: Flavour, segments: tuple[int, ...], layout: Layout, reading: Reading) -> bool:
        maps = reading.meaning.maps
        if INFERS in self.op.traits and {d for m in maps[:-1] for d in m} != {d for m in maps for d in m}:
            return False
        if not layout.choice:
            return True
        other = self.layouts.sized(flavour, segments, layout, SIZES[1])
        return other is not None and self.shop.read(other) == reading


def _useful(productions: list[Production]) -> list[Production]:
    """Without those that change nothing, unless the operation can do nothing else."""
    kept = [p for p in productions if p.family or p.meaning.body.instrs or p.meaning.maps[0] != p.meaning.maps[-1]]
    return kept or productions


def produced(instance: Instance, reading: Reading) -> Production:
    """The production that an instance and its reading make."""
    assert instance.result is not None
    kinds = [t.element for t in instance.operands]
    roles = []
    for k in range(len(kinds)):
        if k in reading.arguments:
            roles.append(str(reading.arguments.index(k)))
        elif k == reading.start:
            roles.append("init")
        else:
            raise NotStructured("an operand has no part in the result")
    elements = (*(kinds[k] for k in reading.arguments), instance.result.element)
    if not truthful(elements, reading.meaning.body):
        raise NotStructured("computes with truth values as signed integers")
    zero = "tensor" if not reading.family and () in reading.meaning.maps[:-1] else ""
    return Production(
        instance.op.full_name,
        tuple(sorted(instance.attrs)),
        elements,
        reading.meaning,
        zero_rank=zero,
        operands=tuple(roles),
        region=instance.region,
        family=reading.family,
    )
