"""Variables of a C file: what a program that is linked with our object prints is what it prints with gcc's."""

import shutil
import subprocess
from pathlib import Path

import pytest

from raising import raise_module
from raising.frontend.c import COptions, convert
from raising.native.abi.header import header
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from raising.optimise.optimise_module import optimise_module
from raising.validate.base.verdict import Proved
from tests.c.gcc import GCC, needs_gcc

STATE = """\
double u[64][64], v[64][64];
double scale = 3.0;
static double w[3] = {1, 2, 3};
extern double e[];
extern double e[64];
int count;
unsigned char flags[5] = {1, 2 + 3, 255};
const double table[4] = {1, -2, 3.5, 1.0 / 3};
static const double hidden[3] = {1, 2, 3};
void step(void) {
  for (int i = 1; i < 63; i++) for (int j = 1; j < 63; j++) v[i][j] = u[i - 1][j] + u[i + 1][j];
  for (int i = 1; i < 63; i++) for (int j = 1; j < 63; j++) u[i][j] = v[i][j];
}
void shift(void) { for (int k = 0; k < 3; k++) w[k] = w[k] * 2 + table[k] + hidden[k]; }
double sum(void) { double s = 0; for (int k = 0; k < 3; k++) s += w[k]; return s * scale; }
void fill(double *x) { for (int i = 0; i < 64; i++) x[i] = e[i] * scale; count = 7; }
static void more(double *x) { static double mem[8]; for (int i = 0; i < 8; i++) { mem[i] += x[i]; x[i] = mem[i]; } }
int next(void) { static int calls = 5; calls = calls + 1; return calls; }
void often(double *x, double *y) { more(x); more(y); }
void flagged(int *o) { for (int i = 0; i < 5; i++) o[i] = flags[i] + count; }
"""
MAIN = """\
#include <stdio.h>
double e[64];
extern double u[64][64], v[64][64], scale;
extern const double table[4];
extern int count;
void step(void), shift(void), fill(double *), often(double *, double *), flagged(int *);
double sum(void);
int next(void);
int main(void) {
  double x[64], s = 0;
  int o[5];
  for (int i = 0; i < 64; i++) for (e[i] = i, x[i] = 0; s < 64; s++) u[i][(int)s] = i * 3 + s;
  step(), step();
  printf("%g ", sum());
  shift(), scale = 2;
  printf("%g ", sum());
  shift(), fill(x), often(x, x + 8), often(x, x + 8), flagged(o);
  for (int i = 0; i < 64; i++) for (int j = 0; j < 64; j++) s += x[i] + u[i][j] + v[i][j];
  next(), printf("%.17g %g %d %d %d %d %g\\n", s, sum(), count, next(), o[1], o[2], table[3]);
}
"""


def _object(text: str, folder: Path) -> Path:
    """The object file of a module, with its header beside it."""
    built = build(text.encode(), "k.mlir", CompileOptions())
    (folder / "ours.o").write_bytes(built.code.object)
    (folder / "ours.h").write_text(header(built.signatures, "k.mlir", "ours.h", built.symbols))
    return folder / "ours.o"


def _printed(folder: Path, *arguments: str | Path) -> str:
    assert GCC is not None
    subprocess.run([GCC, "-O1", "-ffp-contract=off", "-o", folder / "a.out", *arguments], check=True)
    return subprocess.run([folder / "a.out"], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def raised() -> str:
    module = convert(STATE, "state.c")
    assert not module.refused
    result = raise_module(module.mlir, check="native")
    assert result.text.count("linalg.") >= 4
    assert {f.name for f in result.functions if isinstance(f.verdict, Proved)} >= {"step", "shift", "sum", "fill"}
    return result.text


@needs_gcc
@pytest.mark.parametrize("way", ["loops", "raised", "optimised"])
def test_our_object_takes_the_place_of_the_file(way: str, raised: str, tmp_path: Path):
    (tmp_path / "state.c").write_text(STATE)
    (tmp_path / "main.c").write_text(MAIN)
    texts = {"loops": lambda: convert(STATE, "state.c").mlir, "raised": lambda: raised}
    text = texts[way]() if way in texts else optimise_module(raised).text
    ours = _object(text, tmp_path)
    want = _printed(tmp_path, tmp_path / "main.c", tmp_path / "state.c")
    assert _printed(tmp_path, "-include", tmp_path / "ours.h", tmp_path / "main.c", ours) == want


def test_declarations_keep_linkage_contents_and_order(raised: str):
    lines = [line.strip() for line in raised.splitlines() if "memref.global" in line]
    told = {line.split("@")[1].split(" ")[0]: line for line in lines}
    assert set(told) == {"u", "v", "scale", "w", "e", "count", "flags", "table", "more.mem", "next.calls"}
    private = {name for name, line in told.items() if '"private"' in line}
    assert private == {"w", "more.mem", "next.calls"}
    assert "= dense<0.000000e+00> {alignment = 16" in told["u"] and "constant" in told["table"]
    assert " = " not in told["e"].split(">")[0] and "dense<[1, 5, -1, 0, 0]>" in told["flags"]


@needs_gcc
@pytest.mark.skipif(shutil.which("objcopy") is None, reason="there is no objcopy")
def test_what_stays_in_c_works_on_the_same_memory(tmp_path: Path):
    source = """\
#include <stdio.h>
double u[64][64], v[64][64];
void step(void) { for (int i = 1; i < 63; i++) for (int j = 1; j < 63; j++) v[i][j] = u[i - 1][j] + u[i + 1][j]; }
int main(void) { for (int i = 0; i < 64; i++) u[i][3] = i; step(); printf("%g\\n", v[21][3]); }
"""
    module = convert(source, "k.c")
    assert "raise.weak" in module.mlir and [f.name for f in module.functions] == ["step", "main_loop1"]
    (tmp_path / "k.c").write_text(source)
    assert GCC is not None
    subprocess.run([GCC, "-c", "-o", tmp_path / "k.o", tmp_path / "k.c"], check=True)
    subprocess.run(["objcopy", "--weaken-symbol=step", tmp_path / "k.o"], check=True)
    ours = _object(raise_module(module.mlir, check="none").text, tmp_path)
    assert _printed(tmp_path, tmp_path / "k.o", ours) == "42\n"


REFUSED = {
    "shared with a function that stays": (
        "static double w[3];\nvoid set(double **p) { w[0] = **p; }\nvoid get(double *x) { x[0] = w[0]; }",
        "k.c:1:15: function 'get' stays in C: static variable 'w' is shared with 'set', which stays in C",
    ),
    "its address in another variable": (
        "static double w[3];\ndouble *where = w;\nvoid get(double *x) { x[0] = w[0]; }",
        "k.c:1:15: function 'get' stays in C: the address of static variable 'w' is in 'where'",
    ),
    "contents that are no number": (
        "extern int n;\nstatic long w = (long)&n;\nvoid get(long *x) { x[0] = w; }",
        "k.c:2:17: function 'get' stays in C: a pointer is used as a number",
    ),
    "without a length": ("extern double w[];\nvoid f(void) { w[0] = 1; }", "k.c:1:15: function 'f' stays in C: global"),
    "of a thread": (
        "_Thread_local double w[3];\nvoid f(void) { w[0] = 1; }",
        "k.c:1:22: function 'f' stays in C: variable 'w' belongs to a thread, or is atomic",
    ),
    "called by letters that MLIR takes for none": (
        "double ж[3], $w[3];\nvoid f(void) { ж[0] = 1; }\nvoid g(void) { $w[0] = 1; }",
        "k.c:1:8: function 'f' stays in C: only names in ASCII that begin with a letter are supported",
    ),
    "in a function that is": (
        "void é(double *x) { x[0] = 1; }\nvoid $g(double *x) { x[0] = 1; }",
        "k.c:1:6: function 'é' stays in C: only names in ASCII",
    ),
    "not used, of pointers": (
        "double *p;\nvoid f(double *x) { x[0] = 1; }",
        "k.c:1:9: variable 'p' is not in the module: variable 'p' is a pointer or a struct",
    ),
}


@pytest.mark.parametrize(("source", "told"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_kept_right_is_refused(source: str, told: str):
    module = convert(source, "k.c")
    assert any(str(remark).startswith(told) for remark in module.refused), list(map(str, module.refused))
    assert "stays in C" not in told or "func.func" not in module.mlir


def test_remarks_on_other_functions_stay_where_one_is_refused_at_last():
    source = (
        "static double w[3];\nvoid set(double **p) { w[0] = **p; }\nvoid x(double *y) { y[0] = w[0]; }\n"
        "void f(int n, const double *x, double *y) { for (int i = 0; i < n; i++) if (y[i] > 0) y[i] = x[i]; }"
    )
    module = convert(source, "k.c", COptions(guard=True))
    assert [f.name for f in module.functions] == ["f"]
    assert any("'x' may end before" in remark.reason for remark in module.remarks)


def test_a_static_of_an_inlined_helper_is_one_memory():
    source = """\
static int next(void) { static int n; return ++n; }
int a(void) { return next() + next(); }
int b(void) { return next(); }
"""
    module = convert(source, "k.c")
    assert module.mlir.count("memref.global") == 1 and module.mlir.count("get_global @next.n") == 2


def test_one_function_of_several_leaves_the_file_its_variables():
    source = "double u[8];\nvoid f(void) { u[0] = 1; }\nvoid g(void) { u[1] = 1; }"
    assert "raise.weak" in convert(source, "k.c", COptions(function="f")).mlir
    assert "raise.weak" not in convert(source, "k.c").mlir
