// RUN: programs %s | filecheck %s

// A load at a position that is data is a load from an array that no memory holds, which says what it stands for.
// CHECK-LABEL: function gather(
// CHECK-NEXT: nest affine.for
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A3: f32[8], gathered G6: f32[8]; live A3
// CHECK-NEXT: for i4 = 0 to 8
// CHECK-NEXT: v7 = G6[i4]
// CHECK-NEXT: A3[i4] = v7
// CHECK-NEXT: G6 is A1[p0] with p0 = A2
func.func @gather(%a: memref<100xf32>, %at: memref<8xindex>, %out: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %p = affine.load %at[%i] : memref<8xindex>
    %x = memref.load %a[%p] : memref<100xf32>
    affine.store %x, %out[%i] : memref<8xf32>
  }
  return
}

// A store at such a position is refused: no tensor program writes at positions that are data.
// CHECK-LABEL: function scatter(
// CHECK-NEXT: refused affine.for: a subscript or bound is not an affine function of loop variables and sizes
// CHECK-NEXT: barrier func.return
func.func @scatter(%a: memref<100xf32>, %at: memref<8xindex>, %x: f32) {
  affine.for %i = 0 to 8 {
    %p = affine.load %at[%i] : memref<8xindex>
    memref.store %x, %a[%p] : memref<100xf32>
  }
  return
}
