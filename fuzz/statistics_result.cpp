// SPDX-License-Identifier: Apache-2.0
// Fuzz target. Reads the input as the analyst reads an aggregator's result. An accepted result must encode to the same
// length.
#include "statistics.h"

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  using namespace ringfort;
  const auto& on = fuzz::receiver().bgv;
  return fuzz::leveled(data, size, on, fuzz::adopt_array, [&](std::span<const u8> bytes) {
    fuzz::refused_or_taken([&] {
      const auto result = statistics::decode_aggregate<bgv::Scheme>(on, fuzz::study(), bytes);
      if (statistics::encode(on, result).size() != bytes.size()) __builtin_trap();
    });
  });
}
