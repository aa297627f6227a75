//===- TrainingTest.cpp - Optimizers and checkpoints ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SessionTestSupport.h"

#include "kiln/Base/Digest.h"

#include <algorithm>
#include <cmath>
#include <fstream>

using namespace kiln;
using namespace kiln::test;
using runtime::OpValue;
using runtime::Tensor;
using session::Session;

namespace {

constexpr int kCount = 5;
using Vector = std::vector<double>;

/// Two parameters, p and q; loss = sum((p * x)^2) + sum(q * q * x).
const char kModule[] = R"(
func.func @main(
    %p: tensor<5xf64> {aten.input = #aten.input<kind = parameter, name = "p", path = "p", requires_grad = true>},
    %q: tensor<5xf64> {aten.input = #aten.input<kind = parameter, name = "q", path = "q", requires_grad = true>},
    %x: tensor<5xf64> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<f64> {aten.output = #aten.output<kind = user_output, name = "loss", path = "">}) {
  %0 = aten.mul.Tensor(%p, %x) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
  %1 = aten.mul.Tensor(%0, %0) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
  %2 = aten.sum(%1) : (tensor<5xf64>) -> tensor<f64>
  %3 = aten.mul.Tensor(%q, %q) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
  %4 = aten.mul.Tensor(%3, %x) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
  %5 = aten.sum(%4) : (tensor<5xf64>) -> tensor<f64>
  %6 = aten.add.Tensor(%2, %5) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %6 : tensor<f64>
}
)";

/// What the formulas of torch.optim say, element by element.
struct Reference {
  std::string kind = "sgd";
  double decay = 0, momentum = 0, dampening = 0;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, clip = 0;
  bool nesterov = false, amsgrad = false, maximize = false;
  Vector p, q;
  struct State {
    Vector m = Vector(kCount), v = Vector(kCount), most = Vector(kCount);
  } ofP, ofQ;

  void update(Vector &w, Vector g, State &s, double lr, int step) const {
    for (int i = 0; i < kCount; ++i) {
      if (maximize)
        g[i] = -g[i];
      if (kind == "adamw")
        w[i] *= 1 - lr * decay;
      else
        g[i] += decay * w[i];
      if (kind == "sgd") {
        if (momentum != 0)
          s.m[i] = step == 1 ? g[i] : momentum * s.m[i] + (1 - dampening) * g[i];
        double d = momentum == 0 ? g[i]
                   : nesterov    ? g[i] + momentum * s.m[i]
                                 : s.m[i];
        w[i] -= lr * d;
        continue;
      }
      s.m[i] += (1 - beta1) * (g[i] - s.m[i]);
      s.v[i] = beta2 * s.v[i] + (1 - beta2) * g[i] * g[i];
      s.most[i] = std::max(s.most[i], s.v[i]);
      double v = amsgrad ? s.most[i] : s.v[i];
      double root = std::sqrt(v) / std::sqrt(1 - std::pow(beta2, step));
      w[i] -= lr / (1 - std::pow(beta1, step)) * s.m[i] / (root + eps);
    }
  }

  double step(const Vector &x, double lr, int number) {
    double loss = 0, norm = 0;
    Vector gp(kCount), gq(kCount);
    for (int i = 0; i < kCount; ++i) {
      loss += p[i] * x[i] * p[i] * x[i] + q[i] * q[i] * x[i];
      gp[i] = 2 * p[i] * x[i] * x[i];
      gq[i] = 2 * q[i] * x[i];
      norm += gp[i] * gp[i] + gq[i] * gq[i];
    }
    if (clip > 0)
      for (int i = 0; i < kCount; ++i) {
        double factor = std::min(1.0, clip / (std::sqrt(norm) + 1e-6));
        gp[i] *= factor;
        gq[i] *= factor;
      }
    update(p, gp, ofP, lr, number);
    update(q, gq, ofQ, lr, number);
    return loss;
  }
};

Tensor vectorOf(const Vector &values) {
  auto tensor = Tensor::empty(DType::F64, {kCount});
  std::copy(values.begin(), values.end(), tensor->dataAs<double>());
  return *tensor;
}

class Training : public ::testing::Test {
protected:
  void SetUp() override {
    path = scratch / "model.mlir";
    std::ofstream(path) << kModule;
  }

  std::unique_ptr<Session> open(const std::string &optimizer,
                                Backend backend = Backend::Inductor,
                                uint64_t seed = 0) {
    session::SessionOptions wanted = options("", backend);
    wanted.training = true;
    wanted.optimizer = optimizer;
    wanted.seed = seed;
    auto session = Session::open(path, wanted);
    EXPECT_TRUE(bool(session)) << session.error().message;
    if (!session)
      return nullptr;
    for (auto [name, start] : {std::pair("p", p), std::pair("q", q)})
      EXPECT_TRUE(bool((*session)->setWeight(name, vectorOf(start))));
    return std::move(*session);
  }

  Vector batch(int step) const {
    Vector x(kCount);
    for (int i = 0; i < kCount; ++i)
      x[i] = std::sin(step * 3 + i) + 1.5;
    return x;
  }

  /// Five steps with a rate that changes.
  void compare(const std::string &optimizer, Reference reference) {
    for (Backend backend : {Backend::Inductor, Backend::AotEager}) {
      auto session = open(optimizer, backend);
      ASSERT_TRUE(session);
      Reference expected = reference;
      expected.p = p;
      expected.q = q;
      for (int step = 1; step <= 5; ++step) {
        double rate = 0.05 / step;
        Vector x = batch(step);
        auto result = session->step({OpValue(vectorOf(x))}, rate);
        ASSERT_TRUE(bool(result)) << result.error().message;
        EXPECT_NEAR(result->loss, expected.step(x, rate, step), 1e-11)
            << optimizer << " on " << wordOf(backend) << ", step " << step;
      }
      for (int i = 0; i < kCount; ++i) {
        EXPECT_NEAR(session->weight("p").dataAs<double>()[i], expected.p[i],
                    1e-12);
        EXPECT_NEAR(session->weight("q").dataAs<double>()[i], expected.q[i],
                    1e-12);
      }
      EXPECT_EQ(session->stats().graphsCompiled, 1u);
      EXPECT_EQ(session->stepCount(), 5u);
    }
  }

  ScratchFolder scratch;
  std::string path;
  Vector p = {0.5, -1, 2, 0.25, -0.125}, q = {1, 2, -3, 0.5, 0.75};
};

TEST_F(Training, FollowsSGD) {
  compare("sgd", {});
  Reference r;
  r.decay = 0.1;
  r.momentum = 0.9;
  compare("sgd,weight_decay=0.1,momentum=0.9", r);
  r.nesterov = true;
  compare("sgd,weight_decay=0.1,momentum=0.9,nesterov", r);
  r.nesterov = false;
  r.dampening = 0.25;
  r.maximize = true;
  compare("sgd,weight_decay=0.1,momentum=0.9,dampening=0.25,maximize", r);
}

TEST_F(Training, FollowsAdam) {
  Reference r;
  r.kind = "adam";
  compare("adam", r);
  r.decay = 0.1;
  r.amsgrad = true;
  r.beta1 = 0.5;
  r.beta2 = 0.6;
  compare("adam,weight_decay=0.1,amsgrad,beta1=0.5,beta2=0.6", r);
  r = Reference();
  r.kind = "adamw";
  r.decay = 0.01;
  compare("adamw", r);
  r.eps = 0.1;
  r.maximize = true;
  compare("adamw,eps=0.1,maximize=1", r);
}

// A step writes the parameters while it still reads its inputs.
TEST_F(Training, RefusesInputsThatShareMemoryWithParameters) {
  for (const char *optimizer : {"sgd", "adam"})
    for (Backend backend : {Backend::Inductor, Backend::AotEager}) {
      auto session = open(optimizer, backend);
      ASSERT_TRUE(session);
      auto refused = session->step({OpValue(session->weight("q"))}, 0.1);
      ASSERT_FALSE(bool(refused)) << optimizer;
      EXPECT_NE(refused.error().message.find("tensors 'q' and 'x' share memory"),
                std::string::npos)
          << refused.error().message;
      EXPECT_EQ(session->weight("q").dataAs<double>()[0], q[0]);
      // A copy does.
      EXPECT_TRUE(bool(session->step({OpValue(vectorOf(q))}, 0.1)));
      EXPECT_EQ(session->stats().graphsCompiled, 1u);
    }
}

TEST_F(Training, ClipsTheNormOfAllGradients) {
  Reference r;
  r.clip = 0.5;
  compare("sgd,clip_norm=0.5", r);
  r.clip = 1e6;
  compare("sgd,clip_norm=1e6", r);
}

TEST_F(Training, ContinuesFromACheckpointBitByBit) {
  std::string file = scratch / "checkpoint";
  auto whole = open("adamw,clip_norm=1"), first = open("adamw,clip_norm=1");
  for (int step = 1; step <= 6; ++step)
    ASSERT_TRUE(bool(whole->step({OpValue(vectorOf(batch(step)))}, 0.1)));
  for (int step = 1; step <= 3; ++step)
    ASSERT_TRUE(bool(first->step({OpValue(vectorOf(batch(step)))}, 0.1)));
  ASSERT_TRUE(bool(first->saveCheckpoint(file)));

  auto second = open("adamw,clip_norm=1");
  Status loaded = second->loadCheckpoint(file);
  ASSERT_TRUE(bool(loaded)) << loaded.error().message;
  EXPECT_EQ(second->stepCount(), 3u);
  for (int step = 4; step <= 6; ++step)
    ASSERT_TRUE(bool(second->step({OpValue(vectorOf(batch(step)))}, 0.1)));
  std::string a = scratch / "a", b = scratch / "b";
  ASSERT_TRUE(bool(whole->saveCheckpoint(a)));
  ASSERT_TRUE(bool(second->saveCheckpoint(b)));
  EXPECT_EQ(*readFile(a), *readFile(b));

  // Of another optimizer or seed, it is refused and nothing changes.
  auto other = open("adamw");
  Status refused = other->loadCheckpoint(file);
  ASSERT_FALSE(bool(refused));
  EXPECT_EQ(refused.error().kind, ErrorKind::Usage);
  EXPECT_EQ(other->weight("p").dataAs<double>()[0], p[0]);
  EXPECT_FALSE(bool(open("adamw,clip_norm=1", Backend::Inductor, 1)
                        ->loadCheckpoint(file)));
}

/// loss = sum((dropout(p * x, 0.4) * noise)^2) with a mask and noise that the
/// backward needs; `isSaved`: it gets them from the forward.
std::string makeRandomModule(bool isSaved) {
  std::string save = isSaved ? "joint.save" : "joint.recompute";
  return R"(
func.func @main(
    %p: tensor<5xf64> {aten.input = #aten.input<kind = parameter, name = "p", path = "p", requires_grad = true>},
    %q: tensor<5xf64> {aten.input = #aten.input<kind = parameter, name = "q", path = "q", requires_grad = true>},
    %x: tensor<5xf64> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<f64> {aten.output = #aten.output<kind = user_output, name = "loss", path = "">}) {
  %0 = aten.mul.Tensor(%p, %x) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
  %1, %m = aten.native_dropout(%0, p = 0.4, train = true)
    : (tensor<5xf64>) -> (tensor<5xf64>, tensor<5xi1>)
  %a = )" + save + R"( %m : tensor<5xi1>
  %2 = aten.mul.Tensor(%1, %a) : (tensor<5xf64>, tensor<5xi1>) -> tensor<5xf64>
  %r = aten.randn_like(%q) : (tensor<5xf64>) -> tensor<5xf64>
  %b = )" + save + R"( %r : tensor<5xf64>
  %3 = aten.mul.Tensor(%2, %b) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
  %4 = aten.mul.Tensor(%3, %q) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
  %5 = aten.mul.Tensor(%4, %4) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
  %6 = aten.sum(%5) : (tensor<5xf64>) -> tensor<f64>
  return %6 : tensor<f64>
}
)";
}

TEST_F(Training, DrawsAgainWhatTheForwardDrew) {
  // Updates follow gradients, so equal bits of weights are equal bits of those.
  for (Backend backend : {Backend::Inductor, Backend::AotEager}) {
    std::vector<Vector> ends;
    std::vector<uint64_t> saved;
    for (bool isSaved : {true, false}) {
      std::ofstream(path) << makeRandomModule(isSaved);
      auto session = open("sgd", backend, 17);
      ASSERT_TRUE(session);
      for (int step = 1; step <= 4; ++step) {
        auto result = session->step({OpValue(vectorOf(batch(step)))}, 0.01);
        ASSERT_TRUE(bool(result)) << result.error().message;
      }
      Vector &end = ends.emplace_back();
      for (const char *name : {"p", "q"})
        for (int i = 0; i < kCount; ++i)
          end.push_back(session->weight(name).dataAs<double>()[i]);
      EXPECT_NE(end[0], p[0]);
      saved.push_back(
          session->lastVariant().package().facts.savedForBackwardBytes);
    }
    EXPECT_EQ(ends[0], ends[1]) << wordOf(backend);
    // The seed and a number instead of a mask and noise.
    EXPECT_EQ(saved[0] - saved[1], 5 + 5 * 8 - 16) << wordOf(backend);
  }
}

/// The gradient of sum(amax(sum(x, dim), 0)) for x of 5x3x33 f32.
static OpValue differentiateExtremum(const std::string &path, int dim,
                                                double budget,
                                                Backend backend) {
  std::string sums = dim == 0 ? "3x33" : dim == 1 ? "5x33" : "5x3";
  std::string most = dim == 2 ? "3" : "33";
  std::ofstream(path) << R"(
func.func @main(
    %x: tensor<5x3x33xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]", requires_grad = true>})
    -> (tensor<f32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %0 = aten.sum.dim_IntList(%x, dim = [)" << dim << R"(]) : (tensor<5x3x33xf32>) -> tensor<)" << sums << R"(xf32>
  %1 = aten.amax(%0, dim = [0]) : (tensor<)" << sums << "xf32>) -> tensor<" << most << R"(xf32>
  %2 = aten.sum(%1) : (tensor<)" << most << R"(xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
)";
  session::SessionOptions wanted = options("", backend);
  wanted.training = true;
  wanted.memoryBudget = budget;
  auto session = Session::open(path, wanted);
  EXPECT_TRUE(bool(session)) << session.error().message;
  if (!session)
    return {};
  auto x = Tensor::empty(DType::F32, {5, 3, 33});
  for (int i = 0; i < 5 * 3 * 33; ++i)
    x->dataAs<float>()[i] = std::sin(i * 1.7f) * 3.3f;
  auto result = (*session)->callTraining({OpValue(*x)}, {});
  EXPECT_TRUE(bool(result)) << result.error().message;
  if (!result)
    return {};
  return result->gradients.at(0);
}

TEST_F(Training, FindsAnExtremumAmongSumsThatAreNeededAgain) {
  // A sum that added up in another order would differ in a bit, no sum would be
  // the greatest, and the gradient 0/0.
  for (int dim : {0, 1, 2})
    for (double budget : {1.0, 0.0}) {
      auto compared = runtime::compareValues(
          differentiateExtremum(path, dim, budget, Backend::Inductor),
          differentiateExtremum(path, dim, 1, Backend::AotEager),
          runtime::defaultTolerance(DType::F32));
      EXPECT_TRUE(compared.ok)
          << "dim " << dim << ", budget " << budget << ": " << compared.message;
    }
}

TEST_F(Training, RefusesDamagedCheckpoints) {
  std::string file = scratch / "checkpoint", damaged = scratch / "damaged";
  auto session = open("adam");
  ASSERT_TRUE(bool(session->step({OpValue(vectorOf(batch(1)))}, 0.1)));
  ASSERT_TRUE(bool(session->saveCheckpoint(file)));
  std::vector<uint8_t> bytes = *readFile(file);
  auto load = [&](const std::vector<uint8_t> &contents) {
    std::ofstream(damaged, std::ios::binary)
        .write(reinterpret_cast<const char *>(contents.data()),
               static_cast<std::streamsize>(contents.size()));
    return session->loadCheckpoint(damaged);
  };
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::vector<uint8_t> flipped = bytes;
    flipped[i] ^= 0x41;
    Status s = load(flipped);
    ASSERT_FALSE(bool(s)) << "byte " << i;
    EXPECT_EQ(s.error().kind, ErrorKind::Malformed) << "byte " << i;
  }
  for (size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_FALSE(bool(load({bytes.begin(), bytes.begin() + size})));
  // Damage under a digest that fits: what is read is checked by itself.
  size_t body = 32, digest = 0;
  auto findDigest = [&] {
    Digest of = sha256(ByteView(bytes).slice(body, bytes.size()));
    auto found = std::search(bytes.begin(), bytes.begin() + body,
                             of.bytes.begin(), of.bytes.end());
    digest = found - bytes.begin();
    return digest + 32 <= body;
  };
  while (!findDigest())
    ASSERT_LT(++body, bytes.size());
  for (size_t i = body; i < bytes.size(); ++i) {
    std::vector<uint8_t> zeroed = bytes;
    zeroed[i] = 0;
    Digest of = sha256(ByteView(zeroed).slice(body, zeroed.size()));
    std::copy(of.bytes.begin(), of.bytes.end(), zeroed.begin() + digest);
    Status s = load(zeroed);
    if (!s)
      EXPECT_TRUE(s.error().kind == ErrorKind::Malformed ||
                  s.error().kind == ErrorKind::Usage)
          << "byte " << i << ": " << s.error().message;
  }
  ASSERT_TRUE(bool(session->loadCheckpoint(file)));
  bytes.push_back(0);
  EXPECT_FALSE(bool(load(bytes)));
  EXPECT_EQ(session->stepCount(), 1u);
}

} // namespace
