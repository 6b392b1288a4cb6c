// SPDX-License-Identifier: Apache-2.0
// Checks of arguments (arguments.h), and the function that throws the errors of the public headers.
#include "arguments.h"

#include <algorithm>

#include "hexl/util/check.hpp"
#include "math/decimal.h"
#include "ring/encoding/chosen.h"
#include "ringfort/declassified.h"
#include "ringfort/error.h"

namespace ringfort::hexl {

void refuse(std::string problem, std::string fix) {
  throw Error(Code::invalid_argument, std::move(problem), std::move(fix));
}

void check_pointer(const void* pointer, std::string_view name) {
  if (pointer == nullptr) refuse(std::string(name) + " is null", "pass the address of n words");
}

void check_count(u64 n) {
  if (n == 0) refuse("n is 0", "pass at least one word");
}

void check_factor(u64 factor, std::initializer_list<u64> legal, std::string_view name) {
  if (std::find(legal.begin(), legal.end(), factor) != legal.end()) return;
  std::string all;
  for (const u64 one : legal) all += (all.empty() ? "" : ", ") + std::to_string(one);
  refuse(std::string(name) + " is " + std::to_string(factor), "choose one of " + all);
}

bool are_below(const u64* words, std::size_t n, u128 bound) {
  if (bound >> 64 != 0) return true;
  const u64 least = static_cast<u64>(bound);
  u64 all = 0;
  if (least >> 63 == 0) {  // the highest bit of x, or of least - 1 - x, is set if x is not below
    const encoding::Kernels& kernels = encoding::chosen_kernels();
    if (kernels.above64 != nullptr) {
      all = kernels.above64(words, n, least);
    } else {
      for (std::size_t i = 0; i < n; ++i) all |= words[i] | (least - 1 - words[i]);
    }
    return declassified(all >> 63 == 0);
  }
  for (std::size_t i = 0; i < n; ++i) all |= u64{words[i] >= least};
  return declassified(all == 0);
}

void check_words(const u64* words, std::size_t n, u64 modulus, u64 factor, std::string_view name) {
  const u128 bound = u128{factor} * modulus;
  if (are_below(words, n, bound)) return;
  refuse(std::string(name) + " has a word that is not below " +
             (factor == 1 ? "" : std::to_string(factor) + " * modulus = ") + decimal(bound),
         "reduce it modulo " + std::to_string(modulus) + " first");
}

}  // namespace ringfort::hexl

namespace intel::hexl::ringfort_checks {

void refuse(const char* problem, const char* fix) { ringfort::hexl::refuse(problem, fix); }

}  // namespace intel::hexl::ringfort_checks
