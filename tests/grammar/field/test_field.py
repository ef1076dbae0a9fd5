"""The field against Python's own integers, at the edges and at random."""

import operator
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from raising.grammar.field import field
from raising.grammar.field.field import P, Residues

EDGES = [0, 1, 2, 3, (1 << 31) - 1, 1 << 31, 1 << 32, (1 << 60) - 1, 1 << 60, P - 2, P - 1]


def _values(count: int = 60) -> list[int]:
    random = np.random.default_rng(0)
    return EDGES + [int(v) for v in random.integers(0, P, count, dtype=np.uint64)]


def _array(values: list[int]) -> Residues:
    return np.array(values, dtype=np.uint64)


def _pairs() -> tuple[list[int], list[int]]:
    values = _values()
    return [a for a in values for _ in values], [b for _ in values for b in values]


@pytest.mark.parametrize(
    ("ours", "python"), [(field.add, operator.add), (field.sub, operator.sub), (field.mul, operator.mul)]
)
def test_ring_operation_is_pythons_mod_p(
    ours: Callable[[Residues, Residues], Residues], python: Callable[[int, int], int]
) -> None:
    left, right = _pairs()
    wanted = [python(a, b) % P for a, b in zip(left, right, strict=True)]
    assert ours(_array(left), _array(right)).tolist() == wanted


def test_negation_and_reduction_stay_below_p() -> None:
    values = _values()
    assert field.neg(_array(values)).tolist() == [-v % P for v in values]
    wide = [*values, P, P + 1, 2 * P, 2 * P + 1, 1 << 63, (1 << 64) - 1]
    assert field.reduce(_array(wide)).tolist() == [v % P for v in wide]


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 61, P - 2, (P + 1) // 4])
def test_power_is_pythons(exponent: int) -> None:
    assert field.power(_array(_values()), exponent).tolist() == [pow(v, exponent, P) for v in _values()]


def test_inverse_is_pythons_and_zero_for_zero() -> None:
    found = field.inverse(_array(_values())).tolist()
    assert found == [pow(v, -1, P) if v else 0 for v in _values()]


def test_total_is_the_sum_over_each_choice_of_axes() -> None:
    values = np.random.default_rng(1).integers(0, P, (3, 4, 5), dtype=np.uint64)
    values[0] = P - 1
    exact = np.vectorize(int, otypes=[object])(values)
    for axes in [(0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2)]:
        wanted = np.sum(exact, axis=axes) % P
        assert np.asarray(field.total(values, axes)).tolist() == np.asarray(wanted).tolist()


def test_total_of_many_large_terms_does_not_wrap() -> None:
    count = 1 << 17
    assert int(field.total(np.full(count, P - 1, dtype=np.uint64), (0,))) == -count % P


def test_opaque_is_the_same_function_on_arrays_and_integers() -> None:
    left, right = _pairs()
    found = field.opaque("math.exp", (_array(left), _array(right))).tolist()
    assert found == [field.opaque_int("math.exp", pair) for pair in zip(left, right, strict=True)]
    assert max(found) < P


def test_opaque_depends_on_the_name_and_on_the_order_of_arguments() -> None:
    assert field.opaque_int("f", (2, 3)) != field.opaque_int("g", (2, 3))
    assert field.opaque_int("f", (2, 3)) != field.opaque_int("f", (3, 2))
    assert len({field.opaque_int("f", (v,)) for v in range(1000)}) == 1000


def test_opaque_of_a_name_never_changes() -> None:
    # FNV-1a's published vectors: a key that changed with the process would change what is found
    assert field.key_of("") == 0xCBF29CE484222325
    assert field.key_of("a") == 0xAF63DC4C8601EC8C
    assert field.key_of("foobar") == 0x85944171F73967E8


def test_residue_of_rationals() -> None:
    assert [field.residue_of(v) for v in (0, 1, -1, -0.0)] == [0, 1, P - 1, 0]
    assert field.residue_of(0.5) * 2 % P == 1
    assert field.residue_of(Fraction(1, 3)) * 3 % P == 1
    third = field.residue_of(1 / 3)  # the double, not the rational
    assert third * (1 << 54) % P == int((1 / 3) * (1 << 54)) % P
    assert third != field.residue_of(Fraction(1, 3))


def test_infinities_and_nan_are_fixed_and_distinct() -> None:
    special = [field.residue_of(float(text)) for text in ("inf", "-inf", "nan")]
    assert len(set(special)) == 3
    assert field.residue_of(float("inf")) == special[0]
