// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// Every op of the loop dialect, in its own text and in the generic form.

!t = tensor<?x4x8xf32, #guard.shape<[s77, 4, 8]>>

// An index is an expression over body indices and symbols.
// CHECK-LABEL: @pointwise
// CHECK: %[[R:.*]] = loop.pointwise (%[[I:.*]], %[[J:.*]], %[[K:.*]]) in [s77, 4, 8] origins ["exp"] : tensor<?x4x8xf32
// CHECK: loop.load %{{.*}}[%[[I]], %[[J]], %[[K]]] : tensor<?x4x8xf32
// CHECK: loop.load %{{.*}}[%[[J]] + floordiv(%[[I]] + 1, 2) + 1, %[[K]] * -1 + s77 - 1] : tensor<?x?xf32
// CHECK: loop.index (%[[I]] * 2 + s77 + 1)
// CHECK: loop.load %{{.*}}[%{{.*}}, 0, %[[K]]] mask %{{.*}}, %{{.*}} : tensor
func.func @pointwise(%a: !t,
    %b: tensor<?x?xf32, #guard.shape<[s1, s2]>>) -> !t {
  %r = loop.pointwise (%i, %j, %k) in [s77, 4, 8] origins ["exp"] : !t {
    %x = loop.load %a[%i, %j, %k] : !t
    %y = loop.load %b[floordiv(%i + 3, 2) + %j, s77 - %k - 1]
        : tensor<?x?xf32, #guard.shape<[s1, s2]>>
    %v = loop.index (%i * 2 + s77 + 1)
    %c = arith.constant 5 : index
    %zero = arith.constant 0.0 : f32
    %m = arith.cmpi slt, %v, %c : index
    %z = loop.load %a[%v, 0, %k] mask %m, %zero : !t
    %s = arith.addf %x, %y : f32
    %e = arith.addf %s, %z : f32
    loop.yield %e : f32
  }
  return %r : !t
}

// CHECK-LABEL: @reduce
// CHECK: loop.reduce parallel (%[[I:.*]]) in [4] reduction (%[[J:.*]], %[[K:.*]]) in [8, 2] <sum, argmax> origins ["sum_1", "argmax"] : tensor<4xf32>, tensor<4xf32>, tensor<4xi64>
func.func @reduce(%a: tensor<4x8x2xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi64>) {
  %s, %m, %n = loop.reduce parallel (%i) in [4] reduction (%j, %k) in [8, 2]
      <sum, argmax> origins ["sum_1", "argmax"]
      : tensor<4xf32>, tensor<4xf32>, tensor<4xi64> {
    %x = loop.load %a[%i, %j, %k] : tensor<4x8x2xf32>
    %d = arith.extf %x : f32 to f64
    %p = loop.index (%j * 2 + %k)
    %q = arith.index_cast %p : index to i64
    loop.yield %d, %x, %q : f64, f32, i64
  }
  return %s, %m, %n : tensor<4xf32>, tensor<4xf32>, tensor<4xi64>
}

// A reduction over everything, with its own combiner.
// CHECK-LABEL: @generic
// CHECK: loop.reduce parallel () in [] reduction (%{{.*}}) in [8] <generic> init(%{{.*}} : f32) : tensor<f32> {
// CHECK: } combine (%[[L:.*]]: f32, %[[R:.*]]: f32) {
// CHECK: arith.maximumf %[[L]], %[[R]]
func.func @generic(%a: tensor<8xf32>) -> tensor<f32> {
  %low = arith.constant 0xFF800000 : f32
  %m = loop.reduce parallel () in [] reduction (%j) in [8] <generic>
      init(%low : f32) : tensor<f32> {
    %x = loop.load %a[%j] : tensor<8xf32>
    loop.yield %x : f32
  } combine (%l : f32, %r : f32) {
    %x = arith.maximumf %l, %r : f32
    loop.yield %x : f32
  }
  return %m : tensor<f32>
}

// CHECK-LABEL: @groups
// CHECK: loop.contract parallel [6, 4] reduction [3, 8] lhs %{{.*}}[d0, d3] : tensor<6x8xf32> rhs %{{.*}}[d2, d3, d1] : tensor<3x8x4xf32> groups %{{.*}}(d2, d0) : tensor<3xi32> acc f32 : tensor<6x4xf32>
func.func @groups(%a: tensor<6x8xf32>, %b: tensor<3x8x4xf32>,
                  %ends: tensor<3xi32>) -> tensor<6x4xf32> {
  %r = loop.contract parallel [6, 4] reduction [3, 8]
      lhs %a[d0, d3] : tensor<6x8xf32> rhs %b[d2, d3, d1] : tensor<3x8x4xf32>
      groups %ends(d2, d0) : tensor<3xi32> acc f32 : tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

// CHECK-LABEL: @contract
// CHECK: loop.contract parallel [8, 16] reduction [32] lhs %{{.*}}[d0, d2] : tensor<8x32xbf16> rhs %{{.*}}[d2, d1] : tensor<32x16xbf16> acc f32 origins ["addmm"] : tensor<8x16xbf16>
// CHECK-SAME: lhs_prologue (%[[X:.*]]) {
// CHECK: } epilogue (%[[ACC:.*]], %{{.*}}, %[[J:.*]]) {
// CHECK: loop.load %{{.*}}[%[[J]]] : tensor<16xf32>
func.func @contract(%a: tensor<8x32xbf16>, %b: tensor<32x16xbf16>,
                    %bias: tensor<16xf32>) -> tensor<8x16xbf16> {
  %r = loop.contract parallel [8, 16] reduction [32]
      lhs %a[d0, d2] : tensor<8x32xbf16> rhs %b[d2, d1] : tensor<32x16xbf16>
      acc f32 origins ["addmm"] : tensor<8x16xbf16> lhs_prologue (%x) {
    %y = arith.negf %x : bf16
    loop.yield %y : bf16
  } epilogue (%acc, %i, %j) {
    %x = loop.load %bias[%j] : tensor<16xf32>
    %y = arith.addf %acc, %x : f32
    %z = arith.truncf %y : f32 to bf16
    loop.yield %z : bf16
  }
  return %r : tensor<8x16xbf16>
}

// A padded convolution reads zeros outside of its image.
// CHECK-LABEL: @convolution
// CHECK: lhs %{{.*}}[d2, d1 + d3 - 1] : tensor<3x8xf32> mask and(le(1, d1 + d3), lt(d1 + d3 - 1, 8))
// CHECK-SAME: rhs %{{.*}}[d0, d2, d3] : tensor<6x3x3xf32> mask 1 acc f32
func.func @convolution(%x: tensor<3x8xf32>, %w: tensor<6x3x3xf32>)
    -> tensor<6x8xf32> {
  %r = loop.contract parallel [6, 8] reduction [3, 3]
      lhs %x[d2, d1 + d3 - 1] : tensor<3x8xf32>
          mask and(le(1, d1 + d3), lt(d1 + d3 - 1, 8))
      rhs %w[d0, d2, d3] : tensor<6x3x3xf32> mask 1
      acc f32 : tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

// A scatter that reads what it has written, each row on its own.
// CHECK-LABEL: @recurrence
// CHECK: loop.scatter (%[[R:.*]], %[[K:.*]]) in [2, 6] independent 1 reading %[[W:.*]] into %{{.*}} <set> : tensor<2x8xi64>
// CHECK: loop.load %[[W]][%[[R]], %[[K]] + 1] : tensor<2x8xi64>
func.func @recurrence(%ones: tensor<2x8xi64>) -> tensor<2x8xi64> {
  %f = loop.scatter (%r, %k) in [2, 6] independent 1 reading %now into %ones
      <set> : tensor<2x8xi64> {
    %x = loop.load %now[%r, %k] : tensor<2x8xi64>
    %y = loop.load %now[%r, %k + 1] : tensor<2x8xi64>
    %z = arith.addi %x, %y : i64
    %p = loop.index (%k + 2)
    loop.yield_at %z at [%r, %p] : i64
  }
  return %f : tensor<2x8xi64>
}

// CHECK-LABEL: @scatter
// CHECK: loop.scatter (%[[N:.*]], %[[D:.*]]) in [6, 4] into %{{.*}} <add> : tensor<10x4xf32>
// CHECK: loop.yield_at %{{.*}} at[%{{.*}}, %[[D]]] if %{{.*}} : f32
func.func @scatter(%zero: tensor<10x4xf32>, %index: tensor<6xi64>,
                   %grad: tensor<6x4xf32>) -> tensor<10x4xf32> {
  %r = loop.scatter (%n, %d) in [6, 4] into %zero <add> : tensor<10x4xf32> {
    %i = loop.load %index[%n] : tensor<6xi64>
    %p = arith.index_cast %i : i64 to index
    %c = arith.constant -1 : i64
    %valid = arith.cmpi ne, %i, %c : i64
    %x = loop.load %grad[%n, %d] : tensor<6x4xf32>
    loop.yield_at %x at [%p, %d] if %valid : f32
  }
  return %r : tensor<10x4xf32>
}

// CHECK-LABEL: @scatter_grouped
// CHECK: loop.scatter (%[[N:.*]], %[[D:.*]]) in [6, 4] grouped into %{{.*}} <set> : tensor<10x4xf32>
func.func @scatter_grouped(%x: tensor<10x4xf32>, %y: tensor<6x4xf32>) -> tensor<10x4xf32> {
  %r = loop.scatter (%n, %d) in [6, 4] grouped into %x <set> : tensor<10x4xf32> {
    %p = loop.index (floordiv(%n, 2))
    %e = loop.load %y[%n, %d] : tensor<6x4xf32>
    loop.yield_at %e at [%p, %d] : f32
  }
  return %r : tensor<10x4xf32>
}

// CHECK-LABEL: @kernel
// CHECK: loop.kernel @k0 ins(%[[A:.*]] = %{{.*}} : tensor<4x8xf32>) shared [4] origins ["sum_1", "div"] schedule #loop.within<along = [32, 16], beside = [1, 1], sum_block = 128, masked = true, grain = 4> traffic #loop.traffic<read = 128, written = 128, unfused = 400> -> tensor<4x8xf32>
// CHECK: loop.return %{{.*}} : tensor<4x8xf32>
func.func @kernel(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = loop.kernel @k0 ins(%a = %x : tensor<4x8xf32>) shared [4]
      origins ["sum_1", "div"]
      schedule #loop.within<along = [32, 16], beside = [1, 1], sum_block = 128, masked = true, grain = 4>
      traffic #loop.traffic<read = 128, written = 128, unfused = 400>
      -> tensor<4x8xf32> {
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [8] <sum>
        : tensor<4xf32> {
      %e = loop.load %a[%i, %j] : tensor<4x8xf32>
      loop.yield %e : f32
    }
    %p = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {
      %e = loop.load %a[%i, %j] : tensor<4x8xf32>
      %z = loop.load %s[%i] : tensor<4xf32>
      %q = arith.divf %e, %z : f32
      loop.yield %q : f32
    }
    loop.return %p : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: @launch
// CHECK: loop.launch @kernels::@k0(%{{.*}}) symbols [s77] work s77 * 4 grain 64 scratch 256 {overwrites = array<i64: 0, 0>} : (tensor<?x4xf32
func.func @launch(%x: tensor<?x4xf32, #guard.shape<[s77, 4]>>)
    -> tensor<?x4xf32, #guard.shape<[s77, 4]>> {
  %r = loop.launch @kernels::@k0(%x) symbols [s77] work s77 * 4 grain 64
      scratch 256 {overwrites = array<i64: 0, 0>}
      : (tensor<?x4xf32, #guard.shape<[s77, 4]>>)
        -> tensor<?x4xf32, #guard.shape<[s77, 4]>>
  return %r : tensor<?x4xf32, #guard.shape<[s77, 4]>>
}

// CHECK-LABEL: @extern
// CHECK: loop.extern "aten.sort.default"(%{{.*}}) arguments [#loop.operand<0>, -1, false] reason "sorting has no kernel" : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>)
func.func @extern(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %v, %i = loop.extern "aten.sort.default"(%x)
      arguments [#loop.operand<0>, -1, false] reason "sorting has no kernel"
      : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return %v, %i : tensor<4xf32>, tensor<4xi64>
}

// CHECK-LABEL: @invoke
// CHECK: loop.invoke branch [@twice, @twice](%{{.*}}, %{{.*}}) : (i1, tensor<4xf32>) -> tensor<4xf32>
// CHECK: loop.invoke while [@positive, @twice](%{{.*}}) carried 1 : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: loop.invoke scan [@step](%{{.*}}, %{{.*}}) carried 1 scanned 1 : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>)
func.func @invoke(%p: i1, %x: tensor<4xf32>, %xs: tensor<3x4xf32>)
    -> (tensor<4xf32>, tensor<3x4xf32>) {
  %a = loop.invoke branch [@twice, @twice](%p, %x)
      : (i1, tensor<4xf32>) -> tensor<4xf32>
  %b = loop.invoke while [@positive, @twice](%a) carried 1
      : (tensor<4xf32>) -> tensor<4xf32>
  %c:2 = loop.invoke scan [@step](%b, %xs) carried 1 scanned 1
      : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>)
  return %c#0, %c#1 : tensor<4xf32>, tensor<3x4xf32>
}
func.func private @twice(tensor<4xf32>) -> tensor<4xf32>
func.func private @positive(tensor<4xf32>) -> tensor<i1>
func.func private @step(tensor<4xf32>, tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>)

// CHECK-LABEL: func @number
// CHECK: %[[N:.*]] = loop.number 5
// CHECK: loop.yield %[[N]] : i64
func.func @number() -> tensor<4xi64> {
  %r = loop.pointwise (%i) in [4] : tensor<4xi64> {
    %n = loop.number 5
    loop.yield %n : i64
  }
  return %r : tensor<4xi64>
}

// CHECK-LABEL: func @assemble
// CHECK: %[[A:.*]]:2 = loop.kernel @k
// CHECK: loop.return %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32> strides [#guard.shape<[24, 1]>, unit]
// CHECK: %[[B:.*]] = loop.launch_grid(%[[A]]#1)
// CHECK: loop.assemble(%[[A]]#0, %[[B]]) offsets [0, 8] strides [#guard.shape<[24, 1]>, #guard.shape<[24, 1]>] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<4x24xf32>
func.func @assemble(%x: tensor<4x8xf32>) -> tensor<4x24xf32> {
  %a:2 = loop.kernel @k ins(%i = %x : tensor<4x8xf32>) shared [4, 8]
      -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %p = loop.pointwise (%j, %k) in [4, 8] : tensor<4x8xf32> {
      %e = loop.load %i[%j, %k] : tensor<4x8xf32>
      loop.yield %e : f32
    }
    %q = loop.pointwise (%j, %k) in [4, 8] : tensor<4x8xf32> {
      %e = loop.load %i[%j, %k] : tensor<4x8xf32>
      loop.yield %e : f32
    }
    loop.return %p, %q : tensor<4x8xf32>, tensor<4x8xf32>
        strides [#guard.shape<[24, 1]>, unit]
  }
  %b = loop.launch_grid(%a#1) steps [#loop.step<kernel = @k0, symbols = [],
      blocks = #guard.expr<1>, threads = 128>] : (tensor<4x8xf32>) -> tensor<4x16xf32>
  %r = loop.assemble(%a#0, %b) offsets [0, 8]
      strides [#guard.shape<[24, 1]>, #guard.shape<[24, 1]>]
      : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<4x24xf32>
  return %r : tensor<4x24xf32>
}
