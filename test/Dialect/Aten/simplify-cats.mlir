// RUN: kiln-opt %s --split-input-file --aten-simplify | FileCheck %s
// RUN: kiln-opt %s --split-input-file --aten-simplify=keep-differentiable | FileCheck %s --check-prefix=KEEP

// CHECK-LABEL: func.func @one
// CHECK-NEXT: aten.relu(%arg0)
func.func @one(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = aten.cat([%x], dim = -1) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = aten.relu(%0) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// What is returned, itself or as a view, is no input: the caller may write to both.
// CHECK-LABEL: func.func @returned
// CHECK-NEXT: %[[C:.*]] = aten.clone(%arg0, memory_format = "contiguous_format")
// CHECK-NEXT: %[[D:.*]] = aten.clone(%arg1, memory_format = "contiguous_format")
// CHECK-NEXT: %[[V:.*]] = aten.permute(%[[D]]
// CHECK-NEXT: return %[[C]], %[[V]]
func.func @returned(%x: tensor<4xf32>, %y: tensor<2x3xf32>) -> (tensor<4xf32>, tensor<3x2xf32>) {
  %0 = aten.cat([%x]) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.cat([%y]) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = aten.permute(%1, dims = [1, 0]) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0, %2 : tensor<4xf32>, tensor<3x2xf32>
}

// Elements of a row are side by side in what is made, in an input maybe not. And
// strides are those of what is made.
// CHECK-LABEL: func.func @strides
// CHECK-NEXT: %[[C:.*]] = aten.clone(%arg0, memory_format = "contiguous_format")
// CHECK-NEXT: aten.view(%[[C]], size = [6])
// CHECK: %[[T:.*]] = aten.permute(%arg0
// CHECK-NEXT: %[[D:.*]] = aten.clone(%[[T]], memory_format = "contiguous_format")
// CHECK-NEXT: aten.as_strided(%[[D]]
// CHECK: %[[E:.*]] = aten.clone(%[[T]], memory_format = "contiguous_format")
// CHECK-NEXT: aten.as_strided_copy(%[[E]]
func.func @strides(%x: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = aten.cat([%x]) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = aten.view(%0, size = [6]) : (tensor<2x3xf32>) -> tensor<6xf32>
  %2 = aten.relu(%1) : (tensor<6xf32>) -> tensor<6xf32>
  %3 = aten.permute(%x, dims = [1, 0]) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %4 = aten.cat([%3]) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %5 = aten.as_strided(%4, size = [3], stride = [1]) : (tensor<3x2xf32>) -> tensor<3xf32>
  %6 = aten.relu(%5) : (tensor<3xf32>) -> tensor<3xf32>
  %7 = aten.cat([%3]) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %8 = aten.as_strided_copy(%7, size = [3], stride = [1]) : (tensor<3x2xf32>) -> tensor<3xf32>
  return %2, %6, %8 : tensor<6xf32>, tensor<3xf32>, tensor<3xf32>
}

// What is empty adds nothing but its type.
// CHECK-LABEL: func.func @empty
// CHECK-NEXT: %[[A:.*]] = aten.cat([%arg0, %arg0], dim = 1)
// CHECK-NEXT: %[[B:.*]] = aten._to_copy(%arg2, dtype = f32)
// CHECK-NEXT: %[[C:.*]] = aten.cat([%arg2, %arg2, %arg3])
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
// KEEP-LABEL: func.func @empty
// KEEP-NEXT: aten.cat([%arg3, %arg0, %arg1, %arg0], dim = 1)
// KEEP-NEXT: aten.cat([%arg2, %arg3])
// KEEP-NEXT: aten.cat([%arg2, %arg2, %arg3])
func.func @empty(%x: tensor<2x3xf32>, %none: tensor<2x0xf32>, %y: tensor<4xi64>, %old: tensor<0xf32>)
    -> (tensor<2x6xf32>, tensor<4xf32>, tensor<8xf32>) {
  %0 = aten.cat([%old, %x, %none, %x], dim = 1)
    : (tensor<0xf32>, tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %1 = aten.cat([%y, %old]) : (tensor<4xi64>, tensor<0xf32>) -> tensor<4xf32>
  %2 = aten.cat([%y, %y, %old]) : (tensor<4xi64>, tensor<4xi64>, tensor<0xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<2x6xf32>, tensor<4xf32>, tensor<8xf32>
}

// Nothing at all is not taken apart either.
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: aten.cat([%arg0, %arg0])
func.func @nothing(%x: tensor<0xf32>) -> tensor<0xf32> {
  %0 = aten.cat([%x, %x]) : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

// CHECK-LABEL: func.func @nested
// CHECK-NEXT: %[[C:.*]] = aten.cat([%arg0, %arg1, %arg1, %arg0], dim = -1)
// CHECK-NEXT: return %[[C]]
// KEEP-LABEL: func.func @nested
// KEEP-NEXT: aten.cat([%arg0, %arg1, %arg1, %arg0], dim = -1)
func.func @nested(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<2x14xf32> {
  %0 = aten.cat([%x, %y], dim = 1) : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  %1 = aten.cat([%0, %y], dim = -1) : (tensor<2x7xf32>, tensor<2x4xf32>) -> tensor<2x11xf32>
  %2 = aten.cat([%1, %x], dim = -1) : (tensor<2x11xf32>, tensor<2x3xf32>) -> tensor<2x14xf32>
  return %2 : tensor<2x14xf32>
}

// The inner one is there anyway.
// CHECK-LABEL: func.func @nested_read
// CHECK-NEXT: %[[I:.*]] = aten.cat([%arg0, %arg1], dim = 1)
// CHECK-NEXT: aten.cat([%[[I]], %arg1], dim = 1)
func.func @nested_read(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> (tensor<2x7xf32>, tensor<2x11xf32>) {
  %0 = aten.cat([%x, %y], dim = 1) : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  %1 = aten.cat([%0, %y], dim = 1) : (tensor<2x7xf32>, tensor<2x4xf32>) -> tensor<2x11xf32>
  return %0, %1 : tensor<2x7xf32>, tensor<2x11xf32>
}

// CHECK-LABEL: func.func @nested_otherwise
// CHECK-NEXT: %[[I:.*]] = aten.cat([%arg0, %arg0])
// CHECK-NEXT: aten.cat([%[[I]], %arg1], dim = 1)
func.func @nested_otherwise(%x: tensor<2x3xf32>, %y: tensor<4x4xf32>) -> tensor<4x7xf32> {
  %0 = aten.cat([%x, %x]) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = aten.cat([%0, %y], dim = 1) : (tensor<4x3xf32>, tensor<4x4xf32>) -> tensor<4x7xf32>
  return %1 : tensor<4x7xf32>
}

// An integer that is f16 in between is rounded there.
// CHECK-LABEL: func.func @nested_rounded
// CHECK-NEXT: %[[I:.*]] = aten.cat([%arg0, %arg1])
// CHECK-NEXT: aten.cat([%[[I]], %arg2])
func.func @nested_rounded(%x: tensor<2xi64>, %y: tensor<2xf16>, %z: tensor<2xf32>) -> tensor<6xf32> {
  %0 = aten.cat([%x, %y]) : (tensor<2xi64>, tensor<2xf16>) -> tensor<4xf16>
  %1 = aten.cat([%0, %z]) : (tensor<4xf16>, tensor<2xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// -----

// CHECK-LABEL: func.func @whole
// CHECK-NEXT: aten.relu(%arg0)
// CHECK-NEXT: aten.neg(%arg0)
// CHECK-NEXT: aten.sigmoid(%arg0)
// CHECK-NEXT: return
// KEEP-LABEL: func.func @whole
// KEEP-NEXT: aten.relu(%arg0)
// KEEP-NEXT: aten.neg(%arg0)
// KEEP-NEXT: aten.sigmoid(%arg0)
// KEEP-NEXT: return
func.func @whole(%x: tensor<2x7xf32>) -> (tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7xf32>) {
  %a:2 = aten.split_with_sizes(%x, split_sizes = [3, 4], dim = 1) : (tensor<2x7xf32>) -> (tensor<2x3xf32>, tensor<2x4xf32>)
  %0 = aten.cat([%a#0, %a#1], dim = 1) : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  %1 = aten.relu(%0) : (tensor<2x7xf32>) -> tensor<2x7xf32>
  %b:3 = aten.chunk(%x, chunks = 3, dim = -1) : (tensor<2x7xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x1xf32>)
  %2 = aten.cat([%b#0, %b#1, %b#2], dim = -1) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x7xf32>
  %3 = aten.neg(%2) : (tensor<2x7xf32>) -> tensor<2x7xf32>
  %c = aten.slice.Tensor(%x, dim = 1, end = -2) : (tensor<2x7xf32>) -> tensor<2x5xf32>
  %d = aten.narrow(%x, dim = 1, start = 5, length = 2) : (tensor<2x7xf32>) -> tensor<2x2xf32>
  %4 = aten.cat([%c, %d], dim = 1) : (tensor<2x5xf32>, tensor<2x2xf32>) -> tensor<2x7xf32>
  %5 = aten.sigmoid(%4) : (tensor<2x7xf32>) -> tensor<2x7xf32>
  return %1, %3, %5 : tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7xf32>
}

// Some of them are one, and sizes need not be known.
// CHECK-LABEL: func.func @some
// CHECK-NEXT: %[[S:.*]] = aten.slice.Tensor(%arg0, start = 1
// CHECK-NEXT: %[[C:.*]] = aten.cat([%[[S]], %arg1])
// CHECK-NEXT: %[[R:.*]] = aten.relu(%arg1)
// CHECK-NEXT: return %[[C]], %[[R]]
func.func @some(%x: tensor<7xf32>, %y: tensor<?xf32, #guard.shape<[s0]>>)
    -> (tensor<?xf32, #guard.shape<[s0 + 6]>>, tensor<?xf32, #guard.shape<[s0]>>) {
  %a = aten.slice.Tensor(%x, start = 1, end = 3) : (tensor<7xf32>) -> tensor<2xf32>
  %b = aten.slice.Tensor(%x, start = 3) : (tensor<7xf32>) -> tensor<4xf32>
  %0 = aten.cat([%a, %b, %y])
    : (tensor<2xf32>, tensor<4xf32>, tensor<?xf32, #guard.shape<[s0]>>) -> tensor<?xf32, #guard.shape<[s0 + 6]>>
  %c:2 = aten.split_with_sizes(%y, split_sizes = [2, s0 - 2])
    : (tensor<?xf32, #guard.shape<[s0]>>) -> (tensor<2xf32>, tensor<?xf32, #guard.shape<[s0 - 2]>>)
  %1 = aten.cat([%c#0, %c#1])
    : (tensor<2xf32>, tensor<?xf32, #guard.shape<[s0 - 2]>>) -> tensor<?xf32, #guard.shape<[s0]>>
  %2 = aten.relu(%1) : (tensor<?xf32, #guard.shape<[s0]>>) -> tensor<?xf32, #guard.shape<[s0]>>
  return %0, %2 : tensor<?xf32, #guard.shape<[s0 + 6]>>, tensor<?xf32, #guard.shape<[s0]>>
}

// In another order, with something left out, every second one, along another
// dimension, of two tensors, without their gradients.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-6: aten.cat
func.func @others(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<2x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %a:2 = aten.split_with_sizes(%x, split_sizes = [2, 2]) : (tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %0 = aten.cat([%a#1, %a#0]) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %b = aten.slice.Tensor(%x, start = 3) : (tensor<4x4xf32>) -> tensor<1x4xf32>
  %1 = aten.cat([%a#0, %b]) : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
  %c = aten.slice.Tensor(%x, step = 2) : (tensor<4x4xf32>) -> tensor<2x4xf32>
  %2 = aten.cat([%c, %a#1]) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %3 = aten.cat([%a#0, %a#1], dim = 1) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  %d:2 = aten.split_with_sizes(%y, split_sizes = [2, 2]) : (tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %4 = aten.cat([%a#0, %d#1]) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %e = aten.detach(%a#1) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %5 = aten.cat([%a#0, %e]) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2, %3, %4, %5
    : tensor<4x4xf32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<2x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @parts
// CHECK-NEXT: %[[S:.*]] = aten.slice.Tensor(%arg1, dim = 1, start = 1, end = 3)
// CHECK-NEXT: %[[A:.*]] = aten.relu(%[[S]])
// CHECK-NEXT: %[[T:.*]] = aten.slice.Tensor(%arg1, dim = 1, start = 0, end = 4, step = 2)
// CHECK-NEXT: %[[B:.*]] = aten.relu(%[[T]])
// CHECK-NEXT: %[[U:.*]] = aten.select.int(%arg1, dim = 1, index = 3)
// CHECK-NEXT: %[[C:.*]] = aten.relu(%[[U]])
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @parts(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>) {
  %0 = aten.cat([%x, %y], dim = -1) : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  %1 = aten.slice.Tensor(%0, dim = 1, start = 4, end = 6) : (tensor<2x7xf32>) -> tensor<2x2xf32>
  %2 = aten.relu(%1) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = aten.slice.Tensor(%0, dim = 1, start = 3, end = 6, step = 2) : (tensor<2x7xf32>) -> tensor<2x2xf32>
  %4 = aten.relu(%3) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %5 = aten.select.int(%0, dim = 1, index = -1) : (tensor<2x7xf32>) -> tensor<2xf32>
  %6 = aten.relu(%5) : (tensor<2xf32>) -> tensor<2xf32>
  return %2, %4, %6 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>
}

// Split at the same points, of sizes that are not known.
// CHECK-LABEL: func.func @split
// CHECK-NEXT: aten.relu(%arg0)
// CHECK-NEXT: aten.relu(%arg1)
// CHECK-NEXT: return
// Who has no gradient by one part has zeros by the other.
// KEEP-LABEL: func.func @split
// KEEP-NEXT: %[[C:.*]] = aten.cat
// KEEP-NEXT: %[[P:.*]]:2 = aten.split_with_sizes(%[[C]]
// KEEP-NEXT: aten.relu(%[[P]]#0)
func.func @split(%x: tensor<?x2xf32, #guard.shape<[s0, 2]>>, %y: tensor<?x2xf32, #guard.shape<[s1, 2]>>)
    -> (tensor<?x2xf32, #guard.shape<[s0, 2]>>, tensor<?x2xf32, #guard.shape<[s1, 2]>>) {
  %0 = aten.cat([%x, %y]) : (tensor<?x2xf32, #guard.shape<[s0, 2]>>, tensor<?x2xf32, #guard.shape<[s1, 2]>>)
    -> tensor<?x2xf32, #guard.shape<[s0 + s1, 2]>>
  %1:2 = aten.split_with_sizes(%0, split_sizes = [s0, s1]) : (tensor<?x2xf32, #guard.shape<[s0 + s1, 2]>>)
    -> (tensor<?x2xf32, #guard.shape<[s0, 2]>>, tensor<?x2xf32, #guard.shape<[s1, 2]>>)
  %2 = aten.relu(%1#0) : (tensor<?x2xf32, #guard.shape<[s0, 2]>>) -> tensor<?x2xf32, #guard.shape<[s0, 2]>>
  %3 = aten.relu(%1#1) : (tensor<?x2xf32, #guard.shape<[s1, 2]>>) -> tensor<?x2xf32, #guard.shape<[s1, 2]>>
  return %2, %3 : tensor<?x2xf32, #guard.shape<[s0, 2]>>, tensor<?x2xf32, #guard.shape<[s1, 2]>>
}

// Of a size that may end before or behind `x`.
// CHECK-LABEL: func.func @split_elsewhere
// CHECK-NEXT: aten.cat
// CHECK-NEXT: aten.slice.Tensor
func.func @split_elsewhere(%x: tensor<?xf32, #guard.shape<[s0]>>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten.cat([%x, %y]) : (tensor<?xf32, #guard.shape<[s0]>>, tensor<4xf32>) -> tensor<?xf32, #guard.shape<[s0 + 4]>>
  %1 = aten.slice.Tensor(%0, end = 4) : (tensor<?xf32, #guard.shape<[s0 + 4]>>) -> tensor<4xf32>
  %2 = aten.relu(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// One part is in one tensor, another is not.
// CHECK-LABEL: func.func @split_some
// CHECK-NEXT: %[[C:.*]] = aten.cat
// CHECK-NEXT: %[[S:.*]] = aten.slice.Tensor(%arg0, start = 0, end = 2)
// CHECK-NEXT: %[[P:.*]]:2 = aten.split_with_sizes(%[[C]]
// CHECK-NEXT: aten.relu(%[[S]])
// CHECK-NEXT: aten.relu(%[[P]]#1)
func.func @split_some(%x: tensor<3xf32>, %y: tensor<4xf32>) -> (tensor<2xf32>, tensor<5xf32>) {
  %0 = aten.cat([%x, %y]) : (tensor<3xf32>, tensor<4xf32>) -> tensor<7xf32>
  %1:2 = aten.split_with_sizes(%0, split_sizes = [2, 5]) : (tensor<7xf32>) -> (tensor<2xf32>, tensor<5xf32>)
  %2 = aten.relu(%1#0) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = aten.relu(%1#1) : (tensor<5xf32>) -> tensor<5xf32>
  return %2, %3 : tensor<2xf32>, tensor<5xf32>
}

// The part of an integer is a float, as it was in what is joined; so it shares no
// memory, and may be returned.
// CHECK-LABEL: func.func @parts_promoted
// CHECK-NEXT: %[[S:.*]] = aten.slice.Tensor(%arg0, start = 1, end = 3) : (tensor<3xi64>)
// CHECK-NEXT: %[[C:.*]] = aten._to_copy(%[[S]], dtype = f32)
// CHECK-NEXT: return %[[C]]
func.func @parts_promoted(%x: tensor<3xi64>, %y: tensor<4xf32>) -> tensor<2xf32> {
  %0 = aten.cat([%x, %y]) : (tensor<3xi64>, tensor<4xf32>) -> tensor<7xf32>
  %1 = aten.slice.Tensor(%0, start = 1, end = 3) : (tensor<7xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// What overlaps would not if each were of a tensor of its own, and `x` is the
// caller's.
// CHECK-LABEL: func.func @parts_returned
// CHECK-NEXT: %[[C:.*]] = aten.cat
// CHECK-NEXT: %[[S:.*]] = aten.slice.Tensor(%[[C]], start = 1, end = 3)
// CHECK-NEXT: return %[[S]]
func.func @parts_returned(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<2xf32> {
  %0 = aten.cat([%x, %y]) : (tensor<3xf32>, tensor<4xf32>) -> tensor<7xf32>
  %1 = aten.slice.Tensor(%0, start = 1, end = 3) : (tensor<7xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// Views of views of what is computed.
// CHECK-LABEL: func.func @parts_viewed
// CHECK-NEXT: %[[N:.*]] = aten.neg(%arg0)
// CHECK-NEXT: %[[S:.*]] = aten.slice.Tensor(%[[N]], start = 1, end = 3)
// CHECK-NEXT: %[[V:.*]] = aten.view(%[[S]], size = [2, 1])
// CHECK-NEXT: aten.relu(%[[V]])
func.func @parts_viewed(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<2x1xf32> {
  %n = aten.neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %0 = aten.cat([%n, %y]) : (tensor<3xf32>, tensor<4xf32>) -> tensor<7xf32>
  %1 = aten.slice.Tensor(%0, start = 1, end = 3) : (tensor<7xf32>) -> tensor<2xf32>
  %2 = aten.view(%1, size = [2, 1]) : (tensor<2xf32>) -> tensor<2x1xf32>
  %3 = aten.relu(%2) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  return %3 : tensor<2x1xf32>
}

// Along another dimension every tensor has a part.
// CHECK-LABEL: func.func @parts_of_all
// CHECK-NEXT: %[[C:.*]] = aten.cat
// CHECK-NEXT: aten.slice.Tensor(%[[C]]
func.func @parts_of_all(%x: tensor<3x2xf32>) -> tensor<1x4xf32> {
  %0 = aten.cat([%x, %x], dim = 1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %1 = aten.slice.Tensor(%0, end = 1) : (tensor<3x4xf32>) -> tensor<1x4xf32>
  %2 = aten.relu(%1) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %2 : tensor<1x4xf32>
}

// -----

// Sizes that are written otherwise than they follow: who made the graph knew that s0 is
// at least 2. The types stay, and with them what gives them.
// CHECK-LABEL: func.func @written_otherwise
// CHECK-NEXT: %[[A:.*]] = aten.cat([%arg0])
// CHECK-NEXT: %[[B:.*]] = aten.cat([%arg1, %arg1])
// CHECK-NEXT: %[[C:.*]] = aten.slice.Tensor(%[[B]], start = 1, end = 2)
// CHECK-NEXT: aten.relu(%[[A]])
// CHECK-NEXT: aten.relu(%[[C]])
// CHECK-NEXT: return
!x = tensor<?xf32, #guard.shape<[s0]>>
!m = tensor<?xf32, #guard.shape<[max(2, s0)]>>
!y = tensor<2x?xf32, #guard.shape<[2, s0]>>
!n = tensor<1x?xf32, #guard.shape<[1, max(2, s0)]>>
func.func @written_otherwise(%x: !x, %y: !y) -> (!m, !n) {
  %0:2 = aten.split_with_sizes(%x, split_sizes = [2, s0 - 2])
    : (!x) -> (tensor<2xf32>, tensor<?xf32, #guard.shape<[s0 - 2]>>)
  %1 = aten.cat([%0#0, %0#1]) : (tensor<2xf32>, tensor<?xf32, #guard.shape<[s0 - 2]>>) -> !m
  %2 = aten.cat([%y, %y]) : (!y, !y) -> tensor<4x?xf32, #guard.shape<[4, s0]>>
  %3 = aten.slice.Tensor(%2, start = 1, end = 2) : (tensor<4x?xf32, #guard.shape<[4, s0]>>) -> !n
  %4 = aten.relu(%1) : (!m) -> !m
  %5 = aten.relu(%3) : (!n) -> !n
  return %4, %5 : !m, !n
}
