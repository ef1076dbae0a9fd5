"""Sizes that conditions tie together: points at which everything runs are taken from the integer set."""

from raising.affine.polyhedral.running_sizes import running
from raising.frontend.c import convert
from raising.grammar.evaluate.size_vectors import fits, reaches_all, repeats, size_vectors
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
