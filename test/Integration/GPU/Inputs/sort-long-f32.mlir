func.func @main(%x: tensor<132x65536xf32>) -> (tensor<132x65536xi64>) {
  %r = loop.kernel @sort ins(%a = %x : tensor<132x65536xf32>) shared [132] -> tensor<132x65536xi64> {
    %s = loop.sort parallel (%i) in [132] along (%j) in [65536] at 1 : tensor<132x65536xi64> {
      %e = loop.load %a[%i, %j] : tensor<132x65536xf32>
      %k = arith.bitcast %e : f32 to i32
      loop.yield %k : i32
    }
    loop.return %s : tensor<132x65536xi64>
  }
  return %r : tensor<132x65536xi64>
}
