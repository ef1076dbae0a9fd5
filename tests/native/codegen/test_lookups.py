"""Loops that look up elements go one by one where a processor is slow at lanes of them, and do little else."""

from collections.abc import Sequence

import numpy as np
import pytest

from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.running import called

LOOKUP = """func.func @f(%at: memref<?xi8>, %table: memref<?xf32>, %x: memref<?xf32>, %o: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]} ins(%at, %x : memref<?xi8>, memref<?xf32>) outs(%o : memref<?xf32>) {
  ^bb0(%k: i8, %a: f32, %old: f32):
    %p = arith.index_castui %k : i8 to index
    %t = memref.load %table[%p] : memref<?xf32>
    BODY
    linalg.yield %r : f32 }
  return
}"""
PLAIN = ["%r = arith.addf %t, %a : f32"]
LONG = ["%s = math.sqrt %a : f32", "%d = arith.divf %t, %s : f32", "%r = arith.divf %d, %a : f32"]


@pytest.mark.parametrize(("body", "cpu", "together"), [
    (PLAIN, "znver4", False), (PLAIN, "icelake-server", True), (LONG, "znver4", True),
])  # fmt: skip
def test_lanes_are_looked_up_together_where_that_pays(body: Sequence[str], cpu: str, together: bool) -> None:
    text = LOOKUP.replace("BODY", "\n".join(body))
    assert ("vgather" in build(text.encode(), "-", CompileOptions(cpu=cpu)).code.assembly) == together


def test_results_are_those_of_the_loop() -> None:
    for n in (0, 1, 3, 4, 17, 130):
        rng = np.random.default_rng(n)
        at, table = rng.integers(0, 256, n).astype(np.uint8), rng.random(256, np.float32)
        x, o = rng.random(n, np.float32), np.zeros(n, np.float32)
        *_, found = called(LOOKUP.replace("BODY", PLAIN[0]), [at.view(np.int8), table, x, o])
        assert np.array_equal(found, table[at] + x)
