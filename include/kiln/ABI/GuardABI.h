//===- GuardABI.h - Expression bytecode and guard records -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One language for everything that is computed from sizes: guards, buffer
// sizes and offsets, launch extents, view strides. The compiler writes it
// (`#guard.expr` -> bytecode), the runtime evaluates it without LLVM.
//
// An expression is a postfix byte string over a stack of 64-bit cells, each an
// integer or a double:
//
//   code  := instr*                       leaves exactly one cell
//   instr := opcode operand?
//   operand of PUSH_INT    i64, little-endian
//   operand of PUSH_FLOAT  f64 bits, little-endian
//   operand of PUSH_SYMBOL u32, index into the program's symbol table
//
// Every other instruction is a function of ExprFunctions.def: it takes its
// operands off the stack (two of them where it takes any number) and leaves the
// result.
//
// Integer arithmetic is checked: overflow, division by zero and negative shift
// counts end the evaluation with an error, never a wrong number. Comparisons
// and logic give the integers 0 and 1. FLOORDIV and MOD round toward minus
// infinity and MOD takes the sign of the divisor, as in Python.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ABI_GUARDABI_H
#define KILN_ABI_GUARDABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Values stand beside the functions in ExprFunctions.def.
enum kiln_expr_opcode {
  KILN_EXPR_PUSH_INT = 1,
  KILN_EXPR_PUSH_FLOAT = 2,
  KILN_EXPR_PUSH_SYMBOL = 3,
#define KILN_EXPR_INSTRUCTION(OPCODE, code, arity, result, text, binds)        \
  KILN_EXPR_##OPCODE = code,
#include "kiln/ABI/ExprFunctions.def"
};

/// What a function gives.
enum kiln_expr_result {
  KILN_EXPR_RESULT_NUMBER,  /* integer if all operands are, else double */
  KILN_EXPR_RESULT_INTEGER, /* of two integers, or of one number */
  KILN_EXPR_RESULT_FLOAT,   /* double, of any numbers */
  KILN_EXPR_RESULT_TRUTH,   /* 0 or 1, of any numbers */
  KILN_EXPR_RESULT_CHOSEN,  /* the second or the third operand */
};

/// What one guard of a compiled variant checks. Guards are evaluated in order;
/// the first that fails names the reason for a recompilation. The table is written
/// from the checks of the guard dialect (GuardOps.td).
enum kiln_guard_kind {
#define KILN_GUARD(KIND, code, text) KILN_GUARD_##KIND = code,
#include "kiln/ABI/GuardKinds.def"
};

#ifdef __cplusplus
}
#endif

#endif /* KILN_ABI_GUARDABI_H */
