// RUN: kiln-opt %s --split-input-file --aten-make-dynamic=all \
// RUN:   --mlir-print-local-scope | FileCheck %s
// RUN: kiln-opt %s --split-input-file --aten-make-dynamic=all -o /dev/null --remarks-filter=aten-make-dynamic 2>&1 | FileCheck %s --check-prefix=REMARK

// Equal sizes share a symbol, 0 and 1 stay numbers, weights are not the
// caller's.
// CHECK-LABEL: module
// CHECK: guard.symbol @s0 range [2, 9223372036854775807] hint 4
// CHECK-NEXT: guard.symbol @s1 range [2, 9223372036854775807] hint 6
// CHECK: func.func @main(%{{.*}}: tensor<?x1x?xf32, #guard.shape<[s0, 1, s1]>>,
// CHECK-SAME: %{{.*}}: tensor<?x0xf32, #guard.shape<[s1, 0]>>,
// CHECK-SAME: %{{.*}}: tensor<6xf32>
// CHECK: aten.relu{{.*}} -> tensor<?x1x?xf32, #guard.shape<[s0, 1, s1]>>
func.func @main(%x: tensor<4x1x6xf32>, %y: tensor<6x0xf32>,
                %w: tensor<6xf32> {aten.input = #aten.input<kind = parameter>})
    -> tensor<4x1x6xf32> {
  %0 = aten.relu(%x) : (tensor<4x1x6xf32>) -> tensor<4x1x6xf32>
  return %0 : tensor<4x1x6xf32>
}

// -----

// A relation between sizes replaces a symbol: 6 channels are 2 groups of 3.
// CHECK-LABEL: module
// CHECK-NOT: guard.symbol @s1
// CHECK: func.func @main(%{{.*}}: tensor<?x?x?xf32, #guard.shape<[s0, s4 * 2, s2]>>
// CHECK: guard.program @main_guards
// CHECK-NEXT: guard.check_size_expr 0 "arg0"[1] is <s4 * 2>
// CHECK-NEXT: guard.check_size 1 "arg1"[2] is 1
// CHECK-NEXT: guard.check_expr <eq(mod(s3, 2), 0)>
// CHECK-NEXT: }
func.func @main(%x: tensor<5x6x7xf32>, %w: tensor<8x3x1xf32>)
    -> tensor<5x8x7xf32> {
  %0 = aten.convolution(%x, %w, stride = [1], padding = [0], dilation = [1],
                        transposed = false, output_padding = [0], groups = 2)
      : (tensor<5x6x7xf32>, tensor<8x3x1xf32>) -> tensor<5x8x7xf32>
  return %0 : tensor<5x8x7xf32>
}
guard.program @main_guards for @main {
  guard.check_size 0 "arg0"[0] is 5
  guard.check_size 0 "arg0"[1] is 6
  guard.check_size 0 "arg0"[2] is 7
  guard.check_size 1 "arg1"[0] is 8
  guard.check_size 1 "arg1"[1] is 3
  guard.check_size 1 "arg1"[2] is 1
}

// -----

// What is no equation for one symbol becomes a check; the example decides which
// way it goes.
// CHECK-LABEL: module
// CHECK: func.func @main(%{{.*}}: tensor<?x?xf32, #guard.shape<[s0, s1]>>)
// CHECK-SAME: -> (tensor<12x2xf32>, tensor<?xf32, #guard.shape<[s1]>>)
// CHECK-DAG: guard.check_expr <eq(s0 * s1, 24)> source "{{.*}} for 'aten.view'
// CHECK-DAG: guard.check_expr <{{.*}}> source "{{.*}} for 'aten.select.int'
func.func @main(%x: tensor<4x6xf32>) -> (tensor<12x2xf32>, tensor<6xf32>) {
  %0 = aten.view(%x, size = [12, 2]) : (tensor<4x6xf32>) -> tensor<12x2xf32>
  %1 = aten.select.int(%x, dim = 0, index = 2)
      : (tensor<4x6xf32>) -> tensor<6xf32>
  return %0, %1 : tensor<12x2xf32>, tensor<6xf32>
}
guard.program @main_guards for @main {
  guard.check_size 0 "arg0"[0] is 4
  guard.check_size 0 "arg0"[1] is 6
}

// -----

// As many results as a size says: it stays a number, and a remark says why.
// REMARK: remark: [Missed] fixed-size | Category:aten-make-dynamic | Function=main | Reason="'aten.unbind.int' at {{.*}}, whose number of results it is", size="'arg0' dimension 0", value=2
// CHECK-LABEL: module
// CHECK: func.func @main(%{{.*}}: tensor<2x?xf32, #guard.shape<[2, s1]>>)
func.func @main(%x: tensor<2x6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0:2 = aten.unbind.int(%x, dim = 0)
      : (tensor<2x6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
  return %0#0, %0#1 : tensor<6xf32>, tensor<6xf32>
}

// -----

// An operator without a rule takes the sizes of the example.
// REMARK: remark: [Missed] fixed-size | {{.*}} | Reason="'mylib::f' at {{.*}}, which has no rule for sizes", size="'arg0' dimension 0", value=6
// CHECK-LABEL: module
// CHECK: func.func @main(%{{.*}}: tensor<6xf32>, %{{.*}}: tensor<?xf32, #guard.shape<[s1]>>
func.func @main(%x: tensor<6xf32>, %y: tensor<7xf32>)
    -> (tensor<6xf32>, tensor<7xf32>) {
  %0 = aten.operator "mylib::f"(%x) [#aten.operand<0>]
      : (tensor<6xf32>) -> tensor<6xf32>
  return %0, %y : tensor<6xf32>, tensor<7xf32>
}

// -----

// Strides follow the sizes: every second column of a transposed matrix.
// CHECK-LABEL: module
// CHECK: strides = <[2, s0 * 2]>
func.func @main(%x: tensor<4x6xf32> {aten.input = #aten.input<
                    kind = user_input, name = "x", strides = <[2, 8]>>})
    -> tensor<4x6xf32> {
  return %x : tensor<4x6xf32>
}

// -----

// A number that a call holds may fix a size.
// REMARK: remark: [Missed] fixed-size | {{.*}} | Reason="'aten.expand' at {{.*}}, which accepts no other here", size="'arg0' dimension 0", value=4
// CHECK-LABEL: module
// CHECK: func.func @main(%{{.*}}: tensor<4x?xf32
func.func @main(%x: tensor<4x6xf32>) -> tensor<2x4x6xf32> {
  %0 = aten.expand(%x, size = [2, 4, -1]) : (tensor<4x6xf32>) -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}

// -----

// What ranges decide is gone: 4 rows at least are 3.
// CHECK-LABEL: module
// CHECK: aten.slice.Tensor{{.*}} -> tensor<2x?xf32, #guard.shape<[2, s1]>>
func.func @main(%x: tensor<4x6xf32>) -> tensor<2x6xf32> {
  %0 = aten.slice.Tensor(%x, dim = 0, start = 0, end = 2, step = 1)
      : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// -----

// Values decide about a size: it has a symbol of its own, which all results
// share. The sum relates it to an input, so that it is one of that.
// CHECK-LABEL: module
// CHECK: guard.symbol @u{{[0-9]+}} unbacked range [0, 9223372036854775807]
// CHECK: func.func @main
// CHECK: aten.where(%{{.*}}) {{.*}} -> (tensor<?xi64, #guard.shape<{{\[}}[[U:u[0-9]+]]{{\]}}>>, tensor<?xi64, #guard.shape<{{\[}}[[U]]{{\]}}>>)
// CHECK: aten.index.Tensor{{.*}} -> tensor<?xf32, #guard.shape<{{\[}}[[U]]{{\]}}>>
// CHECK: aten.masked_select{{.*}} -> tensor<?xf32, #guard.shape<{{\[}}[[V:u[0-9]+]]{{\]}}>>
// CHECK-NEXT: guard.assert <ne([[V]], 1)>
// CHECK: aten.add.Tensor{{.*}} -> tensor<?xf32, #guard.shape<[s2]>>
func.func @main(%x: tensor<4x6xf32>, %m: tensor<4x6xi1>, %y: tensor<3xf32>)
    -> (tensor<5xf32>, tensor<3xf32>, tensor<5xf32>) {
  %0:2 = aten.where(%m) : (tensor<4x6xi1>) -> (tensor<5xi64>, tensor<5xi64>)
  %1 = aten.index.Tensor(%x, [%0#0, %0#1])
      : (tensor<4x6xf32>, tensor<5xi64>, tensor<5xi64>) -> tensor<5xf32>
  %2 = aten.masked_select(%x, %m) : (tensor<4x6xf32>, tensor<4x6xi1>) -> tensor<5xf32>
  %3 = aten.masked_select(%x, %m) : (tensor<4x6xf32>, tensor<4x6xi1>) -> tensor<3xf32>
  %4 = aten.add.Tensor(%3, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %5 = aten.squeeze(%2) : (tensor<5xf32>) -> tensor<5xf32>
  return %1, %4, %5 : tensor<5xf32>, tensor<3xf32>, tensor<5xf32>
}

// -----

// Where such a size must be a number it is that of the example.
// REMARK: remark: [Missed] fixed-size | {{.*}} | Reason="'aten.unbind.int' at {{.*}}, whose number of results it is", size="a size of the result of 'aten.nonzero' at {{.*}}", value=2
// CHECK-LABEL: module
// CHECK: aten.nonzero{{.*}} -> tensor<2x1xi64>
func.func @main(%x: tensor<6xf32>) -> (tensor<1xi64>, tensor<1xi64>) {
  %0 = aten.nonzero(%x) : (tensor<6xf32>) -> tensor<2x1xi64>
  %1:2 = aten.unbind.int(%0, dim = 0)
      : (tensor<2x1xi64>) -> (tensor<1xi64>, tensor<1xi64>)
  return %1#0, %1#1 : tensor<1xi64>, tensor<1xi64>
}

// -----

// A gradient has the sizes of what it belongs to.
// CHECK-LABEL: module
// CHECK: func.func @main(%{{.*}}: tensor<?x?x?xf32, #guard.shape<[s0, s1, s4 - s5 + 1]>>
func.func @main(%g: tensor<2x8x5xf32>, %x: tensor<2x6x7xf32>,
                %w: tensor<8x6x3xf32>) -> tensor<8x6x3xf32> {
  %0:3 = aten.convolution_backward(%g, %x, %w, bias_sizes = [8], stride = [1],
             padding = [0], dilation = [1], transposed = false,
             output_padding = [0], groups = 1, output_mask = [false, true, false])
      : (tensor<2x8x5xf32>, tensor<2x6x7xf32>, tensor<8x6x3xf32>)
      -> (tensor<2x6x7xf32>, tensor<8x6x3xf32>, tensor<8xf32>)
  return %0#1 : tensor<8x6x3xf32>
}
