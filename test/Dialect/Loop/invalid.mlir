// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'loop.pointwise' op expects a result of rank 2, but found 'tensor<4xf32>'}}
  %r = loop.pointwise (%i, %j) in [4, 4] : tensor<4xf32> {
    %v = loop.load %x[%i] : tensor<4xf32>
    loop.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @size(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'loop.pointwise' op expects dimension 0 of its result to be s0, but found 4}}
  %r = loop.pointwise (%i) in [s0] : tensor<4xf32> {
    %v = loop.load %x[%i] : tensor<4xf32>
    loop.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @yield(%x: tensor<4xf32>) -> tensor<4xbf16> {
  // expected-error @+1 {{'loop.pointwise' op expects its body to yield one 'bf16', but found 'f32'}}
  %r = loop.pointwise (%i) in [4] : tensor<4xbf16> {
    %v = loop.load %x[%i] : tensor<4xf32>
    loop.yield %v : f32
  }
  return %r : tensor<4xbf16>
}

// -----

func.func @load(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %r = loop.pointwise (%i) in [4] : tensor<4xf32> {
    // expected-error @+1 {{'loop.load' op expects 2 indices into 'tensor<4x4xf32>', but found 1}}
    %v = loop.load %x[%i] : tensor<4x4xf32>
    loop.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @kinds(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @+1 {{'loop.reduce' op expects kinds that cover its 1 accumulators, but found 2}}
  %r = loop.reduce parallel () in [] reduction (%i) in [4] <argmax> : tensor<f32> {
    %v = loop.load %x[%i] : tensor<4xf32>
    loop.yield %v : f32
  }
  return %r : tensor<f32>
}

// -----

func.func @welford(%x: tensor<4xi32>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  // expected-error @+1 {{'loop.reduce' op expects the mean of 'welford' to be a float, but found 'i32'}}
  %m, %s, %w = loop.reduce parallel () in [] reduction (%i) in [4] <welford> : tensor<i32>, tensor<i32>, tensor<i32> {
    %v = loop.load %x[%i] : tensor<4xi32>
    loop.yield %v, %v, %v : i32, i32, i32
  }
  return %m, %s, %w : tensor<i32>, tensor<i32>, tensor<i32>
}

// -----

func.func @argmax(%x: tensor<4xf32>) -> (tensor<f32>, tensor<i32>) {
  // expected-error @+1 {{'loop.reduce' op expects the index of 'argmax' to be i64, but found 'i32'}}
  %m, %p = loop.reduce parallel () in [] reduction (%i) in [4] <argmax> : tensor<f32>, tensor<i32> {
    %v = loop.load %x[%i] : tensor<4xf32>
    %k = arith.index_cast %i : index to i32
    loop.yield %v, %k : f32, i32
  }
  return %m, %p : tensor<f32>, tensor<i32>
}

// -----

func.func @no_reduction(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'loop.reduce' op expects at least one reduction extent}}
  %r = loop.reduce parallel (%i) in [4] reduction () in [] <sum> : tensor<4xf32> {
    %v = loop.load %x[%i] : tensor<4xf32>
    loop.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @ends_of_i64(%a: tensor<6x8xf32>, %b: tensor<3x8x4xf32>, %ends: tensor<3xi64>) -> tensor<6x4xf32> {
  // expected-error @+1 {{'loop.contract' op expects the ends of groups to be a row of i32, but found 'tensor<3xi64>'}}
  %r = loop.contract parallel [6, 4] reduction [3, 8] lhs %a[d0, d3] : tensor<6x8xf32> rhs %b[d2, d3, d1] : tensor<3x8x4xf32> groups %ends(d2, d0) : tensor<3xi64> acc f32 : tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

// -----

func.func @other_ends(%a: tensor<6x8xf32>, %b: tensor<3x8x4xf32>, %ends: tensor<2xi32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{'loop.contract' op expects 3 ends, but found 'tensor<2xi32>'}}
  %r = loop.contract parallel [6, 4] reduction [3, 8] lhs %a[d0, d3] : tensor<6x8xf32> rhs %b[d2, d3, d1] : tensor<3x8x4xf32> groups %ends(d2, d0) : tensor<2xi32> acc f32 : tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

// -----

func.func @group_dim(%a: tensor<6x8xf32>, %b: tensor<3x8x4xf32>, %ends: tensor<3xi32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{'loop.contract' op expects groups over 4 dimensions, but found d5}}
  %r = loop.contract parallel [6, 4] reduction [3, 8] lhs %a[d0, d3] : tensor<6x8xf32> rhs %b[d2, d3, d1] : tensor<3x8x4xf32> groups %ends(d5, d0) : tensor<3xi32> acc f32 : tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

// -----

func.func @both_reduced(%a: tensor<6x8xf32>, %b: tensor<3x8x4xf32>, %ends: tensor<3xi32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{'loop.contract' op expects to reduce either the groups or their members}}
  %r = loop.contract parallel [6, 4] reduction [3, 8] lhs %a[d0, d3] : tensor<6x8xf32> rhs %b[d2, d3, d1] : tensor<3x8x4xf32> groups %ends(d2, d3) : tensor<3xi32> acc f32 : tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

// -----

func.func @one_dim(%a: tensor<6x8xf32>, %b: tensor<3x8x4xf32>, %ends: tensor<3xi32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{expected a group and a member, found 1 dimensions}}
  %r = loop.contract parallel [6, 4] reduction [3, 8] lhs %a[d0, d3] : tensor<6x8xf32> rhs %b[d2, d3, d1] : tensor<3x8x4xf32> groups %ends(d2) : tensor<3xi32> acc f32 : tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

// -----

func.func @contract(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{'loop.contract' op expects indices over 3 dimensions, but found 'd3'}}
  %r = loop.contract parallel [4, 4] reduction [8] lhs %a[d0, d3] : tensor<4x8xf32> rhs %b[d2, d1] : tensor<8x4xf32> acc f32 : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

func.func @kernel(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<4x8xf32>) shared [4] -> tensor<4x8xf32> {
    %s = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {
      %e = loop.load %a[%i, %j] : tensor<4x8xf32>
      loop.yield %e : f32
    }
    %p = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {
      // expected-error @+1 {{'loop.load' op expects index 0 to be the kernel's shared index 0, because the tensor is computed in the kernel}}
      %e = loop.load %s[3 - %i, %j] : tensor<4x8xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// -----

func.func @operand(%x: tensor<4xf32>) {
  // expected-error @+1 {{'loop.extern' op names operand 1, but has 1}}
  loop.extern "aten.foo.default"(%x) arguments [#loop.operand<0>, #loop.operand<1>] : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @callees(%p: i1) {
  // expected-error @+1 {{'loop.invoke' op expects 2 callees, but found 1}}
  loop.invoke branch [@callees](%p) : (i1) -> ()
  return
}

// -----

func.func @predicate() {
  // expected-error @+1 {{'loop.invoke' op expects a predicate as its first operand}}
  loop.invoke branch [@predicate, @predicate]() : () -> ()
  return
}

// -----

func.func @carried(%x: tensor<4xf32>) {
  // expected-error @+1 {{'loop.invoke' op cannot carry 1 and take slices of 1 of its 1 operands for 0 results}}
  loop.invoke scan [@carried](%x) carried 1 scanned 1 : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @missing(%p: i1) {
  // expected-error @+1 {{'loop.invoke' op expects 'nothing' to be a function}}
  loop.invoke branch [@nothing, @nothing](%p) : (i1) -> ()
  return
}

// -----

func.func private @two(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @signature(%p: i1, %x: tensor<4xf32>) {
  // expected-error @+1 {{'loop.invoke' op expects 'two' to take 1 arguments and return 1 results, but found 2 and 1}}
  %r = loop.invoke branch [@two, @two](%p, %x)
      : (i1, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Who looks after an element sees its points along the first extent.
func.func @scatter_grouped(%x: tensor<8x4xf32>, %g: tensor<3x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{expects a body that does not read what has been written, and every index but the first as a position, because its points are grouped}}
  %r = loop.scatter (%i, %j) in [3, 4] grouped into %x <add> : tensor<8x4xf32> {
    %p = loop.index (mod(%j, 2))
    %e = loop.load %g[%i, %j] : tensor<3x4xf32>
    loop.yield_at %e at [%i, %p] : f32
  }
  return %r : tensor<8x4xf32>
}

// -----

// Writes are of numbers that processors have.
func.func @scatter_complex(%x: tensor<8xcomplex<f64>>, %g: tensor<3xcomplex<f64>>) -> tensor<8xcomplex<f64>> {
  // expected-error @below {{'loop.scatter' op expects elements that are integers or floats, but found 'complex<f64>'}}
  %r = loop.scatter (%i) in [3] into %x <set> : tensor<8xcomplex<f64>> {
    %e = loop.load %g[%i] : tensor<3xcomplex<f64>>
    loop.yield_at %e at [%i] : complex<f64>
  }
  return %r : tensor<8xcomplex<f64>>
}

// -----

// What is overwritten is there.
func.func @place(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'loop.launch' op expects pairs of one of 1 results and one of 1 inputs in 'overwrites'}}
  %0 = loop.launch @kernels::@k(%a) symbols [] work 1 grain 1 {overwrites = array<i64: 0, 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{vector_bits of a target is in 128..512, a power of 2, but found 3}}
module attributes {loop.target = #loop.target<vector_bits = 3, registers = 16, masks = false, l1 = 0, l2 = 0, l3 = 0, grain_points = 1, grain_ns = 1>} {
}

// -----

// expected-error @below {{registers of a target is in 8..64, but found 65}}
module attributes {loop.target = #loop.target<vector_bits = 256, registers = 65, masks = false, l1 = 0, l2 = 0, l3 = 0, grain_points = 1, grain_ns = 1>} {
}

// -----

// expected-error @below {{l2 of a target is in 0..1099511627776, but found -1}}
module attributes {loop.target = #loop.target<vector_bits = 256, registers = 16, masks = false, l1 = 0, l2 = -1, l3 = 0, grain_points = 1, grain_ns = 1>} {
}

// -----

// expected-error @below {{grain_points of a target is in 1..1000000000, but found 0}}
module attributes {loop.target = #loop.target<vector_bits = 256, registers = 16, masks = false, l1 = 0, l2 = 0, l3 = 0, grain_points = 0, grain_ns = 1>} {
}

// -----

// expected-error @below {{grain_ns of a target is in 1..1000000000, but found 9223372036854775807}}
module attributes {loop.target = #loop.target<vector_bits = 256, registers = 16, masks = false, l1 = 0, l2 = 0, l3 = 0, grain_points = 1, grain_ns = 9223372036854775807>} {
}

// -----

// expected-error @below {{'builtin.module' op has 'loop.target', expected it on a module, as a '#loop.target' or '#loop.gpu'}}
module attributes {loop.target = 256 : i64} {
}

// -----

func.func @number() -> i64 {
  // expected-error @+1 {{'loop.number' op expects parent op to be one of 'loop.pointwise, loop.reduce, loop.scan, loop.sort, loop.contract, loop.scatter'}}
  %n = loop.number 4
  return %n : i64
}

// -----

// A contraction sums up the rows of its kernel, and they read the sum.

func.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8] -> tensor<8x8xf32> {
    %p = loop.pointwise (%i, %j) in [8, 8] : tensor<8x8xf32> {
      %u = loop.load %a[%i, %j] : tensor<8x8xf32>
      loop.yield %u : f32
    }
    // expected-error @below {{sums up the rows of its kernel, which expects its result to be returned and not read}}
    %c = loop.contract parallel [8, 8] reduction [8] lhs %p[d2, d0] : tensor<8x8xf32>
        rhs %a[d2, d1] : tensor<8x8xf32> acc f32 : tensor<8x8xf32>
    %q = loop.pointwise (%i, %j) in [8, 8] : tensor<8x8xf32> {
      %u = loop.load %c[%i, %j] : tensor<8x8xf32>
      loop.yield %u : f32
    }
    loop.return %q : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

// What is done around a product reads another row than its own.

func.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8] -> tensor<8x8xf32> {
    %p = loop.pointwise (%i, %j) in [8, 8] : tensor<8x8xf32> {
      %u = loop.load %a[%i, %j] : tensor<8x8xf32>
      loop.yield %u : f32
    }
    %c = loop.contract parallel [8, 8] reduction [8] lhs %a[d0, d2] : tensor<8x8xf32>
        rhs %a[d2, d1] : tensor<8x8xf32> acc f32 : tensor<8x8xf32> epilogue (%acc, %i, %j) {
      // expected-error @below {{expects index 0 to be the kernel's shared index 0, because the tensor is computed in the kernel}}
      %u = loop.load %p[%j, %i] : tensor<8x8xf32>
      %v = arith.mulf %acc, %u : f32
      loop.yield %v : f32
    }
    loop.return %c : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

// A contraction reads what its kernel computes across the shared dimension.

func.func @f(%x: tensor<8x9xf32>) -> tensor<9x9xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x9xf32>) shared [8] -> tensor<9x9xf32> {
    %p = loop.pointwise (%i, %j) in [8, 9] : tensor<8x9xf32> {
      %u = loop.load %a[%i, %j] : tensor<8x9xf32>
      loop.yield %u : f32
    }
    // expected-error @below {{expects its extents to start with those its kernel shares, or to read what the kernel computes at dimensions with these extents}}
    %c = loop.contract parallel [9, 9] reduction [8] lhs %p[7 - d2, d0] : tensor<8x9xf32>
        rhs %a[d2, d1] : tensor<8x9xf32> acc f32 : tensor<9x9xf32>
    loop.return %c : tensor<9x9xf32>
  }
  return %r : tensor<9x9xf32>
}

// -----

func.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{expects a contraction to be its only nest, or to stand with pointwise nests and reductions}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8] -> tensor<8x8xf32> {
    %c = loop.contract parallel [8, 8] reduction [8] lhs %a[d0, d2] : tensor<8x8xf32>
        rhs %a[d2, d1] : tensor<8x8xf32> acc f32 : tensor<8x8xf32>
    %d = loop.contract parallel [8, 8] reduction [8] lhs %c[d0, d2] : tensor<8x8xf32>
        rhs %a[d2, d1] : tensor<8x8xf32> acc f32 : tensor<8x8xf32>
    loop.return %d : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

func.func @contraction_beyond_its_tensor(%x: tensor<4x8xf32>, %y: tensor<8x2xf32>)
    -> tensor<4x2xf32> {
  // expected-error @+1 {{'loop.contract' op reads without a mask at 'd2', which runs from 0 to 4294967295, expected indices of dimension 1 of 'tensor<4x8xf32>'}}
  %0 = loop.contract parallel [4, 2] reduction [4294967296] lhs %x[d0, d2] : tensor<4x8xf32>
    rhs %y[d2, d1] : tensor<8x2xf32> acc f32 : tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @load_before_its_tensor(%x: tensor<10xf32>) -> tensor<4xf32> {
  %0 = loop.pointwise (%i) in [4] : tensor<4xf32> {
    // expected-error @+1 {{'loop.load' op reads without a mask at 'd0 * -2 + 5', which runs from -1 to 5, expected indices of dimension 0 of 'tensor<10xf32>'}}
    %a = loop.load %x[5 - 2 * %i] : tensor<10xf32>
    loop.yield %a : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// Where there is a mask, no point, or an index that is computed, nothing is said.

func.func @nothing_is_known(%x: tensor<4xf32>, %n: tensor<0xf32>, %k: tensor<4xi64>)
    -> (tensor<4xf32>, tensor<0xf32>, tensor<4xf32>) {
  %0 = loop.pointwise (%i) in [4] : tensor<4xf32> {
    %one = loop.index (%i + 1)
    %four = arith.constant 4 : index
    %in = arith.cmpi slt, %one, %four : index
    %o = arith.constant 0.0 : f32
    %a = loop.load %x[%i + 1] mask %in, %o : tensor<4xf32>
    loop.yield %a : f32
  }
  %1 = loop.pointwise (%i) in [0] : tensor<0xf32> {
    %a = loop.load %n[0] : tensor<0xf32>
    loop.yield %a : f32
  }
  %2 = loop.pointwise (%i) in [4] : tensor<4xf32> {
    %j = loop.load %k[%i] : tensor<4xi64>
    %p = arith.index_cast %j : i64 to index
    %a = loop.load %x[%p + 7] : tensor<4xf32>
    loop.yield %a : f32
  }
  return %0, %1, %2 : tensor<4xf32>, tensor<0xf32>, tensor<4xf32>
}

// -----

func.func @f(%x: tensor<3x8x4x16xf32>) -> tensor<3x8x4x16xf32> {
  %r = loop.kernel @rows ins(%a = %x : tensor<3x8x4x16xf32>) shared [3, 8, 4] -> tensor<3x8x4x16xf32> {
    // expected-error@+1 {{sums up parts of the rows of its kernel, which expects its results to be returned and not read}}
    %s = loop.reduce parallel (%p, %j) in [1, 16] reduction (%i, %k, %l) in [3, 8, 4] <sum> : tensor<1x16xf32> {
      %e = loop.load %a[%i, %k, %l, %j] : tensor<3x8x4x16xf32>
      loop.yield %e : f32
    }
    %p = loop.pointwise (%i, %k, %l, %j) in [3, 8, 4, 16] : tensor<3x8x4x16xf32> {
      %e = loop.load %a[%i, %k, %l, %j] : tensor<3x8x4x16xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<3x8x4x16xf32>
  }
  return %r : tensor<3x8x4x16xf32>
}

// -----

// expected-error @+1 {{has 'loop.order' on result 0, expected an 'array<i64: ...>' with each dimension of a tensor once}}
func.func @order(%x: tensor<2x3xf32>) -> (tensor<2x3xf32> {loop.order = array<i64: 0, 5>}) {
  return %x : tensor<2x3xf32>
}

// -----

// expected-error @+1 {{has 'loop.order' on result 0, expected an 'array<i64: ...>' with each dimension of a tensor once}}
func.func @rank(%x: tensor<2x3xf32>) -> (tensor<2x3xf32> {loop.order = array<i64: 0>}) {
  return %x : tensor<2x3xf32>
}

// -----

func.func @precision(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{has 'loop.tf32', expected it on a contraction, as true or false}}
  %r = loop.contract parallel [4, 4] reduction [4] lhs %x[d0, d2] : tensor<4x4xf32> rhs %x[d2, d1] : tensor<4x4xf32> acc f32 attributes {loop.tf32} : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// expected-error @+1 {{has 'loop.tf32', expected it on a contraction, as true or false}}
func.func @precise(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {loop.tf32 = true} {
  return %x : tensor<4x4xf32>
}

// -----

// Rows of a result may be longer than what is made of them, and no shorter.
func.func @short_rows(%x: tensor<4x8xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{'loop.kernel' op expects its body to return 'tensor<4x6xf32>', but found 'tensor<4x8xf32>'}}
  %r = loop.kernel @k ins(%a = %x : tensor<4x8xf32>) shared [4, 8] -> tensor<4x6xf32> {
    %p = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x8xf32>
      loop.yield %v : f32
    }
    loop.return %p : tensor<4x8xf32>
  }
  return %r : tensor<4x6xf32>
}

// -----

// Only the last dimension has more.
func.func @more_rows(%x: tensor<4x8xf32>) -> tensor<5x8xf32> {
  // expected-error @+1 {{'loop.kernel' op expects its body to return 'tensor<5x8xf32>', but found 'tensor<4x8xf32>'}}
  %r = loop.kernel @k ins(%a = %x : tensor<4x8xf32>) shared [4, 8] -> tensor<5x8xf32> {
    %p = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x8xf32>
      loop.yield %v : f32
    }
    loop.return %p : tensor<4x8xf32>
  }
  return %r : tensor<5x8xf32>
}

// -----

// Pointwise nests and products make such rows, not reductions.
func.func @reduced_rows(%x: tensor<4x5x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'loop.kernel' op expects its body to return 'tensor<4x8xf32>', but found 'tensor<4x5xf32>'}}
  %r = loop.kernel @k ins(%a = %x : tensor<4x5x8xf32>) shared [4] -> tensor<4x8xf32> {
    %s = loop.reduce parallel (%i, %k) in [4, 5] reduction (%j) in [8] <max> : tensor<4x5xf32> {
      %v = loop.load %a[%i, %k, %j] : tensor<4x5x8xf32>
      loop.yield %v : f32
    }
    loop.return %s : tensor<4x5xf32>
  }
  return %r : tensor<4x8xf32>
}

// -----

func.func @factors(%a: tensor<4x8xcomplex<f64>>) -> tensor<4x4xi32> {
  // expected-error @below {{cannot accumulate 'tensor<4x8xcomplex<f64>>' in 'i32'}}
  %0 = loop.contract parallel [4, 4] reduction [8] lhs %a[d0, d2] : tensor<4x8xcomplex<f64>>
      rhs %a[d1, d2] : tensor<4x8xcomplex<f64>> acc i32 : tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}
