// SPDX-License-Identifier: Apache-2.0
// Reads without a passphrase: the limits of a sealed file are checked before any memory is allocated (tests/hostile/io
// also tries a passphrase).
#include "mend.h"

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  return ringfort::fuzz::raw_and_mended(
      data, size, ringfort::fuzz::mend_object,
      [](std::span<const ringfort::u8> bytes) { static_cast<void>(ringfort::io::decode_secret_keys(bytes, "")); });
}
