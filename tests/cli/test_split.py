"""`--split-input-file`: several modules in one file, as `mlir-opt` reads them."""

import json
from pathlib import Path

import pytest

from raising.commands.split_input import joined, modules
from tests.cli.running import ENVIRONMENT
from tests.forked import command

DOUBLE = """\
func.func @f(%x: memref<4xf32>) {
  affine.for %i = 0 to 4 {
    %a = affine.load %x[%i] : memref<4xf32>
    %b = arith.addf %a, %a : f32
    affine.store %b, %x[%i] : memref<4xf32>
  }
  return
}
"""
NEGATE = DOUBLE.replace("arith.addf %a, %a", "arith.negf %a")
BAD = "func.func @g() {\n  bad\n}\n"
MARK = "// -----\n"
SPLIT = "--split-input-file"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", [b""]),
        (b"a\n", [b"a\n"]),
        (b"a\n// -----\nb", [b"a\n", b"\n\nb"]),
        (b"a\n  // -----\t\r\nb\n// -----", [b"a\n", b"\n\nb\n", b"\n\n\n"]),
        (b"// -----\na\n", [b"", b"\na\n"]),
        (b"a // -----\n// ------\n// ----- x\n", [b"a // -----\n// ------\n// ----- x\n"]),
        (b"ML\xefR\n// -----\n", [b"ML\xefR\n// -----\n"]),
    ],
)
def test_modules_keep_the_lines_that_they_have_in_the_file(text: bytes, expected: list[bytes]) -> None:
    assert modules(text, split=True) == expected
    assert modules(text, split=False) == [text]


def test_what_is_joined_is_split_again() -> None:
    assert joined(["a\n", "b", ""]) == "a\n// -----\nb\n// -----\n"
    assert [m.strip() for m in modules(joined(["a\n", "b"]).encode(), split=True)] == [b"a", b"b"]


def test_each_module_is_raised_and_compared_with_its_loops(tmp_path: Path) -> None:
    (tmp_path / "in.mlir").write_text(DOUBLE + MARK + NEGATE)
    options = "--check", "proof", "--stats", "s.json", "-o", "out.mlir", SPLIT
    done = command("raising.commands.raise_command", ["in.mlir", *options], b"", tmp_path, ENVIRONMENT)
    assert done.returncode == 0 and "in.mlir:11:3: remark: raised 1 loop nest" in done.stderr
    found = (tmp_path / "out.mlir").read_text().split(MARK)
    assert ["linalg.add" in found[0], "negf" in found[1], "affine.for" in "".join(found)] == [True, True, False]
    assert len(json.loads((tmp_path / "s.json").read_text())["functions"]) == 2
    checked = command("raising.commands.check_command", ["in.mlir", "out.mlir", SPLIT], b"", tmp_path, ENVIRONMENT)
    assert checked.returncode == 0 and checked.stdout.count("proved-this-size") == 2
    wrong = (NEGATE + MARK + NEGATE).encode()
    checked = command("raising.commands.check_command", ["in.mlir", "-", SPLIT], wrong, tmp_path, ENVIRONMENT)
    assert checked.returncode == 1 and [line[:13] for line in checked.stdout.splitlines()][1] == "module 2: pro"
    checked = command("raising.commands.check_command", ["in.mlir", "-", SPLIT], NEGATE.encode(), tmp_path, ENVIRONMENT)
    assert (checked.returncode, checked.stderr) == (2, "raise-check: error: in.mlir has 2 modules, <stdin> has 1\n")


@pytest.mark.parametrize(
    ("name", "options"), [("raise", ["--check", "none"]), ("opt", []), ("compile", ["--emit", "llvm"])]
)
def test_errors_stand_in_the_lines_of_the_file(name: str, options: list[str], tmp_path: Path) -> None:
    at, text = f"raising.commands.{name}_command", (BAD + MARK + "\ny\n").encode()
    done = command(at, ["-", SPLIT, *options, "-o", "out"], text, tmp_path, ENVIRONMENT)
    assert done.returncode == 2 and not (tmp_path / "out").exists()
    assert [line.split(" error:")[0] for line in done.stderr.splitlines()] == ["<stdin>:2:3:", "<stdin>:6:1:"]


@pytest.mark.parametrize(("name", "options"), [("opt", []), ("compile", ["--emit", "llvm"])])
def test_what_is_made_of_each_module_is_written(name: str, options: list[str], tmp_path: Path) -> None:
    at, text = f"raising.commands.{name}_command", (DOUBLE + MARK + NEGATE).encode()
    done = command(at, ["-", SPLIT, *options], text, tmp_path, ENVIRONMENT)
    assert done.returncode == 0 and done.stdout.count(MARK) == 1


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("raise", ["k.c"]),
        ("raise", ["k.mlir", "--emit", "numpy"]),
        ("compile", ["k.mlir", "-o", "k.o"]),
        ("check", ["k.c", "k.c"]),
        ("opt", ["k.mlir", "--emit", "dot"]),
    ],
)
def test_only_modules_are_split(name: str, arguments: list[str], tmp_path: Path) -> None:
    for file in ("k.c", "k.mlir"):
        (tmp_path / file).write_text("\n// text\n")
    done = command(f"raising.commands.{name}_command", [*arguments, SPLIT], b"", tmp_path, ENVIRONMENT)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and SPLIT in done.stderr
