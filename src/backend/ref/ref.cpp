// SPDX-License-Identifier: Apache-2.0
// Device `ref` runs every required verb by the most obvious algorithm. Tests compare every other device with it.
// Evaluations are in the canonical order (backend/plan.h). The device uses one thread, whatever the stream requests. It
// fuses no optional verb: `compose` (backend/verbs.h) defines each of them as a sequence of required verbs, and the
// caller submits this sequence.
#include "backend/ref/ref.h"

#include <algorithm>
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

struct RefPlan : PreparedPlan {
  using PreparedPlan::PreparedPlan;
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
  const auto& limbs() const {
    return const_cast<RefPlan*>(this)->limbs<W>();
  }
};

const RefPlan& plan_of(const View& view) { return static_cast<const RefPlan&>(*view.plan); }

// Calls f(limb, polynomial, limb index) for every polynomial and limb of the view's shape.
template <class W, class F>
void for_each_limb(const View& view, F f) {
  const RefPlan& p = plan_of(view);
  for (std::size_t b = 0; b < view.batch; ++b) {
    for (u32 l = 0; l < view.limbs.count; ++l) f(p.limbs<W>()[view.limbs.first + l], b, l);
  }
}

template <class W>
W* words_at(const View& view, std::size_t polynomial, std::size_t limb) {
  return host::limb_words<W>(view, polynomial, limb, view.plan->n());
}

// Computes out[i] = f(a[i], b[i], q, out[i]). If b has a single polynomial, it serves all polynomials of a.
template <class F>
Status combine(const View& out, const View& a, const View& b, F f) {
  const u32 n = out.plan->n();
  host::with_word(out.plan->plan.word, [&]<class W>(W) {
    for_each_limb<W>(out, [&](const Limb<W>& limb, std::size_t p, u32 l) {
      W* const results = words_at<W>(out, p, l);
      const W *const xs = words_at<W>(a, p, l), *const ys = words_at<W>(b, b.batch == 1 ? 0 : p, l);
      for (u32 i = 0; i < n; ++i) results[i] = f(xs[i], ys[i], limb.q, results[i]);
    });
  });
  return Status::ok;
}

template <class W>
void build(RefPlan& p, std::span<const u128> roots) {
  for (std::size_t l = 0; l < roots.size(); ++l) {
    const W q = static_cast<W>(p.plan.moduli[l]), root = static_cast<W>(roots[l]);
    W inverse_root = 1;  // root^(2n - 1)
    for (u32 i = 0; i < 2 * p.plan.n - 1; ++i) inverse_root = mul(inverse_root, root, q);
    p.limbs<W>().push_back({q, reversed_powers(root, p.plan.n, q), reversed_powers(inverse_root, p.plan.n, q)});
  }
}

Status execute(const verb::Upload& v) {
  host::with_word(v.to.plan->plan.word, [&]<class W>(W) { host::copy_in<W>(v.to, v.to.plan->n(), v.words); });
  return Status::ok;
}

Status execute(const verb::Download& v) {
  host::with_word(v.from.plan->plan.word, [&]<class W>(W) { host::copy_out<W>(v.from, v.from.plan->n(), v.words); });
  return Status::ok;
}

Status execute(const verb::Lift& v) {
  const u32 n = v.to.plan->n();
  host::with_word(v.to.plan->plan.word, [&]<class W>(W) {
    host::with_integer(v.integer_bytes, [&]<class I>(I) {
      for_each_limb<W>(v.to, [&](const Limb<W>& limb, std::size_t p, u32 l) {
        const I* const integers = static_cast<const I*>(v.integers) + p * n;
        const i128 q = static_cast<i128>(limb.q);
        for (u32 i = 0; i < n; ++i)
          words_at<W>(v.to, p, l)[i] = static_cast<W>((static_cast<i128>(integers[i]) % q + q) % q);
      });
    });
  });
  return Status::ok;
}

Status execute(const verb::Copy& v) {
  return combine(v.out, v.a, v.a, [](auto x, auto, auto, auto) { return x; });
}

Status execute(const verb::Zero& v) {
  return combine(v.out, v.out, v.out, []<class W>(W, W, W, W) { return W{0}; });
}

Status execute(const verb::Ntt& v) {
  host::with_word(v.inout.plan->plan.word, [&]<class W>(W) {
    for_each_limb<W>(v.inout, [&](const Limb<W>& limb, std::size_t p, u32 l) {
      forward(words_at<W>(v.inout, p, l), v.inout.plan->n(), limb.powers, limb.q);
    });
  });
  return Status::ok;
}

Status execute(const verb::Intt& v) {
  host::with_word(v.inout.plan->plan.word, [&]<class W>(W) {
    for_each_limb<W>(v.inout, [&](const Limb<W>& limb, std::size_t p, u32 l) {
      inverse(words_at<W>(v.inout, p, l), v.inout.plan->n(), limb.inverse_powers, limb.q);
    });
  });
  return Status::ok;
}

Status execute(const verb::Add& v) {
  return combine(v.out, v.a, v.b, [](auto x, auto y, auto q, auto) { return ref::add(x, y, q); });
}
Status execute(const verb::Subtract& v) {
  return combine(v.out, v.a, v.b, [](auto x, auto y, auto q, auto) { return ref::subtract(x, y, q); });
}
Status execute(const verb::Negate& v) {
  return combine(v.out, v.a, v.a, []<class W>(W x, W, W q, W) { return ref::subtract(W{0}, x, q); });
}
Status execute(const verb::Multiply& v) {
  return combine(v.out, v.a, v.b, [](auto x, auto y, auto q, auto) { return mul(x, y, q); });
}
Status execute(const verb::MultiplyAdd& v) {
  return combine(v.out, v.a, v.b, [](auto x, auto y, auto q, auto sum) { return ref::add(sum, mul(x, y, q), q); });
}

Status execute(const verb::MultiplyScalar& v) {
  const u32 n = v.out.plan->n();
  host::with_word(v.out.plan->plan.word, [&]<class W>(W) {
    for_each_limb<W>(v.out, [&](const Limb<W>& limb, std::size_t p, u32 l) {
      const W scalar = static_cast<W>(v.per_limb[l] % limb.q);
      for (u32 i = 0; i < n; ++i) words_at<W>(v.out, p, l)[i] = mul(words_at<W>(v.a, p, l)[i], scalar, limb.q);
    });
  });
  return Status::ok;
}

Status execute(const verb::Decompose& v) {
  host::with_word(v.a.plan->plan.word, [&]<class W>(W) {
    for_each_limb<W>(v.a, [&](const Limb<W>& limb, std::size_t p, u32) {
      for (u32 i = 0; i < v.a.plan->n(); ++i) {
        digits_of(words_at<W>(v.a, p, 0)[i], limb.q, v.gadget,
                  [&](u32 j, W digit) { words_at<W>(v.out, p * v.gadget.digits + j, 0)[i] = digit; });
      }
    });
  });
  return Status::ok;
}

Status execute(const verb::ExpandUniform& v) {
  host::with_word(v.out.plan->plan.word, [&]<class W>(W) {
    for_each_limb<W>(v.out, [&](const Limb<W>& limb, std::size_t p, u32 l) {
      const StreamAddress address{Purpose::uniform_a, v.object, static_cast<u16>(v.out.limbs.first + l),
                                  static_cast<u16>(v.first_digit + p)};
      sample_uniform(v.seed, address, limb.q, 0, std::span<W>(words_at<W>(v.out, p, l), v.out.plan->n()));
    });
  });
  return Status::ok;
}

Status execute(const verb::Automorphism& v) {
  host::with_word(v.out.plan->plan.word, [&]<class W>(W) {
    for_each_limb<W>(v.out, [&](const Limb<W>& limb, std::size_t p, u32 l) {
      const auto automorphism =
          v.domain == Domain::coefficient ? ref::automorphism_coefficients<W> : ref::automorphism_evaluations<W>;
      automorphism(words_at<W>(v.out, p, l), words_at<W>(v.a, p, l), v.out.plan->n(), v.galois, limb.q);
    });
  });
  return Status::ok;
}

Status execute(const verb::BaseConvert& v) {
  const Plan& plan = v.out.plan->plan;
  host::with_word(plan.word, [&]<class W>(W) {
    if constexpr (sizeof(W) <= 8) {
      for_each_limb<W>(v.out, [&](const Limb<W>& limb, std::size_t p, u32 l) {
        const SourceLimbs<W> from{words_at<W>(v.a, p, 0), plan.moduli.data() + v.a.limbs.first, v.a.limbs.count,
                                  plan.n};
        convert(words_at<W>(v.out, p, l), from, limb.q, v.kind);
      });
    }
  });
  return Status::ok;
}

template <Optional V>
Status execute(const V&) {  // never called: fuses() returns false
  return Status::internal;
}

class Ref final : public Backend {
 public:
  std::string_view name() const noexcept override { return "ref"; }
  Capabilities capabilities() const noexcept override {
    return {.by_limbs = true, .instruction_set = {}, .plans = {}, .roofs = {}};
  }

  Status prepare(const Plan& plan, std::shared_ptr<const PreparedPlan>& out) noexcept override {
    if (!host::degree_is_supported(plan)) return Status::unsupported;
    try {
      std::vector<u128> roots;
      for (const u128 q : plan.moduli) roots.push_back(host::root_or_zero(plan, q));
      if (std::find(roots.begin(), roots.end(), 0) != roots.end()) return Status::unsupported;
      auto prepared = std::make_shared<RefPlan>(plan);
      host::with_word(plan.word, [&]<class W>(W) { build<W>(*prepared, roots); });
      out = std::move(prepared);
      return Status::ok;
    } catch (const std::bad_alloc&) { return Status::out_of_memory; }
  }

  Status allocate(std::size_t bytes, Contents contents, Privacy privacy, DeviceBuffer*& out) noexcept override {
    return memory_.allocate(bytes, contents, privacy, out);
  }
  void release(DeviceBuffer* buffer, bool wipe) noexcept override { memory_.release(buffer, wipe); }
  DeviceBuffer* lend(void* memory, std::size_t bytes) noexcept override { return host::Memory::lend(memory, bytes); }
  MemoryUse memory() const noexcept override { return memory_.use(); }

  bool fuses(const Verb&) const noexcept override { return false; }
  Status run(Stream, std::span<const Verb> verbs, std::span<Ticket> ends) noexcept override {
    return host::in_turn(verbs, ends, [](const auto& v) { return ref::execute(v); });
  }
  Status synchronize(Stream) noexcept override { return Status::ok; }  // every verb ends before run() returns
  Ticket mark(Stream) noexcept override { return host::now(); }

 private:
  host::Memory memory_;
};

}  // namespace

std::shared_ptr<Backend> make() { return std::make_shared<Ref>(); }

}  // namespace ringfort::ref
