"""Probes of dialects of pure tensor operations: what each operation can say.

An instance is accepted by the verifier, lowered by the target's own pipeline, and read from the trace of the lowered
function. No operation is known by name. A target without a constant operation of its own makes constants by an
operation that its configuration names (`filling`).
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from itertools import product

from raising.grammar.crosscheck.crosscheck import Job
from raising.grammar.dialects.bindings import INFERS
from raising.grammar.dialects.op_signature import Attr, Op, Operand
from raising.grammar.measure.instance_reading import Reading
from raising.grammar.measure.verifier import Instance, Typed
from raising.grammar.measure.workbench import NotStructured
from raising.grammar.probe.attribute_fields import Choice, Fields, NoFields
from raising.grammar.probe.layouts import SIZES, Flavour, Layout, Layouts
from raising.grammar.probe.movement_families import families
from raising.grammar.probe.templates import Region
from raising.grammar.probe.worker_pool import Died, guarded
from raising.grammar.probe.workshop import Workshop, produced
from raising.grammar.terms.scalar_ops import CASTS
from raising.grammar.terms.structured_op import Excluded, Production

_BOUND = 2  # operands of one operation that may have to be constants
_ENDS = tuple(f"signal {number:d}" for number in (signal.SIGALRM, signal.SIGPROF))
_DEATHS, _SECONDS = 100, 30  # how often an operation may end its process, and how long it may take


def probe(op: Op, shop: Workshop, bodies: tuple[Region, ...]) -> tuple[list[Production], str]:
    """The productions of one operation, and the reason if there are none."""
    why = unfit(op)
    for bound in () if why else _bindings(op, shop.target.constants):
        try:
            found, reason = _Probe(op, shop, Fields(op, shop.host, bound)).run(bodies)
        except NoFields as kind:
            return [], str(kind)
        if found:
            return found, ""
        why = why or reason
    return [], why


def _bindings(op: Op, constants: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Which of the last operands are constants, and of what form: none first."""
    single = all(o.arity == "one" for o in op.operands)
    for count in range(min(max(len(op.operands), 1), _BOUND + 1) if single else 1):
        yield from product(constants, repeat=count)


def guarded_probe(op: Op, shop: Workshop, bodies: tuple[Region, ...]) -> tuple[list[Production], str]:
    """The same in child processes; what ends one is not done again, up to a limit."""
    for _ in range(_DEATHS):
        try:
            return guarded(lambda: probe(op, shop, bodies), _SECONDS)
        except Died as how:
            if str(how).endswith(_ENDS) or not shop.verifier.journal.blame():
                return [], str(how)
    return [], f"more than {_DEATHS} of its instances end the process that probes them"


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
        self.layouts = Layouts(op, fields, shop.verifier, shop.target.max_sampled_dims, shop.lowers)
        self.reasons: Counter[str] = Counter()
        self.found: dict[tuple[object, ...], tuple[Production, Job]] = {}
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
        productions = self._agreeing()
        loose = any(o.arity == "variadic" for o in self.op.operands) and not self.op.regions
        if self.moves or loose or any(f.sort != "case" for f in self.fields.fields):
            productions += families(self.op, self.fields, self.layouts, self.shop, self.moves)
        productions = _useful(productions)
        if productions:
            return productions, ""
        tried = f"no instance up to rank {self.shop.target.max_rank} is accepted"
        if self.shop.verifier.journal.refused:
            tried = "instances of it end the process that probes them"
        return [], self.reasons.most_common(1)[0][0] if self.reasons else tried

    def _agreeing(self) -> list[Production]:
        """The productions that the executor confirms."""
        found = list(self.found.values())
        answers = self.shop.check([job for _, job in found])
        self.reasons.update(why for why in answers if why)
        return [p for (p, _), why in zip(found, answers, strict=True) if not why]

    def _flavours(self, count: int, bodies: tuple[Region, ...]) -> Iterator[Flavour]:
        elements = sorted(product(self.shop.target.elements, repeat=count + 1), key=lambda e: len(set(e)))
        if count > 1 and INFERS not in self.op.traits:  # mixed numbers would only add casts
            elements = [e for e in elements if len(set(e) - {"i1"}) < 2 and (e[0] == "i1" or "i1" not in e[1:-1])]
        if count == 1 and INFERS not in self.op.traits and not self.op.regions:
            elements += self._widths()
        for chosen in elements:
            if not self.op.regions:
                yield Flavour(chosen)
            for body in bodies if self.op.regions else ():
                if body.elements[-1] == chosen[-1] and set(chosen[:-1]) == set(body.elements[:-1]):
                    yield Flavour(chosen, body.text)

    def _widths(self) -> Iterator[tuple[str, ...]]:
        """Pairs of one kind of numbers, of which one is wider."""
        target = self.shop.target
        for a, b in product(target.elements, target.narrow):
            if a[0] == b[0] and "i1" not in (a, b):
                yield from ((b, a), (a, b))

    # ---- layouts ---------------------------------------------------------------------------------

    def _explore(self, flavour: Flavour, segments: tuple[int, ...]) -> list[Layout] | None:
        """The layouts that mean something; None if this flavour is not accepted at all."""
        if self.fields.held_by_operands:
            return None
        small = list(self.layouts.small(flavour, segments))
        if not small and any(f.sort == "dims" for f in self.fields.fields):
            return None
        kept = [layout for layout in small if self._take(flavour, segments, layout)]
        if small and not kept:
            return None
        larger = list(self.layouts.larger(flavour, segments, kept))
        kept += [layout for layout in larger if self._take(flavour, segments, layout)]
        if self.shop.target.units:
            whole = len({layout.ranks for layout in kept}) == 1
            narrow = [layout for layout in kept if max(layout.ranks, default=0) < self.shop.target.max_rank]
            units = [u for layout in narrow for u in layout.stretched(whole)]
            kept += [layout for layout in units if self._take(flavour, segments, layout)]
        return kept or None

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
            reading, trace = self.shop.read(instance)
            if reading.family:
                self.moves.append((instance, layout.choice, reading))
                return False
            production = produced(instance, reading)
            self._refuse_casts(production)
            if not checked and not self._free_of_sizes(flavour, segments, layout, reading):
                raise NotStructured("its attributes hold sizes")
        except NotStructured as why:
            self.reasons[str(why)] += 1
            return False
        key = (production.elements, production.meaning, production.operands, production.units)
        self.found.setdefault(key, (production, Job(instance, reading, trace)))
        return True

    def _refuse_casts(self, p: Production) -> None:
        """An operation of several operands whose element types are chosen freely: mixed ones only add casts."""
        casts = any(i.op in CASTS for i in p.meaning.body.instrs)
        if casts and len(p.operands) > 1 and INFERS not in self.op.traits and not p.region:
            raise NotStructured("mixes element types")

    def _free_of_sizes(self, flavour: Flavour, segments: tuple[int, ...], layout: Layout, reading: Reading) -> bool:
        maps = reading.meaning.maps
        fixed = self.shop.verifier.finds(self.op)
        if fixed and {d for m in maps[:-1] for d in m} != {d for m in maps for d in m}:
            return False
        if not layout.choice:
            return True
        other = self.layouts.sized(flavour, segments, layout, SIZES[1])
        return other is not None and self.shop.read(other)[0] == reading


def _useful(productions: list[Production]) -> list[Production]:
    """Without those that change nothing, unless the operation can do nothing else."""
    kept = [p for p in productions if p.family or p.meaning.body.instrs or p.meaning.maps[0] != p.meaning.maps[-1]]
    return kept or productions


_VALUES = {"f64": "1.5", "i32": "3", "i1": "true"}
_SHAPE = (2, 3)


def filling(shop: Workshop) -> tuple[list[Production], list[Excluded]]:
    """A production per element type for tensors of one value, if the target names an operation for them."""
    fill = shop.target.fill
    if fill is None:
        return [], []
    dialect, _, name = fill.operation.partition(".")
    op = Op(dialect, name, (), (Attr(fill.attribute, "ElementsAttr"),), (Operand("result", ""),), (), ())
    found, excluded = [], []
    for element, value in _VALUES.items():
        kind = Typed(element, _SHAPE)
        text = fill.form.replace("{type}", str(kind)).replace("{}", value)
        try:
            reading = shop.read(Instance(op, (), ((fill.attribute, text),), "", kind))[0]
            if reading.family != "fill":
                raise NotStructured("does not make a tensor of one value")
        except NotStructured as why:
            excluded.append(Excluded(op.full_name, f"{element}: {why}"))
            continue
        roles = ((fill.attribute, "value", fill.form),)
        found.append(Production(op.full_name, (), (element,), reading.meaning, family="fill", roles=roles))
    return found, excluded
