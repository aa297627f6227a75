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

def FftFamily : OpFamily<"FftArgs", "A Fourier transform along one dimension or several.",
    ["self", "n", "s?", "dim?", "norm"]>;
class DecomposeFft<string name, string forward>
    : DecomposeBy<name, [forward], FftFamily>;

def ShiftFamily : OpFamily<"ShiftArgs", "An exchange of the halves of a spectrum.",
    ["self", "dim?"]>;
def FrequencyFamily : OpFamily<"FrequencyArgs", "The frequencies of a spectrum.",
    ["n", "d", "dtype"]>;
def StftFamily : OpFamily<"StftArgs", "A short-time Fourier transform.",
    ["self", "n_fft", "hop_length", "win_length", "window", "center", "pad_mode",
     "normalized", "onesided", "return_complex", "align_to_window"]>;

def WindowFamily : OpFamily<"WindowArgs", "A window, periodic unless it says otherwise.",
    ["window_length", "periodic", "alpha", "beta", "dtype"]>;
/// `kind` is one of Window in Composites.h.
class DecomposeWindow<string kind>
    : DecomposeBy<"decomposeWindow", ["Window::" # kind], WindowFamily>;

def Aten_FftFftOp : Aten_CompositeOp<
    "aten::fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> "
    "Tensor"> {
  let summary = "Fourier transform";
  let decomposition = DecomposeFft<"decomposeFft", "true">;
}

def Aten_FftIfftOp : Aten_CompositeOp<
    "aten::fft_ifft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor"> {
  let summary = "Inverse Fourier transform";
  let decomposition = DecomposeFft<"decomposeFft", "false">;
}

def Aten_FftRfftOp : Aten_CompositeOp<
    "aten::fft_rfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor"> {
  let summary = "Half of the spectrum of reals";
  let decomposition = DecomposeFft<"decomposeFftOfReals", "true">;
}

def Aten_FftIrfftOp : Aten_CompositeOp<
    "aten::fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor"> {
  let summary = "Reals from half of a spectrum";
  let decomposition = DecomposeFft<"decomposeFftToReals", "false">;
}

def Aten_FftHfftOp : Aten_CompositeOp<
    "aten::fft_hfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor"> {
  let summary = "Spectrum of half of a Hermitian signal";
  let decomposition = DecomposeFft<"decomposeFftToReals", "true">;
}

def Aten_FftIhfftOp : Aten_CompositeOp<
    "aten::fft_ihfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) "
    "-> Tensor"> {
  let summary = "Half of a Hermitian signal from its spectrum";
  let decomposition = DecomposeFft<"decomposeFftOfReals", "false">;
}

def Aten_FftFft2Op : Aten_CompositeOp<
    "aten::fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? "
    "norm=None) -> Tensor"> {
  let summary = "Fourier transform of two dimensions";
  let decomposition = DecomposeFft<"decomposeFft", "true">;
}

def Aten_FftIfft2Op : Aten_CompositeOp<
    "aten::fft_ifft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? "
    "norm=None) -> Tensor"> {
  let summary = "Inverse Fourier transform of two dimensions";
  let decomposition = DecomposeFft<"decomposeFft", "false">;
}

def Aten_FftRfft2Op : Aten_CompositeOp<
    "aten::fft_rfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? "
    "norm=None) -> Tensor"> {
  let summary = "Half of the spectrum of reals in two dimensions";
  let decomposition = DecomposeFft<"decomposeFftOfReals", "true">;
}

def Aten_FftIrfft2Op : Aten_CompositeOp<
    "aten::fft_irfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], "
    "str? norm=None) -> Tensor"> {
  let summary = "Reals from half of a spectrum in two dimensions";
  let decomposition = DecomposeFft<"decomposeFftToReals", "false">;
}

def Aten_FftFftnOp : Aten_CompositeOp<
    "aten::fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? "
    "norm=None) -> Tensor"> {
  let summary = "Fourier transform of several dimensions";
  let decomposition = DecomposeFft<"decomposeFft", "true">;
}

def Aten_FftIfftnOp : Aten_CompositeOp<
    "aten::fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? "
    "norm=None) -> Tensor"> {
  let summary = "Inverse Fourier transform of several dimensions";
  let decomposition = DecomposeFft<"decomposeFft", "false">;
}

def Aten_FftRfftnOp : Aten_CompositeOp<
    "aten::fft_rfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? "
    "norm=None) -> Tensor"> {
  let summary = "Half of the spectrum of reals in several dimensions";
  let decomposition = DecomposeFft<"decomposeFftOfReals", "true">;
}

def Aten_FftIrfftnOp : Aten_CompositeOp<
    "aten::fft_irfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? "
    "norm=None) -> Tensor"> {
  let summary = "Reals from half of a spectrum in several dimensions";
  let decomposition = DecomposeFft<"decomposeFftToReals", "false">;
}

def Aten_FftFftshiftOp : Aten_CompositeOp<
    "aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor"> {
  let summary = "Exchange the halves of dimensions";
  let decomposition = DecomposeBy<"decomposeShift", ["false"], ShiftFamily>;
}

def Aten_FftIfftshiftOp : Aten_CompositeOp<
    "aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor"> {
  let summary = "Exchange the halves of dimensions back";
  let decomposition = DecomposeBy<"decomposeShift", ["true"], ShiftFamily>;
}

def Aten_FftFftfreqOp : Aten_CompositeOp<
    "aten::fft_fftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "Frequencies of a Fourier transform";
  let decomposition = DecomposeBy<"decomposeFrequencies", ["false"], FrequencyFamily>;
}

def Aten_FftRfftfreqOp : Aten_CompositeOp<
    "aten::fft_rfftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "Frequencies of half of a spectrum";
  let decomposition = DecomposeBy<"decomposeFrequencies", ["true"], FrequencyFamily>;
}

def Aten_HannWindowOp : Aten_CompositeOp<
    "aten::hann_window(int window_length, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "Window of Hann";
  let decomposition = DecomposeWindow<"Hann">;
}

def Aten_HannWindowPeriodicOp : Aten_CompositeOp<
    "aten::hann_window.periodic(int window_length, bool periodic, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "Window of Hann, periodic if asked";
  let decomposition = DecomposeWindow<"Hann">;
}

def Aten_HammingWindowOp : Aten_CompositeOp<
    "aten::hamming_window(int window_length, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor"> {
  let summary = "Window of Hamming";
  let decomposition = DecomposeWindow<"Hamming">;
}

def Aten_HammingWindowPeriodicOp : Aten_CompositeOp<
    "aten::hamming_window.periodic(int window_length, bool periodic, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "Window of Hamming, periodic if asked";
  let decomposition = DecomposeWindow<"Hamming">;
}

def Aten_BlackmanWindowOp : Aten_CompositeOp<
    "aten::blackman_window(int window_length, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor"> {
  let summary = "Window of Blackman";
  let decomposition = DecomposeWindow<"Blackman">;
}

def Aten_BlackmanWindowPeriodicOp : Aten_CompositeOp<
    "aten::blackman_window.periodic(int window_length, bool periodic, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "Window of Blackman, periodic if asked";
  let decomposition = DecomposeWindow<"Blackman">;
}

def Aten_BartlettWindowOp : Aten_CompositeOp<
    "aten::bartlett_window(int window_length, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor"> {
  let summary = "Window of Bartlett";
  let decomposition = DecomposeWindow<"Bartlett">;
}

def Aten_BartlettWindowPeriodicOp : Aten_CompositeOp<
    "aten::bartlett_window.periodic(int window_length, bool periodic, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "Window of Bartlett, periodic if asked";
  let decomposition = DecomposeWindow<"Bartlett">;
}

def Aten_HammingWindowPeriodicAlphaOp : Aten_CompositeOp<
    "aten::hamming_window.periodic_alpha(int window_length, bool periodic, "
    "float alpha, *, ScalarType? dtype=None, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "Window of Hamming with a given base";
  let decomposition = DecomposeWindow<"Hamming">;
}

def Aten_HammingWindowPeriodicAlphaBetaOp : Aten_CompositeOp<
    "aten::hamming_window.periodic_alpha_beta(int window_length, bool "
    "periodic, float alpha, float beta, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "Window of Hamming with given base and height";
  let decomposition = DecomposeWindow<"Hamming">;
}

def Aten_StftOp : Aten_CompositeOp<
    "aten::stft(Tensor self, int n_fft, int? hop_length=None, int? "
    "win_length=None, Tensor? window=None, bool normalized=False, bool? "
    "onesided=None, bool? return_complex=None, bool? align_to_window=None) -> "
    "Tensor"> {
  let summary = "Spectra of overlapping frames";
  let decomposition = DecomposeBy<"decomposeStft", [], StftFamily>;
}

def Aten_StftCenterOp : Aten_CompositeOp<
    "aten::stft.center(Tensor self, int n_fft, int? hop_length=None, int? "
    "win_length=None, Tensor? window=None, bool center=True, str "
    "pad_mode=\"reflect\", bool normalized=False, bool? onesided=None, bool? "
    "return_complex=None, bool? align_to_window=None) -> Tensor"> {
  let summary = "Spectra of overlapping frames, which may be centered";
  let decomposition = DecomposeBy<"decomposeStft", [], StftFamily>;
}

def Aten_IstftOp : Aten_ActingCompositeOp<
    "aten::istft(Tensor self, int n_fft, int? hop_length=None, int? "
    "win_length=None, Tensor? window=None, bool center=True, bool "
    "normalized=False, bool? onesided=None, int? length=None, bool "
    "return_complex=False) -> Tensor", "decomposeIstft"> {
  let summary = "Signal whose overlapping frames have these spectra";
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITESPECTRAOPS_TD
