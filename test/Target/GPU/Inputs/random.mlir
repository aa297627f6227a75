// Uniform and normal numbers, integers, and an order.
func.func @draws() -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xi64>, tensor<50xi64>) {
  %u = aten.rand(size = [64, 64]) : () -> tensor<64x64xf32>
  %n = aten.randn(size = [64, 64]) : () -> tensor<64x64xf32>
  %i = aten.randint(high = 10, size = [64]) : () -> tensor<64xi64>
  %p = aten.randperm(n = 50) : () -> tensor<50xi64>
  return %u, %n, %i, %p : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xi64>, tensor<50xi64>
}
