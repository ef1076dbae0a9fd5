"""States that are the larger of two numbers: tables of dynamic programming, running maxima, sums that begin anew."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np
import pytest

from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.c.gcc import Library, compiled_twice, needs_gcc
from tests.native.running import called_with

TABLE = "int n, const {t} *restrict a, const {t} *restrict b, {t} h[restrict n + 1][n + 1]"
LOOPS = "for (int i = 1; i <= n; i++) for (int j = 1; j <= n; j++) {{ {body} }}"
TABLES = {
    "common": "T u = h[i - 1][j], l = h[i][j - 1], d = h[i - 1][j - 1] + 1;"
    " h[i][j] = a[i - 1] == b[j - 1] ? d : u > l ? u : l;",
    "edits": "T u = h[i - 1][j] + 1, l = h[i][j - 1] + 1, d = h[i - 1][j - 1] + (a[i - 1] != b[j - 1]);"
    " T v = d < u ? d : u; h[i][j] = v < l ? v : l;",
    "local": "T u = h[i - 1][j] - 2, l = h[i][j - 1] - 2, d = h[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 3 : -1);"
    " T v = d > u ? d : u; v = v > l ? v : l; h[i][j] = v > 0 ? v : 0;",
    "gaps": "T g = a[0], u = h[i - 1][j] - g, l = h[i][j - 1] - g, d = h[i - 1][j - 1] + a[i - 1] * b[j - 1];"
    " T v = d > u ? d : u; h[i][j] = v > l ? v : l;",
    "warped": "T c = a[i - 1] - b[j - 1]; c = c < 0 ? -c : c; T v = h[i - 1][j - 1];"
    " if (h[i - 1][j] < v) v = h[i - 1][j]; if (h[i][j - 1] < v) v = h[i][j - 1]; h[i][j] = v + c;",
    "path": "h[i][j] = h[i][j] + (h[i - 1][j] < h[i][j - 1] ? h[i - 1][j] : h[i][j - 1]);",
    "walls": "T u = h[i - 1][j], l = h[i][j - 1]; h[i][j] = a[i - 1] < b[j - 1] ? u : (u < l ? u : l) + 1;",
}
ROW = "int n, const {t} *restrict a, const {t} *restrict b, {t} *restrict h"
ROWS = {
    "largest": "T s = a[0]; for (int i = 0; i < n; i++) { if (a[i] > s) s = a[i]; h[i] = s; }",
    "smallest": "T s = a[0]; for (int i = 0; i < n; i++) { s = a[i] < s ? a[i] : s; h[i] = s; }",
    "drawdown": "T p = a[0], d = 0; for (int i = 0; i < n; i++)"
    " { if (a[i] > p) p = a[i]; T k = p - a[i]; if (k > d) d = k; } h[0] = p; h[1] = d;",
    "subarray": "T s = a[0], m = a[0]; for (int i = 1; i < n; i++)"
    " { s = s + a[i] > a[i] ? s + a[i] : a[i]; m = m > s ? m : s; } h[0] = s; h[1] = m;",
    "evidence": "T s = 0; for (int i = 0; i < n; i++) { s = s + a[i] - 2; if (s < 0) s = 0; h[i] = s; }",
    "sooner": "for (int i = 1; i < n; i++) h[i] = h[i] < h[i - 1] + 1 ? h[i] : h[i - 1] + 1;",
    "kept": "T s = 9; for (int i = 0; i < n; i++) { if (b[i] > 1) s = s > a[i] ? s : a[i]; h[i] = s; }",
    "anew": "T s = 9; for (int i = 0; i < n; i++) { s = b[i] > 1 ? a[i] : s > a[i] ? s : a[i]; h[i] = s; }",
    "between": "T s = 0; for (int i = 0; i < n; i++) { s = s > a[i] ? s : a[i]; s = s < b[i] ? s : b[i]; h[i] = s; }",
}
TYPES = {"int": "i4", "long": "i8", "float": "f4", "double": "f8"}
SHORT = {"short": "i2", "char": "i1"}
PLAIN = ("largest", "smallest", "kept", "anew")
FORMS = (*TABLES, *ROWS)
CASES = [(name, t) for name in FORMS for t in ("int", "double")] + [(name, t) for name in PLAIN for t in SHORT]
CASES += [(name, t) for name in FORMS[::3] for t in ("long", "float")]  # only lanes differ


def written(name: str, t: str) -> str:
    head, body = (TABLE, LOOPS.format(body=TABLES[name])) if name in TABLES else (ROW, ROWS[name])
    body = re.sub(r"\bT\b", f"signed {t}" if t == "char" else t, body)
    return f"void {name}_{t}({head.format(t=f'signed {t}' if t == 'char' else t)}) {{ {body} }}"


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    return compiled_twice("\n".join(written(*case) for case in CASES), tmp_path_factory.mktemp("extrema"))


@needs_gcc
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_state_is_what_the_loop_leaves(libraries: tuple[Library, Library], name: str, kind: str) -> None:
    for n in (0, 1, 2, 3, 8, 9, 17, 40, 75):
        rng = np.random.default_rng(n)
        dtype = {**TYPES, **SHORT}[kind]
        shape: Any = (n + 1, n + 1) if name in TABLES else n + 2
        drawn = [rng.integers(-4, 9, size) for size in (n + 1, n + 1, shape)]
        arguments: list[Any] = [np.int32(n), *(each.astype(dtype) for each in drawn)]
        found, wanted = (library.call(f"{name}_{kind}", arguments, None) for library in libraries)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-5, err_msg=str(n))


CHAIN = """func.func @f(%a: memref<?xTYPE>, %b: memref<?xTYPE>, %h: memref<?xTYPE>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c1 to %n step %c1 {
    %k = arith.subi %j, %c1 : index
    %s = memref.load %h[%k] : memref<?xTYPE>
    %x = memref.load %a[%j] : memref<?xTYPE>
    %y = memref.load %b[%j] : memref<?xTYPE>
    BODY
    memref.store %r, %h[%j] : memref<?xTYPE>
  }
  return
}"""
BODIES = {
    "larger, then more": "%m = arith.maxsi %x, %s : TYPE\n%r = arith.addi %m, %y : TYPE",
    "more, then larger": "%m = arith.addi %s, %y : TYPE\n%r = arith.maxsi %x, %m : TYPE",
    "smaller, then less": "%m = arith.minsi %x, %s : TYPE\n%r = arith.subi %m, %y : TYPE",
    "twice": "%m = arith.maxsi %x, %s : TYPE\n%o = arith.addi %m, %y : TYPE\n%p = arith.maxsi %o, %x : TYPE\n"
    "%r = arith.subi %p, %x : TYPE",
    "chosen": "%m = arith.maxsi %x, %s : TYPE\n%o = arith.addi %m, %y : TYPE\n%c = arith.cmpi slt, %x, %y : TYPE\n"
    "%r = arith.select %c, %o, %x : TYPE",
    "without a sign": "%m = arith.maxui %x, %s : TYPE\n%c = arith.cmpi slt, %x, %y : TYPE\n"
    "%r = arith.select %c, %x, %m : TYPE",
}


@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("name", BODIES)
def test_what_wraps_around_in_the_loop_does_so_and_nothing_else(name: str, element: str) -> None:
    text = CHAIN.replace("BODY", BODIES[name]).replace("TYPE", element)
    bits, dtype = int(element[1:]), np.dtype(f"i{int(element[1:]) // 8}")
    ends = [1 << k for k in (bits - 1, bits - 2, bits - 8, bits // 2) if k > 0]
    near = [sign * end + off for end in ends for sign in (1, -1) for off in (-1, 0, 1)]
    special = [x for x in near if -(1 << (bits - 1)) <= x < 1 << (bits - 1)]
    calls = []
    for rate in (0.0, 0.02, 1.0):
        rng = np.random.default_rng(int(100 * rate))
        arrays = [rng.integers(-9, 9, 400).astype(dtype) for _ in range(3)]
        for each in arrays:
            at = rng.random(400) < rate
            each[at] = rng.choice(special, int(at.sum()))
        calls.append([*arrays, 400])
    wanted = called_with(text, calls, plain=True)
    for fp in ("strict", "reassoc"):
        for one, other in zip(called_with(text, calls, fp=fp), wanted, strict=True):
            assert np.array_equal(one[2], other[2])


@pytest.mark.parametrize(("name", "element", "taken"), [
    ("larger, then more", "i32", True),
    ("twice", "i64", True),
    ("chosen", "i32", True),
    ("larger, then more", "i16", False),
    ("without a sign", "i16", True),
])  # fmt: skip
def test_extrema_run_on_vectors(name: str, element: str, taken: bool) -> None:
    text = CHAIN.replace("BODY", BODIES[name]).replace("TYPE", element)
    made = partial(build, text.encode(), "f", CompileOptions())().mlir
    assert ("vector.shuffle" in made) == taken
