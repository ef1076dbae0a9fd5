"""Bad input and bad usage: exit status 2, one line that says where, and the output file untouched."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.cli.running import FILL, GEMM, INPUTS, one_line, run

BAD = tomllib.loads((INPUTS / "bad" / "expected.toml").read_text())
REJECTED = sorted(name for name, entry in BAD.items() if entry["exit"] == 2)


@pytest.mark.parametrize("name", REJECTED)
def test_bad_file(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out.mlir"
    out.write_text("as it was")
    path = INPUTS / "bad" / name
    done = run(path, "-o", out)
    assert done.returncode == 2
    place = f"{path}:{BAD[name]['at']}" if "at" in BAD[name] else str(path)
    assert one_line(done).startswith(f"{place}: error: ")
    assert out.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("name", sorted(set(BAD) - set(REJECTED)))
def test_odd_but_good_file(name: str) -> None:
    done = run(INPUTS / "bad" / name)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("module {")
    assert "remark:" in done.stderr


@pytest.mark.parametrize("given", [b"", b" \n\n"])
def test_empty_standard_input(given: bytes) -> None:
    done = run("-", given=given)
    assert done.returncode == 2
    assert one_line(done) == "<stdin>: error: empty input"


def test_missing_file() -> None:
    done = run("nowhere.mlir")
    assert done.returncode == 2
    assert one_line(done) == "nowhere.mlir: error: cannot be read: no such file or directory"


def test_directory(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 2
    assert one_line(done) == f"{tmp_path}: error: cannot be read: is a directory"


def test_binary_file_is_called_so() -> None:
    assert "binary" in one_line(run(INPUTS / "bad" / "binary.mlir"))


def test_unknown_target_lists_the_known_ones() -> None:
    done = run(GEMM, "--target", "fortran")
    assert done.returncode == 2
    line = one_line(done)
    assert "unknown target 'fortran'" in line
    assert "linalg" in line


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        (["--abi", "register"], "'register'"),
        (["--check", "maybe"], "'maybe'"),
        (["--timeout", "soon"], "'soon'"),
        (["--timeout", "-1"], "'-1'"),
        (["--timeout", "nan"], "'nan'"),
        (["--frobnicate"], "--frobnicate"),
        (["a", "b"], "b"),
    ],
    ids=lambda value: "=".join(value) if isinstance(value, list) else "",
)
def test_bad_option(arguments: list[str], about: str) -> None:
    done = run(GEMM, *arguments)
    assert done.returncode == 2
    line = one_line(done)
    assert line.startswith("raise: error: ")
    assert about in line


def test_no_file() -> None:
    """Where nothing is piped in; else standard input is the file, and here there is nothing in it."""
    command = [sys.executable, "-m", "raising.commands.raise_command"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "FILE" in one_line(done)
    assert one_line(run()) == "<stdin>: error: empty input"


@pytest.mark.parametrize("option", ["-o", "--stats"])
def test_output_that_cannot_be_written(option: str, tmp_path: Path) -> None:
    for place, why in ((tmp_path, "is a directory"), (tmp_path / "no" / "out", "there is no directory")):
        done = run("-", option, place, given=FILL)
        assert done.returncode == 2
        assert one_line(done).startswith(f"{place}: error: cannot be written: ")
        assert why in done.stderr


def test_input_that_crashes_the_parser(tmp_path: Path) -> None:
    depth = 200_000
    out = tmp_path / "out.mlir"
    out.write_text("as it was")
    done = run("-", "-o", out, given=f"func.func @deep(%x: {'tuple<' * depth}i32{'>' * depth}) {{ return }}\n")
    assert done.returncode == 2
    assert one_line(done).startswith("<stdin>: error: internal: the worker crashed with signal SIG")
    assert out.read_text() == "as it was"


def test_loops_too_deep_for_the_parser() -> None:
    loops = "".join(f"affine.for %i{k} = 0 to 2 {{\n" for k in range(5000))
    done = run("-", given=f"func.func @deep() {{\n{loops}{'}' * 5000}\nreturn }}\n")
    assert done.returncode == 2 and one_line(done) == "<stdin>:2001:1: error: nested deeper than 2000 levels"
