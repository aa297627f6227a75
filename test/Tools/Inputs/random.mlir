// Draws in every way that needs no more than the words themselves.
func.func @main(%x: tensor<33x7xf32>)
    -> (tensor<33x7xf32>, tensor<50xi64>, tensor<100xi64>, tensor<33x7xi1>) {
  %u = aten.rand_like(%x) : (tensor<33x7xf32>) -> tensor<33x7xf32>
  %p = aten.randperm(n = 50) : () -> tensor<50xi64>
  %n = aten.randint.low(low = -5, high = 1000, size = [100])
      : () -> tensor<100xi64>
  %d, %m = aten.native_dropout(%x, p = 0.25, train = true)
      : (tensor<33x7xf32>) -> (tensor<33x7xf32>, tensor<33x7xi1>)
  return %u, %p, %n, %m
      : tensor<33x7xf32>, tensor<50xi64>, tensor<100xi64>, tensor<33x7xi1>
}
