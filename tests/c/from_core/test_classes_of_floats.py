"""A program that asks for NaN and infinities gets its answers: no identity of the real numbers decides them."""

from pathlib import Path

import numpy as np
import pytest

import raising
from raising.frontend.c import convert
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.raising.algebra import loops

X = np.array([1.0, np.nan, -0.0, np.inf, -np.inf, 0.0, -2.5, np.finfo(float).max, 5e-324])
QUESTIONS = {
    "same": "x == x",
    "differs": "x != x",
    "ordered": "x <= x",
    "never": "x < x",
    "turned": "!(x >= x)",
    "no_number": "isnan(x)",
    "infinite": "isinf(x)",
    "finite": "isfinite(x)",
    "normal": "fabs(x) < INFINITY",
    "below": "x < INFINITY",
    "above": "x >= -INFINITY",
    "most": "x == INFINITY",
    "not_least": "x != -INFINITY",
    "turned_limit": "INFINITY > x",
    "both": "isfinite(x) && x > 0",
    "unordered": "isunordered(x, -x)",
}
SOURCE = "#include <math.h>\n" + "\n".join(
    f"void q_{name}(int n, const double *restrict a, double *restrict o)"
    f" {{ for (int i = 0; i < n; i++) {{ double x = a[i]; o[i] = ({test}) ? x : 7.0; }} }}"
    for name, test in QUESTIONS.items()
)


@needs_gcc
@pytest.mark.parametrize("check", ["field", "full"])
def test_the_answers_are_those_of_c(check: str, tmp_path: Path):
    (tmp_path / "k.c").write_text(SOURCE)
    result = raising.raise_module(convert(SOURCE, "k.c").mlir, check=check)
    assert loops(result.text) == []
    library = Library(tmp_path / "k.c", {})
    wrong = {
        name: found
        for name in QUESTIONS
        if (found := Beside(library, result.text, "q_" + name).difference([np.int32(len(X)), X, np.zeros_like(X)]))
    }
    assert wrong == {}


@needs_gcc
def test_an_infinity_has_a_sign(tmp_path: Path):
    """The `isinf` of `math.h` is 1, -1 or 0."""
    text = "#include <math.h>\nvoid f(const double *restrict a, double *restrict o)"
    text += f" {{ for (int i = 0; i < {len(X)}; i++) o[i] = isinf(a[i]) + (isinf(-a[i]) == 1 ? 8 : 0); }}"
    (tmp_path / "k.c").write_text(text)
    read = Beside(Library(tmp_path / "k.c", {}), convert(text, "k.c").mlir, "f")
    assert read.difference([X, np.zeros_like(X)]) == ""


@needs_gcc
def test_a_known_integer_becomes_a_float_by_one_rounding(tmp_path: Path):
    """Halfway between two floats, and one more: the double in between would be the lower of the two."""
    text = f"void f(float *restrict o) {{ long k = {2**53 + 2**29 + 1}; o[0] = (float)k; o[1] = (float)-k; }}"
    (tmp_path / "k.c").write_text(text)
    read = Beside(Library(tmp_path / "k.c", {}), convert(text, "k.c").mlir, "f")
    assert read.difference([np.zeros(2, np.float32)]) == ""


@pytest.mark.parametrize("name", ["popcount", "ctz", "isinf_sign"])
def test_another_files_function_is_no_builtin(name: str):
    text = f"int {name}(double x); void f(const double *restrict a, int *restrict o) {{ o[0] = {name}(a[0]); }}"
    assert f"calls '{name}'" in convert(text, "k.c").refused[0].reason


POWERS = {"2.0": True, "2": True, "1": True, "-1": True, "-1.0": True, "3": False, "0.5": False, "-1u": False}


@needs_gcc
@pytest.mark.parametrize("exponent", POWERS)
def test_a_power_that_is_one_operation_is_no_call(exponent: str, tmp_path: Path):
    text = "#include <math.h>\nvoid f(const double *restrict a, double *restrict o)"
    text += f" {{ for (int i = 0; i < {len(X)}; i++) o[i] = pow(a[i], {exponent}); }}"
    (tmp_path / "k.c").write_text(text)
    read = convert(text, "k.c").mlir
    assert ("math.powf" not in read) == POWERS[exponent]
    if POWERS[exponent]:
        library = Library(tmp_path / "k.c", {})
        assert Beside(library, read, "f").difference([X, np.zeros_like(X)]) == ""
