// SPDX-License-Identifier: Apache-2.0
// Writer of .b512 programs (asm/image.py has the layout).
#include "sim/image.h"

namespace ringfort::rpu {
namespace {

template <class T>
void put(std::vector<u8>& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes.push_back(static_cast<u8>(value >> (8 * i)));
}

void put_name(std::vector<u8>& bytes, const std::string& name) {
  put(bytes, static_cast<u16>(name.size()));
  bytes.insert(bytes.end(), name.begin(), name.end());
}

void put_entry(std::vector<u8>& bytes, Space space, u32 address, std::size_t words) {
  put(bytes, static_cast<u32>(space));
  put(bytes, address);
  put(bytes, static_cast<u32>(words));
}

}  // namespace

std::vector<u8> image_bytes(const Image& image) {
  std::vector<u8> bytes{'B', '5', '1', '2'};
  put(bytes, kImageVersion);
  put(bytes, u16{0});
  for (const std::size_t count : {image.kernels.size(), image.code.size(), image.segments.size(), image.symbols.size()})
    put(bytes, static_cast<u32>(count));
  put(bytes, image.vdm_words);
  put(bytes, image.sdm_words);
  for (const Kernel& kernel : image.kernels) {
    put(bytes, kernel.first);
    put(bytes, kernel.count);
    put_name(bytes, kernel.name);
  }
  for (const u64 word : image.code) put(bytes, word);
  for (const Segment& segment : image.segments) {
    put_entry(bytes, segment.space, segment.address, segment.words.size());
    const std::size_t at = bytes.size();
    bytes.resize(at + 16 * segment.words.size());
    for (std::size_t i = 0; i < segment.words.size(); ++i) store_word(&bytes[at + 16 * i], segment.words[i]);
  }
  for (const Symbol& symbol : image.symbols) {
    put_entry(bytes, symbol.space, symbol.address, symbol.words);
    put_name(bytes, symbol.name);
  }
  put(bytes, crc32(bytes));
  return bytes;
}

}  // namespace ringfort::rpu
