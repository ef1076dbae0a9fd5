"""Composition: the terms of the parts are put together into one term per array, which is then simplified.

Every part that writes to an array makes a new version of it: the part's value at the elements that the part writes, the
previous version at all others. A term that reads elements of one of the two only is given that one alone. Afterwards,
nodes that have equal values at random points of the field are replaced by the cheapest of them: loop distribution may
compute a value once for each of its readers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Program
from raising.affine.polyhedral.distribution import Distribution, Part, Version
from raising.affine.polyhedral.scop import conjunctions, context_set
from raising.grammar.evaluate.evaluator import DoesNotFit, Evaluator
from raising.grammar.evaluate.extents import Accesses
from raising.grammar.evaluate.sample import DRAWS, ORDERED, Dice, order_dependent, random_inputs
from raising.grammar.evaluate.size_vectors import SPARE, Unsizable, deciding, exact_vectors, places, size_vectors
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.simplify import tidy
from raising.grammar.terms.structured_op import Body
from raising.grammar.terms.term import (
    Apply,
    Call,
    Either,
    Input,
    Insert,
    Literal,
    Position,
    Recur,
    Term,
    Undefined,
    Window,
    mask_of,
    nodes,
    substitute,
)
from raising.support.record import dataclass
from raising.synth.spec.spec import Crop, type_of


@dataclass(frozen=True)
class Solved:
    """The term of one output of a part; `crop` is the box of the array that the term computes (None: all of it).

    A `whole` term computes the complete contents of the array after the part, also the elements that the part does not
    write. It reads the previous versions of the part's outputs as inputs.
    """

    part: Part
    output: str
    term: Term
    crop: Crop | None
    whole: bool = False


Idle = Callable[[Term, Term, Any], bool]
"""True if two terms have the same value at all elements of a region, which is an isl set."""


class Composer:
    """Makes terms of versions of arrays, over the arrays' contents at entry.

    At some sizes, a part may not run at all. If `idle` says that the part's term equals the previous version at these
    sizes, the term is used at all sizes; otherwise an `Either` on the sizes chooses between the two.
    """

    def __init__(
        self,
        distribution: Distribution,
        solved: Mapping[Version, Solved],
        undefined: frozenset[str],
        select: Body,
        idle: Idle,
    ) -> None:
        self.distribution, self.solved, self.undefined, self.select = distribution, solved, undefined, select
        self.program, self.idle = distribution.scop.program, idle
        self.context = context_set(self.program)
        self.invalid = self.context.subtract(self.context)  # sizes at which a part writes outside of its term's box
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
        if self._unwritten(version, mask).is_empty():
            return self._written(version, region, mask, self.context)
        runs = mask.params().intersect(self.context)
        value = self._written(version, region, mask, runs)
        idle = region.intersect_params(self.context.subtract(runs))
        if idle.is_empty():
            return value
        kept = self.resolve(older, idle)
        same = self._may_equal(version, kept) and self.idle(value, kept, idle)
        if same or solved.crop is None:
            return value if same else self._where(runs, value, kept)
        return self._written(version, region, mask, self.context)  # a choice of the box, and not of all of the array

    def _may_equal(self, version: Version, kept: Term) -> bool:
        """True if evaluation at random points can decide that a part's term equals the previous version.

        It cannot where the term branches in another way than the previous version, since random points may take one
        branch only; branches of accumulations do not count. Nor can it where the term divides: an empty sum divided by
        `n = 0` is NaN, but has a residue in the field.
        """
        solved = self.solved[version]
        own = [n for n in solved.term.nodes() if _branches(n)]
        given = {d for t in self._given(solved).values() for d in _choices(t)}
        same = given == _choices(kept) and all(isinstance(n, Apply) and n.body.reads_output for n in own)
        return same and not any(map(_divides, solved.term.nodes()))

    def _unwritten(self, version: Version, mask: Any) -> Any:
        """The elements that a version's term computes but its part does not write."""
        box = self.solved[version].crop
        filled = self.distribution.scop.box(version.array) if box is None else box.region
        return filled.intersect_params(self.context).subtract(mask)

    def _where(self, runs: Any, yes: Term, no: Term) -> Term:
        """`yes` at the sizes in `runs`, `no` at all others."""
        conds = conjunctions(runs.gist(self.context).coalesce(), ())
        others = conjunctions(self.context.subtract(runs).gist(self.context).coalesce(), ())
        if len(others) < len(conds):
            conds, yes, no = others, no, yes
        for each in conds:
            no = Either(yes.type, each, yes, no)
        return no

    def _written(self, version: Version, region: Any, mask: Any, context: Any) -> Term:
        """A version at the sizes in `context`: the part's value where it writes, the previous version elsewhere."""
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
        """The elements that hold a version's constant: those that its part writes, and those left by earlier parts.

        Earlier parts count that write the same constant, where no part in between writes another value.
        """
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
        """A selection of `new` where the mask holds and of `old` elsewhere.

        `place` maps the array's subscripts `e0`, `e1`, … to forms in the subscripts `d0`, `d1`, … of the terms.
        """
        names = tuple(f"e{k}" for k in range(len(place)))
        alternatives = conjunctions(mask.gist(within).coalesce(), names)
        if len(alternatives) > 1:
            others = conjunctions(within.subtract(mask).gist(within).coalesce(), names)
            if len(others) < len(alternatives):
                alternatives, new, old = others, old, new
        kind = new.type
        identity = tuple(range(kind.rank))
        return Apply(kind, self.select, (identity,) * 4, (mask_of(kind.dims, alternatives, place), new, old))

    def new(self, version: Version) -> Term:
        """The term of a version's part, over the contents at entry."""
        if version not in self._new:
            solved = self.solved[version]
            replace = self._given(solved)
            if solved.whole:
                replace |= self._before(solved.part)
            self._new[version] = substitute((solved.term,), replace)[0]
        return self._new[version]

    def _given(self, solved: Solved) -> dict[bytes, Term]:
        """The terms that replace the inputs of a part's term, by the digests of the inputs."""
        kinds = {given: type_of(solved.part.program, given.name) for given in solved.part.inputs}
        return {Input(k, given.name).digest: self.resolve(given.version, given.region) for given, k in kinds.items()}

    def _before(self, part: Part) -> dict[bytes, Term]:
        """The previous versions of a part's outputs, by the digests of the inputs that stand for them."""
        found = {}
        for array, made in part.outputs.items():
            older = self.resolve(Version(array, made.count - 1), self.distribution.scop.box(array))
            found[Input(type_of(part.program, array), array).digest] = older
        return found


def _is_constant(solved: Solved) -> bool:
    """True if a term computes a complete array and reads no input: all elements are the same constant."""
    return solved.crop is None and not solved.whole and not any(isinstance(n, Input) for n in solved.term.nodes())


# ---- simplification ------------------------------------------------------------------------------

_TRIED, _MOST_TAKEN = 6, 4  # size vectors that are generated, and those of them that are used


def merged(
    roots: tuple[Term, ...], distribution: Distribution, values: Mapping[str, Lin], seed: int
) -> tuple[Term, ...]:
    """The roots, where of all nodes with equal values only the one with the fewest operations is left.

    Where both are no number, as `x / 0 - m / 0` and `(x - m) / 0` are, they are the same, if they are numbers at other
    points: `log(-x * x) + 1` and `log(-x * x)` are no numbers anywhere, and have residues of their own. Nodes that
    read different sizes as numbers are never merged: both sizes may be equal in all vectors that are tried.
    """
    program = distribution.scop.program
    draws = range(DRAWS) if order_dependent(program) else (None,)
    rng = np.random.default_rng(seed)
    try:
        vectors = (places(program, values, 2) if program.outer else []) or _unlike(program, values)
    except Unsizable:  # nothing was searched for either
        return roots
    runs = [
        Evaluator.of_many([random_inputs(roots, s, Dice(program, rng, draw)) for draw in draws], s) for s in vectors
    ]
    keep: dict[bytes, Term] = {}
    replace: dict[bytes, Term] = {}
    for node in sorted(nodes(roots), key=_operations):
        marked = any(isinstance(n, Undefined | Call) for n in node.nodes())  # elements that are each a value of its own
        try:
            found = [run(node) for run in runs]
        except DoesNotFit:
            continue
        plain = marked or all(np.isnan(value.flt).all() for value in found)
        parts = [value.res if plain else np.where(np.isnan(value.flt), 0, value.res) for value in found]
        unseen = [n.digest for n in node.nodes() if _branches(n)]
        sizes_read = sorted({name for n in node.nodes() if isinstance(n, Position) for name in n.form.names()})
        sign = isinstance(node, Literal) and node.text == "-0.0"  # a sum that begins at 0.0 is not one from -0.0
        key = repr((node.type, unseen, sizes_read, sign)).encode() + b"".join(
            np.ascontiguousarray(np.broadcast_to(p, (len(draws), *p.shape[1:]))).tobytes() for p in parts
        )
        if key in keep:
            replace[node.digest] = keep[key]
        else:
            keep[key] = node
    return tidy(_replaced(roots, replace) if replace else roots)


def _unlike(program: Program, values: Mapping[str, Lin]) -> list[dict[str, int]]:
    """A few size vectors, so that few sizes, and few differences of two sizes, are the same in all of them.

    If `n` is 5 in every vector, the form `n` and the constant 5 look equal; if `n - m` is 2, so do `n` and `m + 2`.
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
    taken[-1] = Accesses(program).reached(taken[-1], SPARE)
    return [*taken, *deciding(program, values, taken)]


def _agreeing(*vectors: Mapping[str, int]) -> int:
    """How many sizes, and differences of two sizes, have one value in all of the vectors."""
    names = [*vectors[0]]
    pairs = combinations(names, 2)
    return sum(len({v[n] for v in vectors}) == 1 for n in names) + sum(
        len({v[n] - v[m] for v in vectors}) == 1 for n, m in pairs
    )


def _branches(term: Term) -> bool:
    """True for a node with branches of which random points may take one only; such nodes are merged with no others.

    A sequential loop is one, too: all size vectors have it run, but at other sizes it may have no iteration.
    """
    return isinstance(term, Either | Recur) or not ORDERED.isdisjoint(_residues(term))


def _divides(term: Term) -> bool:
    """True for an operation that is undefined at zero."""
    return not _residues(term).isdisjoint(("div", "inverse_root"))


def _residues(term: Term) -> set[str]:
    """What the scalar operations in the body of a node are in the field."""
    return {SCALARS[i.op].residue for i in term.body.instrs if i.op in SCALARS} if isinstance(term, Apply) else set()


def _choices(term: Term) -> set[bytes]:
    return {n.digest for n in term.nodes() if _branches(n)}


def _operations(term: Term) -> int:
    return sum(1 for _ in term.nodes())


def _replaced(roots: tuple[Term, ...], replace: dict[bytes, Term]) -> tuple[Term, ...]:
    """Replace nodes until nothing changes, since a replacement may contain nodes that are replaced themselves."""
    for _ in range(len(replace) + 1):
        new = substitute(roots, replace)
        if all(a == b for a, b in zip(new, roots, strict=True)):
            return new
        roots = new
    return roots
