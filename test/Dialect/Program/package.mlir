// RUN: kiln-opt %s --split-input-file --verify-diagnostics -o /dev/null
// RUN: not kiln-opt %s --split-input-file 2>/dev/null | FileCheck %s

// What a package holds beside programs.

// CHECK: program.image @kernels target "x86-64-v3" features 31 code dense_resource<code> : tensor<4xi8> {
// CHECK-NEXT: program.kernel @k at 0
program.image @kernels target "x86-64-v3" features 31 code dense_resource<code> : tensor<4xi8> {
  program.kernel @k at 0
}
// CHECK: program.constant @c dense_resource<weight> : tensor<2xf32>
program.constant @c dense_resource<weight> : tensor<2xf32>
// CHECK: program.func @main
program.func @main {
  // CHECK: program.slot parameter "w" path "w" in @c : !program.buffer<[2], f32>
  %w = program.slot parameter "w" path "w" in @c : !program.buffer<[2], f32>
  // CHECK: program.get @c : !program.buffer<[2], f32>
  %c = program.get @c : !program.buffer<[2], f32>
  program.return %c outputs [#program.output<role = user_output>] : !program.buffer<[2], f32>
}
// CHECK: program.facts "inductor" {bytes_read = 1 : i64
program.facts "inductor" {bytes_read = 1 : i64, bytes_unfused = 2 : i64, bytes_written = 3 : i64, planned_peak_bytes = 5 : i64, saved_for_backward_bytes = 6 : i64}
// CHECK: program.reason missed "loop-fuse" "not-fused" of "main" ["first", "op0"]
program.reason missed "loop-fuse" "not-fused" of "main" ["first", "op0"]

{-#
  dialect_resources: {
    builtin: {
      code: "0x40000000C3000000",
      weight: "0x400000000000803F00000040"
    }
  }
#-}

// -----

// expected-error @below {{expected code of a number of i8, found 'tensor<2x2xi8>'}}
program.image @kernels target "t" features 0 code dense_resource<code> : tensor<2x2xi8> {}

// -----

// expected-error @below {{expected a resource, found dense<0> : tensor<4xi8>}}
program.image @kernels target "t" features 0 code dense<0> : tensor<4xi8> {}

// -----

// expected-error @below {{expected features of 32 bits, found 4294967296}}
program.image @kernels target "t" features 4294967296 code dense_resource<code> : tensor<4xi8> {}

// -----

program.image @kernels target "t" features 0 code dense_resource<code> : tensor<4xi8> {
  // expected-error @below {{begins at byte 4 of 4}}
  program.kernel @k at 4
}

// -----

// expected-error @below {{has 4 bytes of 'tensor<8xi8>'}}
program.image @kernels target "t" features 0 code dense_resource<code> : tensor<8xi8> {}

{-#
  dialect_resources: {
    builtin: {
      code: "0x40000000C3000000"
    }
  }
#-}

// -----

// expected-error @below {{has 8 bytes of 'tensor<3xf32>'}}
program.constant @c dense_resource<weight> : tensor<3xf32>

{-#
  dialect_resources: {
    builtin: {
      weight: "0x400000000000803F00000040"
    }
  }
#-}

// -----

// expected-error @below {{expected a tensor of elements that exist at run time, found 'tensor<3xi128>'}}
program.constant @c dense_resource<weight> : tensor<3xi128>

// -----

// expected-error @below {{expected keys and values in turn, found 1 texts}}
program.reason missed "loop-fuse" "not-fused" of "main" ["first"]

// -----

program.func @number {
  // expected-error @below {{is a number, expected no payload}}
  %n = program.slot user_input "n" in @c : !program.number
  program.return outputs []
}

// -----

// One package has the code of one image ...
program.image @first target "t" features 0 code dense_resource<code> : tensor<4xi8> {}
// expected-error @below {{'program.image' op is a second image, expected one in a module}}
program.image @second target "t" features 0 code dense_resource<code> : tensor<4xi8> {}

// -----

// ... and launches name it.
program.image @kernels target "t" features 0 code dense_resource<code> : tensor<4xi8> {
  program.kernel @k at 0
}
program.func @main {
  %r = program.alloc new : !program.buffer<[2], f32>
  // expected-error @below {{'program.launch' op runs @others::@k, which is no kernel of the image}}
  program.launch @others::@k(%r) access [write] symbols [] work 2 grain 64 : !program.buffer<[2], f32>
  program.return outputs []
}

// -----

program.func @unknown {
  // expected-error @below {{'program.get' op reads @c, which is no constant of the module}}
  %c = program.get @c : !program.buffer<[2], f32>
  program.return outputs []
}

// -----

program.constant @c dense_resource<weight> : tensor<2xf32>
program.func @size {
  // expected-error @below {{'program.get' op reads @c as '!program.buffer<[3], f32>', but it is 'tensor<2xf32>'}}
  %c = program.get @c : !program.buffer<[3], f32>
  program.return outputs []
}

// -----

program.constant @c dense_resource<weight> : tensor<2xf32>
program.func @rank {
  // expected-error @below {{'program.slot' op reads @c as '!program.buffer<[2, 1], f32>', but it is 'tensor<2xf32>'}}
  %c = program.slot parameter "c" in @c : !program.buffer<[2, 1], f32>
  program.return outputs []
}

// -----

program.constant @c dense_resource<weight> : tensor<2xf32>
program.func @element {
  // expected-error @below {{'program.slot' op reads @c as '!program.buffer<[2], i32>', but it is 'tensor<2xf32>'}}
  %c = program.slot parameter "c" in @c : !program.buffer<[2], i32>
  program.return outputs []
}

// -----

// What varies is known at run time.
program.constant @c dense_resource<weight> : tensor<2xf32>
program.func @varies {
  %c = program.slot parameter "c" in @c : !program.buffer<[s0], f32>
  program.symbol "s0" size 0 of %c range 0 to 64 : !program.buffer<[s0], f32>
  program.return outputs []
}

// -----

program.constant @c dense_resource<weight> : tensor<2xf32>
program.func @strides {
  // expected-error @below {{'program.get' op expected a row-major buffer}}
  %c = program.get @c : !program.buffer<[2], f32, strides = [1000]>
  program.return outputs []
}

// -----

program.constant @c dense_resource<weight> : tensor<2xf32>
program.func @copied {
  %x = program.slot user_input "x" : !program.buffer<[2], f32>
  %c = program.get @c : !program.buffer<[2], f32>
  // expected-error @below {{'program.copy' op writes operand 1, which is a constant of the package}}
  program.copy %x to %c : !program.buffer<[2], f32>, !program.buffer<[2], f32>
  program.return outputs []
}

// -----

program.constant @c dense_resource<weight> : tensor<2xf32>
program.func @launched {
  %c = program.get @c : !program.buffer<[2], f32>
  %v = program.view %c offset 1 : !program.buffer<[2], f32> to !program.buffer<[1], f32>
  // expected-error @below {{'program.launch' op writes operand 0, which is a constant of the package}}
  program.launch @kernels::@k(%v) access [write] symbols [] work 2 grain 64 : !program.buffer<[1], f32>
  program.return outputs []
}
