// SPDX-License-Identifier: Apache-2.0
// Raw members of saved objects. Readers allocate only for bytes that they have read, whatever the length says. Numbers
// have the byte order of the machine, which is little-endian on all machines of this library.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <ostream>
#include <span>
#include <vector>

#include "seal/dynarray.h"  // write_raw, read_raw
#include "seal/util/common.h"

namespace seal::detail {

// Zeroes memory before it is freed: that of a whole vector, and that which a growing vector leaves.
template <class T>
struct WipingAllocator {
  using value_type = T;

  WipingAllocator() = default;
  template <class U>
  WipingAllocator(const WipingAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* memory, std::size_t count) noexcept {
    util::seal_memzero(memory, count * sizeof(T));
    std::allocator<T>().deallocate(memory, count);
  }
  bool operator==(const WipingAllocator&) const = default;
};

template <class T>
using WipedVector = std::vector<T, WipingAllocator<T>>;

template <class T>
void write_value(std::ostream& stream, const T& value) {
  write_raw(stream, &value, sizeof value);
}
template <class T>
[[nodiscard]] T read_value(std::istream& stream) {
  T value{};
  read_raw(stream, &value, sizeof value);
  return value;
}

// The length in 8 bytes, then the bytes.
void write_bytes(std::ostream& stream, std::span<const std::uint8_t> bytes);
[[nodiscard]] std::vector<std::uint8_t> read_bytes(std::istream& stream);
[[nodiscard]] WipedVector<std::uint8_t> read_secret_bytes(std::istream& stream);

}  // namespace seal::detail
