"""Probes of structured operations: what each can say, by its verifier and the lowering of what is accepted.

The space asked about: element types × attribute cases × region bodies (a *choice*), times operand ranks × shape
attributes × affine maps (a *layout*). No operation is known by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

from raising.grammar.dialects.op_signature import Op
from raising.grammar.dialects.target_dialect import Target
from raising.grammar.measure.workbench import ITERATORS, MAPS, Attrs, Bench, NotStructured, Request, tensor
from raising.grammar.probe.access_coefficients import learn
from raising.grammar.probe.templates import ELEMENTS, Template, iterators, map_samples, map_variants, truthful, values
from raising.grammar.probe.worker_pool import survivors
from raising.grammar.terms.structured_op import Body, Map, Meaning, Production, is_linear, maps_text
from raising.support.record import dataclass


@dataclass(frozen=True)
class Choice:
    """The choices that decide the scalar function: element types, enumeration cases, and the body if it is ours."""

    elements: tuple[str, ...]
    cases: Attrs
    body: Body | None


@dataclass(frozen=True)
class Layout:
    """The choices that decide the access: ranks (None: a bare scalar), shape attributes, maps if they are given."""

    ranks: tuple[int | None, ...]
    attrs: Attrs = ()
    maps: tuple[Map, ...] | None = None
    factors: tuple[tuple[str, tuple[int, ...], str], ...] = ()  # attributes that hold coefficients

    @property
    def zero_rank(self) -> str:
        """How the inputs without dimensions are typed; nothing if there are none."""
        kinds = {"scalar" if r is None else "tensor" for r in self.ranks[:-1] if not r}
        return kinds.pop() if len(kinds) == 1 else "mixed" if kinds else ""


Found = tuple[Choice, Layout, Meaning]


def probe(op: Op, target: Target, bench: Bench, bodies: tuple[Template, ...]) -> tuple[list[Production], str]:
    """The productions of one operation, and the reason if there are none."""
    why = unfit(op, target)
    if why:
        return [], why
    return _Probe(op, target, bench).run(bodies)


def unfit(op: Op, target: Target) -> str:
    """Why the signature alone rules an operation out, or nothing."""
    if target.trait not in op.traits:
        return f"has no trait {target.trait}"
    if len(op.results) != 1:
        return f"has {len(op.results)} results"
    if len(op.operands) < 2 or any(o.arity == "optional" for o in op.operands):
        return "its operands are not inputs followed by one output"
    for attr in op.required:
        if attr.kind not in (MAPS, ITERATORS) and values(attr, target.max_rank) is None:
            return f"no values are known for attributes of kind {attr.kind} ('{attr.name}')"
    return ""


class _Probe:
    """The search over one operation's choices and layouts."""

    def __init__(self, op: Op, target: Target, bench: Bench) -> None:
        self.op, self.target, self.bench = op, target, bench
        self.maps_attr = next((a for a in op.attrs if a.kind == MAPS), None)
        self.iterators_attr = next((a for a in op.required if a.kind == ITERATORS), None)
        self.cases = [a for a in op.required if a.cases and a.kind != ITERATORS]
        self.shape_attrs = [a for a in op.required if not a.cases and a.kind != MAPS]
        self.reasons: Counter[str] = Counter()
        self.layouts: dict[int, list[Layout]] = {}  # per number of inputs, those the first choice accepted
        self.free: dict[int, str] = {}  # per number of inputs with free maps, how zero ranks are typed

    def run(self, bodies: tuple[Template, ...]) -> tuple[list[Production], str]:
        """All productions, and the reason if there are none."""
        choices = self._filled() if self.op.regions else []
        if self.op.regions and not choices:
            choices = [Choice(t.elements, (), t.body) for t in bodies if self._takes(len(t.elements) - 1)]
        elif not self.op.regions:
            choices = [
                Choice((e,) * (n + 1), (), None) for n in self._input_counts(self.target.max_inputs) for e in ELEMENTS
            ]
        found = [item for choice in choices for item in self._explore(choice)]
        productions = self._productions(found)
        if productions:
            return productions, ""
        tried = f"no instance up to rank {self.target.max_rank} with up to {self.target.max_inputs} inputs"
        return [], self.reasons.most_common(1)[0][0] if self.reasons else f"{tried} is accepted"

    # ---- choices ---------------------------------------------------------------------------------

    def _input_counts(self, most: int) -> list[int]:
        groups = self.op.operands[:-1]
        tied = "SameVariadicOperandSize" in self.op.traits  # as many inputs as outputs: one
        if tied or all(g.arity == "one" for g in groups):
            return [len(groups)]
        return [n for n in range(len(groups), most + 1)]

    def _takes(self, inputs: int) -> bool:
        return inputs in self._input_counts(self.target.max_inputs)

    def _filled(self) -> list[Choice]:
        """The choices for which the dialect fills the region itself; it ends the process on others."""
        cases = list(product(*([(a.name, v) for v in a.values] for a in self.cases)))
        counts = self._input_counts(self.target.max_fixed_inputs)
        choices = [Choice(elements, case, None) for n in counts for elements in _patterns(n) for case in cases]

        def fills(choice: Choice) -> bool:
            return self.bench.fills(self._request(choice, Layout((1,) * len(choice.elements))))

        return survivors(choices, fills)

    # ---- layouts ---------------------------------------------------------------------------------

    def _explore(self, choice: Choice) -> Iterator[Found]:
        inputs = len(choice.elements) - 1
        if inputs not in self.layouts:
            found = self._found_first(choice)
            if not found and choice.body is None:
                return  # other element types may do; a body of ours has the right ones
            self.layouts[inputs] = [layout for _, layout, _ in found]
            self._note_free(inputs, found)
        else:
            found = list(self._ask(choice, self.layouts[inputs]))
        found = [f for f in found if _sensible(f)]
        if inputs in self.free:
            found = found[:1]
        yield from found

    def _found_first(self, choice: Choice) -> list[Found]:
        """The productions of the first choice with its number of inputs, with coefficients if attributes hold them."""
        found = list(self._ask(choice, self._all_layouts(choice)))
        ranks = self.target.max_fixed_rank
        if not found and self.maps_attr is None and not self.shape_attrs and choice.body is None:
            found = list(self._ask(choice, self._ranked(len(choice.elements) - 1, ranks)))
        return [self._factored(*f) if is_linear(f[2].maps) else f for f in found]

    def _factored(self, choice: Choice, layout: Layout, meaning: Meaning) -> Found:
        def request(attrs: Attrs) -> Request:
            return self._request(choice, replace(layout, attrs=(*layout.attrs, *attrs)))

        def measure(attrs: Attrs) -> Meaning | None:
            try:
                return self.bench.meaning(request(attrs))
            except NotStructured:
                return None

        learned = learn(self.op, lambda attrs: self.bench.accepts(request(attrs)), measure)
        if learned is None:
            return choice, layout, meaning
        kept = replace(layout, attrs=(*layout.attrs, *learned.attrs), factors=learned.held)
        return choice, kept, learned.meaning

    def _all_layouts(self, choice: Choice) -> Iterator[Layout]:
        inputs = len(choice.elements) - 1
        if self.maps_attr is None:
            yield from self._ranked(inputs, self.target.max_rank)
        elif self.maps_attr.optional:
            yield from self._default_and_variants(choice)
        else:
            yield from self._sampled(inputs)

    def _default_and_variants(self, choice: Choice) -> Iterator[Layout]:
        """The maps that stand when none are given, then others; samples if some must be given."""
        inputs = len(choice.elements) - 1
        default = list(self._ask(choice, self._ranked(inputs, self.target.max_rank)))
        if not default:
            yield from self._sampled(inputs)
        for _, layout, _ in default:
            yield layout
        for meaning in dict.fromkeys(m for _, _, m in default):
            for maps in map_variants(meaning.maps, meaning.num_dims):
                yield from self._mapped(meaning.num_dims, maps)

    def _ranked(self, inputs: int, rank: int) -> Iterator[Layout]:
        input_ranks = (None, *range(rank + 1))
        for attrs in product(*([(a.name, v) for v in values(a, rank) or ()] for a in self.shape_attrs)):
            for ranks in product(*([input_ranks] * inputs), range(rank + 1)):
                yield Layout(ranks, attrs)

    def _sampled(self, inputs: int) -> Iterator[Layout]:
        for dims, maps in map_samples(inputs, self.target.max_sampled_dims):
            yield from self._mapped(dims, maps)

    def _mapped(self, dims: int, maps: tuple[Map, ...]) -> Iterator[Layout]:
        assert self.maps_attr is not None
        attrs: Attrs = ((self.maps_attr.name, maps_text(maps, dims)),)
        if self.iterators_attr is not None:
            attrs += ((self.iterators_attr.name, iterators(self.iterators_attr, dims, maps[-1])),)
        ranks = tuple(len(m) for m in maps)
        yield Layout(ranks, attrs, maps)
        if 0 in ranks[:-1]:
            yield Layout((*(r or None for r in ranks[:-1]), ranks[-1]), attrs, maps)

    def _note_free(self, inputs: int, found: list[Found]) -> None:
        """Maps are free if they are what was given, always, and their number of dimensions is not fixed.

        Of those a few samples suffice for all further choices, with and without a reduction.
        """
        given = all(layout.maps == meaning.maps for _, layout, meaning in found)
        if not given or len({meaning.num_dims for _, _, meaning in found}) < 2:
            return
        self.free[inputs] = _typing(layout.zero_rank for _, layout, _ in found)
        reducing = [layout for _, layout, meaning in found if meaning.reduced]
        plain = [layout for _, layout, meaning in found if not meaning.reduced]
        self.layouts[inputs] = plain[:3] + reducing[:3]

    # ---- asking ----------------------------------------------------------------------------------

    def _request(self, choice: Choice, layout: Layout) -> Request:
        pairs = zip(choice.elements, layout.ranks, strict=True)
        types = tuple(e if r is None else tensor(e, r) for e, r in pairs)
        return Request(self.op, types, (*choice.cases, *layout.attrs), choice.body)

    def _ask(self, choice: Choice, layouts: Iterable[Layout]) -> Iterator[Found]:
        asked = list(layouts)
        for layout in survivors(asked, lambda x: self.bench.accepts(self._request(choice, x))):
            try:
                meaning = self.bench.meaning(self._request(choice, layout))
            except NotStructured as why:
                self.reasons[str(why)] += 1
                continue
            if truthful(choice.elements, meaning.body):
                yield choice, layout, meaning
            else:
                self.reasons["computes with truth values as signed integers"] += 1

    # ---- productions -----------------------------------------------------------------------------

    def _productions(self, found: list[Found]) -> list[Production]:
        """One production per meaning: of several attributes that say the same, the first stands."""
        typings: dict[Production, list[str]] = {}
        attrs: dict[Production, Attrs] = {}
        for choice, layout, meaning in found:
            free = len(choice.elements) - 1 in self.free
            key = Production(self.op.full_name, choice.cases, choice.elements, meaning, free, factors=layout.factors)
            typings.setdefault(key, []).append(layout.zero_rank)
            held = {name for name, _, _ in layout.factors}
            own = tuple(sorted(a for a in (*choice.cases, *layout.attrs) if a[0] not in held))
            attrs.setdefault(key, choice.cases if free else own)
        return [replace(p, attrs=attrs[p], zero_rank=self._zero_rank(p, typings[p])) for p in typings]

    def _zero_rank(self, production: Production, seen: list[str]) -> str:
        if production.free_maps:
            return self.free[len(production.elements) - 1]
        return _typing(seen)


def _typing(seen: Iterable[str]) -> str:
    kinds = set(seen) & {"scalar", "tensor"}
    return "both" if len(kinds) == 2 else kinds.pop() if kinds else ""


def _patterns(inputs: int) -> list[tuple[str, ...]]:
    """Element types for operations that fill their own region; mixed ones would only add casts."""
    same = [(e,) * (inputs + 1) for e in ELEMENTS]
    return same + [("i1", e, e, e) for e in ELEMENTS[:-1] if inputs == 3]


def _sensible(found: Found) -> bool:
    """A body of ours accumulates exactly where dimensions are reduced."""
    choice, _, meaning = found
    return choice.body is None or meaning.body.reads_output == bool(meaning.reduced)
