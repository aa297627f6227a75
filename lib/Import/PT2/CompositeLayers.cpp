//===- CompositeLayers.cpp - Layers and losses made of others -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composites.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include <cmath>
#include <limits>

using namespace kiln;
using namespace kiln::pt2;
using guard::ExprAttr;

/// The first result of an overload that takes the same arguments.
static Values firstOf(Composite &c, StringRef overload,
                      ArrayRef<StringRef> names) {
  SmallVector<aten::ArgValue> args;
  for (StringRef name : names)
    args.push_back(c.arg(name));
  auto results = c.callMany(overload, args);
  return results.empty() ? Values() : Values{results[0]};
}

/// rrelu in training, which draws the slopes.
static Values drawnSlopes(Composite &c) {
  auto results = c.callMany(
      "aten.rrelu_with_noise_functional",
      {c.self(), c.zerosLike(c.self()), c.arg("lower"), c.arg("upper"),
       c.AtenBuilder::boolean(true)});
  return results.empty() ? Values() : Values{results.front()};
}

/// 1 where a target is `which`, then the loss there and 0 elsewhere.
static Value whereTarget(Composite &c, double which, Value loss) {
  return c.where(c.eq(c.tensor("target"), which), loss, c.zerosLike(loss));
}

static Value cosineEmbedding(Composite &c) {
  Value a = c.tensor("input1"), b = c.tensor("input2");
  int64_t dim = Composite::rankOf(c.tensor("target"));
  if (Composite::rankOf(a) != dim + 1)
    return {};
  double tiny = 1e-12;
  Value product = c.sum(c.mul(a, b), {dim});
  Value lengths = c.sqrt(c.mul(c.add(c.sum(c.mul(a, a), {dim}), tiny),
                               c.add(c.sum(c.mul(b, b), {dim}), tiny)));
  Value cosine = c.div(product, lengths);
  Value apart = c.clamp(c.sub(cosine, c.real("margin")), 0);
  return c.reduce(c.add(whereTarget(c, 1, c.rsub(1, cosine)),
                        whereTarget(c, -1, apart)),
                  c.integer("reduction"));
}

static Value hingeEmbedding(Composite &c) {
  Value x = c.self();
  Value apart = c.clamp(c.rsub(c.real("margin"), x), 0);
  Value target = c.tensor("target"), zeros = c.zerosLike(x);
  Value losses = c.add(c.where(c.ne(target, 1), apart, zeros),
                       c.where(c.ne(target, -1), x, zeros));
  return c.reduce(losses, c.integer("reduction"));
}

static Value marginRanking(Composite &c) {
  Value difference = c.sub(c.tensor("input1"), c.tensor("input2"));
  Value losses = c.clamp(c.add(c.mul(c.neg(c.tensor("target")), difference),
                               c.real("margin")),
                         0);
  return c.reduce(losses, c.integer("reduction"));
}

static Value tripletMargin(Composite &c) {
  auto distance = [&](StringRef a, StringRef b) {
    return c.call("aten.pairwise_distance",
                  {c.tensor(a), c.tensor(b), c.arg("p"), c.arg("eps")});
  };
  Value near = distance("anchor", "positive"), far = distance("anchor", "negative");
  if (c.flag("swap"))
    far = c.minimum(far, distance("positive", "negative"));
  if (!near || !far)
    return {};
  return c.reduce(c.clamp(c.add(c.sub(near, far), c.real("margin")), 0),
                  c.integer("reduction"));
}

static Value poissonNll(Composite &c) {
  Value x = c.tensor("input"), target = c.tensor("target");
  Value losses = c.flag("log_input")
                     ? c.sub(c.exp(x), c.mul(target, x))
                     : c.sub(x, c.mul(target, c.log(c.add(x, c.real("eps")))));
  if (c.flag("full")) {
    Value stirling =
        c.add(c.sub(c.mul(target, c.log(target)), target),
              c.mul(c.log(c.mul(target, 2 * M_PI)), 0.5));
    losses = c.add(losses, c.where(c.le(target, 1), c.zerosLike(stirling),
                                   stirling));
  }
  return c.reduce(losses, c.integer("reduction"));
}

/// One step of a recurrent cell without gates.
static Value cell(Composite &c) {
  auto affine = [&](StringRef x, StringRef weight, StringRef bias) {
    return c.call("aten.linear", {c.tensor(x), c.tensor(weight), c.arg(bias)});
  };
  Value x = affine("input", "w_ih", "b_ih"), h = affine("hx", "w_hh", "b_hh");
  return x && h ? c.add(x, h) : Value();
}

/// An upsampling by sizes as the one that takes sizes or factors. A factor that
/// is given decides where elements lie, so it is passed on, and must give the
/// sizes.
static Value upsample(Composite &c, StringRef overload, bool aligns,
                      ArrayRef<StringRef> factors) {
  aten::ArgValue size = c.arg("output_size"), scales;
  if (c.has(factors.front())) {
    SmallVector<double> values;
    SmallVector<ExprAttr> sizes = c.sizes("output_size");
    int64_t rank = Composite::rankOf(c.self());
    for (auto [i, name] : llvm::enumerate(factors)) {
      values.push_back(c.real(name));
      auto before = c.dimOf(c.self(), rank - factors.size() + i)
                        .getConstant();
      auto after = i < sizes.size() ? sizes[i].getConstant() : std::nullopt;
      if (!before || !after ||
          int64_t(std::floor(double(*before) * values.back())) != *after)
        return c.refuse("sizes and factors of an upsampling differ");
    }
    size = {};
    scales = aten::ArgValue(c.getBuilder().getDenseF64ArrayAttr(values));
  }
  if (aligns)
    return c.call(overload, {c.self(), size, c.arg("align_corners"), scales});
  return c.call(overload, {c.self(), size, scales});
}

/// Weights whose slices along all dimensions but one have norms `g`.
static Values weightNorm(Composite &c) {
  Value v = c.tensor("v");
  int64_t dim = c.place(c.integer("dim"), Composite::rankOf(v));
  SmallVector<int64_t> others;
  for (int64_t k = 0; k < Composite::rankOf(v); ++k)
    if (k != dim)
      others.push_back(k);
  Value norm = c.call("aten.linalg_vector_norm",
                      {v, c.number(2.0), c.ints(others), c.boolean(true)});
  return {norm ? c.mul(v, c.div(c.tensor("g"), norm)) : Value(), norm};
}

/// Zeros, but for what a pooling has taken, at the places it came from.
static Value unpool(Composite &c, int64_t spatial) {
  Value x = c.self(), indices = c.tensor("indices");
  int64_t rank = Composite::rankOf(x);
  auto sizes = c.sizes("output_size"), dims = Composite::dimsOf(x);
  if ((rank != spatial + 1 && rank != spatial + 2) ||
      int64_t(sizes.size()) != spatial)
    return {};
  SmallVector<ExprAttr> lead(dims.begin(), dims.end() - spatial), rows = lead,
                        flat = lead, result = lead;
  rows.push_back(guard::product(c.getContext(),
                                ArrayRef<ExprAttr>(dims).take_back(spatial)));
  flat.push_back(guard::product(c.getContext(), sizes));
  llvm::append_range(result, sizes);
  auto row = [&](Value tensor) {
    return c.call("aten.reshape", {tensor, c.shape(rows)});
  };
  return c.view(c.call("aten.scatter.src",
                       {c.zeros(flat, Composite::elementTypeOf(x)),
                        c.AtenBuilder::integer(-1), row(indices), row(x)}),
                result);
}

/// Each class of a row that is none of its targets should be less than each of
/// them by one; targets end at the first that is negative.
static Value multilabelMargin(Composite &c) {
  Value x = c.self(), target = c.tensor("target");
  bool isRow = Composite::rankOf(x) < 2;
  if (isRow) {
    ExprAttr count = Composite::numelOf(x);
    x = c.view(x, {c.expr(1), count});
    target = c.view(target, {c.expr(1), count});
  }
  Type i64 = c.getBuilder().getI64Type(), type = Composite::elementTypeOf(x);
  Value counted = c.call("aten.cumprod", {c.cast(c.ge(target, 0), i64),
                                          c.AtenBuilder::integer(1)});
  Value place = c.mul(target, counted);
  if (!place)
    return {};
  Value isTarget = c.gt(c.scatterAdd(c.zerosLike(counted), 1, place, counted), 0);
  Value apart = c.rsub(1, c.sub(c.unsqueeze(c.gather(x, 1, place), 2),
                                c.unsqueeze(x, 1)));
  Value counts = c.mul(c.cast(c.unsqueeze(counted, 2), type),
                       c.cast(c.unsqueeze(c.logicalNot(isTarget), 1), type));
  Value sums = c.sum(c.mul(c.clamp(apart, 0), counts), {1, 2});
  Value classes = c.full({}, c.number(c.dimOf(x, 1)), type);
  Value losses = c.div(sums, classes);
  int64_t reduction = c.integer("reduction");
  return isRow && losses ? c.view(losses, ArrayRef<ExprAttr>())
                         : c.reduce(losses, reduction);
}

/// Softmax, with zeros in rows that are minus infinity throughout.
static Value safeSoftmax(Composite &c) {
  Value x = c.self();
  Type type = c.type("dtype");
  Value result = c.call("aten.softmax.int",
                        {x, c.arg("dim"),
                         type ? aten::ArgValue(c.type(type)) : aten::ArgValue()});
  Value isMasked = c.call(
      "aten.all.dim", {c.eq(x, -std::numeric_limits<double>::infinity()),
                       c.arg("dim"), c.boolean(true)});
  return result && isMasked
             ? c.where(isMasked, c.zerosLike(result), result)
             : Value();
}

/// A dropout that drops or keeps a whole feature [n, c, ...] in each draw. With
/// `keepsMoments` what is dropped becomes the negative saturation of selu, and
/// the rest is moved so that mean and variance stay.
static Values featureDropout(Composite &c, bool keepsMoments) {
  Value x = c.self();
  double p = c.real("p");
  if (!(p >= 0 && p <= 1))
    return {c.complain("dropout probability has to be between 0 and 1, but got " +
                       std::to_string(p))};
  if (p == 0 || !c.flag("train"))
    return {x};
  if (p == 1)
    return {c.mul(x, c.zeros({}, Composite::elementTypeOf(x)))};
  if (Composite::rankOf(x) < 2)
    return {c.complain("feature dropout requires at least 2 dimensions in the "
                       "input, found " +
                       llvm::Twine(Composite::rankOf(x)))};
  SmallVector<ExprAttr> features = Composite::dimsOf(x);
  std::fill(features.begin() + 2, features.end(), c.expr(1));
  Value kept =
      c.call("aten.bernoulli.p",
             {c.zeros(features, Composite::elementTypeOf(x)),
              aten::ArgValue(c.getBuilder().getF64FloatAttr(1 - p))});
  if (!keepsMoments)
    return {c.mul(x, c.div(kept, 1 - p))};
  constexpr double kAlpha = 1.7580993408473766; // scale * alpha of selu
  double scale = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
  Value shift = c.add(c.mul(c.sub(kept, 1), kAlpha * scale), kAlpha * scale * p);
  return {c.add(c.mul(x, c.mul(kept, scale)), shift)};
}

static Values embeddingBag(Composite &c, int64_t padding) {
  return c.callRecorded(
      "aten._embedding_bag",
      {c.arg("weight"), c.arg("indices"), c.arg("offsets"),
       c.arg("scale_grad_by_freq"), c.arg("mode"), c.arg("sparse"),
       c.arg("per_sample_weights"), c.arg("include_last_offset"),
       c.AtenBuilder::integer(padding)});
}

void pt2::addCompositeLayers(CompositeTable &table) {
  table.add("aten::log_sigmoid(Tensor self) -> Tensor", [](Composite &c) {
    return firstOf(c, "aten.log_sigmoid_forward", {"self"});
  });
  table.add("aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int "
            "reduction=1, SymInt ignore_index=-100) -> Tensor",
            [](Composite &c) {
              return firstOf(c, "aten.nll_loss_forward",
                             {"self", "target", "weight", "reduction",
                              "ignore_index"});
            });
  table.add("aten::nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, "
            "int reduction=1, SymInt ignore_index=-100) -> Tensor",
            [](Composite &c) {
              return firstOf(c, "aten.nll_loss2d_forward",
                             {"self", "target", "weight", "reduction",
                              "ignore_index"});
            });
  table.add("aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor "
            "target, float margin=0., int reduction=1) -> Tensor",
            [](Composite &c) { return Values{cosineEmbedding(c)}; });
  table.add("aten::hinge_embedding_loss(Tensor self, Tensor target, float "
            "margin=1., int reduction=1) -> Tensor",
            [](Composite &c) { return Values{hingeEmbedding(c)}; });
  table.add("aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor "
            "target, float margin=0., int reduction=1) -> Tensor",
            [](Composite &c) { return Values{marginRanking(c)}; });
  table.add("aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor "
            "negative, float margin=1., float p=2., float eps=1e-06, bool "
            "swap=False, int reduction=1) -> Tensor",
            [](Composite &c) { return Values{tripletMargin(c)}; });
  table.add("aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, "
            "bool full, float eps, int reduction) -> Tensor",
            [](Composite &c) { return Values{poissonNll(c)}; });

  table.add("aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor "
            "w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
            [](Composite &c) -> Values {
              Value x = cell(c);
              return {x ? c.tanh(x) : x};
            });
  table.add("aten::rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor "
            "w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
            [](Composite &c) -> Values {
              Value x = cell(c);
              return {x ? c.relu(x) : x};
            });
  table.add("aten::cdist(Tensor x1, Tensor x2, float p=2., int? "
            "compute_mode=None) -> Tensor",
            [](Composite &c) {
              return firstOf(c, "aten._cdist_forward",
                             {"x1", "x2", "p", "compute_mode"});
            });
  table.add("aten::pdist(Tensor self, float p=2.) -> Tensor", [](Composite &c) {
    return firstOf(c, "aten._pdist_forward", {"self", "p"});
  });
  table.add("aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, "
            "bool scale_grad_by_freq=False, int mode=0, bool sparse=False, "
            "Tensor? per_sample_weights=None, bool include_last_offset=False) -> "
            "(Tensor, Tensor, Tensor, Tensor)",
            [](Composite &c) { return embeddingBag(c, -1); });
  table.add("aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, "
            "Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, "
            "Tensor? per_sample_weights, bool include_last_offset, int? "
            "padding_idx) -> (Tensor, Tensor, Tensor, Tensor)",
            [](Composite &c) -> Values {
              if (!c.has("padding_idx"))
                return embeddingBag(c, -1);
              int64_t padding = c.integer("padding_idx");
              auto rows = c.fixed(c.tensor("weight"), 0);
              if (padding < 0 && !rows)
                return {c.refuse("a padding index counts from an end that is "
                                 "not known")};
              return embeddingBag(c, padding < 0 ? padding + *rows : padding);
            });
  table.add("aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor",
            [](Composite &c) { return Values{weightNorm(c).front()}; });
  table.add("aten::_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> "
            "(Tensor, Tensor)",
            [](Composite &c) { return weightNorm(c); });
  table.add("aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] "
            "output_size) -> Tensor",
            [](Composite &c) { return Values{unpool(c, 2)}; });
  table.add("aten::max_unpool3d(Tensor self, Tensor indices, SymInt[3] "
            "output_size, int[3] stride, int[3] padding) -> Tensor",
            [](Composite &c) { return Values{unpool(c, 3)}; });
  table.add("aten::multilabel_margin_loss(Tensor self, Tensor target, int "
            "reduction=1) -> Tensor",
            [](Composite &c) { return Values{multilabelMargin(c)}; });
  table.add("aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) "
            "-> Tensor",
            [](Composite &c) { return Values{safeSoftmax(c)}; });
  table.add("aten::feature_dropout(Tensor input, float p, bool train) -> Tensor",
            [](Composite &c) { return featureDropout(c, false); });
  table.add("aten::feature_alpha_dropout(Tensor input, float p, bool train) -> "
            "Tensor",
            [](Composite &c) { return featureDropout(c, true); });
  table.add("aten::rrelu(Tensor self, Scalar lower=0.125, Scalar "
            "upper=0.33333333333333331, bool training=False, Generator? "
            "generator=None) -> Tensor",
            [](Composite &c) -> Values {
              if (c.flag("training"))
                return drawnSlopes(c);
              return {c.call("aten.leaky_relu",
                             {c.self(), c.number((c.real("lower") +
                                                  c.real("upper")) / 2)})};
            });
  table.add("aten::conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) "
            "-> Tensor",
            [](Composite &c) -> Values {
              Value x = c.permute(c.self(), {1, 2, 0});
              Value weight = c.permute(c.tensor("weight"), {2, 1, 0});
              Value result =
                  c.call("aten.conv1d", {x, weight, c.arg("bias"),
                                         c.shape(c.expr(1)),
                                         c.shape(c.expr(c.integer("pad")))});
              return {c.permute(result, {2, 0, 1})};
            });
  for (StringRef flag : {"bool cudnn_enabled, bool allow_tf32", "bool cudnn_enabled"})
    table.add(("aten::_convolution" +
               Twine(flag.contains("tf32") ? "" : ".deprecated") +
               "(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, "
               "SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] "
               "output_padding, SymInt groups, bool benchmark, bool "
               "deterministic, " +
               flag + ") -> Tensor")
                  .str(),
              [](Composite &c) {
                return firstOf(c, "aten.convolution",
                               {"input", "weight", "bias", "stride", "padding",
                                "dilation", "transposed", "output_padding",
                                "groups"});
              });
  table.add("aten::grid_sampler(Tensor input, Tensor grid, int "
            "interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
            [](Composite &c) {
              return firstOf(c,
                             Composite::rankOf(c.self()) == 5
                                 ? "aten.grid_sampler_3d"
                                 : "aten.grid_sampler_2d",
                             {"input", "grid", "interpolation_mode",
                              "padding_mode", "align_corners"});
            });
  table.add("aten::upsample_nearest1d(Tensor self, SymInt[1] output_size, float? "
            "scales=None) -> Tensor",
            [](Composite &c) {
              return Values{upsample(c, "aten.upsample_nearest1d.vec", false,
                                     {"scales"})};
            });
  table.add("aten::upsample_nearest3d(Tensor self, SymInt[3] output_size, float? "
            "scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
            [](Composite &c) {
              return Values{upsample(c, "aten.upsample_nearest3d.vec", false,
                                     {"scales_d", "scales_h", "scales_w"})};
            });
  table.add("aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool "
            "align_corners, float? scales=None) -> Tensor",
            [](Composite &c) {
              return Values{upsample(c, "aten.upsample_linear1d.vec", true,
                                     {"scales"})};
            });
  table.add("aten::upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool "
            "align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
            [](Composite &c) {
              return Values{upsample(c, "aten.upsample_bicubic2d.vec", true,
                                     {"scales_h", "scales_w"})};
            });
  table.add("aten::_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, "
            "float? scales_h=None, float? scales_w=None) -> Tensor",
            [](Composite &c) {
              return Values{upsample(c, "aten._upsample_nearest_exact2d.vec",
                                     false, {"scales_h", "scales_w"})};
            });
  table.add("aten::_upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, "
            "bool align_corners, float? scales_h=None, float? scales_w=None) -> "
            "Tensor",
            [](Composite &c) {
              return Values{upsample(c, "aten._upsample_bilinear2d_aa.vec", true,
                                     {"scales_h", "scales_w"})};
            });
  table.add("aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool "
            "align_corners, float? scales_d=None, float? scales_h=None, float? "
            "scales_w=None) -> Tensor",
            [](Composite &c) {
              return Values{upsample(c, "aten.upsample_trilinear3d.vec", true,
                                     {"scales_d", "scales_h", "scales_w"})};
            });
}
