"""The store: fingerprints are linear forms, so sums and products are found without touching arrays."""

import numpy as np
import pytest

from raising.affine.ir.affine_expr import const, var
from raising.grammar.evaluate.number import Num
from raising.grammar.field import field as zp
from raising.grammar.terms.term import Input, TensorType
from raising.synth.enumerate.store import Store, linear_form
from raising.synth.spec.schemes import embeddings, pairings, reductions, schemes
from tests.synth.specs import SIZES, SOURCE, M, N, available, grammar, matrix, store

MATRIX = TensorType("f64", (M, N))


def _random(seed: int, count: int = 1) -> list[Num]:
    rng = np.random.default_rng(seed)
    shapes = [(count, s["M"], s["N"]) for s in SIZES]
    return [Num(rng.integers(0, zp.P, s, dtype=np.uint64), rng.normal(size=s)) for s in shapes]


def _one(seed: int) -> list[Num]:
    return [Num(v.res[0], v.flt[0]) for v in _random(seed)]


def _print(made: Store, values: list[Num]) -> np.ndarray:
    return linear_form(made.bucket(MATRIX).weights, [v.res for v in values])


def test_the_fingerprint_of_a_sum_is_the_sum_and_of_a_scaling_the_scaling() -> None:
    made = Store(SIZES, SOURCE, 0)
    a, b = _random(1, 5), _random(2, 5)
    total = [Num(zp.add(x.res, y.res), x.flt) for x, y in zip(a, b, strict=True)]
    scaled = [Num(zp.mul(x.res, np.full_like(x.res, 7)), x.flt) for x in a]
    assert np.array_equal(_print(made, total), zp.add(_print(made, a), _print(made, b)))
    assert np.array_equal(_print(made, scaled), zp.mul(_print(made, a), np.full(5, 7, np.uint64)))


def test_a_difference_at_one_element_of_one_sample_is_seen() -> None:
    made = Store(SIZES, SOURCE, 0)
    values = _random(1)
    before = int(_print(made, values)[0])
    for sample in range(len(SIZES)):
        changed = [Num(v.res.copy(), v.flt) for v in values]
        changed[sample].res[0, -1, -1] ^= np.uint64(1)
        assert int(_print(made, changed)[0]) != before


def test_equal_values_are_kept_once_and_the_cheapest_term_stays() -> None:
    made = Store(SIZES, SOURCE, 0)
    bucket, values = made.bucket(MATRIX), _one(1)
    dear, cheap, dearer = (Input(MATRIX, n) for n in ("dear", "cheap", "dearer"))
    assert bucket.add_one(values, dear, 2, (True, 9)) == 1
    assert bucket.add_one(values, cheap, 1, (True, 5)) == 0
    assert bucket.add_one(values, dearer, 3, (True, 1)) == 0
    assert (bucket.terms, bucket.costs) == ([cheap], [1])
    assert bucket.add_one(values, dearer, 1, (False, 9)) == 0  # of equal cost, the lower rank
    assert bucket.terms == [dearer]
    assert bucket.add_one(_one(2), dear, 1, (True, 0)) == 1
    assert len(made) == 2 and bucket.of_cost(1).tolist() == [0, 1]
    assert bucket.arrays[0].res.shape == (2, SIZES[0]["M"], SIZES[0]["N"])


def test_inverses_follow_what_is_added() -> None:
    made, values = store(matrix("a", M, N))
    bucket = made.bucket(MATRIX)
    for inverse, value in zip(bucket.inverses, values["a"], strict=True):
        assert np.all(zp.mul(inverse[0, 0], value.res) == 1)
    bucket.add_one(_one(3), matrix("b", M, N), 1, (True, 0))
    assert [i.shape[0] for i in bucket.inverses] == [2, 2]


def test_the_same_seed_gives_the_same_fingerprints() -> None:
    a, b, c = (Store(SIZES, SOURCE, seed) for seed in (5, 5, 6))
    values = _random(1)
    assert _print(a, values).tolist() == _print(b, values).tolist() != _print(c, values).tolist()


# ---- maps ----------------------------------------------------------------------------------------


def test_pairings_let_equal_extents_meet_or_stay_apart() -> None:
    assert set(pairings((M, N), (N,))) == {((0, 1), (1,)), ((0, 1), (2,))}
    assert set(pairings((M,), (N,))) == {((0,), (1,))}
    square = set(pairings((M, M), (M, M)))
    assert ((0, 1), (0, 1)) in square and ((0, 1), (1, 0)) in square and ((0, 1), (2, 3)) in square
    assert ((0, 1), (2, 0)) in square and len(square) == 7
    assert all(len(set(second)) == 2 for _, second in square)  # no diagonals


def test_embeddings_place_dimensions_at_equal_extents() -> None:
    assert set(embeddings((M,), (M, N))) == {(0,)}
    assert set(embeddings((M,), (M, M))) == {(0,), (1,)}
    assert set(embeddings((M, M), (M, M))) == {(0, 1), (1, 0)}
    assert set(embeddings((), (M,))) == {()}
    assert not list(embeddings((var("K"),), (M, N)))
    assert not list(embeddings((const(4),), (N,)))  # 4 at one sample is not N


def test_reductions_are_the_subsets() -> None:
    assert list(reductions([0, 2])) == [(0,), (2,), (0, 2)]
    assert list(reductions([])) == []


# ---- schemes -------------------------------------------------------------------------------------


def test_schemes_are_told_by_meaning() -> None:
    found = available("arith.addf", "arith.mulf", "arith.subf")
    bodies = [s.body for s in found]
    assert len(bodies) == len(set(bodies))
    contractions = [s for s in found if s.combiner == "arith.addf" and s.operations == {"arith.addf", "arith.mulf"}]
    assert [(s.arity, s.commutative) for s in contractions] == [(2, True)]
    (difference,) = [s for s in found if s.operations == {"arith.subf"} and s.combiner is None]
    assert not difference.commutative
    assert all(s.commutative for s in found if s.operations == {"arith.addf"} and s.arity == 2)


def test_a_guide_leaves_out_what_the_source_does_not_use() -> None:
    every = schemes(grammar())
    few = available("arith.addf")
    assert 0 < len(few) < len(every)
    assert all(s.operations <= {"arith.addf"} for s in few)


@pytest.mark.parametrize(
    ("elements", "result"), [(("f64", "f64"), "f64"), (("f32", "f32"), "f32"), (("f64", "f32"), None)]
)
def test_element_types_have_to_agree(elements: tuple[str, str], result: str | None) -> None:
    (scheme,) = [s for s in available("arith.addf") if s.arity == 2 and s.combiner is None]
    assert scheme.result_element(tuple(TensorType(e, ()) for e in elements)) == result
