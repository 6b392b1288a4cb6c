// SPDX-License-Identifier: Apache-2.0
#include "leveled.h"

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  const auto& on = ringfort::fuzz::receiver();
  return ringfort::fuzz::leveled(data, size, on.ckks, [&](std::span<const ringfort::u8> bytes) {
    static_cast<void>(ringfort::io::open_parameters(bytes, true));
  });
}
