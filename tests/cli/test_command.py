"""The command on good input: what goes where, and the exit status."""

import json
import os
import re
import stat
import subprocess
import time
from pathlib import Path

import pytest

from raising.commands import raise_command as cli
from raising.commands import raise_worker as worker
from raising.support.isolate import Tell
from tests.cli.running import COMMAND, ENVIRONMENT, FILL, GEMM, INPUTS, ROOT, SCALE, one_line, run

REMARK = re.compile(r"^(.+?):(\d+):(\d+): remark: .+$")
KEPT = INPUTS / "unraisable"


def test_module_on_standard_output_and_remarks_on_standard_error() -> None:
    done = run(GEMM)
    assert done.returncode == 0
    assert "linalg.matmul" in done.stdout
    assert "affine.for" not in done.stdout
    lines = done.stderr.splitlines()
    assert lines and all(m and m[1] == str(GEMM) for m in map(REMARK.match, lines)), done.stderr
    assert "proved for all sizes" in done.stderr
    assert "relative error" in done.stderr


def test_standard_input_and_output_file(tmp_path: Path) -> None:
    out = tmp_path / "out.mlir"
    done = run("-", "-o", out, given=FILL)
    assert done.returncode == 0
    assert done.stdout == ""
    assert done.stderr.startswith("<stdin>:3:3: remark: raised 1 loop nest to linalg.fill\n")
    assert out.read_text() == run("-", given=FILL).stdout
    assert list(tmp_path.iterdir()) == [out]


def test_output_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.mlir", tmp_path / "link.mlir"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert run("-", "-o", link, given=FILL).returncode == 0
    assert link.is_symlink()
    assert "linalg.fill" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_output_may_be_the_input_or_a_device(tmp_path: Path) -> None:
    place = tmp_path / "fill.mlir"
    place.write_text(FILL)
    assert run(place, "-o", place).returncode == 0
    assert "linalg.fill" in place.read_text()
    assert "linalg.fill" in run("-", "-o", "/dev/stdout", given=FILL).stdout
    assert "linalg.fill" in run("-", "-o", "-", given=FILL).stdout


def test_bytecode_is_read(tmp_path: Path) -> None:
    from mlir import ir

    place = tmp_path / "fill.mlirbc"
    with ir.Context(), place.open("wb") as stream:
        ir.Module.parse(FILL).operation.write_bytecode(stream)
    done = run(place)
    assert done.returncode == 0, done.stderr
    assert "linalg.fill" in done.stdout


@pytest.mark.parametrize("name", ["call", "indirect"])
def test_what_cannot_be_raised_comes_out_unchanged(name: str) -> None:
    from mlir import ir

    path = KEPT / f"{name}.mlir"
    done = run(path)
    assert done.returncode == 0
    with ir.Context():
        assert done.stdout == str(ir.Module.parse(path.read_bytes()))
    (line,) = done.stderr.splitlines()
    found = REMARK.match(line)
    assert found and found[1] == str(path)
    assert "kept" in line
    assert run(path, "--require-all").returncode == 1


def test_require_all_is_content_with_a_file_without_loops() -> None:
    done = run(INPUTS / "bad" / "no_loops.mlir", "--require-all")
    assert done.returncode == 0
    assert "no loops" in done.stderr


def test_no_function() -> None:
    done = run("-", given="module {}")
    assert done.returncode == 0
    assert done.stderr.startswith("<stdin>: remark: the module has no function")


def test_statistics(tmp_path: Path) -> None:
    place = tmp_path / "numbers.json"
    assert run(GEMM, "--stats", place, "--check", "field").returncode == 0
    numbers = json.loads(place.read_text())
    assert numbers["file"] == str(GEMM)
    assert numbers["target"] == "linalg"
    (function,) = numbers["functions"]
    counts = ("enumerated", "static_filtered", "evaluated", "equivalence_filtered", "operations", "largest_part")
    assert all(isinstance(function[name], int) for name in counts)
    assert function["name"] == "gemm"
    assert (function["raised"], function["kept"]) == (1, 0)
    assert function["verdict"].startswith("tested: ")
    assert 0 < function["seconds"] <= numbers["seconds"]
    assert [part["computes"] for part in function["parts"]] == [
        "C[i,j] = C[i,j] * beta",
        "C[i,j] += sum_k(alpha * A[i,k] * B[k,j])",
    ]


def test_explanation_and_verbosity() -> None:
    done = run(GEMM, "--explain", "-v", "--check", "field")
    assert f"{GEMM}:25:9: remark: part: C[i,j] += sum_k(alpha * A[i,k] * B[k,j]) [2 operations, " in done.stderr
    assert "raised 1 of 1 loop nests to 3 operations" in done.stderr


@pytest.mark.parametrize(
    ("check", "verdict"),
    [
        ("none", "unknown: not checked"),
        ("field", "field points"),
        ("proof", "proved for all sizes"),
        ("native", "proved for all sizes; native run at"),
    ],
)
def test_check(check: str, verdict: str) -> None:
    line = run("-", "--check", check, given=FILL).stderr.splitlines()[-1]
    assert verdict in line
    assert ("relative error" in line) == (check == "native")


def test_tensor_abi() -> None:
    done = run(GEMM, "--abi", "tensor")
    assert done.returncode == 0
    assert "memref" not in done.stdout
    assert "-> tensor<1000x1100xf64> attributes" in done.stdout
    assert "relative error" in done.stderr


def test_help_and_version() -> None:
    done = run("--help")
    assert done.returncode == 0
    for option in ("-o", "--target", "--abi", "--timeout", "--check", "--stats", "--explain", "--require-all", "-v"):
        assert option in done.stdout
    assert re.match(r"raise \d+\.\d+\.\d+, MLIR \d", run("--version").stdout)


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, raising.commands.raise_command; raising.commands.raise_command.parser(); print(*sys.modules)"
    done = subprocess.run(
        [COMMAND[0], "-c", code], env=ENVIRONMENT, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not {"mlir", "islpy", "numpy", "rich", "dataclasses", "inspect"} & set(done.stdout.split())


def test_islpy_knows_its_version_without_the_parser_of_mails() -> None:
    code = """
import sys
from raising.commands.raise_worker import prepare
prepare()
assert "email" not in sys.modules
import islpy
from importlib.metadata import version
assert islpy.__version__ == version("islpy"), islpy.__version__
assert islpy.VERSION == tuple(map(int, version("islpy").split(".")))
"""
    subprocess.run([COMMAND[0], "-c", code], env=ENVIRONMENT, cwd=ROOT, check=True)


def test_the_process_that_is_called_imports_nothing_heavy_though_its_children_do(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("void f(double x[8]) { for (int i = 0; i < 8; i++) x[i] = 1; }")
    code = """
import sys
from raising.commands.raise_command import main
assert main([*sys.argv[1:], "--no-cache", "-o", "out.mlir"]) == 0
print(*sys.modules)
"""
    for arguments in (["f.c"], [str(GEMM), "--check", "field"]):
        called = [COMMAND[0], "-c", code, *arguments]
        done = subprocess.run(called, env=ENVIRONMENT, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert "linalg" in (tmp_path / "out.mlir").read_text()
        assert not {"mlir", "islpy", "numpy", "rich", "raising.grammar.terms"} & set(done.stdout.split())


def test_hard_timeout_keeps_everything(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    place = tmp_path / "numbers.json"
    monkeypatch.setattr(cli, "GRACE", 0.01 - 600)  # the child has no chance to be done
    assert cli.main([str(GEMM), "--no-cache", "--stats", str(place)]) == 0
    out, err = capfdbinary.readouterr()
    assert out == GEMM.read_bytes()
    assert err.decode() == f"{GEMM}: remark: all loops kept: nothing was finished after 600 s\n"
    assert json.loads(place.read_text())["functions"] == []
    assert cli.main([str(GEMM), "--no-cache", "--require-all"]) == 1


def test_what_was_finished_outlives_a_hard_timeout(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    def stuck(task: worker.Task, tell: Tell) -> None:
        tell(worker.Outcome("half of it\n", ("a remark",), complete=False))
        time.sleep(60)

    monkeypatch.setattr(worker, "work", stuck)
    monkeypatch.setattr(cli, "GRACE", 0.5 - 600)
    monkeypatch.setitem(os.environ, "RAISE_CACHE", str(tmp_path))
    assert cli.main([str(GEMM)]) == 0
    assert not [*tmp_path.iterdir()]  # what was cut short is no answer for later calls
    assert capfdbinary.readouterr() == (b"half of it\n", b"a remark\n")
    assert cli.main([str(GEMM), "--no-cache", "--require-all"]) == 1


def test_nobody_reads() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND, "-"], input=FILL.encode(), stdout=write, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False
    )
    os.close(write)
    assert done.returncode == 141
    assert all(b"remark" in line for line in done.stderr.splitlines())


NAIVE = ("--no-guide", "--no-oe", "--no-types", "--no-backward")


def test_a_search_that_finds_nothing_in_its_time_leaves_the_loops() -> None:
    source = ROOT / "tests" / "kernels" / "syr2k.mlir"
    done = run(source, *NAIVE, "--timeout", "1")
    assert done.returncode == 0 and done.stdout.count("affine.for") == source.read_text().count("affine.for")
    assert "kept" in done.stderr


def test_switches_change_how_much_is_searched(tmp_path: Path) -> None:
    place, counts = tmp_path / "scale.mlir", {}
    place.write_text(SCALE)
    for name, switches in (("whole", ()), ("naive", NAIVE), ("guides", ("--guides", "operations,maps"))):
        assert run(place, *switches, "--check", "field", "--stats", tmp_path / name).returncode == 0
        (function,) = json.loads((tmp_path / name).read_text())["functions"]
        assert function["kept"] == 0
        counts[name] = function
    assert counts["whole"]["static_filtered"] == 0 < counts["naive"]["static_filtered"]
    assert counts["naive"]["equivalence_filtered"] == 0
    assert counts["naive"]["enumerated"] > counts["guides"]["enumerated"] >= counts["whole"]["enumerated"] > 0
    assert counts["whole"]["guides"]["operations"] > 0 and "operations" not in counts["naive"]["guides"]


def test_an_unknown_guide_is_named() -> None:
    assert "unknown guide 'oracle'" in one_line(run(GEMM, "--guides", "maps,oracle"))
    assert "--max-ops" in one_line(run(GEMM, "--max-ops", "0"))
