// SPDX-License-Identifier: Apache-2.0
// The launches from which pimcosts computes the table of costs. For each shape of a launch (native.h), the table has
// the cycles as a linear function of the amount of work. Therefore every shape has a small and a large launch. All
// memory is zero. The kernels barrett and convolve have branches that depend on data. Their cycles are those for zeros.
// hw/pim/README.md explains the terms.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "kernels/accumulate.h"
#include "kernels/automorphism.h"
#include "kernels/barrett.h"
#include "kernels/convert.h"
#include "kernels/convolve.h"
#include "kernels/decompose.h"
#include "kernels/elementwise.h"
#include "kernels/elementwise64.h"
#include "kernels/expand.h"
#include "kernels/inner_product.h"
#include "kernels/ntt.h"
#include "kernels/tensor.h"
#include "sdk/native/native.h"
#include "sim/words.h"

namespace ringfort::pim::testing {

struct CostCase {
  std::string kernel;
  std::vector<u8> small, large;
};

template <class Arguments>
CostCase cost_case(const std::string& kernel, const Arguments& small, const Arguments& large) {
  CostCase result{kernel, std::vector<u8>(sizeof small), std::vector<u8>(sizeof large)};
  std::memcpy(result.small.data(), &small, sizeof small);
  std::memcpy(result.large.data(), &large, sizeof large);
  return result;
}

inline void add_vector_cases(std::vector<CostCase>& cases, u32 q30, u32 q24) {
  for (u32 verb = kAdd; verb <= kMultiplyByte; ++verb) {
    const auto at = [&](u32 words) {
      return ElementwiseArguments{verb, q24, words, 7, 0, 1 << 20, 2 << 20, 3 << 20, 0, 0};
    };
    cases.push_back(cost_case("elementwise", at(8192), at(32768)));
  }
  const auto rows = [&](u32 count) { return AccumulateArguments{q30, 0, 2048, count, 0, 8 << 20, 1, 1}; };
  cases.push_back(cost_case("accumulate", rows(64), rows(256)));
  for (u32 narrow : {0u, 1u}) {
    const u32 q = narrow != 0 ? q24 : q30;
    const auto tensor = [&](u32 words) {
      return TensorArguments{q, narrow, words, 0, 1 << 20, 2 << 20, 3 << 20, 4 << 20, 5 << 20, 6 << 20};
    };
    const auto product = [&](u32 words) {
      return InnerProductArguments{q, narrow, words, 2, 8, 2, 0, 0, 8 << 20, 16 << 20};
    };
    cases.push_back(cost_case("tensor", tensor(4096), tensor(16384)));
    cases.push_back(cost_case("inner_product", product(1024), product(4096)));
    for (u32 verb : {kConvert, kModDown}) {
      const auto convert = [&](u32 words) {
        return ConvertArguments{verb, kCentred, narrow, words, 6, 4, 0, 4 << 20, 8 << 20, 16 << 20, 17 << 20, 18 << 20};
      };
      cases.push_back(cost_case("convert", convert(1024), convert(4096)));
    }
  }
  for (u32 verb : {kProduct60, kButterfly60, kSum60}) {
    const auto at = [&](u32 words) {
      return BarrettArguments{(1ull << 60) - 16383, 1ull << 60, 60, words, verb, 0, 1 << 20, 2 << 20, 3 << 20, 4 << 20};
    };
    cases.push_back(cost_case("barrett", at(2048), at(8192)));
  }
}

inline void add_polynomial_cases(std::vector<CostCase>& cases, u32 q30, u32 q24) {
  for (u32 log_n = kLeastLog; log_n <= 16; ++log_n) {
    const u32 rows = log_n > kMostLog ? log_n - kMostLog : 0;
    for (u32 verb : {kForward, kInverse}) {
      for (u32 narrow : {0u, 1u}) {
        const auto at = [&](u32 count) {
          return NttArguments{verb, narrow, narrow != 0 ? q24 : q30, log_n - rows, rows, count, 0, 8 << 20, 7, {}};
        };
        cases.push_back(cost_case("ntt", at(1), at(3)));
      }
    }
    for (u32 domain : {kCoefficients, kValues}) {
      const auto at = [&](u32 count) { return AutomorphismArguments{domain, q30, log_n, 5, count, 0, 8 << 20}; };
      cases.push_back(cost_case("automorphism", at(1), at(3)));
    }
  }
  for (u32 centred : {0u, 1u}) {
    const auto at = [&](u32 words) { return DecomposeArguments{q30, words, 1, 10, 3, 0, centred, 0, 8 << 20}; };
    cases.push_back(cost_case("decompose", at(8192), at(32768)));
  }
  const auto expand = [&](u32 words) { return ExpandArguments{{}, {}, q30, 1, words, 1, 0}; };
  cases.push_back(cost_case("expand", expand(1024), expand(4096)));
  for (u32 q : {65537u, q30}) {
    const auto at = [&](u32 words) { return ConvolveArguments{q, words, 0, 1024, 0, 1 << 20, 2 << 20}; };
    cases.push_back(cost_case("convolve", at(1024), at(2048)));
  }
}

// The launches of kernels on words of 64 bits, with a prime of 60 bits and with a narrow prime of 50 bits.
inline void add_wide_vector_cases(std::vector<CostCase>& cases, u64 q60, u64 q50) {
  for (u32 verb = kAdd64; verb <= kMultiplyScalar64; ++verb) {
    for (u32 narrow : {0u, 1u}) {
      if (narrow != 0 && verb < kMultiply64) continue;
      const auto at = [&](u32 words) {
        return Elementwise64Arguments{
            narrow != 0 ? q50 : q60, 7, 7, 7, narrow != 0 ? 4u : 2u, verb, narrow, words, 0, 1 << 20, 2 << 20, 3 << 20};
      };
      cases.push_back(cost_case("elementwise64", at(4096), at(16384)));
    }
  }
  for (u32 narrow : {0u, 1u}) {
    const auto tensor = [&](u32 words) {
      return Tensor64Arguments{
          narrow != 0 ? q50 : q60, 7, 7, 2, narrow, words, 0, 1 << 20, 2 << 20, 3 << 20, 4 << 20, 5 << 20, 6 << 20};
    };
    cases.push_back(cost_case("tensor64", tensor(2048), tensor(8192)));
  }
  const auto product = [&](u32 words) {
    return InnerProduct64Arguments{q60, 7, words, 2, 8, 2, 0, 0, 8 << 20, 16 << 20};
  };
  cases.push_back(cost_case("inner_product64", product(512), product(2048)));
  const auto convert = [&](u32 words) {
    return Convert64Arguments{kCentred, words, 6, 4, 0, 8 << 20, 16 << 20, 17 << 20, 18 << 20, 0};
  };
  cases.push_back(cost_case("convert64", convert(512), convert(2048)));
}

inline void add_wide_polynomial_cases(std::vector<CostCase>& cases, u64 q60, u64 q50) {
  for (u32 log_n = kLeastLog; log_n <= 16; ++log_n) {
    const u32 rows = log_n > kMostLog64 ? log_n - kMostLog64 : 0;
    for (u32 verb : {kForward, kInverse}) {
      for (u32 narrow : {0u, 1u}) {
        const auto at = [&](u32 count) {
          return Ntt64Arguments{narrow != 0 ? q50 : q60, 7, verb, narrow, log_n - rows, rows, count, 0, 8 << 20, 0, {}};
        };
        cases.push_back(cost_case("ntt64", at(1), at(3)));
      }
    }
    for (u32 domain : {kCoefficients, kValues}) {
      const auto at = [&](u32 count) { return Automorphism64Arguments{q60, domain, log_n, 5, count, 0, 8 << 20}; };
      cases.push_back(cost_case("automorphism64", at(1), at(3)));
    }
  }
  for (u32 centred : {0u, 1u}) {
    const auto at = [&](u32 words) { return Decompose64Arguments{q60, words, 1, 20, 3, 0, centred, 0, 8 << 20}; };
    cases.push_back(cost_case("decompose64", at(4096), at(16384)));
  }
  const auto expand = [&](u32 words) { return Expand64Arguments{{}, {}, words, q60, 7, 7, 1, 0}; };
  cases.push_back(cost_case("expand64", expand(1024), expand(4096)));
}

inline std::vector<CostCase> cost_cases() {
  // check-magic: 1073479681 == ntt_prime(30, 2**15)
  // check-magic: 16580609 == ntt_prime(24, 2**15)
  constexpr u32 kQ30 = 1073479681, kQ24 = 16580609;
  std::vector<CostCase> cases;
  add_vector_cases(cases, kQ30, kQ24);
  add_polynomial_cases(cases, kQ30, kQ24);
  // check-magic: 1152921504606584833 == ntt_prime(60, 2**16)
  // check-magic: 1125899903827969 == ntt_prime(50, 2**16)
  constexpr u64 kQ60 = 1152921504606584833, kQ50 = 1125899903827969;
  add_wide_vector_cases(cases, kQ60, kQ50);
  add_wide_polynomial_cases(cases, kQ60, kQ50);
  return cases;
}

}  // namespace ringfort::pim::testing
