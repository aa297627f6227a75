//===- GPUColumnsTest.cpp - Tiles of columns on a GPU ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"

#include "gtest/gtest.h"

using namespace kiln::loop;

static const GPUMachine kColumnsMachine;

static void expectColumns(const GPUColumnsShape &shape,
                          GPUColumnsSchedule expected) {
  auto s = chooseGPUColumns(shape, kColumnsMachine);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->threads, expected.threads);
  EXPECT_EQ(s->lanes, expected.lanes);
  EXPECT_EQ(s->columns, expected.columns);
  EXPECT_EQ(s->steps, expected.steps);
}

TEST(GPUSchedules, ColumnsStayInRegisters) {
  GPUColumnsShape shape;
  shape.columns = 8 << 14;
  shape.last = 1 << 14;
  // Many short columns are a thread's each, in vectors if registers suffice.
  shape.elements = 64;
  expectColumns(shape, {128, 1, 128, 64});
  shape.elements = 21;
  expectColumns(shape, {128, 2, 128, 21});
  // Others have tiles that are as wide as threads can hold, with blocks for
  // all.
  shape.elements = 150;
  expectColumns(shape, {512, 4, 16, 5});
  shape.elements = 64;
  shape.kept = 8;
  expectColumns(shape, {512, 4, 32, 4});
  shape.kept = 4;
  shape.columns = 32 * 196;
  shape.last.emplace(196);
  shape.elements = 1000;
  expectColumns(shape, {512, 4, 4, 8});
  // At the end a sector beside each other, and a whole block.
  shape.elements = 4096;
  expectColumns(shape, {1024, 4, 2, 8});
  // Columns that begin anywhere are read one by one.
  shape.last.emplace(49);
  expectColumns(shape, {1024, 1, 8, 32});
  shape.elements = 1 << 16;
  EXPECT_FALSE(chooseGPUColumns(shape, kColumnsMachine));
  // Two bytes are read by vectors where they can be.
  shape.narrow = 2;
  shape.elements = 64;
  shape.columns = 8 << 14;
  shape.last.emplace(1 << 14);
  expectColumns(shape, {512, 8, 32, 4});
}
