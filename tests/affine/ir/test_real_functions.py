"""A function of real numbers is one row: each row is read, computed and bounded as its columns say."""

import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from raising.affine.ir.real_functions import REALS, RealFunction
from raising.frontend.c import c_to_mlir
from raising.frontend.python import python_to_mlir
from raising.grammar.terms.scalar_ops import SCALARS
from raising.validate.arithmetic.intervals import bounds, real
from raising.validate.run.running_error import UNIT, apply

ROOT = Path(__file__).parents[3]
SHAPED = [row for row in REALS.values() if (row.rising or row.gentle) and row.names_in_c]
POINTS = (0.3, -0.7, 0.96875, 1.7, 2.5, -3.25)


def _defined(row: RealFunction, *numbers: float) -> bool:
    try:
        return all(math.isfinite(row.on_float(x)) for x in numbers)
    except (ValueError, OverflowError):
        return False


@pytest.mark.parametrize("row", SHAPED, ids=lambda row: row.short)
def test_intervals_and_bounds_hold_the_value(row: RealFunction) -> None:
    near = 2.0**-20
    points = [x for x in POINTS if _defined(row, x - near, x + near)]
    assert points
    for x in points:
        low, high = (float(end) for end in bounds(real(row.op, [Fraction(x)])))
        assert low - 1e-13 <= row.on_float(x) <= high + 1e-13 and high - low < 1e-6
        value, error = apply(row.op, [(x, near)], "f64")
        assert all(abs(row.on_float(x + d) - value) <= error for d in (-near, near / 3, near)), x
        assert error < 100 * near
        if row.op not in ("math.absf", "math.sqrt"):  # exact, and rounded right
            assert apply(row.op, [(x, 0.0)], "f32")[1] >= 2 * row.ulps * UNIT["f32"] * abs(value)


@pytest.mark.parametrize("row", [r for r in REALS.values() if r.names_in_python], ids=lambda row: row.short)
def test_numbers_and_arrays_have_one_value(row: RealFunction) -> None:
    given = [x for x in (0.25, 0.5, 1.5, 2.0) if row.arity > 1 or _defined(row, x)]
    found = SCALARS[row.op].shadow(*[np.array(given)] * row.arity)
    assert np.allclose(found, [row.on_float(*[x] * row.arity) for x in given], rtol=1e-14)


def test_c_is_read_by_every_name() -> None:
    rows = {name: row for row in REALS.values() for name in row.names_in_c if name not in ("maximum", "minimum")}
    text = "#include <math.h>\n"
    for name, row in rows.items():
        given = ", ".join(["x[i]"] * row.arity)
        text += (
            f"void of_{name}(double *y, const double *x) {{ for (int i = 0; i < 9; i++) y[i] = {name}({given}); }}\n"
        )
    read = c_to_mlir.convert(text, "f.c").mlir
    found = dict(re.findall(r"func\.func @of_(\w+)\((?:(?!func\.func).)*?= ((?:math|arith)\.\w+) %", read, re.S))
    assert found == {name: row.op for name, row in rows.items()}


def test_python_is_read_by_every_name() -> None:
    rows = {f"math.{n}": row for row in REALS.values() for n in row.names_in_python if row.op.startswith("math.")}
    rows |= {f"np.{n}": row for row in REALS.values() for n in row.names_in_numpy if n not in ("maximum", "minimum")}
    rows = {name: row for name, row in rows.items() if name not in ("math.floor", "math.ceil", "math.trunc")}
    text = "import math\nimport numpy as np\n"
    for name, row in rows.items():
        given, kind = ", ".join(["x[i]"] * row.arity), '"float64[9]"'
        text += f"def of_{name.replace('.', '_')}(y: {kind}, x: {kind}):\n  for i in range(9):\n"
        text += f"    y[i] = {name}({given})\n"
    read = python_to_mlir.convert(text, "f.py").mlir
    found = dict(re.findall(r"func\.func @of_(\w+)\((?:(?!func\.func).)*?= ((?:math|arith)\.\w+) %", read, re.S))
    assert found == {name.replace(".", "_"): row.op for name, row in rows.items()}


@pytest.mark.parametrize("call", ["math.arcsin(x[i])", "np.erf(x[i])", "math.rint(x[i])", "np.nearbyint(x[i])"])
def test_names_that_python_has_not_are_refused(call: str) -> None:
    head = 'import math\nimport numpy as np\ndef f(y: "float64[9]", x: "float64[9]"):\n'
    text = f"{head}  for i in range(9):\n    y[i] = {call}\n"
    assert "func.func @f" not in python_to_mlir.convert(text, "f.py").mlir


def test_no_other_file_lists_them() -> None:
    """The code for vectors has functions of these names, and coefficients for them."""
    folders = ("affine", "frontend", "grammar", "validate", "native", "eqsat", "driver")
    texts = {path: path.read_text() for folder in folders for path in (ROOT / folder).rglob("*.py")}
    listing = re.compile(r"[\"'](?:math\.)?(?:erfc?|asinh|acosh|log2)[\"']")
    found = {str(path.relative_to(ROOT)) for path, text in texts.items() if listing.search(text)}
    assert {name for name in found if not name.startswith("native/vector_math/")} == {"affine/ir/real_functions.py"}
