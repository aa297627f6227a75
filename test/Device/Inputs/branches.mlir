// Two kernels for each half, which need nothing of each other, and one for both.
func.func @main(
    %x: tensor<1000xf32> {aten.input = #aten.input<kind = user_input,
        name = "x", path = "[0][0]">})
    -> (tensor<1000xf32> {aten.output = #aten.output<kind = user_output,
        name = "r", path = "[0]">}) {
  %a = loop.kernel @largest ins(%u = %x : tensor<1000xf32>) shared [] -> tensor<f32> {
    %p = loop.reduce parallel () in [] reduction (%i) in [1000] <max> : tensor<f32> {
      %u0 = loop.load %u[%i] : tensor<1000xf32>
      loop.yield %u0 : f32
    }
    loop.return %p : tensor<f32>
  }
  %c = loop.kernel @below_it ins(%u = %x : tensor<1000xf32>, %v = %a : tensor<f32>)
      shared [1000] -> tensor<1000xf32> {
    %p = loop.pointwise (%i) in [1000] : tensor<1000xf32> {
      %u0 = loop.load %u[%i] : tensor<1000xf32>
      %v0 = loop.load %v[] : tensor<f32>
      %n = arith.subf %u0, %v0 : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<1000xf32>
  }
  %b = loop.kernel @sum ins(%u = %x : tensor<1000xf32>) shared [] -> tensor<f32> {
    %p = loop.reduce parallel () in [] reduction (%i) in [1000] <sum> : tensor<f32> {
      %u0 = loop.load %u[%i] : tensor<1000xf32>
      loop.yield %u0 : f32
    }
    loop.return %p : tensor<f32>
  }
  %d = loop.kernel @beside_it ins(%u = %x : tensor<1000xf32>, %v = %b : tensor<f32>)
      shared [1000] -> tensor<1000xf32> {
    %p = loop.pointwise (%i) in [1000] : tensor<1000xf32> {
      %u0 = loop.load %u[%i] : tensor<1000xf32>
      %v0 = loop.load %v[] : tensor<f32>
      %n = arith.divf %u0, %v0 : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<1000xf32>
  }
  %r = loop.kernel @both ins(%u = %c : tensor<1000xf32>, %v = %d : tensor<1000xf32>)
      shared [1000] -> tensor<1000xf32> {
    %p = loop.pointwise (%i) in [1000] : tensor<1000xf32> {
      %u0 = loop.load %u[%i] : tensor<1000xf32>
      %v0 = loop.load %v[%i] : tensor<1000xf32>
      %n = arith.addf %u0, %v0 : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<1000xf32>
  }
  return %r : tensor<1000xf32>
}
