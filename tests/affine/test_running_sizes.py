"""Sizes that conditions tie together: points at which everything runs are taken from the integer set."""

from itertools import combinations

from raising.affine.polyhedral.running_sizes import running
from raising.frontend.c import convert
from raising.grammar.evaluate.size_vectors import _few_sizes, fits, reaches_all, repeats, size_vectors
from raising.pipeline import raise_module
from tests.affine.reading import whole

TIED = """
void f(int n, int m, int s, int t, float x[n][t], float y[n][t]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < m; i++) {
      y[k][s - 9 * i] = x[k][i];
      y[k][s + 1] = x[k][s];
    }
}
"""
TWO_COLUMNS = """
void f(int m, int n, int t, float x[n][m], float y[2 * n][m]) {
  for (int k = 0; k < n; k++) {
    y[2 * k + 1][0] = -x[k][t];
    y[2 * k][m - 1] = x[k][m - 1];
  }
}
"""


def test_sizes_that_conditions_tie():
    """No pattern of small sizes met the conditions: the statements ran at none of the sizes tried."""
    program = whole(convert(TIED, "f.c").mlir).program
    found = size_vectors(program, {}, 4)
    assert len(found) == 4
    for sizes in found:
        assert fits(program, sizes) and repeats(program, sizes) and reaches_all(program, [sizes])
    assert len({tuple(sizes.values()) for sizes in found}) == 4


def test_the_loop_never_runs_in_bounds():
    program = whole(
        convert("void f(int n, float x[n]) { for (int i = 0; i < n; i++) x[i + 1] = 0; }", "f.c").mlir
    ).program
    (sizes,) = running(program, [{}])
    assert fits(program, sizes) and not reaches_all(program, [sizes])


def test_columns_that_are_one_at_some_sizes_are_not_taken_for_one():
    """Columns `t` and `m - 1` were one at both sizes at which terms are compared, and became one term."""
    (report,) = raise_module(convert(TWO_COLUMNS, "f.c").mlir, cache=False, check="proof").functions
    assert (report.raised, report.kept) == (1, 0), report


COLUMN = "void f(int n, int m, double x[n][m]) { for (int i = 0; i < n; i++) x[i][0] = 0; }"


def test_arrays_are_small_where_little_of_them_is_used():
    """Sizes far from each other made arrays of half a million elements for a few iterations: runs took minutes."""
    program = whole(convert(COLUMN, "f.c").mlir).program
    n, m = program.sizes
    assert fits(program, {n: 3, m: 1000}) and not fits(program, {n: 3, m: 1 << 20})


MANY = """
void f(int a, int b, int c, int d, int e, int o, int p, double *restrict y) {
  for (int i = 0; i < a; i++) for (int j = 0; j < b; j++) for (int k = 0; k < c; k++) for (int l = 0; l < d; l++)
    for (int m = 0; m < e; m++) y[(((i * b + j) * c + k) * d + l) * e + m] = o * 8.0 + p;
}
"""


def test_no_two_sizes_are_the_same_at_all_points():
    """Of nine sizes, the second and the fifth were: one was taken for the other, also by the check."""
    program = whole(convert(MANY, "f.c").mlir).program
    names = [f"N{k}" for k in range(9)]
    tried = list(_few_sizes(names))
    assert all(any(v[a] != v[b] for v in tried[:4]) for a, b in combinations(names, 2))
    found = size_vectors(program, {}, 2)
    assert all(any(v[a] != v[b] for v in found) for a, b in combinations(program.sizes, 2))
