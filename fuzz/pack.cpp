// SPDX-License-Identifier: Apache-2.0
// Fuzz target. Unpacks residues (io/pack.h). The first bytes of the input select the width, the number and the modulus
// of the residues. Unpacked residues must be below the modulus, and must pack to the same bytes.
#include "mend.h"

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  using namespace ringfort;
  io::ByteReader in(std::span(data, size));
  const unsigned width = 1 + in.take_u8() % 62;
  const std::size_t count = in.take_u8();
  const u64 q = in.take_u64() % (u64{1} << width) + 1;
  const auto packed = in.view(in.remaining());
  std::vector<u64> values(count);
  if (!in.ok() || !io::unpack_residues(packed, width, q, values)) return 0;
  std::vector<u8> again(packed.size());
  io::pack_residues(values, width, again);
  for (const u64 value : values) {
    if (value >= q) __builtin_trap();
  }
  if (!std::equal(again.begin(), again.end(), packed.begin())) __builtin_trap();
  return 0;
}
