//===- GridProgram.cpp - What threads of a grid do, decoded ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridProgram.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/StringSwitch.h"

using namespace kiln::loop;
using namespace kiln::loop::grid;
using namespace mlir;

unsigned grid::getWidth(Type type) {
  type = getElementTypeOrSelf(type);
  if (isa<LLVM::LLVMPointerType>(type))
    return 64;
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

unsigned grid::getStoredBytes(Type type) { return (getWidth(type) + 7) / 8; }

unsigned grid::countLanes(Type type) {
  if (auto fields = dyn_cast<LLVM::LLVMStructType>(type))
    return fields.getBody().size();
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

uint64_t grid::getStoredSize(Type type) {
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return array.getNumElements() * getStoredSize(array.getElementType());
  return uint64_t(getStoredBytes(type)) * countLanes(type);
}

namespace {

class GridDecoder {
public:
  GridDecoder(Program &program,
              const llvm::DenseMap<StringAttr, uint64_t> &addresses)
      : program(program), addresses(addresses) {}

  void decode(LLVM::LLVMFuncOp function);

private:
  /// The place of a value, which gets registers when it is first asked for.
  Operand get(Value value);
  Operand place(Value value);
  Operand allocate(unsigned lanes);
  Operand constant(uint64_t bits);

  Instruction &add(Kind kind, Operation &op, ArrayRef<Operand> operands);
  Instruction &add(Kind kind, Operation &op, ValueRange operands);
  void decodeOp(Operation &op);
  // False for other ops.
  bool decodeBranch(Operation &op);
  bool decodeMeeting(Operation &op);
  bool decodeAccess(Operation &op);
  bool decodeMasked(Operation &op);
  bool decodeCopy(Operation &op);
  bool decodeEngine(Operation &op);
  bool decodeAddress(Operation &op);
  bool decodeShuffle(Operation &op);
  bool decodeVectorSum(Operation &op);
  void addEdge(Block *to, ValueRange passed);
  Instruction &addSum(Operation &op, Type type, Operand before, Operand value,
                      Operand address);

  Program &program;
  const llvm::DenseMap<StringAttr, uint64_t> &addresses;
  llvm::DenseMap<Value, Operand> places;
  std::vector<Block *> targets; ///< of the edges
};

} // namespace

Program::Program(LLVM::LLVMFuncOp function,
                 const llvm::DenseMap<StringAttr, uint64_t> &addresses) {
  GridDecoder(*this, addresses).decode(function);
}

void GridDecoder::decode(LLVM::LLVMFuncOp function) {
  program.registers.resize(kArguments);
  for (Value argument : function.getArguments())
    get(argument);
  llvm::DenseMap<Block *, uint32_t> starts;
  for (Block &block : function.getBody()) {
    starts[&block] = program.instructions.size();
    for (Operation &op : block)
      decodeOp(op);
  }
  for (auto [edge, target] : llvm::zip_equal(program.edges, targets))
    edge.to = starts.lookup(target);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Operand GridDecoder::allocate(unsigned lanes) {
  uint32_t first = program.registers.size();
  program.registers.resize(first + lanes);
  return {first, lanes == 1 ? 0u : 1u};
}

Operand GridDecoder::constant(uint64_t bits) {
  Operand made = allocate(1);
  program.registers[made.first] = bits;
  return made;
}

/// Whether an op leaves bits of registers as they are.
static bool isRenaming(Operation &op) {
  if (isa<LLVM::BitcastOp>(op))
    return countLanes(op.getOperand(0).getType()) ==
           countLanes(op.getResult(0).getType());
  return isa<LLVM::ZExtOp, LLVM::IntToPtrOp, LLVM::AddrSpaceCastOp>(op);
}

/// Whether an op is a field of a struct that one register has.
static bool isField(Operation &op) {
  auto field = dyn_cast<LLVM::ExtractValueOp>(op);
  return field && field.getPosition().size() == 1 &&
         getWidth(field.getType()) != 0 && countLanes(field.getType()) == 1;
}

/// Whether an op has no instruction, because its result is in registers already.
static bool isPlaced(Operation &op) {
  return isRenaming(op) || isField(op) ||
         isa<NVVM::ThreadIdXOp, NVVM::BlockIdXOp, LLVM::AddressOfOp>(op) ||
         !getConstantBits(op).empty();
}

Operand GridDecoder::get(Value value) {
  if (auto known = places.find(value); known != places.end())
    return known->second;
  return places[value] = place(value);
}

Operand GridDecoder::place(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isPlaced(*op))
    return allocate(countLanes(value.getType()));
  if (isa<NVVM::ThreadIdXOp>(op))
    return {kThreadRegister, 0};
  if (isa<NVVM::BlockIdXOp>(op))
    return {kBlockRegister, 0};
  if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
    return constant(addresses.lookup(address.getGlobalNameAttr().getAttr()));
  if (isRenaming(*op))
    return get(op->getOperand(0));
  if (auto field = dyn_cast<LLVM::ExtractValueOp>(op))
    return {get(field.getContainer()).first + uint32_t(field.getPosition()[0]),
            0};
  SmallVector<uint64_t> bits = getConstantBits(*op);
  Operand made = allocate(bits.size());
  llvm::copy(bits, program.registers.begin() + made.first);
  return made;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Instruction &GridDecoder::add(Kind kind, Operation &op,
                              ArrayRef<Operand> operands) {
  Instruction made;
  made.kind = kind;
  made.op = &op;
  if (operands.size() > made.operands.size())
    made.kind = Kind::Unknown;
  else
    llvm::copy(operands, made.operands.begin());
  if (op.getNumOperands() != 0)
    made.width = getWidth(op.getOperand(0).getType());
  if (op.getNumResults() == 1) {
    Type type = op.getResult(0).getType();
    made.resultWidth = getWidth(type);
    made.lanes = countLanes(type);
    made.result = get(op.getResult(0)).first;
  }
  program.instructions.push_back(std::move(made));
  return program.instructions.back();
}

Instruction &GridDecoder::add(Kind kind, Operation &op, ValueRange operands) {
  SmallVector<Operand> found;
  for (Value operand : operands)
    found.push_back(get(operand));
  return add(kind, op, found);
}

void GridDecoder::decodeOp(Operation &op) {
  if (isPlaced(op) || decodeBranch(op) || decodeMeeting(op) ||
      decodeAccess(op) || decodeMasked(op) || decodeCopy(op) ||
      decodeEngine(op) || decodeAddress(op) || decodeShuffle(op) ||
      decodeVectorSum(op))
    return;
  Instruction &made = add(Kind::Evaluate, op, op.getOperands());
  if (op.getNumResults() == 1)
    made.evaluate = getEvaluation(op, made);
  if (!made.evaluate)
    made.kind = Kind::Unknown;
}

void GridDecoder::addEdge(Block *to, ValueRange passed) {
  Edge edge = {};
  for (auto [argument, value] : llvm::zip_equal(to->getArguments(), passed)) {
    Operand target = get(argument), source = get(value);
    for (uint32_t k = 0; k < countLanes(value.getType()); ++k)
      edge.moves.emplace_back(target.first + k, source.first + k * source.step);
  }
  program.edges.push_back(std::move(edge));
  targets.push_back(to);
}

bool GridDecoder::decodeBranch(Operation &op) {
  int64_t edge = program.edges.size();
  if (isa<LLVM::ReturnOp>(op)) {
    add(Kind::Return, op, ArrayRef<Operand>());
  } else if (isa<LLVM::Trap>(op)) {
    add(Kind::Stop, op, ArrayRef<Operand>());
  } else if (auto branch = dyn_cast<LLVM::BrOp>(op)) {
    // As if a condition did not hold.
    add(Kind::Branch, op, ArrayRef<Operand>()).number = edge - 1;
    addEdge(branch.getDest(), branch.getDestOperands());
  } else if (auto branch = dyn_cast<LLVM::CondBrOp>(op)) {
    add(Kind::Branch, op, branch.getCondition()).number = edge;
    addEdge(branch.getTrueDest(), branch.getTrueDestOperands());
    addEdge(branch.getFalseDest(), branch.getFalseDestOperands());
  } else {
    return false;
  }
  return true;
}

/// `mma.sync` of 16 by 16 by 8 of f16 or bf16, 16 by 8 by 8 of f16 or tf32, or
/// 16 by 32 by 8 of bytes, whose sums wrap around.
static bool isKnownProduct(NVVM::MmaOp op) {
  auto type = op.getMultiplicandAPtxType();
  bool isF16 = type == NVVM::MMATypes::f16;
  bool areBytes =
      llvm::is_contained({NVVM::MMATypes::s8, NVVM::MMATypes::u8}, type) &&
      llvm::is_contained({NVVM::MMATypes::s8, NVVM::MMATypes::u8},
                         op.getMultiplicandBPtxType()) &&
      op.getIntOverflowBehavior() == NVVM::MMAIntOverflow::wrapped;
  NVVM::MMAShapeAttr shape = op.getShape();
  bool isKnown = shape.getK() == 8    ? isF16 || type == NVVM::MMATypes::tf32
                 : shape.getK() == 16 ? isF16 || type == NVVM::MMATypes::bf16
                                      : shape.getK() == 32 && areBytes;
  return isKnown && shape.getM() == 16 && shape.getN() == 8;
}

/// One for each bit of what threads compare with what others have.
static constexpr StringLiteral kBallot("vote.sync.ballot.b32 lanes, is, -1; "
                                       "@is not.b32 lanes, lanes;");

/// What threads do together.
bool GridDecoder::decodeMeeting(Operation &op) {
  if (isa<NVVM::Barrier0Op>(op)) {
    add(Kind::Barrier, op, ArrayRef<Operand>());
  } else if (auto counts = dyn_cast<NVVM::BarrierOp>(op);
             counts && !counts.getBarrierId() && !counts.getNumberOfThreads() &&
             counts.getReductionOp() == NVVM::BarrierReduction::POPC) {
    add(Kind::Count, op, counts.getReductionPredicate());
  } else if (auto exchange = dyn_cast<NVVM::ShflOp>(op);
             exchange && countLanes(exchange.getType()) == 1 &&
             llvm::is_contained({NVVM::ShflKind::bfly, NVVM::ShflKind::idx},
                                exchange.getKind())) {
    add(Kind::Exchange, op, {exchange.getVal(), exchange.getOffset()}).number =
        exchange.getKind() == NVVM::ShflKind::bfly;
  } else if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
             assembly && assembly.getAsmString().contains(kBallot)) {
    add(Kind::Others, op, op.getOperands()).number =
        assembly.getAsmString().count(kBallot);
  } else if (isa<NVVM::SyncWarpOp>(op)) {
    add(Kind::WarpBarrier, op, ArrayRef<Operand>());
  } else if (isa<NVVM::LdMatrixOp>(op)) {
    add(Kind::LoadMatrices, op, op.getOperands());
  } else if (auto product = dyn_cast<NVVM::MmaOp>(op);
             product && isKnownProduct(product)) {
    add(Kind::Multiply, op, op.getOperands());
  } else {
    return false;
  }
  return true;
}

/// A sum of a type in memory: what was there becomes `before`, and the sum has registers of
/// its own.
Instruction &GridDecoder::addSum(Operation &op, Type type, Operand before,
                                 Operand value, Operand address) {
  Operand after = allocate(countLanes(type));
  Instruction &made = add(Kind::Atomic, op, {before, value, address});
  made.bytes = made.alignment = getStoredBytes(type);
  made.lanes = countLanes(type);
  made.result = after.first;
  made.evaluate = getSum(getElementTypeOrSelf(type), made);
  if (!made.evaluate)
    made.kind = Kind::Unknown;
  return made;
}

bool GridDecoder::decodeAccess(Operation &op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    Instruction &made = add(Kind::Load, op, load.getAddr());
    made.bytes = getStoredBytes(load.getType());
    made.alignment = load.getAlignment().value_or(made.bytes);
    made.isConstant = load.getInvariant();
  } else if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    Type type = store.getValue().getType();
    Instruction &made =
        add(Kind::Store, op, {store.getValue(), store.getAddr()});
    made.lanes = countLanes(type);
    made.bytes = getStoredBytes(type);
    made.alignment = store.getAlignment().value_or(made.bytes);
  } else if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op);
             atomic && llvm::is_contained(
                           {LLVM::AtomicBinOp::add, LLVM::AtomicBinOp::fadd},
                           atomic.getBinOp())) {
    addSum(op, atomic.getVal().getType(), get(atomic.getRes()),
           get(atomic.getVal()), get(atomic.getPtr()));
  } else {
    return false;
  }
  return true;
}

bool GridDecoder::decodeMasked(Operation &op) {
  if (auto gather = dyn_cast<LLVM::masked_gather>(op)) {
    SmallVector<Value> operands = {gather.getPtrs(), gather.getMask()};
    llvm::append_range(operands, gather.getPassThru());
    Instruction &made = add(Kind::Gather, op, operands);
    made.bytes = getStoredBytes(gather.getRes().getType());
    made.alignment = gather.getAlignment();
  } else if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op)) {
    Instruction &made = add(Kind::Gather, op, op.getOperands());
    made.bytes = made.alignment = getStoredBytes(load.getRes().getType());
    made.number = made.bytes; // from one place to the next
  } else if (auto scatter = dyn_cast<LLVM::masked_scatter>(op)) {
    Instruction &made = add(Kind::Scatter, op, op.getOperands());
    Type type = scatter.getValue().getType();
    made.lanes = countLanes(type);
    made.bytes = getStoredBytes(type);
    made.alignment = scatter.getAlignment();
  } else {
    return false;
  }
  return true;
}

bool GridDecoder::decodeCopy(Operation &op) {
  if (isa<NVVM::CpAsyncCommitGroupOp>(op)) {
    add(Kind::CommitCopies, op, ArrayRef<Operand>());
  } else if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op)) {
    add(Kind::WaitForCopies, op, ArrayRef<Operand>()).number = wait.getN();
  } else if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op)) {
    unsigned size = copy.getSize();
    Operand count = copy.getCpSize() ? get(copy.getCpSize()) : constant(size);
    Instruction &made =
        add(Kind::Copy, op, {get(copy.getDst()), get(copy.getSrc()), count});
    made.number = made.alignment = size;
  } else {
    return false;
  }
  return true;
}

bool GridDecoder::decodeEngine(Operation &op) {
  if (isa<NVVM::MBarrierInitOp>(op)) {
    add(Kind::InitBarrier, op, op.getOperands());
  } else if (isa<NVVM::MBarrierArriveExpectTxOp>(op)) {
    add(Kind::Expect, op, op.getOperands());
  } else if (auto bring =
                 dyn_cast<NVVM::CpAsyncBulkGlobalToSharedClusterOp>(op);
             bring && !bring.getMulticastMask()) {
    add(Kind::Bring, op,
        {bring.getDstMem(), bring.getSrcMem(), bring.getMbar(),
         bring.getSize()});
  } else if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
             assembly && assembly.getAsmString().contains(
                             "mbarrier.try_wait.parity.shared.b64")) {
    add(Kind::Await, op, op.getOperands());
  } else {
    // What makes barriers known to the engine, or what is written to the host, has no threads
    // that wait for it.
    return isa<NVVM::FenceMbarrierInitOp, LLVM::FenceOp>(op);
  }
  return true;
}

static void evaluateAddress(const Instruction &of, uint64_t *registers) {
  for (uint32_t k = 0; k < of.lanes; ++k) {
    uint64_t index = of.get(registers, 1, k);
    if (of.width == 32)
      index = int64_t(int32_t(index));
    registers[of.result + k] = of.get(registers, 0, k) + index * of.number;
  }
}

bool GridDecoder::decodeAddress(Operation &op) {
  auto address = dyn_cast<LLVM::GEPOp>(op);
  if (!address || address.getIndices().size() != 1)
    return false;
  auto index = address.getIndices()[0];
  auto known = dyn_cast<IntegerAttr>(index);
  Operand place = known ? constant(known.getInt()) : get(cast<Value>(index));
  Instruction &made = add(Kind::Evaluate, op, {get(address.getBase()), place});
  made.width = known ? 64 : getWidth(cast<Value>(index).getType());
  made.number = getStoredSize(address.getElemType());
  made.evaluate = evaluateAddress;
  return true;
}

static void evaluateMove(const Instruction &of, uint64_t *registers) {
  registers[of.result] = of.get(registers, 0);
}

bool GridDecoder::decodeShuffle(Operation &op) {
  auto shuffle = dyn_cast<LLVM::ShuffleVectorOp>(op);
  if (!shuffle)
    return false;
  Operand first = get(shuffle.getV1()), second = get(shuffle.getV2());
  int32_t count = countLanes(shuffle.getV1().getType());
  for (auto [k, lane] : llvm::enumerate(shuffle.getMask())) {
    Operand from = lane < count ? first : second;
    from.first += (lane < count ? lane : lane - count) * from.step;
    if (lane < 0)
      from.first = kZeroRegister;
    Instruction &made = add(Kind::Evaluate, op, from);
    made.result += k;
    made.lanes = 1;
    made.evaluate = evaluateMove;
  }
  return true;
}

static void evaluatePart(const Instruction &of, uint64_t *registers) {
  registers[of.result] =
      of.get(registers, 0) >> of.number & ((uint64_t(1) << of.resultWidth) - 1);
}

/// An atomic sum of several floats, of f32 or two of 16 bits in a word:
/// "red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};".
bool GridDecoder::decodeVectorSum(Operation &op) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  if (!assembly)
    return false;
  StringRef text =
      assembly.getAsmString().take_until([](char c) { return c == ' '; });
  auto [name, kind] = text.rsplit('.');
  Builder builder(op.getContext());
  Type element = llvm::StringSwitch<Type>(kind)
                     .Case("f32", builder.getF32Type())
                     .Case("f16x2", builder.getF16Type())
                     .Case("bf16x2", builder.getBF16Type())
                     .Default(Type());
  unsigned words = op.getNumOperands() - 1;
  std::string count = words > 1 ? ".v" + std::to_string(words) : "";
  if (!element || !name.consume_front("red.relaxed.gpu.global.add") ||
      name != (element.isF32() ? "" : ".noftz") + count)
    return false;
  unsigned width = getWidth(element);
  Operand address = get(op.getOperand(0));
  unsigned alignment = words * 4; // of all together
  int64_t offset = 0;
  for (Value word : op.getOperands().drop_front())
    for (unsigned shift = 0; shift < 32; shift += width) {
      Operand value = allocate(1);
      Instruction &part = add(Kind::Evaluate, op, word);
      part.number = shift;
      part.result = value.first;
      part.resultWidth = width;
      part.evaluate = evaluatePart;
      Instruction &sum = addSum(op, element, allocate(1), value, address);
      sum.alignment = std::exchange(alignment, 1);
      sum.number = offset;
      offset += sum.bytes;
    }
  return true;
}
