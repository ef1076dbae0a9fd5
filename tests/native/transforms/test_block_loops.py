"""Loops that sum over all before them are blocked where that changes nothing but the order of the sums."""

from typing import Any

import numpy as np
import pytest
from mlir import ir

from raising.native.bufferize.bufferize import bufferize
from raising.native.bufferize.destination_passing import to_destinations
from raising.native.input.read_module import new_context, read
from raising.native.transforms.left_looking_blocks import BLOCKS, block_loops
from tests.native.running import called

N = 150
HEAD = """%0 = arith.constant 0 : index
%1 = arith.constant 1 : index
%n = arith.constant 150 : index
%zero = arith.constant 0.0 : f64
"""
DOT = """%e = tensor.empty() : tensor<f64>
%f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
%d = linalg.dot ins(%p, %q : tensor<?xf64>, tensor<?xf64>) outs(%f : tensor<f64>) -> tensor<f64>
%s = tensor.extract %d[] : tensor<f64>
"""
CHOLESKY = """%r = scf.for %t = %0 to %n step %1 iter_args(%A = %a) -> (tensor<150x150xf64>) {
  %x0 = tensor.extract %A[%t, %t] : tensor<150x150xf64>
  %p = tensor.extract_slice %A[%t, 0] [1, %t] [1, 1] : tensor<150x150xf64> to tensor<?xf64>
  %q = tensor.extract_slice %A[%t, 0] [1, %t] [1, 1] : tensor<150x150xf64> to tensor<?xf64>
  DOT
  %u = arith.subf %x0, %s : f64
  %v = math.sqrt %u : f64
  %t1 = arith.addi %t, %1 : index
  %last = arith.constant 149 : index
  %rest = arith.subi %last, %t : index
  %c = tensor.extract_slice %A[%t1, %t] [%rest, 1] [1, 1] : tensor<150x150xf64> to tensor<?xf64>
  %m = tensor.extract_slice %A[%t1, 0] [%rest, %t] [1, 1] : tensor<150x150xf64> to tensor<?x?xf64>
  %e2 = tensor.empty(%rest) : tensor<?xf64>
  %f2 = linalg.fill ins(%zero : f64) outs(%e2 : tensor<?xf64>) -> tensor<?xf64>
  %w = linalg.matvec ins(%m, %p : tensor<?x?xf64>, tensor<?xf64>) outs(%f2 : tensor<?xf64>) -> tensor<?xf64>
  %w2 = linalg.sub ins(%c, %w : tensor<?xf64>, tensor<?xf64>) outs(%e2 : tensor<?xf64>) -> tensor<?xf64>
  %w3 = linalg.div ins(%w2, %v : tensor<?xf64>, f64) outs(%e2 : tensor<?xf64>) -> tensor<?xf64>
  %A1 = tensor.insert %v into %A[%t, %t] : tensor<150x150xf64>
  %A2 = tensor.insert_slice %w3 into %A1[%t1, %t] [%rest, 1] [1, 1] : tensor<?xf64> into tensor<150x150xf64>
  scf.yield %A2 : tensor<150x150xf64>
}"""


def solved(reads: int, writes: int, more: str = "") -> str:
    """x[t + writes] = x[t + writes] - the sum over k < t of a[t, k] * x[k + reads]."""
    return f"""%r = scf.for %t = %0 to %n step %1 iter_args(%X = %x) -> (tensor<152xf64>) {{
  %p = tensor.extract_slice %a[%t, 0] [1, %t] [1, 1] : tensor<150x150xf64> to tensor<?xf64>
  %q = tensor.extract_slice %X[{reads}] [%t] [1] : tensor<152xf64> to tensor<?xf64>
  DOT
  %to = arith.constant {writes} : index
  %at = arith.addi %t, %to : index
  %old = tensor.extract %X[%at] : tensor<152xf64>
  %new = arith.subf %old, %s : f64
  %X1 = tensor.insert %new into %X[%at] : tensor<152xf64>
  {more or "%X2 = tensor.cast %X1 : tensor<152xf64> to tensor<152xf64>"}
  scf.yield %X2 : tensor<152xf64>
}}"""


FIRST_AGAIN = "%X2 = tensor.insert %new into %X1[%1] : tensor<152xf64>"
SOLVED = {"a solution": (0, 0, ""), "a later element": (0, 1, ""), "what is written now": (1, 0, ""),
          "what is written again": (0, 0, FIRST_AGAIN)}  # fmt: skip
BLOCKED = {"a solution": True, "a later element": True, "what is written now": False, "what is written again": False}


def module(body: str, result: str) -> str:
    kind = "memref<150x150xf64>" if result == "a" else "memref<152xf64>"
    return f"""func.func @f(%ma: memref<150x150xf64>, %mx: memref<152xf64>) {{
    {HEAD}
    %a = bufferization.to_tensor %ma restrict writable : memref<150x150xf64> to tensor<150x150xf64>
    %x = bufferization.to_tensor %mx restrict writable : memref<152xf64> to tensor<152xf64>
    {body.replace("DOT", DOT)}
    bufferization.materialize_in_destination %r in restrict writable %m{result} : ({kind.replace("memref", "tensor")},
      {kind}) -> ()
    return }}"""


def loops(text: str, fp: str) -> int:
    context = new_context()
    with context, ir.Location.unknown():
        found = read(text.encode(), "-", context)
        to_destinations(found)
        found = bufferize(found)
        block_loops(found, fp)
        assert found.operation.verify()
        return str(found).count("scf.for")


def arguments() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.random((N, N)) / N + 2 * np.eye(N), rng.random(N + 2)


def expected(a: Any, x: Any, reads: int, writes: int, again: bool) -> Any:
    x = x.copy()
    for t in range(N):
        x[t + writes] -= a[t, :t] @ x[reads : t + reads]
        if again:
            x[1] = x[t + writes]
    return x


@pytest.mark.parametrize("name", SOLVED)
def test_only_what_is_final_is_summed_before(name: str) -> None:
    reads, writes, more = SOLVED[name]
    text, (a, x) = module(solved(reads, writes, more), "x"), arguments()
    assert (loops(text, "reassoc") > 1) == BLOCKED[name]
    np.testing.assert_allclose(called(text, (a, x))[1], expected(a, x, reads, writes, bool(more)), rtol=1e-11)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_factorisation_is_blocked(threads: int) -> None:
    text, (a, x) = module(CHOLESKY, "a"), arguments()
    a = a + a.T
    found = called(text, (a, x), threads=threads)[0]
    np.testing.assert_allclose(np.tril(found), np.linalg.cholesky(a), rtol=1e-11, atol=1e-13)
    np.testing.assert_array_equal(np.triu(found, 1), np.triu(a, 1))


def test_strict_arithmetic_keeps_the_order_of_sums() -> None:
    text = module(CHOLESKY, "a")
    assert [loops(text, fp) for fp in ("strict", "reassoc")] == [1, 1 + len(BLOCKS)]


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_are_in_blocks_of_their_own(threads: int) -> None:
    """Iterations: two blocks and a rest, whose last small block is short; the rest sums over nothing before it."""
    n = 2 * BLOCKS[0] + BLOCKS[1] + 3
    text = module(CHOLESKY, "a").replace("150", str(n)).replace("152", str(n + 2)).replace("149", str(n - 1))
    assert loops(text, "reassoc") == 1 + len(BLOCKS)
    rng = np.random.default_rng(0)
    a = rng.random((n, n)) / n + 2 * np.eye(n)
    a = a + a.T
    found = called(text, (a, rng.random(n + 2)), threads=threads)[0]
    np.testing.assert_allclose(np.tril(found), np.linalg.cholesky(a), rtol=1e-11, atol=1e-13)
    np.testing.assert_array_equal(np.triu(found, 1), np.triu(a, 1))
