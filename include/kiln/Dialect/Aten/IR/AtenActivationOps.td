//===- AtenActivationOps.td - Activations, their gradients -*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENACTIVATIONOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENACTIVATIONOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_CeluOp : Aten_PureOp<
    "aten::celu(Tensor self, Scalar alpha=1.) -> Tensor"> {
  let summary = "Celu";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let body = (where (gt $self, (number "0")), $self, (mul $alpha, (expm1 (div
    $self, $alpha))));
}

def Aten_EluOp : Aten_PureOp<
    "aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar "
    "input_scale=1) -> Tensor"> {
  let summary = "Elu";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let body = (where (gt $self, (number "0")), (mul $self, $scale), (mul (mul
    (expm1 (mul $self, $input_scale)), $alpha), $scale));
}

def Aten_EluBackwardOp : Aten_PureOp<
    "aten::elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar "
    "input_scale, bool is_result, Tensor self_or_result) -> Tensor"> {
  let summary = "Gradient of elu";
  let promotion = PromoteDefault;
  let promotes = ["grad_output", "self_or_result"];
  let body = (where (logical_or (le $self_or_result, (number "0")), (is_widest_nan
    $self_or_result)), (where $is_result, (mul (mul $grad_output, $input_scale),
    (add $self_or_result, (mul $alpha, $scale))), (mul (mul (mul (mul
    $grad_output, $input_scale), $alpha), $scale), (exp (mul $self_or_result,
    $input_scale)))), (mul $grad_output, $scale));
}

def Aten_GluOp : Aten_PureOp<"aten::glu(Tensor self, int dim=-1) -> Tensor"> {
  let summary = "Gated linear unit of the halves of a dimension";
  let shape = "glu";
  let promotion = PromoteDefault;
  let decomposition = DecomposeWide<[
      (mul (half $self, $dim, 0), (sigmoid (half $self, $dim, 1)))]>;
}

def Aten_GluBackwardOp : Aten_PureOp<
    "aten::glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor"> {
  let summary = "Gradient of glu";
  let shape = "gluBackward";
  let promotion = PromoteDefault;
  let decomposition = DecomposeWide<[
      (pair (mul $grad_output, (sigmoid (half $self, $dim, 1))),
            (mul (mul $grad_output, (half $self, $dim, 0)),
                 (mul (sigmoid (half $self, $dim, 1)),
                      (sub 1, (sigmoid (half $self, $dim, 1))))),
            $dim)]>;
}

def Aten_HardshrinkOp : Aten_PureOp<
    "aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor"> {
  let summary = "Zero between -lambd and lambd";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let body = (where (logical_and (ge $self, (neg $lambd)), (le $self, $lambd)),
    (number "0"), $self);
}

def Aten_HardshrinkBackwardOp : Aten_PureOp<
    "aten::hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> "
    "Tensor"> {
  let summary = "Gradient of hardshrink";
  let promotion = PromoteDefault;
  let promotes = ["grad_out", "self"];
  let body = (where (logical_or (logical_and (ge $self, (neg $lambd)), (le $self,
    $lambd)), (is_wide_nan $self)), (number "0"), $grad_out);
}

def Aten_HardsigmoidOp : Aten_PureOp<
    "aten::hardsigmoid(Tensor self) -> Tensor"> {
  let summary = "Piecewise linear sigmoid";
  let promotion = PromoteDefault;
  let body = (div (min (max (add $self, (number "3")), (number "0")),
    (number "6")), (number "6"));
}

def Aten_HardsigmoidBackwardOp : Aten_PureOp<
    "aten::hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor"> {
  let summary = "Gradient of hardsigmoid";
  let promotion = PromoteDefault;
  let body = (where (logical_and (gt $self, (number "-3")), (lt $self,
    (number "3"))), (div $grad_output, (number "6")), (number "0"));
}

def Aten_HardswishOp : Aten_PureOp<"aten::hardswish(Tensor self) -> Tensor"> {
  let summary = "Product of the element and its hardsigmoid";
  let promotion = PromoteDefault;
  let body = (div (mul $self, (min (max (add $self, (number "3")),
    (number "0")), (number "6"))), (number "6"));
}

def Aten_HardswishBackwardOp : Aten_PureOp<
    "aten::hardswish_backward(Tensor grad_output, Tensor self) -> Tensor"> {
  let summary = "Gradient of hardswish";
  let promotion = PromoteDefault;
  let body = (where (le $self, (number "-3")), (number "0"), (where
    (logical_or (lt $self, (number "3")), (is_widest_nan $self)), (mul
    $grad_output, (add (div $self, (number "3")), (number "0.5"))),
    $grad_output));
}

def Aten_HardtanhBackwardOp : Aten_PureOp<
    "aten::hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, "
    "Scalar max_val) -> Tensor"> {
  let summary = "Gradient of hardtanh";
  let promotion = PromoteDefault;
  let promotes = ["grad_output", "self"];
  let body = (where (logical_or (logical_or (le $self, $min_val), (ge $self,
    $max_val)), (is_wide_nan $self)), (number "0"), $grad_output);
}

def Aten_LeakyReluBackwardOp : Aten_PureOp<
    "aten::leaky_relu_backward(Tensor grad_output, Tensor self, Scalar "
    "negative_slope, bool self_is_result) -> Tensor"> {
  let summary = "Gradient of leaky relu";
  let promotion = PromoteDefault;
  let promotes = ["grad_output", "self"];
  let body = (where (gt $self, (number "0")), $grad_output, (mul $grad_output,
    $negative_slope));
}

def Aten_LogSigmoidForwardOp : Aten_PureOp<
    "aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor "
    "buffer)"> {
  let summary = "Logarithm of the sigmoid, and what its gradient needs";
  let shape = "withBuffer";
  let promotion = PromoteDefault;
  let decomposition = DecomposeWide<[(log_sigmoid $self), (filled $self, 0)]>;
}

def Aten_LogSigmoidBackwardOp : Aten_PureOp<
    "aten::log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor "
    "buffer) -> Tensor"> {
  let summary = "Gradient of the logarithm of the sigmoid";
  let shape = "likeSelf";
  let promotion = PromoteDefault;
  let promotes = ["grad_output", "self"];
  let decomposition = DecomposeWide<[
      (mul $grad_output, (log_sigmoid_slope $self, $buffer))]>;
}

def Aten_LogitBackwardOp : Aten_PureOp<
    "aten::logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> "
    "Tensor"> {
  let summary = "Gradient of logit";
  let promotion = PromoteDefault;
  let promotes = ["grad_output", "self"];
  let body = (where (logical_or (lt $self, (or_else $eps, (number "0"))), (gt
    $self, (sub (number "1"), (or_else $eps, (number "0"))))), (if_given $eps,
    (number "0"), (number "nan")), (div $grad_output, (mul $self, (sub
    (number "1"), $self))));
}

def Aten_MishOp : Aten_PureOp<"aten::mish(Tensor self) -> Tensor"> {
  let summary = "x tanh(log(1 + exp(x)))";
  let promotion = PromoteDefault;
  let body = (mul $self, (tanh (where (gt $self, (number "20")), $self, (log1p
    (exp $self)))));
}

def Aten_MishBackwardOp : Aten_PureOp<
    "aten::mish_backward(Tensor grad_output, Tensor self) -> Tensor"> {
  let summary = "Gradient of mish";
  let promotion = PromoteDefault;
  let body = (mul $grad_output, (add (tanh (where (gt $self, (number "20")), $self,
    (log1p (exp $self)))), (mul (mul $self, (sigmoid $self)), (sub (number "1"),
    (mul (tanh (where (gt $self, (number "20")), $self, (log1p (exp $self)))),
    (tanh (where (gt $self, (number "20")), $self, (log1p (exp $self)))))))));
}

def Aten_PreluOp : Aten_PureOp<
    "aten::prelu(Tensor self, Tensor weight) -> Tensor"> {
  let summary = "Leaky relu with one slope for each channel";
  let shape = "prelu";
  let promotion = PromoteSameDType;
  let decomposition = Decompose<[
      (call "_prelu_kernel", $self, (channel_weight $self, $weight))]>;
}

def Aten_PreluKernelOp : Aten_PureOp<
    "aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor"> {
  let summary = "Leaky relu with slopes that broadcast";
  let promotion = PromoteSameDType;
  let body = (where (gt $self, (number "0")), $self, (mul $self, $weight));
}

def Aten_PreluKernelBackwardOp : Aten_PureOp<
    "aten::_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor "
    "weight) -> (Tensor, Tensor)"> {
  let summary = "Gradients of prelu";
  let shape = "likeSelfTwice";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeWide<[
      (where (gt $self, 0), $grad_output, (mul $grad_output, $weight)),
      (where (gt $self, 0), "0.0", (mul $grad_output, $self))]>;
}

def Aten_Relu6Op : Aten_PureOp<"aten::relu6(Tensor self) -> Tensor"> {
  let summary = "Clamp to 0 and 6";
  let promotion = PromoteDefault;
  let body = (min (max $self, (number "0")), (number "6"));
}

def Aten_RreluWithNoiseFunctionalOp : Aten_RandomOp<
    "aten::rrelu_with_noise_functional(Tensor self, Tensor noise, Scalar "
    "lower=0.125, Scalar upper=0.33333333333333331, bool training=False, "
    "Generator? generator=None) -> (Tensor, Tensor noise_out)"> {
  let summary = "Leaky relu with random slopes";
  let shape = "withBuffer";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let decomposition = DecomposeBy<"decomposeRrelu">;
  let lowering = LowerBy<"lowerRrelu">;
}

def Aten_SeluOp : Aten_PureOp<"aten::selu(Tensor self) -> Tensor"> {
  let summary = "Self-normalizing elu";
  let promotion = PromoteDefault;
  let body = (mul (number "1.0507009873554804934193349852946"), (where (gt
    $self, (number "0")), $self, (mul
    (number "1.6732632423543772848170429916717"), (expm1 $self))));
}

def Aten_SiluBackwardOp : Aten_PureOp<
    "aten::silu_backward(Tensor grad_output, Tensor self) -> Tensor"> {
  let summary = "Gradient of silu";
  let promotion = PromoteDefault;
  let body = (mul (mul $grad_output, (sigmoid $self)), (add (number "1"), (mul
    $self, (sub (number "1"), (sigmoid $self)))));
}

def Aten_SoftplusOp : Aten_PureOp<
    "aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> "
    "Tensor"> {
  let summary = "log(1 + exp(beta x)) / beta";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let body = (where (gt (mul $self, $beta), $threshold), $self, (div (log1p (exp
    (mul $self, $beta))), $beta));
}

def Aten_SoftplusBackwardOp : Aten_PureOp<
    "aten::softplus_backward(Tensor grad_output, Tensor self, Scalar beta, "
    "Scalar threshold) -> Tensor"> {
  let summary = "Gradient of softplus";
  let promotion = PromoteDefault;
  let promotes = ["grad_output", "self"];
  let body = (where (gt (mul $self, $beta), $threshold), $grad_output, (div (mul
    $grad_output, (exp (mul $self, $beta))), (add (exp (mul $self, $beta)),
    (number "1"))));
}

def Aten_SoftshrinkOp : Aten_PureOp<
    "aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor"> {
  let summary = "Shrink toward zero by lambd";
  let shape = "softshrink";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let body = (where (is_nan $self), $self, (where (gt $self, $lambd), (sub $self,
    $lambd), (where (lt $self, (neg $lambd)), (add $self, $lambd),
    (number "0"))));
}

def Aten_SoftshrinkBackwardOp : Aten_PureOp<
    "aten::softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) "
    "-> Tensor"> {
  let summary = "Gradient of softshrink";
  let promotion = PromoteDefault;
  let promotes = ["grad_output", "self"];
  let body = (where (logical_or (logical_and (ge $self, (neg $lambd)), (le $self,
    $lambd)), (is_wide_nan $self)), (number "0"), $grad_output);
}

def Aten_ThresholdOp : Aten_PureOp<
    "aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor"> {
  let summary = "A number where elements are not above another";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let body = (where (le $self, $threshold), $value, $self);
}

def Aten_NativeDropoutBackwardOp : Aten_PureOp<
    "aten::native_dropout_backward(Tensor grad_output, Tensor mask, float "
    "scale) -> Tensor"> {
  let summary = "Gradient of dropout";
  let promotion = PromoteIntToFloat;
  let promotes = ["grad_output"];
  let body = (mul (mul $grad_output, $mask), $scale);
}

#endif // KILN_DIALECT_ATEN_IR_ATENACTIVATIONOPS_TD
