"""Parts of carried tensors that are read before or after they are written, compiled, beside NumPy."""

import numpy as np
import pytest

import raising

TEXT = """
func.func @f(%sums: tensor<8xf32>, %t: tensor<40x8xf32>, %n: index) -> TYPES {
  %low = arith.constant LOW : index
  %step = arith.constant STEP : index
  %read = arith.constant READ : index
  %write = arith.constant WRITE : index
  %r:2 = scf.for %i = %low to %n step %step iter_args(%s = %sums, %p = %t) -> (tensor<8xf32>, tensor<40x8xf32>) {
    %a = arith.addi %i, %read : index
    %b = arith.addi %i, %write : index
    %rows = tensor.extract_slice %p[%a, 0] [ROWS, 8] [1, 1] : tensor<40x8xf32> to tensor<ROWSx8xf32>
    %new = linalg.reduce ins(%rows : tensor<ROWSx8xf32>) outs(%s : tensor<8xf32>) dimensions = [0]
      (%x: f32, %y: f32) { %z = arith.addf %x, %y : f32
        linalg.yield %z : f32 }
    %q = tensor.insert_slice %new into %p[%b, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<40x8xf32>
    scf.yield %new, %q : tensor<8xf32>, tensor<40x8xf32>
  }
  return RESULTS
}
"""


def loops(sums, table, n, low, step, read, write, rows):
    """What the loop computes."""
    sums, table = sums.copy(), table.copy()
    for i in range(low, n, step):
        sums = sums + table[i + read : i + read + rows].sum(axis=0)
        table[i + write] = sums
    return sums, table


@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize(
    ("step", "read", "write", "rows"),
    [(1, 2, 2, 1), (1, 3, 2, 1), (1, 2, 3, 1), (2, 2, 3, 1), (2, 2, 4, 1), (2, 2, 5, 1), (1, 1, 2, 3), (3, 2, 2, 3)],
)
def test_parts_are_those_of_the_newest_update(step, read, write, rows, used):
    kinds, results = ("(tensor<8xf32>, tensor<40x8xf32>)", "%r#0, %r#1") if used else ("tensor<8xf32>", "%r#0")
    text = TEXT.replace("LOW", "1").replace("STEP", str(step)).replace("READ", str(read)).replace("WRITE", str(write))
    text = text.replace("ROWS", str(rows)).replace("TYPES", kinds)
    text = text.replace("RESULTS", f"{results} : {kinds.strip('()')}")
    function = raising.compile(text)
    rng = np.random.default_rng(0)
    sums, table = rng.integers(-3, 4, 8).astype(np.float32), rng.integers(-3, 4, (40, 8)).astype(np.float32)
    for n in (0, 1, 2, 5, 12):
        found = function(sums.copy(), table.copy(), n)
        wanted = loops(sums, table, n, 1, step, read, write, rows)
        for one, two in zip(found if used else (found,), wanted, strict=False):
            np.testing.assert_array_equal(one, two)
