// SPDX-License-Identifier: Apache-2.0
// Fuzz target. Decodes containers. An accepted container must encode to the same bytes. In the third of the three
// versions of the input (leveled.h), the objects in the container are also changed to files for the receiver.
#include "leveled.h"

namespace {

using namespace ringfort;

constexpr std::size_t kEntry = 72, kFlagsAt = 12, kDigestAt = 16;

void adopt_container(std::span<u8> bytes, const io::Scope& scope) {
  if (bytes.size() < io::kHeaderBytes + 8 + io::kTrailerBytes) return;
  const auto payload = bytes.subspan(io::kHeaderBytes, bytes.size() - io::kHeaderBytes - io::kTrailerBytes);
  const u64 objects = io::ByteReader(payload).take_u32();
  auto rest = payload.subspan(std::min<std::size_t>(payload.size(), 8 + kEntry * objects));
  for (u64 i = 0; i < objects && !rest.empty(); ++i) {
    u8* length = &payload[8 + kEntry * i + kEntry - 8];
    const std::size_t size =
        i + 1 == objects ? rest.size() : static_cast<std::size_t>(std::min<u64>(rest.size(), io::load_u64(length)));
    io::store_u64(length, size);
    fuzz::adopt_array(rest.first(size), scope);
    rest = rest.subspan(size);
  }
  fuzz::adopt(bytes, scope);
  bytes[kFlagsAt] = static_cast<u8>(bytes[kFlagsAt] & ~u8{io::kFlagInsecure});
  std::fill_n(bytes.begin() + kDigestAt, scope.digest().size(), u8{0});
  fuzz::mend_frame(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  return fuzz::leveled(data, size, fuzz::receiver().ckks, adopt_container, [](std::span<const u8> bytes) {
    const auto objects = io::open_container(bytes);
    if (!objects.ok()) return;
    const auto again = io::encode_container(objects.value());
    if (!std::equal(again.view().begin(), again.view().end(), bytes.begin(), bytes.end())) __builtin_trap();
  });
}
