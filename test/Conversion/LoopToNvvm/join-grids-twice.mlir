// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm --loop-join-grids | FileCheck %s

// Two launches and two more that read what the first ones make: what is read of a launch
// that has become another one is read of that.

// CHECK-LABEL: func.func @twice
// CHECK: %[[R:.*]]:2 = loop.launch_grid(%arg0, %arg1)
// CHECK: %[[Q:.*]]:2 = loop.launch_grid(%[[R]]#0, %[[R]]#1)
// CHECK-NOT: loop.launch_grid
// CHECK: return %[[Q]]#0, %[[Q]]#1

!t = tensor<2560xf32>
func.func @twice(%x: !t, %y: !t) -> (!t, !t) {
  %a = loop.kernel @a ins(%p = %x : !t) shared [2560] -> !t {
    %r = loop.pointwise (%i) in [2560] : !t {
      %e = loop.load %p[%i] : !t
      %d = math.absf %e : f32
      loop.yield %d : f32
    }
    loop.return %r : !t
  }
  %b = loop.kernel @b ins(%p = %y : !t) shared [2560] -> !t {
    %r = loop.pointwise (%i) in [2560] : !t {
      %e = loop.load %p[%i] : !t
      %d = arith.mulf %e, %e : f32
      loop.yield %d : f32
    }
    loop.return %r : !t
  }
  %c = loop.kernel @c ins(%p = %a : !t) shared [2560] -> !t {
    %r = loop.pointwise (%i) in [2560] : !t {
      %e = loop.load %p[%i] : !t
      %d = arith.negf %e : f32
      loop.yield %d : f32
    }
    loop.return %r : !t
  }
  %d = loop.kernel @d ins(%p = %b : !t) shared [2560] -> !t {
    %r = loop.pointwise (%i) in [2560] : !t {
      %e = loop.load %p[%i] : !t
      %d = arith.addf %e, %e : f32
      loop.yield %d : f32
    }
    loop.return %r : !t
  }
  return %c, %d : !t, !t
}
