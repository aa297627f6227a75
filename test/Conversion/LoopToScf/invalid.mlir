// RUN: kiln-opt %s --convert-loop-to-scf --split-input-file --verify-diagnostics

func.func @power(%x: tensor<?xf32, #guard.shape<[s0]>>) -> tensor<4xf32> {
  // expected-error @below {{'loop.kernel' op computes 'pow(d0, s0)' from its indices, expected integer arithmetic without powers}}
  %r = loop.kernel @k ins(%a = %x : tensor<?xf32, #guard.shape<[s0]>>)
      shared [4] schedule #loop.across<lanes = 4, chunk = 4, sum_block = 0, masked = false,
                            grain = 4096> -> tensor<4xf32> {
    %p = loop.pointwise (%i) in [4] : tensor<4xf32> {
      %e = loop.load %a[pow(%i, s0)] : tensor<?xf32, #guard.shape<[s0]>>
      loop.yield %e : f32
    }
    loop.return %p : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @input(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'loop.kernel' op returns a tensor twice or one of its inputs}}
  %r = loop.kernel @k ins(%a = %x : tensor<4xf32>) shared [4]
      schedule #loop.across<lanes = 4, chunk = 4, sum_block = 0, masked = false,
                            grain = 4096> -> tensor<4xf32> {
    loop.return %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @unnamed(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @below {{'loop.kernel' op has a tensor whose dynamic dimensions no '#guard.shape' names: 'tensor<?xf32>'}}
  %r = loop.kernel @k ins(%a = %x : tensor<?xf32>) shared [4]
      schedule #loop.across<lanes = 4, chunk = 4, sum_block = 0, masked = false,
                            grain = 4096> -> tensor<4xf32> {
    %p = loop.pointwise (%i) in [4] : tensor<4xf32> {
      %e = loop.load %a[%i] : tensor<?xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @strides(%x: tensor<4xf32> {loop.strides = #guard.shape<[4, 1]>})
    -> tensor<4xf32> {
  // expected-error @below {{'loop.kernel' op reads an argument with 2 strides, expected 1}}
  %r = loop.kernel @k ins(%a = %x : tensor<4xf32>) shared [4]
      schedule #loop.across<lanes = 4, chunk = 4, sum_block = 0, masked = false,
                            grain = 4096> -> tensor<4xf32> {
    %p = loop.pointwise (%i) in [4] : tensor<4xf32> {
      %e = loop.load %a[%i] : tensor<4xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'loop.kernel' op has no schedule, expected one as 'loop-choose-schedule' gives it}}
  %r = loop.kernel @k ins(%a = %x : tensor<4xf32>) shared [4] -> tensor<4xf32> {
    %p = loop.pointwise (%i) in [4] : tensor<4xf32> {
      %e = loop.load %a[%i] : tensor<4xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @straight(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{'loop.kernel' op cannot be emitted as '#loop.transpose<dim = 0, lanes = 4, block = 8, grain = 1>', no tensor is contiguous along dimension 0 and regular along the last}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8, 8]
      schedule #loop.transpose<dim = 0, lanes = 4, block = 8, grain = 1>
      -> tensor<8x8xf32> {
    %p = loop.pointwise (%i, %j) in [8, 8] : tensor<8x8xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x8xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

func.func @trapping(%x: tensor<8x8xi32>) -> tensor<8x8xi32> {
  // expected-error @below {{its code may trap where a tile ends}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xi32>) shared [8, 8]
      schedule #loop.transpose<dim = 0, lanes = 4, block = 8, grain = 1>
      -> tensor<8x8xi32> {
    %p = loop.pointwise (%i, %j) in [8, 8] : tensor<8x8xi32> {
      %e = loop.load %a[%j, %i] : tensor<8x8xi32>
      %f = arith.divsi %e, %e : i32
      loop.yield %f : i32
    }
    loop.return %p : tensor<8x8xi32>
  }
  return %r : tensor<8x8xi32>
}

// -----

func.func @tall(%x: tensor<40x8xf32>, %y: tensor<8x8xf32>) -> tensor<40x8xf32> {
  // expected-error @below {{'loop.kernel' op cannot be emitted as '#loop.skinny_rows<lanes = 8, item_columns = 8, unroll = 8, masked = true, grain = 1>', expected at most 32 rows}}
  %r = loop.kernel @k ins(%a = %x : tensor<40x8xf32>, %b = %y : tensor<8x8xf32>)
      shared []
      schedule #loop.skinny_rows<lanes = 8, item_columns = 8, unroll = 8,
                                 masked = true, grain = 1> -> tensor<40x8xf32> {
    %p = loop.contract parallel [40, 8] reduction [8]
        lhs %a[d0, d2] : tensor<40x8xf32> rhs %b[d2, d1] : tensor<8x8xf32>
        acc f32 : tensor<40x8xf32>
    loop.return %p : tensor<40x8xf32>
  }
  return %r : tensor<40x8xf32>
}

// -----

func.func @columns(%x: tensor<4x8xf32>, %y: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{expected neighbours along the rows of A and the columns of B}}
  %r = loop.kernel @k ins(%a = %x : tensor<4x8xf32>, %b = %y : tensor<8x8xf32>)
      shared []
      schedule #loop.skinny_columns<lanes = 8, item_columns = 8, columns = 2,
                                    masked = true, grain = 1> -> tensor<4x8xf32> {
    %p = loop.contract parallel [4, 8] reduction [8]
        lhs %a[d0, d2] : tensor<4x8xf32> rhs %b[d2, d1] : tensor<8x8xf32>
        acc f32 : tensor<4x8xf32>
    loop.return %p : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// -----

func.func @crooked(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{its contraction is no matrix product}}
  %r = loop.kernel @k ins(%a = %x : tensor<8xf32>, %b = %y : tensor<8xf32>)
      shared []
      schedule #loop.packed<lanes = 8, tile_rows = 2, tile_columns = 8,
          block_rows = 2, block_depth = 8, item_rows = 2, item_columns = 8,
          unroll = 4, masked = false, grain = 1> -> tensor<8x8xf32> {
    %p = loop.contract parallel [8, 8] reduction [8]
        lhs %a[mod(d0 * d2, 8)] : tensor<8xf32> rhs %b[d1] : tensor<8xf32>
        acc f32 : tensor<8x8xf32>
    loop.return %p : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

func.func @complex(%x: tensor<64xcomplex<f64>>) -> tensor<64xcomplex<f64>> {
  %r = loop.kernel @k ins(%a = %x : tensor<64xcomplex<f64>>) shared [64]
      schedule #loop.across<lanes = 2, chunk = 8, sum_block = 0, masked = false,
                            grain = 4096> -> tensor<64xcomplex<f64>> {
    %p = loop.pointwise (%i) in [64] : tensor<64xcomplex<f64>> {
      // expected-error @below {{'loop.load' op gives elements of type 'complex<f64>', expected integers or floats, of which code is made}}
      %e = loop.load %a[%i] : tensor<64xcomplex<f64>>
      loop.yield %e : complex<f64>
    }
    loop.return %p : tensor<64xcomplex<f64>>
  }
  return %r : tensor<64xcomplex<f64>>
}

// -----

// Rows of a group are not known when they would be repeated in the code.

func.func @skinny_groups(%x: tensor<6x32xf32>, %w: tensor<3x32x64xf32>, %e: tensor<3xi32>) -> tensor<6x64xf32> {
  // expected-error @below {{expected no members in groups}}
  %0 = loop.kernel @k ins(%a = %x : tensor<6x32xf32>, %b = %w : tensor<3x32x64xf32>, %n = %e : tensor<3xi32>) shared [6, 64]
      schedule #loop.skinny_rows<lanes = 8, item_columns = 64, unroll = 8, masked = true, grain = 1> -> tensor<6x64xf32> {
    %p = loop.contract parallel [6, 64] reduction [3, 32] lhs %a[d0, d3] : tensor<6x32xf32>
        rhs %b[d2, d3, d1] : tensor<3x32x64xf32> groups %n(d2, d0) : tensor<3xi32> acc f32 : tensor<6x64xf32>
    loop.return %p : tensor<6x64xf32>
  }
  return %0 : tensor<6x64xf32>
}

// -----

func.func @assertion(%x: tensor<64xi64>) -> tensor<64xi64> {
  %r = loop.kernel @k ins(%a = %x : tensor<64xi64>) shared [64]
      schedule #loop.across<lanes = 2, chunk = 8, sum_block = 0, masked = false,
                            grain = 4096> -> tensor<64xi64> {
    %p = loop.pointwise (%i) in [64] : tensor<64xi64> {
      %e = loop.load %a[%i] : tensor<64xi64>
      %c = arith.constant 7 : i64
      %in = arith.cmpi ult, %e, %c : i64
      // expected-error @below {{'loop.assert' op stands in a kernel that cannot fail, expected one for a GPU}}
      loop.assert %in, "wrong"
      loop.yield %e : i64
    }
    loop.return %p : tensor<64xi64>
  }
  return %r : tensor<64xi64>
}
