"""Raises two C functions and runs what is written for JAX; prints what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from raising.api.result import FunctionReport, RaiseResult
from raising.frontend.c import convert
from raising.pipeline import raise_module
from raising.support.isolate import Finished, run_isolated
from raising.support.source import Loc
from tests.readable.running import difference

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


def raised() -> RaiseResult:
    """The functions of C; raised before JAX is imported."""
    return raise_module(convert(SOURCE, "jax.c").mlir, check="none")


def _smoothed(t: int, x: Any) -> Any:
    for _ in range(t):
        x[1:-1] = x[:-2] + x[2:]
    return x


def main() -> None:
    """Print a line for each finding."""
    found = run_isolated(raised, timeout=120, extra_bytes=4 << 30)
    assert isinstance(found, Finished)
    smooth = RaiseResult(SMOOTH, (), (FunctionReport("smooth", Loc(), 1, 0, None, (), 1, 0.0, {}, 0, ("t", "x", "n")),))
    random = np.random.default_rng(0)
    x = random.normal(size=6)
    a, b, c = (random.normal(size=(8, 8)) for _ in range(3))
    energy, chain = (found.value.to_jax(name) for name in ("energy", "chain"))
    smoothed = smooth.to_jax()
    print(f"about: {smoothed.written} {smoothed.static_argnums} {'fori_loop(0, t, body, x)' in str(smoothed.__doc__)}")
    print(f"energy: {difference([np.sum(np.sin(x) * x * x)], [energy(6, x)]) or 'equal'}")
    print(f"smooth: {difference([_smoothed(3, x.copy())], [smoothed(3, x, 6)]) or 'equal'}")
    print(f"batch: {_batch(energy, a)}")
    print(f"gradient: {_gradient_error(energy, x)}")
    _sharded(chain, (a, b, c, a, a))
    print(f"refused: {_refused(found.value)}")


def _refused(result: RaiseResult) -> str:
    told = []
    bad = result.text.replace("@energy", '@"__import__"')
    for given, name in ((result, ""), (result, "energies"), (replace(result, text=bad), "__import__")):
        try:
            given.to_jax(name)
        except ValueError as error:
            told.append(str(error))
    return "; ".join(told)


def _batch(energy: Callable[..., Any], rows: Any) -> str:
    """All rows at once, compiled."""
    import jax

    got = jax.jit(jax.vmap(lambda v: energy(v.shape[0], v)))(rows)
    return difference([np.sum(np.sin(rows) * rows * rows, axis=1)], [got]) or "equal"


def _gradient_error(energy: Callable[..., Any], x: Any) -> float:
    import jax

    got = np.asarray(jax.grad(lambda v: energy(len(x), v))(x))
    h = 1e-6
    steps = np.concatenate([x + np.eye(len(x)) * h, x - np.eye(len(x)) * h])
    up, down = np.asarray(jax.vmap(lambda v: energy(len(x), v))(steps)).reshape(2, -1)
    return float(np.max(np.abs(got - (up - down) / (2 * h))))


def _sharded(chain: Callable[..., Any], matrices: tuple[Any, ...]) -> None:
    import jax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    devices = jax.devices()
    rows = NamedSharding(Mesh(np.array(devices), ("rows",)), PartitionSpec("rows"))
    a, b, c, *_ = matrices
    placed = [jax.device_put(m, rows) for m in matrices]
    _, got = jax.jit(chain, static_argnums=chain.static_argnums)(len(a), *placed)  # type: ignore[attr-defined]
    print(f"devices: {len(got.sharding.device_set)}")
    print(f"chain: {difference([a @ b @ c], [got]) or 'equal'}")


if __name__ == "__main__":
    main()
