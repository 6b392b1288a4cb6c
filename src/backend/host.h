// SPDX-License-Identifier: Apache-2.0
// What the backends that work in the process's own memory (ref, cpu) share: buffers, addressing of views, and the
// checks of plans, views and gadgets. No arithmetic on residues here. Handles of ref and cpu are never mixed.
#pragma once

#include <bit>
#include <cstring>
#include <new>

#include "backend/backend.h"
#include "base/buffer.h"
#include "base/secret.h"
#include "math/prime.h"
#include "math/rns.h"

namespace ringfort::host {

struct Buffer {
  AlignedBuffer<u8> open;
  LockedBytes secret;              // one of the two is empty
  [[nodiscard]] u8* data() noexcept { return secret.size() != 0 ? static_cast<u8*>(secret.data()) : open.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return open.size() + secret.size(); }
};

inline Buffer* buffer_of(BufferHandle* handle) noexcept { return reinterpret_cast<Buffer*>(handle); }

inline Status allocate(std::size_t bytes, Contents contents, BufferHandle*& out) noexcept {
  try {
    const bool open = contents == Contents::open;
    out = reinterpret_cast<BufferHandle*>(new Buffer{AlignedBuffer<u8>(open ? bytes : 0), LockedBytes(open ? 0 : bytes)});
    return Status::ok;
  } catch (const std::bad_alloc&) {
    out = nullptr;
    return Status::out_of_memory;
  }
}

inline void release(BufferHandle* handle, bool zero_first) noexcept {
  Buffer* buffer = buffer_of(handle);
  if (buffer == nullptr) return;
  if (zero_first && buffer->open.size() != 0) wipe(buffer->open.data(), buffer->open.size());
  delete buffer;
}

template <class W>
W* words(const View& view) noexcept {
  return reinterpret_cast<W*>(buffer_of(view.buffer)->data()) + view.offset;
}

// Limb `limb` of polynomial `polynomial` of a view.
template <class W>
W* limb_words(const View& view, std::size_t polynomial, std::size_t limb, u32 n) noexcept {
  return words<W>(view) + (polynomial * view.step() + limb) * n;
}

inline std::size_t words_in(const View& view, u32 n) noexcept {
  return static_cast<std::size_t>(view.batch) * view.limbs * n;
}

inline bool is_dense(const View& view) noexcept { return view.step() == view.limbs || view.batch <= 1; }

// The view lies inside its buffer and its plan. Every verb asks this first: a wrong view is Status::internal.
inline bool fits(const View& view, const Plan& plan) noexcept {
  if (view.buffer == nullptr || view.first_limb + std::size_t{view.limbs} > plan.moduli.size() || view.step() < view.limbs) return false;
  const std::size_t capacity = buffer_of(view.buffer)->size() / word_bytes(plan.word);
  const std::size_t spread = view.batch == 0 ? 0 : ((view.batch - std::size_t{1}) * view.step() + view.limbs) * plan.n;
  return view.offset <= capacity && spread <= capacity - view.offset;
}

// Between a view and dense words of the host.
template <class W>
void copy_in(const View& to, u32 n, const void* dense) noexcept {
  const std::size_t count = std::size_t{to.limbs} * n;
  for (std::size_t p = 0; p < to.batch; ++p) std::memcpy(limb_words<W>(to, p, 0, n), static_cast<const W*>(dense) + p * count, count * sizeof(W));
}

template <class W>
void copy_out(const View& from, u32 n, void* dense) noexcept {
  const std::size_t count = std::size_t{from.limbs} * n;
  for (std::size_t p = 0; p < from.batch; ++p) std::memcpy(static_cast<W*>(dense) + p * count, limb_words<W>(from, p, 0, n), count * sizeof(W));
}

inline bool same_shape(const View& x, const View& y) noexcept {
  return x.plan == y.plan && x.first_limb == y.first_limb && x.limbs == y.limbs && x.batch == y.batch;
}

// As same_shape, but one polynomial of `y` may serve all of `x`.
inline bool same_or_single(const View& x, const View& y) noexcept {
  return x.plan == y.plan && x.first_limb == y.first_limb && x.limbs == y.limbs && (x.batch == y.batch || y.batch == 1);
}

inline u32 bits_of(u128 value) noexcept {
  const u64 high = static_cast<u64>(value >> 64);
  return high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<u64>(value));
}

inline u32 modulus_bits(Word word) noexcept { return word == Word::u32 ? 31 : word == Word::u64 ? 62 : 127; }

inline bool degree_is_supported(const Plan& plan) noexcept {
  return std::has_single_bit(plan.n) && plan.n >= 2 && plan.n <= (1u << 17) && !plan.moduli.empty();
}

// The minimal primitive 2n-th root of unity mod q, or 0 where a plan with this modulus must be refused.
inline u128 root_or_zero(const Plan& plan, u128 q) {
  if (q < 3 || bits_of(q) > modulus_bits(plan.word) || q % (2 * u128{plan.n}) != 1) return 0;
  const Result<u128> root = minimal_root(q, plan.n);
  return root.ok() ? root.value() : 0;
}

// Plain digits must hold every residue; centred ones always do, since the last digit takes what is left.
inline bool gadget_is_supported(const Gadget& gadget, u128 q) noexcept {
  if (gadget.base_bits < 1 || gadget.base_bits > 62 || gadget.digits < 1 || gadget.digits > 128 || gadget.shift > 126) return false;
  return gadget.centred || bits_of((q - 1) >> gadget.shift) <= u64{gadget.base_bits} * gadget.digits;
}

inline bool decompose_shapes(const View& out, const View& a, const Gadget& gadget) noexcept {
  return out.plan == a.plan && is_dense(out) && out.limbs == 1 && a.limbs == 1 && out.first_limb == a.first_limb &&
         u64{out.batch} == u64{a.batch} * gadget.digits;
}

inline bool same_memory(const View& x, const View& y) noexcept { return x.buffer == y.buffer && x.offset == y.offset; }

inline Limbs limbs_of(const View& view) noexcept { return {view.first_limb, view.limbs}; }

inline bool automorphism_shapes(const View& out, const View& a, u32 galois, u32 n) noexcept {
  return same_shape(out, a) && !same_memory(out, a) && galois % 2 == 1 && galois < 2 * n;
}

inline bool conversion_shapes(const View& out, const View& a) noexcept {
  return out.plan == a.plan && out.batch == a.batch && out.limbs != 0 && a.limbs != 0;
}

// `basis` is empty for u128 words.
inline bool conversion_is_supported(const RnsBasis& basis, Limbs from) noexcept {
  return basis.size() != 0 && from.count <= kMostLimbs && basis.is_distinct(from);
}

inline bool division_is_supported(const RnsBasis& basis, const ModDown& m) noexcept {
  if (!conversion_is_supported(basis, limbs_of(m.a))) return false;
  const Limbs dropped = m.dropped();
  for (u32 i = dropped.first; i < dropped.end(); ++i) {
    if (basis[i].reduce(m.plain) == 0) return false;
  }
  return true;
}

inline bool tensor_shapes(const View& out, const View& a, const View& b) noexcept {
  return same_shape(a, b) && out.plan == a.plan && limbs_of(out) == limbs_of(a) && a.batch % 2 == 0 &&
         u64{out.batch} * 2 == u64{a.batch} * 3 && !same_memory(out, a) && !same_memory(out, b);
}

inline bool mod_down_shapes(const ModDown& m) noexcept {
  return m.dropped().count != 0 && !same_memory(m.out, m.a) && !same_memory(m.out, m.scratch) && !same_memory(m.a, m.scratch);
}

inline bool product_shapes(const InnerProduct& p) noexcept {
  return p.inner != 0 && p.out.plan == p.a.plan && p.out.plan == p.b.plan && p.out.limbs == p.a.limbs && p.out.limbs == p.b.limbs &&
         p.out.first_limb == p.a.first_limb && p.out.first_limb == p.b.first_limb &&
         u64{p.a.batch} == u64{p.rows} * p.inner && u64{p.b.batch} == u64{p.inner} * p.columns &&
         u64{p.out.batch} == u64{p.rows} * p.columns;
}

}  // namespace ringfort::host
