// What LoopBuilder refuses to make; see test/lib/ExternalModels/LogSumExp.cpp.
func.func @main(%x: tensor<4x8xf32>, %u: tensor<?x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = "foreign.refuses"(%x) {how = "range"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = "foreign.refuses"(%x) {how = "rank"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = "foreign.refuses"(%x) {how = "body"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %3 = "foreign.refuses"(%x) {how = "sort"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %4 = "foreign.refuses"(%x) {how = "scan"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %5 = "foreign.refuses"(%x) {how = "epilogue"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %6 = "foreign.refuses"(%x) {how = "combiner"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %7 = "foreign.refuses"(%u) {how = "sizes"} : (tensor<?x8xf32>) -> tensor<?xf32>
  %8 = "foreign.refuses"(%u) {how = "product"} : (tensor<?x8xf32>) -> tensor<?xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?xf32>
}
