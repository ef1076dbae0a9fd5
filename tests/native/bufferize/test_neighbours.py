"""The code of a function does not depend on what else is in its module."""

from mlir import ir

from raising.native.bufferize.bufferize import bufferize
from raising.native.input.read_module import new_context
from raising.support.mlir.walk import named, symbol_name

UPDATES = """func.func @updates(%x: memref<9x9xf64>) {
  %t = bufferization.to_tensor %x restrict writable : memref<9x9xf64> to tensor<9x9xf64>
  %row = tensor.extract_slice %t[0, 0] [1, 9] [1, 1] : tensor<9x9xf64> to tensor<9xf64>
  %rest = tensor.extract_slice %t[1, 0] [8, 9] [1, 1] : tensor<9x9xf64> to tensor<8x9xf64>
  %new = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%row : tensor<9xf64>) outs(%rest : tensor<8x9xf64>) {
    ^bb0(%a: f64, %b: f64):
    %s = arith.subf %b, %a : f64
    linalg.yield %s : f64 } -> tensor<8x9xf64>
  %all = tensor.insert_slice %new into %t[1, 0] [8, 9] [1, 1] : tensor<8x9xf64> into tensor<9x9xf64>
  bufferization.materialize_in_destination %all in restrict writable %x : (tensor<9x9xf64>, memref<9x9xf64>) -> ()
  return
}
"""
PRODUCT = """func.func @product(%x: memref<?x?xf64>, %y: memref<?x?xf64>, %n: index, %low: index) {
  %a = bufferization.to_tensor %x restrict : memref<?x?xf64> to tensor<?x?xf64>
  %rows = arith.subi %n, %low : index
  %begin = tensor.extract_slice %a[%low, 0] [%rows, %n] [1, 1] : tensor<?x?xf64> to tensor<?x?xf64>
  %whole = tensor.extract_slice %a[0, 0] [%n, %n] [1, 1] : tensor<?x?xf64> to tensor<?x?xf64>
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %c0 = arith.constant 0 : index
  %zero = tensor.extract %c[%c0] : tensor<2xf64>
  %e = tensor.empty(%rows, %n) : tensor<?x?xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<?x?xf64>) -> tensor<?x?xf64>
  %p = linalg.matmul ins(%begin, %whole : tensor<?x?xf64>, tensor<?x?xf64>) outs(%f : tensor<?x?xf64>)
    -> tensor<?x?xf64>
  %room = tensor.empty(%n, %n) : tensor<?x?xf64>
  %put = tensor.insert_slice %p into %room[%low, 0] [%rows, %n] [1, 1] : tensor<?x?xf64> into tensor<?x?xf64>
  %b = bufferization.to_tensor %y restrict writable : memref<?x?xf64> to tensor<?x?xf64>
  %old = tensor.extract_slice %b[0, 0] [%n, %n] [1, 1] : tensor<?x?xf64> to tensor<?x?xf64>
  %both = linalg.max ins(%put, %old : tensor<?x?xf64>, tensor<?x?xf64>) outs(%room : tensor<?x?xf64>)
    -> tensor<?x?xf64>
  %q = tensor.insert_slice %both into %b[0, 0] [%n, %n] [1, 1] : tensor<?x?xf64> into tensor<?x?xf64>
  bufferization.materialize_in_destination %q in restrict writable %y : (tensor<?x?xf64>, memref<?x?xf64>) -> ()
  return
}
"""


def _placed(text: str) -> dict[str, str]:
    with new_context(), ir.Location.unknown():
        module = bufferize(ir.Module.parse(text))
        return {symbol_name(op): str(op) for op in named(module, "func.func")}


def test_memory_is_that_of_a_function_alone() -> None:
    alone = _placed(UPDATES) | _placed(PRODUCT)
    assert _placed(UPDATES + PRODUCT) == alone == _placed(PRODUCT + UPDATES)
    assert alone["product"].count("linalg.generic") == 3  # nothing is copied
