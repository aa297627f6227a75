//===- EagerOverloads.td - What only KilnEager knows -------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schemas, as PyTorch prints them, of functional overloads that have an eager
// operator and no record in the aten dialect. Sorted. An overload that gets a
// record leaves this list.
//
//===----------------------------------------------------------------------===//

class Aten_EagerOverload<string text> {
  string schema = text;
}

def : Aten_EagerOverload<"aten::_assert_async(Tensor self) -> ()">;
def : Aten_EagerOverload<
    "aten::_assert_async.msg(Tensor self, str assert_msg) -> ()">;
def : Aten_EagerOverload<
    "aten::_assert_scalar(Scalar self, str assert_msg) -> ()">;
def : Aten_EagerOverload<"aten::_local_scalar_dense(Tensor self) -> Scalar">;
def : Aten_EagerOverload<"aten::sym_numel(Tensor self) -> SymInt">;
def : Aten_EagerOverload<"aten::sym_size.int(Tensor self, int dim) -> SymInt">;
def : Aten_EagerOverload<"aten::sym_storage_offset(Tensor self) -> SymInt">;
def : Aten_EagerOverload<
    "aten::sym_stride.int(Tensor self, int dim) -> SymInt">;
