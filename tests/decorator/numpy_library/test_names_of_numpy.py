"""NumPy's functions that are defined by loops or by others: elements, types and errors are NumPy's."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import raising
from raising.frontend.python import convert
from raising.support.errors import InputError
from tests.bench.numpy_names import PAGE, judged
from tests.decorator.functions import QUICK
from tests.decorator.numpy_library.names_of_numpy import uses

BY_LOOPS = ["argsort", "interp", "histogram", "searchsorted", "corrcoef", "kron", "roll(by an argument)", "array"]
BY_LOOPS += ["linalg.solve(matrix)", "linalg.det", "digitize(right)", "take_along_axis", "nanargmax"]
BY_LOOPS += ['convolve(mode="same")']
BY_OTHERS = ["average of all", "nan_to_num", "modf", "copyto", "dstack", "moveaxis"]


@pytest.mark.parametrize("name", BY_LOOPS + BY_OTHERS)
def test_it_is_what_numpy_computes(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert judged(name, uses()[name], Path(folder), check="none") == ""


def test_the_page_has_all_names() -> None:
    text = PAGE.read_text()
    assert [name for name in uses() if f"`{name}`" not in text] == []


def middle(x: Any, part: Any) -> Any:
    x.sort()
    return np.median(x), np.quantile(x, part), np.percentile(x, 30), np.searchsorted(x, part), x


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("values", [[3.0, 1, 2, 2], [1, np.nan, -np.inf, 0, -0.0, 5], [7], [-0.0, 0.0, np.inf]])
def test_order_statistics(values: list[float]) -> None:
    compiled = raising.jit(**QUICK)(middle)
    for kind in ("float64", "float32"):
        for x in (np.array(values, kind), np.array(values * 40, kind)[::-2]):
            found, wanted = compiled(x.copy(), 0.6), middle(x.copy(), 0.6)
            for a, b in zip(found, wanted, strict=True):
                assert np.asarray(a).dtype == np.asarray(b).dtype
                np.testing.assert_allclose(a, b, rtol=1e-5 if kind == "float32" else 1e-12)
    with pytest.raises((IndexError, InputError)):
        compiled(np.array(values), 1.5)


def sorted_rows(a: Any) -> Any:
    return np.sort(a, axis=1), np.median(a, axis=1)


def test_loops_that_ask_data_are_compiled_once_for_all_sizes() -> None:
    compiled = raising.jit(**QUICK)(sorted_rows)
    for shape in (3, 5), (4, 9), (1, 1), (2, 17):
        a = np.random.default_rng(0).standard_normal(shape)
        for found, wanted in zip(compiled(a), sorted_rows(a), strict=True):
            np.testing.assert_array_equal(found, wanted)
    assert sum(map(len, compiled._known.values())) == 1


def counted(x: Any, low: Any, high: Any) -> Any:
    counts, ends = np.histogram(x, 4, (low, high))
    return counts, ends


def test_a_histogram_has_a_range() -> None:
    x, compiled = np.array([0.0, 1, 0.3, 2, -1, 0.25]), raising.jit(**QUICK)(counted)
    for found, wanted in zip(compiled(x, 0.0, 1.0), counted(x, 0.0, 1.0), strict=True):
        np.testing.assert_array_equal(found, wanted)
    for low, high in ((1.0, 1.0), (2.0, 1.0), (np.nan, 1.0)):
        with pytest.raises(IndexError):
            compiled(x, low, high)


def greatest(x: Any) -> Any:
    return x.max(axis=0)


def chosen(x: Any, k: int) -> Any:
    return x if k > 0 else 1.0


def stepped(x: Any, k: int) -> Any:
    for _ in range(k):
        x = x * 0.5 + 1
    return x


def shared(x: Any, k: int) -> Any:
    left = x[1:]
    for _ in range(k):
        x = x * 0.5
    left[0] = 3
    return x


def test_there_is_no_greatest_of_nothing() -> None:
    compiled = raising.jit(**QUICK)(greatest)
    assert list(compiled(np.array([[1.0, 5], [2, 3]]))) == [2, 5]
    with pytest.raises(InputError, match="an element to be found"):
        compiled(np.zeros((0, 3)))


def test_nothing_is_spread_to_what_a_condition_chooses() -> None:
    with pytest.raises(InputError, match="as a condition decides"):
        raising.jit(chosen)(np.ones(3), 0)


def test_a_parameter_that_becomes_another_array_in_a_loop() -> None:
    x = np.arange(4.0)
    np.testing.assert_allclose(raising.jit(**QUICK)(stepped)(x, 3), stepped(x, 3))
    assert list(x) == [0, 1, 2, 3]
    with pytest.raises(InputError, match="may be the memory of"):
        raising.jit(shared)(x, 2)


@pytest.mark.parametrize("shape", [(0,), (1,), (2,)])
def test_slices_of_arrays_that_are_too_short_for_them(shape: tuple[int]) -> None:
    x = np.ones(shape)
    found = raising.jit(**QUICK)(turns)(x)
    assert found.tolist() == turns(x).tolist()


def turns(x: Any) -> Any:
    return (x[1:-1] > x[:-2]) & (x[1:-1] > x[2:])


def test_lengths_that_data_decide_are_refused() -> None:
    found = convert('import numpy as np\ndef f(x: "f64[N]"):\n    return np.unique(x)\n', "k.py")
    assert "k.py:3:12" in str(found.refused[0]) and "depends on data" in str(found.refused[0])


def test_arrays_without_dimensions_are_refused() -> None:
    found = convert(
        'import numpy as np\ndef f(x: "f64[N]"):\n    t = np.array(0.0)\n    t += x[0]\n    return t\n', "k.py"
    )
    assert "without dimensions" in str(found.refused[0])


def solved(a: Any, b: Any) -> Any:
    return np.linalg.solve(a, b), np.linalg.inv(a) @ b, np.linalg.det(a)


@pytest.mark.parametrize("kind", ["float64", "float32", "int64"])
def test_linear_equations_exchange_rows(kind: str) -> None:
    compiled = raising.jit(**QUICK)(solved)
    zeros_on_the_diagonal = np.array([[0, 2, 1], [1, 0, 3], [2, 1, 0]], kind)
    for found, wanted in zip(
        compiled(zeros_on_the_diagonal, np.array([1, 2, 3], kind)),
        solved(zeros_on_the_diagonal, np.array([1, 2, 3], kind)),
        strict=True,
    ):
        assert np.asarray(found).dtype == np.asarray(wanted).dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-5 if kind == "float32" else 1e-12)
    with pytest.raises((IndexError, InputError, ValueError)):
        compiled(np.ones((2, 2), kind), np.ones(2, kind))
    for a, b in ((np.ones((2, 3)), np.ones(2)), (np.eye(3), np.ones(4))) if kind == "float64" else ():
        with pytest.raises((IndexError, InputError, ValueError)):  # extents are looked at alike in all types
            compiled(a, b)


def turned(p: Any) -> Any:
    return np.unwrap(p)


def test_angles_are_unwrapped_in_their_type() -> None:
    compiled = raising.jit(**QUICK)(turned)
    for p in (np.arange(20) * 2.5 % 6.0, np.array([3, 0, 2, 7, 1], np.uint8), np.array([0.0, np.pi, 0.0, -np.pi])):
        np.testing.assert_allclose(compiled(p), turned(p), atol=1e-12)


def one_and_many(x: Any, places: Any) -> Any:
    quotient, rest = divmod(7, 2)
    return np.take(x, 1) + quotient + rest, np.take(x, places), np.nan_to_num(x, nan=1, posinf=2.0, neginf=-3.0)


def test_a_constant_place_is_a_number() -> None:
    x = np.array([1.0, np.inf, np.nan, -np.inf])
    compiled = raising.jit(**QUICK)(one_and_many)
    for found, wanted in zip(compiled(x, np.array([3, 0])), one_and_many(x, np.array([3, 0])), strict=True):
        np.testing.assert_array_equal(found, wanted)


def of_python(x: Any, y: Any) -> Any:
    close = math.isclose(x, y), math.isclose(x, y, rel_tol=0.1), math.isclose(x, y, abs_tol=0.5)
    return math.degrees(x), math.radians(y), close[0], close[1], close[2]


def test_functions_of_python_give_numbers_of_python() -> None:
    compiled = raising.jit(fp="strict", **QUICK)(of_python)
    for x, y in (
        (1.0, 1.05),
        (2, 2),
        (np.float32(0.3), 0.7),
        (math.inf, 1.0),
        (math.inf, math.inf),
        (math.nan, math.nan),
    ):
        for found, wanted in zip(compiled(x, y), of_python(x, y), strict=True):
            assert type(found) is type(wanted)
            np.testing.assert_array_equal(found, wanted)


def spread(x: Any) -> Any:
    return np.nanvar(x, axis=0), np.nanstd(x)


@pytest.mark.filterwarnings("ignore")
def test_the_spread_of_what_is_no_number_is_none() -> None:
    x = np.array([[1.0, np.inf, np.nan], [np.nan, 2, np.nan], [3, 4, np.nan]])
    for found, wanted in zip(raising.jit(fp="strict", **QUICK)(spread)(x), spread(x), strict=True):
        np.testing.assert_array_equal(found, wanted)


def of_expressions(a: Any, b: Any) -> Any:
    solved = np.linalg.solve(a @ a.T + np.eye(len(a)), b).T
    turned = np.flip(a + b, axis=0) + np.transpose(a * 2) + np.swapaxes(a + 1, 0, 1) + (a + b).transpose()
    return solved, turned, np.diag(a @ b), np.trace(a + b), (a @ b).T[0], np.linalg.inv(a.T @ a + np.eye(len(a))) @ a.T


@pytest.mark.parametrize("n", [4, 1])
def test_parts_of_expressions(n: int) -> None:
    """The diagonal of a product was an array of its rows."""
    a, b = np.random.default_rng(7).standard_normal((2, n, n))
    compiled = raising.jit(**QUICK)(of_expressions)
    for found, wanted in zip(compiled(a, b), of_expressions(a, b), strict=True):
        assert np.shape(found) == np.shape(wanted)
        np.testing.assert_allclose(found, wanted, rtol=1e-10)


def behind_its_end(x: Any) -> Any:
    doubled = x * 2
    return doubled[1]


def stored_behind_its_end(x: Any) -> Any:
    found = np.zeros(len(x))
    for i in range(len(x)):
        found[i] = x[i]
    found[1] = 7.0
    return found


@pytest.mark.parametrize("function", [behind_its_end, stored_behind_its_end])
def test_arrays_of_its_own_are_not_left_at_a_length_of_one(function: Any) -> None:
    """A length of 1 is known to the code, and nothing looked at accesses then."""
    compiled = raising.jit(**QUICK)(function)
    np.testing.assert_array_equal(compiled(np.arange(3.0)), function(np.arange(3.0)))
    with pytest.raises(ValueError):
        compiled(np.ones(1))


def between(x: Any, xp: Any, fp: Any) -> Any:
    return np.interp(x, xp, fp)


@pytest.mark.parametrize("n", [1, 2])
def test_between_points_nan_has_a_value_where_there_is_one(n: int) -> None:
    x, xp = np.array([np.nan, -1.0, 0.0, 0.5, 9.0]), np.arange(n) * 1.0
    np.testing.assert_array_equal(raising.jit(between)(x, xp, xp + 3), between(x, xp, xp + 3))
