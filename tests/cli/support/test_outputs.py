"""No command replaces what it reads by something else, or writes two outputs into one file."""

from pathlib import Path

import pytest

from tests.forked import command

C = "void twice(double *a, int n) { for (int i = 0; i < n; i++) a[i] *= 2; }\n"
MLIR = """func.func @fill(%x: memref<8xf64>, %a: f64) {
  affine.for %i = 0 to 8 {
    affine.store %a, %x[%i] : memref<8xf64>
  }
  return
}
"""
RAISE, COMPILE, OPT, EXPLORE = (
    "raising.commands.raise_command",
    "raising.commands.compile_command",
    "raising.commands.opt_command",
    "raising.explore.explore_command",
)


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize(
    ("module", "file", "options"),
    [
        (RAISE, "k.c", ["-o", "OUT"]),
        (RAISE, "k.c", ["--stats", "OUT"]),
        (RAISE, "k.mlir", ["--stats", "OUT"]),
        (RAISE, "k.mlir", ["--emit", "numpy", "-o", "OUT"]),
        (COMPILE, "k.c", ["-o", "OUT"]),
        (COMPILE, "k.mlir", ["-o", "OUT"]),
        (COMPILE, "k.c", ["-o", "k.o", "--header", "OUT"]),
        (OPT, "k.mlir", ["--emit", "html", "-o", "OUT"]),
        (EXPLORE, "k.c", ["--out", "OUT"]),
    ],
)
def test_a_source_is_not_replaced(module: str, file: str, options: list[str], linked: bool, tmp_path: Path) -> None:
    source = tmp_path / file
    source.write_text(C if file.endswith(".c") else MLIR)
    before, out = source.read_bytes(), source
    if linked:
        out = tmp_path / "link"
        out.symlink_to(source)
    done = command(module, [file, *(str(out) if option == "OUT" else option for option in options)], cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"{out}: error: cannot be written: it is what is read\n")
    assert source.read_bytes() == before


def test_rules_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "k.mlir").write_text(MLIR)
    (tmp_path / "r.egg").write_text("; none\n")
    done = command(OPT, ["k.mlir", "--rules", "r.egg", "-o", "r.egg"], cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "r.egg: error: cannot be written: it is what is read\n")


@pytest.mark.parametrize(
    ("module", "options"), [(RAISE, ["-o", "x", "--stats", "./x"]), (COMPILE, ["-o", "x", "--header", "./x"])]
)
def test_two_outputs_need_two_files(module: str, options: list[str], tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(C)
    done = command(module, ["k.c", *options], cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "./x: error: cannot be written: another output has the same name\n")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("module", [RAISE, OPT])
def test_a_module_can_be_changed_in_place(module: str, tmp_path: Path) -> None:
    place = tmp_path / "k.mlir"
    place.write_text(MLIR)
    assert command(module, ["k.mlir", "-o", "k.mlir"], cwd=tmp_path).returncode == 0
    assert "func.func @fill" in place.read_text()


def test_an_empty_name_is_no_output(tmp_path: Path) -> None:
    (tmp_path / "k.mlir").write_text(MLIR)
    done = command(RAISE, ["k.mlir", "-o", ""], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
