// SPDX-License-Identifier: Apache-2.0
// Ring is Z_q[x]/(x^n + 1) for a list of at most 128 moduli on one device. Most of its functions are verbs (operations
// of a device, backend/verbs.h) on batches of polynomials and limbs. The types of their operands state the domains. A
// limb has the residues of a polynomial modulo one of the moduli. A ring is immutable, and several threads may share
// it. On the host, residues are u64 and moduli are below 2^62, whatever the word width of the device is. Only Ntt
// supports wider moduli (ring/ntt.cpp).
#pragma once

#include <span>
#include <vector>

#include "base/buffer.h"
#include "ring/poly.h"

namespace ringfort {

// Host memory for one polynomial, whose words have at most `word_bytes` bytes. The destructor wipes the memory, because
// the memory may contain secret keys, or the secret noise of an encryption.
class Staging {
 public:
  explicit Staging(u32 n, std::size_t word_bytes = sizeof(u64)) : n_(n), words_(n * word_bytes) {}
  void clear() noexcept { wipe(words_.data(), words_.size()); }
  template <class W>
  [[nodiscard]] std::span<W> as() noexcept {
    return {static_cast<W*>(words_.data()), n_};
  }

 private:
  u32 n_;
  LockedBytes words_;
};

// Computes out[i] = small[i] mod q. If there is an addend, adds mask & addend[i]. `constant` is added to out[0].
// `addend` and `constant` are residues. No branch depends on a value.
struct SmallLift {
  std::span<const i8> small;
  const u64* addend = nullptr;
  u64 mask = 0;
  u64 constant = 0;
};

// Operations on the quotients of mod_down(), which run before the quotients are written: the addition of `addend`, then
// the automorphism x -> x^galois.
template <class D>
struct Epilogue {
  Slice<D> addend;
  u32 galois = 1;
};

class Ring {
 public:
  Ring(std::shared_ptr<const Device> device, const Plan& plan);  // fails with unsupported and out_of_memory

  [[nodiscard]] u32 n() const noexcept { return plan().n; }
  [[nodiscard]] u64 q() const noexcept { return static_cast<u64>(plan().moduli[0]); }  // only for rings of one modulus
  [[nodiscard]] const RnsBasis& basis() const noexcept { return device_plan_.plan->basis; }
  [[nodiscard]] Limbs limbs() const noexcept { return {0, static_cast<u32>(plan().moduli.size())}; }
  [[nodiscard]] Word word() const noexcept { return plan().word; }
  [[nodiscard]] const Device& device() const noexcept { return *device_plan_.device; }

  template <class D>
  [[nodiscard]] Poly<D> make(u32 batch, Limbs limbs, Privacy privacy = Privacy::open,
                             Contents contents = Contents::zeroed, MemoryUser user = MemoryUser::value) const {
    const BatchShape shape{batch, limbs, std::size_t{limbs.count} * n(), word_bytes(word()), privacy, user};
    return Poly<D>(std::make_shared<DeviceBatch>(device_plan_, shape, contents));
  }
  // Returns memory for a public key or for a key-switching key.
  template <class D>
  [[nodiscard]] Poly<D> make_key(u32 batch, Limbs limbs) const {
    return make<D>(batch, limbs, Privacy::open, Contents::zeroed, MemoryUser::key);
  }
  template <class D>
  [[nodiscard]] Poly<D> make(u32 batch) const {  // a batch with all limbs
    return make<D>(batch, limbs());
  }
  // Returns memory for keys, errors and phases (decryptions before rounding). If the device uses the memory of the
  // host, this memory is locked and excluded from core dumps.
  template <class D>
  [[nodiscard]] Poly<D> make_secret(u32 batch, Limbs limbs) const {
    return make<D>(batch, limbs, Privacy::secret, Contents::zeroed, MemoryUser::key);
  }
  // Scratch memory of a verb. borrow() returns memory for `limbs` limbs, whose words are undefined. rows_in() returns a
  // view of polynomials in this memory.
  [[nodiscard]] Buffer borrow(std::size_t limbs, Privacy privacy) const {
    return Buffer(device_plan_.device,
                  {limbs * n() * word_bytes(word()), Contents::undefined, privacy, MemoryUser::scratch});
  }
  [[nodiscard]] View rows_in(const Buffer& memory, Limbs rows, u32 batch) const noexcept {
    return {device_plan_.plan.get(), memory.handle(), 0, rows, batch};
  }
  // Returns the polynomials of `poly` for use in this ring. `poly` belongs to this ring, or to another ring with an
  // equal plan. If it belongs to another ring, the words are copied when this ring first uses them.
  template <class D>
  [[nodiscard]] Poly<D> receive(const Poly<D>& poly) const {
    return Poly<D>(DeviceBatch::on_device(poly.words_, device_plan_, D::kDomain));
  }

  [[nodiscard]] Poly<Eval> forward(Stream s, Poly<Coeff>&& poly) const;
  [[nodiscard]] Poly<Coeff> inverse(Stream s, Poly<Eval>&& poly) const;
  // Transforms a part of borrowed memory in place. After this, the operand is invalid.
  [[nodiscard]] Slice<Eval> forward(Stream s, Slice<Coeff>&& slice) const;
  [[nodiscard]] Slice<Coeff> inverse(Stream s, Slice<Eval>&& slice) const;
  // Writes the coefficients of `a` to borrowed memory. This is a copy and then an inverse transform; a device may fuse
  // the two.
  [[nodiscard]] Slice<Coeff> inverse_into(Stream s, Slice<Eval>&& out, Slice<Eval> a) const;
  // Reuses the memory of `poly` for results in the other domain. Its old contents must no longer be needed.
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
  // Multiplies all limbs by one integer, or each limb of `out` by a residue of its own.
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
  // Computes out = a b, or adds a b to `out` if `accumulate`. The matrix a has rows x inner polynomials, b has
  // inner x columns, and `out` has rows x columns. The batches determine rows and columns.
  void inner_product(Stream s, Slice<Eval> out, Slice<Eval> a, Slice<Eval> b, u32 inner, bool accumulate) const;
  // Operands of the product of a row and the matrix b. The row has the digits of `a`. The product is written to `out`,
  // or added to it. `digits` is scratch memory for the digits (GadgetProduct in backend/verbs.h).
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

  // Computes out(x) = a(x^galois). `galois` is odd and below 2n. `out` must not be `a`.
  template <class D>
  void automorphism(Stream s, Slice<D> out, Slice<D> a, u32 galois) const {
    device().run(s, verb::Automorphism{out.view(), a.view(), galois, D::kDomain});
  }
  // Converts residues from the limbs of `a` to the limbs of `out` (BaseConvert in backend/verbs.h).
  void base_convert(Stream s, Slice<Coeff> out, Slice<Coeff> a, Conversion kind) const {
    device().run(s, verb::BaseConvert{out.view(), a.view(), kind});
  }
  // Computes out = a / P, rounded so that the error is a multiple of `plain` (ModDown in backend/verbs.h). P is the
  // product of the primes of the limbs of `scratch`. In `a`, these limbs are before or after the limbs of `out`.
  // `scratch` has the batch of `a`. The contents of `scratch` are lost.
  template <class D>
  void mod_down(Stream s, Slice<D> out, Slice<D> a, Slice<Coeff> scratch, u64 plain = 1) const {
    device().run(s, verb::ModDown{out.view(), a.view(), scratch.view(), plain, D::kDomain});
  }
  // Computes out = (a / P + addend)(x^galois). Polynomial i of the addend is added to quotient i. If galois is not 1,
  // the contents of `a` are lost.
  template <class D>
  void mod_down(Stream s, Slice<D> out, Slice<D> a, Slice<Coeff> scratch, u64 plain, const Epilogue<D>& after) const {
    device().run(
        s, verb::ModDown{out.view(), a.view(), scratch.view(), plain, D::kDomain, after.addend.view(), after.galois});
  }
  // Divides by the primes of `a` that precede the primes of `out`, adds the addend, then divides by the primes that
  // follow the primes of `out` (ModDownRescale in backend/verbs.h). `scratch` has the shape of `a`. The contents of `a`
  // and `scratch` are lost.
  void mod_down_rescale(Stream s, Slice<Eval> out, Slice<Eval> a, Slice<Coeff> scratch, u64 plain,
                        Slice<Eval> addend) const {
    device().run(s, verb::ModDownRescale{out.view(), a.view(), scratch.view(), plain, addend.view()});
  }
  // Multiplies the pairs (a0, a1) and (b0, b1). The results are the triples (a0 b0, a0 b1 + a1 b0, a1 b1). `out` must
  // not be `a` or `b`.
  void tensor(Stream s, Slice<Eval> out, Slice<Eval> a, Slice<Eval> b) const {
    device().run(s, verb::Tensor{out.view(), a.view(), b.view()});
  }

  // These functions copy canonical residues between the host and the device. On the host, residues are
  // [polynomial][limb][coefficient] without gaps.
  template <class D>
  void upload(Stream s, Slice<D> to, std::span<const u64> residues, Staging& staging) const {
    upload_words(s, to.view(), D::kDomain, residues, staging);
  }
  template <class D>
  void download(Stream s, Slice<D> from, std::span<u64> residues, Staging& staging) const {
    download_words(device(), s, from.view(), D::kDomain, residues, staging);
  }
  // Downloads limbs of polynomial `index` from the device that has the words. The polynomials must belong to this ring.
  template <class D>
  void read(const Poly<D>& from, u32 index, Limbs limbs, std::span<u64> residues, Staging& staging) const {
    const std::shared_ptr<DeviceBatch> words = DeviceBatch::readable(from.words_);
    const Slice<D> wanted = Poly<D>(words).polynomials(index, 1).limbs(limbs);
    download_words(words->device(), Stream{}, wanted.view(), D::kDomain, residues, staging);
  }
  // Lifts signed coefficients [polynomial][coefficient]: computes their residues for every limb. |coefficient| < 2^126.
  // No branch or index depends on a value.
  template <class Integers>  // a span or a vector of i8, i64 or i128
  void lift(Stream s, Slice<Coeff> to, const Integers& coefficients) const {
    RF_ASSERT(coefficients.size() == std::size_t{to.batch()} * n());
    device().run(s, verb::Lift{to.view(), coefficients.data(), sizeof(coefficients[0])});
  }
  template <class D>
  void copy(Stream s, Slice<D> out, Slice<D> a) const {
    device().run(s, verb::Copy{out.view(), a.view()});
  }
  // A copy of one batch. The function below makes several copies in one sequence of verbs.
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
  // Uploads one polynomial of small signed coefficients to limb 0.
  void upload_small(Stream s, Slice<Coeff> to, const SmallLift& lift, Staging& staging) const;
  // Uploads x^exponent. exponent < n.
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
