"""`raise-compile` and `raise-check` on files as people write them: the whole way from C or Python in one command."""

from __future__ import annotations

import ctypes
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raising.commands.compile_command import parser as compile_parser
from raising.commands.compile_worker import Outcome, Task, work
from raising.commands.languages import converted
from raising.native.base.compile_options import CompileOptions
from raising.support.cli_options import isolated
from raising.support.isolate import Ahead, Failed, Finished
from tests.cli.running import ENVIRONMENT
from tests.forked import command

SUMS = """\
int last = 0;
void sums(int n, const double a[n], double *out) {
  double total = 0;
  for (int i = 0; i < n; i++) total += a[i] * SCALE;
  *out = total;
}
"""
TWICE = "void f(int n, double a[n], const double b[n]) { for (int i = 0; i < n; i++) a[i] = 2 * b[i] + b[i]; }"
BACKWARDS = "void f(int n, double a[n], const double b[n]) { for (int i = n - 1; i >= 0; i--) a[i] = b[i] * 3; }"
SHORTER = "void f(int n, double a[n], const double b[n]) { for (int i = 0; i < n - 1; i++) a[i] = b[i] * 3; }"
PYTHON = 'def f(n: "int32", a: "float64[n]", b: "float64[n]"):\n    a[:] = 3 * b\n'
APART = "assumed in 'f': 'a' does not overlap 'b' in memory"


def compiled(path: Path, *options: str) -> tuple[int, str]:
    """The exit status and what was said."""
    environment = ENVIRONMENT | {"RAISE_CACHE": str(path.parent / "cache")}
    done = command("raising.commands.compile_command", [path, *options], environment=environment)
    assert done.stdout == "" and "Traceback" not in done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize("guard", [(), ("--guard",)], ids=["assumed", "tested"])
def test_c_becomes_a_library(guard: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "sums.c"
    path.write_text(SUMS)
    status, said = compiled(path, "-D", "SCALE=3", "-o", str(tmp_path / "k.so"), *guard)
    assert status == 0 and "raised 1 loop nest" in said
    assert ("assumed in 'sums'" in said) != bool(guard)
    library = ctypes.CDLL(str(tmp_path / "k.so"))
    pointer, found = ctypes.POINTER(ctypes.c_double), ctypes.c_double()
    for n in (0, 1, 5):
        a = np.arange(1.0, n + 1)
        library.sums(ctypes.c_int(n), a.ctypes.data_as(pointer), ctypes.byref(found))
        assert found.value == 3 * a.sum()
    if guard:  # the result lies in the array: the loops run as C has them
        a = np.array([1.0, 1.0, 1.0])
        library.sums(ctypes.c_int(3), a.ctypes.data_as(pointer), a.ctypes.data_as(pointer))
        assert a[0] == 9.0


def test_sums_keep_their_order_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "sums.c"
    path.write_text(SUMS)
    status, _ = compiled(path, "-D", "SCALE=0.7", "-o", str(tmp_path / "k.so"), "--fp", "strict")
    assert status == 0
    a, found, want = np.random.default_rng(0).normal(size=1001), ctypes.c_double(), 0.0
    for x in a.tolist():
        want += x * 0.7
    values = a.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    ctypes.CDLL(str(tmp_path / "k.so")).sums(ctypes.c_int(1001), values, ctypes.byref(found))
    assert found.value == want


def test_where_raising_ends_the_loops_are_compiled_with_their_tests(tmp_path: Path) -> None:
    path = tmp_path / "sums.c"
    path.write_text(SUMS)
    read = converted(path.read_bytes(), str(path), compile_parser().parse_args([str(path), "-DSCALE=3", "--guard"]))
    options = CompileOptions("mlir", "native", 1, "reassoc", None)
    task = Task(read.text.encode(), str(path), "so", None, options, 60.0, read, raising=False)
    made = isolated(partial(work, task), 60.0)
    assert isinstance(made, Finished) and not made.value.error
    assert any("tested at run time" in line for line in made.value.lines)
    (tmp_path / "k.so").write_bytes(made.value.code)
    pointer, a = ctypes.POINTER(ctypes.c_double), np.array([1.0, 1.0, 1.0])
    ctypes.CDLL(str(tmp_path / "k.so")).sums(ctypes.c_int(3), a.ctypes.data_as(pointer), a.ctypes.data_as(pointer))
    assert a[0] == 9.0


class _Child:
    """Stands for the child that compiles what is expected: what it was given, and what becomes of it."""

    def __init__(self, found: Finished[Outcome] | Failed) -> None:
        self.found, self.given = found, list[str]()

    def begin(self, given: tuple[Task, str]) -> None:
        self.given.append(given[1])

    def result(self, _: float) -> Finished[Outcome] | Failed:
        return self.found


def _with_child(task: Task, found: Finished[Outcome] | Failed, expected: str = "") -> tuple[Outcome, list[str]]:
    """What becomes of a task, of which something else may be expected first; and what the child was given."""
    child: Any = _Child(found)
    ahead = Ahead[Any, Outcome](lambda: child)
    if expected:
        ahead.begin((task, expected))
    return work(task, ahead), child.given


def test_what_is_expected_is_compiled_while_it_is_proved_and_counts_if_it_is_the_result(tmp_path: Path) -> None:
    path = tmp_path / "sums.c"
    path.write_text(SUMS)
    read = converted(path.read_bytes(), str(path), compile_parser().parse_args([str(path), "-DSCALE=3"]))
    task = Task(read.text.encode(), str(path), "o", None, CompileOptions(), 60.0, read)
    works = [
        partial(work, task),
        partial(_with_child, task, Finished(Outcome(b"code"))),
        partial(_with_child, task, Failed("crashed")),
        partial(_with_child, task, Finished(Outcome(b"code")), "another"),
    ]
    plain, made, failed, other = (found.value for each in works if isinstance(found := isolated(each, 60.0), Finished))
    assert plain.code and not plain.error and plain.lines
    assert made[0].code == b"code" and any("proved" in line for line in made[0].lines)
    assert len(made[1]) == 1 and "linalg" in made[1][0]
    assert failed[0].code == plain.code and failed[1] == made[1]
    assert other[0].code == plain.code and other[1] == ["another"]
    assert len({len(one.lines) for one in (plain, failed[0], other[0])}) == 1  # they tell times


def test_a_function_that_stays_is_not_in_the_object(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text(f"{TWICE}\nvoid g(volatile int *p) {{ *p = 1; }}")
    status, said = compiled(path, "-o", str(tmp_path / "k.o"), "--header", str(tmp_path / "k.h"))
    assert status == 0 and "function 'g' stays in C" in said
    assert "void f(int n" in (header := (tmp_path / "k.h").read_text()) and "g(" not in header


def test_mistakes_have_their_place(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text("void f(float *x) {\n  x[0] = ;\n}")
    assert compiled(path, "-o", str(tmp_path / "k.o")) == (2, f"{path}:2:10: error: expected expression\n")
    assert not (tmp_path / "k.o").exists()


def asked(folder: Path, files: dict[str, str], *options: str) -> tuple[int, str, str]:
    """The exit status, the answer, and what was said, of two files."""
    for name, text in files.items():
        (folder / name).write_text(text)
    done = command("raising.commands.check_command", [*files, *options], cwd=folder)
    return done.returncode, done.stdout, done.stderr


def test_two_files_of_c_are_compared_and_what_is_assumed_is_said(tmp_path: Path) -> None:
    status, answer, said = asked(tmp_path, {"a.c": TWICE, "b.c": BACKWARDS})
    assert status == 0 and answer.startswith("proved-all-sizes")
    assert f"a.c:1:22: remark: {APART}" in said and f"b.c:1:22: remark: {APART}" in said
    status, answer, _ = asked(tmp_path, {"a.c": TWICE, "b.c": SHORTER})
    assert status == 1 and "at n=1" in answer


def test_a_part_of_a_function_is_not_taken_for_it(tmp_path: Path) -> None:
    text = "int g(int); void f(int n, int *a) {{ for (int i = {}; i < n; i++) {{ int k = g(i); {} }} }}"
    loop = "for (int j = 0; j < k; j++) a[j] = k;"
    status, answer, said = asked(tmp_path, {"a.c": text.format(0, loop), "b.c": text.format(1, loop)})
    assert (status, answer) == (2, "") and "could not be read whole" in said
    status, answer, _ = asked(tmp_path, {"a.c": text.format(0, loop), "b.c": text.format(1, loop)}, "--function", "f")
    assert status == 2 and not answer
    status, answer, _ = asked(
        tmp_path, {"a.c": text.format(0, loop), "b.c": text.format(1, loop)}, "--function", "f_loop1"
    )
    assert status == 0 and answer.startswith("proved-all-sizes")


def test_loops_in_c_against_a_port_to_numpy(tmp_path: Path) -> None:
    status, answer, said = asked(tmp_path, {"a.c": TWICE, "port.py": PYTHON})
    assert status == 0 and answer.startswith("proved-all-sizes"), answer + said
    status, answer, _ = asked(tmp_path, {"a.c": TWICE, "port.py": PYTHON.replace("3 *", "4 *")})
    assert status == 1 and "a[0] is 3 in the source, 4 in the target" in answer
