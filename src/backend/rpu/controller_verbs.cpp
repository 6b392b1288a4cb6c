// SPDX-License-Identifier: Apache-2.0
// The verbs of device `rpu` that its controller computes: transfers over the host's link, the expansion of seeds to
// public polynomials by the cipher ChaCha20 [RFC8439], and the permutations of automorphisms. The processor's own loads
// cannot make these permutations, because they read the words of the vector memory in simple patterns, such as every
// 2^k-th word. Sign changes of permuted coefficients take no additional time.
#include <bit>

#include "backend/rpu/verbs.h"
#include "math/random.h"

namespace ringfort::rpu_host {
namespace {

u32 reversed(u32 value, u32 bits) noexcept {
  u32 result = 0;
  for (u32 i = 0; i < bits; ++i) result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

// Maps x^i to x^(i galois), where x^n = -1.
template <class W>
void permute_coefficients(W* out, const W* a, u32 n, u32 galois, W q) {
  for (u32 i = 0; i < n; ++i) {
    const u32 power = static_cast<u32>(u64{i} * galois % (2 * n));
    out[power % n] = power < n || a[i] == 0 ? a[i] : q - a[i];
  }
}

// Permutes evaluations. Word j is the value at psi^(2 reversed(j) + 1). backend/plan.h defines psi.
template <class W>
void permute_evaluations(W* out, const W* a, u32 n, u32 galois) {
  const u32 bits = static_cast<u32>(std::countr_zero(n));
  for (u32 j = 0; j < n; ++j) {
    const u32 power = static_cast<u32>(u64{2 * reversed(j, bits) + 1} * galois % (2 * n));
    out[j] = a[reversed(power / 2, bits)];
  }
}

template <class F>
void for_each_limb(const View& view, F f) {
  for (u32 b = 0; b < view.batch; ++b) {
    for (u32 limb = 0; limb < view.limbs.count; ++limb) f(b, limb);
  }
}

}  // namespace

void upload(const RpuPlan& p, const View& to, const void* words) {
  p.processor->settle(&to);
  with_word(p.plan.word, [&]<class W>(W) { host::copy_in<W>(to, p.plan.n, words); });
  p.processor->host_words(to.words(), word_bytes(p.plan.word));
}

void download(const RpuPlan& p, const View& from, void* words) {
  p.processor->settle(nullptr);
  with_word(p.plan.word, [&]<class W>(W) { host::copy_out<W>(from, p.plan.n, words); });
  p.processor->host_words(from.words(), word_bytes(p.plan.word));
}

// Moves signed integers over the host's link to the vector memory, with kOffset added to each. The processor computes
// the residues.
void lift(const RpuPlan& p, const verb::Lift& v) {
  Processor& processor = *p.processor;
  u32 integers = 0;  // name of the current tile of integers
  for_each_tile(p, v.to.batch, [&](const Tile& tile) {
    const std::size_t first = tile.polynomial * p.plan.n + tile.offset, count = tile.words();
    ++integers;
    processor.arrive(integers, tile.words(), v.integer_bytes, [&v, first, count](std::span<u128> to) {
      host::with_integer(v.integer_bytes, [&]<class I>(I) {
        const I* const from = static_cast<const I*>(v.integers) + first;
        std::transform(from, from + count, to.begin(),
                       [](I integer) { return kOffset + static_cast<u128>(i128{integer}); });
      });
      std::fill(to.begin() + static_cast<std::ptrdiff_t>(count), to.end(), kOffset);
    });
    for (u32 limb = 0; limb < v.to.limbs.count; ++limb) {
      const rpu::Modulus& q = p.fields[v.to.limbs.first + limb].q;
      processor.run_program(p.routine(Routine::last_digit), std::array{0u, integers}, std::span(&q, 1),
                            std::array<u128, 2>{1, kOffset % q.value()});
      processor.store(0, v.to, limb, tile);
    }
  });
}

// Makes `out` another name of the words of `a`. This lasts until `out` or `a` changes.
void copy(const RpuPlan& p, const verb::Copy& v) {
  for (u32 limb = 0; limb < v.out.limbs.count; ++limb) {
    for_each_tile(p, v.out.batch, [&](const Tile& tile) {
      p.processor->load(0, v.a, limb, tile);
      p.processor->store(0, v.out, limb, tile);
    });
  }
}

void zero(const RpuPlan& p, const verb::Zero& v) {
  p.processor->settle(&v.out);
  with_word(p.plan.word, [&]<class W>(W) {
    for_each_limb(v.out,
                  [&](u32 b, u32 limb) { std::fill_n(host::limb_words<W>(v.out, b, limb, p.plan.n), p.plan.n, W{0}); });
  });
  p.processor->zeroed_words(v.out.words());
}

void expand_uniform(const RpuPlan& p, const verb::ExpandUniform& from) {
  const View& out = from.out;
  const u32 n = p.plan.n;
  p.processor->settle(&out);
  with_word(p.plan.word, [&]<class W>(W) {
    for_each_limb(out, [&](u32 b, u32 limb) {
      const StreamAddress address{Purpose::uniform_a, from.object, static_cast<u16>(out.limbs.first + limb),
                                  static_cast<u16>(from.first_digit + b)};
      const W q = static_cast<W>(p.plan.moduli[out.limbs.first + limb]);
      sample_uniform(from.seed, address, q, 0, std::span<W>(host::limb_words<W>(out, b, limb, n), n));
    });
  });
  const u64 bytes_a_coefficient = p.plan.word == Word::u128 ? 32 : 16;  // math/random.h
  p.processor->expanded_words(out.words(), out.words() * bytes_a_coefficient);
}

// Permutes limbs. `out` may be `a`, because a limb is in the vector memory while it is permuted.
void automorphism(const RpuPlan& p, const View& out, const View& a, u32 galois, Domain domain) {
  const u32 n = p.plan.n;
  p.processor->settle(&out);
  with_word(p.plan.word, [&]<class W>(W) {
    std::vector<W> limb_copy(same_memory(out, a) ? n : 0);
    for_each_limb(out, [&](u32 b, u32 limb) {
      W* to = host::limb_words<W>(out, b, limb, n);
      const W* from = host::limb_words<W>(a, b, limb, n);
      if (!limb_copy.empty()) {
        std::copy_n(from, n, limb_copy.begin());
        from = limb_copy.data();
      }
      if (domain == Domain::coefficient)
        permute_coefficients(to, from, n, galois, static_cast<W>(p.plan.moduli[out.limbs.first + limb]));
      else permute_evaluations(to, from, n, galois);
    });
  });
  p.processor->permuted_words(out.words());
}

}  // namespace ringfort::rpu_host
