// SPDX-License-Identifier: Apache-2.0
#include "leveled.h"

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  const auto& on = ringfort::fuzz::receiver().bfv;
  return ringfort::fuzz::leveled(data, size, on, [&](std::span<const ringfort::u8> bytes) {
    ringfort::fuzz::use(on, ringfort::io::open_ciphertext(on, bytes, !bytes.empty() && bytes.back() % 2 == 0),
                        ringfort::bfv::Evaluator(on), bytes.size());
  });
}
