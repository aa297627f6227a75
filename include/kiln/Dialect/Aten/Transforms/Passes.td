//===- Passes.td - Passes of the aten dialect -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_TRANSFORMS_PASSES_TD
#define KILN_DIALECT_ATEN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AtenMakeDynamicPass : Pass<"aten-make-dynamic", "::mlir::ModuleOp"> {
  let summary = "Give sizes of inputs symbols, as torch.compile does when asked";
  let description = [{
    Works on a captured graph, `@main` with `@main_guards`. A marked size becomes
    a new symbol with its present value as hint; sizes 0 and 1 stay numbers unless
    they are named. With `all`, equal sizes share one symbol, as PyTorch assumes of
    them; a size that is marked by name has its own. Then result types are inferred
    again in order. Where a rule asks what the expressions leave open, the hints
    decide and the answer becomes a guard, so that the program is right for all
    sizes it accepts:

    - an equation that gives a new symbol in terms of others replaces it;
    - an equation that makes it a number fixes its size, which the remark
      `fixed-size` (missed) reports, and which is an error for a size that `dynamic`
      or `unbacked` names;
    - any other condition is a `guard.check_expr`.

    A size that `unbacked` names has no hint and may be 0 or 1; what is not known
    of it is assumed in favour of the general case.

    A size that values decide, of `nonzero` say, becomes an unbacked symbol of the
    result. What is assumed of it is a `guard.assert` behind the operator; where it
    has to be a number, it is that of the example.

    Operators without a shape rule fix the sizes of their operands. Numbers that the
    graph holds stay numbers: `view(x, [4, 6])` fixes or relates the sizes of `x`.

    ```mlir
    func.func @main(%x: tensor<4x6xf32>, %y: tensor<6xf32>) -> tensor<4x6xf32> {
      %0 = aten.add.Tensor(%x, %y) : (tensor<4x6xf32>, tensor<6xf32>)
        -> tensor<4x6xf32>
    ```

    becomes, with `all`,

    ```mlir
    guard.symbol @s0 range [2, 9223372036854775807] hint 4
    guard.symbol @s1 range [2, 9223372036854775807] hint 6
    func.func @main(%x: tensor<?x?xf32, #guard.shape<[s0, s1]>>,
                    %y: tensor<?xf32, #guard.shape<[s1]>>) -> ...
    ```
  }];
  let options = [
    Option<"all", "all", "bool", "false",
           "Mark every size of the caller's tensors.">,
    ListOption<"dynamic", "dynamic", "std::string",
               "Sizes to mark, `input:dim` or `input:dim[min..max]`.">,
    ListOption<"fixed", "fixed", "std::string",
               "Sizes that `all` leaves alone, `input:dim`.">,
    ListOption<"unbacked", "unbacked", "std::string",
               "Sizes to mark of which nothing is to be assumed, `input:dim`.">
  ];
  let dependentDialects = ["::kiln::aten::AtenDialect",
                           "::kiln::guard::GuardDialect",
                           "::mlir::func::FuncDialect"];
}

def AtenDecomposePass : Pass<"aten-decompose"> {
  let summary = "Rewrite ATen ops as simpler ones";
  let description = [{
    With `to=import`, composites are opened: what PyTorch makes of other operators
    and has nothing else for, no kernel and no derivative (`fliplr`, `tensordot`,
    `quantile`, `fft_rfft`). The importer has done so already; further targets do it,
    too. With `to=core`, ops outside of the Kiln core set are rewritten until only the
    core set is left. With `to=loop`, so are those of the core set that
    convert-aten-to-loop has no loop nest for: softmax, norms, losses, attention,
    gelu, means and variances. Values are PyTorch's: what its kernels compute in
    f32 for bf16 and f16 is computed in f32 and rounded once.

    With `keep-differentiable`, ops with a derivative of their own are left for
    `joint-differentiate`, views aside: what they are made of has the same
    gradient as a formula, but not where a factor is infinite or NaN. With `only`, all but
    the named ops stay as they are.

    An op whose arguments have no decomposition (a one_hot of unknown classes, a
    dropout that draws numbers) is left as it is. Assumes that every size has an
    expression; leaves other dialects alone, and unused ops to `canonicalize`.

    ```mlir
    %y = aten.linear(%x, %w) : (tensor<2x3x4xf32>, tensor<5x4xf32>)
      -> tensor<2x3x5xf32>
    ```

    becomes

    ```mlir
    %t = aten.permute(%w, dims = [1, 0]) : (tensor<5x4xf32>) -> tensor<4x5xf32>
    %f = aten.view(%x, size = [6, 4]) : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
    %m = aten.mm(%f, %t) : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
    %y = aten.view(%m, size = [2, 3, 5]) : (tensor<6x5xf32>)
      -> tensor<2x3x5xf32>
    ```
  }];
  let options = [
    Option<"to", "to", "std::string", "\"core\"",
           "How far to go: import, core or loop.">,
    Option<"keepDifferentiable", "keep-differentiable", "bool", "false",
           "Leave ops alone that bring a derivative of their own.">,
    ListOption<"only", "only", "std::string",
               "Rewrite these operators alone, by their names without `aten.`.">
  ];
  let dependentDialects = ["::kiln::aten::AtenDialect",
                           "::mlir::arith::ArithDialect",
                           "::kiln::guard::GuardDialect"];
}

def AtenNumberDrawsPass : Pass<"aten-number-draws", "::mlir::func::FuncOp"> {
  let summary = "Say which random numbers each op of a function draws";
  let description = [{
    A random number is a function of seed, draw and position. This pass reserves
    draws at the start of the function, which gives a tensor of the seed and the
    first number, and gives each op that draws its own number among them. The op
    then depends on nothing else, so that a training step may run it again in its
    backward and get the same bits, instead of keeping a mask.

    A dropout becomes the product with a mask, and operands that only lend their
    sizes and type are replaced by tensors that cost nothing: so what is drawn
    does not depend on activations. Values are those that the op would draw
    without the pass. Ops inside of regions, and those that draw between others
    of their own (recurrences), are left alone.

    ```mlir
    %y, %mask = aten.native_dropout(%x, p = 2.5e-01, train = true)
      : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>)
    ```

    becomes

    ```mlir
    %draws = aten.operator "aten::_draws"() [1] : () -> tensor<2xi64>
    %ones = aten.full(%true, size = [4], dtype = i1) : (i1) -> tensor<4xi1>
    %mask = aten.bernoulli.p(%ones, p = 7.5e-01, draws = %draws, draw = 0)
      : (tensor<4xi1>, tensor<2xi64>) -> tensor<4xi1>
    ```

    and two multiplications.
  }];
  let dependentDialects = ["::kiln::aten::AtenDialect",
                           "::mlir::arith::ArithDialect",
                           "::kiln::guard::GuardDialect"];
}

def AtenMergeSumsPass : Pass<"aten-merge-sums"> {
  let summary = "Make sums of slices, products and rows one op over all of them";
  let description = [{
    What a value with several users gets as its gradient is a sum. Where it is one of
    gradients of slices that lie side by side, it is their concatenation; a sum of
    matrix products, as a weight gets that a recurrence reads at each step, is one product
    of what they multiply, concatenated along what they sum over; and a sum of these
    rows' sums, as a bias gets, is one sum. Sizes must be known.

    Products are merged where what is concatenated is smaller than the products: K (M + N)
    < M N for each. Results differ from the sums by rounding, and by the sign of a zero
    where a slice has -0. Of 16-bit gradients that are added up wide a merged part is
    rounded once.

    ```mlir
    %0 = aten.mm(%a, %b) : (tensor<64x2xf32>, tensor<2x32xf32>) -> tensor<64x32xf32>
    %1 = aten.mm(%c, %d) : (tensor<64x2xf32>, tensor<2x32xf32>) -> tensor<64x32xf32>
    %2 = aten.add.Tensor(%0, %1) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    ```

    becomes

    ```mlir
    %l = aten.cat([%c, %a], dim = 1) : (tensor<64x2xf32>, tensor<64x2xf32>) -> tensor<64x4xf32>
    %r = aten.cat([%d, %b]) : (tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<4x32xf32>
    %2 = aten.mm(%l, %r) : (tensor<64x4xf32>, tensor<4x32xf32>) -> tensor<64x32xf32>
    ```
  }];
  let dependentDialects = ["::kiln::aten::AtenDialect",
                           "::mlir::arith::ArithDialect",
                           "::kiln::guard::GuardDialect"];
}

def AtenSaveSumsPass : Pass<"aten-save-sums", "::mlir::func::FuncOp"> {
  let summary = "Let attention give what its backward needs of a row";
  let description = [{
    The backward of attention needs weights again, and of these the maximum of each row
    and its sum of exponentials. An attention of one of `types` without
    dropout becomes the operator that gives the logarithm of this sum besides: one number a
    row to save, in place of two passes over all columns. The backward then takes the sum of
    a row's weights times slopes from its result. A result of 16 bits is less exact than the
    weights, as it is in PyTorch's kernels of GPUs.

    Heads that share keys read them repeated. Everything else stays as it is, and so does
    attention with a mask to which a gradient may flow: floats of an input, or a parameter.
    Reports `not-saved` (missed, with the reason).

    ```mlir
    %y = aten.scaled_dot_product_attention(%q, %k, %v, is_causal = true)
      : (tensor<2x4x64x32xf32>, tensor<2x4x64x32xf32>, tensor<2x4x64x32xf32>)
      -> tensor<2x4x64x32xf32>
    ```

    becomes

    ```mlir
    %y, %sums = aten._scaled_dot_product_flash_attention_for_cpu(%q, %k, %v, is_causal = true)
      : (tensor<2x4x64x32xf32>, tensor<2x4x64x32xf32>, tensor<2x4x64x32xf32>)
      -> (tensor<2x4x64x32xf32>, tensor<2x4x64xf32>)
    ```
  }];
  let options = [
    ListOption<"types", "types", "std::string",
               "Element types of such attentions: `f32`, `bf16`, `f16`.">
  ];
  let dependentDialects = ["::kiln::aten::AtenDialect",
                           "::mlir::arith::ArithDialect",
                           "::kiln::guard::GuardDialect"];
}

def AtenSimplifyPass : Pass<"aten-simplify"> {
  let summary = "Remove ATen ops that change nothing, and merge views";
  let description = [{
    A view of a view is one view, a permutation of a permutation one permutation;
    what changes neither shape nor type goes away, as do `detach` of `detach`,
    `alias`, a double negation, multiplication and division by one, and a cast to a
    type that has all numbers of the types before and behind it (f64 between two f32,
    but not bf16). `cat` of one tensor is the tensor, of all parts of a tensor that tensor, of another `cat` that
    nobody else reads a longer one; and a part of a `cat` that lies in one tensor is
    a part of that one. What is returned, or seen by its strides, keeps memory of its
    own. Every rewrite gives the same bits for every input, NaN and signed zeros
    included; but a cast that is gone leaves a NaN its bits.

    ```mlir
    %0 = aten.permute(%x, dims = [1, 0]) : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = aten.permute(%0, dims = [1, 0]) : (tensor<3x2xf32>) -> tensor<2x3xf32>
    ```

    leaves `%x`. An op whose results nothing uses and which gives a value to a
    symbol (`nonzero`, an `item` with a symbol) goes if nothing reads the symbol,
    and stays if anything does: an assertion, a size, an index. Common
    subexpressions are upstream's `cse`.

    With `keep-differentiable`, before differentiation, a `cat` keeps its tensors and
    its readers: the gradient of a tensor that nothing reads is none, and of one of
    which no part is read zeros.
  }];
  let options = [
    Option<"keepDifferentiable", "keep-differentiable", "bool", "false",
           "Leave each value what it has a gradient by.">
  ];
  let dependentDialects = ["::kiln::aten::AtenDialect"];
}

def AtenMultiplyLevelsPass
    : Pass<"aten-multiply-levels", "::mlir::func::FuncOp"> {
  let summary = "Multiply quantized matrices and images as the bytes that they are";
  let description = [{
    Works on what `aten-decompose{to=loop}` leaves. A factor of `mm` or `addmm` is
    quantized if it is `(level - zero) * scale` of a matrix of i8 or ui8, in f32 or in
    f64 that is cast to f32, whose scale and zero do not change along the sum. They are
    numbers, or tensors of one element or of one for each row of the left matrix,
    column of the right one.

    The product of two such is a product of i32, of levels of which those of one
    matrix are signed and those of the other unsigned (128 is added to one where they
    are not), and all that the zeros and scales change is done to its result:

        sum (a - za) (b - zb) = sum a b - zb sum a - za (sum b - K zb)

    Zeros are taken off in i32, where the result is exact. Of one that is a tensor this is
    the nearest level; what it is more, which as a rule is 0, is taken off in floats
    behind. Scales come behind, in f64 if no scale is a number from 2^-60 to 2^60, else in
    f32, that number first: so what is between them neither overflows nor underflows. The
    float product rounds each term and each sum, this one the result: they are the same
    within the tolerance of a product of f32, and if they are quantized again they may
    differ in one step where they lie halfway between two. A term (level - zero) * scale
    that is too large for f32 is infinite in the float product alone. A scale that is
    infinite gives an infinity where the product of floats has a NaN. Sums of weights
    depend on them alone, and are so made once (`program-hoist-preparation`).

    A `convolution` that is not transposed is such a sum over the taps of a window, and its
    weight has a grid for each channel that it gives. What is outside of the image is the
    zero of its grid, which then has to be known: the levels are padded with it. Signed
    levels of the image have 128 added first, so that it stays one of bytes. A zero of the
    weight asks for the sums of windows, which are made of the sum over all channels. Four
    neighbours are multiplied together: where channels are no multiple of four, zeros stand
    behind those of the weight; behind the taps of a row instead where there are fewer than
    four. Few terms, and groups of fewer than 16 channels, take longer as bytes than in f32,
    and stay as they are.

    Of a product of which the right matrix alone is quantized, by a zero that is a
    known 0 or absent, the scale is taken behind the product: what is read is the
    bytes. Its sums are so taken before the scale, in f32: they may overflow where the
    left matrix has elements above 2.6e36 / K, K terms in a sum, though with a small
    scale the float product would not.

    With `weights-only` that alone is done: for processors that multiply bytes no
    faster than floats.

    Reports `not-multiplied` (missed, with the reason) of a product one of whose factors
    is quantized.

    A sum of more than 33025 terms, of which i32 may be too small, of a length that is
    not known, and with numbers for zeros that are no levels, stays as it is.

    ```mlir
    %f = aten._to_copy(%a, dtype = f32, non_blocking = false) : (tensor<8x16xui8>) -> tensor<8x16xf32>
    %x = aten.mul.Tensor(%f, %half) : (tensor<8x16xf32>, f64) -> tensor<8x16xf32>
    %g = aten._to_copy(%b, dtype = f32, non_blocking = false) : (tensor<16x4xi8>) -> tensor<16x4xf32>
    %w = aten.mul.Tensor(%g, %half) : (tensor<16x4xf32>, f64) -> tensor<16x4xf32>
    %y = aten.mm(%x, %w) : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    ```

    becomes

    ```mlir
    %i = aten._to_copy(%a, dtype = i32, non_blocking = false) : (tensor<8x16xui8>) -> tensor<8x16xi32>
    %j = aten._to_copy(%b, dtype = i32, non_blocking = false) : (tensor<16x4xi8>) -> tensor<16x4xi32>
    %p = aten.mm(%i, %j) : (tensor<8x16xi32>, tensor<16x4xi32>) -> tensor<8x4xi32>
    %q = aten._to_copy(%p, dtype = f32, non_blocking = false) : (tensor<8x4xi32>) -> tensor<8x4xf32>
    %r = aten.mul.Tensor(%q, %half) : (tensor<8x4xf32>, f64) -> tensor<8x4xf32>
    %y = aten.mul.Tensor(%r, %half) : (tensor<8x4xf32>, f64) -> tensor<8x4xf32>
    ```
  }];
  let options = [
    Option<"weightsOnly", "weights-only", "bool", "false",
           "Leave products alone of which both factors are quantized.">
  ];
  let dependentDialects = ["::kiln::aten::AtenDialect",
                           "::mlir::arith::ArithDialect",
                           "::kiln::guard::GuardDialect"];
}

#endif // KILN_DIALECT_ATEN_TRANSFORMS_PASSES_TD
