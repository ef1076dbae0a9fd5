"""What loop variables and sizes alone decide: what shows itself at larger sizes than a search has is not lost."""

from pathlib import Path

import numpy as np
import pytest

from raising import RaiseOptions, raise_module
from raising.api.result import RaiseResult
from raising.commands.check_worker import Question, answer
from raising.frontend.c import COptions, convert
from raising.report.loop_fates import in_general
from raising.validate.base.verdict import level
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc

pytestmark = needs_gcc

HEAD = "void f(int n, double *restrict x, double *restrict y) { for (int i = 0; i < n; i++) "

VALUES = {
    "a remainder that is the counter itself at first": "x[i] * x[i % 100]",
    "a quotient that is 0 at first": "x[i] + x[i - i / 50]",
    "low bits": "x[i & 63] - x[i]",
    "a factor that is 1 at first": "x[i] * (i / 300 + 1)",
    "a number added late": "x[i] + (i >> 7)",
    "a square": "i * i > 5000 ? x[i] : 0",
    "a bit": "(i & 64) ? x[i] : -x[i]",
    "a fraction": "i * 0.01 < 1 ? 1 : 0",
    "a quotient of a size": "x[i] + (n >> 8)",
    "a ramp with an end": "x[i] * (i * 0.01 < 1.0 ? i * 0.01 : 1.0)",
}


def _raised(body: str, check: str = "field") -> RaiseResult:
    read = convert(f"{HEAD}{body} }}", "k.c")
    return raise_module(read.mlir, options=RaiseOptions(check=check, cache=False))


@pytest.mark.parametrize("name", VALUES)
def test_it_is_what_gcc_computes_from_some_iteration_on(name: str, tmp_path: Path) -> None:
    body = f"y[i] = {VALUES[name]};"
    result = _raised(body)
    assert result.functions[0].kept == 0
    (tmp_path / "k.c").write_text(f"{HEAD}{body} }}")
    beside = Beside(Library(tmp_path / "k.c", {}), result.text, "f")
    for n in (0, 1, 17, 700):
        x = np.arange(1.0, n + 2)
        assert not beside.difference([np.int32(n), x, np.ones(n + 1)]), n


def test_a_loop_that_begins_at_a_quotient_of_a_size(tmp_path: Path) -> None:
    source = "void f(int n, double *restrict x, double *restrict y) { for (int i = n / 400; i < n; i++) y[i] = x[i]; }"
    (tmp_path / "k.c").write_text(source)
    result = raise_module(convert(source, "k.c").mlir, options=RaiseOptions(check="field", cache=False))
    assert result.functions[0].raised == 1
    beside = Beside(Library(tmp_path / "k.c", {}), result.text, "f")
    for n in (0, 1, 399, 900):
        assert not beside.difference([np.int32(n), np.arange(1.0, n + 2), np.ones(n + 1)]), n


def test_at_two_sizes(tmp_path: Path) -> None:
    source = """void f(int n, int m, double *restrict x, double *restrict y) {
      for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i * m + j] = i * j > 500 ? x[i * m + j] : 1.0; }"""
    (tmp_path / "k.c").write_text(source)
    result = raise_module(convert(source, "k.c").mlir, options=RaiseOptions(check="field", cache=False))
    x = np.arange(2.0, 30 * 40 + 2)
    beside = Beside(Library(tmp_path / "k.c", {}), result.text, "f")
    assert not beside.difference([np.int32(30), np.int32(40), x.reshape(30, 40), np.ones((30, 40))])


@pytest.mark.parametrize("check", ["field", "native"])
def test_what_no_size_shows_stays_unless_it_is_proved(check: str) -> None:
    result = _raised("y[i] = (long)i * i > 2000000000L ? x[i] : 0;", check)
    assert result.functions[0].raised == 0
    assert any("the same at all sizes that can be tried" in str(r) for r in result.remarks)


@pytest.mark.parametrize("value", ["x[i] * (i / 300 + 1)", "x[i] + (i >> 9)", "(i & 128) ? 0 : x[i]"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_pair_that_differs_late_is_refuted(value: str, turned: bool) -> None:
    texts = [convert(f"{HEAD}y[i] = {v}; }}", "k.c", COptions()).mlir.encode() for v in ("x[i]", value)]
    one, other = reversed(texts) if turned else texts
    found = answer(Question((one, other), ("a.mlir", "b.mlir"), (None, None), "tested-field", (), (), 30.0))
    assert found.level == "refuted", found.text


def test_a_pair_that_no_run_can_tell_apart_is_not_called_equal() -> None:
    texts = [convert(f"{HEAD}y[i] = {v}; }}", "k.c", COptions()).mlir.encode() for v in ("x[i]", "x[i] + i / 1000000")]
    for wanted in ("tested-field", "bounded"):
        found = answer(Question(tuple(texts), ("a.mlir", "b.mlir"), (None, None), wanted, (), (), 30.0))
        assert found.level == "unknown", found.text


def test_the_proof_is_not_asked_for_more() -> None:
    (report,) = _raised("y[i] = i / 1000000;", "proof").functions
    assert (report.kept, level(report.verdict)) == (0, "proved-all-sizes")


@pytest.mark.parametrize(
    ("element", "kind", "value"),
    [
        ("unsigned char", "u1", "i > 255 ? 255 : i"),
        ("unsigned char", "u1", "i * 2 > 200 ? 200 : i * 2"),
        ("unsigned char", "u1", "(i * i) >> 3"),
        ("signed char", "i1", "i < 300 ? i : 300"),
        ("unsigned", "u4", "i > 5 ? i - 5 : 0"),
        ("unsigned long", "u8", "i - 7 > 0 ? i - 7 : 0"),
    ],
)
def test_the_larger_of_two_numbers_is_converted_after_it_is_known(
    element: str, kind: str, value: str, tmp_path: Path
) -> None:
    source = f"void f(int n, {element} *restrict y) {{ for (int i = 0; i < n; i++) y[i] = {value}; }}"
    (tmp_path / "k.c").write_text(source)
    read = convert(source, "k.c", COptions(guard=True))
    result = raise_module(read.mlir, options=RaiseOptions(check="field", cache=False))
    beside = Beside(Library(tmp_path / "k.c", {}), result.text, "f")
    for n in (0, 1, 9, 400):
        assert not beside.difference([np.int32(n), np.ones(n + 1).astype(kind)]), n


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = x[i] * 1e-9 > 1 ? 1 : x[i];",
        "y[i] = x[i] * 2 + 7 == 123457 ? 1 : x[i];",
        "{ int v = (int)x[i]; y[i] = (v ^ 23130) == 4660 ? 1 : x[i]; }",
    ],
)
@pytest.mark.parametrize("check", ["field", "native"])
def test_a_comparison_of_data_that_no_run_sees_both_ways_is_not_lost(body: str, check: str) -> None:
    result = _raised(body, check)
    assert result.functions[0].raised == 0 or level(result.functions[0].verdict).startswith("proved")
    assert "select" in result.text or "affine.for" in result.text


def test_reasons_in_general_name_no_place() -> None:
    why = "the raised form is not proved, and the comparison at /a/b.c:3:14 came out false in all runs"
    assert in_general(why) == "the raised form is not proved, and the comparison came out false in all runs"
