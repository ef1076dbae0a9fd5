"""Subscripts that are numbers of several digits, quotients and remainders: reshapes beside what is computed."""

import pytest

from raising.validate.base.verdict import Proved
from tests.raising.algebra import loops
from tests.raising.c_functions import SourceFunction, computing, on_stablehlo

EXPAND, COLLAPSE = "tensor.expand_shape", "tensor.collapse_shape"
CASES: dict[str, tuple[str, dict[str, int]]] = {
    "Kronecker product": (
        """void f(double y[restrict 30][42], double a[restrict 5][6], double b[restrict 6][7]) {
             for (int i = 0; i < 5; i++) for (int j = 0; j < 6; j++)
               for (int k = 0; k < 6; k++) for (int l = 0; l < 7; l++)
                 y[i * 6 + k][j * 7 + l] = a[i][j] * b[k][l]; }""",
        {"linalg.elementwise": 1, COLLAPSE: 1},
    ),
    "pixel shuffle": (
        """void f(double y[restrict 3][16][20], double x[restrict 12][8][10]) {
             for (int c = 0; c < 3; c++) for (int h = 0; h < 8; h++) for (int w = 0; w < 10; w++)
               for (int r = 0; r < 2; r++) for (int s = 0; s < 2; s++)
                 y[c][2 * h + r][2 * w + s] = x[c * 4 + r * 2 + s][h][w]; }""",
        {EXPAND: 1, "linalg.transpose": 1, COLLAPSE: 1},
    ),
    "blocks to rows": (
        """void f(double y[restrict 32][30], double x[restrict 4][5][8][6]) {
             for (int i = 0; i < 4; i++) for (int j = 0; j < 5; j++)
               for (int a = 0; a < 8; a++) for (int b = 0; b < 6; b++)
                 y[8 * i + a][6 * j + b] = x[i][j][a][b]; }""",
        {"linalg.transpose": 1, COLLAPSE: 1},
    ),
    "upsampling by quotients": (
        """void f(double y[restrict 16][21], double x[restrict 8][7]) {
             for (int i = 0; i < 16; i++) for (int j = 0; j < 21; j++) y[i][j] = x[i / 2][j / 3]; }""",
        {"linalg.broadcast": 1, COLLAPSE: 1},
    ),
    "periodic by remainders": (
        """void f(double y[restrict 60], double x[restrict 12]) {
             for (int i = 0; i < 60; i++) y[i] = x[i % 12]; }""",
        {"linalg.broadcast": 1, COLLAPSE: 1},
    ),
    "a periodic border": (
        """void f(double y[restrict 12], double x[restrict 12]) {
             for (int i = 0; i < 12; i++) y[i] = x[(i + 1) % 12] - x[(i + 11) % 12]; }""",
        {"tensor.extract_slice": 2, "linalg.sub": 1, "tensor.insert_slice": 1},
    ),
    "rows beside one loop over all elements": (
        """void f(double y[restrict 8][12], double x[restrict 96]) {
             for (int t = 0; t < 96; t++) y[t / 12][t % 12] = 2.0 * x[t]; }""",
        {EXPAND: 1, "linalg.mul": 1},
    ),
    "digits in another order": (
        """void f(double y[restrict 60], double x[restrict 60]) {
             for (int i = 0; i < 60; i++) y[i % 5 * 12 + i / 5] = x[i]; }""",
        {EXPAND: 1, "linalg.transpose": 1, COLLAPSE: 1},
    ),
    "a block backwards, its last element first": (
        """void f(double y[restrict 40], double x[restrict 10]) {
             for (int i = 0; i < 10; i++) for (int k = 0; k < 4; k++) y[4 * i + 3 - k] = x[i] * x[k]; }""",
        {"tensor.extract_slice": 1, "linalg.elementwise": 1, "linalg.generic": 1},  # the C reader has seen the rows
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_subscripts_of_several_digits_are_reshapes(name: str) -> None:
    text, wanted = CASES[name]
    function = SourceFunction(text)
    result = function.raised()
    assert not loops(result.text)
    assert computing(result.text) == wanted
    assert isinstance(result.functions[0].verdict, Proved)
    assert not function.difference(result.text)


TENSORS: dict[str, dict[str, int]] = {  # the same as whole functions on StableHLO
    "Kronecker product": {"broadcast_in_dim": 2, "multiply": 1},
    "pixel shuffle": {"transpose": 1},
    "blocks to rows": {"transpose": 1},
    "upsampling by quotients": {"broadcast_in_dim": 1},
    "digits in another order": {"transpose": 1},
}


@pytest.mark.parametrize("name", TENSORS)
def test_reshapes_of_any_rank_on_stablehlo(name: str) -> None:
    function = SourceFunction(CASES[name][0])
    result = function.raised("stablehlo")
    assert on_stablehlo(result.text) == TENSORS[name], result.remarks
    assert isinstance(result.functions[0].verdict, Proved)
    assert not function.on_tensors(result.text)


def test_more_dimensions_than_were_probed() -> None:
    """Elementwise operations, broadcasts and sums at rank 5 and 6: only ranks to 4 are in the grammar's data."""
    function = SourceFunction(
        """void f(double y[restrict 2][3][2], double x[restrict 2][3][2][4][3][2], double z[restrict 3][4]) {
             for (int a = 0; a < 2; a++) for (int b = 0; b < 3; b++) for (int c = 0; c < 2; c++) {
               y[a][b][c] = 0.0;
               for (int d = 0; d < 4; d++) for (int e = 0; e < 3; e++) for (int g = 0; g < 2; g++)
                 y[a][b][c] += x[a][b][c][d][e][g] * x[a][b][c][d][e][g] * z[b][d]; } }"""
    )
    result = function.raised("stablehlo")
    assert on_stablehlo(result.text) == {"multiply": 2, "broadcast_in_dim": 1, "reduce": 1, "add": 1}
    assert isinstance(result.functions[0].verdict, Proved)


PERIODIC: dict[str, str] = {
    "one dimension": """void f(double y[restrict 12], double x[restrict 12]) {
        for (int i = 0; i < 12; i++) y[i] = x[(i + 1) % 12] - x[(i + 9) % 12]; }""",
    "two dimensions": """void f(double y[restrict 7][9], double x[restrict 7][9]) {
        for (int i = 0; i < 7; i++) for (int j = 0; j < 9; j++)
          y[i][j] = x[(i + 1) % 7][j] + x[(i + 6) % 7][j] + x[i][(j + 1) % 9] - x[(i + 1) % 7][(j + 8) % 9]; }""",
    "three dimensions": """void f(double y[restrict 4][5][6], double x[restrict 4][5][6]) {
        for (int i = 0; i < 4; i++) for (int j = 0; j < 5; j++) for (int k = 0; k < 6; k++)
          y[i][j][k] = x[(i + 3) % 4][(j + 1) % 5][(k + 2) % 6]; }""",
}


@pytest.mark.parametrize("name", PERIODIC)
@pytest.mark.parametrize("target", ["linalg", "stablehlo"])
def test_periodic_borders_in_several_dimensions(name: str, target: str) -> None:
    function = SourceFunction(PERIODIC[name], coarse=True)
    result = function.raised(target)
    assert result.complete and not result.functions[0].sequential, result.remarks
    assert isinstance(result.functions[0].verdict, Proved)
    assert not (function.difference(result.text) if target == "linalg" else function.on_tensors(result.text))


def test_a_periodic_stencil_reads_one_copy_with_its_borders() -> None:
    """Not nine pieces: five operations on whole arrays, whatever the number of dimensions."""
    text = PERIODIC["two dimensions"]
    assert {n: k for n, k in computing(SourceFunction(text).raised().text).items() if n.startswith("linalg")} == {
        "linalg.add": 2,
        "linalg.sub": 1,
    }
    found = on_stablehlo(SourceFunction(text).raised("stablehlo").text)
    assert (found["add"], found["subtract"]) == (2, 1)


SUMS: dict[str, str] = {
    "a circular convolution": """void f(double y[restrict 20], double x[restrict 20], double h[restrict 3]) {
        for (int i = 0; i < 20; i++) { y[i] = 0.0; for (int k = 0; k < 3; k++) y[i] += h[k] * x[(i + k) % 20]; } }""",
    "nine neighbours": """void f(double y[restrict 7][9], double x[restrict 7][9]) {
        for (int i = 0; i < 7; i++) for (int j = 0; j < 9; j++) { double s = 0.0;
          for (int p = 0; p < 3; p++) for (int q = 0; q < 3; q++) s += x[(i + p + 6) % 7][(j + q + 8) % 9];
          y[i][j] = s; } }""",
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_over_periodic_windows(name: str) -> None:
    function = SourceFunction(SUMS[name])
    result = function.raised()
    assert result.complete and not loops(result.text), result.remarks
    assert isinstance(result.functions[0].verdict, Proved)


@pytest.mark.parametrize("target", ["linalg", "stablehlo"])
def test_a_periodic_stencil_in_time_keeps_the_loop_over_time_alone(target: str) -> None:
    function = SourceFunction(
        """void f(double a[restrict 20], double b[restrict 20]) {
             for (int t = 0; t < 6; t++) {
               for (int i = 0; i < 20; i++) b[i] = a[(i + 1) % 20] + a[(i + 19) % 20];
               for (int i = 0; i < 20; i++) a[i] = b[i]; } }"""
    )
    result = function.raised(target)
    assert (result.functions[0].kept, result.functions[0].sequential) == (0, 1), result.remarks
    assert isinstance(result.functions[0].verdict, Proved)
    assert not (function.difference(result.text) if target == "linalg" else function.on_tensors(result.text))


STAYS: dict[str, str] = {
    "overlapping blocks": """void f(double y[restrict 40], double x[restrict 10]) {
        for (int i = 0; i < 10; i++) for (int k = 0; k < 6; k++) if (4 * i + k < 40) y[4 * i + k] = x[i]; }""",
    "a part of the last block": """void f(double y[restrict 38], double x[restrict 10][4]) {
        for (int i = 0; i < 9; i++) for (int k = 0; k < 4; k++) y[4 * i + k] = x[i][k]; }""",
    "digits that begin in the middle": """void f(double y[restrict 48], double x[restrict 10]) {
        for (int i = 0; i < 10; i++) for (int k = 0; k < 4; k++) y[4 * i + k + 6] = x[i] - x[k]; }""",
    "a loop that is no multiple": """void f(double y[restrict 41], double x[restrict 21]) {
        for (int i = 0; i < 41; i++) y[i] = x[i / 2]; }""",
    "untouched elements": """void f(double y[restrict 40], double x[restrict 10]) {
        for (int i = 0; i < 10; i++) for (int k = 1; k < 3; k++) y[4 * i + k] = x[i] + y[4 * i + k]; }""",
    "in place": """void f(double y[restrict 40]) {
        for (int i = 0; i < 10; i++) for (int k = 0; k < 4; k++) y[4 * i + k] = y[4 * i + k] * y[39]; }""",
    "in place, neighbouring blocks": """void f(double y[restrict 40]) {
        for (int i = 1; i < 10; i++) for (int k = 0; k < 4; k++) y[4 * i + k] = y[4 * i + k - 4] + 1.0; }""",
}


@pytest.mark.parametrize("name", STAYS)
def test_what_is_no_reshape_computes_the_same(name: str) -> None:
    function = SourceFunction(STAYS[name])
    assert not function.difference(function.raised().text)
