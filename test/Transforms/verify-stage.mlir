// Each pipeline ends with the check of what it promises; ops that passes do not
// reach are named.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --kiln-verify-stage=stage=loop

// In a nested region.
func.func @nested(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{it stands inside of 'scf.if': passes rewrite what stands at the top of a 'func.func'}}
  %r = scf.if %c -> tensor<4xf32> {
    // expected-error @+1 {{'aten.relu' op belongs to stages 'capture' to 'joint', but the IR is to be of stage 'loop'; run 'kiln-loop' first}}
    %0 = aten.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// In a function of another kind.
// expected-note @+1 {{it stands inside of 'llvm.func'}}
llvm.func @other() {
  %x = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{'aten.relu' op belongs to stages 'capture' to 'joint'}}
  %0 = aten.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  llvm.return
}

// -----

// Of a stage that comes before, and one that comes later.
// expected-error @+1 {{'joint.graph' op belongs to stage 'joint', but the IR is to be of stage 'loop'; run 'kiln-joint' first}}
joint.graph @a primals() tangents() -> outputs() gradients() {
  joint.return outputs() gradients()
}

// -----

module @kernels {
  func.func private @k()
}
func.func @launch() -> tensor<4xf32> {
  // expected-error @+1 {{'loop.launch' op belongs to stage 'kernel', but the IR is to be of stage 'loop'; it comes from 'kiln-cpu'}}
  %0 = loop.launch @kernels::@k() symbols [] work 1 grain 1 : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Not in the form that the end of the stage promises.
func.func @unfused() -> tensor<4xf32> {
  // expected-error @+1 {{'loop.pointwise' op is not in the form of stage 'loop': expected it inside of a 'loop.kernel', where 'loop-fuse' puts it}}
  %0 = loop.pointwise (%i) in [4] : tensor<4xf32> {
    %one = arith.constant 1.0 : f32
    loop.yield %one : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @unscheduled(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'loop.kernel' op is not in the form of stage 'loop': expected a schedule, as 'loop-choose-schedule' gives it}}
  %0 = loop.kernel @k ins(%a = %x : tensor<4xf32>) shared [4] -> tensor<4xf32> {
    %r = loop.pointwise (%i) in [4] : tensor<4xf32> {
      %v = loop.load %a[%i] : tensor<4xf32>
      loop.yield %v : f32
    }
    loop.return %r : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Ops of other dialects may stand anywhere, and symbols at every stage.
guard.symbol @s0
func.func @foreign(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0 = tensor.extract_slice %x[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}
