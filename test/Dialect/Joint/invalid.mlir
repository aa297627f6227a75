// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// C1 of joint.graph: the number of primals is within the arguments.
// expected-error @+1 {{'joint.graph' op num_primals is 2, expected 0 to 1}}
"joint.graph"() <{sym_name = "g", function_type = (i64) -> (), num_primals = 2,
                  num_outputs = 0}> ({
^bb0(%x: i64):
  "joint.return"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
}) : () -> ()

// -----

// C1: the number of outputs is within the results.
// expected-error @+1 {{'joint.graph' op num_outputs is 3, expected 0 to 0}}
"joint.graph"() <{sym_name = "g", function_type = (i64) -> (), num_primals = 1,
                  num_outputs = 3}> ({
^bb0(%x: i64):
  "joint.return"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
}) : () -> ()

// -----

// C2: outputs are known before any tangent is.
joint.graph @g primals() tangents(%dy: f32) -> outputs(f32) gradients() {
  %0 = arith.negf %dy : f32
  // expected-error @+1 {{'joint.return' op output #0 depends on a tangent, expected primals only}}
  joint.return outputs(%0 : f32) gradients()
}

// -----

// C1 of joint.return: as many outputs as the graph says.
joint.graph @g primals(%x: f32) tangents() -> outputs(f32) gradients() {
  // expected-error @+1 {{'joint.return' op has 0 outputs, expected 1}}
  joint.return outputs() gradients(%x : f32)
}

// -----

// C1 of joint.return: as many gradients as the graph says.
joint.graph @g primals(%x: f32) tangents() -> outputs(f32) gradients() {
  // expected-error @+1 {{'joint.return' op has 1 gradients, expected 0}}
  joint.return outputs(%x : f32) gradients(%x : f32)
}

// -----

// C1 of joint.return: of the types that the graph says.
joint.graph @g primals(%x: f32) tangents() -> outputs(f64) gradients() {
  // expected-error @+1 {{'joint.return' op operand #0 is of type 'f32', expected 'f64'}}
  joint.return outputs(%x : f32) gradients()
}
