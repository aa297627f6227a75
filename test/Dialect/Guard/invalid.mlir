// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'guard.symbol' op 's0' is not the name of a float, but the op says 'float'}}
guard.symbol @s0 float

// -----

// expected-error @below {{'guard.symbol' op 'zf0' is the name of a float, but the op does not say 'float'}}
guard.symbol @zf0

// -----

// expected-error @below {{'guard.symbol' op is a float and expects no range}}
guard.symbol @zf0 float range [0, 1]

// -----

// expected-error @below {{'guard.symbol' op has an empty range: 4 is greater than 2}}
guard.symbol @s0 range [4, 2]

// -----

// expected-error @below {{'guard.symbol' op has an empty range: 4 is greater than -2}}
guard.symbol @s0 range [4, -2]

// -----

// expected-error @below {{expects both ends of the range or none}}
"guard.symbol"() <{sym_name = "s0", min = 1 : i64}> : () -> ()

// -----

func.func @index() {
  // expected-error @below {{'guard.value' op expects an expression over symbols, but 'd0 + 1' has loop indices}}
  %0 = guard.value <d0 + 1> : i64
  return
}

// -----

func.func @float() {
  // expected-error @below {{'guard.value' op has an expression that is an integer, but its result type is 'f64'}}
  %0 = guard.value <s0> : f64
  return
}

// -----

func.func @float_condition() {
  // expected-error @below {{'guard.assert' op expects an integer expression, but 'zf0' is a float}}
  guard.assert <zf0>, "never"
  return
}

// -----

// expected-note @below {{only 'guard.check_...' ops may stand in this program}}
guard.program @g for @main {
  // expected-error @below {{'guard.assert' op is not a check}}
  guard.assert <s0>, "never"
}

// -----

guard.program @g for @main {
  // expected-error @below {{'guard.check_scalar' op expects an integer, a float, a bool, text or 'unit', but found f32}}
  guard.check_scalar 0 "x" is f32
}

// -----

// expected-error @below {{shape encoding has 1 sizes, but the tensor has rank 2}}
func.func private @rank(tensor<?x4xf32, #guard.shape<[s0]>>)

// -----

// expected-error @below {{shape encoding gives dimension 1 the size '5', but the tensor type has 4}}
func.func private @size(tensor<?x4xf32, #guard.shape<[s0, 5]>>)

// -----

// expected-error @below {{shape encoding gives dimension 0 the constant 3, but the tensor type leaves it dynamic}}
func.func private @static(tensor<?x4xf32, #guard.shape<[3, 4]>>)

// -----

// expected-error @below {{'foo' is not a function of expressions}}
func.func private @function() attributes {a = #guard.expr<foo(s0)>}

// -----

// expected-error @below {{'floordiv' expects 2 operands, but found 1}}
func.func private @arity() attributes {a = #guard.expr<floordiv(s0)>}

// -----

// expected-error @below {{expected an integer, a symbol, a function or '('}}
func.func private @empty() attributes {a = #guard.expr<>}
