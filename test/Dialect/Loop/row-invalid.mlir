// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @dimension(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'loop.scan' op expects a dimension from 0 to 0, but found 1}}
  %r = loop.scan parallel () in [] along (%j) in [4] at 1 <sum>
      : tensor<4xf32> {
    %v = loop.load %x[%j] : tensor<4xf32>
    loop.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @covered(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'loop.scan' op expects kinds that cover its 1 accumulators, but found 2}}
  %r = loop.scan parallel () in [] along (%j) in [4] at 0 <sum, sum>
      : tensor<4xf32> {
    %v = loop.load %x[%j] : tensor<4xf32>
    loop.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @shape(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error @+1 {{'loop.scan' op expects dimension 0 of its result to be 5, but found 4}}
  %r = loop.scan parallel (%i) in [4] along (%j) in [5] at 0 <sum>
      : tensor<4x5xf32> {
    %v = loop.load %x[%i, %j] : tensor<4x5xf32>
    loop.yield %v : f32
  }
  return %r : tensor<4x5xf32>
}

// -----

func.func @indices(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected one index along the row, but found 2}}
  %r = loop.scan parallel () in [] along (%j, %k) in [2, 2] at 0 <sum>
      : tensor<4xf32> {
    %v = loop.load %x[%j] : tensor<4xf32>
    loop.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @yields(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'loop.scan' op expects its body to yield 1 values, but found 2}}
  %r = loop.scan parallel () in [] along (%j) in [4] at 0 <sum>
      : tensor<4xf32> {
    %v = loop.load %x[%j] : tensor<4xf32>
    loop.yield %v, %v : f32, f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @combiner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant 0.0 : f32
  // expected-error @+1 {{'loop.scan' op expects a combiner region}}
  %r = loop.scan parallel () in [] along (%j) in [4] at 0 <generic>
      init(%c : f32) : tensor<4xf32> {
    %v = loop.load %x[%j] : tensor<4xf32>
    loop.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @integers(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'loop.scan' op expects the value of 'any' to be an integer, but found 'f32'}}
  %r = loop.scan parallel () in [] along (%j) in [4] at 0 <any>
      : tensor<4xf32> {
    %v = loop.load %x[%j] : tensor<4xf32>
    loop.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @sort_dimension(%x: tensor<4xi32>) -> tensor<4xi64> {
  // expected-error @+1 {{'loop.sort' op expects a dimension from 0 to 0, but found -1}}
  %r = loop.sort parallel () in [] along (%j) in [4] at -1 : tensor<4xi64> {
    %v = loop.load %x[%j] : tensor<4xi32>
    loop.yield %v : i32
  }
  return %r : tensor<4xi64>
}

// -----

func.func @sort_shape(%x: tensor<4xi32>) -> tensor<5xi64> {
  // expected-error @+1 {{'loop.sort' op expects dimension 0 of its result to be 4, but found 5}}
  %r = loop.sort parallel () in [] along (%j) in [4] at 0 : tensor<5xi64> {
    %v = loop.load %x[%j] : tensor<4xi32>
    loop.yield %v : i32
  }
  return %r : tensor<5xi64>
}

// -----

func.func @sort_kept(%x: tensor<4xi32>) -> tensor<5xi64> {
  // expected-error @+1 {{'loop.sort' op expects to keep at most the 4 elements of a row, but found 5}}
  %r = loop.sort parallel () in [] along (%j) in [4] keeping [5] at 0 : tensor<5xi64> {
    %v = loop.load %x[%j] : tensor<4xi32>
    loop.yield %v : i32
  }
  return %r : tensor<5xi64>
}

// -----

func.func @sort_keeps_twice(%x: tensor<4xi32>) -> tensor<2xi64> {
  // expected-error @+1 {{expected one extent to be kept, but found 2}}
  %r = loop.sort parallel () in [] along (%j) in [4] keeping [2, 2] at 0 : tensor<2xi64> {
    %v = loop.load %x[%j] : tensor<4xi32>
    loop.yield %v : i32
  }
  return %r : tensor<2xi64>
}

// -----

func.func @sort_result(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{'loop.sort' op expects a result of i64, but found 'tensor<4xi32>'}}
  %r = loop.sort parallel () in [] along (%j) in [4] at 0 : tensor<4xi32> {
    %v = loop.load %x[%j] : tensor<4xi32>
    loop.yield %v : i32
  }
  return %r : tensor<4xi32>
}

// -----

func.func @sort_keys(%x: tensor<4xf32>) -> tensor<4xi64> {
  // expected-error @+1 {{'loop.sort' op expects its body to yield keys that are integers of at least 8 bits, but found 'f32'}}
  %r = loop.sort parallel () in [] along (%j) in [4] at 0 : tensor<4xi64> {
    %v = loop.load %x[%j] : tensor<4xf32>
    loop.yield %v : f32
  }
  return %r : tensor<4xi64>
}

// -----

// The rows of a scan along the first dimension lie across the shared index.
func.func @alone(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // expected-error @+1 {{'loop.kernel' op expects a scatter, or a scan or sort along a dimension before its shared ones end, to be its only nest}}
  %r, %s = loop.kernel @k ins(%a = %x : tensor<4x4xf32>) shared [4]
      -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %c = loop.scan parallel (%i) in [4] along (%j) in [4] at 0 <sum>
        : tensor<4x4xf32> {
      %v = loop.load %a[%j, %i] : tensor<4x4xf32>
      loop.yield %v : f32
    }
    %p = loop.pointwise (%i, %j) in [4, 4] : tensor<4x4xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x4xf32>
      loop.yield %v : f32
    }
    loop.return %c, %p : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %r, %s : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

func.func @independent_sizes(%t: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'loop.scatter' op expects its 1 independent extents to be the first sizes of its result}}
  %r = loop.scatter (%i, %j) in [3, 8] independent 1 into %t <set> : tensor<4x8xf32> {
    %x = loop.load %t[%i, %j] : tensor<4x8xf32>
    loop.yield_at %x at [%i, %j] : f32
  }
  return %r : tensor<4x8xf32>
}

// -----

func.func @independent_writes(%t: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'loop.scatter' op expects its body to read and write at index 0 itself in dimension 0, which is independent}}
  %r = loop.scatter (%i, %j) in [4, 8] independent 1 into %t <set> : tensor<4x8xf32> {
    %x = loop.load %t[%i, %j] : tensor<4x8xf32>
    %p = loop.index (3 - %i)
    loop.yield_at %x at [%p, %j] : f32
  }
  return %r : tensor<4x8xf32>
}

// -----

func.func @independent_reads(%t: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'loop.scatter' op expects its body to read and write at index 0 itself in dimension 0, which is independent}}
  %r = loop.scatter (%i, %j) in [4, 8] independent 1 reading %w into %t <set> : tensor<4x8xf32> {
    %x = loop.load %w[0, %j] : tensor<4x8xf32>
    loop.yield_at %x at [%i, %j] : f32
  }
  return %r : tensor<4x8xf32>
}
