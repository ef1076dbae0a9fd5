"""Positions and distances that are parameters: right wherever the loops are defined, near, at and beyond each other."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from raising.pipeline import raise_module
from raising.validate.base.verdict import Proved
from tests.c.gcc import needs_gcc
from tests.raising.algebra import loops
from tests.raising.c_functions import SourceFunction
from tests.raising.edges import Edge, differences, raised

pytestmark = needs_gcc
A20, A6 = ("float64", (24,)), ("float64", (6,))
NEAR = tuple((n, k) for n in (-1, 0, 1, 2, 3, 5) for k in (0, 1, 2, 3, 5, 7))
ROWS = ("float64", (7, 6))

FUNCTIONS = {
    "a delay line": Edge(
        "void f(int n, int k, double *a) { for (int i=0;i<n;i++) a[i+k] = a[i] + 1; }", 2, (A20,), NEAR),
    "read ahead": Edge("void f(int n, int k, double *a) { for (int i=0;i<n;i++) a[i] = a[i+k] + 1; }", 2, (A20,), NEAR),
    "a move": Edge("void f(int n, int k, double *a) { for (int i=0;i<n;i++) a[i+k] = a[i]; }", 2, (A20,), NEAR),
    "a move, from its end": Edge(
        "void f(int n, int k, double *a) { for (int i=n-1;i>=0;i--) a[i+k] = a[i]; }", 2, (A20,), NEAR),
    "feedback": Edge(
        "void f(int n, int k, double *restrict x, double *restrict y)"
        " { for (int i=k;i<n;i++) y[i] = x[i] + 0.5 * y[i-k]; }", 2, (A20, A20), NEAR),
    "a row copied": Edge(
        "void f(int p, int q, double a[7][6]) { for (int j=0;j<6;j++) a[p][j] = a[q][j] + 1; }",
        2, (ROWS,), tuple(itertools.product((0, 1, 2, 6), repeat=2))),
    "a row scaled by its own element": Edge(
        "void f(int p, int q, double a[7][6]) { for (int j=0;j<6;j++) a[p][j] /= a[p][q]; }",
        2, (ROWS,), tuple(itertools.product((0, 1, 2, 5), repeat=2))),
    "rows subtracted": Edge(
        "void f(int p, int q, double a[7][6])"
        " { for (int i=0;i<7;i++) for (int j=0;j<6;j++) a[i][j] -= a[p][j] * a[i][q]; }",
        2, (ROWS,), tuple(itertools.product((0, 1, 2, 5), repeat=2))),
    "two elements": Edge(
        "void f(int p, int q, double a[6]) { for (int i=0;i<6;i++) { a[p] += a[i]; a[q] = a[p]; } }",
        2, (A6,), tuple(itertools.product((0, 1, 3, 5), repeat=2))),
    "a swap": Edge(
        "void f(int p, int q, double a[7][6])"
        " { for (int j=0;j<6;j++) { double t = a[p][j]; a[p][j] = a[q][j]; a[q][j] = t; } }",
        2, (ROWS,), tuple(itertools.product((0, 1, 3, 6), repeat=2))),
    "a sum into an element": Edge(
        "void f(int n, int p, double a[8]) { for (int i=0;i<n;i++) a[p] += a[i]; }",
        2, (("float64", (8,)),), tuple((n, p) for n in (-1, 0, 1, 2, 5, 8) for p in (0, 1, 2, 4, 7))),
    "a column at two places": Edge(
        "void f(int p, int q, double a[7][6], double b[6])"
        " { for (int i=0;i<6;i++) { a[i][p] = b[i]; a[i][q] = 2 * b[i]; } }",
        2, (ROWS, A6), tuple(itertools.product((0, 1, 3, 5), repeat=2))),
    "a part of an array": Edge(
        "void f(int lo, int hi, double a[8], double b[8]) { for (int i=lo;i<hi;i++) a[i] = b[i] * 2; }",
        2, (("float64", (8,)),) * 2, tuple(itertools.product((0, 1, 3, 7, 8), repeat=2))),
    "a part summed": Edge(
        "void f(int lo, int hi, double a[8], double b[1]) { for (int i=lo;i<hi;i++) b[0] += a[i]; }",
        2, (("float64", (8,)), ("float64", (1,))), tuple(itertools.product((0, 1, 3, 7, 8), repeat=2))),
    "an or, repeated": Edge(
        "void f(int n, int k, long *a) { for (int i=k;i<n;i++) a[1] |= 1;"
        " for (int t=0;t<4;t++) for (int i=1;i<n-1;i++) a[i] |= a[i+k]; }",
        2, (("int64", (24,)),), tuple((n, k) for n in (0, 1, 2, 3, 4, 5, 8) for k in (-1, 0, 1, 2, 5, 9))),
}  # fmt: skip


@pytest.mark.parametrize("target", ["linalg", "stablehlo", "tosa"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_does_what_the_loops_do_at_every_distance(name: str, target: str, tmp_path: Path) -> None:
    edge = FUNCTIONS[name]
    assert differences(edge, raised(edge.text, target), tmp_path, target) == []


def test_a_delay_line_is_raised_where_its_parts_do_not_overlap() -> None:
    result = raised(FUNCTIONS["a delay line"].text)
    assert not result.functions[0].kept
    assert "scf.if" in result.text and "affine.for" in result.text


LAG = """func.func @f(%n: index, %a: memref<?xi32>) {{
  affine.for %i = {0} to %n step 3 {{
    %x = affine.load %a[%i - 3] : memref<?xi32>
    %y = arith.addi %x, %x : i32
    affine.store %y, %a[%i] : memref<?xi32>
  }}
  return
}}"""


@pytest.mark.parametrize("start", [11, 137])
def test_a_lag_of_one_step_is_one_wherever_the_loop_begins(start: int) -> None:
    """The sizes drawn for a loop from one of them to the next in steps of three were too close for two passes."""
    result = raise_module(LAG.format(start), check="proof")
    (report,) = result.functions
    assert report.sequential == 1 and isinstance(report.verdict, Proved)
    assert "affine.for" not in result.text


@pytest.mark.parametrize(("length", "trips"), [(9, 4), (8, 4), (7, 3), (12, 2), (7, 4), (6, 4), (5, 4)])
def test_a_short_loop_from_both_ends(length: int, trips: int) -> None:
    swap = f"double t = x[i]; x[i] = x[{length - 1} - i]; x[{length - 1} - i] = t;"
    function = SourceFunction(f"void f(double x[{length}]) {{ for (int i = 0; i < {trips}; i++) {{ {swap} }} }}")
    result = function.raised()
    if 2 * trips <= length:  # else pairs are swapped back
        assert not loops(result.text), result.remarks
    assert not function.difference(result.text)
