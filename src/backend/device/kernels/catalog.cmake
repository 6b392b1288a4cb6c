# SPDX-License-Identifier: Apache-2.0
# The list of all kernels (cmake/RingfortKernels.cmake reads it). A line has the name and the type of a kernel, for
# Word = u32 and u64. A kernel "NAME RULES" exists for Rules = Lazy and, with u32, for Strict, too (limb.h). Each
# family of kernels is compiled separately for each word, for the emulator and for each kind of GPU. LANES is the
# largest number of lanes in a block of the family's kernels. The numbers of a shape are the constants kLogN, kFirst,
# kLog and kSetsLog of Shaped (ntt_shape.h).
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
# Probes are the kernels with which bench/gpu measures a device. By default, builds without tests leave them out.
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
  # Variants that publications compare (backend/device/variants.h). Their names are SCHEDULE_RULES_DIRECTION. The number
  # after global, tile or interleaved is the radix. All reductions exist for radix 2, but only two of them for larger
  # radices. A lane of radix 8 or 16 needs many registers. Therefore such kernels have smaller blocks.
  set(variant_lines "")
  set(product_lines "")
  foreach(rules builtin classical dhem proposed montgomery shoup harvey)
    set(type_builtin "Builtin<Word>")
    set(type_classical "ClassicalBarrett<Word>")
    set(type_dhem "DhemQuisquater<Word>")
    set(type_proposed "ProposedBarrett<Word>")
    set(type_montgomery "Montgomery<Word>")
    set(type_shoup "Shoup<Word>")
    set(type "CanonicalRules<Word, ${type_${rules}}>")
    if(rules STREQUAL harvey)
      set(type "HarveyRules<Word>")
    else()
      list(APPEND product_lines "reduce_${rules} = Reductions<Word, ${type_${rules}}>")
    endif()
    if(rules MATCHES "^(builtin|classical|dhem|proposed)$")
      list(APPEND product_lines "hadamard_${rules} = Hadamard<Word, ${type_${rules}}>"
                                "fused_hadamard_${rules} = FusedHadamard<Word, ${type_${rules}}>")
    endif()
    foreach(direction forward inverse)
      set(is_forward true)
      if(direction STREQUAL inverse)
        set(is_forward false)
      endif()
      foreach(log 1 2 3 4)
        if(log EQUAL 1 OR rules MATCHES "^(proposed|harvey)$")
          math(EXPR radix "1 << ${log}")
          set(lines variant_lines)
          if(log GREATER 2)
            set(lines wide_lines)
          endif()
          list(APPEND ${lines}
            "global${radix}_${rules}_${direction} = GlobalStages<Word, ${type}, ${log}, ${is_forward}>"
            "tile${radix}_${rules}_${direction} = TileStages<Word, ${type}, ${log}, ${is_forward}>")
        endif()
      endforeach()
      if(rules MATCHES "^(proposed|harvey)$")
        foreach(log 1 2 3 4)
          math(EXPR radix "1 << ${log}")
          list(APPEND wide_lines
            "interleaved${radix}_${rules}_${direction} = InterleavedStages<Word, ${type}, ${log}, ${is_forward}>")
        endforeach()
        list(APPEND variant_lines "pipeline_${rules}_${direction} = Pipeline<Word, ${type}, 1, ${is_forward}>")
      endif()
      if(rules STREQUAL harvey)
        foreach(log 0 1 2)
          math(EXPR gap "8 << ${log}")
          list(APPEND shuffle_lines
            "shuffle${gap}_${rules}_${direction} = ShuffleStages<Word, ${type}, ${log}, ${is_forward}>")
        endforeach()
      endif()
    endforeach()
  endforeach()
  ringfort_kernels(variants HEADERS stages LANES 512 KERNELS ${variant_lines})
  ringfort_kernels(wide_variants HEADERS stages LANES 256 KERNELS ${wide_lines})
  ringfort_kernels(shuffles HEADERS stages LANES 256 KERNELS ${shuffle_lines})
  # Transforms in one launch, for GPUs with clusters.
  set(cluster_lines "")
  foreach(log_n 14 15 16)
    list(APPEND cluster_lines
      "cluster${log_n}_harvey_forward = ClusterStages<Word, ${log_n}, true>"
      "cluster${log_n}_harvey_inverse = ClusterStages<Word, ${log_n}, false>")
  endforeach()
  ringfort_kernels(clusters CLUSTERS HEADERS cluster LANES 512 KERNELS ${cluster_lines})
  ringfort_kernels(products HEADERS hadamard LANES 256 KERNELS ${product_lines})
endif()
