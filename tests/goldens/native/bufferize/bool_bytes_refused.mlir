// RUN: not passes --to-bytes %s | filecheck %s

// CHECK: no form of 'vector.gather' for truth values in memory
func.func @gathered(%m: memref<8xi1>, %at: vector<4xindex>, %mask: vector<4xi1>, %i: index) -> vector<4xi1> {
  %x = vector.gather %m[%i] [%at], %mask, %mask : memref<8xi1>, vector<4xindex>, vector<4xi1>, vector<4xi1> into vector<4xi1>
  return %x : vector<4xi1>
}
