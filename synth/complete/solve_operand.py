"""Contractions solved for an operand: where one operand is known and determines the other, that other is the next goal.

At a sample, T[i,j] = Σ_k A[i,k] · X[k,j] is a system of linear equations over the field for each j. They determine X if
the columns of A are independent; if A has more rows than that, the remaining equations tell whether there is such an X
at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from raising.grammar.field import field as zp
from raising.grammar.field.field import Residues
from raising.grammar.terms.structured_op import Map
from raising.grammar.terms.term import Apply, TensorType, Term
from raising.support.record import dataclass
from raising.synth.complete.goal import Goal
from raising.synth.enumerate.fingerprints import form_of
from raising.synth.enumerate.store import Store
from raising.synth.spec.schemes import Scheme


@dataclass(frozen=True)
class Factor:
    """A goal as a contraction of a `known` matrix with the unknown that meets the goal `wanted`; maps in this order."""

    type: TensorType
    scheme: Scheme
    maps: tuple[Map, ...]
    known: Term
    wanted: Goal

    def times(self, unknown: Term) -> Term:
        """The contraction with what was found for the unknown."""
        return Apply(self.type, self.scheme.body, self.maps, (self.known, unknown))


def contractions(available: tuple[Scheme, ...]) -> tuple[Scheme, ...]:
    """The schemes that sum up products of two operands."""
    found = []
    for scheme in available:
        form = form_of(scheme)
        if scheme.combiner is not None and scheme.arity == 2 and form is not None and form.kind == "mul":
            found.append(scheme)
    return tuple(found)


def factors(
    goal: TensorType, values: Sequence[Residues], store: Store, available: tuple[Scheme, ...]
) -> Iterator[Factor]:
    """Every way to see values of a type as a contraction of one of the inputs with an unknown that this determines."""
    for scheme in available:
        for kind, bucket in list(store.buckets.items()):
            if kind.rank != 2 or scheme.result_element((kind, goal)) != goal.element:
                continue
            for row in bucket.of_cost(0).tolist():
                known = [a.res[row] for a in bucket.arrays]
                for axis, place, wanted in _unknowns(goal, values, bucket.terms[row].type, known):
                    yield Factor(goal, scheme, _maps(goal.rank, axis, place), bucket.terms[row], wanted)


def _unknowns(
    goal: TensorType, values: Sequence[Residues], matrix: TensorType, known: list[Residues]
) -> Iterator[tuple[int, int, Goal]]:
    """A matrix's rows or its columns (the `axis`) as the dimension `place` of the goal; the other is summed over."""
    for axis in (0, 1):
        for place, extent in enumerate(goal.dims):
            if matrix.dims[axis] == extent:
                turned = [k if axis == 0 else k.T for k in known]
                dims = tuple(matrix.dims[1 - axis] if k == place else d for k, d in enumerate(goal.dims))
                wanted = _unknown(TensorType(goal.element, dims), values, turned, place)
                if wanted is not None:
                    yield axis, place, wanted


def _maps(rank: int, axis: int, place: int) -> tuple[Map, ...]:
    """The dimensions of the known matrix come first in the iteration space."""
    summed, kept = 1 - axis, iter(range(2, rank + 1))
    out = tuple(axis if k == place else next(kept) for k in range(rank))
    return (0, 1), tuple(summed if k == place else d for k, d in enumerate(out)), out


def _unknown(kind: TensorType, wanted: Sequence[Residues], known: list[Residues], place: int) -> Goal | None:
    """The goal of a type that the unknown operand has to meet; None if it is not determined, or there is none."""
    values = []
    for matrix, value in zip(known, wanted, strict=True):
        found = solved(matrix, np.moveaxis(np.asarray(value), place, 0))
        if found is None:
            return None
        values.append(np.ascontiguousarray(np.moveaxis(found, 0, place)))
    return Goal(kind, tuple(values), tuple(np.ones(v.shape, dtype=bool) for v in values))


def solved(matrix: Residues, right: Residues) -> Residues | None:
    """X with matrix · X = right over the field, along the first axis; None if that is none, or more than one."""
    rows, columns = matrix.shape
    if rows < columns:
        return None
    work = np.concatenate([matrix, right.reshape(rows, -1)], axis=1)
    for k in range(columns):
        pivots = k + np.flatnonzero(work[k:, k])
        if not len(pivots):
            return None
        work[[k, pivots[0]]] = work[[pivots[0], k]]
        work[k] = zp.mul(work[k], zp.inverse(work[k, k : k + 1]))
        rest = np.flatnonzero(np.arange(rows) != k)
        work[rest] = zp.sub(work[rest], zp.mul(work[rest, k : k + 1], work[k : k + 1]))
    if bool(work[columns:].any()):
        return None
    return work[:columns, columns:].reshape(columns, *right.shape[1:])
