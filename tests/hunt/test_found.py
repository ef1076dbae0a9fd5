"""What the hunter found, each beside gcc at the sizes at which it was wrong, or broke."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import raising
from raising import RaiseOptions, raise_module
from raising.affine.ir.affine_expr import Lin
from raising.affine.sizes.symbolic_sizes import generalise
from raising.commands.check_worker import Question, answer
from raising.frontend.c import COptions, convert
from raising.frontend.mlir.reader import parse
from raising.frontend.mlir.segments import segments
from raising.grammar.evaluate.sample import runs
from raising.grammar.evaluate.size_vectors import size_vectors
from raising.grammar.terms.term import Input, TensorType
from raising.optimise.optimise_module import optimise_module
from raising.segment.validity.standing import Form, Own
from raising.validate.run import replay
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc

pytestmark = needs_gcc

KINDS = (("double a", "f8"), ("long a", "i8"), ("int a", "i4"))

FOUND = {
    "a counter as data, reduced where no array has its dimension": (
        "void f(int n, double a[restrict 4]) { for (int k = 0; k < n; k++) for (int j = 0; j < 4; j++) a[j] += k; }",
        (0, 1, 5),
    ),
    "bits of two counters": (
        "void f(int n, int a[restrict 6][4]) {\n"
        "  for (int k = n - 1; k >= 2; k--) for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++)\n"
        "    a[i][j] |= k & i; }",
        (0, 1, 3, 6),
    ),
    "a counter converted and negated": (
        "void f(int n, long a[restrict 8]) { for (int i = 1; i < n + 1; i++) a[i] = -(long)i; }",
        (1, 2, 7),
    ),
    "an or of some elements only": (
        "void f(int n, int a[restrict 8]) { int s = 1; for (int i = 1; i < n; i++) s |= a[i]; a[0] = s; }",
        (2, 3, 8),
    ),
    "a maximum of some elements only": (
        "void f(int n, double a[restrict 8]) {\n"
        "  double s = a[0]; for (int i = 1; i < n; i++) s = s > a[i] ? s : a[i]; a[0] = s; }",
        (2, 3, 8),
    ),
    "an or of a fixed array up to a size and one more": (
        "void f(int n, int a[restrict 8], int b[restrict 8]) {\n"
        "  int s = 1; for (int i = 0; i <= n; i++) s |= b[i]; a[0] = s; }",
        (0, 3, 7),
    ),
    "a sum with counters whose first element is at 0": (
        "void f(int n, double a[restrict 8], double b[restrict 8]) { for (int i = 0; i < 3; i++) {\n"
        "  double s = 0; for (int j = 0; j <= 2; j++) s += b[j + n] - (double)j; a[i] = s; } }",
        (0, 1, 4),
    ),
    "a constant of the file in both branches": (
        "const double x = 1.5;\nvoid f(int n, double a[restrict 8], double b[restrict 8]) {\n"
        "  for (int i = 0; i < n; i++) { if (b[i] > 3.0) a[i] = x; else a[2] = x + b[i] * a[i]; } }",
        (0, 1, 7),
    ),
    "a truth value as a number whose bits are shifted out": (
        "void f(int n, int a[restrict 8]) { for (int i = 0; i < n; i++) a[i] = ((a[1] > 2) >> 3) != 0; }",
        (0, 1, 8),
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_wrong_once_is_what_gcc_computes(name: str, tmp_path: Path):
    text, sizes = FOUND[name]
    (path := tmp_path / "f.c").write_text(text)
    result = raise_module(convert(text, "f.c", COptions()).mlir, options=RaiseOptions(check="field", cache=False))
    assert not [r.why for r in result.remarks if "internal" in r.why]
    beside, kind = Beside(Library(path, {}), result.text, "f"), _element(text)
    shape = (6, 4) if "6][4]" in text else (4,) if "[restrict 4]" in text else (8,)
    for n in sizes:
        values = (1 << np.arange(np.prod(shape))).reshape(shape).astype(kind)  # of each number of them, another `or`
        assert not beside.difference([np.int32(n), *[values] * text.count("restrict")])


TRIANGLES = {
    "a row and a number of it, over and over": (
        "void f(int n, float b[restrict 6][6], float a[restrict 8], float *restrict y) {\n"
        "  for (int i = 0; i < n; i++) for (int j = 1; j < n; j++) {\n"
        "    a[j] += b[j][i] * b[i][j]; a[i] += b[0][j]; } }"
    ),
    "the largest of both, kept in an element": (
        "void f(int n, int b[restrict 6][6], int a[restrict 8], int *restrict y) {\n"
        "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
        "    if (i != j) y[0] = b[i][j] - a[j] > y[0] ? b[i][j] - a[j] : y[0]; }"
    ),
    "one lane of a row, narrowed": (
        "void f(int n, short b[restrict 6][6], short a[restrict 8], short *restrict y) {\n"
        "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
        "    if (i == j - 2) b[i][j] = 2 * a[j] + a[i] > b[i][j] ? 2 * a[j] + a[i] : b[i][j]; }"
    ),
}


@pytest.mark.parametrize("name", TRIANGLES)
def test_what_was_wrong_of_triangles_is_what_gcc_computes(name: str, tmp_path: Path):
    text = TRIANGLES[name]
    (path := tmp_path / "f.c").write_text(text)
    result = raise_module(convert(text, "f.c", COptions()).mlir, options=RaiseOptions(check="field", cache=False))
    compiled, kind = raising.compile(result.text)["f"], {"i": "i4", "s": "i2", "f": "f4"}[text[14]]
    for n in (0, 1, 3, 5, 6):
        rng = np.random.default_rng(n)
        given = [rng.integers(-99, 99, shape).astype(kind) for shape in ((6, 6), 8, 1)]
        wanted = Library(path, {}).call("f", [np.int32(n), *given])
        compiled(n, *given)
        assert all(np.array_equal(one, other) for one, other in zip(given, wanted[1:], strict=True))


def test_two_arrays_of_which_each_gets_a_part_of_the_other(tmp_path: Path):
    """C does not say how long they are, so that none can be copied as a whole."""
    text = """void f(int m, int p, int *restrict a, int *restrict b) {
      for (int i = 0; i < m; i++) a[i] = b[i] > a[i] ? b[i] : a[i];
      for (int i = 0; i < 4; i++) b[i] = a[i + p]; }"""
    (path := tmp_path / "f.c").write_text(text)
    result = raise_module(convert(text, "f.c", COptions()).mlir, options=RaiseOptions(check="field", cache=False))
    compiled = raising.compile(result.text)["f"]
    for m, p in ((0, 0), (3, 1), (4, 0), (9, 2)):
        rng = np.random.default_rng(m)
        given = [rng.integers(-99, 99, 12).astype("i4") for _ in range(2)]
        wanted = Library(path, {}).call("f", [np.int32(m), np.int32(p), *given])
        compiled(m, p, *given)
        assert all(np.array_equal(one, other) for one, other in zip(given, wanted[2:], strict=True))


def _element(text: str) -> str:
    given = text[text.index("f(") : text.index(")")]
    return next(kind for word, kind in KINDS if word in given)


@pytest.mark.parametrize("kind", ["_Bool", "int", "double"])
def test_samples_have_an_or_across_lines_go_both_ways(kind: str):
    text = f"""void f(int n, {kind} a[restrict n][n], _Bool *restrict b) {{
      _Bool s = 0; for (int j = 0; j < n; j++) s |= a[j][j] != 0; b[0] = s; }}"""
    source = parse(convert(text, "f.c", COptions()).mlir)
    general = generalise(next(s for s in segments(source.functions[0]) if s.program.arrays).program)
    vectors = size_vectors(general.program, general.values, 4)
    samples = runs(general.program, vectors, np.random.default_rng(0))
    assert {int(out.res.reshape(-1)[0]) for s in samples for out in s.outputs.values()} == {0, 1}


@pytest.mark.parametrize("least", [300, 1 << 40], ids=["which a run reaches", "which no run reaches"])
def test_a_form_does_not_stand_at_sizes_far_out_unseen(least: int):
    text = f"""func.func @f(%n: index, %a: memref<8xf64>, %b: memref<8xf64>) {{
      affine.for %i = 0 to 8 {{
        %x = affine.load %b[%i] : memref<8xf64>
        affine.store %x, %a[%i] : memref<8xf64>
        affine.if affine_set<()[n] : (n - {least} >= 0)>()[%n] {{
          %y = arith.addf %x, %x : f64
          affine.store %y, %a[%i] : memref<8xf64>
        }}
      }}
      return
    }}"""
    source = parse(text)
    (segment,) = segments(source.functions[0])
    (written,) = {store.array for store in segment.program.stores()}
    (read,) = {name for name in segment.program.arrays if name != written}
    copied = Form(segment.program, {written: Input(TensorType("f64", (Lin(8),)), read)}, {}, Own({}))
    (conditions,) = copied.standing((), 0, False).alternatives
    (size,) = segment.program.sizes
    assert all(c.holds({size: 0}) for c in conditions) and not all(c.holds({size: least}) for c in conditions)


def test_a_tensor_of_truth_values_that_is_a_result_is_built():
    text = """func.func @f(%n: index, %k: index, %a: memref<?xi1>) {
      affine.for %i = 0 to %n {
        %0 = memref.load %a[%k] : memref<?xi1>
        %1 = arith.extui %0 : i1 to i32
        %zero = arith.constant 0 : i32
        %2 = arith.cmpi eq, %1, %zero : i32
        affine.store %2, %a[%i] : memref<?xi1>
      }
      return
    }"""
    result = raise_module(text, options=RaiseOptions(check="field", cache=False))
    assert not [r.why for r in result.remarks if "internal" in r.why] and result.functions[0].changed


def test_the_least_point_of_a_region_is_in_bounds():
    text = """void f(int n, int k, int s, int (*restrict a)[5], int (*restrict b)[5]) {
      for (int i = 0; i <= n; i++) b[i + s][i] = b[i][i];
      for (int j = 0; j < n; j++) b[j + k][j] = (b[k][j * 2] ^ 2); }"""
    result = raise_module(convert(text, "f.c", COptions()).mlir, options=RaiseOptions(check="field", cache=False))
    assert not [r.why for r in result.remarks if "internal" in r.why]


def test_a_condition_in_a_loop_that_stays_is_not_that_of_the_loop_before():
    text = """func.func @f(%n: index, %m: index, %x: i32, %a: memref<5xi32>, %b: memref<8xi64>) {
      %zero = arith.constant 0 : index
      %two = arith.constant 2 : index
      %three = arith.constant 3 : index
      scf.for %i = %zero to %m step %three {
        %below = arith.cmpi slt, %i, %two : index
        scf.if %below {
          %0 = memref.load %a[%i] : memref<5xi32>
          memref.store %0, %a[%i] : memref<5xi32>
        } else {
          %1 = arith.extsi %x : i32 to i64
          memref.store %1, %b[%i] : memref<8xi64>
        }
      }
      return
    }"""
    result = raise_module(text, options=RaiseOptions(check="field", cache=False))
    assert not [r.why for r in result.remarks if "internal" in r.why]


_REPEATED = """void f(unsigned long n, unsigned long k, double *restrict a, double *restrict b) {
  for (unsigned long i = 0; i < n; i += %d) for (unsigned long j = 0; j < n; j++) a[j + k] = a[j * 2] - b[j]; }"""

_ANY = """void f(int n, _Bool *restrict a) {
  for (int i = %d; i < n; i += 3) {
    _Bool s = 1;
    for (int j = 0; j <= n; j++) s = j <= s ? j : s;
    a[0] = s;
  }
}"""

PARTED = {
    "a size between the regions of both": (_ANY % 0, _ANY % 1),
    "passes over memory in place, the number of which counts at some distances": (_REPEATED % 2, _REPEATED % 4),
}


@pytest.mark.parametrize("name", PARTED)
def test_a_pair_that_was_accepted_once_is_refuted(name: str):
    one, other = (convert(text, "f.c", COptions()).mlir.encode() for text in PARTED[name])
    found = answer(Question((one, other), ("a.mlir", "b.mlir"), (None, None), "tested-field", (), (), 30.0))
    assert found.level == "refuted", found.text


_DIAGONAL = """void f(long n, double *restrict a, double *restrict b) {
  for (long i = 0; i <= n; i++) b[i * n %s i] = a[i * n %s i]; }"""


@pytest.mark.parametrize("other", [("-", "+"), ("+", "-")])
def test_elements_of_rows_of_other_lengths_are_others(other: tuple[str, str]):
    texts = [convert(_DIAGONAL % signs, "f.c", COptions()).mlir.encode() for signs in (("+", "+"), other)]
    question = Question((texts[0], texts[1]), ("a.mlir", "b.mlir"), (None, None), "tested-field", (), (), 30.0)
    found = answer(question)
    assert (found.level, "not equally long" in found.text) == ("unknown", True)
    same = texts[0].replace(b'"n"', b'"m"').replace(b'"n + 1"', b'"1 + m"')
    assert answer(replace(question, texts=(texts[0], same))).level == "proved-all-sizes"


_TRUTHS = "void f(int n, _Bool *restrict a) { for (int i = 0; i < n; i++) a[i] = a[i]%s; }"


@pytest.mark.parametrize(("how", "level"), [(" != 0", "bounded"), (" == 0", "refuted")])
def test_truth_values_are_0_or_1(how: str, level: str):
    one, other = (convert(_TRUTHS % text, "f.c", COptions()).mlir.encode() for text in (how, ""))
    assert answer(Question((one, other), ("a.mlir", "b.mlir"), (None, None), "bounded", (), (), 30.0)).level == level


_ROWS = """void f(int n, double (*restrict a)[5]) {
  for (int i = 1; i < n - 1; i++) %s a[i][j] = (a[i][j] + a[i - 1][j]) * 0.5; }"""


def test_a_difference_at_other_numbers_than_those_of_the_files_is_none():
    texts = (
        _ROWS % "for (int j = 1; j < 4; j++)",
        _ROWS % "for (int k = 1; k < 4; k += 4) for (int j = k; j < k + 4; j++) if (j < 5 + (-1) * 1)",
    )
    one, other = (convert(text, "f.c", COptions()).mlir.encode() for text in texts)
    found = answer(Question((one, other), ("a.mlir", "b.mlir"), (None, None), "tested-field", (), (), 30.0))
    assert found.level != "refuted", found.text


_BLOCKS = (
    "for (int i = 0; i < 1; i++) for (int j = 0; j < n; j++) a[p] = (double)i + 3.0;",
    "for (int t = 0; t < 1; t += 4) for (int i = t + 3; i < t + 7; i++) if (i - 3 < 1)"
    " for (int j = 0; j < n; j++) a[p] = (double)(i - 3) + 3.0;",
)


def test_a_difference_at_other_numbers_is_none_where_the_runs_at_those_of_the_files_break_off(
    monkeypatch: pytest.MonkeyPatch,
):
    def broken(*_: object) -> None:
        raise RuntimeError("no memory is left")

    monkeypatch.setattr(replay, "counterexample_here", broken)
    texts = (f"void f(int n, int p, double *restrict a) {{ {loops} }}" for loops in _BLOCKS)
    one, other = (convert(text, "f.c", COptions()).mlir.encode() for text in texts)
    found = answer(Question((one, other), ("a.mlir", "b.mlir"), (None, None), "tested-field", (), (), 30.0))
    assert found.level in ("unknown", "proved-all-sizes"), found.text


def test_a_number_that_no_index_holds_is_refused():
    text = "void f(unsigned long n, double *restrict a) { for (unsigned long i = -1; i < n; i += 2) a[i] = 0; }"
    assert "more than 63 bits" in convert(text, "f.c", COptions()).refused[0].reason


BROKE = {
    "a box of an output that lies inside of it at some sizes only": (
        "void f(int m, float x, float a[restrict 8]) { for (int i = 0; i < 4; i++) a[i] = i != m ? a[i] : x; }",
        "stablehlo",
    ),
    "an extent that only a region uses": (
        "void f(int n, float *restrict a) {\n"
        "  for (int k = 0; k < n; k++) for (int i = n - 1; i >= 0; i--) {\n"
        "    float s = 0; for (long j = i; j < n; j++) if (i > s) s = i;\n"
        "    a[i * n + i] = s; } }",
        "linalg",
    ),
    "a window that ends in front of where it begins": (
        "void f(int n, int m, double a[restrict 6][5], double b[restrict 8]) { int i = n - 1; do {\n"
        "  for (int j = 0; j < m; j++) a[j][j] *= b[0];\n"
        "  for (int k = 0; k < m; k += 2) a[i][k] = -2.0;\n"
        "  i--; } while (i >= 0); }",
        "linalg",
    ),
    "a box of what is written that leaves its array at some sizes": (
        "void f(int n, double a[restrict 5]) { for (int k = 1000; k <= n + 1000; k++) {\n"
        "  for (int i = 137; i < n + 137; i++) { a[i] = a[i - 137]; a[2] = a[i] + a[0]; }\n"
        "  double s = 0; for (int j = 1000000; j < n + 1000000; j++) s += (double)j;\n"
        "  a[k - 999] = s; } }",
        "linalg",
    ),
    "a dimension of a reduction that only a sum of dimensions and a counter have": (
        "void f(int n, double *restrict a, double b[restrict 4][5]) {\n"
        "  for (int k = 0; k < n; k += 3) for (int i = 0; i < n; i++) {\n"
        "    double s = a[i + 1]; for (int j = 0; j < n; j++) if (b[i][j] != b[i][j]) s = 1.0;\n"
        "    a[i + 1] = s; }\n"
        "  for (int i = 1; i < n; i++) for (int j = n - 1; j > 0; j--) {\n"
        "    double s = a[n - 1]; for (int k = 0; k <= n; k++) s += k * b[n - 1 - k][k - 1];\n"
        "    a[0] = 2.0 - b[i][j]; } }",
        "linalg",
    ),
    "infinity in the body of an operation": (
        "double fabs(double); void f(double a[restrict 6][5], double b[restrict 8]) {\n"
        "  for (int i = 0; i < 1; i++) a[1][i + 2] = fabs(b[i]) > a[1][i + 2] ? fabs(b[i]) : a[1][i + 2]; }",
        "stablehlo",
    ),
}


@pytest.mark.parametrize("name", BROKE)
def test_what_broke_once_is_raised_and_optimised_or_stays(name: str):
    source, target = BROKE[name]
    result = raise_module(convert(source, "k.c").mlir, target=target, check="field")
    assert not [str(r) for r in result.remarks if "internal" in str(r)]
    assert optimise_module(result.text).text
