// SPDX-License-Identifier: Apache-2.0
// The backend of device `cpu`. For each limb of each polynomial, it calls the kernels that the plan chose. Evaluations
// are in the canonical order (backend/plan.h). convert.h has the verbs that combine limbs. products.h has sums of
// products and automorphisms.
#include "backend/cpu/cpu.h"

#include <algorithm>

#include "backend/cpu/convert.h"
#include "backend/cpu/products.h"
#include "backend/cpu/work.h"
#include "math/random.h"

namespace ringfort::cpu {
namespace {

using cpu::fuses, cpu::execute;  // other files have overloads of these functions

// Calls f(limb, polynomial, limb index in the view) with the word type of the plan.
template <class F>
Status each_limb(Stream s, const View& view, F f) {
  host::with_word(view.plan->plan.word, [&]<class W>(W) { for_each_limb<W>(s, view, f); });
  return Status::ok;
}

// Returns the words of one limb of one polynomial, in the word type of the first argument.
template <class W>
W* limb_at(const PreparedLimb<W>&, const View& view, std::size_t polynomial, u32 limb) {
  return words_at<W>(view, polynomial, limb);
}

// Computes out[i] = kernel(a[i], b[i]) for all polynomials i. If b is a single polynomial, it is used for every i.
template <class V, class Choose>
Status binary(Stream s, const V& v, Choose choose) {
  const bool single = v.b.batch == 1;
  return each_limb(s, v.out, [&](const auto& limb, std::size_t p, u32 l) {
    choose (*limb.kernels)(limb.constants, limb_at(limb, v.out, p, l), limb_at(limb, v.a, p, l),
                           limb_at(limb, v.b, single ? 0 : p, l), limb.constants.n);
  });
}

Status execute(Stream, const verb::Upload& v) {
  host::with_word(v.to.plan->plan.word, [&]<class W>(W) { host::copy_in<W>(v.to, v.to.plan->n(), v.words); });
  return Status::ok;
}

Status execute(Stream, const verb::Download& v) {
  host::with_word(v.from.plan->plan.word, [&]<class W>(W) { host::copy_out<W>(v.from, v.from.plan->n(), v.words); });
  return Status::ok;
}

Status execute(Stream s, const verb::Copy& v) {
  if (same_memory(v.out, v.a)) return Status::ok;
  return each_limb(s, v.out, [&]<class W>(const PreparedLimb<W>& limb, std::size_t p, u32 l) {
    std::memcpy(limb_at(limb, v.out, p, l), limb_at(limb, v.a, p, l), v.out.plan->n() * sizeof(W));
  });
}

Status execute(Stream s, const verb::Zero& v) {
  return each_limb(s, v.out, [&]<class W>(const PreparedLimb<W>& limb, std::size_t p, u32 l) {
    std::memset(limb_at(limb, v.out, p, l), 0, v.out.plan->n() * sizeof(W));
  });
}

Status execute(Stream s, const verb::Ntt& v) {
  return each_limb(s, v.inout, [&](const auto& limb, std::size_t p, u32 l) {
    limb.kernels->forward(limb.constants, limb_at(limb, v.inout, p, l));
  });
}

Status execute(Stream s, const verb::Intt& v) {
  return each_limb(s, v.inout, [&](const auto& limb, std::size_t p, u32 l) {
    limb.kernels->inverse(limb.constants, limb_at(limb, v.inout, p, l));
  });
}

Status execute(Stream s, const verb::Add& v) {
  return binary(s, v, [](const auto& k) { return k.add; });
}
Status execute(Stream s, const verb::Subtract& v) {
  return binary(s, v, [](const auto& k) { return k.subtract; });
}
Status execute(Stream s, const verb::Multiply& v) {
  return binary(s, v, [](const auto& k) { return k.multiply; });
}
Status execute(Stream s, const verb::MultiplyAdd& v) {
  return binary(s, v, [](const auto& k) { return k.multiply_add; });
}

Status execute(Stream s, const verb::Negate& v) {
  return each_limb(s, v.out, [&](const auto& limb, std::size_t p, u32 l) {
    limb.kernels->negate(limb.constants, limb_at(limb, v.out, p, l), limb_at(limb, v.a, p, l), limb.constants.n);
  });
}

Status execute(Stream s, const verb::MultiplyScalar& v) {
  return each_limb(s, v.out, [&]<class W>(const PreparedLimb<W>& limb, std::size_t p, u32 l) {
    const auto scalar = make_factor(limb.constants, static_cast<typename Limb<W>::C>(v.per_limb[l] % limb.constants.q));
    limb.kernels->multiply_scalar(limb.constants, limb_at(limb, v.out, p, l), limb_at(limb, v.a, p, l), scalar,
                                  limb.constants.n);
  });
}

Status execute(Stream s, const verb::Decompose& v) {
  const Digits digits{v.gadget.base_bits, v.gadget.digits, v.gadget.shift, v.gadget.centred};
  return each_limb(s, v.a, [&](const auto& limb, std::size_t p, u32 l) {
    limb.kernels->decompose(limb.constants, limb_at(limb, v.out, p * digits.digits, l), limb_at(limb, v.a, p, l),
                            digits, limb.constants.n);
  });
}

Status execute(Stream s, const verb::ExpandUniform& v) {
  return each_limb(s, v.out, [&]<class W>(const PreparedLimb<W>& limb, std::size_t p, u32 l) {
    const StreamAddress address{Purpose::uniform_a, v.object, static_cast<u16>(v.out.limbs.first + l),
                                static_cast<u16>(v.first_digit + p)};
    sample_uniform(v.seed, address, static_cast<W>(limb.constants.q), 0,
                   std::span<W>(limb_at(limb, v.out, p, l), v.out.plan->n()));
  });
}

Status execute(Stream s, const verb::Polymul& v) {
  return each_limb(s, v.out, [&](const auto& limb, std::size_t p, u32 l) {
    limb.kernels->polymul(limb.constants, limb_at(limb, v.out, p, l), limb_at(limb, v.a, p, l),
                          limb_at(limb, v.b, p, l));
  });
}

// The device fuses the next three verbs for every plan. For the other optional verbs of convert.h and products.h, these
// headers have overloads of fuses(). No other optional verb is fused: the template below returns false.
bool fuses(const verb::ModDown&) noexcept { return true; }
bool fuses(const verb::ModDownRescale&) noexcept { return true; }
bool fuses(const verb::Tensor&) noexcept { return true; }
template <Optional V>
bool fuses(const V&) noexcept {
  return false;
}
template <Optional V>
Status execute(Stream, const V&) {
  return Status::internal;
}

bool fuses_any(const Verb& verb) noexcept {
  return std::visit(
      []<class V>(const V& v) {
        if constexpr (Optional<V>) return fuses(v);
        else return false;
      },
      verb);
}

Status run_all(Stream s, std::span<const Verb> verbs, std::span<Ticket> ends) noexcept {
  return host::in_turn(verbs, ends, [s](const auto& v) { return execute(s, v); });
}

class Cpu final : public Backend {
 public:
  Cpu(std::string_view name, Isa isa) : name_(name), isa_(isa) {}

  std::string_view name() const noexcept override { return name_; }
  Capabilities capabilities() const noexcept override {
    return {.by_limbs = true, .instruction_set = isa_name(isa_), .plans = {}, .roofs = {}};
  }

  Status prepare(const Plan& plan, std::shared_ptr<const PreparedPlan>& out) noexcept override {
    try {
      std::shared_ptr<const CpuPlan> prepared;
      const Status status = cpu::prepare(plan, isa_, prepared);
      if (status == Status::ok) out = std::move(prepared);
      return status;
    } catch (const std::bad_alloc&) { return Status::out_of_memory; }
  }

  Status allocate(std::size_t bytes, Contents contents, Privacy privacy, DeviceBuffer*& out) noexcept override {
    return memory_.allocate(bytes, contents, privacy, out);
  }
  void release(DeviceBuffer* buffer, bool wipe) noexcept override { memory_.release(buffer, wipe); }
  DeviceBuffer* lend(void* memory, std::size_t bytes) noexcept override { return host::Memory::lend(memory, bytes); }
  MemoryUse memory() const noexcept override { return memory_.use(); }

  bool fuses(const Verb& verb) const noexcept override { return fuses_any(verb); }
  Status run(Stream s, std::span<const Verb> verbs, std::span<Ticket> ends) noexcept override {
    return run_all(s, verbs, ends);
  }
  Status synchronize(Stream) noexcept override { return Status::ok; }  // when run() returns, its verbs have ended
  Ticket mark(Stream) noexcept override { return host::now(); }

 private:
  std::string_view name_;
  Isa isa_;
  host::Memory memory_;
};

}  // namespace

std::shared_ptr<Backend> make(std::string_view name, Isa isa) { return std::make_shared<Cpu>(name, isa); }

}  // namespace ringfort::cpu
