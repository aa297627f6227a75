// RUN: kiln-opt %s --kiln-fuse=chip=sm_90a | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: kiln-opt %s --kiln-fuse | FileCheck %s --check-prefixes=CHECK,CPU

// A row of 256 KiB between two nests fits into a processor's cache, not into the
// registers of a block.

// GPU: loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132
// CPU: loop.target = #loop.target<
// CHECK-LABEL: func.func @main
// CHECK: loop.kernel
// GPU-SAME: #loop.gpu_
// GPU: loop.kernel
// GPU-SAME: #loop.gpu_
// CHECK-NOT: loop.kernel
!t = tensor<256x65536xf32>
func.func @main(%x: !t) -> !t {
  %m = loop.reduce parallel (%i) in [256] reduction (%j) in [65536] <max> : tensor<256xf32> {
    %e = loop.load %x[%i, %j] : !t
    loop.yield %e : f32
  }
  %a = loop.scan parallel (%i) in [256] along (%j) in [65536] at 1 <sum> : !t {
    %e = loop.load %x[%i, %j] : !t
    %z = loop.load %m[%i] : tensor<256xf32>
    %d = arith.subf %e, %z : f32
    loop.yield %d : f32
  }
  %p = loop.pointwise (%i, %j) in [256, 65536] : !t {
    %e = loop.load %a[%i, %j] : !t
    %n = math.exp %e : f32
    loop.yield %n : f32
  }
  return %p : !t
}

// Of two reductions across memory to few points, one of which waits for the other, each is a
// kernel that is done in parts; on a processor parts and their sum are a kernel each.

// CHECK-LABEL: func.func @moments
// GPU: loop.kernel
// GPU-SAME: #loop.gpu_parts<{{.*}}, columns = {{[1-9].*}}>
// GPU: loop.kernel
// GPU-SAME: #loop.gpu_parts<{{.*}}, columns = {{[1-9].*}}>
// CPU-COUNT-4: loop.kernel
// CHECK: {{^ +}}return
func.func @moments(%x: tensor<65536x256xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %m = loop.reduce parallel (%i) in [256] reduction (%j) in [65536] <sum> : tensor<256xf32> {
    %e = loop.load %x[%j, %i] : tensor<65536x256xf32>
    loop.yield %e : f32
  }
  %v = loop.reduce parallel (%i) in [256] reduction (%j) in [65536] <sum> : tensor<256xf32> {
    %e = loop.load %x[%j, %i] : tensor<65536x256xf32>
    %s = loop.load %m[%i] : tensor<256xf32>
    %d = arith.subf %e, %s : f32
    %q = arith.mulf %d, %d : f32
    loop.yield %q : f32
  }
  return %m, %v : tensor<256xf32>, tensor<256xf32>
}

// Those that wait for nothing are done in parts together, however few columns there are, with
// what is made of their results.

// CHECK-LABEL: func.func @sums
// CHECK: loop.kernel
// GPU-SAME: shared [64]
// GPU-SAME: #loop.gpu_parts<{{.*}}, columns = {{[1-9].*}}>
// GPU-NOT: loop.kernel
// CPU: loop.kernel
// CHECK: {{^ +}}return
func.func @sums(%x: tensor<65536x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %m = loop.reduce parallel (%i) in [64] reduction (%j) in [65536] <sum> : tensor<64xf32> {
    %e = loop.load %x[%j, %i] : tensor<65536x64xf32>
    loop.yield %e : f32
  }
  %q = loop.reduce parallel (%i) in [64] reduction (%j) in [65536] <sum> : tensor<64xf32> {
    %e = loop.load %x[%j, %i] : tensor<65536x64xf32>
    %d = arith.mulf %e, %e : f32
    loop.yield %d : f32
  }
  %v = loop.pointwise (%i) in [64] : tensor<64xf32> {
    %a = loop.load %m[%i] : tensor<64xf32>
    %b = loop.load %q[%i] : tensor<64xf32>
    %c = arith.mulf %a, %a : f32
    %d = arith.subf %b, %c : f32
    loop.yield %d : f32
  }
  return %m, %v : tensor<64xf32>, tensor<64xf32>
}

// Of other extents each has its own.

// CHECK-LABEL: func.func @others
// GPU-COUNT-2: loop.kernel {{.*}} #loop.gpu_parts<{{.*}}, columns = {{[1-9].*}}>
// CHECK: {{^ +}}return
func.func @others(%x: tensor<65536x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %m = loop.reduce parallel (%i) in [64] reduction (%j) in [65536] <sum> : tensor<64xf32> {
    %e = loop.load %x[%j, %i] : tensor<65536x64xf32>
    loop.yield %e : f32
  }
  %q = loop.reduce parallel (%i) in [64] reduction (%j) in [32768] <sum> : tensor<64xf32> {
    %e = loop.load %x[%j, %i] : tensor<65536x64xf32>
    loop.yield %e : f32
  }
  return %m, %q : tensor<64xf32>, tensor<64xf32>
}

// Columns of 21 elements are too short for parts: sums that wait for maxima have their kernel,
// and registers the elements.

// CHECK-LABEL: func.func @short
// CHECK: loop.kernel
// GPU-SAME: #loop.gpu_columns<threads = 64, lanes = 4, columns = 16, steps = 6>
// CHECK-NOT: loop.kernel
// CHECK: {{^ +}}return
!c = tensor<8x21x64x64xf32>
!p = tensor<8x64x64xf32>
func.func @short(%x: !c) -> (!p, !p) {
  %m = loop.reduce parallel (%i, %j, %k) in [8, 64, 64] reduction (%l) in [21] <max> : !p {
    %e = loop.load %x[%i, %l, %j, %k] : !c
    loop.yield %e : f32
  }
  %s = loop.reduce parallel (%i, %j, %k) in [8, 64, 64] reduction (%l) in [21] <sum> : !p {
    %e = loop.load %x[%i, %l, %j, %k] : !c
    %z = loop.load %m[%i, %j, %k] : !p
    %d = arith.subf %e, %z : f32
    %n = math.exp %d : f32
    loop.yield %n : f32
  }
  return %m, %s : !p, !p
}

// What is read of a row at places that a sort gives is with other threads: another kernel,
// where a row is for several. Values of elements that come from outside are not.

// CHECK-LABEL: func.func @picked
// GPU: loop.kernel {{.*}} shared [512]
// GPU-SAME: #loop.gpu_rows<threads = 1024, rows = 1, lanes = 4, steps = 8>
// GPU: loop.kernel
// CPU: loop.kernel {{.*}} shared [512]
// CHECK-NOT: loop.kernel
// CHECK: return
func.func @picked(%x: tensor<512x32000xi32>) -> (tensor<512x50xi32>, tensor<512x50xi32>) {
  %m = loop.reduce parallel (%i, %k) in [512, 1] reduction (%j) in [32000] <max> : tensor<512x1xi32> {
    %e = loop.load %x[%i, %j] : tensor<512x32000xi32>
    loop.yield %e : i32
  }
  %d = loop.pointwise (%i, %j) in [512, 32000] : tensor<512x32000xi32> {
    %e = loop.load %x[%i, %j] : tensor<512x32000xi32>
    %f = loop.load %m[%i, 0] : tensor<512x1xi32>
    %g = arith.divsi %e, %f : i32
    %h = arith.divsi %g, %f : i32
    %l = arith.remsi %h, %f : i32
    loop.yield %l : i32
  }
  %t = loop.reduce parallel (%i, %k) in [512, 1] reduction (%j) in [32000] <sum> : tensor<512x1xi32> {
    %e = loop.load %d[%i, %j] : tensor<512x32000xi32>
    loop.yield %e : i32
  }
  %p = loop.sort parallel (%i) in [512] along (%j) in [32000] keeping [50] at 1 : tensor<512x50xi64> {
    %e = loop.load %d[%i, %j] : tensor<512x32000xi32>
    %f = loop.load %t[%i, 0] : tensor<512x1xi32>
    %g = arith.muli %e, %f : i32
    loop.yield %g : i32
  }
  %v = loop.pointwise (%i, %j) in [512, 50] : tensor<512x50xi32> {
    %k = loop.load %p[%i, %j] : tensor<512x50xi64>
    %at = arith.index_cast %k : i64 to index
    %e = loop.load %d[%i, %at] : tensor<512x32000xi32>
    loop.yield %e : i32
  }
  %w = loop.pointwise (%i, %j) in [512, 50] : tensor<512x50xi32> {
    %k = loop.load %p[%i, %j] : tensor<512x50xi64>
    %at = arith.index_cast %k : i64 to index
    %e = loop.load %x[%i, %at] : tensor<512x32000xi32>
    loop.yield %e : i32
  }
  return %v, %w : tensor<512x50xi32>, tensor<512x50xi32>
}

// What follows from a sum of everything, in parts, is in the function that adds these up.

// CHECK-LABEL: func.func @mean
// GPU: loop.kernel
// GPU-SAME: #loop.gpu_parts<{{.*}}, columns = 0>
// GPU: loop.reduce
// GPU: loop.pointwise
// GPU-NOT: loop.kernel
// GPU: {{^ +}}return
func.func @mean(%x: tensor<16777216xf32>) -> tensor<f32> {
  %s = loop.reduce parallel () in [] reduction (%i) in [16777216] <sum> : tensor<f32> {
    %e = loop.load %x[%i] : tensor<16777216xf32>
    loop.yield %e : f32
  }
  %m = loop.pointwise () in [] : tensor<f32> {
    %count = arith.constant 16777216.0 : f32
    %e = loop.load %s[] : tensor<f32>
    %d = arith.divf %e, %count : f32
    loop.yield %d : f32
  }
  return %m : tensor<f32>
}
