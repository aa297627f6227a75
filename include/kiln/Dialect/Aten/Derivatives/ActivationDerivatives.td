//===- ActivationDerivatives.td - Activations --------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_DERIVATIVES_ACTIVATIONDERIVATIVES_TD
#define KILN_DIALECT_ATEN_DERIVATIVES_ACTIVATIONDERIVATIVES_TD

include "kiln/Dialect/Aten/Derivatives/DerivativeBase.td"

def tanh_backward : BuilderMethod;
def : ComplexVJP<Aten_TanhOp, [Grad<"self", (tanh_backward $grad, $result)>]>;
def sigmoid_backward : BuilderMethod;
def : ComplexVJP<Aten_SigmoidOp, [
    Grad<"self", (sigmoid_backward $grad, $result)>]>;
def threshold_backward : BuilderMethod;
def : VJP<Aten_ReluOp, [Grad<"self", (threshold_backward $grad, $result, 0)>]>;
def : VJP<Aten_ThresholdOp, [
    Grad<"self", (threshold_backward $grad, $self, $threshold)>]>;
def : VJP<Aten_ThresholdBackwardOp, [
    Grad<"grad_output", (threshold_backward $grad, $self, $threshold)>,
    Grad<"self", (filled $self, 0)>]>;
def gelu_backward : BuilderMethod;
def : VJP<Aten_GeluOp, [
    Grad<"self", (gelu_backward $grad, $self, $approximate)>]>;
def : VJP<Aten_SiluOp, [Grad<"self", (call "silu_backward", $grad, $self)>]>;
def : VJP<Aten_MishOp, [Grad<"self", (call "mish_backward", $grad, $self)>]>;
def : VJP<Aten_GluOp, [
    Grad<"self", (call "glu_backward", $grad, $self, $dim)>]>;
def : VJP<Aten_LeakyReluOp, [
    Grad<"self", (call "leaky_relu_backward", $grad, $self,
                     (number_or $negative_slope, "0.01"),
                     "false")>]>;
def second_result : GradientHelper; // of the op that gives the value
def : VJP<Aten_PreluKernelOp, [
    Grad<"self", (call "_prelu_kernel_backward", $grad, $self, $weight)>,
    Grad<"weight", (second_result
        (call "_prelu_kernel_backward", $grad, $self, $weight))>]>;
def : VJP<Aten_HardtanhOp, [
    Grad<"self", (call "hardtanh_backward", $grad, $self, (number_or $min_val,
         -1), (number_or $max_val, 1))>]>;
def : VJP<Aten_Relu6Op, [
    Grad<"self", (call "hardtanh_backward", $grad, $result, 0, 6)>]>;
def : VJP<Aten_HardsigmoidOp, [
    Grad<"self", (call "hardsigmoid_backward", $grad, $self)>]>;
def : VJP<Aten_HardswishOp, [
    Grad<"self", (call "hardswish_backward", $grad, $self)>]>;
def : VJP<Aten_HardshrinkOp, [
    Grad<"self", (call "hardshrink_backward", $grad, $self,
                     (number_or $lambd, "0.5"))>]>;
def : VJP<Aten_SoftshrinkOp, [
    Grad<"self", (call "softshrink_backward", $grad, $self,
                     (number_or $lambd, "0.5"))>]>;
def : VJP<Aten_SoftplusOp, [
    Grad<"self", (call "softplus_backward", $grad, $self, (number_or $beta, 1),
                     (number_or $threshold, 20))>]>;
// From the input: the buffer is a kernel's own and may hold nothing.
def : VJP<Aten_LogSigmoidForwardOp, [
    Grad<"self", (mul $grad, (sigmoid (neg $self)))>]>;
def : VJP<Aten_EluOp, [
    Grad<"self", (call "elu_backward", $grad, (number_or $alpha, 1),
                     (number_or $scale, 1), (number_or $input_scale, 1),
                     "false", $self)>]>;
def : VJP<Aten_SeluOp, [
    Grad<"self", (call "elu_backward", $grad,
                     "1.6732632423543772848170429916717",
                     "1.0507009873554804934193349852946", 1,
                     "false", $self)>]>;
def celu_grad : GradientHelper;
def : VJP<Aten_CeluOp, [Grad<"self", (celu_grad $grad, $self, $alpha)>]>;
def : VJPFunction<"vjpRrelu", [Aten_RreluWithNoiseFunctionalOp]>;
def : VJPFunction<"vjpNativeDropout", [Aten_NativeDropoutOp]>;

#endif // KILN_DIALECT_ATEN_DERIVATIVES_ACTIVATIONDERIVATIVES_TD
