// SPDX-License-Identifier: Apache-2.0
// Code that backends share if their buffers are in the process's own memory. It allocates buffers, finds the words of
// views, and checks plans. It does no arithmetic on residues.
#pragma once

#include <atomic>
#include <bit>
#include <cstring>
#include <new>

#include "backend/backend.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/secret.h"
#include "math/prime.h"

namespace ringfort::host {

struct Buffer : DeviceBuffer {
  // Throws std::bad_alloc.
  Buffer(std::size_t size, Contents contents, Privacy privacy)
      : DeviceBuffer(size),
        open(privacy == Privacy::open ? size : 0, contents == Contents::zeroed ? Fill::zero : Fill::none),
        secret(privacy == Privacy::open ? 0 : size) {}
  Buffer(void* memory, std::size_t size) noexcept : DeviceBuffer(size), lent(static_cast<u8*>(memory)) {}
  AlignedBuffer<u8> open;
  LockedBytes secret;
  u8* lent = nullptr;  // memory of the caller; only one of the three members is used
  [[nodiscard]] u8* data() noexcept {
    if (lent != nullptr) return lent;
    return secret.size() != 0 ? static_cast<u8*>(secret.data()) : open.data();
  }
};

inline Buffer* buffer_of(DeviceBuffer* buffer) noexcept { return static_cast<Buffer*>(buffer); }

// Memory of a device that works in the process's own memory.
class Memory {
 public:
  Status allocate(std::size_t bytes, Contents contents, Privacy privacy, DeviceBuffer*& out) noexcept {
    out = nullptr;
    try {
      out = new Buffer(bytes, contents, privacy);
    } catch (const std::bad_alloc&) { return Status::out_of_memory; }
    const std::size_t now = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::size_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {}
    return Status::ok;
  }
  static DeviceBuffer* lend(void* memory, std::size_t bytes) noexcept {
    return new (std::nothrow) Buffer(memory, bytes);
  }
  void release(DeviceBuffer* handle, bool zero_first) noexcept {
    if (handle == nullptr) return;
    Buffer* buffer = buffer_of(handle);
    if (buffer->lent != nullptr) {
      delete buffer;
      return;
    }
    if (zero_first && buffer->open.size() != 0) wipe(buffer->open.data(), buffer->open.size());
    used_.fetch_sub(buffer->bytes, std::memory_order_relaxed);
    delete buffer;
  }
  [[nodiscard]] MemoryUse use() const noexcept {
    return {.used = used_.load(std::memory_order_relaxed), .peak = peak_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::size_t> used_{0}, peak_{0};
};

// Returns the time of the steady clock.
inline Ticket now() noexcept { return {.us = steady_us()}; }

template <class W>
W* words(const View& view) noexcept {
  return reinterpret_cast<W*>(buffer_of(view.buffer)->data()) + view.offset;
}

// Returns the words of limb `limb` of polynomial `polynomial` of a view.
template <class W>
W* limb_words(const View& view, std::size_t polynomial, std::size_t limb, u32 n) noexcept {
  return words<W>(view) + (polynomial * view.limb_stride() + limb) * n;
}

// Copies between a view and dense words of the host.
template <class W>
void copy_in(const View& to, u32 n, const void* dense) noexcept {
  const std::size_t count = std::size_t{to.limbs.count} * n;
  for (std::size_t p = 0; p < to.batch; ++p)
    std::memcpy(limb_words<W>(to, p, 0, n), static_cast<const W*>(dense) + p * count, count * sizeof(W));
}

template <class W>
void copy_out(const View& from, u32 n, void* dense) noexcept {
  const std::size_t count = std::size_t{from.limbs.count} * n;
  for (std::size_t p = 0; p < from.batch; ++p)
    std::memcpy(static_cast<W*>(dense) + p * count, limb_words<W>(from, p, 0, n), count * sizeof(W));
}

inline u32 modulus_bits(Word word) noexcept { return word == Word::u32 ? 31 : word == Word::u64 ? 62 : 127; }

inline bool degree_is_supported(const Plan& plan) noexcept {
  return std::has_single_bit(plan.n) && plan.n >= 2 && plan.n <= (1u << 17) && !plan.moduli.empty();
}

// Returns the minimal primitive 2n-th root of unity modulo q. Returns 0 if q does not suit the plan.
inline u128 root_or_zero(const Plan& plan, u128 q) {
  if (q < 3 || (q >> modulus_bits(plan.word)) != 0 || q % (2 * u128{plan.n}) != 1) return 0;
  const Result<u128> root = minimal_root(q, plan.n);
  return root.ok() ? root.value() : 0;
}

// Calls f(W{}), where W is the word type of the plan.
template <class F>
void with_word(Word word, F f) {
  if (word == Word::u32) f(u32{});
  else if (word == Word::u64) f(u64{});
  else f(u128{});
}

// Calls f(I{}), where I is the integer type of a Lift.
template <class F>
void with_integer(u32 bytes, F f) {
  if (bytes == 1) f(i8{});
  else if (bytes == 8) f(i64{});
  else f(i128{});
}

// Runs the verbs in order: calls one(verb) for each. If `ends` is not empty, writes a ticket for each verb.
template <class F>
Status in_turn(std::span<const Verb> verbs, std::span<Ticket> ends, F one) noexcept {
  for (std::size_t i = 0; i < verbs.size(); ++i) {
    if (const Status status = std::visit(one, verbs[i]); status != Status::ok) return status;
    if (!ends.empty()) ends[i] = now();
  }
  return Status::ok;
}

}  // namespace ringfort::host
