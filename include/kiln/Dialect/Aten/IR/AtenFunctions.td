//===- AtenFunctions.td - Functions that records name -----*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record names the C++ function that lowers or decomposes its op, and what the
// function is called with besides the op. What kiln-tblgen declares and nobody
// wrote does not link; where arguments differ from those of a function, there is
// no such function either.
//
// Overloads that one function serves are a family. Its function takes a struct
// that each of them converts to:
//
//   def FftFamily : OpFamily<"FftArgs", "A Fourier transform.",
//       ["self", "n", "s?", "dim?", "norm"]>;
//   let decomposition = DecomposeBy<"decomposeFft", ["true"], FftFamily>;
//
//   Value decomposeFft(const FftArgs &fft, Composite &c, bool forward);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENFUNCTIONS_TD
#define KILN_DIALECT_ATEN_IR_ATENFUNCTIONS_TD

/// As what a function is given the op.
class Aten_Parameter;

/// As the op's own class, with its accessors.
def OwnOp : Aten_Parameter;

/// As `Operation *`: the function looks at no arguments.
def AnyOp : Aten_Parameter;

/// As the struct `name`, which kiln-tblgen makes with the op (`op`) and a field for
/// each of these arguments; it stays empty for a member of the family that lacks
/// it. Where some members take one number and others a list, the field is a list.
/// A list that may be absent, which is not the same as empty, is named with a `?`
/// and becomes a `std::optional`.
class OpFamily<string name, string text, list<string> args> : Aten_Parameter {
  string type = name;
  string summary = text;
  list<string> arguments = args;
}

/// A function with the arguments that follow the op: enumerators
/// ("Filter::Cubic"), numbers, true or false.
class Aten_Function<string name, list<string> args, Aten_Parameter parameter> {
  string function = name;
  list<string> arguments = args;
  Aten_Parameter takes = parameter;
}

#endif // KILN_DIALECT_ATEN_IR_ATENFUNCTIONS_TD
