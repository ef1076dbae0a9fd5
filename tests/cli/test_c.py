"""C as the input of the command."""

import json
from pathlib import Path

import pytest

from raising.frontend.c import convert
from raising.frontend.c.clang import bounded_parse
from raising.support.errors import InputError
from raising.support.isolate import Failed, run_isolated
from tests.cli.running import one_line, run

SCALE = """\
#include "width.h"
void scale(float *x, float a)
{
  for (int i = 0; i < N; i++)
    x[i] *= a;
}
int main(void) { return puts("done"); }
"""


@pytest.fixture
def scale(tmp_path: Path) -> Path:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "width.h").write_text("#define N (WIDTH * 2)\n")
    path = tmp_path / "scale.c"
    path.write_text(SCALE)
    return path


def test_c_is_raised_with_its_own_places(scale: Path) -> None:
    done = run(scale, "-I", scale.parent / "include", "-DWIDTH=8")
    assert done.returncode == 0, done.stderr
    assert "func.func @scale" in done.stdout and "affine.for" not in done.stdout
    assert f"{scale}:7:25: remark: function 'main' stays in C: calls 'puts'" in done.stderr
    assert f"{scale}:4:3: remark: raised 1 loop nest" in done.stderr


def test_flags_are_a_compiler_s(scale: Path) -> None:
    folder = scale.parent
    (folder / "pre.h").write_text("#define WIDTH 2\n#undef bool\n")
    given = ("-isystem", folder / "include", "-include", folder / "pre.h", "-std=c99")
    printed = run(scale, *given, "-UWIDTH", "-D", "WIDTH=3", "--emit", "affine", "--function", "scale")
    assert "affine.for %i = 0 to 4" in printed.stdout, printed.stderr  # the header comes after all of -D and -U
    undefined = one_line(run(scale, *given[:2], "-DWIDTH=3", "-U", "WIDTH"))
    assert undefined.startswith(f"{scale}:4:23: error: use of undeclared identifier")
    assert one_line(run(scale, "-D", "1x")).startswith("<command line>: error: macro name must be an identifier")


def test_a_compilation_database_has_the_flags(scale: Path) -> None:
    database = scale.parent / "compile_commands.json"
    entry = {"directory": str(scale.parent), "file": scale.name, "command": "cc -O2 -Iinclude '-DWIDTH=5' -c scale.c"}
    database.write_text(json.dumps([{**entry, "file": "other.c", "command": "cc other.c"}, entry]))
    more = ("--compile-commands", database, "--emit", "affine", "--function", "scale")
    assert "affine.for %i = 0 to 10" in run(scale, *more).stdout
    assert "affine.for %i = 0 to 14" in run(scale, *more, "-DWIDTH=7").stdout
    assert one_line(run("-", "-x", "c", *more, given=SCALE)).endswith("it does not say how <stdin> is compiled")
    database.write_text("[")
    assert one_line(run(scale, *more)).startswith(f"{database}: error: it cannot be read as a compilation database")


def test_affine_form_is_input_again(scale: Path) -> None:
    options = ("-I", str(scale.parent / "include"), "-D", "WIDTH=8", "--function", "scale")
    printed = run(scale, *options, "--emit", "affine")
    assert printed.returncode == 0 and "affine.for %i = 0 to 16" in printed.stdout
    assert printed.stderr == ""
    assert run("-", given=printed.stdout).returncode == 0


def test_language_of_standard_input() -> None:
    done = run("-", "-x", "c", "--emit", "affine", given="void f(int *p) { for (int i = 0; i < 3; i++) p[i] = i; }")
    assert done.returncode == 0 and "memref<?xi32>" in done.stdout


def test_a_function_that_stays_counts_as_left(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text("void f(void) { a: goto a; }")
    assert run(path, "--require-all", "--emit", "affine").returncode == 1


BAD = {
    "syntax": ("void f(float *x) {\n  x[0] = ;\n}", ":2:10: error: "),
    "missing include": ('void f(void) {}\n#include "nothere.h"\n', ":2:10: error: 'nothere.h' file not found"),
    "unknown type": ("void f(foo_t *x) { x[0] = 0; }", ":1:8: error: unknown type name 'foo_t'"),
    "include loop": ('#include "k.c"\n', ":1:"),
    "unterminated comment": ("void f(void) {}\n/* open\n", ":2:1: error: unterminated /* comment"),
    "not UTF-8": (b"void f(void) {\n  \xff }", ":2:3: error: "),
    "UTF-16": ("void f(void) {}".encode("utf-16"), ":1:4: error: a NUL byte"),
    "a line of a megabyte": ("int " + "a" * (1 << 20) + " = ;", ":1:1048584: error: "),
    "early end": ("void f(void) { if (1) {", ":1:24: error: expected '}'"),
    "NUL": (b"void f(void) {\n  \0 }", ":2:3: error: a NUL byte"),
    "empty": ("  \n", ": error: empty input"),
    "deep parentheses": ("int x = " + "(" * 20_000, ":1:"),
    "deep blocks": ("void f(void) {\n" + "{" * 20_000 + "}" * 20_000 + "}", ":2:"),
    "twice": ("void f(void) {}\nvoid f(void) {}", ":2:6: error: redefinition of 'f'"),
    "huge number": ("int g(void) { return " + "9" * 1000 + "; }", ":1:22: error: integer literal is too large"),
    "separators": ("int g(void) { return 1'000; }", ":1:23: error: "),
    "#error": ("#error stop", ":1:2: error: stop"),
}


@pytest.mark.parametrize(("given", "told"), BAD.values(), ids=BAD.keys())
def test_bad_c_is_one_line(given: str | bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_bytes(given if isinstance(given, bytes) else given.encode())
    done = run(path)
    assert done.returncode == 2
    assert one_line(done).startswith(f"{path}{told}")


def test_a_few_lines_of_macros_are_cut_short(tmp_path: Path) -> None:
    text = "\n".join(f"#define {a} {' '.join(b * 40)}" for a, b in zip("ABCDEF", "BCDEFG", strict=True)) + "\nA"

    def read() -> str:
        bounded_parse.MAX_SECONDS = 0.5
        with pytest.raises(InputError) as error:
            convert(text, "k.c")
        return str(error.value)

    done = run_isolated(read, timeout=60, extra_bytes=8 << 30)
    assert (
        not isinstance(done, Failed) and done.value == "k.c: error: it takes more time or memory to parse than allowed"
    )


def test_what_is_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "k.c"
    folder.mkdir()
    assert one_line(run(folder)) == f"{folder}: error: cannot be read: is a directory"
    assert one_line(run(tmp_path / "none.c")).endswith("none.c: error: cannot be read: no such file or directory")


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_bytes(b"\xef\xbb\xbfvoid f(float *x) { x[0] = 1; }")
    assert run(path, "--emit", "affine").returncode == 0


def test_no_such_function(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text("void f(void) {}")
    assert one_line(run(path, "--function", "g")) == f"{path}: error: there is no function 'g' with a body"


ADD = "void add(int n, float *x, float *y) { for (int i = 0; i < n; i++) x[i] += y[i]; }"


def test_what_is_assumed_is_said_or_tested() -> None:
    said = run("-", "-x", "c", "--emit", "affine", given=ADD)
    assert "assumed in 'add': 'x' does not overlap 'y' in memory (restrict would say so)" in said.stderr
    assert "scf.if" not in said.stdout
    tested = run("-", "-x", "c", "--guard", "--check", "none", given=ADD)
    assert "tested at run time in 'add': 'x' does not overlap 'y'" in tested.stderr
    assert tested.stdout.index("scf.if") < tested.stdout.index("linalg.") < tested.stdout.index("scf.while")


def test_a_guard_needs_memory() -> None:
    done = run("-", "-x", "c", "--guard", "--abi", "tensor", "--check", "none", given=ADD)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.splitlines()[-1].endswith("error: --guard is for functions that keep their arguments in memory")
    assert one_line(run("-", "-x", "python", "--guard", given="x = 1\n")).endswith("error: --guard is for C and MLIR")


def test_a_short_time_limit_is_none_for_the_preprocessor(scale: Path) -> None:
    """The limits of the reader's process are lower than the preprocessor's own then, and may not be raised."""
    done = run(scale, "-I", scale.parent / "include", "-DWIDTH=8", "--timeout", "2")
    assert "internal" not in done.stderr
    assert done.returncode == 0


def test_a_file_as_a_whole(tmp_path: Path) -> None:
    count = "void count(int n, const int *x, int *h) { for (int i = 0; i < n; i++) h[x[i]]++; }"
    (tmp_path / "k.c").write_text(f"{count}\n{ADD}")
    done = run(tmp_path / "k.c", "--whole", "--check", "none")
    assert done.returncode == 0 and "func.func @count" in done.stdout and "raise.overlapping" in done.stdout
    assert "function 'count' is written as it is: a subscript depends on data" in done.stderr
    refused = run(tmp_path / "k.c", "--whole", "--emit", "numpy")
    assert one_line(refused).endswith("error: --whole writes loops over memory in a module: no --emit numpy")
    assert one_line(run("-", "-x", "python", "--whole", given="x = 1\n")).endswith("error: --whole is for C and C++")
    assert one_line(run("-", "--whole", given="module {}\n")).endswith("error: --whole is for C and C++")
