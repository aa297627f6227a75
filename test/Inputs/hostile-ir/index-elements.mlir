// kiln-compile: SIGSEGV in LLVM's printer (elements of type index became an array of garbage)
module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = loop.launch @kernels::@k(%arg0) symbols [] work 1 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  module @kernels {
    func.func @k(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: !llvm.ptr) {
      %0 = llvm.getelementptr %arg4[%arg2] : (!llvm.ptr, i64) -> !llvm.ptr, index
      llvm.store %arg2, %0 : i64, !llvm.ptr
      return
    }
  }
}
