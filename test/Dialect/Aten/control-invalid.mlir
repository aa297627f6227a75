// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @cond_argument(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{'aten.cond' op expects argument 0 of its 'then' to be of type 'tensor<4xf32>', but found 'tensor<3xf32>'}}
  %0 = aten.cond %p(%x) then {
  ^bb0(%t: tensor<3xf32>):
    aten.yield %t : tensor<3xf32>
  } else {
  ^bb0(%t: tensor<4xf32>):
    aten.yield %t : tensor<4xf32>
  } : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @cond_arguments(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{'aten.cond' op expects its 'else' to take 1 arguments, but found 0}}
  aten.cond %p(%x) then {
  ^bb0(%t: tensor<4xf32>):
    aten.yield
  } else {
    aten.yield
  } : (tensor<i1>, tensor<4xf32>) -> ()
  return
}

// -----

func.func @cond_result(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{'aten.cond' op expects value 0 that its 'else' yields to be of type 'tensor<4xi64>', but found 'tensor<4xf32>'}}
  %0 = aten.cond %p(%x) then {
  ^bb0(%t: tensor<4xf32>):
    %0 = aten.gt.Tensor(%t, %t) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %1 = aten.sum.dim_IntList(%0, dim = [], keepdim = true) : (tensor<4xi1>) -> tensor<1xi64>
    %2 = aten.expand(%1, size = [4]) : (tensor<1xi64>) -> tensor<4xi64>
    aten.yield %2 : tensor<4xi64>
  } else {
  ^bb0(%t: tensor<4xf32>):
    aten.yield %t : tensor<4xf32>
  } : (tensor<i1>, tensor<4xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @cond_results(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{'aten.cond' op expects its 'then' to yield 0 values, but found 1}}
  aten.cond %p(%x) then {
  ^bb0(%t: tensor<4xf32>):
    aten.yield %t : tensor<4xf32>
  } else {
  ^bb0(%t: tensor<4xf32>):
    aten.yield
  } : (tensor<i1>, tensor<4xf32>) -> ()
  return
}

// -----

func.func @cond_predicate(%p: tensor<f32>) {
  // expected-error @below {{'aten.cond' op expects a predicate of type i1, but found 'tensor<f32>'}}
  aten.cond %p() then {
    aten.yield
  } else {
    aten.yield
  } : (tensor<f32>) -> ()
  return
}

// -----

// A body is a closed graph.
func.func @captured(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  %0 = aten.cond %p() then {
    // expected-error @below {{'aten.yield' op using value defined outside the region}}
    aten.yield %x : tensor<4xf32>
  } else {
    aten.yield %x : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @while_results(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.while_loop' op carries 1 tensors, but has 0 results}}
  aten.while_loop carry(%x) cond {
  ^bb0(%a: tensor<4xf32>):
    %t = arith.constant true
    aten.yield %t : i1
  } do {
  ^bb0(%a: tensor<4xf32>):
    aten.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @while_types(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.while_loop' op expects result 0 to be of type 'tensor<4xf32>', but found 'tensor<3xf32>'}}
  %0 = aten.while_loop carry(%x) cond {
  ^bb0(%a: tensor<4xf32>):
    %t = arith.constant true
    aten.yield %t : i1
  } do {
  ^bb0(%a: tensor<4xf32>):
    aten.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @while_predicate(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.while_loop' op expects its 'cond' to yield one value of type i1}}
  %0 = aten.while_loop carry(%x) cond {
  ^bb0(%a: tensor<4xf32>):
    aten.yield %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    aten.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scan_slice(%c: tensor<2xf32>, %xs: tensor<5x3xf32>) {
  // expected-error @below {{'aten.scan' op expects argument 1 of its 'do' to be of type 'tensor<3xf32>', but found 'tensor<5x3xf32>'}}
  %0 = aten.scan carry(%c) over(%xs) do {
  ^bb0(%a: tensor<2xf32>, %x: tensor<5x3xf32>):
    aten.yield %a : tensor<2xf32>
  } : (tensor<2xf32>, tensor<5x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scan_carry(%c: tensor<2xf32>, %xs: tensor<5x3xf32>) {
  // expected-error @below {{'aten.scan' op carries 1 tensors, but has 0 results}}
  aten.scan carry(%c) over(%xs) do {
  ^bb0(%a: tensor<2xf32>, %x: tensor<3xf32>):
    aten.yield
  } : (tensor<2xf32>, tensor<5x3xf32>) -> ()
  return
}

// -----

func.func @scan_stack(%c: tensor<2xf32>, %xs: tensor<5x3xf32>) {
  // expected-error @below {{'aten.scan' op cannot stack slices in result 1 of type 'tensor<f32>'}}
  %0, %1 = aten.scan carry(%c) over(%xs) do {
  ^bb0(%a: tensor<2xf32>, %x: tensor<3xf32>):
    aten.yield %a, %x : tensor<2xf32>, tensor<3xf32>
  } : (tensor<2xf32>, tensor<5x3xf32>) -> (tensor<2xf32>, tensor<f32>)
  return
}

// -----

func.func @map_nothing(%y: tensor<2xf32>) {
  // expected-error @below {{'aten.map' op expects at least one tensor to take slices of}}
  aten.map over() extra(%y) do {
  ^bb0(%a: tensor<2xf32>):
    aten.yield
  } : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @map_scalar(%y: tensor<f32>) {
  // expected-error @below {{'aten.map' op cannot take slices of 'tensor<f32>', which has no dimension}}
  aten.map over(%y) do {
  ^bb0(%a: tensor<f32>):
    aten.yield
  } : (tensor<f32>) -> ()
  return
}
