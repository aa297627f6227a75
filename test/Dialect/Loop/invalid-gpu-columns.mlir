// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{columns of a schedule is a power of two in 1..64, but found 128}}
func.func private @s() attributes {s = #loop.gpu_columns<threads = 64, lanes = 4, columns = 128, steps = 1>}

// -----

// expected-error @below {{steps of a schedule is in 1..64, with at most 256 lanes in all, but found 65 of 1}}
func.func private @s() attributes {s = #loop.gpu_columns<threads = 64, lanes = 1, columns = 64, steps = 65>}

// -----

!t = tensor<2x64x8xf32>
!c = tensor<2x8xf32>
func.func @columns(%x: !t) -> !t {
  // expected-error @below {{whose threads hold 32 elements of a column, but it has '64'}}
  %r = loop.kernel @columns ins(%a = %x : !t) shared [2]
      schedule #loop.gpu_columns<threads = 32, lanes = 1, columns = 8, steps = 8> -> !t {
    %m = loop.reduce parallel (%i, %k) in [2, 8] reduction (%j) in [64] <max> : !c {
      %0 = loop.load %a[%i, %j, %k] : !t
      loop.yield %0 : f32
    }
    %p = loop.pointwise (%i, %j, %k) in [2, 64, 8] : !t {
      %0 = loop.load %m[%i, %k] : !c
      loop.yield %0 : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

!t = tensor<2x64x8xf32>
!c = tensor<2x8xf32>
func.func @columns(%x: !t) -> !t {
  // expected-error @below {{that read of each other what is in their own column}}
  %r = loop.kernel @columns ins(%a = %x : !t) shared [2]
      schedule #loop.gpu_columns<threads = 32, lanes = 1, columns = 8, steps = 16> -> !t {
    %m = loop.reduce parallel (%i, %k) in [2, 8] reduction (%j) in [64] <max> : !c {
      %0 = loop.load %a[%i, %j, %k] : !t
      loop.yield %0 : f32
    }
    %p = loop.pointwise (%i, %j, %k) in [2, 64, 8] : !t {
      %0 = loop.load %m[%i, 7 - %k] : !c
      loop.yield %0 : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

// What reduces a dimension of 1 has a value for each element, not one for a column.
!t = tensor<3x2xf32>
!u = tensor<3x2x1xf32>
!c = tensor<3xf32>
func.func @unit(%x: !u) -> !c {
  // expected-error @below {{that read of each other what is in their own column}}
  %r = loop.kernel @unit ins(%a = %x : !u) shared [3]
      schedule #loop.gpu_columns<threads = 32, lanes = 1, columns = 8, steps = 1> -> !c {
    %s = loop.reduce parallel (%i, %j) in [3, 2] reduction (%k) in [1] <sum> : !t {
      %0 = loop.load %a[%i, %j, %k] : !u
      loop.yield %0 : f32
    }
    %t = loop.reduce parallel (%i) in [3] reduction (%j) in [2] <sum> : !c {
      %0 = loop.load %s[%i, %j] : !t
      loop.yield %0 : f32
    }
    loop.return %t : !c
  }
  return %r : !c
}
