//===- ContractionBuilder.h - Addresses, masks and loops ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the schemes of ContractionEmitter.h share.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTOSCF_CONTRACTIONBUILDER_H
#define KILN_LIB_CONVERSION_LOOPTOSCF_CONTRACTIONBUILDER_H

#include "ContractionEmitter.h"
#include "kiln/Emission/VectorIdioms.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace kiln::loop {

class ContractionBuilder {
public:
  /// For vectors of `lanes` sums; `masked` if every second element of a row may
  /// be read as a vector with a mask.
  ContractionBuilder(mlir::OpBuilder &b, mlir::Location loc,
                     const ContractionSpec &spec, int64_t lanes, bool masked);

  // Arithmetic on i64 with constants folded.
  mlir::Value constant(int64_t value);
  mlir::Value flag(bool value);
  mlir::Value get(const Extent &extent);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y) { return add(x, constant(y)); }
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y) { return mul(x, constant(y)); }
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, int64_t y) { return min(x, constant(y)); }
  mlir::Value ceilDiv(mlir::Value x, int64_t y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value rem(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, mlir::Value y);
  mlir::Value equal(mlir::Value x, mlir::Value y);
  mlir::Value both(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y);

  // Control flow. Bodies build at the builder's insertion point.
  void forEach(mlir::Value from, mlir::Value to, int64_t step,
               llvm::function_ref<void(mlir::Value)> body);
  llvm::SmallVector<mlir::Value>
  forEach(mlir::Value from, mlir::Value to, int64_t step,
          llvm::ArrayRef<mlir::Value> initial,
          llvm::function_ref<llvm::SmallVector<mlir::Value>(
              mlir::Value, mlir::ValueRange)>
              body);
  // Of a condition that is known only what it leaves is built.
  void when(mlir::Value condition, llvm::function_ref<void()> then);
  void when(mlir::Value condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise);

  // Values.
  mlir::VectorType vectorOf(mlir::Type element) const;
  mlir::Value zero(mlir::Type type);
  mlir::Value splat(mlir::Value scalar);
  /// Of floats rounded once, of integers modulo 2^32.
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);
  mlir::Value addSums(mlir::Value x, mlir::Value y);
  /// Lanes [0, count) set, for any count.
  mlir::Value firstLanes(mlir::Value count);
  /// From the type in memory to that of the sum, or back.
  mlir::Value convert(mlir::Value value, mlir::Type element);

  // Memory. Offsets are in elements.
  mlir::Value address(mlir::Value base, mlir::Value offset,
                      mlir::Type element);
  mlir::Value load(mlir::Type type, mlir::Value pointer, unsigned alignment);
  /// `mask` null stores all lanes.
  void store(mlir::Value value, mlir::Value pointer, unsigned alignment,
             mlir::Value mask = {});

  /// Fetches a line into the second cache; any address will do.
  void prefetch(mlir::Value pointer);

  /// Zeros in elements [from, to), which are `whole` vectors or not.
  void clear(mlir::Value base, mlir::Value from, mlir::Value to, bool whole);

  /// Sums at vector `offsets` from a place; 0 outside `mask`.
  mlir::Value gather(mlir::Value base, mlir::Value offsets, mlir::Value mask);

  // Axes of several dimensions.
  /// The indices in an axis' dimensions for an index along all of it.
  llvm::SmallVector<mlir::Value> split(const ContractionAxis &axis,
                                       mlir::Value index);
  /// The indices of the next element; those of the first behind the last.
  llvm::SmallVector<mlir::Value> next(const ContractionAxis &axis,
                                      mlir::ValueRange indices);
  /// Elements from the base to these indices.
  mlir::Value offset(mlir::ValueRange indices,
                     llvm::ArrayRef<Extent> steps);

  /// Elements of the operand from `pointer` on, `step` (1 or 2) apart, or at
  /// vector `offsets` from it if they are given; those outside `mask` are 0
  /// before they are mapped.
  mlir::Value loadLanes(const ContractionOperand &operand, mlir::Value pointer,
                        mlir::Value offsets, mlir::Value mask, int64_t step);

  /// What was read of an operand, mapped and in the type of the sums.
  mlir::Value toSummand(const ContractionOperand &operand, mlir::Value value,
                        const ContractionIndex &index);
  /// Element (batch, row, column) of an operand, mapped and extended.
  mlir::Value loadElement(const ContractionOperand &operand, mlir::Value batch,
                          mlir::Value row, mlir::Value column);
  /// As many elements as a vector has lanes, along the column (or row, whose
  /// stride is 1); lanes outside `mask` are 0. A null mask means all.
  mlir::Value loadVector(const ContractionOperand &operand,
                         const ContractionIndex &index);
  mlir::Value elementAddress(const ContractionOperand &operand,
                             const ContractionIndex &index);
  /// Maps sums and stores them to C.
  void storeElement(mlir::Value sum, const ContractionIndex &index);
  void storeVector(mlir::Value sums, const ContractionIndex &index);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const ContractionSpec &spec;
  int64_t lanes;
  bool masked;
  int64_t sumBytes;
  mlir::VectorType sums; ///< vector<lanes x sumType>
};

/// True if neighbours of the result are rows of the product, which a column of
/// sums gives.
bool storesAcross(const ContractionSpec &spec);

/// Elements of the parts of scratch memory of a packed product, in this order
/// behind the table of an irregular operand.
struct PackedScratch {
  PackedScratch(const ContractionSpec &spec, PackedScheduleAttr schedule);

  bool onePanel; ///< rows of an item are packed once: so is a panel of columns
  bool oneBlock; ///< all of k at once: sums of a tile leave at once
  int64_t steps; ///< of a block of k: its depth, or words of it
  int64_t setup; ///< the shape of registers of AMX
  int64_t staged; ///< operands on their way to words
  int64_t rowPanels, columnPanels;
  int64_t finished; ///< tiles that are stored together
  int64_t sums;

  int64_t all() const {
    return setup + staged + rowPanels + columnPanels + sums;
  }
};

/// A block of k that an operand is packed for.
struct PanelBlock {
  PackedScheduleAttr schedule;
  mlir::Value batch;
  mlir::Value k0, kc, kPadded; ///< the first, how many, rounded up
  mlir::Value table;           ///< scratch for `irregularTableBytes`
};

/// Bytes that packing irregular operands needs besides the panels.
int64_t irregularTableBytes(const ContractionSpec &spec,
                            PackedScheduleAttr schedule);

/// True if lanes run along the rows of A when it is packed, and not along k.
bool packsAcrossRows(const ContractionSpec &spec);
/// How many register tiles have rows for whole vectors of them: as few as leave
/// less than an eighth of the lanes empty, or else those that leave the fewest.
int64_t countTilesOfVectors(PackedScheduleAttr schedule);
/// Register tiles whose rows are side by side in a panel of A, so that they
/// fill vectors.
int64_t getPanelTiles(const ContractionSpec &spec, PackedScheduleAttr schedule);

/// Packs rows [first, first + tiles * tile rows) of A along k, none beyond `m1`.
void packIrregularRows(ContractionBuilder &c, const PanelBlock &block,
                       mlir::Value first, mlir::Value m1, mlir::Value tiles,
                       mlir::Value panels);
/// Packs rows [row, row + tile rows) of A across k, none beyond `m1`.
void packIrregularRowsAcross(ContractionBuilder &c, const PanelBlock &block,
                             mlir::Value row, mlir::Value m1,
                             mlir::Value panel);
/// Packs columns [column, column + tile columns) of B, none beyond `n1`.
void packIrregularColumns(ContractionBuilder &c, const PanelBlock &block,
                          mlir::Value column, mlir::Value n1,
                          mlir::Value panel);

/// Whether A and B lie in memory so that they are packed as words in one step. Others
/// are staged: packed as sums are, a tile at a time, and then folded.
bool hasRowWords(const ContractionSpec &spec);
bool hasColumnWords(const ContractionSpec &spec);
int64_t getStagedElements(const ContractionSpec &spec,
                          PackedScheduleAttr schedule);

/// Packs rows [first, first + tiles * tile rows) of A as words, none beyond `m1`.
void packRowWords(ContractionBuilder &c, const PanelBlock &block,
                  mlir::Value first, mlir::Value m1, mlir::Value tiles,
                  mlir::Value panels);
/// Packs columns [column, column + tile columns) of B as words, none beyond `n1`.
void packColumnWords(ContractionBuilder &c, const PanelBlock &block,
                     mlir::Value column, mlir::Value n1, mlir::Value panel);
/// Makes words of a tile of rows, or of a panel of columns, packed as sums are.
void foldRows(ContractionBuilder &c, const PanelBlock &block,
              mlir::Value staged, mlir::Value panel);
void foldColumns(ContractionBuilder &c, const PanelBlock &block,
                 mlir::Value staged, mlir::Value panel);

/// sum + x * y of the factors in each lane of words of A and B, with `vdpbf16ps` or
/// `vpdpbusd`.
mlir::Value addProducts(ContractionBuilder &c, mlir::Value x, mlir::Value y,
                     mlir::Value sum);

/// Shapes the registers of AMX, by way of 64 bytes of memory; lets go of them.
void configureTiles(ContractionBuilder &c, mlir::Value memory);
void releaseTiles(ContractionBuilder &c);
/// sums (+)= rows * columns over `steps` words, for the first `count` rows of a tile.
void multiplyTiles(ContractionBuilder &c, PackedScheduleAttr schedule,
                   mlir::Value steps, mlir::Value rows, mlir::Value columns,
                   mlir::Value sums, mlir::Value firstBlock, int64_t count);

/// Fetches what belongs to an iteration over a block of k.
using FetchLines = llvm::function_ref<void(mlir::Value iteration)>;

/// The runs of the depth along which A is read in place.
struct RunsInPlace {
  int64_t length = 0; ///< neighbours of a run
  int64_t steps = 0;  ///< of a run, each of one factor or a word of them
  int64_t places = 0; ///< runs of a block of k
  int64_t iterations = 0; ///< of a block of k, each of whole `unroll` steps
  int64_t rowDims = 0; ///< of the axis of rows
  int64_t rows = 0;   ///< of a line of the table: a block of them, in whole vectors

  /// Elements of scratch memory for the table and a run of zeros.
  int64_t getElements(const ContractionSpec &spec,
                      PackedScheduleAttr schedule) const;
};
/// Nothing if A has no such runs, or a block of k holds parts of them.
std::optional<RunsInPlace> getRunsInPlace(const ContractionSpec &spec,
                                          PackedScheduleAttr schedule);
/// Writes where the runs of rows [first, first + tiles * tile rows) begin, none beyond `m1`.
void placeRows(ContractionBuilder &c, const PanelBlock &block, mlir::Value first,
               mlir::Value m1, mlir::Value tiles, mlir::Value table);
/// Sums of the first `count` rows from `firstRow` of the table on, times a panel of columns,
/// over a block of k.
llvm::SmallVector<mlir::Value>
multiplyInPlace(ContractionBuilder &c, const PanelBlock &block,
                mlir::Value table, mlir::Value firstRow, mlir::Value columns,
                int64_t count, FetchLines fetch);

/// The packed scheme, for one work item: C[batch, m0 .. m1, n0 .. n1].
void emitPackedTile(ContractionBuilder &c, PackedScheduleAttr schedule,
                    mlir::Value batch, mlir::Value m0, mlir::Value m1,
                    mlir::Value n0, mlir::Value n1, mlir::Value scratch);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTOSCF_CONTRACTIONBUILDER_H
