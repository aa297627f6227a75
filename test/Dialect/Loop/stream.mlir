// RUN: kiln-opt %s --loop-choose-schedule | FileCheck %s

// Results that the caches would not keep, as the target says, are written past them.

module attributes {loop.target = #loop.target<
    vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 1048576,
    l3 = 33554432, grain_points = 16384, grain_ns = 20000, stream = 65536>} {

// 64 KiB are, half of that is not.
// CHECK-LABEL: func.func @by_size
// CHECK: @large {{.*}} grain = 256, stream = [0]>
// CHECK: @small {{.*}} grain = 256>
func.func @by_size(%x: tensor<16384xf32>, %y: tensor<8192xf32>)
    -> (tensor<16384xf32>, tensor<8192xf32>) {
  %r = loop.kernel @large ins(%a = %x : tensor<16384xf32>) shared [16384]
      -> tensor<16384xf32> {
    %p = loop.pointwise (%i) in [16384] : tensor<16384xf32> {
      %v = loop.load %a[%i] : tensor<16384xf32>
      %n = arith.negf %v : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<16384xf32>
  }
  %s = loop.kernel @small ins(%a = %y : tensor<8192xf32>) shared [8192]
      -> tensor<8192xf32> {
    %p = loop.pointwise (%i) in [8192] : tensor<8192xf32> {
      %v = loop.load %a[%i] : tensor<8192xf32>
      %n = arith.negf %v : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<8192xf32>
  }
  return %r, %s : tensor<16384xf32>, tensor<8192xf32>
}

// An unknown size may be small.
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: stream =
func.func @dynamic(%x: tensor<?xf32, #guard.shape<[s0]>>)
    -> tensor<?xf32, #guard.shape<[s0]>> {
  %r = loop.kernel @k ins(%a = %x : tensor<?xf32, #guard.shape<[s0]>>)
      shared [s0] -> tensor<?xf32, #guard.shape<[s0]>> {
    %p = loop.pointwise (%i) in [s0] : tensor<?xf32, #guard.shape<[s0]>> {
      %v = loop.load %a[%i] : tensor<?xf32, #guard.shape<[s0]>>
      %n = arith.negf %v : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<?xf32, #guard.shape<[s0]>>
  }
  return %r : tensor<?xf32, #guard.shape<[s0]>>
}

// What lies where something was read has its lines in the caches already: the new
// contents of an argument, what takes the place of what a forward saved. The second result
// of the first kernel has memory of its own, but another kernel reads it.
// CHECK-LABEL: func.func @in_place
// CHECK: @update
// CHECK-NOT: stream =
// CHECK: @after
// CHECK-SAME: stream = [0]>
// CHECK: @saved
// CHECK-NOT: stream =
func.func @in_place(%x: tensor<16384xf32>, %y: tensor<16384xf32> {loop.saved})
    -> (tensor<16384xf32> {loop.updates = 0 : i64}, tensor<16384xf32>,
        tensor<16384xf32>) {
  %r:2 = loop.kernel @update ins(%a = %x : tensor<16384xf32>) shared [16384]
      -> (tensor<16384xf32>, tensor<16384xf32>) {
    %p = loop.pointwise (%i) in [16384] : tensor<16384xf32> {
      %v = loop.load %a[%i] : tensor<16384xf32>
      %n = arith.negf %v : f32
      loop.yield %n : f32
    }
    %q = loop.pointwise (%i) in [16384] : tensor<16384xf32> {
      %v = loop.load %p[%i] : tensor<16384xf32>
      %n = math.absf %v : f32
      loop.yield %n : f32
    }
    loop.return %p, %q : tensor<16384xf32>, tensor<16384xf32>
  }
  %s = loop.kernel @after ins(%a = %r#1 : tensor<16384xf32>)
      shared [16384] -> tensor<16384xf32> {
    %p = loop.pointwise (%i) in [16384] : tensor<16384xf32> {
      %v = loop.load %a[%i] : tensor<16384xf32>
      %n = arith.negf %v : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<16384xf32>
  }
  %u = loop.kernel @saved ins(%a = %y : tensor<16384xf32>) shared [16384]
      -> tensor<16384xf32> {
    %p = loop.pointwise (%i) in [16384] : tensor<16384xf32> {
      %v = loop.load %a[%i] : tensor<16384xf32>
      %n = arith.negf %v : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<16384xf32>
  }
  return %r#0, %s, %u
      : tensor<16384xf32>, tensor<16384xf32>, tensor<16384xf32>
}

// The rows that the kernel reads again stay; the last result of it goes past.
// CHECK-LABEL: func.func @read_again
// CHECK: schedule #loop.within<{{.*}}, stream = [1]>
func.func @read_again(%x: tensor<64x256xf32>)
    -> (tensor<64x256xf32>, tensor<64x256xf32>) {
  %r:2 = loop.kernel @k ins(%a = %x : tensor<64x256xf32>) shared [64]
      -> (tensor<64x256xf32>, tensor<64x256xf32>) {
    %p = loop.pointwise (%i, %j) in [64, 256] : tensor<64x256xf32> {
      %v = loop.load %a[%i, %j] : tensor<64x256xf32>
      %n = math.exp %v : f32
      loop.yield %n : f32
    }
    %s = loop.reduce parallel (%i) in [64] reduction (%j) in [256] <sum>
        : tensor<64xf32> {
      %v = loop.load %p[%i, %j] : tensor<64x256xf32>
      loop.yield %v : f32
    }
    %q = loop.pointwise (%i, %j) in [64, 256] : tensor<64x256xf32> {
      %v = loop.load %a[%i, %j] : tensor<64x256xf32>
      %w = loop.load %s[%i] : tensor<64xf32>
      %n = arith.subf %v, %w : f32
      loop.yield %n : f32
    }
    loop.return %p, %q : tensor<64x256xf32>, tensor<64x256xf32>
  }
  return %r#0, %r#1 : tensor<64x256xf32>, tensor<64x256xf32>
}

// Tiles that are turned have whole lines as well.
// CHECK-LABEL: func.func @turned
// CHECK: schedule #loop.transpose<dim = 0, lanes = 16, block = 64, grain = 4, stream = [0]>
func.func @turned(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<128x128xf32>) shared [128, 128]
      -> tensor<128x128xf32> {
    %p = loop.pointwise (%i, %j) in [128, 128] : tensor<128x128xf32> {
      %v = loop.load %a[%j, %i] : tensor<128x128xf32>
      loop.yield %v : f32
    }
    loop.return %p : tensor<128x128xf32>
  }
  return %r : tensor<128x128xf32>
}

// A number that is the same for all lanes has none: rows of a table are read in whole
// vectors, which are lines.
// CHECK-LABEL: func.func @rows
// CHECK: schedule #loop.across<lanes = 16, {{.*}} stream = [0]>
func.func @rows(%w: tensor<500x256xf32>, %n: tensor<64xi64>)
    -> tensor<64x256xf32> {
  %r = loop.kernel @k ins(%a = %w : tensor<500x256xf32>, %b = %n : tensor<64xi64>)
      shared [64, 256] -> tensor<64x256xf32> {
    %p = loop.pointwise (%i, %j) in [64, 256] : tensor<64x256xf32> {
      %c0 = arith.constant 0 : index
      %c499 = arith.constant 499 : index
      %u = loop.load %b[%i] : tensor<64xi64>
      %k = arith.index_cast %u : i64 to index
      %l = arith.minsi %k, %c499 : index
      %m = arith.maxsi %l, %c0 : index
      %v = loop.load %a[%m, %j] : tensor<500x256xf32>
      loop.yield %v : f32
    }
    loop.return %p : tensor<64x256xf32>
  }
  return %r : tensor<64x256xf32>
}

// One that lanes have each halves them, also where dimensions are walked as one.
// CHECK-LABEL: func.func @wide
// CHECK: schedule #loop.across<lanes = 8, chunk = {{[0-9]*}}, sum_block = 0, masked = true, grain = {{[0-9]*}}, stream = [0]>
func.func @wide(%x: tensor<64x256xi64>) -> tensor<64x256xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<64x256xi64>) shared [64, 256]
      -> tensor<64x256xf32> {
    %p = loop.pointwise (%i, %j) in [64, 256] : tensor<64x256xf32> {
      %u = loop.load %a[%i, %j] : tensor<64x256xi64>
      %v = arith.sitofp %u : i64 to f32
      loop.yield %v : f32
    }
    loop.return %p : tensor<64x256xf32>
  }
  return %r : tensor<64x256xf32>
}
}
