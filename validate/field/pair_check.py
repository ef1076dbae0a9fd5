"""Two programs at random points of two finite fields, with a bound on the chance that a wrong one passes.

Agreement is evidence. A difference proves nothing: it is a reason to look for a counterexample, and without one the
answer is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from raising.affine.ir.integer_types import is_integer
from raising.affine.ir.interpreter import OutOfBounds
from raising.affine.ir.program import Compute, Program, walk
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.evaluate.sample import order_dependent
from raising.grammar.evaluate.size_vectors import Unsizable
from raising.grammar.terms.scalar_ops import SCALARS
from raising.support.record import dataclass
from raising.validate.arithmetic import concrete
from raising.validate.arithmetic.integers import Undefined
from raising.validate.arithmetic.residues import PRIMES, Residues
from raising.validate.base.verdict import FieldEvidence, Refuted, Unknown
from raising.validate.field import degree
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.replay import counterexample
from raising.validate.run.run import (
    SIDES,
    Given,
    Memories,
    TooLarge,
    elements_of,
    execute,
    output_elements,
    run_both,
    sizes_text,
)
from raising.validate.run.sizes_to_run import sizes_in_regions, untold_at
from raising.validate.run.telling_inputs import literals

ORDERED_POINTS = 8
"""Points per size vector and prime at which comparisons are decided."""

FEW_POINTS = 2
"""As many where roots are taken, which takes many draws for each."""

SAMPLED = 8
"""How many times as many where nothing but these points decides: conditions may hold rarely."""

_DRAWN_AGAIN = 300
_LAST_DRAWS = 20
"""Draws at which the source has to have its roots in the field, and then some where it need not."""

_ROOTS_WANTED = 40
"""A root squared is the number or its negative, each half of the time: so many are looked at."""


@dataclass(frozen=True)
class _Point:
    """What one point showed: elements compared, the first difference, random values given out, roots taken."""

    compared: int
    difference: str
    keys: int
    roots: int


def check_field_pair(
    pair: Pair,
    assumed: Assumptions,
    count: int = 3,
) -> FieldEvidence | Refuted | Unknown:
    """Compare in the field of each prime, at many roots if any are taken.

    The sizes are `count` small ones that tell much, and one in each region in which the source's loops behave alike.
    """
    check = _Check(pair, assumed)
    try:
        vectors, told = sizes_in_regions(pair, count)
        found = check.run(vectors)
        if not isinstance(found, FieldEvidence):
            return found
        untold = untold_at(pair, vectors)
        return Unknown(untold) if untold else replace(found, regions=told)
    except OutOfBounds as error:
        return check.counterexample() or Unknown(str(error))
    except (Unsizable, TooLarge, Unsupported) as error:
        return Unknown(str(error))


class _Check:
    """Collects what the points show."""

    def __init__(self, pair: Pair, assumed: Assumptions) -> None:
        self.pair, self.assumed = pair, assumed
        self.choices = sorted(literals(pair.source) | literals(pair.target))
        self.order = order_dependent(pair.source) or order_dependent(pair.target)
        self.roots = any(_takes_roots(p) for p in (pair.source, pair.target))
        self.integers = any(map(_computes_integers, (pair.source, pair.target)))
        self.points: list[_Point] = []
        self.sampled = self.looked = False
        self.refuted: Refuted | None = None

    def run(self, vectors: tuple[dict[str, int], ...]) -> FieldEvidence | Refuted | Unknown:
        bound = 0.0
        for sizes in vectors:
            passed = 1.0
            for prime in PRIMES:
                chance = self._field(prime, sizes)
                if isinstance(chance, str):
                    return self._disagreed(chance)
                passed *= chance
            bound = max(bound, passed)
        roots = sum(p.roots for p in self.points)
        if roots:
            bound += 2.0 ** -min(roots, 1000)
        compared = sum(p.compared for p in self.points)
        named = tuple(tuple(sorted(v.items())) for v in vectors)
        return FieldEvidence(compared, named, min(bound, 1.0), self._note())

    def _note(self) -> str:
        notes = []
        if self.sampled:
            told = f"comparisons decided at {self._ordered_points()} points per size and field"
            notes.append(f"{told}, which the bound leaves out")
        if self.integers:
            notes.append("integers tried at random modulo 2^w, which the bound leaves out")
        return "; ".join(notes)

    def _ordered_points(self) -> int:
        return (FEW_POINTS if self.roots else ORDERED_POINTS) * (SAMPLED if self.sampled or self.integers else 1)

    def _disagreed(self, where: str) -> Refuted | Unknown:
        found = self.counterexample()
        return found or Unknown(f"{where} differs in the field, which no exact run reproduces")

    def counterexample(self) -> Refuted | None:
        """The counterexample that exact runs find for a difference; it is looked for once."""
        if not self.looked:
            self.looked = True
            with suppress(TooLarge, Unsupported):
                found = counterexample(self.pair, self.assumed)
                self.refuted = None if found is None else Refuted(found.text(), found)
        return self.refuted

    def _field(self, prime: int, sizes: Mapping[str, int]) -> float | str:
        """The chance that a wrong program passes at these sizes, or where the programs differ."""
        shown: list[_Point] = []
        covered = self._indicated(prime, sizes, shown)
        if covered:
            return covered
        if self.order:
            for k in range(self._ordered_points()):
                point = self._point(prime, sizes, f"ordered {k}", True)
                if point.difference:
                    return point.difference
                shown.append(point)
        while shown[-1].roots and sum(p.roots for p in shown) < _ROOTS_WANTED:
            shown.append(self._point(prime, sizes, f"root {len(shown)}", self.order))
            if shown[-1].difference:
                return shown[-1].difference
        self.points += shown
        keys = max(p.keys for p in shown)
        return min(1.0, self._degree(sizes) * (1 + keys * (keys - 1) / 2) / prime)

    def _indicated(self, prime: int, sizes: Mapping[str, int], shown: list[_Point]) -> str:
        """A point at which both outcomes of every comparison are covered, if the programs allow for one."""
        try:
            point = self._point(prime, sizes, "indicated", False)
        except Unsupported:
            if not self.order:
                raise
            self.sampled = True
            return ""
        if not point.difference:
            shown.append(point)
        elif self.order and self.counterexample() is None:  # comparisons may be the same in another form
            self.sampled = True
            return ""
        return point.difference

    def _point(self, prime: int, sizes: Mapping[str, int], name: str, ordered: bool) -> _Point:
        """A point at which both are defined, and the source's roots are in the field if that can be had."""
        reason = ""
        for k in range(_DRAWN_AGAIN + _LAST_DRAWS):
            field = Residues(prime, f"0 {name} {k} {sorted(sizes.items())}", ordered, k < _DRAWN_AGAIN)
            try:
                return self._run(field, sizes)
            except Undefined as error:
                reason = str(error)
        raise Unsupported(f"no point to compare at: {reason}")

    def _run(self, field: Residues, sizes: Mapping[str, int]) -> _Point:
        given = Given(lambda leaf: field.drawn(leaf.element, self.choices))
        before = self._side(field, 0, sizes, given)
        roots, field.strict = field.roots, False
        after = self._side(field, 1, sizes, given)
        compared, difference = self._compare((before, after), sizes)
        return _Point(compared, difference, field.keys, roots)

    def _side(self, field: Residues, side: int, sizes: Mapping[str, int], given: Given) -> Memories:
        program = (self.pair.source, self.pair.target)[side]
        arithmetic = concrete.arithmetic(elements_of(program), field.reals())
        return execute(program, sizes, arithmetic, given.__getitem__, self.assumed, SIDES[side])

    def _compare(self, memories: tuple[Memories, Memories], sizes: Mapping[str, int]) -> tuple[int, str]:
        """How many elements agree, and where the first one that does not is."""
        compared = 0
        for e in output_elements(self.pair, memories):
            if _residue(e.source) != _residue(e.target):
                return compared, f"{e.place} at {sizes_text(sizes)}"
            compared += 1
        return compared, ""

    def _degree(self, sizes: Mapping[str, int]) -> int:
        """The largest degree of what is compared."""
        memories = run_both(self.pair, sizes, lambda _: degree.DEGREES, lambda _: degree.LEAF, self.assumed)
        return max((degree.apart(e.source, e.target) for e in output_elements(self.pair, memories)), default=0)


def _residue(value: Any) -> int:
    """The value that equality is decided by: the integer itself, or its residue."""
    if isinstance(value, concrete.Indicator):
        return int(value.value[0])
    return int(value[0]) if isinstance(value, tuple) else int(value)


def _takes_roots(program: Program) -> bool:
    ops = (n.op for n in walk(program.body) if isinstance(n, Compute))
    return any(op in SCALARS and SCALARS[op].residue in ("root", "inverse_root") for op in ops)


def _computes_integers(program: Program) -> bool:
    found = (n for n in walk(program.body) if isinstance(n, Compute))
    return any(n.op == "arith.cmpi" or (is_integer(n.element) and n.element != "i1") for n in found)
