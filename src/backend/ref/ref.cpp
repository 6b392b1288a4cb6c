// SPDX-License-Identifier: Apache-2.0
// Backend `ref`: every required verb in the most obvious way, the oracle of every other backend. Evaluation order is the
// canonical one. One thread, whatever the stream says. Optional verbs are declined: what is composed is the truth.
#include "backend/ref/ref.h"

#include <atomic>
#include <utility>
#include <vector>

#include "backend/host.h"
#include "backend/ref/arithmetic.h"
#include "backend/ref/convert.h"
#include "backend/ref/decompose.h"
#include "math/random.h"

namespace ringfort::ref {
namespace {

template <class W>
struct Limb {
  W q = 0;
  std::vector<W> powers, inverse_powers;
};

struct Prepared {
  Plan plan;
  std::vector<Limb<u32>> limbs32;
  std::vector<Limb<u64>> limbs64;
  std::vector<Limb<u128>> limbs128;

  template <class W>
  auto& limbs() {
    if constexpr (sizeof(W) == 4) return limbs32;
    else if constexpr (sizeof(W) == 8) return limbs64;
    else return limbs128;
  }
  template <class W>
  const auto& limbs() const { return const_cast<Prepared*>(this)->limbs<W>(); }
};

const Prepared& prepared(const View& view) { return *reinterpret_cast<const Prepared*>(view.plan); }

// Calls f(W{}) with the word type of the plan.
template <class F>
void with_word(Word word, F f) {
  if (word == Word::u32) f(u32{});
  else if (word == Word::u64) f(u64{});
  else f(u128{});
}

bool valid(const View& view) { return view.plan != nullptr && host::fits(view, prepared(view).plan); }

// Calls f(limb, polynomial, limb index) for every polynomial and limb of the view's shape.
template <class W, class F>
void for_each_limb(const View& view, F f) {
  const Prepared& p = prepared(view);
  for (std::size_t b = 0; b < view.batch; ++b) {
    for (u32 l = 0; l < view.limbs; ++l) f(p.limbs<W>()[view.first_limb + l], b, l);
  }
}

template <class W>
W* words_at(const View& view, std::size_t polynomial, std::size_t limb) {
  return host::limb_words<W>(view, polynomial, limb, prepared(view).plan.n);
}

// out[i] = f(a[i], b[i], q), b taken from its only polynomial when it has one.
template <class F>
Status combine(const View& out, const View& a, const View& b, F f) {
  if (!valid(out) || !valid(a) || !valid(b) || !host::same_shape(out, a) || !host::same_or_single(a, b)) return Status::internal;
  const u32 n = prepared(out).plan.n;
  with_word(prepared(out).plan.word, [&]<class W>(W) {
    for_each_limb<W>(out, [&](const Limb<W>& limb, std::size_t p, u32 l) {
      W* const results = words_at<W>(out, p, l);
      const W *const xs = words_at<W>(a, p, l), *const ys = words_at<W>(b, b.batch == 1 ? 0 : p, l);
      for (u32 i = 0; i < n; ++i) results[i] = f(xs[i], ys[i], limb.q, results[i]);
    });
  });
  return Status::ok;
}

template <class W>
Status build(Prepared& p) {
  for (const u128 q : p.plan.moduli) {
    const u128 root = host::root_or_zero(p.plan, q);
    if (root == 0) return Status::unsupported;
    const W modulus = static_cast<W>(q);
    W inverse_root = 1;                                      // root^(2n - 1)
    for (u32 i = 0; i < 2 * p.plan.n - 1; ++i) inverse_root = mul(inverse_root, static_cast<W>(root), modulus);
    p.limbs<W>().push_back({modulus, reversed_powers(static_cast<W>(root), p.plan.n, modulus),
                            reversed_powers(inverse_root, p.plan.n, modulus)});
  }
  return Status::ok;
}

class Ref final : public Backend {
 public:
  std::string_view name() const noexcept override { return "ref"; }
  Capabilities capabilities() const noexcept override { return {}; }

  Status prepare(const Plan& plan, std::shared_ptr<const PlanHandle>& out) noexcept override {
    if (!host::degree_is_supported(plan)) return Status::unsupported;
    try {
      auto p = std::make_shared<Prepared>();
      p->plan = plan;
      Status status = Status::ok;
      with_word(plan.word, [&]<class W>(W) { status = build<W>(*p); });
      if (status == Status::ok) out = std::shared_ptr<const PlanHandle>(p, reinterpret_cast<const PlanHandle*>(p.get()));
      return status;
    } catch (const std::bad_alloc&) {
      return Status::out_of_memory;
    }
  }

  Status allocate(std::size_t bytes, Contents contents, BufferHandle*& out) noexcept override { return host::allocate(bytes, contents, out); }
  void release(BufferHandle* buffer, bool wipe) noexcept override { host::release(buffer, wipe); }

  Status upload(Stream, const View& to, Domain, const void* words) noexcept override {
    if (!valid(to)) return Status::internal;
    const Plan& plan = prepared(to).plan;
    with_word(plan.word, [&]<class W>(W) { host::copy_in<W>(to, plan.n, words); });
    return Status::ok;
  }

  Status download(Stream, const View& from, Domain, void* words) noexcept override {
    if (!valid(from)) return Status::internal;
    const Plan& plan = prepared(from).plan;
    with_word(plan.word, [&]<class W>(W) { host::copy_out<W>(from, plan.n, words); });
    return Status::ok;
  }

  Status record(Stream, u64& event) noexcept override {
    event = ++events_;
    return Status::ok;
  }
  Status wait(Stream, u64) noexcept override { return Status::ok; }        // every verb has ended when it returns
  Status synchronize(Stream) noexcept override { return Status::ok; }

  Status ntt(Stream, const View& inout) noexcept override {
    if (!valid(inout)) return Status::internal;
    const Plan& plan = prepared(inout).plan;
    with_word(plan.word, [&]<class W>(W) {
      for_each_limb<W>(inout, [&](const Limb<W>& limb, std::size_t p, u32 l) {
        forward(words_at<W>(inout, p, l), plan.n, limb.powers, limb.q);
      });
    });
    return Status::ok;
  }

  Status intt(Stream, const View& inout) noexcept override {
    if (!valid(inout)) return Status::internal;
    const Plan& plan = prepared(inout).plan;
    with_word(plan.word, [&]<class W>(W) {
      for_each_limb<W>(inout, [&](const Limb<W>& limb, std::size_t p, u32 l) {
        inverse(words_at<W>(inout, p, l), plan.n, limb.inverse_powers, limb.q);
      });
    });
    return Status::ok;
  }

  Status add(Stream, const View& out, const View& a, const View& b) noexcept override {
    if (!host::same_shape(a, b)) return Status::internal;
    return combine(out, a, b, [](auto x, auto y, auto q, auto) { return ref::add(x, y, q); });
  }
  Status sub(Stream, const View& out, const View& a, const View& b) noexcept override {
    if (!host::same_shape(a, b)) return Status::internal;
    return combine(out, a, b, [](auto x, auto y, auto q, auto) { return ref::sub(x, y, q); });
  }
  Status negate(Stream, const View& out, const View& a) noexcept override {
    return combine(out, a, a, []<class W>(W x, W, W q, W) { return ref::sub(W{0}, x, q); });
  }
  Status multiply(Stream, const View& out, const View& a, const View& b) noexcept override {
    return combine(out, a, b, [](auto x, auto y, auto q, auto) { return mul(x, y, q); });
  }
  Status multiply_add(Stream, const View& out, const View& a, const View& b) noexcept override {
    return combine(out, a, b, [](auto x, auto y, auto q, auto sum) { return ref::add(sum, mul(x, y, q), q); });
  }

  Status multiply_scalar(Stream, const View& out, const View& a, std::span<const u128> per_limb) noexcept override {
    if (!valid(out) || !valid(a) || !host::same_shape(out, a) || per_limb.size() != out.limbs) return Status::internal;
    const u32 n = prepared(out).plan.n;
    with_word(prepared(out).plan.word, [&]<class W>(W) {
      for_each_limb<W>(out, [&](const Limb<W>& limb, std::size_t p, u32 l) {
        const W scalar = static_cast<W>(per_limb[l] % limb.q);
        for (u32 i = 0; i < n; ++i) words_at<W>(out, p, l)[i] = mul(words_at<W>(a, p, l)[i], scalar, limb.q);
      });
    });
    return Status::ok;
  }

  Status decompose(Stream, const View& out, const View& a, const Gadget& gadget) noexcept override {
    if (!valid(out) || !valid(a) || !host::decompose_shapes(out, a, gadget)) return Status::internal;
    const Plan& plan = prepared(a).plan;
    if (!host::gadget_is_supported(gadget, plan.moduli[a.first_limb])) return Status::unsupported;
    with_word(plan.word, [&]<class W>(W) {
      for_each_limb<W>(a, [&](const Limb<W>& limb, std::size_t p, u32) {
        for (u32 i = 0; i < plan.n; ++i) {
          digits_of(words_at<W>(a, p, 0)[i], limb.q, gadget, [&](u32 j, W digit) {
            words_at<W>(out, p * gadget.digits + j, 0)[i] = digit;
          });
        }
      });
    });
    return Status::ok;
  }

  Status expand_uniform(Stream, const View& out, const Expansion& from) noexcept override {
    if (!valid(out)) return Status::internal;
    const u32 n = prepared(out).plan.n;
    with_word(prepared(out).plan.word, [&]<class W>(W) {
      for_each_limb<W>(out, [&](const Limb<W>& limb, std::size_t p, u32 l) {
        const u16 digit = static_cast<u16>(from.first_digit + p);
        const StreamAddress address{Purpose::uniform_a, from.object, static_cast<u16>(out.first_limb + l), digit};
        sample_uniform(from.seed, address, limb.q, 0, std::span<W>(words_at<W>(out, p, l), n));
      });
    });
    return Status::ok;
  }

  Status automorphism(Stream, const View& out, const View& a, u32 galois, Domain domain) noexcept override {
    if (!valid(out) || !valid(a) || !host::automorphism_shapes(out, a, galois, prepared(out).plan.n)) return Status::internal;
    const u32 n = prepared(out).plan.n;
    with_word(prepared(out).plan.word, [&]<class W>(W) {
      for_each_limb<W>(out, [&](const Limb<W>& limb, std::size_t p, u32 l) {
        const auto substitute = domain == Domain::coefficient ? ref::substitute_coefficients<W> : ref::substitute_evaluations<W>;
        substitute(words_at<W>(out, p, l), words_at<W>(a, p, l), n, galois, limb.q);
      });
    });
    return Status::ok;
  }

  Status base_convert(Stream, const View& out, const View& a, Conversion kind) noexcept override {
    if (!valid(out) || !valid(a) || !host::conversion_shapes(out, a)) return Status::internal;
    const Prepared& plan = prepared(out);
    if (plan.plan.word == Word::u128 || a.limbs > kMostLimbs || !ref::are_distinct(plan.plan.moduli, a.first_limb, a.limbs)) return Status::unsupported;
    with_word(plan.plan.word, [&]<class W>(W) {
      if constexpr (sizeof(W) <= 8) {
        for_each_limb<W>(out, [&](const Limb<W>& limb, std::size_t p, u32 l) {
          const Source<W> from{words_at<W>(a, p, 0), plan.plan.moduli.data() + a.first_limb, a.limbs, plan.plan.n};
          convert(words_at<W>(out, p, l), from, limb.q, kind);
        });
      }
    });
    return Status::ok;
  }

 private:
  std::atomic<u64> events_{0};
};

}  // namespace

std::shared_ptr<Backend> make() { return std::make_shared<Ref>(); }

}  // namespace ringfort::ref
