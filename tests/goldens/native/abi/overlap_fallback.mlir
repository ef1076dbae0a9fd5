// RUN: passes --take-fallbacks %s | filecheck %s

// Of a function that tests at run time what it assumes, what holds behind the test stays; the test and the other branch
// are compiled apart, in the order of the source to the last rounding.
// CHECK-LABEL: func.func @f(
// CHECK: linalg.fill ins(%arg2 : f32) outs(%arg0 : memref<8xf32>)
// CHECK-NOT: {{scf.if|linalg.fill|cmpi}}
func.func @f(%a: memref<8xf32>, %b: memref<8xf32>, %x: f32) {
  %p = memref.extract_aligned_pointer_as_index %a : memref<8xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %b : memref<8xf32> -> index
  %apart = arith.cmpi ne, %p, %q : index
  scf.if %apart {
    linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  } else {
    linalg.fill ins(%x : f32) outs(%b : memref<8xf32>)
  }
  return
}
