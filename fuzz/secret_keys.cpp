// SPDX-License-Identifier: Apache-2.0
// Fuzz target. Decodes files of secret keys without a passphrase, because a passphrase would cost 64 MiB and a tenth of
// a second for each input. The tests in tests/hostile/io also decode such files with a passphrase.
#include "mend.h"

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  return ringfort::fuzz::raw_and_mended(
      data, size, ringfort::fuzz::mend_object,
      [](std::span<const ringfort::u8> bytes) { static_cast<void>(ringfort::io::decode_secret_keys(bytes, "")); });
}
