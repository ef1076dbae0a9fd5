"""Structs that are variables of a C file: what a program prints that is linked with our object, beside gcc's."""

import subprocess
from pathlib import Path

import pytest

from raising import raise_module
from raising.frontend.c import COptions, convert
from raising.native.abi.header import header
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from raising.validate.base.verdict import Proved
from tests.c.gcc import GCC, needs_gcc

HEADER = """\
struct filter { float h[5]; int len; };
struct bank { struct filter f[3]; double gain; struct { short lo; unsigned char hi[3]; } range; };
extern struct bank bank, other, many[2][3];
extern const struct filter names[2];
"""
STATE = (
    HEADER
    + """\
struct bank bank = {.gain = 2.5, .f[1].h = {1, [3] = -0.1f}, .range = {-2, {255, 3 + 4}}};
struct bank many[2][3];
static struct { int n; float w[64]; } state;
static struct pair { float b, a; int used; } bands[8] = {{1, 2, 3}, {4}};
const struct filter names[2] = {{{1, 2}, 7}, {{3}, 8}};
static const struct { float scale; float t[4]; } table = {2, {1, 2, 3, -0.5f}};
static struct { double *x; int n; } view;
void keep(int n, const float *x) { state.n = n; for (int i = 0; i < n; i++) state.w[i] = x[i]; }
float dot(const float *x) { float s = 0; for (int i = 0; i < state.n; i++) s += state.w[i] * x[i]; return s; }
void gains(float *o) { for (int i = 0; i < 8; i++) o[i] = bands[i].b * 2 + bands[i].a + names[1].len; }
void set_gains(const float *g) { for (int i = 0; i < 8; i++) bands[i].a = g[i] + table.t[i % 4] * table.scale; }
void next(void) {
  for (int j = 0; j < 3; j++) for (int i = 0; i < 5; i++) bank.f[j].h[i] += j + bank.range.lo;
  bank.gain += 1, bank.range.lo = 5, bank.range.hi[1]++;
}
double all(void) {
  double s = bank.gain + bank.range.lo + bank.range.hi[0] + bank.range.hi[1] + other.gain;
  for (int j = 0; j < 3; j++) for (int i = 0; i < 5; i++) s += bank.f[j].h[i] * (i + 1);
  return s;
}
void fill(double x) { for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) many[i][j].gain = x * i + j; }
int calls(void) { static struct { int n; } count = {4}; count.n++; return count.n; }
static void add(struct bank *b, double x) { b->gain += x; }
void both(double x) { add(&bank, x), add(&other, 2 * x); }
"""
)
MAIN = (
    HEADER
    + """\
#include <stdio.h>
struct bank other = {.gain = 0.25};
void keep(int, const float *), gains(float *), set_gains(const float *), next(void), fill(double), both(double);
float dot(const float *);
double all(void);
int calls(void);
int main(void) {
  float x[64], o[8];
  double s = 0;
  for (int i = 0; i < 64; i++) x[i] = i * 0.5f;
  for (int n = 0; n < 8; n += n + 1) keep(n, x), printf("%g ", dot(x));
  gains(o);
  for (int i = 0; i < 8; i++) printf("%g ", o[i]);
  set_gains(x), gains(o);
  for (int i = 0; i < 8; i++) printf("%g ", o[i]);
  printf("%.9g ", all());
  next(), bank.gain *= 2, next(), both(3);
  fill(1.5), calls();
  for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) s += many[i][j].gain * (i + 2) * (j + 3);
  printf("%.9g %g %d %d %g %d\\n", all(), s, calls(), names[0].len, bank.f[1].h[3], bank.range.hi[1]);
}
"""
)


SHORT = """\
static struct { int n; float w[64]; } state;
struct { double gain; } other = {3};
void keep(int n, const float *x) { state.n = n; for (int i = 0; i < n; i++) state.w[i] = x[i]; }
float dot(const float *x) { float s = 0; for (int i = 0; i < state.n; i++) s += state.w[i] * x[i]; return s; }
int calls(void) { static struct { int n; } count = {4}; count.n++; return count.n; }
"""
SHORT_MAIN = """\
#include <stdio.h>
void keep(int, const float *);
float dot(const float *);
int calls(void);
int main(void) {
  float x[3] = {1, 2, 3};
  for (int n = 0; n < 4; n++) keep(n, x), printf("%g ", dot(x));
  printf("%d", calls() * 10 + calls());
}
"""


def _printed(folder: Path, main: str, *others: str | Path) -> str:
    assert GCC is not None
    (folder / "main.c").write_text(main)
    command = [GCC, "-O1", "-ffp-contract=off", "-o", folder / "a.out", folder / "main.c", *others]
    subprocess.run(command, check=True)
    return subprocess.run([folder / "a.out"], check=True, capture_output=True, text=True).stdout


def _beside(folder: Path, source: str, main: str, mlir: str) -> tuple[str, str]:
    """What a program prints with gcc's object of a file, and with ours."""
    built = build(mlir.encode(), "k.mlir", CompileOptions(fp="strict"))
    (folder / "ours.o").write_bytes(built.code.object)
    (folder / "ours.h").write_text(header(built.signatures, "k.mlir", "ours.h", built.symbols))
    (folder / "theirs.c").write_text(source)
    ours = _printed(folder, main, "-include", folder / "ours.h", folder / "ours.o")
    return _printed(folder, main, folder / "theirs.c"), ours


@needs_gcc
@pytest.mark.parametrize("guard", [False, True])
def test_our_object_takes_the_place_of_the_file(guard: bool, tmp_path: Path):
    module = convert(STATE, "state.c", COptions(guard=guard))
    assert not module.refused
    theirs, ours = _beside(tmp_path, STATE, MAIN, module.mlir)
    assert ours == theirs
    told = {line.split("@")[1].split(" ")[0]: line for line in module.mlir.splitlines() if "memref.global" in line}
    assert {name for name, line in told.items() if '"private"' in line} == {"state", "bands", "calls.count"}
    assert " = " not in told["other"].split(">")[0] and "= dense<0> {alignment = 16" in told["state"]
    assert "constant" in told["names"] and 'dense<"0x04000000">' in told["calls.count"]


@needs_gcc
def test_functions_that_use_them_are_raised(tmp_path: Path):
    result = raise_module(convert(SHORT, "short.c").mlir, check="native")
    assert {f.name for f in result.functions if isinstance(f.verdict, Proved)} == {"keep", "dot"}
    theirs, ours = _beside(tmp_path, SHORT, SHORT_MAIN, result.text)
    assert ours == theirs == "0 1 5 14 56"


LARGE = """\
static const struct wave { float scale; int at; } waves[90] = {{2, 1}, {3, 5}, [7] = {-1, 3}, [89] = {0.5f, 4}};
void waved(int n, double *o) {
  static const struct { double a; short b; } steps[70] = {{1, 2}, {4, -8}, [69] = {4, -8}};
  for (int i = 0; i < n; i++) o[i] += waves[i].scale * waves[i + 20].at + steps[i].a * steps[i].b;
}
"""
LARGE_MAIN = """\
#include <stdio.h>
void waved(int, double *);
int main(void) {
  double o[70] = {1, 2, 3};
  waved(70, o), waved(3, o);
  for (int i = 0; i < 70; i++) printf("%g ", o[i]);
}
"""


@needs_gcc
@pytest.mark.parametrize("guard", [False, True])
def test_large_tables_of_constants_are_in_our_object(guard: bool, tmp_path: Path):
    """Nothing that is written overlaps them, so that nothing asks where they are."""
    module = convert(LARGE, "large.c", COptions(guard=guard))
    assert not any("overlap" in each.reason for each in module.assumptions)
    theirs, ours = _beside(tmp_path, LARGE, LARGE_MAIN, module.mlir)
    assert ours == theirs
    theirs, ours = _beside(tmp_path, LARGE, LARGE_MAIN, raise_module(module.mlir).text)
    assert ours == theirs


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("union u { float f; int i; }; static union u v[4]; float f(void) { return v[1].f; }", "a union"),
        ("static float w; static struct { float *p; int n; } s = {&w, 3}; int f(void) { return s.n; }", "is not a con"),
        ("struct s { int a : 3; int b; } v = {1, 2}; int f(void) { return v.b; }", "'a' is a bit-field"),
        ("_Thread_local struct { int n; } s; int f(void) { return s.n; }", "belongs to a thread"),
        ("static struct { int n; } s; int g(int); int f(void) { return s.n; } int h(void) { return g(s.n++); }",
         "static variable 's' is shared with 'h', which stays in C"),
    ],
)  # fmt: skip
def test_what_it_cannot_have_is_refused(text: str, why: str):
    refused = convert(text, "k.c").refused
    assert any(why in one.reason for one in refused), refused
