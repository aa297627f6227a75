// 2 x + y, as the kernel of that name in the driver without a GPU computes it, of elements that
// are both looked at before.
func.func @main(
    %x: tensor<1000xf32> {aten.input = #aten.input<kind = user_input,
        name = "x", path = "[0][0]">},
    %y: tensor<1000xf32> {aten.input = #aten.input<kind = user_input,
        name = "y", path = "[0][1]">})
    -> (tensor<1000xf32> {aten.output = #aten.output<kind = user_output,
        name = "r", path = "">}) {
  %c = loop.kernel @check_x ins(%a = %x : tensor<1000xf32>) shared [] -> tensor<i1> {
    %p = loop.reduce parallel () in [] reduction (%i) in [1000] <all> : tensor<i1> {
      %limit = arith.constant 1.0e+03 : f32
      %e = loop.load %a[%i] : tensor<1000xf32>
      %less = arith.cmpf olt, %e, %limit : f32
      loop.yield %less : i1
    }
    loop.return %p : tensor<i1>
  }
  loop.extern "aten._assert_async.msg"(%c) arguments [#loop.operand<0>, "x is large"] : (tensor<i1>) -> () loc("model.py":3:1)
  %d = loop.kernel @check_y ins(%a = %y : tensor<1000xf32>) shared [] -> tensor<i1> {
    %p = loop.reduce parallel () in [] reduction (%i) in [1000] <all> : tensor<i1> {
      %limit = arith.constant 1.0e+03 : f32
      %e = loop.load %a[%i] : tensor<1000xf32>
      %less = arith.cmpf olt, %e, %limit : f32
      loop.yield %less : i1
    }
    loop.return %p : tensor<i1>
  }
  loop.extern "aten._assert_async.msg"(%d) arguments [#loop.operand<0>, "y is large"] : (tensor<i1>) -> () loc("model.py":4:1)
  %r = loop.kernel @fake_checked ins(%a = %x : tensor<1000xf32>,
      %b = %y : tensor<1000xf32>) shared [1000] -> tensor<1000xf32> {
    %p = loop.pointwise (%i) in [1000] : tensor<1000xf32> {
      %two = arith.constant 2.0 : f32
      %e = loop.load %a[%i] : tensor<1000xf32>
      %f = loop.load %b[%i] : tensor<1000xf32>
      %g = arith.mulf %e, %two : f32
      %h = arith.addf %g, %f : f32
      loop.yield %h : f32
    }
    loop.return %p : tensor<1000xf32>
  }
  return %r : tensor<1000xf32>
}
