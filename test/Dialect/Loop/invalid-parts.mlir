// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @strides_of_one(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %r:2 = loop.kernel @k ins(%a = %x : tensor<4x8xf32>) shared [4, 8] -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %p = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x8xf32>
      loop.yield %v : f32
    }
    %q = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x8xf32>
      loop.yield %v : f32
    }
    // expected-error @+1 {{'loop.return' op has strides of 1 tensors, expected those of 2}}
    loop.return %p, %q : tensor<4x8xf32>, tensor<4x8xf32> strides [#guard.shape<[24, 1]>]
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

func.func @strides_of_another_rank(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<4x8xf32>) shared [4, 8] -> tensor<4x8xf32> {
    %p = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x8xf32>
      loop.yield %v : f32
    }
    // expected-error @+1 {{'loop.return' op has the strides #guard.shape<[24]> of tensor 0, expected 'unit' or one for each dimension}}
    loop.return %p : tensor<4x8xf32> strides [#guard.shape<[24]>]
  }
  return %r : tensor<4x8xf32>
}

// -----

func.func @strides_of_sums(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<4x8xf32>) shared [4] -> tensor<4xf32> {
    %p = loop.reduce parallel (%i) in [4] reduction (%j) in [8] <sum> : tensor<4xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x8xf32>
      loop.yield %v : f32
    }
    // expected-error @+1 {{'loop.return' op stores tensor 0 as a part of another one, expected what a pointwise nest or a contraction makes}}
    loop.return %p : tensor<4xf32> strides [#guard.shape<[24]>]
  }
  return %r : tensor<4xf32>
}

// -----

func.func @part_of_nothing(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'loop.kernel' op stores result 0 as a part of what no 'loop.assemble' gives}}
  %r = loop.kernel @k ins(%a = %x : tensor<4x8xf32>) shared [4, 8] -> tensor<4x8xf32> {
    %p = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x8xf32>
      loop.yield %v : f32
    }
    loop.return %p : tensor<4x8xf32> strides [#guard.shape<[24, 1]>]
  }
  return %r : tensor<4x8xf32>
}

// -----

func.func @stored_elsewhere(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<4x8xf32>) shared [4, 8] -> tensor<4x8xf32> {
    %p = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x8xf32>
      loop.yield %v : f32
    }
    loop.return %p : tensor<4x8xf32>
  }
  // expected-error @+1 {{'loop.assemble' op has the strides #guard.shape<[8, 1]> of part 0, which is not stored so}}
  %a = loop.assemble(%r) offsets [0] strides [#guard.shape<[8, 1]>] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %a : tensor<4x8xf32>
}

// -----

func.func @part_of_the_caller(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'loop.assemble' op has a part 0 that is no result of a kernel or a launch for it alone}}
  %a = loop.assemble(%x) offsets [0] strides [#guard.shape<[8, 1]>] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %a : tensor<4x8xf32>
}

// -----

func.func @part_of_two(%x: tensor<4x8xf32>) -> (tensor<4x16xf32>) {
  %r = loop.launch_grid(%x) steps [#loop.step<kernel = @k0, symbols = [],
      blocks = #guard.expr<1>, threads = 128>] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-error @+1 {{'loop.assemble' op has a part 0 that is no result of a kernel or a launch for it alone}}
  %a = loop.assemble(%r, %r) offsets [0, 8] strides [#guard.shape<[16, 1]>, #guard.shape<[16, 1]>] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  return %a : tensor<4x16xf32>
}

// -----

func.func @missing_part(%x: tensor<4x8xf32>) -> (tensor<4x16xf32>) {
  %r = loop.launch_grid(%x) steps [#loop.step<kernel = @k0, symbols = [],
      blocks = #guard.expr<1>, threads = 128>] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-error @+1 {{'loop.assemble' op has parts of 32 elements, expected 64}}
  %a = loop.assemble(%r) offsets [0] strides [#guard.shape<[16, 1]>] : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return %a : tensor<4x16xf32>
}

// -----

func.func @missing_offset(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>) {
  %r = loop.launch_grid(%x) steps [#loop.step<kernel = @k0, symbols = [],
      blocks = #guard.expr<1>, threads = 128>] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-error @+1 {{'loop.assemble' op expects parts, and an offset and strides of each, but has 1 parts, 0 offsets and strides of 1}}
  %a = loop.assemble(%r) offsets [] strides [#guard.shape<[8, 1]>] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %a : tensor<4x8xf32>
}

// -----

func.func @missing_stride(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>) {
  %r = loop.launch_grid(%x) steps [#loop.step<kernel = @k0, symbols = [],
      blocks = #guard.expr<1>, threads = 128>] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-error @+1 {{'loop.assemble' op has the strides #guard.shape<[1]> of part 0, expected one for each dimension}}
  %a = loop.assemble(%r) offsets [0] strides [#guard.shape<[1]>] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %a : tensor<4x8xf32>
}
