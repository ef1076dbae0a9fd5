"""Pairs of loops and tensor programs, written by hand."""

GEMM_LOOPS = """
func.func @gemm(%alpha: f64, %beta: f64, %C: memref<NIxNJxf64>, %A: memref<NIxNKxf64>,
                %B: memref<NKxNJxf64>) {
  affine.for %i = 0 to NI {
    affine.for %j = 0 to NJ {
      %c = affine.load %C[%i, %j] : memref<NIxNJxf64>
      %s = arith.mulf %c, %beta : f64
      affine.store %s, %C[%i, %j] : memref<NIxNJxf64>
    }
    affine.for %k = 0 to NK {
      affine.for %j = 0 to NJ {
        %a = affine.load %A[%i, %k] : memref<NIxNKxf64>
        %b = affine.load %B[%k, %j] : memref<NKxNJxf64>
        %c = affine.load %C[%i, %j] : memref<NIxNJxf64>
        %s = arith.mulf %alpha, %a : f64
        %p = arith.mulf %s, %b : f64
        %q = arith.addf %c, %p : f64
        affine.store %q, %C[%i, %j] : memref<NIxNJxf64>
      }
    }
  }
  return
}
"""

GEMM_LINALG = """
func.func @gemm(%alpha: f64, %beta: f64, %C: memref<NIxNJxf64>, %A: memref<NIxNKxf64>,
                %B: memref<NKxNJxf64>) {
  %c = bufferization.to_tensor %C restrict writable : memref<NIxNJxf64> to tensor<NIxNJxf64>
  %a = bufferization.to_tensor %A restrict : memref<NIxNKxf64> to tensor<NIxNKxf64>
  %b = bufferization.to_tensor %B restrict : memref<NKxNJxf64> to tensor<NKxNJxf64>
  %betas = tensor.splat %beta : tensor<NIxNJxf64>
  %alphas = tensor.splat %alpha : tensor<NIxNKxf64>
  %ea = tensor.empty() : tensor<NIxNKxf64>
  %scaled = linalg.mul ins(%a, %alphas : tensor<NIxNKxf64>, tensor<NIxNKxf64>)
                       outs(%ea : tensor<NIxNKxf64>) -> tensor<NIxNKxf64>
  %kept = linalg.mul ins(%c, %betas : tensor<NIxNJxf64>, tensor<NIxNJxf64>)
                     outs(%c : tensor<NIxNJxf64>) -> tensor<NIxNJxf64>
  %r = linalg.matmul ins(%scaled, %b : tensor<NIxNKxf64>, tensor<NKxNJxf64>)
                     outs(%kept : tensor<NIxNJxf64>) -> tensor<NIxNJxf64>
  bufferization.materialize_in_destination %r in restrict writable %C
    : (tensor<NIxNJxf64>, memref<NIxNJxf64>) -> ()
  return
}
"""

SYRK_LOOPS = """
func.func @syrk(%alpha: f32, %C: memref<24x24xf32>, %A: memref<24x20xf32>) {
  affine.for %i = 0 to 24 {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      affine.for %k = 0 to 20 {
        %c = affine.load %C[%i, %j] : memref<24x24xf32>
        %a = affine.load %A[%i, %k] : memref<24x20xf32>
        %b = affine.load %A[%j, %k] : memref<24x20xf32>
        %p = arith.mulf %a, %b : f32
        %q = arith.mulf %alpha, %p : f32
        %s = arith.addf %c, %q : f32
        affine.store %s, %C[%i, %j] : memref<24x24xf32>
      }
    }
  }
  return
}
"""

SYRK_LINALG = """
#ij = affine_map<(i, j) -> (i, j)>
func.func @syrk(%alpha: f32, %C: memref<24x24xf32>, %A: memref<24x20xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = bufferization.to_tensor %C restrict writable : memref<24x24xf32> to tensor<24x24xf32>
  %a = bufferization.to_tensor %A restrict : memref<24x20xf32> to tensor<24x20xf32>
  %e = tensor.empty() : tensor<24x24xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<24x24xf32>) -> tensor<24x24xf32>
  %t = linalg.contract
    indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                     affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %a : tensor<24x20xf32>, tensor<24x20xf32>) outs(%z : tensor<24x24xf32>) -> tensor<24x24xf32>
  %r = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
    ins(%t : tensor<24x24xf32>) outs(%c : tensor<24x24xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %below = arith.cmpi sge, %i, %j : index
    %p = arith.mulf %alpha, %x : f32
    %s = arith.addf %old, %p : f32
    %v = arith.select %below, %s, %old : f32
    linalg.yield %v : f32
  } -> tensor<24x24xf32>
  bufferization.materialize_in_destination %r in restrict writable %C
    : (tensor<24x24xf32>, memref<24x24xf32>) -> ()
  return
}
"""

SWAP_LOOPS = """
func.func @swap(%A: memref<10xf64>, %B: memref<10xf64>) {
  affine.for %i = 0 to 10 {
    %a = affine.load %A[%i] : memref<10xf64>
    %b = affine.load %B[%i] : memref<10xf64>
    affine.store %b, %A[%i] : memref<10xf64>
    affine.store %a, %B[%i] : memref<10xf64>
  }
  return
}
"""

SWAP_HAZARD = """
func.func @swap(%A: memref<10xf64>, %B: memref<10xf64>) {
  %a = bufferization.to_tensor %A restrict writable : memref<10xf64> to tensor<10xf64>
  %b = bufferization.to_tensor %B restrict writable : memref<10xf64> to tensor<10xf64>
  bufferization.materialize_in_destination %b in restrict writable %A : (tensor<10xf64>, memref<10xf64>) -> ()
  bufferization.materialize_in_destination %a in restrict writable %B : (tensor<10xf64>, memref<10xf64>) -> ()
  return
}
"""

SWAP_COPIED = """
func.func @swap(%A: memref<10xf64>, %B: memref<10xf64>) {
  %old = bufferization.to_tensor %A restrict writable : memref<10xf64> to tensor<10xf64>
  %b = bufferization.to_tensor %B restrict writable : memref<10xf64> to tensor<10xf64>
  %a = bufferization.alloc_tensor() copy(%old) : tensor<10xf64>
  bufferization.materialize_in_destination %b in restrict writable %A : (tensor<10xf64>, memref<10xf64>) -> ()
  bufferization.materialize_in_destination %a in restrict writable %B : (tensor<10xf64>, memref<10xf64>) -> ()
  return
}
"""


def at_sizes(text: str, rows: int, columns: int, inner: int) -> str:
    """Fill in the sizes of a gemm."""
    return text.replace("NI", str(rows)).replace("NJ", str(columns)).replace("NK", str(inner))
