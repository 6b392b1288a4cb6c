# SPDX-License-Identifier: Apache-2.0
# The list of all kernels (cmake/RingfortKernels.cmake reads it). A line has name and type of a kernel, for Word = u32
# and u64. A kernel "NAME RULES" exists for Rules = Lazy and, with u32, for Strict, too. A family of kernels is compiled
# by itself for each word, for the emulator and for each kind of GPU.
ringfort_kernels(transforms HEADERS ntt LANES 512 KERNELS
  "ntt RULES = ForwardNtt<Word, Rules>"
  "intt RULES = InverseNtt<Word, Rules>")
ringfort_kernels(fused HEADERS key_product ntt LANES 512 KERNELS
  "ntt_digits RULES = ForwardNtt<Word, Rules, Converted<Word>>"
  "ntt_quotient RULES = ForwardNtt<Word, Rules, Source<Word>, Quotient<Word>>"
  "ntt_times RULES = ForwardNtt<Word, Rules, Keep<Word>, Times<Word>>"
  "intt_from RULES = InverseNtt<Word, Rules, Source<Word>>"
  "key_product RULES = KeyProduct<Word, Rules>")
ringfort_kernels(words HEADERS automorphism convert expand integers map sums LANES 256 KERNELS
  "add = Map<Word, Sum<Word>>"
  "subtract = Map<Word, Difference<Word>>"
  "negate = Map<Word, Negative<Word>>"
  "multiply RULES = Map<Word, Product<Word, Rules>>"
  "multiply_add RULES = Map<Word, SumOfProduct<Word, Rules>>"
  "multiply_scalar = Scale<Word>"
  "lift RULES = Lift<Word, Rules>"
  "decompose = Decompose<Word>"
  "automorphism_coefficients = AutomorphismOfCoefficients<Word>"
  "automorphism_evaluations = AutomorphismOfEvaluations<Word>"
  "base_convert RULES = Convert<Word, Rules>"
  "convert_mod_up RULES = ConvertModUp<Word, Rules>"
  "expand_uniform RULES = Expand<Word, Rules>"
  "inner_product RULES = InnerProduct<Word, Rules>"
  "tensor RULES = Tensor<Word, Rules>"
  "divide = Divide<Word>")
ringfort_shaped_kernels(HEADERS key_product ntt
  SHAPES 16_0_8_4 16_8_8_4 15_0_7_5 15_7_8_4 14_0_7_5 14_7_7_5 13_0_13_0 12_0_12_0
  KERNELS
  "ntt RULES = ForwardNtt<Word, Rules>"
  "intt RULES = InverseNtt<Word, Rules>"
  "ntt_quotient RULES = ForwardNtt<Word, Rules, Source<Word>, Quotient<Word>>"
  "intt_from RULES = InverseNtt<Word, Rules, Source<Word>>"
  FIRST_KERNELS
  "ntt_digits RULES = ForwardNtt<Word, Rules, Converted<Word>>"
  LAST_KERNELS
  "key_product RULES = KeyProduct<Word, Rules>")
# Probes of bench/gpu: no part of the library's own builds without tests.
if(RINGFORT_PROBES)
  ringfort_kernels(probes HEADERS probes LANES 256 KERNELS
    "probe_low = Rate<Word, LowProducts<Word>>"
    "probe_high = Rate<Word, HighProducts<Word>>"
    "probe_minimum = Rate<Word, Minima<Word>>"
    "probe_shoup = Rate<Word, ShoupProducts<Word>>"
    "probe_butterfly = Rate<Word, Butterflies<Word>>"
    "probe_read = Reads<Word>"
    "probe_copy = Copies<Word>"
    "probe_exchange = Exchanges<Word>"
    "probe_nothing = Nothing<Word>")
endif()
