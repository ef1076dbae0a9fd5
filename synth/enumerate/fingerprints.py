"""Fingerprints of candidates, computed without their values.

A fingerprint is a linear form. Where a scheme is linear in each operand, the form on its result is one on its operands:
of a sum the sum of two numbers per candidate, of a product or a contraction one dot product with the form pulled back
through the other operand. Only candidates that turn out to be new are evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from raising.grammar.evaluate.evaluator import aligned
from raising.grammar.evaluate.number import Num
from raising.grammar.field import field as zp
from raising.grammar.field.field import Residues
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.structured_op import Map, scalar_part
from raising.support.record import dataclass
from raising.synth.enumerate.store import Bucket, linear_form
from raising.synth.spec.schemes import Scheme

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Form:
    """How a scheme's value depends on its operands: `kind` is a field operation, `first` its first operand."""

    kind: str
    first: int = 0


def form_of(scheme: Scheme) -> Form | None:
    """The form of a scheme of one ring or field operation, also if summed; None for any other."""
    inner, _ = scalar_part(scheme.body)
    if scheme.combiner is not None and SCALARS[scheme.combiner].residue != "add":
        return None
    if inner.result < inner.arity:
        return Form("same") if scheme.arity == 1 else None
    instr = inner.instrs[inner.result - inner.arity]
    kind = SCALARS[instr.op].residue if instr.op in SCALARS else ""
    if scheme.arity == 1 and kind in ("same", "neg") and instr.args == (0,):
        return Form(kind)
    if scheme.arity == 2 and kind in ("add", "sub", "mul", "div") and sorted(instr.args) == [0, 1]:
        return Form(kind, instr.args[0])
    return None


@dataclass(frozen=True)
class Layout:
    """Where a scheme's operands lie in its iteration space: `maps` of the operands, the first the identity, and `out`.

    `weights` are the form on the result, per run of samples.
    """

    maps: tuple[Map, ...]
    out: Map
    rank: int
    weights: Sequence[Residues]

    def over(self, run: int) -> Residues:
        """The result's form over samples and iteration space, extent 1 where it does not vary."""
        places = (slice(None) if d in self.out else None for d in range(self.rank))
        return self.weights[run][(slice(None), *places)]


def unary(form: Form, layout: Layout, bucket: Bucket, rows: Rows) -> Residues:
    """The fingerprint of each row's candidate."""
    prints = _summed(layout, 0, bucket, rows)
    return zp.neg(prints) if form.kind == "neg" else prints


def outer(form: Form, layout: Layout, buckets: Sequence[Bucket], left: Rows, right: Rows) -> Residues:
    """The fingerprint of every pair of rows: (rows of the left, rows of the right)."""
    if form.kind in ("add", "sub"):
        a, b = (_summed(layout, k, x, r) for k, (x, r) in enumerate(zip(buckets, (left, right), strict=True)))
        return _joined(form, a[:, None], b[None, :])
    factors = _operands(form, buckets[0], left)
    pulled = _pulled(form, layout, buckets[1], right)
    return _total([zp.dot(f[:, None], p[None]) for f, p in zip(factors, pulled, strict=True)])


def paired(form: Form, layout: Layout, buckets: Sequence[Bucket], left: Rows, right: Rows) -> Residues:
    """The fingerprint of each left row with the right row beside it."""
    if form.kind in ("add", "sub"):
        return _joined(
            form, *(_summed(layout, k, x, r) for k, (x, r) in enumerate(zip(buckets, (left, right), strict=True)))
        )
    factors = _operands(form, buckets[0], left)
    pulled = _pulled(form, layout, buckets[1], right)
    return _total([zp.dot(f, p) for f, p in zip(factors, pulled, strict=True)])


def _joined(form: Form, a: Residues, b: Residues) -> Residues:
    if form.kind == "add":
        return zp.add(a, b)
    return zp.sub(a, b) if form.first == 0 else zp.sub(b, a)


def _total(parts: list[Residues]) -> Residues:
    whole = parts[0]
    for part in parts[1:]:
        whole = zp.add(whole, part)
    return whole


def _stacks(form: Form, position: int, bucket: Bucket) -> list[Residues]:
    """An operand's values as factors, per run of samples: (values, samples, *shape)."""
    divides = form.kind == "div" and position != form.first
    return bucket.inverses if divides else [v.res for v in bucket.stacks]


def _operands(form: Form, bucket: Bucket, rows: Rows) -> list[Residues]:
    """Some rows of the first operand as factors, each as one vector."""
    return [v[rows].reshape(len(rows), -1) for v in _stacks(form, 0, bucket)]


def _pulled(form: Form, layout: Layout, bucket: Bucket, rows: Rows) -> list[Residues]:
    """Per run of samples, the form on the left operand for each right one: (rows, elements of the left)."""
    found = []
    lacking = tuple(2 + d for d in range(layout.rank) if d not in layout.maps[0])
    for run, stack in enumerate(_stacks(form, 1, bucket)):
        samples = stack.shape[1]
        values = stack[rows].reshape(len(rows) * samples, *stack.shape[2:])
        spread = aligned(Num(values, values), layout.maps[1], layout.rank).res
        product = zp.mul(layout.over(run)[None], spread.reshape(len(rows), samples, *spread.shape[1:]))
        found.append((zp.total(product, lacking) if lacking else product).reshape(len(rows), -1))
    return found


def _summed(layout: Layout, position: int, bucket: Bucket, rows: Rows) -> Residues:
    """The form on one operand alone, applied to its rows."""
    m = layout.maps[position]
    lacking = tuple(1 + d for d in range(layout.rank) if d not in m)
    kept = sorted(d for d in m if isinstance(d, int))
    order = [0, *(1 + kept.index(d) for d in m)]  # type: ignore[arg-type]
    weights, values = [], [v.res[rows] for v in bucket.stacks]
    for run, value in enumerate(values):
        over = layout.over(run)
        own = (zp.total(over, lacking) if lacking else over).transpose(order)
        weights.append(np.broadcast_to(own, value.shape[1:]))
    return linear_form(weights, values)
