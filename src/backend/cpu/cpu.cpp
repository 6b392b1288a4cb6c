// SPDX-License-Identifier: Apache-2.0
// Backend `cpu`: hands polynomials and limbs of a batch to the kernels that the plan has chosen. Evaluation order is the
// canonical one. Verbs that pass between limbs: convert.cpp; sums of products and automorphisms: products.cpp.
#include "backend/cpu/cpu.h"

#include <algorithm>
#include <atomic>

#include "backend/cpu/convert.h"
#include "backend/cpu/products.h"
#include "backend/cpu/work.h"
#include "math/random.h"

namespace ringfort::cpu {
namespace {

class Cpu final : public Backend {
 public:
  Cpu(std::string_view name, Isa isa) : name_(name), isa_(isa) {}

  std::string_view name() const noexcept override { return name_; }
  Capabilities capabilities() const noexcept override { return {isa_ != Isa::generic, true, false, isa_name(isa_), true, true, isa_ == Isa::ifma, {}}; }

  Status prepare(const Plan& plan, std::shared_ptr<const PlanHandle>& out) noexcept override {
    try {
      std::shared_ptr<const Prepared> p;
      const Status status = cpu::prepare(plan, isa_, p);
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

  Status ntt(Stream s, const View& inout) noexcept override {
    if (!valid(inout)) return Status::internal;
    with_word(prepared(inout).plan.word, [&]<class W>(W) {
      for_each_limb<W>(s, inout, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
        limb.kernels->forward(limb.constants, words_at<W>(inout, p, l));
      });
    });
    return Status::ok;
  }

  Status intt(Stream s, const View& inout) noexcept override {
    if (!valid(inout)) return Status::internal;
    with_word(prepared(inout).plan.word, [&]<class W>(W) {
      for_each_limb<W>(s, inout, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
        limb.kernels->inverse(limb.constants, words_at<W>(inout, p, l));
      });
    });
    return Status::ok;
  }

  Status add(Stream s, const View& out, const View& a, const View& b) noexcept override {
    if (!host::same_shape(a, b)) return Status::internal;
    return binary(s, out, a, b, [](const auto& k) { return k.add; });
  }
  Status sub(Stream s, const View& out, const View& a, const View& b) noexcept override {
    if (!host::same_shape(a, b)) return Status::internal;
    return binary(s, out, a, b, [](const auto& k) { return k.sub; });
  }
  Status multiply(Stream s, const View& out, const View& a, const View& b) noexcept override {
    return binary(s, out, a, b, [](const auto& k) { return k.multiply; });
  }
  Status multiply_add(Stream s, const View& out, const View& a, const View& b) noexcept override {
    return binary(s, out, a, b, [](const auto& k) { return k.multiply_add; });
  }

  Status negate(Stream s, const View& out, const View& a) noexcept override {
    if (!valid(out) || !valid(a) || !host::same_shape(out, a)) return Status::internal;
    with_word(prepared(out).plan.word, [&]<class W>(W) {
      for_each_limb<W>(s, out, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
        limb.kernels->negate(limb.constants, words_at<W>(out, p, l), words_at<W>(a, p, l), limb.constants.n);
      });
    });
    return Status::ok;
  }

  Status multiply_scalar(Stream s, const View& out, const View& a, std::span<const u128> per_limb) noexcept override {
    if (!valid(out) || !valid(a) || !host::same_shape(out, a) || per_limb.size() != out.limbs) return Status::internal;
    with_word(prepared(out).plan.word, [&]<class W>(W) {
      using C = typename Limb<W>::C;
      for_each_limb<W>(s, out, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
        const auto scalar = make_factor(limb.constants, static_cast<C>(per_limb[l] % limb.constants.q));
        limb.kernels->multiply_scalar(limb.constants, words_at<W>(out, p, l), words_at<W>(a, p, l), scalar, limb.constants.n);
      });
    });
    return Status::ok;
  }

  Status decompose(Stream s, const View& out, const View& a, const Gadget& gadget) noexcept override {
    if (!valid(out) || !valid(a) || !host::decompose_shapes(out, a, gadget)) return Status::internal;
    const Plan& plan = prepared(a).plan;
    if (!host::gadget_is_supported(gadget, plan.moduli[a.first_limb])) return Status::unsupported;
    const Digits digits{gadget.base_bits, gadget.digits, gadget.shift, gadget.centred};
    with_word(plan.word, [&]<class W>(W) {
      for_each_limb<W>(s, a, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
        limb.kernels->decompose(limb.constants, words_at<W>(out, p * gadget.digits, l), words_at<W>(a, p, l), digits, plan.n);
      });
    });
    return Status::ok;
  }

  Status expand_uniform(Stream s, const View& out, const Expansion& from) noexcept override {
    if (!valid(out)) return Status::internal;
    const u32 n = prepared(out).plan.n;
    with_word(prepared(out).plan.word, [&]<class W>(W) {
      for_each_limb<W>(s, out, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
        const u16 digit = static_cast<u16>(from.first_digit + p);
        const StreamAddress address{Purpose::uniform_a, from.object, static_cast<u16>(out.first_limb + l), digit};
        sample_uniform(from.seed, address, limb.constants.q, 0, std::span<W>(words_at<W>(out, p, l), n));
      });
    });
    return Status::ok;
  }

  Status automorphism(Stream s, const View& out, const View& a, u32 galois, Domain domain) noexcept override {
    return cpu::automorphism(s, out, a, galois, domain);
  }
  Status base_convert(Stream s, const View& out, const View& a, Conversion kind) noexcept override {
    return cpu::base_convert(s, out, a, kind);
  }

  Status inner_product(Stream s, const InnerProduct& product) noexcept override { return cpu::inner_product(s, product); }
  Status gadget_product(Stream s, const GadgetProduct& product) noexcept override { return cpu::gadget_product(s, product); }
  Status key_switch(Stream s, const KeySwitch& sum) noexcept override { return cpu::key_switch(s, sum); }
  Status mod_down(Stream s, const ModDown& division) noexcept override { return cpu::mod_down(s, division); }
  Status tensor(Stream s, const View& out, const View& a, const View& b) noexcept override { return cpu::tensor(s, out, a, b); }

  Status polymul(Stream s, const View& out, const View& a, const View& b) noexcept override {
    if (!valid(out) || !valid(a) || !valid(b) || !host::same_shape(out, a) || !host::same_shape(out, b)) return Status::internal;
    with_word(prepared(out).plan.word, [&]<class W>(W) {
      for_each_limb<W>(s, out, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
        limb.kernels->polymul(limb.constants, words_at<W>(out, p, l), words_at<W>(a, p, l), words_at<W>(b, p, l));
      });
    });
    return Status::ok;
  }

 private:
  // out[i] = kernel(a[i], b[i]); b may be a single polynomial.
  template <class Choose>
  static Status binary(Stream s, const View& out, const View& a, const View& b, Choose choose) {
    if (!valid(out) || !valid(a) || !valid(b) || !host::same_shape(out, a) || !host::same_or_single(a, b)) return Status::internal;
    const u32 n = prepared(out).plan.n;
    with_word(prepared(out).plan.word, [&]<class W>(W) {
      for_each_limb<W>(s, out, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
        choose(*limb.kernels)(limb.constants, words_at<W>(out, p, l), words_at<W>(a, p, l), words_at<W>(b, b.batch == 1 ? 0 : p, l), n);
      });
    });
    return Status::ok;
  }

  std::string_view name_;
  Isa isa_;
  std::atomic<u64> events_{0};
};

}  // namespace

std::shared_ptr<Backend> make(std::string_view name, Isa isa) { return std::make_shared<Cpu>(name, isa); }

}  // namespace ringfort::cpu
