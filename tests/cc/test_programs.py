"""Whole programs: whatever they pass, they do what gcc's do; and the compiler's own modes are its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.c.gcc import needs_gcc
from tests.cc.running import raise_cc_here

HERE = Path(__file__).parent
pytestmark = needs_gcc


def raise_cc(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "raising.cc.cc_command", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False)


def gcc(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(["gcc", *arguments], cwd=folder, capture_output=True, check=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `functions.o` of raise-cc, what it reports, and a cache."""
    folder = tmp_path_factory.mktemp("cc")
    before, os.environ["RAISE_CACHE"] = os.environ.get("RAISE_CACHE"), str(folder / "cache")
    here = Path.cwd()
    os.chdir(folder)
    try:
        (folder / "functions.c").write_bytes((HERE / "functions.c").read_bytes())
        report = ["--raise-report", str(folder / "report.json"), "--raise-timeout", "500"]
        flags = ["-O2", "-g", "-w", "-MD", "-c", "functions.c"]
        assert raise_cc_here(*report, "gcc", *flags, "-o", "functions.o") == 0
        first = (folder / "functions.o").read_bytes()
        (folder / "functions.d").rename(folder / "first.d")
        (folder / "functions.o").unlink()
        assert raise_cc_here(*report, "gcc", *flags, "-o", "functions.o") == 0
        assert (folder / "functions.o").read_bytes() == first  # from the cache
        assert (folder / "functions.d").read_bytes() == (folder / "first.d").read_bytes()
    finally:
        os.chdir(here)
        os.environ.pop("RAISE_CACHE") if before is None else os.environ.__setitem__("RAISE_CACHE", before)
    return folder


def test_whatever_is_passed_results_are_those_of_gcc(built: Path) -> None:
    calls, own = str(HERE / "calls.c"), str(HERE / "functions.c")
    assert gcc(built, "-O2", "-w", own, calls, "-o", "plain", "-lm").returncode == 0
    assert gcc(built, "-w", "functions.o", calls, "-o", "raised", "-lm").returncode == 0
    plain, raised = (
        subprocess.run([built / name], capture_output=True, check=True).stdout for name in ("plain", "raised")
    )
    assert raised == plain


def test_the_report_says_what_became_of_each_function(built: Path) -> None:
    first, again = map(json.loads, (built / "report.json").read_text().splitlines())
    assert first == again
    done = {row.get("part") or row.get("function"): row for row in first["functions"] if "function" in row}
    replaced = {name for name, row in done.items() if row["done"] == "replaced"}
    assert replaced >= {"add", "knr", "gemv", "rev", "work_loop1", "work_loop2", "blur", "cpy", "usum", "even", "coded"}
    assert "torus" in replaced, "its proof holds at the numbers of the file, which nobody can change"
    assert "m <= lda" in " ".join(done["gemv"]["tested"])
    assert first["replaced"] == len(replaced) and first["loops"]["replaced"] >= len(replaced)


def test_nobody_else_can_name_what_was_added(built: Path) -> None:
    listed = subprocess.run(["nm", "functions.o"], cwd=built, capture_output=True, text=True, check=True).stdout
    added = [line for line in listed.splitlines() if "raise_cc_" in line]
    assert added and all(line.split()[1].islower() for line in added)
    assert " T add\n" in listed and "functions.c" in subprocess.run(
        ["readelf", "--debug-dump=decodedline", "functions.o"], cwd=built, capture_output=True, text=True, check=True
    ).stdout  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        ["-E", "-O2", "a.c"],
        ["-S", "-O2", "a.c", "-o", "-"],
        ["-M", "-O2", "a.c"],
        ["-O2", "-c", "none.c", "-o", "none.o"],
        ["-O2", "-c", "wrong.c", "-o", "wrong.o"],
        ["-O2", "@flags", "-fsyntax-only", "-Wall", "a.c"],
        ["--version"],
        [],
    ],
)
def test_the_rest_is_the_compilers_own(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "a.c").write_text(
        "int f(int n, int *a) { int s, u; for (int i = 0; i < n; i++) s += a[i]; return s; }\n"
    )
    (tmp_path / "wrong.c").write_text("int f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = b; return 0 }\n")
    (tmp_path / "flags").write_text("-Wextra '-DX=\"a b\"'\n")
    ours, own = raise_cc(tmp_path, "gcc", *arguments), gcc(tmp_path, *arguments)
    assert (ours.returncode, ours.stdout, ours.stderr) == (own.returncode, own.stdout, own.stderr)


def test_a_file_with_a_message_is_raised_once_and_the_message_said_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from raising.cc import one_file

    raised, before = list[object](), one_file._raised
    monkeypatch.setattr(one_file, "_raised", lambda *a: raised.append(a) or before(*a))
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    text = "void f(int n, int *a) { int u; for (int i = 0; i < n; i++) a[i] = i; }\n"
    made = []
    for comment in ("", " // changed"):
        (tmp_path / "a.c").write_text(text.replace(" for", f"{comment}\nfor"))
        assert raise_cc_here("gcc", "-O2", "-Wall", "-c", "a.c", "-o", "a.o") == 0
        said = capfd.readouterr().err
        assert "unused variable" in said and comment in said
        made.append((tmp_path / "a.o").read_bytes())
    assert made[0] == made[1] and len(raised) == 1


def test_several_files_become_a_program(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("static int k = 3;\nint twice(int n) { return k * n - n; }\n")
    (tmp_path / "main.c").write_text("int twice(int);\nint main(void) { return twice(21); }\n")
    (tmp_path / "all").write_text("-O2 a.c\nmain.c -o program\n")
    assert raise_cc(tmp_path, "@all").returncode == 0
    assert subprocess.run([tmp_path / "program"], check=False).returncode == 42


def test_a_wrong_option_is_one_line(tmp_path: Path) -> None:
    for wrong in (["--raise-what"], ["--fp", "loose"], ["--raise-timeout", "soon"], ["--raise-report"]):
        done = raise_cc(tmp_path, *wrong)
        assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and b"raise-cc: error: " in done.stderr


@pytest.mark.skipif(shutil.which("ccache") is None, reason="no ccache")
def test_behind_ccache_the_second_time_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("void f(int n, float *restrict a) { for (int i = 0; i < n; i++) a[i] *= 2; }\n")
    script = tmp_path / "raise-cc"
    script.write_text(f'#!/bin/sh\necho run >> {tmp_path}/runs\nexec {sys.executable} -m raising.cc.cc_command "$@"\n')
    script.chmod(0o755)
    own = {"CCACHE_DIR": str(tmp_path / "kept"), "CCACHE_COMPILERTYPE": "gcc", "RAISE_CACHE": str(tmp_path / "cache")}
    command = ["ccache", str(script), "-O2", "-MD", "-c", "a.c"]
    made = []
    for _ in range(2):
        subprocess.run(command, cwd=tmp_path, env={**os.environ, **own}, check=True)
        made.append([(tmp_path / name).read_bytes() for name in ("a.o", "a.d", "runs")])
        (tmp_path / "a.o").unlink()
    assert made[0] == made[1] and b"raise_cc_f" in made[0][0]  # nothing ran the second time
