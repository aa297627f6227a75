//===- Frame.h - The state of a program's call ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIME_FRAME_H
#define KILN_LIB_RUNTIME_FRAME_H

#include "KnownInputs.h"
#include "Recording.h"
#include "kiln/Runtime/ProgramRunner.h"

#include <unordered_map>
#include <unordered_set>

namespace kiln::runtime {

/// Says of an error which call of the model it came from.
Error describeCall(const package::ExternStep &step, const Error &error);

/// What is known of a program without its inputs.
struct ProgramRunner::Plan {
  ProgramCode code;
  std::vector<Tensor> constants;
  /// Per slot, what the package stores for it; undefined without.
  std::vector<Tensor> stored;
  const List *bodies = nullptr;
  std::vector<OpFunction> functions; ///< per step; null where not extern
  std::vector<bool> conditionExpr;   ///< its value is a bool
  std::vector<bool> lateValue;       ///< its place depends on a Step symbol
  std::vector<bool> arenaRooted;
  /// Per slot and of what is prepared, the values that are views of it, and itself.
  std::vector<std::vector<package::ValueId>> valuesOf;
  std::vector<package::ValueId> prepared;
  std::vector<uint32_t> root;        ///< per value: what it is a view of
  std::vector<std::vector<uint32_t>> viewsOf; ///< per root, all views of it
  std::vector<uint32_t> stepSymbols;          ///< that steps define
  std::vector<std::vector<uint32_t>> exprsOfSymbol; ///< of those alone
  /// Launches that are made at once, and assertions: steps `begin` to `end`.
  struct Chain {
    size_t begin = 0, end = 0;
    size_t buffers = 0, arguments = 0; ///< of all of them
  };
  std::vector<Chain> chains;
  size_t mostLaunches = 1;
  size_t mostBuffers = 0;
  size_t mostArguments = 0;
  bool mutates = false;
  /// Values that are slots which the program writes in place; per output, whether it is
  /// one of them.
  std::vector<package::ValueId> updated;
  std::vector<bool> isUpdate;
  /// A result that is no mutation may share memory with an input, unknown to the package.
  bool mayReturnInputs = false;
  std::vector<package::GraphSegment> segments; ///< on a device
  std::vector<bool> isPreparation; ///< per step; empty where none is
  /// Slots of the weights that preparation reads.
  std::vector<uint32_t> preparedFrom;
  /// Per step, what is prepared and read by none behind it; empty as `isPreparation`.
  std::vector<std::vector<package::ValueId>> passing;
  /// What came with the package, of the weights that it stores; null without.
  std::shared_ptr<const Prepared> storedPreparation;

  void findValues(const package::Program &program);
  void findUpdates(const package::Program &program);
  void findPreparation(const package::Program &program);
  Status takeStoredPreparation(const package::Program &program);
  void findChains(const package::Program &program);
  /// An assertion as a launch of one thread.
  struct Check {
    package::GridStep step;
    int64_t arguments[3] = {}; ///< cell, mask, bytes
  };
  std::vector<std::unique_ptr<Check>> checks; ///< per step; null where none
  /// Of grids with assertions of their own, where these are told.
  std::unordered_map<const package::GridStep *, std::vector<int64_t>> cells;
};

/// What the preparation of a program has written, for one version of its weights.
struct ProgramRunner::Prepared {
  uint64_t version = 0;
  std::vector<const uint8_t *> weights; ///< of `Plan::preparedFrom`
  std::vector<Tensor> tensors;          ///< per value; undefined where not prepared
};

/// One call under way, and what the next call can use again: values of
/// expressions and pointers into the arena while the symbols stay the same, the
/// arena itself, scratch memory.
class ProgramRunner::Frame {
public:
  Frame(ProgramRunner &runner);

  Result<std::vector<OpValue>> run(const std::vector<OpValue> &inputs,
                                   const RunOptions &options);
  /// See ProgramRunner.
  Result<std::vector<Tensor>> prepareAlone(const std::vector<bool> &wanted,
                                           const RunOptions &options);

private:
  /// What a value is in this call.
  struct Entry {
    const Tensor *tensor = nullptr; ///< in `own` or among the caller's inputs
    OpValue own;
    /// What kernels get; its layout is checked. It stays from call to call where the value
    /// does (`staysAt`).
    void *pointer = nullptr;
    bool set = false;     ///< `tensor` or the number in `own` is valid
    bool laidOut = false; ///< `tensor` has the declared sizes and strides
    /// The declared one for the present symbols, once it was asked for; null for values
    /// that depend on steps.
    std::shared_ptr<const TensorLayout> layout;
  };

  /// What a kernel is called with, or a step that is an assertion.
  struct Launch {
    kiln_cpu_kernel_t kernel = nullptr;
    void *const *pointers = nullptr;
    const int64_t *arguments = nullptr;
    size_t scratchBytes = 0; ///< of each thread
    uint8_t *scratch = nullptr;
    Frame *frame = nullptr;
    size_t check = 0;
  };

  // Expressions.
  Status integer(package::ExprId id, int64_t &value);
  Status cell(package::ExprId id, package::Cell &value);
  Status integers(const std::vector<package::ExprId> &ids,
                  std::vector<int64_t> &values);
  OpValue exprValue(package::ExprId id, const package::Cell &cell) const;

  // Before the steps.
  Status bind();
  void takeInputs();
  Status bindInputs();
  Status checkInputs();
  Status checkSlot(size_t index);
  Status prepareArena();

  // Preparation.
  Status prepare();
  void takePrepared(std::shared_ptr<const Prepared> prepared);
  void findWeights();
  Status checkFrozen() const;
  Status runPreparation(uint64_t version, std::vector<const uint8_t *> weights);
  void releaseWeights(const package::Step &step);
  void releasePassing(size_t step);
  bool meetWeights() const;
  Status makePrepared(package::ValueId id);
  Status protectUpdated();

  // Values.
  Status tensor(package::ValueId id, const Tensor *&tensor);
  Status laidOut(package::ValueId id, const Tensor *&tensor);
  Status pointer(package::ValueId id, void *&pointer);
  Status number(package::ValueId id, OpValue &value);
  Status makeArena(package::ValueId id);
  Status makeNew(package::ValueId id);
  Status makeView(package::ValueId id);
  Status assign(package::ValueId id, OpValue value);
  Status layoutOf(package::ValueId id,
                  std::shared_ptr<const TensorLayout> &layout);
  Status checkLayout(package::ValueId id, const Tensor &tensor,
                     const TensorLayout &layout, bool &fits) const;
  void setOwn(package::ValueId id, Tensor tensor);
  Entry &touch(package::ValueId id);
  bool isCopied(package::ValueId slot) const;
  bool staysAt(package::ValueId root) const;
  void forget(package::ValueId id);
  void forgetPointers(const std::vector<package::ValueId> &values);

  // Steps.
  Status steps();
  Status step(size_t index);
  Status launch(size_t begin, size_t end);
  Status timeLaunch(size_t index);
  void countLaunch(uint32_t kernel, double seconds,
                   const std::vector<package::ValueId> &buffers);
  Status makeReady(const package::LaunchStep &step, Phase &phase,
                   Launch &launch, void **pointers, int64_t *arguments);
  void makeCheck(size_t index, Phase &phase, Launch &launch);
  Status shareWork(size_t count);
  Status grid(const package::GridStep &step);
  Status timeGrid(const package::GridStep &step);
  Status findSpans(const package::GridStep &step, std::vector<Span> &spans);
  Status gridParts(const package::GridStep &step);
  Status gridPart(const package::GridStep &step,
                  const package::GridStep::Part &part, bool isNarrow);
  Status library(const package::GridStep &step, bool &isDone);
  Status describeLibrary(const package::GridStep &step, LibraryLaunch &launch,
                         bool &isEmpty);
  Status describeProduct(const package::GridStep &step,
                         const package::GridStep::Product &product,
                         ProductLaunch &launch, bool &isEmpty);
  Status productMatrix(const package::GridStep &step,
                       const package::GridStep::Product::Matrix &matrix,
                       DType dtype, int64_t matrices, int64_t rows,
                       int64_t columns, ProductLaunch::Matrix &found);
  Status describeConvolution(const package::GridStep &step,
                             const package::GridStep::Convolution &convolution,
                             ConvolutionLaunch &launch, bool &isEmpty);
  Status convolutionImage(const package::GridStep &step,
                          const package::GridStep::Convolution::Image &image,
                          const ConvolutionLaunch &launch, int64_t channels,
                          const ConvolutionLaunch::Numbers &sizes,
                          ConvolutionLaunch::Image &found);
  /// A dimension of what a library is given: its size, and elements from each
  /// to the next.
  struct LibraryDim {
    int64_t size, step;
  };
  /// The address of an operand that begins `offset` elements behind the first
  /// one of a buffer. Malformed, naming `what`, unless all of it is there: the
  /// numbers come from a package.
  Status libraryOperand(const package::GridStep &step, uint32_t buffer,
                        DType dtype, int64_t offset,
                        const std::vector<LibraryDim> &dims, const char *what,
                        void *&data);
  /// What may be read from the address of a buffer on.
  Result<int64_t> bytesOf(const package::GridStep &step, uint32_t at);
  Status launchPart(const package::GridStep &step,
                    const package::GridStep::Part &part, uint32_t kernel,
                    uint32_t blocks, size_t arguments);
  Status check(const Plan::Check &check);
  Status checkApart(const package::GridStep &step, size_t at,
                    const Tensor &laid);
  Status gridPointers(const package::GridStep &step,
                      std::vector<Tensor> &aligned);
  Result<TensorMapBytes> tensorMap(const package::GridStep &step,
                                   const package::GridStep::TensorMap &map);
  Status segment(size_t index);
  Status walk(const package::GraphSegment &segment);
  Recording &recordingFor(size_t index);
  Status record(const package::GraphSegment &segment, Recording &recording);
  Status replay(Recording &recording, bool &isDone);
  Status locate(Recording &recording, bool &isAligned);
  Status update(Recording &recording);
  void skip(const std::string &reason);
  Status makeEmpty(TensorMapLayout &layout);
  Status call(const package::ExternStep &step, const OpFunction &function);
  Status argument(const package::Argument &argument, OpValue &value);
  Status leaveArena(OpValue &value) const;
  Status toHost(OpValue &value);
  Device *device() const { return plan_.code.device.get(); }
  Status define(const package::DefineSymbolStep &step);

  // Steps that run bodies.
  Status control(const package::ControlStep &step);
  Status branch(const package::ControlStep &step, std::vector<OpValue> &values);
  Status repeat(const package::ControlStep &step, std::vector<OpValue> &values);
  Status scan(const package::ControlStep &step, std::vector<OpValue> &values);
  Result<std::vector<OpValue>> runBody(uint32_t index,
                                       const std::vector<OpValue> &inputs);
  Status emptyStack(package::ValueId id, OpValue &value);

  // After the steps.
  Status held(package::ValueId id, OpValue &value);
  Status outputs(std::vector<OpValue> &results);
  Status output(const package::Output &output, bool isInput, OpValue &result);
  Status checkWritable() const;
  Status writeBack(std::vector<OpValue> &results);
  std::unordered_set<const Storage *> getUnchangedWeights() const;
  void protectWeights(std::vector<OpValue> &results) const;
  void reset();

  ProgramRunner &runner_;
  const package::Program &program_;
  const Plan &plan_;
  const std::vector<OpValue> *inputs_ = nullptr;
  RunOptions options_;

  KnownInputs known_;
  bool isWritable_ = false; ///< what the program writes to of `known_`

  std::vector<package::Cell> symbols_;
  std::vector<package::Cell> newSymbols_;
  std::vector<package::Cell> cells_; ///< per expression; undefined: not known
  std::vector<Entry> entries_;
  std::vector<package::ValueId> touched_;
  std::shared_ptr<Storage> arena_;
  const uint8_t *arenaData_ = nullptr; ///< what the pointers into it start from
  std::vector<std::shared_ptr<Storage>> kept_; ///< per value, reuseOutputs
  std::shared_ptr<Storage> scratch_;
  std::shared_ptr<const Prepared> prepared_; ///< of the call under way
  std::shared_ptr<Prepared> preparing_;      ///< while its steps run
  std::weak_ptr<const Prepared> lastPrepared_; ///< that pointers are of
  std::vector<const uint8_t *> weights_;       ///< of `Plan::preparedFrom`
  bool meetsWeights_ = false; ///< something that is written meets one of these
  const std::vector<bool> *wanted_ = nullptr; ///< of what it writes; null: what lasts
  std::vector<Phase> phases_; ///< of the launch under way
  std::vector<Launch> launches_; ///< their kernels
  Status checked_ = Status::success(); ///< their assertions
  std::vector<void *> pointers_;
  std::vector<int64_t> arguments_;
  std::vector<void *> parameters_;    ///< of a grid: addresses of the next three
  std::vector<TensorMapBytes> maps_;
  std::vector<SegmentGraphs> graphs_; ///< per segment of the plan
  Recording *recording_ = nullptr;    ///< launches are written down there, too
  std::shared_ptr<Storage> zeros_;    ///< of a device, for maps of nothing
  bool parallel_ = false; ///< some launch of the last call used several threads
};

} // namespace kiln::runtime

#endif // KILN_LIB_RUNTIME_FRAME_H
