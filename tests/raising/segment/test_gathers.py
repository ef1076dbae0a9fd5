"""Reads at positions that are data: what is raised, proved and run, and what has to stay."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raising.api.result import RaiseResult
from raising.frontend.c import convert
from raising.pipeline import raise_module
from raising.validate.base.verdict import Unknown, level
from raising.validate.check import check
from tests.c.beside import Beside
from tests.c.gcc import Library

INPUTS = Path(__file__).parents[2] / "inputs" / "gathers"
HEAD = "void f(int n, int m, const double *x, const int *p, const int *q, double *y) { "


def _raised(body: str, **settings: Any) -> RaiseResult:
    module = convert(HEAD + body + " }", "k.c")
    assert module.refused == (), module.refused
    return raise_module(module.mlir, **settings)


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) y[i] = x[p[i]];",
        "for (int i = 1; i < n; i++) y[i] += x[2 * p[i - 1] + 1] * x[p[i] + i];",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i * m + j] = x[p[q[i]] * m + j];",
        "for (int i = 0; i < n; i++) { int k = p[i]; y[i] = x[k * m + q[i]]; }",
        "for (int i = 0; i < n; i++) { double v; if (m < 0) v = x[p[i]]; else v = x[q[i]]; y[i * m] = v; }",
    ],
)
def test_a_gather_is_proved_for_all_sizes(body: str) -> None:
    (report,) = _raised(body, check="proof").functions
    assert (report.kept, level(report.verdict)) == (0, "proved-all-sizes")


def test_it_runs_beside_the_loops_at_positions_inside_of_the_array() -> None:
    (report,) = _raised("for (int i = 0; i < n; i++) y[i] = x[p[i]];").functions
    assert report.verdict.tested.native is not None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("for (int i = 0; i < n; i++) y[i] = y[p[i]];", "changes in the same loops"),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) y[i] += x[p[j] + q[i]];", "no box"),
        ("for (int i = 0; i < n; i++) if (p[i] >= 0) y[i] = x[p[i]];", "a branch depends on data"),
    ],
)
def test_what_the_loops_may_not_read_is_not_read(body: str, why: str) -> None:
    result = _raised(body, check="field")
    assert result.functions[0].raised == 0
    assert any(why in str(remark) for remark in result.remarks), result.remarks


def test_memory_that_an_earlier_loop_writes_is_read_after_it() -> None:
    result = _raised("for (int j = 0; j < m; j++) y[j] = 2 * x[j]; for (int i = 0; i < n; i++) y[i + m] = x[p[i]];")
    assert (result.functions[0].raised, result.functions[0].kept) == (2, 0)


@pytest.mark.parametrize("other", ["x[q[i]]", "x[p[i] + 1]", "x[p[0]]", "x[i]"])
def test_other_positions_are_not_proved_equal(other: str) -> None:
    texts = [convert(f"{HEAD}for (int i = 0; i < n; i++) y[i] = {read}; }}", "k.c").mlir for read in ("x[p[i]]", other)]
    assert isinstance(check(*texts), Unknown)


TABLE = "const double t[8] = {1, 2, 4, 8, 16, 32, 64, 128}; "


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = x[p[i] & 7];",
        "y[i] = x[p[i] >> 4 & 15] * x[p[i] & 15] + x[i];",
        "for (int j = 0; j < m; j++) y[i * m + j] = x[(p[i * m + j] & 7) * 2];",
        "y[i] = t[p[i] & 7];",
        "y[i] = t[p[i] & 7] - t[q[i] % 8u];",
        "y[i] = x[(p[i] & 3) + q[p[i] & 7]];",
    ],
)
def test_computed_positions_and_tables_are_proved_for_all_sizes(body: str) -> None:
    for options in ({}, {"strict_fp": True}):
        (report,) = _raised(f"{TABLE}for (int i = 0; i < n; i++) {body}", check="proof", **options).functions
        assert (report.kept, level(report.verdict)) == (0, "proved-all-sizes")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("y[i] = x[p[i] & 7];", "y[i] = x[p[i] & 15];"),
        ("y[i] = x[p[i] & 7];", "y[i] = x[q[i] & 7];"),
        ("y[i] = x[p[i] & 7];", "y[i] = x[(p[i] & 7) + 1];"),
        ("y[i] = t[p[i] & 7];", "y[i] = x[p[i] & 7];"),
        ("y[i] = t[p[i] & 7];", "y[i] = u[p[i] & 7];"),
        ("y[i] = x[(unsigned char)p[i]];", "y[i] = x[p[i] & 127];"),
        ("y[i] = x[(p[i] & 1) * m + (q[i] & 1)];", "y[i] = x[(q[i] & 1) * m + (p[i] & 1)];"),
    ],
)
def test_other_computed_positions_and_tables_are_not_proved_equal(one: str, other: str) -> None:
    both = TABLE + "const double u[8] = {1, 2, 4, 8, 16, 32, 64, 127}; "
    texts = [convert(f"{HEAD}{both}for (int i = 0; i < n; i++) {body} }}", "k.c").mlir for body in (one, other)]
    assert isinstance(check(*texts), Unknown)
    assert not isinstance(check(texts[0], texts[0]), Unknown)


BYTES = "void f(int n, int m, unsigned char *p, const unsigned char *t, unsigned char *o) { "


@pytest.mark.parametrize(
    ("body", "raised"),
    [
        ("p[i] = t[p[i]];", True),
        ("for (int j = 0; j < m; j++) p[i * m + j] = t[p[i * m + j] >> 1];", True),
        ("{ o[i] = t[p[i]]; p[i] += 3; }", True),
        ("{ p[i] += 3; o[i] = t[p[i]]; }", False),
        ("p[i + 1] = t[p[i]];", False),
        ("for (int j = 0; j < m; j++) p[j] = t[p[j]];", False),
        ("p[i / 2] = t[p[i / 2]];", False),
    ],
)
def test_positions_that_are_replaced_by_what_lies_there(body: str, raised: bool, tmp_path: Path) -> None:
    text = f"{BYTES}for (int i = 0; i < n; i++) {body} }}"
    result = raise_module(convert(text, "k.c").mlir)
    (report,) = result.functions
    assert (report.raised > 0) == raised, result.remarks
    assert not raised or level(report.verdict) == "proved-all-sizes"
    (tmp_path / "k.c").write_text(text)
    beside = Beside(Library(tmp_path / "k.c", {}), result.text, "f")
    t = np.arange(256, dtype=np.uint8)[::-1].copy()
    for n, m in ((0, 0), (1, 3), (5, 0), (17, 4), (33, 5)):
        p = np.arange(n * m if "m +" in body else 200, dtype=np.uint8) * 7
        p = p.reshape(n, m) if "m +" in body else p
        assert not beside.difference([np.int32(n), np.int32(m), p, t, p.copy()]), (n, m)


def test_a_table_that_changes_is_none() -> None:
    loop = "for (int i = 0; i < n; i++) y[i] {} t[p[i] & 7]; "
    texts = [
        convert(f"{HEAD}double {TABLE[13:]}{loop.format('=')}t[3] = {v}; {loop.format('+=')} }}", "k.c").mlir
        for v in (5, 6)
    ]
    assert isinstance(check(*texts), Unknown)


@pytest.mark.parametrize("body", ["y[p[i]] = x[i];", "y[p[i]] += x[i];", "for (int j = 0; j < p[i]; j++) y[j] = 0;"])
def test_a_store_or_a_bound_by_data_stays_in_c(body: str) -> None:
    assert convert(f"{HEAD}for (int i = 0; i < n; i++) {{ {body} }} }}", "k.c").functions == ()


def test_bounds_of_rows_are_assumed_in_words() -> None:
    module = convert(f"{HEAD}for (int i = 0; i < n; i++) y[i] = x[p[i] * m + q[i]]; }}", "k.c")
    assert any("a subscript that is data stays in its row" in a.reason for a in module.assumptions)


@pytest.mark.parametrize(("name", "kept"), [("gather", 0), ("rows_of_csr", 1)])
def test_loops_of_mlir_run_as_before(name: str, kept: int) -> None:
    result = raise_module((INPUTS / f"{name}.mlir").read_text())
    (report,) = result.functions
    assert report.kept == kept and "linalg.generic" in result.text
    assert getattr(report.verdict, "tested", report.verdict).native is not None  # type: ignore[union-attr]


@pytest.mark.parametrize("read", ["x[p[i]]", "x[1000 * (i / 2)]"])
def test_what_is_read_at_some_sizes_only_is_read_under_a_test(read: str, tmp_path: Path) -> None:
    """Where the other loop runs zero times, the first one reads nothing."""
    body = f"for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (j < m) y[j] += {read};"
    result = _raised(body)
    assert (result.functions[0].raised, result.functions[0].kept) == (1, 0)
    (tmp_path / "k.c").write_text(HEAD + body + " }")
    far = np.full(8, 1 << 30, np.int32)
    arguments = [np.int32(7), np.int32(0), np.ones(2), far, far, np.ones(8)]
    assert not Beside(Library(tmp_path / "k.c", {}), result.text, "f").difference(arguments)


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) y[i] = x[i % 4];",
        "for (int i = 0; i < n; i++) y[i] += x[i / 2] * x[i];",
        "for (int i = 0; i < n; i++) y[i] = x[i / 32] * (double)((p[i / 8] >> (4 * (i % 8))) & 15);",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[j] += x[i % 3];",
        "double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i % 8]; y[0] = s;",
    ],
)
def test_what_is_read_at_quotients_is_proved_for_all_sizes(body: str, tmp_path: Path) -> None:
    result = _raised(body)
    (report,) = result.functions
    assert (report.kept, level(report.verdict)) == (0, "proved-all-sizes")
    (tmp_path / "k.c").write_text(HEAD + body + " }")
    beside = Beside(Library(tmp_path / "k.c", {}), result.text, "f")
    x, p = np.arange(64.0), np.arange(64, dtype=np.int32) * 77777777
    for n, m in ((0, 0), (0, 3), (1, 1), (5, 1), (6, 5)):
        assert not beside.difference([np.int32(n), np.int32(m), x, p, p, np.ones(60)]), (n, m)


@pytest.mark.parametrize("value", ["= x[(i / 2) * m + j / 2]", "*= x[i % 3]"])
def test_images_are_read_at_quotients(value: str) -> None:
    (report,) = _raised(f"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i * m + j] {value};").functions
    assert (report.kept, level(report.verdict)) == (0, "proved-all-sizes")


def test_what_changes_is_read_in_the_order_of_the_loops() -> None:
    (report,) = _raised("for (int i = 0; i < n; i++) y[i] = y[i / 2];").functions
    assert (report.fates[-1].kind, level(report.verdict)) == ("sequential", "proved-all-sizes")


@pytest.mark.parametrize("body", ["y[i / 2] = x[i];", "for (int j = 0; j <= i; j++) y[j] = x[i / 2 + j / 3];"])
def test_what_is_written_at_quotients_or_in_a_triangle_stays(body: str) -> None:
    assert _raised(f"for (int i = 0; i < n; i++) {{ {body} }}", check="field").functions[0].raised == 0
