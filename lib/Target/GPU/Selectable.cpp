//===- Selectable.cpp - What the NVPTX back end has instructions for ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Found by trying, with LLVM 22; `PTXCompilerTest` compiles one of each.
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/GPU/PTXCompiler.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace kiln;
using namespace kiln::target;
using namespace llvm;

static bool isSelectable(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::sqrt:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::roundeven:
  case Intrinsic::round:
  case Intrinsic::fabs:
  case Intrinsic::copysign:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::is_fpclass:
  case Intrinsic::abs:
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::ctpop:
  case Intrinsic::bswap:
  case Intrinsic::bitreverse:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::sadd_sat:
  case Intrinsic::ssub_sat:
  case Intrinsic::uadd_sat:
  case Intrinsic::usub_sat:
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::ssub_with_overflow:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::usub_with_overflow:
  case Intrinsic::umul_with_overflow:
  case Intrinsic::scmp:
  case Intrinsic::ucmp:
  case Intrinsic::fptosi_sat:
  case Intrinsic::fptoui_sat:
  case Intrinsic::masked_load:
  case Intrinsic::masked_store:
  case Intrinsic::masked_gather:
  case Intrinsic::masked_scatter:
  case Intrinsic::vector_reduce_add:
  case Intrinsic::vector_reduce_and:
  case Intrinsic::vector_reduce_or:
  case Intrinsic::vector_reduce_xor:
  case Intrinsic::vector_reduce_smin:
  case Intrinsic::vector_reduce_smax:
  case Intrinsic::vector_reduce_umin:
  case Intrinsic::vector_reduce_umax:
  case Intrinsic::memcpy:
  case Intrinsic::memmove:
  case Intrinsic::memset:
  case Intrinsic::trap:
  case Intrinsic::assume:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::experimental_noalias_scope_decl:
    return true;
  default:
    return false;
  }
}

/// Where an integer may have a few more bits than a register: LLVM's closed form of a sum over
/// a loop does. Such operations become several.
static bool mayBeWide(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc:
    return true;
  default:
    return false;
  }
}

static bool isSelectableType(const Type *type, unsigned mostBits) {
  auto isElement = [&](const Type *element) {
    return isSelectableType(element, mostBits);
  };
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return isElement(vector->getElementType());
  if (auto *integer = dyn_cast<IntegerType>(type))
    return integer->getBitWidth() <= mostBits;
  if (auto *structure = dyn_cast<StructType>(type))
    return all_of(structure->elements(), isElement);
  return type->isVoidTy() || type->isPointerTy() || type->isHalfTy() ||
         type->isBFloatTy() || type->isFloatTy() || type->isDoubleTy() ||
         type->isLabelTy() || type->isMetadataTy();
}

/// What is wrong with a call, or nothing.
static std::string checkCall(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (call.isInlineAsm())
    return "";
  if (!callee)
    return "calls a function by its address";
  if (!callee->isIntrinsic())
    return callee->isDeclaration()
               ? "calls '" + callee->getName().str() + "', which is not in it"
               : "";
  if (callee->getName().starts_with("llvm.nvvm."))
    return "";
  if (isSelectable(callee->getIntrinsicID()))
    return "";
  return "calls '" + callee->getName().str() +
         "', for which a GPU has no instruction";
}

static std::string check(const Instruction &instruction) {
  if (auto *call = dyn_cast<CallBase>(&instruction))
    if (std::string why = checkCall(*call); !why.empty())
      return why;
  std::string text;
  raw_string_ostream stream(text);
  switch (instruction.getOpcode()) {
  case Instruction::FRem:
  case Instruction::VAArg:
  case Instruction::Invoke:
  case Instruction::CallBr:
  case Instruction::IndirectBr:
    stream << "has '" << instruction.getOpcodeName()
           << "', for which a GPU has no instruction";
    return text;
  default:
    break;
  }
  const unsigned mostBits = mayBeWide(instruction) ? 127 : 64;
  auto isWrong = [&](const Type *type) {
    return !isSelectableType(type, mostBits);
  };
  const Type *wrong = isWrong(instruction.getType()) ? instruction.getType()
                                                     : nullptr;
  for (const Use &operand : instruction.operands())
    if (!wrong && !isa<BasicBlock, Function>(operand) &&
        isWrong(operand->getType()))
      wrong = operand->getType();
  if (!wrong)
    return text;
  stream << "has a value of type " << *wrong
         << ", expected integers up to 64 bits, f16, bf16, f32, f64, pointers "
            "and vectors of them";
  return text;
}

Status kiln::target::checkSelectable(const llvm::Module &module) {
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      if (std::string why = check(instruction); !why.empty())
        return kiln::Error::unsupported(
            "kernel \"" + function.getName().str() + "\" " + why);
  return Status::success();
}
