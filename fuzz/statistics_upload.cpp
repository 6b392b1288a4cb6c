// SPDX-License-Identifier: Apache-2.0
// Fuzz target. Reads the input as an aggregator with the stored key reads a user's upload. The target adds an accepted
// upload.
#include "statistics.h"

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  using namespace ringfort;
  const auto& on = fuzz::receiver().bgv;
  static const auto key = io::decode_public_key(on, io::load(RINGFORT_WIRE "/2/leveled/bgv-public.key").view());
  return fuzz::leveled(data, size, on, fuzz::adopt_array, [&](std::span<const u8> bytes) {
    fuzz::refused_or_taken([&] {
      const auto upload = statistics::decode_upload<bgv::Scheme>(on, fuzz::study(), bytes);
      statistics::Aggregator<bgv::Scheme>(on, fuzz::study(), key).add(upload);
    });
  });
}
