"""What the subset has, feature by feature, compared with gcc bit by bit."""

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from tests.c.gcc import needs_gcc
from tests.c.read.checking import assert_equal, i32, integers, read, reals

pytestmark = needs_gcc

LOOPS = {
    "up": "for (int i = 0; i < n; i++) x[i] += 1;",
    "up to and with": "for (int i = 1; i <= n - 1; ++i) x[i] = x[i - 1] + 1;",
    "unequal": "for (int i = 0; i != n; i++) x[i] *= 2;",
    "mirrored": "for (int i = 0; n > i; i += 1) x[i] *= 2;",
    "down": "for (int i = n - 1; i >= 0; i--) x[i] = i ? x[i - 1] : 7;",
    "down by post-decrement": "for (int i = n; i-- > 0;) x[i] = 2 * x[i] + i;",
    "strided": "for (int i = 1; i < n; i += 3) x[i] = -x[i];",
    "strided down": "for (int i = n - 1; i > 0; i -= 2) x[i] = x[i - 1];",
    "two counters": "for (int i = 0, j = n - 1; i < j; i++, j--) { float t = x[i]; x[i] = x[j]; x[j] = t; }",
    "strided with a second counter": "int j = 0; for (int i = 0; i < n; i += 2) { x[j] = x[i]; j++; }",
    "while": "int i = 0; while (i < n) { x[i] = i; i++; }",
    "while down": "while (n--) x[n] = 2 * x[n] + n;",
    "do": "int i = 0; do { x[i] += 3; i++; } while (i < 5);",
    "two bounds": "for (int i = 0; i < n && i < 5; i++) x[i] = 0;",
    "after the loop": "int i; for (i = 0; i + 4 <= n; i += 4) x[i] = 1; for (; i < n; i++) x[i] = 2;",
    "old style": "int i, j; for (i = 0; i < n; i++) for (j = 0; j < i; j++) x[i] += x[j] * 0.5f;",
    "pointer": "for (float *p = x; p < x + n; p++) *p += 1;",
    "pointer that walks": "float *p = x; for (int i = 0; i < n; i++) *p++ = i;",
    "pointer that walks down": "float *p = x + n; for (int i = 0; i < n; i++) *--p = i;",
    "pointer in two loops": "float *p = x; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) *p++ = i * j;",
    "extrema": "for (int i = 0; i < n; i++) for (int j = (i > 2 ? i - 2 : 0); j < (i + 3 < n ? i + 3 : n); j++)"
    " x[i] += j;",
    "clamped": "for (int i = 0; i < n; i++) { int lo = i - 2; if (lo < 0) lo = 0; for (int j = lo; j <= i; j++)"
    " x[i] += j; }",
    "left where it counts": "for (int i = 0; i < n; i++) { if (i >= 7) break; x[i] = 0; }",
    "left at a bound": "for (int i = 0; ; i++) { if (i >= n) break; x[i] += 1; }",
    "left behind a step": "int i = n; while (1) { i--; if (i < 0) break; x[i] += i; }",
    "continue": "for (int i = 0; i < n; i++) { if (i == 3) continue; x[i] = 0; }",
    "halves": "for (int i = 0; i < n / 2; i++) x[2 * i] = x[2 * i + 1] * (i % 3);",
    "shifts": "for (int i = 0; i < n >> 1; i++) x[i << 1] = i & 3;",
}


@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS.keys())
def test_loops(body: str):
    source = f"void f(int n, float *x) {{ {body} }}"
    assert_equal(source, "f", i32(12), reals(12))


BRANCHES = {
    "affine": "if (i > 2 && i < n - 1) x[i] = 1; else x[i] = 2;",
    "affine or": "if (i < 2 || i == 5) x[i] = 1; else x[i] = 2;",
    "not": "if (!(i < 2 || i == 5)) x[i] = 1;",
    "data": "if (x[i] > 0) x[i] = 0;",
    "data with else": "if (x[i] > 0) y[i] = x[i]; else { y[i] = -x[i]; x[i] = 0; }",
    "both kinds": "if (i > 0 && x[i - 1] > 0) x[i] = 1; else x[i] = 2;",
    "both kinds, or": "if (i == 0 || x[i - 1] > 0) x[i] = 1; else x[i] = 2;",
    "data and data": "if (x[i] > 0 && y[i] > 0) x[i] = 1; else x[i] = 2;",
    "ternary": "y[i] = x[i] > 0.5f ? x[i] * 2 : i > 3 ? x[i] : 1.0;",
    "out of bounds if taken": "y[i] = i + 1 < n ? x[i + 1] : 0;",
    "out of bounds for data": "if (z[i] > 1000) y[i] = x[2 * n + i];",
    "comparison as a number": "x[i] = (x[i] > y[i]) + 2 * (i > 3) - (x[i] < 0 && y[i] < 0);",
    "a loop inside": "if (x[i] > 0) for (int j = 0; j < 3; j++) x[i] -= j;",
    "division that must not trap": "if (z[i] % 7) y[i] = 1000 / (z[i] % 7);",
}


@pytest.mark.parametrize("body", BRANCHES.values(), ids=BRANCHES.keys())
def test_branches(body: str):
    source = f"void f(int n, float *x, float *y, int *z) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    z = np.random.default_rng(0).integers(-50, 50, 13, "int32")
    assert_equal(source, "f", i32(13), reals(13), reals(13, seed=1), z)


CASES = {
    "below": "y[i] = x[i - 1 < 0 ? 0 : i - 1];",
    "on both sides": "int j = i - 2; if (j < 0) j = 0; if (j > n - 4) j = n - 4; y[i] = x[j];",
    "by nested choices": "y[i] = x[i - 3 < 0 ? 0 : i - 3 >= n - 5 ? n - 6 : i - 3];",
    "mirrored": "int l = i - 4; if (l < 0) l = -l; y[i] = x[l];",
    "around": "int j = i == 0 ? n - 1 : i - 1; y[i] = x[j] - x[i];",
    "around, and not at one place": "int j = i != 5 ? i : 0; y[i] = x[j];",
    "by a conjunction": "int j = i; if (i > 2 && i < 6) j = 0; y[i] = x[j];",
    "by a disjunction": "int j = i; if (i < 2 || i > 7) j = 3; y[i] = x[j];",
    "of cases": "int j = i > 3 ? i : 0; int k = j > 6 ? j - 6 : j + 1; y[i] = x[k];",
    "times a number": "y[i] = x[(i > 6 ? 6 : i) * 2] + x[12 - 2 * (i < 4 ? i : 4)];",
    "as data, too": "int j = i == 3 ? 0 : 2 * i; y[i] = j;",
    "as data, of an extremum": "y[i] = (i > 2 ? i : 2) * n - (i < 5 ? i : 5);",
    "compared": "int j = i == 2 ? 5 : i; if (j > 4) y[i] = 1; else y[i] = x[j];",
    "compared with another": "int j = i == 2 ? 5 : i, k = i > 4 ? 4 : i; if (j != k) y[i] = x[k];",
    "written": "y[i < 7 ? i : n - i] += x[i];",
    "unsigned": "unsigned long j = i > 2 ? i - 3 : 0; y[i] = x[j];",
    "a pointer": "const float *p = x + (i > 0 ? i - 1 : 0); y[i] = p[0] + 2 * p[1] + *p;",
    "a row": "const float t[3][2] = {{1, 2}, {3, 4}, {5, 6}}; y[i] = t[i > 2 ? 2 : i][i == 1 ? 1 : 0];",
    "in a sum": "for (int k = -2; k <= 2; k++) { int j = i + k; y[i] += x[j < 0 ? 0 : j >= n ? n - 1 : j]; }",
    "declared before": "int j = 0; if (i > 4) j = i - 4; else if (i < 2) j = i; x[i] += y[j];",
}
"""Subscripts that are affine in each of several cases."""


@pytest.mark.parametrize("body", CASES.values(), ids=CASES.keys())
def test_subscripts_by_cases(body: str):
    source = f"void f(int n, float *x, float *y) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    assert_equal(source, "f", i32(13), reals(13), reals(13, seed=1))


AROUND_LOOPS = {
    "one loop": "float t = x[i]; if (t > 0) for (int j = 0; j < n; j++) y[j] += t * x[j];",
    "on both sides": "if (x[i] > 0) for (int j = 0; j < n; j++) y[j] += x[i];"
    " else for (int j = i; j < n; j++) y[j] = 1;",
    "between others": "if (x[i] > 0) { y[i] = 2; for (int j = 0; j < i; j++) y[j] += y[i]; y[i] *= 3; }",
    "skipped": "if (x[i] <= 0) continue; for (int j = 0; j < n; j++) y[j] -= x[i];",
    "a value from before": "if (y[i] > 0) { float t = x[i] * 2; for (int j = 0; j < n; j++) y[j] += t; }",
    "a sum": "if (x[i] > 0) { float s = y[i]; for (int j = 0; j < i; j++) s += x[j]; y[i] = s; } else y[i] = 7;",
    "branches in them": "if (x[i] > 0) for (int j = 0; j < n; j++) { if (x[j] > x[i]) y[j] += 1; else y[i] = 3; }",
    "domains in them": "if (x[i] > 0) { if (i > 4) y[i] = x[i - 4]; else y[i + 1] = 5; }",
    "bytes that may not be there": "if (z[i] > 1000) for (int j = 0; j < n; j++) y[j] = x[2 * n + j];",
}
"""Branches on data with loops in them."""


@pytest.mark.parametrize("body", AROUND_LOOPS.values(), ids=AROUND_LOOPS.keys())
def test_branches_around_loops(body: str):
    function = f"void f(int n, float x[n], float y[n], int z[n]) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    z = np.random.default_rng(0).integers(-50, 50, 13, "int32")
    assert_equal(function, "f", i32(13), reals(13), reals(13, seed=1), z)


def test_branches_around_loops_become_selections():
    body = AROUND_LOOPS["one loop"]
    text = f"void f(int n, float x[n], float y[n]) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    assert "scf.if" not in read(text).mlir
    (told,) = read(text.replace("y[n]", "*y").replace("y[j]", "y[j + 1]")).remarks
    assert told.reason.endswith(
        "'y' may end before the element that it uses; declare how long it is, such as 'float y[static n]'"
    )


STATEMENTS = {
    "compound": "x[i] += 1; x[i] -= 2; x[i] *= 3; x[i] /= 7;",
    "chained": "x[i] = y[i] = 3;",
    "as a value": "x[i] = (y[i] = x[i] + 1) * 2;",
    "comma": "x[i] = (y[i] = 2, y[i] + 1);",
    "scalar": "float t = x[i]; t *= t; y[i] = t + x[i];",
    "scalar in double": "double t = x[i]; y[i] = t / 3;",
    "local array": "float t[3]; for (int k = 0; k < 3; k++) t[k] = x[i] + k; y[i] = t[0] * t[1] - t[2];",
    "initialised array": "const float t[2][2] = {{1, 2}, {3}}; y[i] = x[i] * t[0][1] + t[1][0] - t[1][1];",
    "flat initialiser": "const int t[] = {5, 6, 7}; y[i] = t[1] * (int)(sizeof t / sizeof t[0]);",
    "char constants": "y[i] = 'a' + '\\n' + 0x1F + 017 + 5u + 6L;",
    "block scope": "int k = i; { int k = 3; y[i] = k; } y[i] += k;",
    "counting": "if (x[i] > 0) count++; y[i] = count;",
}


@pytest.mark.parametrize("body", STATEMENTS.values(), ids=STATEMENTS.keys())
def test_statements(body: str):
    source = f"void f(int n, float *x, float *y) {{ int count = 0; for (int i = 0; i < n; i++) {{ {body} }} }}"
    assert_equal(source, "f", i32(13), reals(13), reals(13, seed=1))


TYPES = ("signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "_Bool")
NUMPY = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool")


@pytest.mark.parametrize(("name", "dtype"), [*zip(TYPES, NUMPY, strict=True)], ids=NUMPY)
def test_integer_conversions(name: str, dtype: str):
    """Promotion, sign of division, shifts and comparisons, and conversion to and from floats."""
    source = f"""
    void f({name} *a, {name} *b, long *w, double *d, {name} *c) {{
      for (int i = 0; i < 40; i++) {{
        w[i] = a[i] + b[i] / 3 - (a[i] < b[i]) + (a[i] >> 2) + (a[i] & b[i]) + (~a[i] ^ 5) + (a[i] > -1);
        d[i] = a[i] * 0.5 + (float)b[i];
        c[i] = (a[i] % 11) + ({name})(b[i] * 3u) + (int)(d[i] / 1e19);
      }}
    }}"""
    a, b = (integers(40, dtype="uint8" if dtype == "bool" else dtype, seed=seed) for seed in (1, 2))
    if dtype == "bool":
        a, b = a & 1, b & 1
    if dtype in ("int32", "int64"):
        a, b = a // 4, b // 4  # signed sums must not overflow
    assert_equal(source, "f", a, b, np.zeros(40, "int64"), np.zeros(40), a.copy())


def test_math():
    calls = "sqrt(fabs(x[i])) + exp(x[i]) * pow(fabs(x[i]), 1.5) - floor(x[i]) + tanhf(x[i]) + fmax(x[i], 0.1)"
    calls += "+ fma(x[i], 2, 1)"
    source = f"#include <math.h>\nvoid f(double *x) {{ for (int i = 0; i < 9; i++) x[i] = {calls}; }}"
    assert_equal(source, "f", reals(9, dtype="float64"))


SHAPES = {
    "rows": ("int n, int m, float *a", "for (i = 0; i < n; i++) for (j = 0; j < m; j++) a[i * m + j] += i - j;"),
    "row pointers": (
        "int n, int m, float *a",
        "for (i = 0; i < n; i++) { float *p = a + i * m; for (j = 0; j < m; j++) p[j] = i * j; }",
    ),
    "backwards": (
        "int n, int m, float *a",
        "for (i = 0; i < n; i++) for (j = 0; j < m; j++) a[i * m + m - 1 - j] = j;",
    ),
    "arrays of given length": ("int n, int m, float a[n][m]", "for (i = 0; i < n; i++) a[i][m - 1] = i;"),
    "pointer to rows": ("int n, int m, float (*a)[m]", "for (i = 0; i < n; i++) for (j = 0; j < i; j++) a[i][j] = j;"),
    "first element": ("int n, int m, float a[n][m]", "float *p = &a[1][0]; for (j = 0; j < m; j++) p[j] = j;"),
    "flat": ("int n, int m, float *a", "for (i = 0; i < n * m; i++) a[i] *= 2;"),
    "walking": ("int n, int m, float *a", "float *p = a; for (i = 0; i < n; i++) for (j = 0; j < m; j++) *p++ = j;"),
}


@pytest.mark.parametrize(("parameters", "body"), SHAPES.values(), ids=SHAPES.keys())
def test_shapes(parameters: str, body: str):
    source = f"void f({parameters}) {{ int i, j; {body} }}"
    shape = (42,) if "i < n * m" in body else (6, 7)
    assert_equal(source, "f", i32(6), i32(7), reals(*shape))


def test_calls_are_inlined():
    source = """
    typedef float real;
    enum { TWO = 2, FOUR = TWO * 2 };
    #define SQUARE(x) ((x) * (x))
    static inline real clamp(real x, real low, real high) { if (x < low) return low; return x > high ? high : x; }
    static int at(int i, int j, int m) { return i * m + j; }
    static void row(real *restrict a, int m) { for (int j = 0; j < m; j++) a[j] = clamp(a[j], -1, TWO) + SQUARE(j); }
    real f(int n, int m, real *a) {
      for (int i = 0; i < n; i++) row(&a[at(i, 0, m)], m);
      real s = 0;
      for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[at(i, j, m)] * FOUR;
      return s;
    }"""
    module = assert_equal(source, "f", i32(6), i32(7), reals(6, 7), returns="float32")
    assert module.functions[0].parameters[2].shape == ("?", "m")


SWITCHES = {
    "data": "switch (z[i] & 3) { case 0: x[i] = 1; break; case 1: case 2: x[i] *= 2; break; default: x[i] = 0; }",
    "affine": "switch (i % 3) { default: x[i] = 5; break; case 1: { x[i] += 2; break; } case 0: x[i] = -1; }",
    "without default": "switch (z[i]) { case 7: for (int k = 0; k < 3; k++) x[i] += k; }",
    "flag": "switch (n) { case 13: x[i] = y[i]; break; case 'a': x[i] = 0; break; }",
    "nested": "switch (i & 1) { case 0: switch (z[i]) { case 0: break; default: x[i] = 9; } break; case 1: x[i] = 3; }",
    "falling": "switch (z[i] & 3) { case 0: x[i] = 1; case 1: x[i] *= 2; break; default: x[i] = 0; case 2: y[i] = 1; }",
    "left in the middle": "switch (z[i] & 3) { case 0: x[i] = 1; if (y[i] > 0) break; x[i]++; break; case 1: x[i]--; }",
    "continued": "switch (z[i] & 3) { case 1: if (y[i] > 0) continue; x[i] = 2; break; case 2: continue; } x[i] += 1;",
    "before the first case": "switch (z[i] & 1) { x[i] = 9; case 1: x[i] = 3; }",
    "that returns": "x[i] = pick(z[i], x[i], y[i]);",
}
PICK = """
static float pick(int how, float a, float b) {
  switch (how & 3) { case 0: return a + b; case 1: return a * b; case 2: { return a - b; } }
  return 0;
}
"""


@pytest.mark.parametrize("body", SWITCHES.values(), ids=SWITCHES.keys())
def test_switches(body: str):
    source = f"{PICK} void f(int n, float *x, float *y, int *z) {{ for (int i = 0; i < 13; i++) {{ {body} }} }}"
    z = np.random.default_rng(0).integers(-9, 9, 13, "int32")
    assert_equal(source, "f", i32(13), reals(13), reals(13, seed=1), z)


def test_tables_of_constants():
    source = """
    static const float w[3] = {0.25f, 0.5f, 0.25f};
    const int order[][2] = {{0, 1}, {1, 2}};
    static float third(const float *p) { return p[0] * w[0] + p[1] * w[1] + p[2] * w[2]; }
    void f(int n, float *x, float *y) {
      static const double more[2] = {1, 2};
      for (int i = 0; i < n - 2; i++) { y[i] = third(x + i) + more[1]; }
      for (int i = 0; i < 2; i++) y[i] += order[0][i] - order[i][1];
    }"""
    assert_equal(source, "f", i32(9), reals(9), reals(9))


def test_an_integer_that_is_only_asked_for_is_data():
    source = (
        "void f(int n, int how, float *x) { for (int i = 0; i < n; i++) if (how == 2) x[i] = -x[i]; else x[i] *= 2; }"
    )
    module = assert_equal(source, "f", i32(9), i32(2), reals(9))
    assert "arith.select" in module.mlir and "affine.if" not in module.mlir


def test_why_a_branch_stays_one():
    source = "void f(int n, float *x, float *y) {\n for (int i = 0; i < n; i++)\n  if (x[i] > 0)\n   y[i + 1] = 1;\n}"
    (told,) = assert_equal(source, "f", i32(8), reals(9), reals(9)).remarks
    assert str(told).startswith(
        "k.c:3:7: in 'f': a branch on data stays a branch, and the loops around it are not raised: 'y'"
    )


UNTOLD = {
    "y[i] = 1": ["'y' is as long as 'x', also where a branch does not use it"],
    "y[i] = x[i] / z[i]": ["'z' is as long as 'x', also where a branch does not use it", "'y' is as long as 'x'"],
    "x[i] = z[0]": None,
    "x[i] = z[n - i]": None,
    "x[i] = z[i - 1]": None,
    "x[i] = 3 / (int)z[i]": ["'z' is as long as 'x'"],
}
"""What a branch on data does with arrays of unknown length, and what is assumed so that it becomes a selection."""


@pytest.mark.parametrize("body", UNTOLD)
def test_lengths_that_a_selection_needs_are_assumed(body: str):
    text = f"void f(int n, float *x, float *y, float *z) {{ for (int i = 0; i < n; i++) if (x[i] > 0) {body}; }}"
    module = read(text)
    told = [a.reason for a in module.assumptions if "as long as" in a.reason]
    wanted = UNTOLD[body]
    assert ("scf.if" in module.mlir) == bool(module.remarks) == (wanted is None)
    assert all(part in whole for part, whole in zip(wanted or (), told, strict=True))


def test_lengths_are_not_assumed_where_every_assumption_is_tested():
    text = "void f(int n, float *x, float *y) { for (int i = 0; i < n; i++) if (x[i] > 0) y[i] = 1; }"
    module = convert(text, "k.c", COptions(guard=True))
    assert not module.refused and "scf.if" in module.mlir
