// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "mend.h"

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  return ringfort::fuzz::raw_and_mended(data, size, ringfort::fuzz::mend_object,
                                        [](std::span<const ringfort::u8> bytes) {
                                          const auto answer = ringfort::io::decode_answer(bytes);
                                          if (!answer.ok()) return;
                                          const auto again = ringfort::io::encode_answer(answer.value());
                                          if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()))
                                            std::abort();
                                        });
}
