"""Products whose extents change between iterations: one piece of code, a function of its own, right for every rest."""

from typing import Any

import numpy as np
import pytest

from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.running import called

N, DEPTH = 41, 3
STARTS = {
    "added": "",
    "filled": "linalg.fill ins(%zero : T) outs(%c : PART)",
}
PRODUCT = """func.func @f(%a: memref<41x?xT>, %b: memref<?x41xT>, %d: memref<41x41x41xT>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = arith.constant 41 : index
  %zero = arith.constant ZERO : T
  %k = memref.dim %a, %1 : memref<41x?xT>
  scf.for %t = %0 to %n step %1 {
    %w = arith.subi %n, %t : index
    %p = memref.subview %a[0, 0] [%t, %k] [1, 1] : memref<41x?xT> to memref<?x?xT, strided<[?, 1]>>
    %q = memref.subview %b[0, %t] [%k, %w] [1, 1] : memref<?x41xT> to memref<?x?xT, strided<[41, 1], offset: ?>>
    %c = memref.subview %d[%t, 0, %t] [1, %t, %w] [1, 1, 1] : memref<41x41x41xT> to PART
    START
    linalg.matmul ins(%p, %q : memref<?x?xT, strided<[?, 1]>>, memref<?x?xT, strided<[41, 1], offset: ?>>)
      outs(%c : PART)
  }
  return
}"""


def _text(kind: str, start: str) -> str:
    text = PRODUCT.replace("START", STARTS[start]).replace("PART", "memref<?x?xT, strided<[41, 1], offset: ?>>")
    return text.replace("ZERO", "0" if kind[0] == "i" else "0.0").replace("xT", f"x{kind}").replace(": T", f": {kind}")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("kind", ["f32", "f64", "i32"])
def test_every_rest_of_rows_and_columns(kind: str, start: str, threads: int) -> None:
    dtype: Any = {"f32": np.float32, "f64": np.float64, "i32": np.int32}[kind]
    random = np.random.default_rng(len(kind + start))
    for depth in (0, 1, DEPTH):
        a, b = (random.integers(-9, 9, shape).astype(dtype) for shape in ((N, depth), (depth, N)))
        d = random.integers(-9, 9, (N, N, N)).astype(dtype)
        want = d.copy()
        for t in range(N):
            old = 0 if start == "filled" else want[t, :t, t:]
            want[t, :t, t:] = old + a[:t] @ b[:, t:]
        assert np.array_equal(called(_text(kind, start), [a, b, d], threads=threads)[2], want)


def test_its_function_is_not_put_into_the_loop() -> None:
    code = build(_text("f64", "added").encode(), "f.mlir", CompileOptions()).code.llvm
    lines = [line for line in code.splitlines() if "@contraction0(" in line]
    assert [line.split()[0].replace("tail", "call") for line in lines] == ["define", "call"], lines
    assert "noinline" in code


def test_its_instructions_come_from_the_line_of_the_product() -> None:
    text = _text("f64", "added")
    built = build(text.encode(), "f.mlir", CompileOptions(), places=True)
    product = next(k for k, line in enumerate(text.splitlines(), 1) if "linalg.matmul" in line)
    numbers = {number for number, lines in enumerate(built.lines) if product in lines}
    now, found = 0, set[int]()
    for line in built.code.assembly.splitlines():
        words = line.split()
        if words[:1] == [".loc"]:
            now = int(words[2])
        elif "vfmadd" in line or "mulpd" in line or "fmla" in line:
            found.add(now)
    assert found and found <= numbers
