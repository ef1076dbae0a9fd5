"""The tutorial on targets of one's own: its files are those in `examples`, and its commands do what it says."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from raising.pipeline import raise_module
from raising.validate.base.verdict import Proved

ROOT = Path(__file__).parents[2]
TOY = ROOT / "examples" / "toy"
PAGE = (ROOT / "docs" / "retargeting.md").read_text()
FENCE = r"\n```\w*\n(.*?)^```$"
FILES = re.findall(rf"<!-- file: (\S+) -->{FENCE}", PAGE, re.DOTALL | re.MULTILINE)
RUNS = re.findall(rf"<!-- run -->{FENCE}\n+<!-- output -->{FENCE}", PAGE, re.DOTALL | re.MULTILINE)
REMARKS = re.findall(rf"<!-- remarks -->{FENCE}", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path / "cache"))


def _run(block: str) -> subprocess.CompletedProcess[str]:
    script = "set -euo pipefail\n" + "\n".join(re.findall(r"^\$ (.*)$", block, re.MULTILINE))
    bin_first = {"PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    environment = os.environ | bin_first
    return subprocess.run(
        ["bash", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(("name", "text"), FILES, ids=[Path(name).name for name, _ in FILES])
def test_a_file_is_the_one_in_the_repository(name: str, text: str) -> None:
    assert (ROOT / name).read_text() == text


def test_every_file_of_the_example_is_shown() -> None:
    assert {ROOT / name for name, _ in FILES} == set(TOY.iterdir())


@pytest.mark.parametrize(("block", "output"), RUNS, ids=[block.split("\n")[0] for block, _ in RUNS])
def test_a_command_prints_what_the_page_says(block: str, output: str) -> None:
    done = _run(block)
    assert (done.returncode, done.stdout) == (0, output), done.stderr


def test_remarks_are_those_of_the_page() -> None:
    """Up to the numbers, some of which are times."""
    (shown,) = REMARKS
    done = _run(RUNS[-1][0])
    without = re.compile(r"(; native run| \d+ field points).*")
    assert [without.sub("", x) for x in done.stderr.splitlines()] == [without.sub("", x) for x in shown.splitlines()]


def test_the_loop_is_raised_and_checked_in_every_way() -> None:
    result = raise_module((TOY / "layer.mlir").read_text(), target=str(TOY / "toy.toml"))
    assert result.complete, result.remarks
    (report,) = result.functions
    assert isinstance(report.verdict, Proved) and report.verdict.tested is not None, result.remarks
    assert report.verdict.tested.field.points > 0
    native = report.verdict.tested.native
    assert native is not None and native.relative_error < 1e-12


@pytest.mark.parametrize(
    ("old", "new"),
    [("arith.maximumf", "arith.minimumf"), ("constant 0.0 : f64\n  %y", "constant 1.0 : f64\n  %y")],
)
def test_another_meaning_is_no_program_for_the_loop(tmp_path: Path, old: str, new: str) -> None:
    for file in TOY.iterdir():
        (tmp_path / file.name).write_text(
            file.read_text().replace(old, new) if file.name == "meaning.mlir" else file.read_text()
        )
    result = raise_module((TOY / "layer.mlir").read_text(), target=str(tmp_path / "toy.toml"))
    assert not result.complete and "toy." not in result.text and "affine.for" in result.text


def test_a_type_without_a_function_is_kept_with_the_reason() -> None:
    text = (TOY / "layer.mlir").read_text().replace("f64", "f32")
    result = raise_module(text, target=str(TOY / "toy.toml"))
    assert not result.complete and "affine.for" in result.text
    assert any("meaning.mlir: no function is for toy." in str(r) for r in result.remarks), result.remarks


def test_a_file_that_is_wrong_is_one_line_and_exit_status_2(tmp_path: Path) -> None:
    for file in TOY.iterdir():
        (tmp_path / file.name).write_text(file.read_text().replace("linalg.matmul", "linalg.matmull"))
    for command in ("raise-grammar", f"raise {TOY / 'layer.mlir'}"):
        done = _run(f"$ {command} --target {tmp_path / 'toy.toml'}")
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert "meaning.mlir:10:14: " in done.stderr
