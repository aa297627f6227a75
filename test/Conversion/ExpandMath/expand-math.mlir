// RUN: kiln-opt %s --kiln-expand-math | FileCheck %s
// RUN: kiln-opt %s --kiln-expand-math=scales | FileCheck %s --check-prefix=SCALES
// RUN: kiln-opt %s --kiln-expand-math=powers | FileCheck %s --check-prefix=POWERS

// A function of any shape becomes arithmetic on that shape.
// CHECK-LABEL: func @vector
// CHECK-NOT: math.exp
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT: math.exp
// CHECK: return
func.func @vector(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// AVX-512 looks the fraction up and scales by the rest, in vectors of sixteen. Lanes that end
// at 0 are left out, as scaling to a denormal is slow.
// SCALES-LABEL: func @vector
// SCALES: %[[SHIFTED:.*]] = math.fma {{.*}} : vector<16xf32>
// SCALES: %[[N:.*]] = arith.subf %[[SHIFTED]], %{{.*}}
// SCALES: %[[INDEX:.*]] = arith.bitcast %[[SHIFTED]] : vector<16xf32> to vector<16xi32>
// SCALES: %[[TABLE:.*]] = arith.constant dense<[1.02704263, 1.0725137,
// SCALES: %[[POWER:.*]] = llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"(%[[TABLE]], %[[INDEX]])
// SCALES: %[[P:.*]] = math.fma %[[POWER]], %{{.*}}, %[[POWER]] : vector<16xf32>
// SCALES: %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%[[P]], %[[N]], %[[P]], %{{.*}}, %{{.*}})
// SCALES: %[[ZERO:.*]] = arith.select %{{.*}}, %{{.*}}, %[[R]] : vector<16xi1>, vector<16xf32>
// SCALES: return %[[ZERO]]

// Without, or for shapes that the instructions do not have, two products scale.
// SCALES-LABEL: func @rank_two
// SCALES-NOT: llvm.x86
// SCALES: arith.shli

// A GPU has 2^x, lane by lane.
// POWERS-LABEL: func @vector
// POWERS-COUNT-16: llvm.call_intrinsic "llvm.nvvm.fma.rn.sat.f"
// POWERS-COUNT-16: llvm.call_intrinsic "llvm.nvvm.fma.rm.f"
// POWERS: math.fma {{.*}} : vector<16xf32>
// POWERS-COUNT-16: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// POWERS: arith.shli {{.*}} : vector<16xi32>
// POWERS-LABEL: func @rank_two
// POWERS-NOT: llvm.nvvm
// CHECK-LABEL: func @rank_two
// CHECK-NOT: llvm.x86
func.func @rank_two(%x: vector<2x8xf32>) -> vector<2x8xf32> {
  %0 = math.exp %x : vector<2x8xf32>
  return %0 : vector<2x8xf32>
}

// f32 functions that are rarely hot are computed in f64.
// CHECK-LABEL: func @through_f64
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK-NOT: math.powf
// CHECK: arith.truncf %{{.*}} : f64 to f32
func.func @through_f64(%x: f32, %y: f32) -> f32 {
  %0 = math.powf %x, %y : f32
  return %0 : f32
}

// Small floats are computed in f32, even where f32 has an instruction.
// CHECK-LABEL: func @small
// CHECK-SAME: %[[X:.*]]: vector<8xbf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]] : vector<8xbf16> to vector<8xf32>
// CHECK: %[[ROOT:.*]] = math.sqrt %[[WIDE]] : vector<8xf32>
// CHECK: arith.truncf %[[ROOT]] : vector<8xf32> to vector<8xbf16>
func.func @small(%x: vector<8xbf16>) -> vector<8xbf16> {
  %0 = math.sqrt %x : vector<8xbf16>
  return %0 : vector<8xbf16>
}

// Huge arguments of sin are reduced in a branch of their own, taken if any lane
// needs it.
// CHECK-LABEL: func @reduction
// CHECK: vector.reduction <or>
// CHECK: scf.if
// CHECK-NOT: math.sin
func.func @reduction(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.sin %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// Instructions stay, as do types that are not floats.
// CHECK-LABEL: func @native
// CHECK: math.sqrt %{{.*}} : f64
// CHECK: math.absi %{{.*}} : i32
func.func @native(%x: f64, %i: i32) -> (f64, i32) {
  %0 = math.sqrt %x : f64
  %1 = math.absi %i : i32
  return %0, %1 : f64, i32
}

// Reciprocals and their roots are instructions of a GPU, too. Of quotients only those
// whose maker permits it.
// POWERS-LABEL: func @quotients
// POWERS-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32
// POWERS: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[Y]])
// POWERS: arith.mulf %[[X]], %[[R]]
// POWERS: arith.divf %[[X]], %[[Y]] : f32
// POWERS: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%[[X]])
// POWERS: arith.divf {{.*}} fastmath<afn> : f64
// CHECK-LABEL: func @quotients
// CHECK: arith.divf {{.*}} fastmath<afn> : f32
// CHECK: math.sqrt
func.func @quotients(%x: f32, %y: f32, %z: f64) -> (f32, f32, f32, f64) {
  %0 = arith.divf %x, %y fastmath<afn> : f32
  %1 = arith.divf %x, %y : f32
  %2 = math.rsqrt %x : f32
  %3 = arith.divf %z, %z fastmath<afn> : f64
  return %0, %1, %2, %3 : f32, f32, f32, f64
}

// One power of two and one reciprocal make a tanh there, no division.
// POWERS-LABEL: func @tanh
// POWERS-COUNT-1: llvm.nvvm.ex2.approx.ftz.f32
// POWERS-COUNT-1: llvm.nvvm.rcp.approx.ftz.f
// POWERS-NOT: arith.divf
// POWERS: return
func.func @tanh(%x: f32) -> f32 {
  %0 = math.tanh %x : f32
  return %0 : f32
}

// Where its maker permits it e^x is one product and one instruction, and erf has one polynomial
// and no other for what is near 0.
// POWERS-LABEL: func @coarse
// POWERS-SAME: %[[X:.*]]: f32
// POWERS: %[[S:.*]] = arith.mulf %[[X]], %{{.*}} : f32
// POWERS-NEXT: %[[E:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[S]])
// POWERS-COUNT-7: math.fma
// POWERS-NOT: math.fma
// POWERS: %[[P:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// POWERS: arith.subf %{{.*}}, %[[P]]
// POWERS-NEXT: %[[R:.*]] = math.copysign
// POWERS-NEXT: return %[[E]], %[[R]]
func.func @coarse(%x: f32) -> (f32, f32) {
  %0 = math.exp %x fastmath<afn> : f32
  %1 = math.erf %x fastmath<afn> : f32
  return %0, %1 : f32, f32
}

// The larger of two is x86's instruction, and a mask that keeps a NaN of the right one,
// which is none where that is a number. A GPU has it whole.
// CHECK-LABEL: func @maximum
// CHECK-SAME: %[[X:.*]]: vector<16xf32>, %[[Y:.*]]: vector<16xf32>
// CHECK: %[[BEYOND:.*]] = arith.cmpf ogt, %[[Y]], %[[X]] : vector<16xf32>
// CHECK: %[[LARGER:.*]] = arith.select %[[BEYOND]], %[[Y]], %[[X]] : vector<16xi1>, vector<16xf32>
// CHECK: %[[NUMBERS:.*]] = arith.cmpf ord, %[[Y]], %[[Y]] : vector<16xf32>
// CHECK: %[[MAX:.*]] = arith.select %[[NUMBERS]], %[[LARGER]], %[[Y]] : vector<16xi1>, vector<16xf32>
// CHECK: return %[[MAX]]
// POWERS-LABEL: func @maximum
// POWERS: arith.maximumf
func.func @maximum(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %0 = arith.maximumf %x, %y : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func @bounded
// CHECK-SAME: %[[X:.*]]: f64
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: %[[BELOW:.*]] = arith.cmpf olt, %[[ZERO]], %[[X]] : f64
// CHECK: %[[MIN:.*]] = arith.select %[[BELOW]], %[[ZERO]], %[[X]] : f64
// CHECK: return %[[MIN]]
func.func @bounded(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %0 = arith.minimumf %zero, %x : f64
  return %0 : f64
}

// Other numbers of lanes are parts of sixteen, or several of them, and f64 is scaled by an
// integer: a scalar has the bits of a vector.
// SCALES-LABEL: func @lanes
// SCALES-SAME: %[[ONE:.*]]: f32, %[[FOUR:.*]]: vector<4xf32>, %[[MANY:.*]]: vector<32xf32>, %[[WIDE:.*]]: vector<8xf64>
// SCALES: vector.broadcast %{{.*}} : i32 to vector<16xi32>
// SCALES: llvm.x86.avx512.permvar.sf.512
// SCALES: vector.extract %{{.*}}[0]
// SCALES: llvm.x86.avx512.mask.scalef.ps.512
// SCALES: vector.extract %{{.*}}[0]
// SCALES: vector.shuffle %{{.*}} [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3] : vector<4xi32>, vector<4xi32>
// SCALES: llvm.x86.avx512.permvar.sf.512
// SCALES: vector.shuffle %{{.*}} [0, 1, 2, 3] : vector<16xf32>, vector<16xf32>
// SCALES: llvm.x86.avx512.mask.scalef.ps.512
// SCALES-COUNT-2: llvm.x86.avx512.permvar.sf.512
// SCALES-COUNT-2: llvm.x86.avx512.mask.scalef.ps.512
// SCALES-NOT: llvm.x86
// SCALES: llvm.call_intrinsic "llvm.ldexp"({{.*}}) : (vector<8xf64>, vector<8xi64>) -> vector<8xf64>
func.func @lanes(%x: f32, %y: vector<4xf32>, %z: vector<32xf32>, %w: vector<8xf64>)
    -> (f32, vector<4xf32>, vector<32xf32>, vector<8xf64>) {
  %0 = math.exp %x : f32
  %1 = math.exp2 %y : vector<4xf32>
  %2 = math.exp %z : vector<32xf32>
  %3 = math.exp %w : vector<8xf64>
  return %0, %1, %2, %3 : f32, vector<4xf32>, vector<32xf32>, vector<8xf64>
}
