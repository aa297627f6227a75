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

def Aten_FftFftOp : Aten_CompositeOp<
    "aten::fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> "
    "Tensor", "decomposeFftFft"> {
  let summary = "Fourier transform";
}

def Aten_FftIfftOp : Aten_CompositeOp<
    "aten::fft_ifft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor", "decomposeFftIfft"> {
  let summary = "Inverse Fourier transform";
}

def Aten_FftRfftOp : Aten_CompositeOp<
    "aten::fft_rfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor", "decomposeFftRfft"> {
  let summary = "Half of the spectrum of reals";
}

def Aten_FftIrfftOp : Aten_CompositeOp<
    "aten::fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor", "decomposeFftIrfft"> {
  let summary = "Reals from half of a spectrum";
}

def Aten_FftHfftOp : Aten_CompositeOp<
    "aten::fft_hfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor", "decomposeFftHfft"> {
  let summary = "Spectrum of half of a Hermitian signal";
}

def Aten_FftIhfftOp : Aten_CompositeOp<
    "aten::fft_ihfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor", "decomposeFftIhfft"> {
  let summary = "Half of a Hermitian signal from its spectrum";
}

def Aten_FftFft2Op : Aten_CompositeOp<
    "aten::fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? "
    "norm=None) -> Tensor", "decomposeFftFft2"> {
  let summary = "Fourier transform of two dimensions";
}

def Aten_FftIfft2Op : Aten_CompositeOp<
    "aten::fft_ifft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? "
    "norm=None) -> Tensor", "decomposeFftIfft2"> {
  let summary = "Inverse Fourier transform of two dimensions";
}

def Aten_FftRfft2Op : Aten_CompositeOp<
    "aten::fft_rfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? "
    "norm=None) -> Tensor", "decomposeFftRfft2"> {
  let summary = "Half of the spectrum of reals in two dimensions";
}

def Aten_FftIrfft2Op : Aten_CompositeOp<
    "aten::fft_irfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], "
    "str? norm=None) -> Tensor", "decomposeFftIrfft2"> {
  let summary = "Reals from half of a spectrum in two dimensions";
}

def Aten_FftFftnOp : Aten_CompositeOp<
    "aten::fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? "
    "norm=None) -> Tensor", "decomposeFftFftn"> {
  let summary = "Fourier transform of several dimensions";
}

def Aten_FftIfftnOp : Aten_CompositeOp<
    "aten::fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? "
    "norm=None) -> Tensor", "decomposeFftIfftn"> {
  let summary = "Inverse Fourier transform of several dimensions";
}

def Aten_FftRfftnOp : Aten_CompositeOp<
    "aten::fft_rfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? "
    "norm=None) -> Tensor", "decomposeFftRfftn"> {
  let summary = "Half of the spectrum of reals in several dimensions";
}

def Aten_FftIrfftnOp : Aten_CompositeOp<
    "aten::fft_irfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? "
    "norm=None) -> Tensor", "decomposeFftIrfftn"> {
  let summary = "Reals from half of a spectrum in several dimensions";
}

def Aten_FftFftshiftOp : Aten_CompositeOp<
    "aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor",
    "decomposeFftFftshift"> {
  let summary = "Exchange the halves of dimensions";
}

def Aten_FftIfftshiftOp : Aten_CompositeOp<
    "aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor",
    "decomposeFftIfftshift"> {
  let summary = "Exchange the halves of dimensions back";
}

def Aten_FftFftfreqOp : Aten_CompositeOp<
    "aten::fft_fftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "decomposeFftFftfreq"> {
  let summary = "Frequencies of a Fourier transform";
}

def Aten_FftRfftfreqOp : Aten_CompositeOp<
    "aten::fft_rfftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "decomposeFftRfftfreq"> {
  let summary = "Frequencies of half of a spectrum";
}

def Aten_HannWindowOp : Aten_CompositeOp<
    "aten::hann_window(int window_length, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "decomposeHannWindow"> {
  let summary = "Window of Hann";
}

def Aten_HannWindowPeriodicOp : Aten_CompositeOp<
    "aten::hann_window.periodic(int window_length, bool periodic, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor", "decomposeHannWindowPeriodic"> {
  let summary = "Window of Hann, periodic if asked";
}

def Aten_HammingWindowOp : Aten_CompositeOp<
    "aten::hamming_window(int window_length, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor",
    "decomposeHammingWindow"> {
  let summary = "Window of Hamming";
}

def Aten_HammingWindowPeriodicOp : Aten_CompositeOp<
    "aten::hamming_window.periodic(int window_length, bool periodic, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor", "decomposeHammingWindowPeriodic"> {
  let summary = "Window of Hamming, periodic if asked";
}

def Aten_BlackmanWindowOp : Aten_CompositeOp<
    "aten::blackman_window(int window_length, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor",
    "decomposeBlackmanWindow"> {
  let summary = "Window of Blackman";
}

def Aten_BlackmanWindowPeriodicOp : Aten_CompositeOp<
    "aten::blackman_window.periodic(int window_length, bool periodic, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor", "decomposeBlackmanWindowPeriodic"> {
  let summary = "Window of Blackman, periodic if asked";
}

def Aten_BartlettWindowOp : Aten_CompositeOp<
    "aten::bartlett_window(int window_length, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor",
    "decomposeBartlettWindow"> {
  let summary = "Window of Bartlett";
}

def Aten_BartlettWindowPeriodicOp : Aten_CompositeOp<
    "aten::bartlett_window.periodic(int window_length, bool periodic, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor", "decomposeBartlettWindowPeriodic"> {
  let summary = "Window of Bartlett, periodic if asked";
}

def Aten_HammingWindowPeriodicAlphaOp : Aten_CompositeOp<
    "aten::hamming_window.periodic_alpha(int window_length, bool periodic, "
    "float alpha, *, ScalarType? dtype=None, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None) -> Tensor",
    "decomposeHammingWindowPeriodicAlpha"> {
  let summary = "Window of Hamming with a given base";
}

def Aten_HammingWindowPeriodicAlphaBetaOp : Aten_CompositeOp<
    "aten::hamming_window.periodic_alpha_beta(int window_length, bool "
    "periodic, float alpha, float beta, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "decomposeHammingWindowPeriodicAlphaBeta"> {
  let summary = "Window of Hamming with given base and height";
}

def Aten_StftOp : Aten_CompositeOp<
    "aten::stft(Tensor self, int n_fft, int? hop_length=None, int? "
    "win_length=None, Tensor? window=None, bool normalized=False, bool? "
    "onesided=None, bool? return_complex=None, bool? align_to_window=None) -> "
    "Tensor", "decomposeStft"> {
  let summary = "Spectra of overlapping frames";
}

def Aten_StftCenterOp : Aten_CompositeOp<
    "aten::stft.center(Tensor self, int n_fft, int? hop_length=None, int? "
    "win_length=None, Tensor? window=None, bool center=True, str "
    "pad_mode=\"reflect\", bool normalized=False, bool? onesided=None, bool? "
    "return_complex=None, bool? align_to_window=None) -> Tensor",
    "decomposeStftCenter"> {
  let summary = "Spectra of overlapping frames, which may be centered";
}

def Aten_IstftOp : Aten_ActingCompositeOp<
    "aten::istft(Tensor self, int n_fft, int? hop_length=None, int? "
    "win_length=None, Tensor? window=None, bool center=True, bool "
    "normalized=False, bool? onesided=None, int? length=None, bool "
    "return_complex=False) -> Tensor", "decomposeIstft"> {
  let summary = "Signal whose overlapping frames have these spectra";
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITESPECTRAOPS_TD
