// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// Guards speak of functions, inputs and symbols that exist.

// expected-error @below {{'guard.program' op checks the inputs of 'main', but there is no such function}}
guard.program @main_guards for @main {
}

// -----

// expected-note @below {{the function is here}}
func.func @main(%x: tensor<3x4xf32>) {
  return
}
guard.program @main_guards for @main {
  // expected-error @below {{'guard.check_dtype' op checks input 1 of 'main', expected one below 1}}
  guard.check_dtype 1 "y" is f32
}

// -----

// expected-note @below {{the function is here}}
func.func @main(%x: tensor<3x4xf32>) {
  return
}
guard.program @main_guards for @main {
  // expected-error @below {{'guard.check_no_alias' op checks input -1 of 'main', expected one below 1}}
  guard.check_no_alias -1 "x"
}

// -----

func.func @main(%x: tensor<3x4xf32>) {
  return
}
guard.program @main_guards for @main {
  // expected-error @below {{'guard.check_size' op checks dimension 2 of input 0, which is of type 'tensor<3x4xf32>'}}
  guard.check_size 0 "x"[2] is 4
}

// -----

func.func @main(%n: i64) {
  return
}
guard.program @main_guards for @main {
  // expected-error @below {{'guard.check_size' op checks dimension 0 of input 0, which is of type 'i64'}}
  guard.check_size 0 "n"[0] is 1
}

// -----

func.func @main(%x: tensor<3x4xf32>) {
  return
}
guard.program @main_guards for @main {
  // expected-error @below {{'guard.check_expr' op uses the symbol 's77', which no 'guard.symbol' declares}}
  guard.check_expr <le(s77, 64)> source "s77 <= 64"
}

// -----

func.func @main() {
  // expected-error @below {{'guard.value' op uses the symbol 's0', which no 'guard.symbol' declares}}
  %0 = guard.value <s0 + 1> : i64
  return
}

// -----

func.func @main() {
  // expected-error @below {{'guard.assert' op uses the symbol 'u0', which no 'guard.symbol' declares}}
  guard.assert <le(u0, 64)>, "at most 64"
  return
}
