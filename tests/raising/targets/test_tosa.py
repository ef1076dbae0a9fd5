"""`--target tosa`: a third dialect, for which no line of Python was written."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from raising.pipeline import raise_module
from raising.validate.base.verdict import evidence
from tests.test_repo import FOLDERS

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "tests" / "inputs" / "tosa"
USED = {  # what the algebra of each program asks for
    "relu": {"maximum"},
    "biasmm": {"matmul", "add"},
    "mean": {"reduce_sum", "mul"},
    "softmax": {"reduce_max", "sub", "exp", "reduce_sum", "mul"},
}


@pytest.mark.parametrize("name", sorted(USED))
def test_program_is_raised_and_runs_like_the_loops(name: str) -> None:
    path = FOLDER / f"{name}.mlir"
    result = raise_module(path.read_text(), file=path.name, target="tosa")
    assert result.complete, result.remarks
    assert "affine.for" not in result.text
    for operation in USED[name]:
        assert f"tosa.{operation} " in result.text or f'"tosa.{operation}"' in result.text
    (report,) = result.functions
    found = evidence(report.verdict)
    assert found is not None and found.native is not None, result.remarks
    assert found.native.relative_error < 1e-5


def test_no_python_of_the_packages_mentions_the_dialect() -> None:
    packages = sorted(set(FOLDERS.values()))
    found = subprocess.run(
        ["git", "grep", "-il", "tosa", "--", *(f"{p}/*.py" for p in packages)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout.split() == []
