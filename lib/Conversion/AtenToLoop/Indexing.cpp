//===- Indexing.cpp - Reading at computed indices -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "Selection.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

LogicalResult loop::lowerEmbedding(LoopBuilder &loops, aten::EmbeddingOp op) {
  Value weight = op.getWeight(), indices = op.getIndices();
  View table = loops.getView(weight), rows = loops.getView(indices);
  loops.checkIndex(indices, table.dims[0], /*negative=*/false);
  RankedTensorType type = loops.getResultType();
  unsigned last = rows.dims.size();
  Value result = loops.makePointwise(
      type, type.getElementType(),
      [&](BodyContext body, ScalarBuilder &) -> Value {
        Value row =
            loops.read(body, rows, getIdentityMap(loops.getContext(), last));
        Value at =
            loops.toIndex(body, row, loops.getElement(indices), table.dims[0],
                          /*negative=*/false);
        return loops.readAt(body, table, {at, body.indices[last]});
      });
  return loops.setMade(0, result);
}

LogicalResult loop::lowerGather(LoopBuilder &loops, aten::GatherOp op) {
  Value indices = op.getIndex();
  View self = loops.getAtLeastRow(op.getSelf()),
       index = loops.getAtLeastRow(indices);
  int64_t rank = self.dims.size();
  int64_t at = wrapDim(op.getDim(), rank);
  const Exprs &dims = index.dims;
  if (int64_t(dims.size()) != rank) // an index without elements
    return loops.setReshaped(
        0, loops.materialize(index, loops.getResultType().getElementType()));
  loops.checkIndex(indices, self.dims[at], /*negative=*/false);
  Type stored = loops.getResultType().getElementType();
  return loops.setReshaped(
      0, loops.makePointwise(
             guard::makeTensorType(stored, dims), stored,
             [&](BodyContext body, ScalarBuilder &) {
               SmallVector<Value> position;
               for (int64_t d = 0; d < rank; ++d)
                 position.push_back(
                     d == at
                         ? loops.toIndex(
                               body, loops.readAt(body, index, body.indices),
                               loops.getElement(indices), self.dims[at],
                               /*negative=*/false)
                         : body.indices[d]);
               return loops.readAt(body, self, position);
             }));
}

LogicalResult loop::lowerIndexSelect(LoopBuilder &loops,
                                     aten::IndexSelectOp op) {
  Value indices = op.getIndex();
  View self = loops.getAtLeastRow(op.getSelf());
  View index = loops.getAtLeastRow(indices);
  int64_t at = wrapDim(op.getDim(), self.dims.size());
  loops.checkIndex(indices, self.dims[at], /*negative=*/false);
  Exprs dims = self.dims;
  dims[at] = index.dims[0];
  Type stored = loops.getResultType().getElementType();
  return loops.setReshaped(
      0, loops.makePointwise(guard::makeTensorType(stored, dims), stored,
                             [&](BodyContext body, ScalarBuilder &) {
                               SmallVector<Value> position(body.indices);
                               position[at] = loops.toIndex(
                                   body,
                                   loops.readAt(body, index, position[at]),
                                   loops.getElement(indices), self.dims[at],
                                   /*negative=*/false);
                               return loops.readAt(body, self, position);
                             }));
}

LogicalResult loop::lowerIndexTensor(LoopBuilder &loops,
                                     const IndexArgs &args) {
  View self = loops.getView(args.self);
  RankedTensorType type = loops.getResultType();
  auto indexed =
      getIndexed(loops, args.indices, self.dims, *guard::getDims(type));
  if (!indexed)
    return loops.refuse("a mask among other indices has no kernel");
  for (auto [i, tensor] : llvm::enumerate(indexed->tensors))
    if (tensor && !indexed->isMask)
      loops.checkIndex(tensor, self.dims[i], /*negative=*/true);
  Value result = loops.makePointwise(
      type, type.getElementType(),
      [&](BodyContext body, ScalarBuilder &) -> Value {
        return loops.readAt(body, self,
                            getPosition(loops, body, *indexed, self.dims));
      });
  return loops.setMade(0, result);
}

LogicalResult loop::lowerUnsafeIndex(LoopBuilder &loops,
                                     const IndexArgs &args) {
  if (llvm::any_of(args.indices,
                   [](Value tensor) { return tensor && isMask(tensor); }))
    return loops.refuse("a mask is an error");
  return lowerIndexTensor(loops, args);
}

/// The elements of the flat tensor at `index`.
LogicalResult loop::lowerTake(LoopBuilder &loops, aten::TakeOp op) {
  Value indices = op.getIndex();
  View self = loops.asRow(loops.getView(op.getSelf())),
       index = loops.getView(indices);
  loops.checkIndex(indices, self.dims[0], /*negative=*/true);
  RankedTensorType type = loops.getResultType();
  return loops.setReshaped(
      0,
      loops.makePointwise(
          type, type.getElementType(), [&](BodyContext body, ScalarBuilder &) {
            return loops.readAt(
                body, self,
                loops.toIndex(body, loops.readAt(body, index, body.indices),
                              loops.getElement(indices), self.dims[0],
                              /*negative=*/true));
          }));
}
