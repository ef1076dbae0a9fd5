"""Sizes that conditions tie together: points at which everything runs are taken from the integer set."""

import random
from itertools import combinations

import pytest

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.interpreter import Instances
from raising.affine.ir.program import Guard, IndexValue, Loop, Node
from raising.affine.polyhedral.running_sizes import running
from raising.frontend.c import convert
from raising.grammar.evaluate.extents import Accesses
from raising.grammar.evaluate.size_candidates import few_sizes
from raising.grammar.evaluate.size_vectors import fits, reaches_all, repeats, size_vectors
from raising.pipeline import raise_module
from raising.support.source import Loc
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
        assert fits(Accesses(program), sizes) and repeats(program, sizes) and reaches_all(program, [sizes])
    assert len({tuple(sizes.values()) for sizes in found}) == 4


@pytest.mark.parametrize(
    "text", [TIED, TWO_COLUMNS, "void f(int n, float x[n]) { for (int i = 0; i < 1; i++) x[i] = 0; }"]
)
def test_what_was_asked_before_changes_nothing(text: str):
    """Sizes that were tried are kept; each program that is read is another one."""
    asked = whole(convert(text, "f.c").mlir).program
    for count, skip in ((2, 0), (6, 0), (1, 0), (2, 2), (30, 0), (6, 0)):
        new = whole(convert(text, "f.c").mlir).program
        assert size_vectors(asked, {}, count, skip) == size_vectors(new, {}, count, skip)
        size_vectors(asked, {}, count, skip)[0].clear()  # what is given is not what is kept


def test_the_loop_never_runs_in_bounds():
    program = whole(
        convert("void f(int n, float x[n]) { for (int i = 0; i < n; i++) x[i + 1] = 0; }", "f.c").mlir
    ).program
    (sizes,) = running(program, [{}])
    assert fits(Accesses(program), sizes) and not reaches_all(program, [sizes])


def test_columns_that_are_one_at_some_sizes_are_not_taken_for_one():
    """Columns `t` and `m - 1` were one at both sizes at which terms are compared, and became one term."""
    (report,) = raise_module(convert(TWO_COLUMNS, "f.c").mlir, cache=False, check="proof").functions
    assert (report.raised, report.kept) == (1, 0), report


COLUMN = "void f(int n, int m, double x[n][m]) { for (int i = 0; i < n; i++) x[i][0] = 0; }"


def test_arrays_are_small_where_little_of_them_is_used():
    """Sizes far from each other made arrays of half a million elements for a few iterations: runs took minutes."""
    program = whole(convert(COLUMN, "f.c").mlir).program
    n, m = program.sizes
    assert fits(Accesses(program), {n: 3, m: 1000}) and not fits(Accesses(program), {n: 3, m: 1 << 20})


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
    tried = list(few_sizes(names))
    assert all(any(v[a] != v[b] for v in tried[:4]) for a, b in combinations(names, 2))
    found = size_vectors(program, {}, 2)
    assert all(any(v[a] != v[b] for v in found) for a, b in combinations(program.sizes, 2))


def _loop(iv: str, upper: tuple[Lin, ...], *body: Node) -> Loop:
    return Loop(iv, (Lin(),), upper, 1, body, Loc())


def _random_nodes(rng: random.Random, around: tuple[str, ...]) -> tuple[Node, ...]:
    """Nodes with bounds that hang on sizes, or on variables around, nested, also inside of guards."""
    found: list[Node] = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(["loop", "loop", "guard", "value"]) if len(around) < 5 else "value"
        if kind == "value":
            found.append(IndexValue("v", Lin(), "index", Loc()))
        elif kind == "guard":
            found.append(Guard((), _random_nodes(rng, around), Loc()))
        else:
            bounds = tuple(var(rng.choice(around)) + rng.randint(-1, 1) for _ in range(rng.randint(1, 2)))
            iv = f"i{len(around)}"
            found.append(_loop(iv, bounds, *_random_nodes(rng, (*around, iv))))
    return tuple(found)


def _runs(nodes: tuple[Node, ...], names: dict[str, int]) -> int:
    """The innermost nodes that run, one by one."""
    count = 0
    for node in nodes:
        if isinstance(node, Loop):
            count += sum(_runs(node.body, {**names, node.iv: value}) for value in node.trips(names))
        else:
            count += _runs(node.body, names) if isinstance(node, Guard) else 1
    return count


@pytest.mark.parametrize("seed", range(60))
def test_what_runs_is_counted_without_running_it(seed: int):
    rng = random.Random(seed)
    nodes, sizes = _random_nodes(rng, ("n", "m")), {"n": rng.randint(0, 5), "m": rng.randint(0, 5)}
    exact = _runs(nodes, sizes)
    assert Instances(nodes).at(sizes, exact) == exact
    assert exact == 0 or Instances(nodes).at(sizes, exact - 1) > exact - 1


def test_loops_that_hang_on_no_other_one_take_no_time_to_count():
    """10^18 iterations: to run the loops around the innermost one would not end."""
    nodes = (
        _loop("i", (var("n"),), _loop("j", (var("n"),), _loop("k", (var("n"),), IndexValue("v", Lin(), "i", Loc())))),
    )
    assert Instances(nodes).at({"n": 10**6}, 10**20) == 10**18
