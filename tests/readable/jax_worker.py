"""Raises two C functions and runs what is written for JAX; prints what it finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from raising.frontend.c import convert
from raising.pipeline import raise_module
from raising.readable.to_source import to_source
from raising.support.isolate import Finished, run_isolated
from tests.readable.running import difference, results

SOURCE = """
#include <math.h>
double energy(int n, double x[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) s += sin(x[i]) * x[i] * x[i];
  return s;
}
void chain(int n, double A[n][n], double B[n][n], double C[n][n], double T[n][n], double D[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      T[i][j] = 0;
      for (int k = 0; k < n; k++) T[i][j] += A[i][k] * B[k][j];
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      D[i][j] = 0;
      for (int k = 0; k < n; k++) D[i][j] += T[i][k] * C[k][j];
    }
}
"""


SMOOTH = """
func.func @smooth(%t: index, %x: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = bufferization.to_tensor %x restrict writable : memref<?xf64> to tensor<?xf64>
  %d = memref.dim %x, %c0 : memref<?xf64>
  %m = arith.subi %d, %c2 : index
  %s = arith.maxsi %m, %c0 : index
  %e = tensor.empty(%s) : tensor<?xf64>
  %r = scf.for %i = %c0 to %t step %c1 iter_args(%u = %a) -> (tensor<?xf64>) {
    %l = tensor.extract_slice %u[0] [%s] [1] : tensor<?xf64> to tensor<?xf64>
    %k = tensor.extract_slice %u[2] [%s] [1] : tensor<?xf64> to tensor<?xf64>
    %v = linalg.add ins(%l, %k : tensor<?xf64>, tensor<?xf64>) outs(%e : tensor<?xf64>) -> tensor<?xf64>
    %w = tensor.insert_slice %v into %u[1] [%s] [1] : tensor<?xf64> into tensor<?xf64>
    scf.yield %w : tensor<?xf64>
  }
  bufferization.materialize_in_destination %r in restrict writable %x : (tensor<?xf64>, memref<?xf64>) -> ()
  return
}
"""


def texts() -> str:
    """The functions of C; raised before JAX is imported."""
    return raise_module(convert(SOURCE, "jax.c").mlir, check="none").text


def _smoothed(t: int, x: Any) -> Any:
    for _ in range(t):
        x[1:-1] = x[:-2] + x[2:]
    return x


def main() -> None:
    """Print a line for each finding."""
    found = run_isolated(texts, timeout=120, extra_bytes=4 << 30)
    assert isinstance(found, Finished)
    source, smooth = (to_source(t, "jax", {"smooth": ("t", "x", "n")}) for t in (found.value, SMOOTH))
    random = np.random.default_rng(0)
    n = 16
    x = random.normal(size=n)
    a, b, c, t, d = (random.normal(size=(n, n)) for _ in range(5))
    calls: dict[str, tuple[list[Any], list[Any]]] = {
        "energy": ([np.int32(n), x], [n, x, np.sum(np.sin(x) * x * x)]),
        "smooth": ([np.int32(3), x, np.int32(n)], [3, _smoothed(3, x.copy()), n]),
        "chain": ([np.int32(n), a, b, c, t, d], [n, a, b, c, a @ b, a @ b @ c]),
    }
    for name, (given, want) in calls.items():
        made = smooth if name == "smooth" else source
        print(f"{name}: {difference(want, results(made, name, given, 'jax')) or 'equal'}")
    assert "lax.fori_loop(0, t, body, x)" in smooth.text
    space: dict[str, Any] = {}
    exec(compile(source.text, "source", "exec"), space)
    print(f"gradient: {_gradient_error(space['energy'], x)}")
    _sharded(space["chain"], (a, b, c, t, d))


def _gradient_error(energy: Callable[..., Any], x: Any) -> float:
    import jax

    got = np.asarray(jax.grad(lambda v: energy(len(x), v))(x))
    h = 1e-6
    steps = np.eye(len(x)) * h
    want = np.array([float(energy(len(x), x + s) - energy(len(x), x - s)) / (2 * h) for s in steps])
    return float(np.max(np.abs(got - want)))


def _sharded(chain: Callable[..., Any], matrices: tuple[Any, ...]) -> None:
    import jax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    devices = jax.devices()
    rows = NamedSharding(Mesh(np.array(devices), ("rows",)), PartitionSpec("rows"))
    a, b, c, t, d = matrices
    placed = [jax.device_put(m, rows) for m in matrices]
    _, got = jax.jit(chain, static_argnums=0)(len(a), *placed)
    print(f"devices: {len(got.sharding.device_set)}")
    print(f"sharded: {difference([a @ b @ c], [got]) or 'equal'}")


if __name__ == "__main__":
    main()
