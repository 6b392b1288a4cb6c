// SPDX-License-Identifier: Apache-2.0
// Ring: Z_q[x]/(x^n + 1) for a list of at most 128 moduli on one device, and the typed verbs on batches of polynomials
// and limbs. Immutable, shareable. Host words are u64 residues (moduli < 2^62) whatever the device's word; wider rings
// go through Ntt (ring/ntt.cpp).
#pragma once

#include <span>
#include <vector>

#include "base/buffer.h"
#include "ring/poly.h"

namespace ringfort {

// Room for one polynomial on the host; wiped at its end, since errors and keys pass through it.
class Staging {
 public:
  explicit Staging(u32 n) : words_(std::size_t{n} * sizeof(u64)) {}
  void clear() noexcept { wipe(words_.data(), words_.size()); }
  template <class W>
  [[nodiscard]] std::span<W> as() noexcept {
    return {static_cast<W*>(words_.data()), words_.size() / sizeof(u64)};
  }

 private:
  LockedBytes words_;
};

// out[i] = small[i] mod q (+ mask & addend[i] where an addend is given); `constant` is added to out[0].
// addend and constant are residues. No branch depends on a value.
struct SmallLift {
  std::span<const i8> small;
  const u64* addend = nullptr;
  u64 mask = 0;
  u64 constant = 0;
};

// One polynomial in both domains, and room for its RNS digits: over the limbs of the sum, or fewer at a time.
struct KeySwitchInput {
  Slice<Eval> a;
  Slice<Coeff> coefficients;
  Slice<Eval> digits;
  u32 digit_limbs = 1;
};

// What is done to quotients while they are written.
template <class D>
struct Epilogue {
  Slice<D> addend;
  u32 galois = 1;
};

class Ring {
 public:
  Ring(std::shared_ptr<const Device> device, const Plan& plan);  // Errors: unsupported, out_of_memory

  [[nodiscard]] u32 n() const noexcept { return plan().n; }
  [[nodiscard]] u64 q() const noexcept { return static_cast<u64>(plan().moduli[0]); }  // of rings with one modulus
  [[nodiscard]] const RnsBasis& basis() const noexcept { return device_plan_.plan->basis; }
  [[nodiscard]] Limbs limbs() const noexcept { return {0, static_cast<u32>(plan().moduli.size())}; }
  [[nodiscard]] Word word() const noexcept { return plan().word; }
  [[nodiscard]] const Device& device() const noexcept { return *device_plan_.device; }

  template <class D>
  [[nodiscard]] Poly<D> make(u32 batch, Limbs limbs, Privacy privacy = Privacy::open,
                             Contents contents = Contents::zeroed) const {
    return Poly<D>(std::make_shared<DeviceBatch>(
        device_plan_, BatchShape{batch, limbs, std::size_t{limbs.count} * n(), word_bytes(word()), privacy}, contents));
  }
  template <class D>
  [[nodiscard]] Poly<D> make(u32 batch) const {  // of all limbs
    return make<D>(batch, limbs());
  }
  // For keys, errors, phases: locked and left out of core dumps where the device's memory is the host's.
  template <class D>
  [[nodiscard]] Poly<D> make_secret(u32 batch, Limbs limbs) const {
    return make<D>(batch, limbs, Privacy::secret);
  }
  // Memory of a verb: undefined words for so many polynomials of one limb, and rows of polynomials that lie in it.
  [[nodiscard]] Buffer borrow(std::size_t limbs, Privacy privacy) const {
    return Buffer(device_plan_.device,
                  {limbs * n() * word_bytes(word()), Contents::undefined, privacy, Lifetime::scratch});
  }
  [[nodiscard]] View rows_in(const Buffer& memory, Limbs rows, u32 batch) const noexcept {
    return {device_plan_.plan.get(), memory.handle(), 0, rows, batch};
  }
  // The polynomials of a ring with the same plan as objects of this one's device. Nothing is moved before they are used
  // here.
  template <class D>
  [[nodiscard]] Poly<D> receive(const Poly<D>& poly) const {
    return Poly<D>(DeviceBatch::on_device(poly.words_, device_plan_, D::kDomain));
  }

  [[nodiscard]] Poly<Eval> forward(Stream s, Poly<Coeff>&& poly) const;
  [[nodiscard]] Poly<Coeff> inverse(Stream s, Poly<Eval>&& poly) const;
  // In place on a part of borrowed memory: the slice that went in names nothing any more.
  [[nodiscard]] Slice<Eval> forward(Stream s, Slice<Coeff>&& slice) const;
  [[nodiscard]] Slice<Coeff> inverse(Stream s, Slice<Eval>&& slice) const;
  // Memory whose contents are no longer wanted, to be written in the other domain.
  template <class To, class From>
  [[nodiscard]] static Poly<To> reuse(Poly<From>&& poly) noexcept {
    return std::move(poly).template retyped<To>();
  }

  template <class D>
  void add(Stream s, Slice<D> out, Slice<D> a, Slice<D> b) const {
    device().run(s, verb::Add{out.view(), a.view(), b.view()});
  }
  template <class D>
  void subtract(Stream s, Slice<D> out, Slice<D> a, Slice<D> b) const {
    device().run(s, verb::Subtract{out.view(), a.view(), b.view()});
  }
  template <class D>
  void negate(Stream s, Slice<D> out, Slice<D> a) const {
    device().run(s, verb::Negate{out.view(), a.view()});
  }
  // The same integer in every limb, or a residue for each limb of `out`.
  template <class D>
  void multiply_scalar(Stream s, Slice<D> out, Slice<D> a, u64 scalar) const {
    multiply_limbs(s, out.view(), a.view(), {&scalar, 1});
  }
  template <class D>
  void multiply_scalar(Stream s, Slice<D> out, Slice<D> a, std::span<const u64> per_limb) const {
    multiply_limbs(s, out.view(), a.view(), per_limb);
  }
  void multiply(Stream s, Slice<Eval> out, Slice<Eval> a, Slice<Eval> b) const {
    device().run(s, verb::Multiply{out.view(), a.view(), b.view()});
  }
  void multiply_add(Stream s, Slice<Eval> out, Slice<Eval> a, Slice<Eval> b) const {
    device().run(s, verb::MultiplyAdd{out.view(), a.view(), b.view()});
  }
  void decompose(Stream s, Slice<Coeff> out, Slice<Coeff> a, const Gadget& gadget) const {
    device().run(s, verb::Decompose{out.view(), a.view(), gadget});
  }
  // out (rows x columns) (+)= a (rows x inner) b (inner x columns); rows and columns follow from the batches.
  void inner_product(Stream s, Slice<Eval> out, Slice<Eval> a, Slice<Eval> b, u32 inner, bool accumulate) const;
  // One row times b, the row being the digits of a; `digits` is room for them.
  struct GadgetOperands {
    Slice<Eval> out;
    Slice<Coeff> digits, a;
    Slice<Eval> b;
  };
  void gadget_product(Stream s, const GadgetOperands& of, const Gadget& gadget, bool accumulate) const;
  template <class D>
  void expand_uniform(Stream s, Slice<D> out, const PublicSeed& seed, u64 object, u16 first_digit) const {
    device().run(s, verb::ExpandUniform{out.view(), seed, object, first_digit, D::kDomain});
  }

  // out(x) = a(x^galois), galois odd, below 2n; `out` is not `a`.
  template <class D>
  void automorphism(Stream s, Slice<D> out, Slice<D> a, u32 galois) const {
    device().run(s, verb::Automorphism{out.view(), a.view(), galois, D::kDomain});
  }
  // From the limbs of `a` to those of `out` (BaseConvert in backend/verbs.h).
  void base_convert(Stream s, Slice<Coeff> out, Slice<Coeff> a, Conversion kind) const {
    device().run(s, verb::BaseConvert{out.view(), a.view(), kind});
  }
  // out = a / P rounded to nearest, in multiples of `plain` (ModDown in backend/verbs.h). P: the limbs of `scratch`,
  // which `a` has before or after those of `out`. Scratch is written; its batch is that of `a`.
  template <class D>
  void mod_down(Stream s, Slice<D> out, Slice<D> a, Slice<Coeff> scratch, u64 plain = 1) const {
    device().run(s, verb::ModDown{out.view(), a.view(), scratch.view(), plain, D::kDomain});
  }
  // (a / P + addend)(x^galois); the addend's polynomials are added to the first ones. galois != 1: `a` is written.
  template <class D>
  void mod_down(Stream s, Slice<D> out, Slice<D> a, Slice<Coeff> scratch, u64 plain, const Epilogue<D>& after) const {
    device().run(
        s, verb::ModDown{out.view(), a.view(), scratch.view(), plain, D::kDomain, after.addend.view(), after.galois});
  }
  // The same by the limbs that `a` has before those of `out`, with the addend, then by those behind them
  // (ModDownRescale in backend/verbs.h). Scratch is as `a`; both are written.
  void mod_down_rescale(Stream s, Slice<Eval> out, Slice<Eval> a, Slice<Coeff> scratch, u64 plain,
                        Slice<Eval> addend) const {
    device().run(s, verb::ModDownRescale{out.view(), a.view(), scratch.view(), plain, addend.view()});
  }
  // The sum of a key switch, and its digits alone for several keys (KeySwitch in backend/verbs.h).
  void key_switch(Stream s, Slice<Eval> out, const KeySwitchInput& a, Slice<Eval> key) const {
    device().run(
        s, verb::KeySwitch{out.view(), a.a.view(), a.coefficients.view(), a.digits.view(), key.view(), a.digit_limbs});
  }
  void mod_up(Stream s, const KeySwitchInput& a) const {
    device().run(s, verb::ModUp{a.digits.view(), a.a.view(), a.coefficients.view(), a.digit_limbs});
  }
  // Pairs (a0, a1), (b0, b1) to triples (a0 b0, a0 b1 + a1 b0, a1 b1); `out` is neither.
  void tensor(Stream s, Slice<Eval> out, Slice<Eval> a, Slice<Eval> b) const {
    device().run(s, verb::Tensor{out.view(), a.view(), b.view()});
  }

  // Canonical residues [polynomial][limb][coefficient], dense whatever the slice's stride.
  template <class D>
  void upload(Stream s, Slice<D> to, std::span<const u64> residues, Staging& staging) const {
    upload_words(s, to.view(), D::kDomain, residues, staging);
  }
  template <class D>
  void download(Stream s, Slice<D> from, std::span<u64> residues, Staging& staging) const {
    download_words(device(), s, from.view(), D::kDomain, residues, staging);
  }
  // Limbs of polynomial `index` of words that this ring made or received, from the device where they are.
  template <class D>
  void read(const Poly<D>& from, u32 index, Limbs limbs, std::span<u64> residues, Staging& staging) const {
    const std::shared_ptr<DeviceBatch> words = DeviceBatch::readable(from.words_);
    const Slice<D> wanted = Poly<D>(words).part(index, 1).limbs(limbs);
    download_words(words->device(), Stream{}, wanted.view(), D::kDomain, residues, staging);
  }
  // Signed coefficients [polynomial][coefficient] to every limb; |coefficient| < 2^126. No branch or index depends on a
  // value.
  template <class Integers>  // a span or vector of i8, i64 or i128
  void lift(Stream s, Slice<Coeff> to, const Integers& coefficients) const {
    RF_ASSERT(coefficients.size() == std::size_t{to.batch()} * n());
    device().run(s, verb::Lift{to.view(), coefficients.data(), sizeof(coefficients[0])});
  }
  template <class D>
  void copy(Stream s, Slice<D> out, Slice<D> a) const {
    device().run(s, verb::Copy{out.view(), a.view()});
  }
  // As one sequence.
  template <class D>
  struct Copied {
    Slice<D> out, a;
  };
  template <class D>
  void copy(Stream s, const std::vector<Copied<D>>& all) const {
    std::vector<Verb> copies;
    copies.reserve(all.size());
    for (const Copied<D>& one : all) copies.emplace_back(verb::Copy{one.out.view(), one.a.view()});
    device().run(s, copies);
  }
  template <class D>
  void zero(Stream s, Slice<D> out) const {
    device().run(s, verb::Zero{out.view()});
  }
  // One polynomial of small signed coefficients, in limb 0.
  void upload_small(Stream s, Slice<Coeff> to, const SmallLift& lift, Staging& staging) const;
  // x^exponent, exponent < n.
  void upload_monomial(Stream s, Slice<Coeff> to, u32 exponent, Staging& staging) const;

 private:
  [[nodiscard]] const Plan& plan() const noexcept { return device_plan_.plan->plan; }
  void multiply_limbs(Stream s, const View& out, const View& a, std::span<const u64> scalars) const;
  template <class F>
  void for_each_limb(const View& view, F f) const;
  void upload_words(Stream s, const View& to, Domain domain, std::span<const u64> residues, Staging& staging) const;
  void download_words(const Device& device, Stream s, const View& from, Domain domain, std::span<u64> residues,
                      Staging& staging) const;

  DevicePlan device_plan_;
};

}  // namespace ringfort
