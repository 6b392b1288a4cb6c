// SPDX-License-Identifier: Apache-2.0
// Raw members of saved objects. Readers allocate only for bytes that there are, whatever the length says. Numbers have
// the byte order of the machine, which is little-endian on all machines of this library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <istream>
#include <memory>
#include <ostream>
#include <span>
#include <stdexcept>
#include <type_traits>
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

// Gives the elements that a vector adds no value: they are read right after.
template <class T>
struct UnsetAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
};

using ReadWords = std::vector<std::uint64_t, UnsetAllocator<std::uint64_t>>;

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

// Bounds the bytes that a compressed object gives while this lives: at most 64 times as many as the file has, and 2 MiB
// (std::logic_error). For members whose number the file states, such as lists of keys. Objects inside may not be
// compressed.
class BoundedMembers {
 public:
  explicit BoundedMembers(std::istream& stream);
  BoundedMembers(const BoundedMembers&) = delete;
  BoundedMembers& operator=(const BoundedMembers&) = delete;
  ~BoundedMembers();

 private:
  std::streambuf* buffer_;
};

// Writes the start of a saved array: SEAL's header and the number of words. The words follow.
void write_array_head(std::ostream& stream, std::size_t words);
void write_words(std::ostream& stream, std::span<const std::uint64_t> words);

// Returns how many bytes a reader surely has.
[[nodiscard]] inline std::size_t available(std::istream& stream) {
  return static_cast<std::size_t>(std::max<std::streamsize>(stream.rdbuf()->in_avail(), 0));
}

// Reads a saved array of at most `most` words inside another object, and appends it. Memory grows as bytes are read.
// Errors: std::logic_error (more words than `most`, or more than there are bytes).
template <class Vector>
void append_words(std::istream& stream, std::size_t most, Vector& words) {
  (void)Serialization::Load(
      [&](std::istream& from, SEALVersion) {
        constexpr std::size_t kChunk = 1 << 13;
        auto left = read_value<std::uint64_t>(from);
        if (left > most)
          throw std::logic_error("a saved array has more words than its object states: the bytes are damaged");
        while (left != 0) {
          const std::size_t before = words.size(), there = available(from) / sizeof(std::uint64_t),
                            count = std::min<std::size_t>(left, std::max(kChunk, there));
          words.resize(before + count);
          read_raw(from, words.data() + before, count * sizeof(std::uint64_t));
          left -= count;
        }
      },
      stream, std::is_same_v<Vector, WipedVector<std::uint64_t>>);
}

}  // namespace seal::detail
