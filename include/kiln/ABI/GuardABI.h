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

enum kiln_expr_opcode {
  KILN_EXPR_PUSH_INT = 1,
  KILN_EXPR_PUSH_FLOAT = 2,
  KILN_EXPR_PUSH_SYMBOL = 3,

  /* two cells -> one; integer if both are integers, else double */
  KILN_EXPR_ADD = 16,
  KILN_EXPR_SUB = 17,
  KILN_EXPR_MUL = 18,
  KILN_EXPR_MIN = 19,
  KILN_EXPR_MAX = 20,
  KILN_EXPR_POW = 21,      /* integer power needs an exponent >= 0 */
  /* two integers -> integer */
  KILN_EXPR_FLOORDIV = 32,
  KILN_EXPR_CEILDIV = 33,
  KILN_EXPR_CLEANDIV = 34, /* error if not exact */
  KILN_EXPR_MOD = 35,
  KILN_EXPR_SHL = 36,
  KILN_EXPR_SHR = 37,
  KILN_EXPR_BIT_AND = 38,
  KILN_EXPR_BIT_OR = 39,
  KILN_EXPR_BIT_XOR = 40,
  /* two numbers -> double */
  KILN_EXPR_TRUEDIV = 48,
  /* integer -> double; double -> integer */
  KILN_EXPR_TO_FLOAT = 56,
  KILN_EXPR_TRUNC = 57,
  KILN_EXPR_FLOOR = 58,
  KILN_EXPR_CEIL = 59,
  KILN_EXPR_ROUND = 60,    /* half to even */
  /* one number -> double */
  KILN_EXPR_SQRT = 64,
  KILN_EXPR_EXP = 65,
  KILN_EXPR_LOG = 66,
  KILN_EXPR_LOG2 = 67,
  KILN_EXPR_SIN = 68,
  KILN_EXPR_COS = 69,
  KILN_EXPR_TAN = 70,
  KILN_EXPR_SINH = 71,
  KILN_EXPR_COSH = 72,
  KILN_EXPR_TANH = 73,
  KILN_EXPR_ASIN = 74,
  KILN_EXPR_ACOS = 75,
  KILN_EXPR_ATAN = 76,
  KILN_EXPR_ASINH = 77,
  /* two numbers -> 0 or 1 */
  KILN_EXPR_EQ = 96,
  KILN_EXPR_NE = 97,
  KILN_EXPR_LT = 98,
  KILN_EXPR_LE = 99,
  KILN_EXPR_GT = 100,
  KILN_EXPR_GE = 101,
  KILN_EXPR_AND = 104,
  KILN_EXPR_OR = 105,
  KILN_EXPR_NOT = 106,     /* one cell */
  /* three cells (condition, then, else) -> one */
  KILN_EXPR_SELECT = 110,
};

/// What one guard of a compiled variant checks. Guards are evaluated in order;
/// the first that fails names the reason for a recompilation.
enum kiln_guard_kind {
  KILN_GUARD_KIND_TENSOR = 1,   /* slot holds a tensor, else a scalar or none */
  KILN_GUARD_DTYPE = 2,         /* value: kiln::DType */
  KILN_GUARD_RANK = 3,          /* value */
  KILN_GUARD_SIZE = 4,          /* dim, value: a static size */
  KILN_GUARD_STRIDE = 5,        /* dim, value: a static stride; size 1 passes */
  KILN_GUARD_DEVICE = 6,        /* value: 0 cpu, 1 cuda */
  KILN_GUARD_REQUIRES_GRAD = 7, /* value: 0 or 1 */
  KILN_GUARD_NO_ALIAS = 8,      /* slot and value (another slot): no overlap */
  KILN_GUARD_SAME_STORAGE = 9,  /* slot and value: the same storage */
  KILN_GUARD_SCALAR_VALUE = 10, /* slot equals what it was traced with */
  KILN_GUARD_EXPR = 11,         /* expr: a relation of symbols that must hold */
  KILN_GUARD_ALIGNMENT = 12,    /* value: bytes that divide the address */
  KILN_GUARD_SIZE_EXPR = 13,    /* dim, expr: size equals an expression */
};

#define KILN_GUARD_ABI_VERSION 1

#ifdef __cplusplus
}
#endif

#endif /* KILN_ABI_GUARDABI_H */
