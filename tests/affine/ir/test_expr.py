"""Linear forms are a canonical algebra, equal to Python's integers."""

import itertools

import pytest

from raising.affine.ir.affine_expr import Cond, Floor, Lin, const, var

X, Y, N = var("i"), var("j"), var("N")
FORMS = [const(0), const(-7), X, Y, X + Y, X - Y, X.scaled(3) + 2, N - X - 1, X.scaled(2) - Y.scaled(4) + 6]
POINTS = [dict(zip("ijN", p, strict=True)) for p in itertools.product((-3, 0, 1, 5), repeat=3)]


@pytest.mark.parametrize(("a", "b"), list(itertools.product(FORMS, repeat=2)))
def test_sums_evaluate_to_sums(a: Lin, b: Lin) -> None:
    for at in POINTS:
        assert (a + b).evaluate(at) == a.evaluate(at) + b.evaluate(at)
        assert (a - b).evaluate(at) == a.evaluate(at) - b.evaluate(at)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("divisor", [1, 2, 3, 7])
def test_quotients_and_remainders_are_pythons(form: Lin, divisor: int) -> None:
    for at in POINTS:
        value = form.evaluate(at)
        assert form.floordiv(divisor).evaluate(at) == value // divisor
        assert form.mod(divisor).evaluate(at) == value % divisor
        assert form.scaled(-divisor).evaluate(at) == -divisor * value
        assert (-form).evaluate(at) == -value


def test_equal_forms_are_one_value() -> None:
    assert X + Y == Y + X
    assert (X - X).is_const and (X - X).const == 0
    assert (X + Y) - Y == X
    assert hash(X + Y - Y) == hash(X)
    assert (X.scaled(2) + 4).floordiv(2) == X + 2
    assert X.scaled(4).mod(2) == const(0)
    assert X.scaled(0) == const(0)


def test_a_quotient_that_does_not_divide_stays_one() -> None:
    form = (X.scaled(2) + 1).floordiv(2)
    assert form.evaluate({"i": -1}) == -1
    assert (X + 1).floordiv(2).terms == ((Floor(X + 1, 2), 1),)


def test_names_are_found_inside_of_quotients() -> None:
    assert (X + N).floordiv(3).names() == {"i", "N"}
    assert const(4).names() == frozenset()
    assert const(4).is_const and not X.is_const


def test_substitution_reaches_quotients() -> None:
    form = (X + Y).floordiv(2) + X
    found = form.substitute(lambda n: Y + 1 if n == "i" else None)
    for at in POINTS:
        assert found.evaluate(at) == (at["j"] + 1 + at["j"]) // 2 + at["j"] + 1


def test_an_offset_is_one_name_plus_a_constant() -> None:
    assert (X - 3).as_offset() == ("i", -3)
    assert X.as_offset() == ("i", 0)
    for form in (const(2), X + Y, X.scaled(2), -X, (X + 1).floordiv(2)):
        assert form.as_offset() is None


def test_an_unbound_name_is_an_error() -> None:
    with pytest.raises(KeyError):
        (X + Y).evaluate({"i": 1})


@pytest.mark.parametrize("equality", [False, True])
def test_a_negated_condition_holds_exactly_where_it_does_not(equality: bool) -> None:
    cond = Cond(X - Y.scaled(2) + 1, equality)
    for at in POINTS:
        assert any(c.holds(at) for c in cond.negated()) != cond.holds(at)
        assert sum(c.holds(at) for c in cond.negated()) <= 1


def test_text_for_people_and_for_isl() -> None:
    form = N - X.scaled(2) - 1
    assert str(form) == "N - 2*i - 1"
    assert str(const(0)) == "0"
    import islpy as isl

    space = f"[N] -> {{ [i, j] : ({form.isl()}) >= 0 and ({(X + Y).mod(3).isl()}) = 1 and j = 0 }}"
    found = isl.Set(space).intersect(isl.Set("[N] -> { [i, j] : N = 20 and i >= 0 }"))
    wanted = isl.Set("[N] -> { [i, 0] : N = 20 and 0 <= i and 19 - 2i >= 0 and i mod 3 = 1 }")
    assert found.is_equal(wanted)
