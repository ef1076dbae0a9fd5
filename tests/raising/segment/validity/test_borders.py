"""Windows that sizes cut off, and loops over all of a flat array: raised whole, proved, and equal to gcc."""

from pathlib import Path

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.raising.algebra import loops, without_fallbacks

BODIES = {
    "causal": "for (int i = 0; i < n; i++) { o[i] = 0; for (int j = 0; j < k && j <= i; j++) o[i] += b[j] * a[i-j]; }",
    "lags": "for (int j = 0; j < k; j++) { o[j] = 0; for (int i = 0; i < n - j; i++) o[j] += a[i] * a[i+j]; }",
    "lags from above": "for (int j = 0; j < k; j++) { int s = 0; for (int i = j; i < n; i++) s += a[i] * a[i-j];"
    " o[j] = s; }",
    "shifted": "for (int i = 0; i < n; i++) o[i] = i >= k ? a[i-k] : 0;",
    "padded": "for (int i = 0; i < n + 2*k; i++) o[i] = 0; for (int i = 0; i < n; i++) o[i+k] = a[i];",
    "distances": "for (int i = 0; i < n; i++) for (int j = 0; j < k; j++) o[i*k+j] = i > j ? i - j : j - i;",
    "rows of all": "for (int i = 0; i < n*k; i++) o[i] = 0; for (int i = 0; i < n; i++) for (int j = 0; j < k; j++)"
    " o[i*k+j] += a[j];",
}
NAMES = {key: f"f{number}" for number, key in enumerate(BODIES)}
TEXTS = {
    k: f"void {NAMES[k]}(int n, int k, const int *a, const int *b, int *restrict o) {{ {BODIES[k]} }}\n" for k in BODIES
}
SIZES = ((0, 0), (0, 3), (1, 1), (3, 0), (2, 5), (5, 2), (4, 4), (7, 3), (-1, 2), (3, -1))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """All of them, compiled by gcc."""
    path = tmp_path_factory.mktemp("borders") / "k.c"
    path.write_text("".join(TEXTS.values()))
    return Library(path, {})


@needs_gcc
@pytest.mark.parametrize("key", BODIES)
def test_no_loop_is_left_and_all_is_as_gcc_has_it(key: str, library: Library) -> None:
    text = convert(TEXTS[key], "k.c", COptions()).mlir
    result = raise_module(text, options=RaiseOptions(check="proof"))
    assert not loops(without_fallbacks(result.text)), result.remarks
    assert type(result.functions[0].verdict).__name__ == "Proved"
    assert key != "padded" or "scf.if" not in result.text  # it needs no more of the memory than the loops
    beside = Beside(library, result.text, NAMES[key])
    for n, k in SIZES:
        if key == "padded" and k < 0:  # it writes in front of its array
            continue
        a, b, o = (np.random.default_rng([n + 9, k + 9, s]).integers(-9, 9, 60).astype(np.int32) for s in range(3))
        shape = (-1, k) if key in ("distances", "rows of all") and k > 0 else (60,)
        if len(shape) > 1 or key not in ("distances", "rows of all"):
            assert not beside.difference(
                [np.int32(n), np.int32(k), a, b, o[: 60 // k * k].reshape(shape) if len(shape) > 1 else o]
            )


ROWS = """void rows(int n, int m, int i_row, int *o) {
  for (int i = 0; i < n * m; i++) o[i] = 2;
  for (int i_column = 0; i_column < n; i_column++) for (int k = 0; k < m; k++) o[i_column * m + k] += i_row; }
"""


@needs_gcc
def test_rows_and_columns_have_names_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(ROWS)
    text = raise_module(convert(ROWS, "k.c", COptions()).mlir, options=RaiseOptions(check="proof")).text
    beside = Beside(Library(tmp_path / "k.c", {}), text, "rows")
    for n, m in ((3, 4), (1, 1), (0, 2)):
        numbers = [np.int32(n), np.int32(m), np.int32(7)]
        assert not beside.difference([*numbers, np.zeros((n, m), np.int32)]), (n, m)


FRAME = """void frame(int h, int w, const int *restrict p, int *restrict q) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      if (x == 0 || y == 0 || x == w - 1 || y == h - 1) { q[y * w + x] = 0; continue; }
      q[y * w + x] = p[(y - 1) * w + x + 1] - 3 * p[y * w + x] + p[(y + 1) * w + x - 1];
    }
}"""


@needs_gcc
def test_a_frame_that_conditions_leave_out_is_a_domain(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(FRAME)
    read = convert(FRAME, "k.c", COptions())
    assert not read.assumptions
    result = raise_module(read.mlir, options=RaiseOptions(check="proof"))
    assert not loops(without_fallbacks(result.text)), result.remarks
    assert type(result.functions[0].verdict).__name__ == "Proved"
    beside = Beside(Library(tmp_path / "k.c", {}), result.text, "frame")
    for h, w in ((0, 1), (1, 1), (1, 4), (2, 2), (2, 5), (3, 3), (3, 7), (6, 2), (6, 5), (-1, 3)):
        p, q = (np.random.default_rng([h + 9, w, s]).integers(-9, 9, (7, w)).astype(np.int32) for s in range(2))
        assert not beside.difference([np.int32(h), np.int32(w), p, q]), (h, w)


SCATTERED = {
    "padded": ("k < 3", "i + k - 1", "n", "y[i + k - 1] += x[k][i]"),
    "open padding": ("k < m", "i + k - p", "n", "y[i + k - p] += x[k][i]"),
    "every other": ("k < m", "2 * i + k - p", "w", "y[2 * i + k - p] += x[k][i]"),
}


@needs_gcc
@pytest.mark.parametrize("key", SCATTERED)
def test_slices_are_added_between_the_turns_of_a_border(key: str, tmp_path: Path) -> None:
    """Each operation on slices adds what one iteration did; loops over the offsets alone may stay."""
    runs, at, end, body = SCATTERED[key]
    text = f"""void f(int n, int m, int p, int w, const int x[restrict {"3" if key == "padded" else "m"}][n],
                      int y[restrict {end}]) {{
      for (int k = 0; {runs}; k++) for (int i = 0; i < n; i++) if ({at} >= 0 && {at} < {end}) {body}; }}"""
    (tmp_path / "k.c").write_text(text)
    result = raise_module(convert(text, "k.c", COptions()).mlir, options=RaiseOptions(check="field"))
    left = [r for r in result.remarks if r.kind == "kept" and "over tensors" not in r.why]
    assert not left
    assert (key == "padded") == (not loops(without_fallbacks(result.text)))
    beside = Beside(Library(tmp_path / "k.c", {}), result.text, "f")
    for n, m, p, w in (
        (0, 1, 0, 1),
        (1, 1, 0, 1),
        (4, 3, 1, 4),
        (4, 3, 1, 8),
        (5, 7, 2, 9),
        (3, 2, 9, 4),
        (2, 5, -1, 6),
    ):
        x, y = (np.random.default_rng([n, m, s]).integers(-9, 9, 60).astype(np.int32) for s in range(2))
        rows = 3 if key == "padded" else m
        x = x[: rows * n].reshape(rows, n)
        assert not beside.difference([*map(np.int32, (n, m, p, w)), x, y[: n if end == "n" else w]]), (n, m, p, w)


CARRIED = {
    "window": "int s = 0; for (int i = 0; i < n; i++) { s += a[i]; if (i >= k) s -= a[i - k]; o[i] = s; }",
    "integral": """for (int y = 0; y < n; y++) { int s = 0; for (int x = 0; x < k; x++) {
                     s += a[y * k + x]; o[y * k + x] = s + (y > 0 ? o[(y - 1) * k + x] : 0); } }""",
}


@needs_gcc
@pytest.mark.parametrize("key", CARRIED)
def test_what_a_condition_keeps_from_being_read_is_not_read(key: str, tmp_path: Path) -> None:
    """A loop that stays asks its condition by two loops: a selection would read in front of the array."""
    text = f"void f(int n, int k, const int *restrict a, int *restrict o) {{ {CARRIED[key]} }}"
    (tmp_path / "k.c").write_text(text)
    result = raise_module(convert(text, "k.c", COptions()).mlir)
    assert "raised" in {r.kind for r in result.remarks}
    beside = Beside(Library(tmp_path / "k.c", {}), result.text, "f")
    for n, k in ((0, 1), (1, 1), (1, 3), (3, 1), (5, 2), (4, 7), (7, 7), (-2, 3)):
        a, o = (np.random.default_rng([n + 9, k, s]).integers(-9, 9, 56).astype(np.int32) for s in range(2))
        a, o = (v.reshape(-1, k)[:7] if key == "integral" and 56 % k == 0 else v[: 55 // k * k] for v in (a, o))
        shape = (-1, k) if key == "integral" else (-1,)
        assert not beside.difference([np.int32(n), np.int32(k), a.reshape(shape).copy(), o.reshape(shape).copy()])
