// RUN: kiln-opt %s --loop-inline-virtual -o /dev/null --remarks-filter=loop-inline-virtual 2>&1 | FileCheck %s

// What is no prologue is told with its reason: two loads, a mask, a value of its place,
// an integer, a high cost, another reader, and indices that are no straight lines.

// CHECK-DAG: remark: [Missed] no-prologue | Category:loop-inline-virtual | Function=two_loads | Reason="it is made of several loads", bytes=1024, contraction="Contraction([8, 16], [32], origins=[])", nest="Pointwise([8, 32], origins=[])"
// CHECK-DAG: no-prologue {{.*}} Function=masked_load | Reason="its load has a mask"
// CHECK-DAG: no-prologue {{.*}} Function=by_place | Reason="its value depends on its place"
// CHECK-DAG: no-prologue {{.*}} Function=nothing | Reason="it loads nothing"
// CHECK-DAG: no-prologue {{.*}} Function=gathered | Reason="it is made of several loads"
// CHECK-DAG: no-prologue {{.*}} Function=dear | Reason="it costs {{[0-9]+}} per element, more than 'max-prologue-cost' allows"
// CHECK-DAG: no-prologue {{.*}} Function=shared | Reason="others read it as well"
// CHECK-DAG: no-prologue {{.*}} Function=masked_product | Reason="the product has masks"
// CHECK-DAG: no-prologue {{.*}} Function=crooked | Reason="it would not be read along straight lines"
// CHECK-DAG: no-prologue {{.*}} Function=integers | Reason="integers are read from memory, but for bytes on a CPU"
!a = tensor<8x32xf32>
!b = tensor<16x32xf32>
!c = tensor<8x16xf32>
func.func @two_loads(%a: !a, %b: !b) -> !c {
  %s = loop.pointwise (%i, %j) in [8, 32] : !a {
    %x = loop.load %a[%i, %j] : !a
    %y = loop.load %a[%i, 31 - %j] : !a
    %z = arith.mulf %x, %y : f32
    loop.yield %z : f32
  }
  %c = loop.contract parallel [8, 16] reduction [32] lhs %s[d0, d2] : !a rhs %b[d1, d2] : !b acc f32 : !c
  return %c : !c
}
func.func @masked_load(%a: !a, %b: !b) -> !c {
  %s = loop.pointwise (%i, %j) in [8, 32] : !a {
    %zero = arith.constant 0.0 : f32
    %m = arith.constant true
    %x = loop.load %a[%i, %j] mask %m, %zero : tensor<8x32xf32>
    loop.yield %x : f32
  }
  %c = loop.contract parallel [8, 16] reduction [32] lhs %s[d0, d2] : !a rhs %b[d1, d2] : !b acc f32 : !c
  return %c : !c
}
func.func @by_place(%a: !a, %b: !b) -> !c {
  %s = loop.pointwise (%i, %j) in [8, 32] : !a {
    %x = loop.load %a[%i, %j] : !a
    %zero = arith.constant 0.0 : f32
    %m = arith.cmpi slt, %j, %i : index
    %y = arith.select %m, %x, %zero : f32
    loop.yield %y : f32
  }
  %c = loop.contract parallel [8, 16] reduction [32] lhs %s[d0, d2] : !a rhs %b[d1, d2] : !b acc f32 : !c
  return %c : !c
}
func.func @nothing(%b: !b) -> !c {
  %s = loop.pointwise (%i, %j) in [8, 32] : !a {
    %x = arith.constant 2.0 : f32
    loop.yield %x : f32
  }
  %c = loop.contract parallel [8, 16] reduction [32] lhs %s[d0, d2] : !a rhs %b[d1, d2] : !b acc f32 : !c
  return %c : !c
}
func.func @gathered(%t: tensor<8xi64>, %a: !a, %b: !b) -> !c {
  %s = loop.pointwise (%i, %j) in [8, 32] : !a {
    %p = loop.load %t[%i] : tensor<8xi64>
    %q = arith.index_cast %p : i64 to index
    %x = loop.load %a[%q, %j] : !a
    loop.yield %x : f32
  }
  %c = loop.contract parallel [8, 16] reduction [32] lhs %s[d0, d2] : !a rhs %b[d1, d2] : !b acc f32 : !c
  return %c : !c
}
func.func @dear(%a: !a, %b: !b) -> !c {
  %s = loop.pointwise (%i, %j) in [8, 32] : !a {
    %x = loop.load %a[%i, %j] : !a
    %y = math.exp %x : f32
    loop.yield %y : f32
  }
  %c = loop.contract parallel [8, 16] reduction [32] lhs %s[d0, d2] : !a rhs %b[d1, d2] : !b acc f32 : !c
  return %c : !c
}
func.func @shared(%a: !a, %b: !b) -> (!c, !c) {
  %s = loop.pointwise (%i, %j) in [8, 32] : !a {
    %x = loop.load %a[%i, %j] : !a
    %y = arith.addf %x, %x : f32
    loop.yield %y : f32
  }
  %c = loop.contract parallel [8, 16] reduction [32] lhs %s[d0, d2] : !a rhs %b[d1, d2] : !b acc f32 : !c
  %d = loop.contract parallel [8, 16] reduction [32] lhs %s[d0, 31 - d2] : !a rhs %b[d1, d2] : !b acc f32 : !c
  return %c, %d : !c, !c
}
func.func @masked_product(%a: !a, %b: !b) -> !c {
  %s = loop.pointwise (%i, %j) in [8, 32] : !a {
    %x = loop.load %a[%i, %j] : !a
    %y = arith.addf %x, %x : f32
    loop.yield %y : f32
  }
  %c = loop.contract parallel [8, 16] reduction [32] lhs %s[d0, d2] : !a mask lt(d2, 31) rhs %b[d1, d2] : !b mask 1 acc f32 : !c
  return %c : !c
}
func.func @crooked(%a: tensor<32x8xf32>, %b: !b) -> !c {
  %s = loop.pointwise (%i, %j) in [8, 32] : !a {
    %x = loop.load %a[mod(%i * 32 + %j, 32), mod(%i + %j, 8)] : tensor<32x8xf32>
    %y = arith.addf %x, %x : f32
    loop.yield %y : f32
  }
  %c = loop.contract parallel [8, 16] reduction [32] lhs %s[d0, d2] : !a rhs %b[d1, d2] : !b acc f32 : !c
  return %c : !c
}
func.func @integers(%a: tensor<8x32xi32>, %b: !b) -> !c {
  %s = loop.pointwise (%i, %j) in [8, 32] : !a {
    %x = loop.load %a[%i, %j] : tensor<8x32xi32>
    %y = arith.sitofp %x : i32 to f32
    loop.yield %y : f32
  }
  %c = loop.contract parallel [8, 16] reduction [32] lhs %s[d0, d2] : !a rhs %b[d1, d2] : !b acc f32 : !c
  return %c : !c
}
