"""Numbers on arrays (the search) and on points (the reference) are one arithmetic."""

import itertools

import numpy as np
import pytest

from raising.grammar.evaluate import number, point_number
from raising.grammar.evaluate.number import Num, apart
from raising.grammar.evaluate.point_number import Point, point
from raising.grammar.field import field
from raising.grammar.field.reference import REFERENCE
from raising.grammar.terms.scalar_ops import SCALARS, combiners, neutral, predicate
from raising.support.mlir.predicates import CMPF, CMPI

ARITY = {"add": 2, "sub": 2, "mul": 2, "div": 2, "neg": 1, "fma": 3, "greater": 2, "less": 2}
ARITY |= {"unsigned_greater": 2, "unsigned_less": 2}
ARITY |= {"magnitude": 1, "compare": 2, "select": 3, "logic": 2, "same": 1, "root": 1, "inverse_root": 1}
OPAQUE_PAIRS = {"math.powf", "math.atan2", "math.copysign", "arith.remf", "arith.divsi", "arith.divui"}
OPAQUE_PAIRS |= {"arith.floordivsi", "arith.remsi", "arith.remui", "arith.shli", "arith.shrsi", "arith.shrui"}
PREDICATED = {"arith.cmpf": CMPF, "arith.cmpi": CMPI}
CASES = [
    (op, attrs)
    for op in sorted(SCALARS)
    for attrs in ([(("predicate", str(k)),) for k in range(len(PREDICATED.get(op, [])))] or [()])
]


def _arity(op: str) -> int:
    return ARITY.get(SCALARS[op].residue, 2 if op in OPAQUE_PAIRS else 1)


def _points() -> list[Point]:
    """Signs, equal values, truth values, infinities, NaN, and equal residues with different shadows."""
    plain = [point(v) for v in (0, 1, 2, -1, -2.5, 3.75, 0.1, 1e9, float("inf"), float("-inf"))]
    random = np.random.default_rng(3)
    wide = [Point(int(random.integers(0, field.P)), float(random.normal())) for _ in range(6)]
    return [*plain, *wide, point(float("nan")), Point(7, float("nan")), Point(wide[0].res, -9.0)]


def _num(points: tuple[Point, ...]) -> Num:
    return Num(np.array([p.res for p in points], np.uint64), np.array([p.flt for p in points]))


@pytest.mark.parametrize(("op", "attrs"), CASES, ids=lambda v: v if isinstance(v, str) else str(v)[-6:-4])
def test_arrays_and_points_agree(op: str, attrs: number.Attrs) -> None:
    tuples = list(itertools.product(_points(), repeat=_arity(op)))
    if op == "arith.select":
        tuples = [t for t in tuples if t[0].res <= 1]
    found = number.apply(op, [_num(column) for column in zip(*tuples, strict=True)], attrs)
    with np.errstate(all="ignore"):
        wanted = _num(tuple(point_number.apply(op, t, attrs) for t in tuples))
    assert found.res.tolist() == wanted.res.tolist()
    np.testing.assert_allclose(found.flt, wanted.flt, rtol=1e-13)  # NumPy rounds arrays and scalars differently


@pytest.mark.parametrize("op", ["arith.maximumf", "arith.minimumf", "arith.maxsi", "arith.minsi"])
def test_compiled_loops_keep_what_points_keep(op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert field.accelerate()
    points = _points()
    column = _num(tuple(points))
    found = number.apply(op, [Num(column.res[:, None], column.flt[:, None]), column])
    for at, pair in zip(np.ndindex(found.res.shape), itertools.product(points, repeat=2), strict=True):
        wanted = point_number.apply(op, pair)
        assert found.res[at] == wanted.res
        np.testing.assert_equal(found.flt[at], wanted.flt)
    alone = number.apply(op, [Num(column.res[0], column.flt[0]), Num(column.res[1], column.flt[1])])
    assert alone.res.shape == alone.flt.shape == ()
    monkeypatch.setattr(field, "_arithmetic", REFERENCE)
    again = number.apply(op, [Num(column.res[:, None], column.flt[:, None]), column])
    assert found.res.tolist() == again.res.tolist()
    np.testing.assert_array_equal(found.flt.view(np.uint64), again.flt.view(np.uint64))


@pytest.mark.parametrize(
    ("op", "operands", "value"),
    [
        ("shrsi", (1, 3), 0),
        ("shrsi", (-8, 1), -4),
        ("shrui", (9, 1), 4),
        ("divsi", (-7, 2), -3),
        ("remsi", (-7, 2), -1),
    ],
)
def test_small_integers_are_known_where_no_polynomial_says_the_operation(
    op: str, operands: tuple[int, int], value: int
):
    assert point_number.apply(f"arith.{op}", [point(v) for v in operands]) == point(value)


def test_an_operation_without_meaning_is_refused_by_name() -> None:
    for apply in (number.apply, point_number.apply):
        with pytest.raises(number.Unsupported, match=r"arith\.bitcast"):
            apply("arith.bitcast", [point(1)])  # type: ignore[operator]


# ---- order and truth -----------------------------------------------------------------------------


MLIR_CMPI = "eq ne lt le gt ge lt le gt ge"  # eq ne slt sle sgt sge ult ule ugt uge


@pytest.mark.parametrize(("number_", "name"), list(enumerate(MLIR_CMPI.split())))
def test_integer_predicates_are_mlirs(number_: int, name: str) -> None:
    attrs = (("predicate", f"{number_} : i64"),)
    assert predicate("arith.cmpi", attrs) == name
    pairs = [(2, 3), (3, 2), (3, 3), (0, 3)]
    found = [point_number.apply("arith.cmpi", [point(a), point(b)], attrs).res for a, b in pairs]
    python = {"eq": int.__eq__, "ne": int.__ne__, "lt": int.__lt__, "le": int.__le__}
    python |= {"gt": int.__gt__, "ge": int.__ge__}
    assert found == [int(python[name](a, b)) for a, b in pairs]


def test_unsigned_comparisons_take_negative_numbers_for_large_ones() -> None:
    points = [point(v) for v in (0, 1, 5, -3, -1)]  # in ascending order without sign
    for (i, a), (k, b) in itertools.product(enumerate(points), repeat=2):
        found = [point_number.apply("arith.cmpi", [a, b], (("predicate", f"{n} : i64"),)).res for n in range(6, 10)]
        assert found == [i < k, i <= k, i > k, i >= k]
        assert point_number.apply("arith.maxui", [a, b]) == points[max(i, k)]
        assert point_number.apply("arith.minui", [a, b]) == points[min(i, k)]


def test_ordered_float_predicates_are_mlirs() -> None:
    # 1 oeq, 2 ogt, 3 oge, 4 olt, 5 ole, 6 one; 8 ueq … 13 une likewise; 0 false, 15 true
    truth = {}
    for k in range(16):
        pairs = [(1.0, 2.0), (2.0, 1.0), (2.0, 2.0)]
        attrs = (("predicate", str(k)),)
        points = [[point(a), point(b)] for a, b in pairs]
        truth[k] = "".join(str(point_number.apply("arith.cmpf", p, attrs).res) for p in points)
    ordered = {1: "001", 2: "010", 3: "011", 4: "100", 5: "101", 6: "110"}
    assert {k: truth[k] for k in ordered} == ordered
    assert [truth[k] for k in range(8, 14)] == list(ordered.values())
    assert (truth[0], truth[15]) == ("000", "111")


def test_order_is_decided_by_the_shadow_and_equality_by_the_residue() -> None:
    small, large = Point(900, -1.0), Point(5, 1.0)
    assert point_number.apply("arith.maximumf", [small, large]) == large
    assert point_number.apply("arith.minimumf", [small, large]) == small
    twin = Point(5, -7.0)  # equal residue: equal, whatever the shadow says
    le, lt = (("predicate", "5"),), (("predicate", "4"),)
    assert point_number.apply("arith.cmpf", [large, twin], le).res == 1
    assert point_number.apply("arith.cmpf", [large, twin], lt).res == 0


def test_magnitude_flips_negative_numbers_only() -> None:
    assert point_number.apply("math.absf", [point(-3)]) == point(3)
    assert point_number.apply("math.absf", [point(3)]) == point(3)


@pytest.mark.parametrize(("a", "b"), list(itertools.product([0, 1], repeat=2)))
def test_logic_on_truth_values(a: int, b: int) -> None:
    points = [point(a), point(b)]
    found = [point_number.apply(f"arith.{op}", points).res for op in ("andi", "ori", "xori")]
    assert found == [a & b, a | b, a ^ b]


@pytest.mark.parametrize(("a", "b"), [(12, 10), (-1, 77), (-8, 3), (1 << 40, -(1 << 20))])
def test_logic_on_the_bits_of_integers(a: int, b: int) -> None:
    points = [point(a), point(b)]
    wanted = [point(v) for v in (a & b, a | b, a ^ b)]
    assert [point_number.apply(f"arith.{op}", points) for op in ("andi", "ori", "xori")] == wanted


def test_logic_on_other_numbers_is_opaque() -> None:
    for other in (point(2.5), Point(900, 12.0), point(1 << 60)):
        found = point_number.apply("arith.ori", [point(4), other])
        assert found.res == point_number.apply("arith.ori", [other, point(4)]).res
        assert found.res not in (point(int(other.flt) | 4).res, other.res)


def test_a_root_squares_back_or_is_opaque() -> None:
    for value in (4, 9, 2, 3, 5, 7):
        root = point_number.apply("math.sqrt", [point(value)]).res
        exists = pow(value, (field.P - 1) // 2, field.P) == 1
        assert (root * root % field.P == value) == exists


def test_the_root_of_the_negative_differs() -> None:
    # x^((p+1)/4) is even in x: a root that is not checked would take sqrt(-x) for sqrt(x)
    roots = {point_number.apply("math.sqrt", [point(v)]).res for v in (2, -2)}
    assert len(roots) == 2


# ---- reductions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("op", sorted(combiners()))
def test_combine_is_the_fold_over_the_axes(op: str) -> None:
    random = np.random.default_rng(5)
    flt = random.integers(-50, 50, (3, 4, 5)).astype(float)
    res = np.vectorize(field.residue_of, otypes=[np.uint64])(flt)
    for axes in [(0,), (1,), (2,), (0, 2), (0, 1, 2)]:
        found = number.combine(op, Num(res, flt), axes)
        kept = [d for d in range(3) if d not in axes]
        for place in np.ndindex(*(res.shape[d] for d in kept)):
            index = [slice(None)] * 3
            for d, k in zip(kept, place, strict=True):
                index[d] = slice(k, k + 1)
            cells = zip(res[tuple(index)].ravel(), flt[tuple(index)].ravel(), strict=True)
            points = [Point(int(r), float(f)) for r, f in cells]
            fold = points[0]
            for p in points[1:]:
                fold = point_number.apply(op, [fold, p])
            assert int(found.res[place]) == fold.res
            assert float(found.flt[place]) == pytest.approx(fold.flt)


@pytest.mark.parametrize("op", ["arith.minimumf", "arith.maximumf", "arith.minnumf", "arith.maxnumf", "arith.minsi"])
def test_an_extremum_is_the_same_in_any_order(op: str) -> None:
    """Also of numbers of which the floats are equal, by rounding or beyond all floats, or no numbers."""
    floats = (1e300, 2.0, float("inf"), float("-inf"))
    numbers = [Point(r + k, f) for k, f in enumerate(floats) for r in (5, 900, field.P - 9)]
    numbers += [point(0.5), Point(77, float("nan"))]
    for three in itertools.permutations(numbers, 3):
        found = {number.combine(op, _num(order), (0,)).res.item() for order in itertools.permutations(three)}
        folds = {
            point_number.apply(op, [a, point_number.apply(op, [b, c])]).res for a, b, c in itertools.permutations(three)
        }
        assert len(found | folds) == 1, three


@pytest.mark.parametrize("op", sorted(combiners()))
def test_the_neutral_element_is_neutral(op: str) -> None:
    for value in (-7, -2, 0, 12) if op.endswith("i") else (3.5, -2.0, 0.0):
        start, x = point(neutral(op)), point(value)
        assert point_number.apply(op, [start, x]).res == x.res
        assert point_number.apply(op, [x, start]).res == x.res


def test_only_combiners_have_a_neutral_element() -> None:
    assert {"arith.addf", "arith.mulf", "arith.maximumf", "arith.minsi"} <= combiners()
    assert not {"arith.subf", "arith.divf", "math.exp", "arith.cmpf"} & combiners()
    with pytest.raises(TypeError, match="subf"):
        neutral("arith.subf")


def test_a_constant_holds_residue_and_shadow() -> None:
    half = number.constant(0.5)
    assert int(half.res) * 2 % field.P == 1
    assert float(half.flt) == 0.5
    assert half.res.shape == ()


@pytest.mark.parametrize("value", [-7, 0, 3, 127])
def test_small_integers_stay_what_they_are_when_widened(value: int) -> None:
    given = point(value)
    assert point_number.apply("arith.extsi", (given,)) == given
    assert int(number.apply("arith.extsi", (number.constant(value),)).res) == given.res


@pytest.mark.parametrize(("op", "value"), [("arith.extsi", 300), ("arith.extsi", 1), ("arith.extui", -7)])
def test_what_a_type_may_not_hold_is_opaque_when_widened(op: str, value: int) -> None:
    given = point(value)
    wide = point_number.apply(op, (given,))
    assert wide.res != given.res
    assert int(number.apply(op, (number.constant(value),)).res) == wide.res


@pytest.mark.parametrize(
    ("with_sign", "without"),
    [("arith.extsi", "arith.extui"), ("arith.sitofp", "arith.uitofp"), ("arith.shrsi", "arith.shrui")],
)
def test_what_reads_bits_without_sign_is_told_apart_by_comparisons(with_sign: str, without: str) -> None:
    less = ("predicate", "2 : i64")  # with sign, on numbers that are wide enough by now
    other = (point(1),) if with_sign == "arith.shrsi" else ()

    def compared(op: str) -> list[int]:
        wide = [point_number.apply(op, (point(value), *other)) for value in (-100, 100)]
        arrays = [number.apply(op, (number.constant(v), *map(number.constant, (1,) * len(other)))) for v in (-100, 100)]
        found = point_number.apply("arith.cmpi", wide, (less,)).res
        assert int(number.apply("arith.cmpi", arrays, (less,)).res) == found
        return [found]

    assert compared(with_sign) == [1]
    assert compared(without) == [0]


def test_a_number_is_told_apart_from_its_last_bits() -> None:
    given, limit = point(300), point(100)
    cut = point_number.apply("arith.trunci", (given,))
    below = ("predicate", "2 : i64")
    assert point_number.apply("arith.cmpi", (cut, limit), (below,)).res == 1
    assert point_number.apply("arith.cmpi", (given, limit), (below,)).res == 0


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ([12.9, 12.9, 0.1], [0.1, 0.1, 0.1], True),
        ([12.9, 12.9], [0.0, 0.0], True),
        ([4.5e-25, 7.7e-32, 3.0], [0.0, 0.0, 3.0], False),  # what `1 - w` is where w is 1 but for rounding
        ([4.5e-25, 7.7e-32, 2.0], [0.0, 0.0, 3.0], True),
        ([np.nan, np.inf], [1.0, 2.0], False),
        ([0.0, 0.0, 2.0], [0.0, 0.0, 3.0], False),  # most are equal
    ],
)
def test_shadows_differ_where_they_are_more_than_rounding(one: list[float], other: list[float], differ: bool) -> None:
    same = np.zeros(len(one), np.uint64)
    assert apart(Num(same, np.array(one)), Num(same, np.array(other))) == differ
