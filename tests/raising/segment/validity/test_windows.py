"""Windows whose width is a parameter: at small sizes one may cover the whole row, and look like a reduction of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from raising import RaiseOptions, raise_module
from raising.affine.ir.program import Loop
from raising.affine.polyhedral.running_sizes import beyond
from raising.affine.polyhedral.scop import holds
from raising.frontend.c import convert
from raising.grammar.evaluate.size_vectors import places, size_vectors
from raising.validate.base.verdict import Refuted
from raising.validate.native.native import compare_native
from raising.validate.run.running_error import check_float_at
from raising.validate.run.sizes_to_run import sizes_in_regions
from tests.affine.reading import whole
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.validate.pairs import NOTHING, pair

HEAD = "void f(int n, int w, const int x[restrict], int y[restrict]) { "
WINDOWS = {
    "the greatest, conditions inside": "for (int i = 0; i < n; i++) { int m = x[i];"
    " for (int j = i - w; j <= i + w; j++) if (j >= 0 && j < n && x[j] > m) m = x[j]; y[i] = m; }",
    "a sum over a band": "for (int i = 0; i < n; i++) { int s = 0; for (int j = 0; j < n; j++)"
    " if (i - j <= w && j - i <= w) s += x[j]; y[i] = s; }",
    "a trailing sum": "for (int i = 0; i < n; i++) { int s = 0;"
    " for (int k = 0; k < w; k++) if (i - k >= 0) s += x[i - k]; y[i] = s; }",
    "a leading or": "for (int i = 0; i < n; i++) { y[i] = 0;"
    " for (int j = i; j <= i + w; j++) if (j < n) y[i] |= x[j]; }",
    "places near the first": "for (int i = 0; i < n; i++) if (i <= w) y[i] = x[i]; else y[i] = -x[i];",
    "a total of what is near the end": "for (int i = 0; i < n; i++) if (i + w >= n) y[0] += x[i];",
}


@needs_gcc
@pytest.mark.parametrize("body", WINDOWS.values(), ids=WINDOWS)
def test_it_does_what_the_loops_do_where_the_window_is_narrow(body: str, tmp_path: Path) -> None:
    source = f"{HEAD}{body} }}"
    (tmp_path / "f.c").write_text(source)
    raised = raise_module(convert(source, "f.c").mlir, options=RaiseOptions(cache=False)).text
    beside, random = Beside(Library(tmp_path / "f.c", {}), raised, "f"), np.random.default_rng(7)
    for n in (0, 1, 2, 5, 9, 17):
        for w in (-1, 0, 1, 2, 4, 8, 30):
            x, y = random.integers(-99, 99, (2, max(n, 1)), np.int32)
            assert not beside.difference([np.int32(n), np.int32(w), x, y]), (n, w)


@pytest.mark.parametrize("body", list(WINDOWS.values())[:3])
def test_every_condition_decides_something_at_some_sizes_of_the_search(body: str) -> None:
    program = whole(convert(f"{HEAD}{body} }}", "f.c").mlir).program
    vectors = size_vectors(program, {}, 2)
    for outside in beyond(program):
        assert any(holds(outside, sizes) for sizes in vectors), (str(outside), vectors)


STEPS = "for (int i = 0; i < n; i++) { int s = 0; for (int j = i; j < n; j += 2) if (j <= i + w) s += x[j]; y[i] = s; }"


def test_a_window_in_steps_ends_in_front_of_the_row_at_some_sizes_of_the_search() -> None:
    program = whole(convert(f"{HEAD}{STEPS} }}", "f.c").mlir).program
    n, w = (name for name in program.sizes if name.startswith("n"))
    assert any(sizes[n] > sizes[w] + 2 for sizes in size_vectors(program, {}, 2))


def test_a_window_ends_in_front_of_the_row_in_a_loop_that_stays() -> None:
    body = next(iter(WINDOWS.values()))
    text = (
        f"void f(int n, int w, int t, const int x[restrict], int y[restrict]) {{ for (int k = 0; k < t; k++) {body} }}"
    )
    program = whole(convert(text, "f.c").mlir).program
    n, w, _ = (name for name in program.sizes if name.startswith("n"))
    (loop,) = program.body
    assert isinstance(loop, Loop)
    inside = replace(program, body=loop.body, outer=(loop,), sizes=(*program.sizes, loop.iv))
    assert any(sizes[n] > sizes[w] + 1 for sizes in places(inside, {}, 2))


@pytest.mark.parametrize("body", WINDOWS.values(), ids=WINDOWS)
def test_checks_by_runs_tell_a_window_from_the_row(body: str) -> None:
    row = f"if (w > 0) {{ {body.replace('w', 'n')} }} else {{ {body} }}"
    one, other = (convert(f"{HEAD}{text} }}", "f.c").mlir for text in (body, row))
    assert isinstance(compare_native(one, other, "f", timeout=60), Refuted)
    given = pair(one, other)
    assert isinstance(check_float_at(given, NOTHING, sizes_in_regions(given)[0]), Refuted)


@needs_gcc
def test_what_is_equal_at_odd_sizes_only_is_not_equal(tmp_path: Path) -> None:
    source = "void f(int n, const int x[restrict 16], int y[restrict]) {" + (
        " for (int i = 137; i < n + 137; i += 2) y[i] = x[n - 1 - (i - 137)] * x[i - 137]; }"
    )
    (tmp_path / "f.c").write_text(source)
    result = raise_module(convert(source, "f.c").mlir, options=RaiseOptions(check="field", cache=False))
    assert result.functions[0].kept == 0
    beside = Beside(Library(tmp_path / "f.c", {}), result.text, "f")
    for n in range(1, 9):
        x, y = np.arange(2, 18, dtype=np.int32), np.zeros(160, np.int32)
        assert not beside.difference([np.int32(n), x, y]), n
