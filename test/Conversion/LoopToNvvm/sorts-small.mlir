// RUN: kiln-opt %s --convert-loop-to-nvvm | FileCheck %s

// Two sorts, one of rows that the function declares and one of longer rows: the counters of
// the second get what the first leaves of 64 KB.

// CHECK: loop.launch_grid
// CHECK-SAME: kernel = @k, {{.*}}threads = 1024, shared = 16384>
// CHECK: llvm.mlir.global internal @k_keys() {{.*}}!llvm.array<44000 x i8>
module attributes {loop.target = #loop.gpu<chip = "sm_75", multiprocessors = 72, threads = 1024, registers = 65536, shared = 65536, l2 = 6291456>} {
func.func @f(%x: tensor<4x5500xi32>, %y: tensor<4x40000xi64>) -> (tensor<4x5500xi64>, tensor<4x40000xi64>) {
  %r:2 = loop.kernel @k ins(%a = %x : tensor<4x5500xi32>, %b = %y : tensor<4x40000xi64>) shared [4] schedule #loop.gpu_rows<threads = 1024, rows = 1, lanes = 1, steps = 0> -> (tensor<4x5500xi64>, tensor<4x40000xi64>) {
    %c = loop.sort parallel (%i) in [4] along (%j) in [5500] at 1 : tensor<4x5500xi64> {
      %e = loop.load %a[%i, %j] : tensor<4x5500xi32>
      loop.yield %e : i32
    }
    %d = loop.sort parallel (%i) in [4] along (%j) in [40000] at 1 : tensor<4x40000xi64> {
      %e = loop.load %b[%i, %j] : tensor<4x40000xi64>
      loop.yield %e : i64
    }
    loop.return %c, %d : tensor<4x5500xi64>, tensor<4x40000xi64>
  }
  return %r#0, %r#1 : tensor<4x5500xi64>, tensor<4x40000xi64>
}
}
