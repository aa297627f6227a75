//===- AtenCompositeSpectraOps.td - Composite spectra ------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENCOMPOSITESPECTRAOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENCOMPOSITESPECTRAOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_FftFftOp : Aten_CompositeOp<"fft_fft",
    "aten::fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInt>:$n, Aten_Int:$dim,
         OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftFft"> {
  let summary = "Fourier transform";
}

def Aten_FftIfftOp : Aten_CompositeOp<"fft_ifft",
    "aten::fft_ifft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInt>:$n, Aten_Int:$dim,
         OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftIfft"> {
  let summary = "Inverse Fourier transform";
}

def Aten_FftRfftOp : Aten_CompositeOp<"fft_rfft",
    "aten::fft_rfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInt>:$n, Aten_Int:$dim,
         OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftRfft"> {
  let summary = "Half of the spectrum of reals";
}

def Aten_FftIrfftOp : Aten_CompositeOp<"fft_irfft",
    "aten::fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInt>:$n, Aten_Int:$dim,
         OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftIrfft"> {
  let summary = "Reals from half of a spectrum";
}

def Aten_FftHfftOp : Aten_CompositeOp<"fft_hfft",
    "aten::fft_hfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInt>:$n, Aten_Int:$dim,
         OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftHfft"> {
  let summary = "Spectrum of half of a Hermitian signal";
}

def Aten_FftIhfftOp : Aten_CompositeOp<"fft_ihfft",
    "aten::fft_ihfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInt>:$n, Aten_Int:$dim,
         OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftIhfft"> {
  let summary = "Half of a Hermitian signal from its spectrum";
}

def Aten_FftFft2Op : Aten_CompositeOp<"fft_fft2",
    "aten::fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? "
    "norm=None) -> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInts>:$s, Aten_Ints:$dim,
         OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftFft2"> {
  let summary = "Fourier transform of two dimensions";
}

def Aten_FftIfft2Op : Aten_CompositeOp<"fft_ifft2",
    "aten::fft_ifft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], "
    "str? norm=None) -> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInts>:$s, Aten_Ints:$dim,
         OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftIfft2"> {
  let summary = "Inverse Fourier transform of two dimensions";
}

def Aten_FftRfft2Op : Aten_CompositeOp<"fft_rfft2",
    "aten::fft_rfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], "
    "str? norm=None) -> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInts>:$s, Aten_Ints:$dim,
         OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftRfft2"> {
  let summary = "Half of the spectrum of reals in two dimensions";
}

def Aten_FftIrfft2Op : Aten_CompositeOp<"fft_irfft2",
    "aten::fft_irfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], "
    "str? norm=None) -> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInts>:$s, Aten_Ints:$dim,
         OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftIrfft2"> {
  let summary = "Reals from half of a spectrum in two dimensions";
}

def Aten_FftFftnOp : Aten_CompositeOp<"fft_fftn",
    "aten::fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? "
    "norm=None) -> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInts>:$s,
         OptionalAttr<Aten_Ints>:$dim, OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftFftn"> {
  let summary = "Fourier transform of several dimensions";
}

def Aten_FftIfftnOp : Aten_CompositeOp<"fft_ifftn",
    "aten::fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? "
    "norm=None) -> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInts>:$s,
         OptionalAttr<Aten_Ints>:$dim, OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftIfftn"> {
  let summary = "Inverse Fourier transform of several dimensions";
}

def Aten_FftRfftnOp : Aten_CompositeOp<"fft_rfftn",
    "aten::fft_rfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? "
    "norm=None) -> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInts>:$s,
         OptionalAttr<Aten_Ints>:$dim, OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftRfftn"> {
  let summary = "Half of the spectrum of reals in several dimensions";
}

def Aten_FftIrfftnOp : Aten_CompositeOp<"fft_irfftn",
    "aten::fft_irfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? "
    "norm=None) -> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_SymInts>:$s,
         OptionalAttr<Aten_Ints>:$dim, OptionalAttr<Aten_Str>:$norm),
    (outs Aten_Tensor:$result), "decomposeFftIrfftn"> {
  let summary = "Reals from half of a spectrum in several dimensions";
}

def Aten_FftFftshiftOp : Aten_CompositeOp<"fft_fftshift",
    "aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_Ints>:$dim),
    (outs Aten_Tensor:$result), "decomposeFftFftshift"> {
  let summary = "Exchange the halves of dimensions";
}

def Aten_FftIfftshiftOp : Aten_CompositeOp<"fft_ifftshift",
    "aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_Ints>:$dim),
    (outs Aten_Tensor:$result), "decomposeFftIfftshift"> {
  let summary = "Exchange the halves of dimensions back";
}

def Aten_FftFftfreqOp : Aten_CompositeOp<"fft_fftfreq",
    "aten::fft_fftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    (ins Aten_Int:$n, Aten_Float:$d, OptionalAttr<Aten_DType>:$dtype,
         OptionalAttr<Aten_Layout>:$layout, OptionalAttr<Aten_Device>:$device,
         OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeFftFftfreq"> {
  let summary = "Frequencies of a Fourier transform";
}

def Aten_FftRfftfreqOp : Aten_CompositeOp<"fft_rfftfreq",
    "aten::fft_rfftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    (ins Aten_Int:$n, Aten_Float:$d, OptionalAttr<Aten_DType>:$dtype,
         OptionalAttr<Aten_Layout>:$layout, OptionalAttr<Aten_Device>:$device,
         OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeFftRfftfreq"> {
  let summary = "Frequencies of half of a spectrum";
}

def Aten_HannWindowOp : Aten_CompositeOp<"hann_window",
    "aten::hann_window(int window_length, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    (ins Aten_Int:$window_length, OptionalAttr<Aten_DType>:$dtype,
         OptionalAttr<Aten_Layout>:$layout, OptionalAttr<Aten_Device>:$device,
         OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeHannWindow"> {
  let summary = "Window of Hann";
}

def Aten_HannWindowPeriodicOp : Aten_CompositeOp<"hann_window.periodic",
    "aten::hann_window.periodic(int window_length, bool periodic, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor",
    (ins Aten_Int:$window_length, Aten_Bool:$periodic,
         OptionalAttr<Aten_DType>:$dtype, OptionalAttr<Aten_Layout>:$layout,
         OptionalAttr<Aten_Device>:$device, OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeHannWindowPeriodic"> {
  let summary = "Window of Hann, periodic if asked";
}

def Aten_HammingWindowOp : Aten_CompositeOp<"hamming_window",
    "aten::hamming_window(int window_length, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor",
    (ins Aten_Int:$window_length, OptionalAttr<Aten_DType>:$dtype,
         OptionalAttr<Aten_Layout>:$layout, OptionalAttr<Aten_Device>:$device,
         OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeHammingWindow"> {
  let summary = "Window of Hamming";
}

def Aten_HammingWindowPeriodicOp : Aten_CompositeOp<"hamming_window.periodic",
    "aten::hamming_window.periodic(int window_length, bool periodic, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor",
    (ins Aten_Int:$window_length, Aten_Bool:$periodic,
         OptionalAttr<Aten_DType>:$dtype, OptionalAttr<Aten_Layout>:$layout,
         OptionalAttr<Aten_Device>:$device, OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeHammingWindowPeriodic"> {
  let summary = "Window of Hamming, periodic if asked";
}

def Aten_BlackmanWindowOp : Aten_CompositeOp<"blackman_window",
    "aten::blackman_window(int window_length, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor",
    (ins Aten_Int:$window_length, OptionalAttr<Aten_DType>:$dtype,
         OptionalAttr<Aten_Layout>:$layout, OptionalAttr<Aten_Device>:$device,
         OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeBlackmanWindow"> {
  let summary = "Window of Blackman";
}

def Aten_BlackmanWindowPeriodicOp : Aten_CompositeOp<"blackman_window.periodic",
    "aten::blackman_window.periodic(int window_length, bool periodic, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor",
    (ins Aten_Int:$window_length, Aten_Bool:$periodic,
         OptionalAttr<Aten_DType>:$dtype, OptionalAttr<Aten_Layout>:$layout,
         OptionalAttr<Aten_Device>:$device, OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeBlackmanWindowPeriodic"> {
  let summary = "Window of Blackman, periodic if asked";
}

def Aten_BartlettWindowOp : Aten_CompositeOp<"bartlett_window",
    "aten::bartlett_window(int window_length, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor",
    (ins Aten_Int:$window_length, OptionalAttr<Aten_DType>:$dtype,
         OptionalAttr<Aten_Layout>:$layout, OptionalAttr<Aten_Device>:$device,
         OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeBartlettWindow"> {
  let summary = "Window of Bartlett";
}

def Aten_BartlettWindowPeriodicOp : Aten_CompositeOp<"bartlett_window.periodic",
    "aten::bartlett_window.periodic(int window_length, bool periodic, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor",
    (ins Aten_Int:$window_length, Aten_Bool:$periodic,
         OptionalAttr<Aten_DType>:$dtype, OptionalAttr<Aten_Layout>:$layout,
         OptionalAttr<Aten_Device>:$device, OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeBartlettWindowPeriodic"> {
  let summary = "Window of Bartlett, periodic if asked";
}

def Aten_HammingWindowPeriodicAlphaOp
    : Aten_CompositeOp<"hamming_window.periodic_alpha",
    "aten::hamming_window.periodic_alpha(int window_length, bool periodic, "
    "float alpha, *, ScalarType? dtype=None, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None) -> Tensor",
    (ins Aten_Int:$window_length, Aten_Bool:$periodic, Aten_Float:$alpha,
         OptionalAttr<Aten_DType>:$dtype, OptionalAttr<Aten_Layout>:$layout,
         OptionalAttr<Aten_Device>:$device, OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeHammingWindowPeriodicAlpha"> {
  let summary = "Window of Hamming with a given base";
}

def Aten_HammingWindowPeriodicAlphaBetaOp
    : Aten_CompositeOp<"hamming_window.periodic_alpha_beta",
    "aten::hamming_window.periodic_alpha_beta(int window_length, bool "
    "periodic, float alpha, float beta, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    (ins Aten_Int:$window_length, Aten_Bool:$periodic, Aten_Float:$alpha,
         Aten_Float:$beta, OptionalAttr<Aten_DType>:$dtype,
         OptionalAttr<Aten_Layout>:$layout, OptionalAttr<Aten_Device>:$device,
         OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeHammingWindowPeriodicAlphaBeta"> {
  let summary = "Window of Hamming with given base and height";
}

def Aten_StftOp : Aten_CompositeOp<"stft",
    "aten::stft(Tensor self, int n_fft, int? hop_length=None, int? "
    "win_length=None, Tensor? window=None, bool normalized=False, bool? "
    "onesided=None, bool? return_complex=None, bool? align_to_window=None) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$n_fft,
         OptionalAttr<Aten_Int>:$hop_length,
         OptionalAttr<Aten_Int>:$win_length, Optional<Aten_Tensor>:$window,
         Aten_Bool:$normalized, OptionalAttr<Aten_Bool>:$onesided,
         OptionalAttr<Aten_Bool>:$return_complex,
         OptionalAttr<Aten_Bool>:$align_to_window),
    (outs Aten_Tensor:$result), "decomposeStft"> {
  let summary = "Spectra of overlapping frames";
}

def Aten_StftCenterOp : Aten_CompositeOp<"stft.center",
    "aten::stft.center(Tensor self, int n_fft, int? hop_length=None, int? "
    "win_length=None, Tensor? window=None, bool center=True, str "
    "pad_mode=\"reflect\", bool normalized=False, bool? onesided=None, bool? "
    "return_complex=None, bool? align_to_window=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$n_fft,
         OptionalAttr<Aten_Int>:$hop_length,
         OptionalAttr<Aten_Int>:$win_length, Optional<Aten_Tensor>:$window,
         Aten_Bool:$center, Aten_Str:$pad_mode, Aten_Bool:$normalized,
         OptionalAttr<Aten_Bool>:$onesided,
         OptionalAttr<Aten_Bool>:$return_complex,
         OptionalAttr<Aten_Bool>:$align_to_window),
    (outs Aten_Tensor:$result), "decomposeStftCenter"> {
  let summary = "Spectra of overlapping frames, which may be centered";
}

def Aten_IstftOp : Aten_ActingCompositeOp<"istft",
    "aten::istft(Tensor self, int n_fft, int? hop_length=None, int? "
    "win_length=None, Tensor? window=None, bool center=True, bool "
    "normalized=False, bool? onesided=None, int? length=None, bool "
    "return_complex=False) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$n_fft,
         OptionalAttr<Aten_Int>:$hop_length,
         OptionalAttr<Aten_Int>:$win_length, Optional<Aten_Tensor>:$window,
         Aten_Bool:$center, Aten_Bool:$normalized,
         OptionalAttr<Aten_Bool>:$onesided, OptionalAttr<Aten_Int>:$length,
         Aten_Bool:$return_complex),
    (outs Aten_Tensor:$result), "decomposeIstft"> {
  let summary = "Signal whose overlapping frames have these spectra";
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITESPECTRAOPS_TD
