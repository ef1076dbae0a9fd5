// RUN: programs %s | filecheck %s

// Two nests, and nothing between them that needs their order, are one program.
// CHECK-LABEL: function joined(
// CHECK-NEXT: nest affine.for
// CHECK-NEXT: nest affine.for
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A1: f32[8], argument A2: f32[8]; live A1, A2
// CHECK-NEXT: for i4 = 0 to 8
// CHECK-NEXT: A1[i4] = x3
// CHECK-NEXT: for i6 = 0 to 8
// CHECK-NEXT: v7 = A1[i6]
// CHECK-NEXT: A2[i6] = v7
func.func @joined(%a: memref<8xf32>, %b: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.store %x, %a[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %y = affine.load %a[%i] : memref<8xf32>
    affine.store %y, %b[%i] : memref<8xf32>
  }
  return
}

// A call between them may do anything to memory: two programs.
// CHECK-LABEL: function apart(
// CHECK-NEXT: nest affine.for
// CHECK-NEXT: barrier func.call
// CHECK-NEXT: nest affine.for
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A1: f32[8]; live A1
// CHECK-NEXT: for i4 = 0 to 8
// CHECK-NEXT: A1[i4] = x3
// CHECK-NEXT: program: argument A1: f32[8], argument A2: f32[8]; live A1, A2
// CHECK-NEXT: for i6 = 0 to 8
// CHECK-NEXT: v7 = A1[i6]
// CHECK-NEXT: A2[i6] = v7
func.func private @anything(memref<8xf32>)
func.func @apart(%a: memref<8xf32>, %b: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.store %x, %a[%i] : memref<8xf32>
  }
  call @anything(%a) : (memref<8xf32>) -> ()
  affine.for %i = 0 to 8 {
    %y = affine.load %a[%i] : memref<8xf32>
    affine.store %y, %b[%i] : memref<8xf32>
  }
  return
}
