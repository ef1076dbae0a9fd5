"""How many candidates a core tells apart per second: `python -m tests.bench.raising.candidate_rates`.

Writes `results/candidate-rates.json`. A candidate is one production at one pair of operands of
3 x 5 elements (contractions: 3 x 5 by 5 x 3); it is told apart when its fingerprint is known and has
been looked up among 12,000 others. `fingerprint` takes it from those of the operands, as the search
does where a production is linear in each of them; `value` computes the elements first, as the search
does for all others. Each runs on compiled loops and on the NumPy reference.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from raising.affine.ir.affine_expr import Lin, const
from raising.grammar.dialects.load import load
from raising.grammar.evaluate.evaluator import structured
from raising.grammar.evaluate.number import Num
from raising.grammar.field import field as zp
from raising.grammar.field import loaded_kernels as machine
from raising.grammar.field import reference as modular
from raising.grammar.field.field import Residues
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.structured_op import Map
from raising.grammar.terms.term import Input, TensorType
from raising.synth.enumerate.fingerprints import Form, Layout, form_of, outer
from raising.synth.enumerate.store import Bucket, Store, linear_form
from raising.synth.spec.schemes import Scheme, schemes
from tests.bench.record import write

COMMAND = "python -m tests.bench.raising.candidate_rates"
ROWS, COLUMNS = 3, 5
KNOWN = 12_000
SECONDS = 0.5  # of each measurement, of which the best of three counts
TARGETS = {"elementwise": 20e6, "contraction": 1e6}


def main() -> None:
    """Measure and write the record."""
    rows = []
    for reference in (True, False):
        zp._arithmetic = modular.REFERENCE if reference else _compiled()
        for name, scheme in _schemes().items():
            rows += [measured(name, scheme, way, reference) for way in ("fingerprint", "value")]
    for row in rows:
        print(f"{row['arithmetic']:9} {row['production']:12} {row['way']:11} {row['per_second'] / 1e6:8.2f} M/s")
    ours = [r for r in rows if r["arithmetic"] == "compiled" and r["way"] == "fingerprint"]
    summary = {
        kind: {"slowest_per_second": min(r["per_second"] for r in ours if r["kind"] == kind), "target": target}
        for kind, target in TARGETS.items()
    }
    print(write("candidate-rates", COMMAND, rows, summary))


def _compiled() -> modular.Arithmetic:
    found = machine.load()
    assert found is not None, "no compiled loops on this machine"
    return found


def _schemes() -> dict[str, Scheme]:
    """A scheme for each field operation on two operands, and for a sum of products."""
    found: dict[str, Scheme] = {}
    for scheme in schemes(load("linalg")):
        form = form_of(scheme)
        floats = all(i.op.endswith("f") for i in scheme.body.instrs)
        if form is None or scheme.arity != 2 or not floats:
            continue
        if scheme.combiner is None:
            found.setdefault(form.kind, scheme)
        elif form.kind == "mul" and SCALARS[scheme.combiner].residue == "add":
            found.setdefault("contraction", scheme)
    return found


def measured(name: str, scheme: Scheme, way: str, reference: bool) -> dict[str, Any]:
    """The rate of one production as a row."""
    contraction = scheme.combiner is not None
    maps: tuple[Map, ...] = ((0, 1), (1, 2), (0, 2)) if contraction else ((0, 1), (0, 1), (0, 1))
    extents = (ROWS, COLUMNS, ROWS) if contraction else (ROWS, COLUMNS)
    shapes = [tuple(extents[d] for d in m) for m in maps if all(isinstance(d, int) for d in m)]  # type: ignore[index]
    store = Store([{}], {}, 0)
    left, right = (_bucket(store, shape, 700, seed) for seed, shape in enumerate(shapes[:2]))
    weights = store.bucket(_type(shapes[2])).weights
    table = zp.lookup(np.random.default_rng(5).integers(0, zp.P, KNOWN, dtype=np.uint64))
    form = form_of(scheme)
    assert form is not None
    layout = Layout(maps[:2], maps[2], len(extents), weights)
    rows = np.arange(700)

    def fingerprints() -> int:
        table(_outer(form, layout, [left, right], rows))
        return 700 * 700

    def values() -> int:
        first, second = np.repeat(rows[:40], 700), np.tile(rows, 40)
        args = [Num(b.arrays[0].res[r], b.arrays[0].flt[r]) for b, r in ((left, first), (right, second))]
        found = structured(scheme.body, maps, args, extents)
        table(linear_form(weights, [found.res]))
        return len(first)

    rate = _rate(fingerprints if way == "fingerprint" else values)
    kind = "contraction" if contraction else "elementwise"
    arithmetic = "reference" if reference else "compiled"
    return {"production": name, "kind": kind, "way": way, "arithmetic": arithmetic, "per_second": round(rate)}


def _outer(form: Form, layout: Layout, buckets: list[Bucket], rows: Any) -> Residues:
    return outer(form, layout, buckets, rows, rows).reshape(-1)


def _type(shape: tuple[int, ...]) -> TensorType:
    dims: tuple[Lin, ...] = tuple(const(n) for n in shape)
    return TensorType("f64", dims)


def _bucket(store: Store, shape: tuple[int, ...], count: int, seed: int) -> Bucket:
    """A bucket of random values; operands of one type share none."""
    bucket, rng = Bucket(_type(shape), store.random_weights(_type(shape))), np.random.default_rng(seed)
    for k in range(count):
        value = Num(rng.integers(1, zp.P, shape, dtype=np.uint64), rng.normal(size=shape))
        bucket.add_one([value], Input(_type(shape), f"x{k}"), 0, (True, 0))
    return bucket


def _rate(work: Callable[[], int]) -> float:
    """Candidates per second of processor time, the best of three."""
    work()
    best = 0.0
    for _ in range(3):
        count, started = 0, time.process_time()
        while time.process_time() - started < SECONDS:
            count += work()
        best = max(best, count / (time.process_time() - started))
    return best


if __name__ == "__main__":
    main()
