"""Composition: the parts' terms put together into one tensor program per array, then simplified.

A version of an array is the part's value where the part wrote, and the older
version elsewhere; a reader that needs only one of the two gets just that.
Nodes with equal values (at random points of the field) are merged into the
cheapest of them, which removes what distribution made twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.affine.ir.program import Program
from raising.affine.polyhedral.distribution import Distribution, Part, Version
from raising.affine.polyhedral.scop import conjunctions, context_set
from raising.grammar.evaluate.evaluator import DoesNotFit, Evaluator
from raising.grammar.evaluate.extents import reached
from raising.grammar.evaluate.sample import DRAWS, ORDERED, Dice, order_dependent, random_inputs
from raising.grammar.evaluate.size_vectors import SPARE, Unsizable, exact_vectors, places, size_vectors
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.simplify import tidy
from raising.grammar.terms.structured_op import Body
from raising.grammar.terms.term import (
    Apply,
    Either,
    Input,
    Insert,
    Mask,
    Position,
    Recur,
    TensorType,
    Term,
    Undefined,
    Window,
    nodes,
    substitute,
)
from raising.support.record import dataclass
from raising.synth.spec.spec import Crop, type_of


@dataclass(frozen=True)
class Solved:
    """A part's output with its term; `crop` tells which box of the array the term fills.

    A `whole` term is the array's contents after the part, also where the part
    does not write; the part's outputs are inputs of it, as they were before.
    """

    part: Part
    output: str
    term: Term
    crop: Crop | None
    whole: bool = False


Idle = Callable[[Term, Term, Any], bool]
"""Whether a term has the value of another on a region (an isl set)."""


class Composer:
    """Resolves versions of arrays to terms over the contents at entry.

    Where a part may not run at all, its term is taken at the other sizes, too, if `idle` says that it is then what was
    there before; else the sizes choose.
    """

    def __init__(
        self,
        distribution: Distribution,
        solved: Mapping[Version, Solved],
        undefined: frozenset[str],
        select: Body,
        idle: Idle = lambda *_: False,
    ) -> None:
        self.distribution, self.solved, self.undefined, self.select = distribution, solved, undefined, select
        self.program, self.idle = distribution.scop.program, idle
        self.context = context_set(self.program)
        self.invalid = self.context.subtract(self.context)  # the sizes at which a term misses what its part writes
        self._new: dict[Version, Term] = {}
        self._known: dict[tuple[Version, str], Term] = {}

    def final(self, array: str) -> Term:
        """The contents of the array at the end."""
        return self.resolve(self.distribution.final[array], self.distribution.scop.box(array))

    def resolve(self, version: Version, region: Any) -> Term:
        """A term that agrees with a version of an array on `region`."""
        key = version, str(region)
        if key not in self._known:
            self._known[key] = self._resolved(version, region)
        return self._known[key]

    def _resolved(self, version: Version, region: Any) -> Term:
        kind = type_of(self.program, version.array)
        if version.count == 0:
            return Undefined(kind) if version.array in self.undefined else Input(kind, version.array)
        solved = self.solved[version]
        older = Version(version.array, version.count - 1)
        mask = solved.part.masks[version.array]
        if region.intersect(mask).intersect_params(self.context).is_empty():
            return self.resolve(older, region)
        if solved.whole:
            return self.new(version)
        mask = self._constant_on(version) if _is_constant(solved) else mask
        if self._beyond(version, mask).is_empty():
            return self._written(version, region, mask, self.context)
        runs = mask.params().intersect(self.context)
        value = self._written(version, region, mask, runs)
        idle = region.intersect_params(self.context.subtract(runs))
        if idle.is_empty():
            return value
        kept = self.resolve(older, idle)
        same = self._adds_nothing(version, kept) and self.idle(value, kept, idle)
        if same or solved.crop is None:
            return value if same else self._where(runs, value, kept)
        return self._written(version, region, mask, self.context)  # a choice of the box, and not of all of the array

    def _adds_nothing(self, version: Version, kept: Term) -> bool:
        """Whether a part's term may be what was there before, where it does not run: it accumulates on just that.

        Random points may see one side only of a choice, so that those of the term's inputs have to be those before.
        No point shows that `sum / n` is no number where nothing is summed up: a quotient by zero has a residue.
        """
        solved = self.solved[version]
        own = [n for n in solved.term.nodes() if _branches(n)]
        given = {d for t in self._given(solved).values() for d in _choices(t)}
        same = given == _choices(kept) and all(isinstance(n, Apply) and n.body.reads_output for n in own)
        return same and not any(map(_divides, solved.term.nodes()))

    def _beyond(self, version: Version, mask: Any) -> Any:
        """What a version's term fills although its part does not write there."""
        box = self.solved[version].crop
        filled = self.distribution.scop.box(version.array) if box is None else box.region
        return filled.intersect_params(self.context).subtract(mask)

    def _where(self, runs: Any, yes: Term, no: Term) -> Term:
        """One term at the sizes of a set, another one at all others."""
        conds = conjunctions(runs.gist(self.context).coalesce(), ())
        others = conjunctions(self.context.subtract(runs).gist(self.context).coalesce(), ())
        if len(others) < len(conds):
            conds, yes, no = others, no, yes
        for each in conds:
            no = Either(yes.type, each, yes, no)
        return no

    def _written(self, version: Version, region: Any, mask: Any, context: Any) -> Term:
        """A version at the sizes of `context`: its part's value where that writes, and the older version elsewhere."""
        kind = type_of(self.program, version.array)
        solved = self.solved[version]
        older = Version(version.array, version.count - 1)
        rest = region.subtract(mask).intersect_params(context)
        whole = rest.is_empty()
        if solved.crop is None:
            new = self.new(version)
            return new if whole else self._selected(mask, new, self.resolve(older, rest), context)
        box = solved.crop
        into = Undefined(kind) if whole else self.resolve(older, rest)
        piece = self.new(version)
        filled = box.region.intersect_params(context)
        self.invalid = self.invalid.union(mask.intersect_params(context).subtract(filled).params())
        if not filled.is_subset(mask):
            window = Window(box.type, into, box.offsets, box.kept, box.strides)
            place = {f"e{k}": low for k, low in enumerate(box.offsets)}
            for k, dim in enumerate(box.kept):
                place[f"e{dim}"] = box.offsets[dim] + var(f"d{k}").scaled(box.strides[dim])
            piece = self._chosen(mask, filled, place, piece, window)
        return Insert(kind, into, piece, box.offsets, box.kept, box.strides)

    def _constant_on(self, version: Version) -> Any:
        """Where a version has one value: what its part writes, and what earlier parts of that value left there."""
        solved, array = self.solved[version], version.array
        mask = solved.part.masks[array]
        over = mask.subtract(mask)
        for count in range(version.count - 1, 0, -1):
            older = self.solved.get(Version(array, count))
            if older is None or older.whole:
                break
            here = older.part.masks[array]
            if _is_constant(older) and older.term == solved.term:
                mask = mask.union(here.subtract(over))
            else:
                over = over.union(here)
        return mask.coalesce()

    def _selected(self, mask: Any, new: Term, old: Term, context: Any) -> Term:
        box = self.distribution.scop.box(mask.get_tuple_name()).intersect_params(context)
        place = {f"e{k}": var(f"d{k}") for k in range(new.type.rank)}
        return self._chosen(mask, box, place, new, old)

    def _chosen(self, mask: Any, within: Any, place: dict[str, Lin], new: Term, old: Term) -> Term:
        """`new` where the mask holds, else `old`; `place` gives each element's position by the term's own."""
        names = tuple(f"e{k}" for k in range(len(place)))
        alternatives = conjunctions(mask.gist(within).coalesce(), names)
        if len(alternatives) > 1:
            others = conjunctions(within.subtract(mask).gist(within).coalesce(), names)
            if len(others) < len(alternatives):
                alternatives, new, old = others, old, new
        moved = tuple(tuple(Cond(c.form.substitute(place.get), c.equality) for c in a) for a in alternatives)
        kind = new.type
        identity = tuple(range(kind.rank))
        return Apply(kind, self.select, (identity,) * 4, (Mask(TensorType("i1", kind.dims), moved), new, old))

    def new(self, version: Version) -> Term:
        """A part's own term, over the contents at entry."""
        if version not in self._new:
            solved = self.solved[version]
            replace = self._given(solved)
            if solved.whole:
                replace |= self._before(solved.part)
            self._new[version] = substitute((solved.term,), replace)[0]
        return self._new[version]

    def _given(self, solved: Solved) -> dict[bytes, Term]:
        """What the inputs of a part's term are, by digest."""
        kinds = {given: type_of(solved.part.program, given.name) for given in solved.part.inputs}
        return {Input(k, given.name).digest: self.resolve(given.version, given.region) for given, k in kinds.items()}

    def _before(self, part: Part) -> dict[bytes, Term]:
        """A part's outputs, as they were before it."""
        found = {}
        for array, made in part.outputs.items():
            older = self.resolve(Version(array, made.count - 1), self.distribution.scop.box(array))
            found[Input(type_of(part.program, array), array).digest] = older
        return found


def _is_constant(solved: Solved) -> bool:
    """True for a whole array of one value."""
    return solved.crop is None and not solved.whole and not any(isinstance(n, Input) for n in solved.term.nodes())


# ---- simplification ------------------------------------------------------------------------------

_TRIED, _MOST_TAKEN = 6, 4  # size vectors that are looked at, and those taken


def merged(
    roots: tuple[Term, ...], distribution: Distribution, values: Mapping[str, Lin], seed: int
) -> tuple[Term, ...]:
    """The roots with nodes of equal value exchanged for the first, cheapest of them.

    Sizes that are read as numbers are never exchanged: two of them may be the same wherever it is tried.
    """
    program = distribution.scop.program
    draws = range(DRAWS) if order_dependent(program) else (None,)
    rng = np.random.default_rng(seed)
    try:
        vectors = (places(program, values, 2) if program.outer else []) or _unlike(program, values)
    except Unsizable:  # nothing was searched for either
        return roots
    sizes = [(s, Dice(program, rng, draw)) for s in vectors for draw in draws]
    runs = [Evaluator(random_inputs(roots, s, dice), s) for s, dice in sizes]
    keep: dict[bytes, Term] = {}
    replace: dict[bytes, Term] = {}
    for node in sorted(nodes(roots), key=_operations):
        try:
            parts = [run(node).res for run in runs]
        except DoesNotFit:
            continue
        unseen = [n.digest for n in node.nodes() if _branches(n)]
        sizes_read = sorted({name for n in node.nodes() if isinstance(n, Position) for name in n.form.names()})
        key = repr((node.type, unseen, sizes_read)).encode() + b"".join(
            np.ascontiguousarray(p).tobytes() for p in parts
        )
        if key in keep:
            replace[node.digest] = keep[key]
        else:
            keep[key] = node
    return tidy(_replaced(roots, replace) if replace else roots)


def _unlike(program: Program, values: Mapping[str, Lin]) -> list[dict[str, int]]:
    """A few size vectors that agree in few sizes and differences.

    At one value of a size, forms in it are like numbers; at one value of `n - m`, `n` is like `m` and a number.
    """
    found = size_vectors(program, values, 2)
    if len(found) < 2 or not _agreeing(*found):
        return found
    first, *others = size_vectors(program, values, _TRIED)
    taken = [first, min(others, key=lambda sizes: _agreeing(first, sizes))]
    if _agreeing(*taken):
        others += exact_vectors(program, values)
    while len(taken) < _MOST_TAKEN and (left := _agreeing(*taken)):
        best = min(others, key=lambda sizes: _agreeing(*taken, sizes))
        if _agreeing(*taken, best) == left:
            break
        taken.append(best)
    return [*taken[:-1], reached(program, taken[-1], SPARE)]


def _agreeing(*vectors: Mapping[str, int]) -> int:
    """In how many sizes, and differences of two, all of the vectors agree."""
    names = [*vectors[0]]
    pairs = combinations(names, 2)
    return sum(len({v[n] for v in vectors}) == 1 for n in names) + sum(
        len({v[n] - v[m] for v in vectors}) == 1 for n, m in pairs
    )


def _branches(term: Term) -> bool:
    """True for a choice of which random points may see one side only: such nodes are never merged away.

    A loop that stays is one, too: the sizes are those at which it runs, and where it does not it leaves what was there.
    """
    if isinstance(term, Either | Recur):
        return True
    kinds = {SCALARS[i.op].residue for i in term.body.instrs if i.op in SCALARS} if isinstance(term, Apply) else set()
    return bool(kinds & ORDERED)


def _divides(term: Term) -> bool:
    """True for an operation that has no value at zero."""
    kinds = {SCALARS[i.op].residue for i in term.body.instrs if i.op in SCALARS} if isinstance(term, Apply) else set()
    return bool(kinds & {"div", "inverse_root"})


def _choices(term: Term) -> set[bytes]:
    return {n.digest for n in term.nodes() if _branches(n)}


def _operations(term: Term) -> int:
    return sum(1 for _ in term.nodes())


def _replaced(roots: tuple[Term, ...], replace: dict[bytes, Term]) -> tuple[Term, ...]:
    """Exchange until nothing changes: a representative may itself contain exchanged nodes."""
    for _ in range(len(replace) + 1):
        new = substitute(roots, replace)
        if all(a == b for a, b in zip(new, roots, strict=True)):
            return new
        roots = new
    return roots
