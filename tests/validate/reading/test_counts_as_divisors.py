"""A float divided by a size is no number where the size is 0: the target does so only where the source does."""

import pytest

from raising.frontend.c import convert
from raising.validate.base.verdict import Proved, Unknown
from raising.validate.check import CheckOptions, check

SUM = "double s = 0; for (int i = 0; i < n; i++) s += x[i];"
EACH = "for (int i = 0; i < n; i++)"
WRONG = {
    "zero": ("x[0] = 0; return 0;", "x[0] = 0 * (1.0 / n); return 0;"),
    "one": ("x[0] = 1; return 0;", "double r = 1.0 / n; x[0] = r * n; return 0;"),
    "an element beside a loop": (
        f"{EACH} x[i] = 2; x[0] = 0; return 0;",
        f"{EACH} x[i] = 2; x[0] = 0 * (3.0 / n); return 0;",
    ),
    "of another size": ("x[0] = 0 * (1.0 / (n + 1)); return 0;", "x[0] = 0 * (1.0 / n); return 0;"),
}
RIGHT = {
    "a mean": (f"{SUM} return s / n;", f"{SUM} return s / n;"),
    "in front of the loop": (f"{EACH} x[i] /= n; return 0;", f"double r = 1.0 / n; {EACH} x[i] *= r; return 0;"),
    "through another one": (
        f"{EACH} x[i] *= 2 / (double)n; return 0;",
        f"double r = 1.0 / n, q = r * 2; {EACH} x[i] *= q; return 0;",
    ),
    "a choice": (f"{SUM} return n > 0 ? s / n : 0;", f"{SUM} if (n <= 0) return 0; return s / n;"),
    "never 0": ("x[0] = 0; return 0;", "if (n > 2) x[0] = 0 * (1.0 / n); else x[0] = 0; return 0;"),
}


def _check(bodies: tuple[str, str]) -> object:
    one, other = (convert(f"double f(int n, double *x) {{ {body} }}", "k.c").mlir for body in bodies)
    return check(one, other, CheckOptions(timeout=60))


@pytest.mark.parametrize("name", WRONG)
def test_a_division_that_the_source_does_not_do(name: str) -> None:
    verdict = _check(WRONG[name])
    assert isinstance(verdict, Unknown), verdict
    assert "the divisor of arith.divf is not zero" in str(verdict)


@pytest.mark.parametrize("name", RIGHT)
def test_one_that_it_does_or_nobody_asks_for(name: str) -> None:
    verdict = _check(RIGHT[name])
    assert isinstance(verdict, Proved), verdict
    assert "divisor" not in str(verdict)
