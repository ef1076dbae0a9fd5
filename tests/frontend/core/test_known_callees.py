"""Calls through pointers to functions that are known: the same MLIR as with the functions' names, or refused."""

import re

from raising.frontend.c import SourceModule, convert

HELPERS = """
typedef double (*fn)(double);
static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
"""
BY_POINTER = """
static double sum(fn f, double h, int n) { double s = 0; for (int i = 0; i < n; i++) s += f(i * h); return s; }
static void all(double *x, int n, double f(double)) { for (int i = 0; i < n; i++) x[i] = (*f)(x[i]); }
static void both(double *x, int n, fn f) { all(x, n, f); all(x, n, &cube); }
double one(double h, int n) { return sum(square, h, n) + sum(&cube, h, n); }
void two(double *x, int n) { both(x, n, square); }
void three(double *x, int n) { double (*const g)(double) = cube; for (int i = 0; i < n; i++) x[i] = g(x[i]); }
"""
BY_NAME = """
static double sum2(double h, int n) { double s = 0; for (int i = 0; i < n; i++) s += square(i * h); return s; }
static double sum3(double h, int n) { double s = 0; for (int i = 0; i < n; i++) s += cube(i * h); return s; }
static void all2(double *x, int n) { for (int i = 0; i < n; i++) x[i] = square(x[i]); }
static void all3(double *x, int n) { for (int i = 0; i < n; i++) x[i] = cube(x[i]); }
double one(double h, int n) { return sum2(h, n) + sum3(h, n); }
void two(double *x, int n) { all2(x, n); all3(x, n); }
void three(double *x, int n) { for (int i = 0; i < n; i++) x[i] = cube(x[i]); }
"""
UNKNOWN = """
void given(double *x, int n, fn f) { for (int i = 0; i < n; i++) x[i] = f(x[i]); }
void changed(double *x, int n, int k) { fn f = square; if (k) f = cube; for (int i = 0; i < n; i++) x[i] = f(x[i]); }
static void turned(double *x, int n, fn f) { f = x[0] > 0 ? f : cube; for (int i = 0; i < n; i++) x[i] = f(x[i]); }
void turn(double *x, int n) { turned(x, n, square); }
void other(double *x, int n) { float (*f)(float) = (float (*)(float))cube; for (int i = 0; i < n; i++) x[i] = f(x[i]); }
static void again(double *x, int n, fn f) { if (n > 0) { again(x, n - 1, f); x[n - 1] = f(x[n - 1]); } }
void recursive(double *x, int n) { again(x, n, square); }
static void run(double *x, int n, fn f) { if (x[0] > 0) again(x, n, f); for (int i = 0; i < n; i++) x[i] = f(x[i]); }
void parts(double *x, int n) { run(x, n, square); }
"""


def _made(text: str) -> SourceModule:
    return convert(HELPERS + text, "k.c")


def _plain(text: str) -> list[str]:
    return re.sub(r"^#loc.*$| loc\([^)]*\)\)?", "", text, flags=re.M).split()


def test_a_function_that_is_known_is_called_by_name() -> None:
    by_pointer, by_name = _made(BY_POINTER), _made(BY_NAME)
    assert not by_pointer.refused and len(by_pointer.functions) == 3
    assert _plain(by_pointer.mlir) == _plain(by_name.mlir)


def test_a_function_that_is_not_known_stays_a_pointer() -> None:
    made = _made(UNKNOWN)
    told = {m[1] for r in made.refused if (m := re.match(r"function '([\w.]+)' stays in C: ", r.reason))}
    assert told == {"given", "changed", "turned", "turn", "other", "again", "recursive", "run", "parts"}
    assert not any(f.name in told or "." in f.name for f in made.functions)


def test_every_loop_of_a_copy_is_one_of_the_source() -> None:
    assert [loop.function for loop in _made(BY_POINTER).loops] == ["sum", "all", "three"]
