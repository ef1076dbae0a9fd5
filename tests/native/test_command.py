"""`raise-compile` as a user runs it: files for C, text, and errors in one line."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from raising import compile
from raising.frontend.c import convert
from tests.forked import command

SCALE = """
func.func @scale(%a: f32, %x: tensor<?x4xf32>, %s: memref<f64>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  memref.store %one, %s[] : memref<f64>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.mulf %a, %v : f32
    linalg.yield %p : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
"""

PRODUCT = """
func.func @product(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  linalg.matmul ins(%A, %B : memref<?x?xf64>, memref<?x?xf64>) outs(%C : memref<?x?xf64>)
  return
}
"""

MAIN = """
#include <stdlib.h>
#include "product.h"
int main(void) {
  enum { M = 17, N = 23, K = 29 };
  double *A = malloc(M * K * sizeof *A), *B = malloc(K * N * sizeof *B), *C = calloc(M * N, sizeof *C);
  for (int i = 0; i < M * K; i++) A[i] = i % 7;
  for (int i = 0; i < K * N; i++) B[i] = i % 5;
  product(A, M, K, B, K, N, C, M, N);
  int wrong = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < K; k++) sum += A[i * K + k] * B[k * N + j];
      wrong += sum != C[i * N + j];
    }
  free(A), free(B), free(C);
  return wrong != 0;
}
"""


def run(*arguments: object, given: str | bytes = b"", cwd: Path) -> subprocess.CompletedProcess[str]:
    data = given.encode() if isinstance(given, str) else given
    return command("raising.commands.compile_command", list(map(str, arguments)), data, cwd)


needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


@needs_gcc
def test_a_library_and_its_header(tmp_path: Path):
    done = run("-", "-o", "scale.so", "--header", "scale.h", given=SCALE, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scale.h", "scale.so"]
    declared = "void scale(float arg0, const float *RESTRICT arg1, int64_t arg1_size0, double *RESTRICT arg2,"
    assert declared + " float *RESTRICT result0, int64_t result0_size0);" in (tmp_path / "scale.h").read_text()
    library = ctypes.CDLL(str(tmp_path / "scale.so"))
    x, s, out = np.arange(12, dtype=np.float32).reshape(3, 4), np.zeros(()), np.zeros((3, 4), np.float32)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, s, out)]
    library.scale(ctypes.c_float(2), pointers[0], ctypes.c_int64(3), pointers[1], pointers[2], ctypes.c_int64(3))
    np.testing.assert_array_equal(out, 2 * x)
    assert s == 1


ROWS = """
void rows(const float x[4][5], double y[4][5], int n, double (*z)[3], unsigned char w[][2][3], double *v) {
  for (int i = 0; i < 4; i++) for (int j = 0; j < 5; j++) y[i][j] = x[i][j] * n + v[i * 5 + j];
  for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) z[i][j] = w[i][1][j]; }
"""


@needs_gcc
def test_a_header_declares_rows_as_c_does(tmp_path: Path):
    """They were pointers to elements, which `y[4][5]` is not converted to without a warning."""
    (tmp_path / "rows.mlir").write_text(convert(ROWS, "rows.c").mlir)
    done = run("rows.mlir", "-o", "rows.o", "--header", "rows.h", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    declared = "void rows(const float x[RESTRICT 4][5], double y[RESTRICT 4][5], int n, double (*RESTRICT z)[3], "
    assert (
        declared + "unsigned char (*RESTRICT w)[2][3], const double *RESTRICT v);" in (tmp_path / "rows.h").read_text()
    )
    call = "void f(float x[4][5], double y[4][5], double z[7][3], unsigned char w[7][2][3], double v[20])"
    (tmp_path / "use.c").write_text(f'#include "rows.h"\n{call} {{ rows(x, y, 7, z, w, v); }}\n')
    subprocess.run(["gcc", "-std=c2x", "-Werror", "-Wall", "-c", "use.c"], cwd=tmp_path, check=True)
    (tmp_path / "use.cc").write_text('#include "rows.h"\n')
    subprocess.run(["gcc", "-Werror", "-Wall", "-c", "use.cc"], cwd=tmp_path, check=True)


NAMED = """
func.func @"NAME"(%x: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  memref.store %one, %x[%c0] : memref<1xf64>
  return
}"""


@needs_gcc
@pytest.mark.parametrize("name, called", [("double", "double_"), ("a.b", "a_b_"), ("plain", "plain")])
def test_a_header_calls_a_function_by_a_name_of_c(tmp_path: Path, name: str, called: str):
    """`def double(x)` is a function in Python, `func.func @a.b` one in MLIR; C has neither name."""
    done = run("-", "-o", "k.o", "--header", "k.h", given=NAMED.replace("NAME", name), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    main = f'#include "k.h"\nint main(void) {{ double x = 0; {called}(&x); return x != 1; }}\n'
    for file in ("main.c", "main.cc"):
        (tmp_path / file).write_text(main)
        subprocess.run(["gcc", "-Werror", "-Wall", file, "k.o", "-o", "main"], cwd=tmp_path, check=True)
        assert subprocess.run(["./main"], cwd=tmp_path).returncode == 0


@needs_gcc
@pytest.mark.parametrize("threads", [1, 3])
def test_a_c_program_links_an_object_and_touches_no_memory_but_its_own(tmp_path: Path, threads: int):
    made = run("-", "-o", "product.o", "--header", "product.h", "--target-cpu", "x86-64-v3", "--threads", threads,
               given=PRODUCT, cwd=tmp_path)  # fmt: skip
    assert made.returncode == 0, made.stderr
    (tmp_path / "main.c").write_text(MAIN)
    subprocess.run(["gcc", "-g", "main.c", "product.o", "-lm", "-lpthread", "-o", "main"], cwd=tmp_path, check=True)
    assert subprocess.run(["./main"], cwd=tmp_path).returncode == 0
    if shutil.which("valgrind"):
        command = ["valgrind", "-q", "--error-exitcode=3", "--leak-check=full", "--errors-for-leak-kinds=definite"]
        done = subprocess.run([*command, "./main"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("form", "seen"), [("llvm", "define void @product("), ("asm", "product:"), ("mlir", "scf.for")]
)
def test_text_instead_of_code(tmp_path: Path, form: str, seen: str):
    done = run("-", "--emit", form, given=PRODUCT, cwd=tmp_path)
    assert done.returncode == 0 and seen in done.stdout
    assert not list(tmp_path.iterdir())


def test_code_for_another_processor_keeps_to_its_registers(tmp_path: Path):
    older, newer = (
        run("-", "--emit", "asm", "--target-cpu", cpu, given=PRODUCT, cwd=tmp_path).stdout
        for cpu in ("x86-64-v3", "x86-64-v4")
    )
    assert "ymm" in older and "zmm" not in older and "zmm" in newer


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        (["-"], PRODUCT, "nowhere to write to"),
        (["-", "-o", "missing/k.o"], PRODUCT, "there is no directory"),
        (["none.mlir", "-o", "k.o"], "", "none.mlir: error: cannot be read"),
        (["-", "-o", "k.o"], "", "<stdin>: error: empty input"),
        (["-", "-o", "k.o"], "func.func @f( {", "<stdin>:1:14: error: expected non-function type"),
        (["-", "-o", "k.o"], b"\xff\xfe\x00", "<stdin>"),
        (["-", "-o", "k.o"], b"ML\xefRnothing", "<stdin>"),
        (["-", "-o", "k.o"], "module {}", "there is no function to compile"),
        (["-", "-o", "k.o"], "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n %0 = \"stablehlo.custom_call\"(%x)"
            " <{call_target_name = \"x\"}> : (tensor<2xf32>) -> tensor<2xf32>\n return %0 : tensor<2xf32> }",
            "stablehlo.custom_call has no form in linalg"),
        (["-", "-o", "k.o", "--target-cpu", "z80"], PRODUCT, "raise-compile: error: unknown processor 'z80'"),
        (["-", "-o", "k.o", "--threads", "0"], PRODUCT, "--threads"),
        (["-", "-o", "k.o", "--backend", "xla"], PRODUCT, "the back end xla makes no file"),
        (["-", "-o", "k.o", "--backend", "blas", "--blas-lib", "none.so"], PRODUCT, "cannot be loaded"),
        (["-", "-o", "k.so"], "func.func private @g()\nfunc.func @f() {\n call @g() : () -> ()\n return\n}",
            "undefined reference to"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line_and_nothing_is_written(tmp_path: Path, arguments, given, said):
    done = run(*arguments, given=given, cwd=tmp_path)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2 and said in line and "Traceback" not in line
    assert done.stdout == "" and not list(tmp_path.iterdir())


FAR_DOWN = "\n" * 70 + (
    "void add(int n, double *x) {\n  for (int i = 0; i < n; i++) x[i] += 1;\n}\n"
    "void count(int n, const int *x, int *h) { for (int i = 0; i < n; i++) h[x[i]]++; }\n"
)


def test_remarks_on_functions_name_places_of_the_file(tmp_path: Path):
    """Not of the module that was made of it; a function that is written as C has it is told by its name."""
    (tmp_path / "k.c").write_text(FAR_DOWN)
    done = run("k.c", "--whole", "-o", "k.o", cwd=tmp_path)
    assert done.returncode == 0
    said = [line for line in done.stderr.splitlines() if "cost" in line or "nothing is cheaper" in line]
    assert [line.partition(" remark:")[0] for line in said] == ["k.c:71:6:", "k.c:"]


RESULTS = """
unsigned less(const unsigned char *x, int n) { unsigned s = 0; for (int i = 0; i < n; i++) s += x[i]; return s - 1; }
unsigned short last(const unsigned short *x, int n) { return n > 0 ? x[n - 1] : 0; }
_Bool any(const int *x, int n) { _Bool b = 0; for (int i = 0; i < n; i++) b |= x[i] != 0; return b; }
unsigned long counted(const unsigned char *x, int n, int *h) { for (int i = 0; i < n; i++) h[x[i]]++; return n; }
char word[8] = "abc";
unsigned long long seen;
typedef char letter;
char parity(const letter *x, int n) { char c = word[0]; for (int i = 0; i < n; i++) c ^= x[i]; return c; }
long long added(const long long *x, signed char *y, int n, long long s) {
  for (int i = 0; i < n; i++) { s += x[i]; y[i] = 1; seen++; }
  return s;
}
int plain(const int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
"""


@pytest.mark.parametrize("guard", [(), ("--guard",)])
def test_a_header_declares_what_the_source_declares(tmp_path: Path, guard):
    """Also results without a sign, which callers widen, and types with the bits of others (`char`, `long long`)."""
    (tmp_path / "k.c").write_text(RESULTS)
    done = run("k.c", "--whole", *guard, "-o", "k.o", "--header", "k.h", cwd=tmp_path)
    assert done.returncode == 0
    (tmp_path / "both.c").write_text(f'#include "k.h"\n{RESULTS}')
    subprocess.run(["gcc", "-Werror", "-c", "both.c"], cwd=tmp_path, check=True)
    use = '#include "k.h"\nint main(void) { unsigned char x[1] = {0}; return less(x, 1) != 4294967295.0; }\n'
    (tmp_path / "use.c").write_text(use)
    subprocess.run(["gcc", "use.c", "k.o", "-lm", "-o", "use"], cwd=tmp_path, check=True)
    assert subprocess.run(["./use"], cwd=tmp_path, check=False).returncode == 0


def test_results_without_a_sign_are_none_below_zero_in_python():
    functions = compile(convert(RESULTS, "k.c").mlir, cache=False)
    for _ in range(3):  # also as quick calls
        assert functions["less"](np.zeros(4, np.uint8), 4) == 4294967295
        assert functions["last"](np.full(4, 65535, np.uint16), 4) == 65535
        assert functions["plain"](np.full(4, -1, np.int32), 4) == -4
