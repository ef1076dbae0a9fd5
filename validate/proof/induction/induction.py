"""Proof by induction over the run of the target, for programs whose values depend on each other in sequence.

Instances of statements that a few runs suggest to be equal are given one name, their cell
(`raising.validate.proof.induction.affine_matching`, `raising.validate.proof.values.cells`). The value of each such
instance, in terms of cells that were computed before it, has to be the same sum on both sides. Then all of them are
equal, in the order in which the target computes them, and so are the final contents made of them. The loops of the two
programs need not correspond in any way. (Two statements of the source that hold equal values have one name too: first
the source is compared with itself, a later instance with an earlier.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import islpy as isl

from raising.affine.ir.interpreter import OutOfBounds
from raising.affine.polyhedral.chambers import point_of
from raising.affine.polyhedral.scop import Scop, box_set, dependences, holds
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.evaluate.regions import telling_sizes
from raising.grammar.evaluate.size_vectors import Unsizable
from raising.support.graphs import on_cycles
from raising.support.record import dataclass
from raising.validate.normal_form.is_zero import smallest_sizes, witness
from raising.validate.normal_form.isl_spaces import anonymous, union
from raising.validate.normal_form.sum_of_products import Algebra, Sum, Unprovable, leaf, minus
from raising.validate.proof.induction.affine_matching import Candidates, Runs, Words, index, pieces, spread, words_of
from raising.validate.proof.induction.value_trace import Trace, Values, trace
from raising.validate.proof.values.cells import CELL, Piece, needed
from raising.validate.proof.values.copy_propagation import copies
from raising.validate.proof.values.flow import Flows, final_flow
from raising.validate.reading.pair import Pair
from raising.validate.run.replay import differ
from raising.validate.run.run import TooLarge, sizes_text
from raising.validate.run.sizes_to_run import small_sizes

_RUNS, _CHOICE, _ROUNDS, _TRIES = 3, 8, 8, 3
_SMALLEST, _LARGEST = (3, 4, 5), 16
"""Sizes where those that the programs suggest are not allowed."""

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


@dataclass(frozen=True)
class _Side:
    """One program: its flow, the values that the runs stored, the constants of maps, and the values that are needed."""

    scop: Scop
    traces: Sequence[Trace]
    values: tuple[Values, ...]
    words: Words
    needed: Mapping[str, tuple[Any, ...]]

    def runs(self, label: str) -> Runs:
        """The values that a statement stored in the runs."""
        return _runs(self.traces, [v.get(label, {}) for v in self.values], self.words)

    def region(self, label: str) -> Any:
        """All instances of a statement that are needed."""
        return union(self.needed[label]).coalesce()


def different(pair: Pair, algebra: Algebra, scops: tuple[Scop, Scop], traces: Sequence[Trace]) -> Any:
    """The sizes at which the outputs may differ, an isl parameter set; None if there are none.

    `traces` are runs to learn from. `Unprovable` if the values have no such correspondence.
    """
    words, outputs = words_of(pair.source, pair.target), tuple(zip(*pair.outputs, strict=True))
    source = _side(scops[0], algebra, outputs[0], traces, tuple(t.source for t in traces), words)
    target = _side(scops[1], algebra, outputs[1], traces, tuple(t.target for t in traces), words)
    named, aliases = _named(source, algebra)
    cells = _matched(target, algebra, named, _inputs(pair, algebra, traces))
    for _ in range(_ROUNDS):
        if not cells:
            raise Unprovable("no two values that depend on themselves correspond")
        flows = (
            Flows(source.scop, algebra, "source", _source_cells(source, named, aliases, cells)),
            Flows(target.scop, algebra, "target", cells),
        )
        wrong, failed = _claims(pair, algebra, flows, (aliases, cells))
        if failed is None:
            return union([*wrong, *_outputs(pair, algebra, flows)])
        aliases = {label: at for label, at in aliases.items() if label != failed[0]}
        cells = {x: left for x, at in cells.items() if (left := tuple(p for p in at if p is not failed[1]))}
    raise Unprovable("values that seem to correspond differ")


def _runs(traces: Sequence[Trace], values: Sequence[Any], words: Words) -> Runs:
    return Runs(words, [t.sizes for t in traces], values, [t.constants for t in traces])


def learned(pair: Pair, algebra: Algebra) -> list[Trace]:
    """Runs at small sizes, of those that the comparison is about; `Unprovable` if none is equal, or there are none."""
    try:
        found = [trace(pair, sizes, algebra.known) for sizes in _vectors(pair, algebra)]
        if not found:
            raise Unprovable("no run to learn from")
        if not any(t.agree for t in found) and differ(pair, found[0].sizes, algebra.known, _TRIES):
            raise Unprovable(f"the outputs differ at {sizes_text(found[0].sizes)}")
        return found
    except (Unsupported, Unsizable, TooLarge, OutOfBounds) as error:
        raise Unprovable(f"no run to learn from: {error}") from None


def _vectors(pair: Pair, algebra: Algebra) -> list[Mapping[str, int]]:
    context, names = algebra.sizes.context, words_of(pair.source, pair.target).sizes
    vectors = spread([v for v in small_sizes(pair, _CHOICE) if holds(context, v)], names, _RUNS)
    if len(vectors) < _RUNS:
        least = (smallest_sizes(context, k, range(k, _LARGEST)) for k in _SMALLEST)
        vectors = [v for v in least if v is not None]
    if not vectors:  # a parameter is large, or below 0
        near = telling_sizes(replace(pair.source, context=()), pair.values)
        vectors = [v for v in (point_of(context, near, far=True),) if v is not None]
    return vectors


def _side(
    scop: Scop,
    algebra: Algebra,
    outputs: Sequence[str],
    traces: Sequence[Trace],
    values: tuple[Values, ...],
    words: Words,
) -> _Side:
    final: dict[str, list[Any]] = {}
    for array in (a for a in outputs if a in scop.writers):
        for label, dependence in dependences(final_flow(scop, algebra, array)[1]):
            final.setdefault(label, []).append(anonymous(dependence.range()))
    context, copied = algebra.sizes.context, copies(scop)
    regions = {
        label: tuple(r for r in (x.intersect_params(context) for x in found) if not r.is_empty())
        for label, found in needed(scop, final).items()
        if label not in copied
    }
    return _Side(scop, traces, values, words, {label: found for label, found in regions.items() if found})


# ---- names ---------------------------------------------------------------------------------------

Pieces = dict[str, tuple[Piece, ...]]


def _named(source: _Side, algebra: Algebra) -> tuple[list[Candidates], Pieces]:
    """The cells of values of the source that depend on themselves, and the instances whose value an earlier cell is."""
    named: list[Candidates] = []
    aliases: Pieces = {}
    cyclic = on_cycles(source.scop.readers())
    for label in (x for x in source.scop.statements if x in cyclic and x in source.needed):
        runs, region = source.runs(label), source.region(label)
        same, rest = pieces(source.needed[label], runs, named, algebra.sizes)
        if not algebra.sizes.void(rest):
            same, rest = pieces((region,), runs, [_first(CELL + label, region, runs)], algebra.sizes)
            same = [] if all(_stays(p) for p in same) else same
        if same and algebra.sizes.void(rest) and all(_earlier(source.scop, label, p) for p in same):
            aliases[label] = tuple(same)
            region = _image(same, CELL + label, region)
        named.append(Candidates(CELL + label, region, index(region, runs)))
    return [c for c in named if not c.region.is_empty()], aliases


def _first(leaf_: str, region: Any, runs: Runs) -> Candidates:
    """The first of the instances of a statement that have the same value."""
    by_value = index(region, runs)
    return Candidates(leaf_, region, tuple({v: frozenset([min(zs)]) for v, zs in at.items()} for at in by_value))


def _stays(piece: Piece) -> bool:
    return bool(piece.relation.is_subset(piece.relation.domain().identity()))


def _image(some: Sequence[Piece], leaf_: str, region: Any) -> Any:
    """The instances of a leaf that some pieces map to."""
    image = region.subtract(region)
    for piece in some:
        if piece.leaf == leaf_:
            image = image.union(piece.relation.range())
    return image.coalesce()


def _inputs(pair: Pair, algebra: Algebra, traces: Sequence[Trace]) -> list[Candidates]:
    """The elements of arguments, of which values may be copies, too."""
    inputs = []
    for name in (n for n, a in pair.source.arrays.items() if a.kind == "argument"):
        runs = _runs(traces, [t.inputs.get(name, {}) for t in traces], words_of(pair.source, pair.target))
        region = anonymous(box_set(pair.source, name)).intersect_params(algebra.sizes.context)
        inputs.append(Candidates(name, region, index(region, runs)))
    return inputs


def _earlier(scop: Scop, label: str, piece: Piece) -> bool:
    """True if the cells of a piece are computed no later than its instances."""
    if not piece.leaf.startswith(CELL):
        return True
    one, other = scop.statements[label].write, scop.statements[piece.leaf.removeprefix(CELL)].write
    relation = piece.relation.set_tuple_name(_IN, label).set_tuple_name(_OUT, other.name)
    return bool(relation.is_subset(one.schedule.lex_ge_map(other.schedule)))


def _matched(target: _Side, algebra: Algebra, named: list[Candidates], inputs: list[Candidates]) -> Pieces:
    """For each statement of the target the instances whose values are cells of the source, or what both are given."""
    matched: Pieces = {}
    for label in (x for x in target.scop.statements if x in target.needed):
        runs = target.runs(label)
        cells, rest = pieces(target.needed[label], runs, named, algebra.sizes)
        if cells:
            matched[label] = (*cells, *pieces((rest,), runs, inputs, algebra.sizes)[0])
    return matched


def _source_cells(source: _Side, named: list[Candidates], aliases: Pieces, matched: Pieces) -> Pieces:
    """The cells of the source: values that the target has, too."""
    regions: dict[str, Any] = {}
    for piece in (p for some in matched.values() for p in some):
        image = piece.relation.range()
        regions[piece.leaf] = regions[piece.leaf].union(image) if piece.leaf in regions else image
    cells: Pieces = {}
    for candidates in (c for c in named if c.leaf in regions):
        region = candidates.region.intersect(regions[candidates.leaf]).coalesce()
        cells[candidates.leaf.removeprefix(CELL)] = (Piece(candidates.leaf, region.identity()),)
    for label, some in aliases.items():
        there = [replace(p, relation=p.relation.intersect_range(regions[p.leaf])) for p in some if p.leaf in regions]
        cells[label] = tuple(p for p in there if not p.relation.is_empty())
    return cells


# ---- the proof -----------------------------------------------------------------------------------


def _claims(
    pair: Pair, algebra: Algebra, flows: tuple[Flows, Flows], claims: tuple[Pieces, Pieces]
) -> tuple[list[Any], tuple[str, Piece] | None]:
    """The sizes at which pieces are not what they are taken to be, and the first that is not at the files' sizes.

    Those after it may fail for no other reason.
    """
    wrong: list[Any] = []
    for side, at in zip(flows, claims, strict=True):
        for label, piece in ((x, p) for x in at for p in side.cells[x]):
            value = side.stored(label, piece.relation.domain().identity())
            left = piece.relation.domain().subtract(_plainly(value, piece))
            if algebra.sizes.void(left):
                continue
            rest = Piece(piece.leaf, piece.relation.intersect_domain(left))
            found = witness(algebra, minus(side.stored(label, left.identity()), _cell(algebra, flows[0], rest)))
            if found is not None and not algebra.allows(found.sizes):
                return wrong, (label, piece)
            if found is not None:
                wrong.append(found.sizes)
    return wrong, None


def _outputs(pair: Pair, algebra: Algebra, flows: tuple[Flows, Flows]) -> Iterator[Any]:
    """The sizes at which outputs differ."""
    for one, other in pair.outputs:
        found = witness(algebra, minus(flows[0].contents(one), flows[1].contents(other)))
        if found is not None:
            yield found.sizes


def _plainly(value: Sum, piece: Piece) -> Any:
    """The instances of a piece whose value is its cell as it stands, from where that was computed."""
    same = other = piece.relation.subtract(piece.relation).domain()
    for p in value:
        plain = p.is_leaf and p.leaves[0][0] == piece.leaf
        if plain:
            same = same.union(p.relation.intersect(piece.relation).domain())
        other = other.union((p.relation.subtract(piece.relation) if plain else p.relation).domain())
    return same.subtract(other)


def _cell(algebra: Algebra, source: Flows, piece: Piece) -> Sum:
    """The expression that defines the cells of a piece."""
    if piece.leaf.startswith(CELL):
        return source.stored(piece.leaf.removeprefix(CELL), piece.relation)
    return leaf(algebra, piece.leaf, piece.relation)
