"""The page on machine code: its commands print what it says, and its Python runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "native.md").read_text()
FENCE = r"\n```\w*\n(.*?)^```$"
RUNS = re.findall(rf"<!-- run -->{FENCE}\n+<!-- output -->{FENCE}", PAGE, re.DOTALL | re.MULTILINE)
(PYTHON,) = re.findall(rf"<!-- python -->{FENCE}", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = {"raise": "raising.commands.raise_command", "raise-compile": "raising.commands.compile_command"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples and the commands of this checkout."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "bin").mkdir()
    for name, module in COMMANDS.items():
        (folder / "bin" / name).write_text(f'#!/bin/sh\nexec {sys.executable} -m {module} "$@"\n')
        (folder / "bin" / name).chmod(0o755)
    return folder


def _environment(place: Path) -> dict[str, str]:
    path = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "RAISE_CACHE": str(place / "cache")}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_the_commands_print_what_the_page_shows(place: Path):
    assert len(RUNS) == 3
    for block, output in RUNS:
        script = "set -euo pipefail\n" + "\n".join(re.findall(r"^\$ (.*)$", block, re.MULTILINE))
        done = subprocess.run(
            ["bash", "-c", script], cwd=place, env=_environment(place), capture_output=True, text=True, timeout=120
        )
        assert (done.returncode, done.stdout) == (0, output), done.stderr


def test_the_python_runs(place: Path):
    subprocess.run([sys.executable, "-c", PYTHON], cwd=place, env=_environment(place), check=True, timeout=120)
