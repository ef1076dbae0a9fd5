"""What is raised from C must not depend on how long memory is that C tells no length of."""

import pytest
from mlir import ir

from raising.emit.cleanup import asks_for_length

FRAME = """
func.func @f(%x: memref<?xf64>, %y: memref<?xf64>, %n: i32) attributes {{
    c_parameters = [["double", "x", "{0}"], ["double", "y", "n"], ["int", "n"]]}} {{
  %zero = arith.constant 0 : index
  %size = arith.index_cast %n : i32 to index
  %t = bufferization.to_tensor %x restrict writable : memref<?xf64> to tensor<?xf64>
  %u = bufferization.to_tensor %y restrict : memref<?xf64> to tensor<?xf64>
  {1}
  return
}}"""

PIECE = "%p = tensor.extract_slice %t[0] [%size] [1] : tensor<?xf64> to tensor<?xf64>"
ADDED = "%a = linalg.add ins({0}, %u : tensor<?xf64>, tensor<?xf64>) outs({0} : tensor<?xf64>) -> tensor<?xf64>"
BACK = "%b = tensor.insert_slice %a into %t[0] [%size] [1] : tensor<?xf64> into tensor<?xf64>"
CARRIED = """
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %size step %one iter_args(%c = %t) -> tensor<?xf64> {{
    {0}
    scf.yield %c : tensor<?xf64>
  }}"""


def _asked(body: str, extent: str = "?") -> str:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(FRAME.format(extent, body))
        return asks_for_length(module.body.operations[0].operation)


@pytest.mark.parametrize(
    "body",
    [
        ADDED.format("%t"),
        "%d = memref.dim %x, %zero : memref<?xf64>\n  %e = tensor.empty(%d) : tensor<?xf64>",
        CARRIED.format(ADDED.format("%c")),
        "\n  ".join([PIECE, ADDED.format("%p"), BACK, ADDED.format("%b").replace("%a =", "%c =")]),
        "\n  ".join([PIECE, ADDED.format("%p"), BACK, BACK.replace("%b", "%c")]),  # so that there is a copy of it
    ],
    ids=["an operation on all of it", "its extent", "carried by a loop", "what has its length", "written to twice"],
)
def test_the_length_is_asked_for(body: str) -> None:
    assert _asked(body) == "x"
    assert not _asked(body, "n")


@pytest.mark.parametrize(
    "body",
    [
        "\n  ".join([PIECE, ADDED.format("%p"), BACK]),
        "%d = memref.dim %x, %zero : memref<?xf64>",
        CARRIED.format("%e = tensor.extract %c[%i] : tensor<?xf64>"),
        "bufferization.materialize_in_destination %t in restrict writable %x : (tensor<?xf64>, memref<?xf64>) -> ()",
    ],
    ids=["a piece", "nobody uses the extent", "elements in a loop", "as it was"],
)
def test_pieces_do_not_ask(body: str) -> None:
    assert not _asked(body)
