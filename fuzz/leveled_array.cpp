// SPDX-License-Identifier: Apache-2.0
// Fuzz target. Decodes files of arrays. An accepted array must encode to the same bytes. The target then decodes the
// ciphertexts of the array.
#include "leveled.h"

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  using namespace ringfort;
  const auto& on = fuzz::receiver().ckks;
  return fuzz::leveled(data, size, on, fuzz::adopt_array, [&](std::span<const u8> bytes) {
    const auto array = io::open_array(bytes);
    if (!array.ok()) return;
    const auto again = io::encode_array(array.value());
    if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())) __builtin_trap();
    for (const auto ciphertext : array.value().ciphertexts)
      static_cast<void>(io::open_ciphertext(on, ciphertext, true));
  });
}
