// RUN: kiln-opt %s --convert-scf-to-cf --convert-kernel-to-llvm | FileCheck %s

// One conversion for everything that a kernel is made of.
// CHECK-LABEL: llvm.func @negate
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK: llvm.cond_br
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK: %[[N:.*]] = llvm.fneg %[[V]] : vector<8xf32>
// CHECK: llvm.store %[[N]], %{{.*}} : vector<8xf32>, !llvm.ptr
// CHECK: llvm.return
// CHECK-NOT: builtin.unrealized_conversion_cast
func.func @negate(%buffers: !llvm.ptr, %args: !llvm.ptr, %begin: i64, %end: i64,
                  %scratch: !llvm.ptr) {
  %p = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %from = arith.index_cast %begin : i64 to index
  %to = arith.index_cast %end : i64 to index
  %step = arith.constant 8 : index
  scf.for %i = %from to %to step %step {
    %at = arith.index_cast %i : index to i64
    %q = llvm.getelementptr %p[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %q : !llvm.ptr -> vector<8xf32>
    %n = arith.negf %v : vector<8xf32>
    llvm.store %n, %q : vector<8xf32>, !llvm.ptr
  }
  return
}
