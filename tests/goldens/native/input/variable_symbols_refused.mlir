// RUN: not passes --take-variables %s | filecheck %s

// What is outside of the module may use the variable too, so it cannot become an argument.
// CHECK: variable 'count' is used in a function that calls what is not in the module
memref.global @count : memref<1xi32> = dense<0>
func.func private @outside()
func.func @f() -> i32 {
  %m = memref.get_global @count : memref<1xi32>
  %zero = arith.constant 0 : index
  call @outside() : () -> ()
  %x = memref.load %m[%zero] : memref<1xi32>
  return %x : i32
}
