"""Streams that are closed or full, and names and numbers that are none: an error at most, never a traceback."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from raising.support import cache, streams
from tests.cli.running import ENVIRONMENT, FILL, run
from tests.forked import command as forked

MODULES = {
    "raise": "raising.commands.raise_command",
    "raise-opt": "raising.commands.opt_command",
    "raise-check": "raising.commands.check_command",
    "raise-compile": "raising.commands.compile_command",
    "raise-grammar": "raising.grammar.grammar_command",
}
ARGUMENTS = {
    "raise": "fill.mlir --no-cache --check field",
    "raise-opt": "fill.mlir --iterations 1",
    "raise-check": "fill.mlir fill.mlir",
    "raise-compile": "fill.mlir --emit mlir",
    "raise-grammar": "--target linalg --op fill",
}


def _shell(command: str, redirected: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "fill.mlir").write_text(FILL)
    line = f"{sys.executable} -m {MODULES[command]} {ARGUMENTS[command]} {redirected}"
    return subprocess.run(
        ["sh", "-c", line], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("command", MODULES)
@pytest.mark.parametrize(("redirected", "reason"), [(">/dev/full", "no space left"), (">&-", "bad file descriptor")])
def test_output_that_cannot_be_written_is_an_error(command: str, redirected: str, reason: str, tmp_path: Path) -> None:
    done = _shell(command, redirected, tmp_path)
    assert done.returncode == 2
    assert reason in done.stderr.splitlines()[-1] and "Traceback" not in done.stderr


@pytest.mark.parametrize("redirected", ["2>/dev/full", "2>&-", "<&- 2>&-"])
def test_remarks_that_nobody_can_read_are_lost_and_nothing_else(redirected: str, tmp_path: Path) -> None:
    done = _shell("raise", redirected, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "linalg.fill" in done.stdout


def test_a_file_is_written_whole_with_all_streams_closed(tmp_path: Path) -> None:
    done = _shell("raise", "-o out.mlir <&- >&- 2>&-", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "out.mlir").read_text().startswith("module {\n  func.func @fill")


def test_input_from_nowhere(tmp_path: Path) -> None:
    line = f"{sys.executable} -m raising.commands.raise_command - <&-"
    done = subprocess.run(["sh", "-c", line], env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "<stdin>: error: cannot be read: bad file descriptor\n"


@pytest.mark.parametrize(
    ("command", "options"), [("raise-opt", ["--iterations", "1"]), ("raise-compile", ["--emit", "mlir", "--no-cache"])]
)
@pytest.mark.parametrize("text", [FILL, FILL.replace("}", "")], ids=["module", "half"])
def test_input_that_comes_late_is_answered_alike(command: str, options: list[str], text: str) -> None:
    wanted = forked(MODULES[command], ["-", *options], text.encode(), environment=ENVIRONMENT)
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([sys.executable, "-m", MODULES[command], "-", *options], env=ENVIRONMENT, **pipes) as process:
        time.sleep(0.5)
        out, err = process.communicate(text.encode(), timeout=60)
    assert (process.returncode, out.decode(), err.decode()) == (wanted.returncode, wanted.stdout, wanted.stderr)


def test_characters_that_the_locale_has_not() -> None:
    command = [sys.executable, "-m", "raising.grammar.grammar_command", "--target", "stablehlo"]
    environment = ENVIRONMENT | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "") and "\\u2026" in done.stdout


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    place = tmp_path / "caf\udce9.c"
    place.write_text("void f(double x[8]) { for (int i = 0; i < 8; i++) x[i] = 0; }")
    done = run(place, "--check", "field")
    assert done.returncode == 0 and "linalg.fill" in done.stdout
    assert "caf?.c:1:23: remark: raised" in done.stderr


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("sum.c", f"void f(double x[4]) {{ x[0] = {'x[1] + ' * 5000} 1; }}", "it is nested too deeply"),
        (
            "attribute.mlir",
            f"func.func @f() attributes {{a = {'[' * 9000}1{']' * 9000}}} {{ return }}",
            "nested deeper",
        ),
        (
            "number.py",
            f"def f():\n    x = 1{'0' * 9000}\n",
            "number.py:2:1: error: not valid Python: Exceeds the limit",
        ),
    ],
)
def test_too_much_of_something(name: str, text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    done = run(tmp_path / name)
    assert told in done.stderr and "internal" not in done.stderr and "Traceback" not in done.stderr


def test_a_long_line_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    streams.say("place: " + "a" * 10_000 + " is unknown")
    said = capsys.readouterr().err
    assert len(said) < 2100 and said.startswith("place: aaa") and said.endswith(" is unknown\n")


def test_an_entry_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "kind" / "entry"
    file.mkdir(parents=True)  # what stands there cannot be replaced
    cache.write(file, "text")
    assert list(file.parent.iterdir()) == [file] and cache.read(file) is None
