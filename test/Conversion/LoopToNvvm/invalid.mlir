// RUN: kiln-opt %s --convert-loop-to-nvvm --split-input-file --verify-diagnostics

!t = tensor<64xf32>
func.func @none(%x: !t) -> !t {
  // expected-error @below {{has no schedule, expected one as 'loop-choose-schedule' gives it}}
  %r = loop.kernel @k ins(%a = %x : !t) shared [64] -> !t {
    %p = loop.pointwise (%i) in [64] : !t {
      %e = loop.load %a[%i] : !t
      loop.yield %e : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

!t = tensor<64xf32>
func.func @cpu(%x: !t) -> !t {
  // expected-error @below {{which is not for a GPU, expected one as 'loop-choose-schedule' gives it in a module with a '#loop.gpu' as its 'loop.target'}}
  %r = loop.kernel @k ins(%a = %x : !t) shared [64]
      schedule #loop.across<lanes = 16, chunk = 64, sum_block = 0, masked = true, grain = 1> -> !t {
    %p = loop.pointwise (%i) in [64] : !t {
      %e = loop.load %a[%i] : !t
      loop.yield %e : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}
