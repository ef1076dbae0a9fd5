"""Columns of one array, as fields of structs are: the last one is known by the row, the others by number."""

from raising.pipeline import raise_module

COPIES = """
func.func @f(%b: memref<?x6xf64>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %b[%i, 3] : memref<?x6xf64>
    affine.store %0, %b[%i, 0] : memref<?x6xf64>
    %1 = affine.load %b[%i, 4] : memref<?x6xf64>
    affine.store %1, %b[%i, 1] : memref<?x6xf64>
    %2 = affine.load %b[%i, 5] : memref<?x6xf64>
    affine.store %2, %b[%i, 2] : memref<?x6xf64>
  }
  return
}
"""


def test_a_column_is_not_taken_for_the_last_one() -> None:
    raised = raise_module(COPIES)
    assert "affine.for" not in raised.text and "raised 1 loop nest" in str(raised.remarks)
