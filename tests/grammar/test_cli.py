"""The command `raise-grammar`: what it prints, and how it fails."""

from __future__ import annotations

import json

import pytest

from grammar import cli


def _said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize("target", ["linalg", "stablehlo"])
def test_the_listing_has_every_operation_and_the_counts(capsys: pytest.CaptureFixture[str], target: str) -> None:
    status, out, _ = _said(capsys, "--target", target)
    assert status == 0
    assert f"{target}." in out and "left out: " in out
    assert "with meaning in" in out.splitlines()[-1]


def test_one_operation_is_shown_with_all_it_means(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _said(capsys, "--op", "matmul")
    assert "out[d0, d1] = addf(out[d0, d1], mulf(a[d0, d2], b[d2, d1]))  over d2" in out
    _, out, _ = _said(capsys, "--target", "stablehlo", "--op", "stablehlo.slice")
    assert "window (start_indices = start, limit_indices = limit, strides = stride)" in out


def test_json_has_four_parts(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(_said(capsys, "--target", "stablehlo", "--json")[1])
    assert list(data) == ["target", "operations", "productions", "excluded"]
    assert set(data["excluded"][0]) == {"operation", "why"}
    one = json.loads(_said(capsys, "--target", "stablehlo", "--json", "--op", "add")[1])
    assert {p["op"] for p in one["productions"]} == {"stablehlo.add"} and len(one["operations"]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--op", "nonsense"), "target 'linalg' has no operation 'nonsense'"),
        (("--target", "matlab"), "unknown target 'matlab' (known: "),
        (("--target", "stablehlo", "--td", "no/such.td"), "no/such.td"),
    ],
)
def test_errors_are_one_line(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str) -> None:
    status, out, err = _said(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
