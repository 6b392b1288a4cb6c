// SPDX-License-Identifier: Apache-2.0
// Decodes files of secret keys without a passphrase, because a passphrase costs 64 MiB and a tenth of a second for each
// input. tests/hostile/io also gives a passphrase.
#include "mend.h"

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  return ringfort::fuzz::raw_and_mended(
      data, size, ringfort::fuzz::mend_object,
      [](std::span<const ringfort::u8> bytes) { static_cast<void>(ringfort::io::decode_secret_keys(bytes, "")); });
}
