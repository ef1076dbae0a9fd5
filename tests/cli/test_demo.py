"""The demonstration: side by side where there is room, one above the other where there is not."""

import subprocess
import sys

import pytest

from tests.cli.running import ENVIRONMENT, GEMM, ROOT, one_line, run


def demo(*arguments: str, columns: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "raising.demo", *arguments],
        cwd=ROOT, env=ENVIRONMENT | {"COLUMNS": columns}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(("columns", "together"), [("", True), ("160", True), ("80", False)])
def test_demo(columns: str, together: bool) -> None:
    done = demo(str(GEMM), columns=columns)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= int(columns or 160)
    assert any("loops" in line and "raised to linalg" in line for line in lines) == together
    assert "proved for all sizes" in " ".join(done.stdout.split())
    assert "raised in " in lines[-1]


def test_demo_of_nothing() -> None:
    assert demo().returncode == 2
    done = demo("nowhere.mlir")
    assert done.returncode == 2
    assert "nowhere.mlir" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_command_says_the_same_of_a_missing_file() -> None:
    assert "nowhere.mlir" in one_line(run("nowhere.mlir"))
