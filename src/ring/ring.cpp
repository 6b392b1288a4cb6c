// SPDX-License-Identifier: Apache-2.0
#include "ring/ring.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace ringfort {

namespace {

template <class W>
void lift_into(std::span<W> out, const Lift& lift, W q) {
  const auto lifted = [q](i8 small) {                                 // by zero extension and shifts: cheap in every instruction set
    const W biased = static_cast<u8>(small ^ -128);
    return static_cast<W>(biased - 128 + (q & static_cast<W>((biased >> 7) - 1)));
  };
  const auto reduced = [q](W sum) {                                   // sum < 2q < 2^bits, q < 2^(bits - 1): a borrow is the top bit
    const W difference = static_cast<W>(sum - q), borrow = static_cast<W>(difference >> (8 * sizeof(W) - 1));
    return static_cast<W>(difference + (q & static_cast<W>(W{0} - borrow)));
  };
  const W mask = static_cast<W>(lift.mask);
  if (lift.addend == nullptr) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = lifted(lift.small[i]);
  } else {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = reduced(static_cast<W>(lifted(lift.small[i]) + (static_cast<W>(lift.addend[i]) & mask)));
  }
  out[0] = reduced(static_cast<W>(out[0] + static_cast<W>(lift.constant)));
}

}  // namespace

// f(one limb of one polynomial, its place in dense words)
template <class F>
void Ring::for_each_limb(const View& view, F f) const {
  for (std::size_t p = 0; p < view.batch; ++p) {
    for (u32 l = 0; l < view.limbs; ++l) {
      f(limbs_of(polynomial(view, p, plan_.n), {view.first_limb + l, 1}, plan_.n), (p * view.limbs + l) * plan_.n);
    }
  }
}

Ring::Ring(std::shared_ptr<const OpenDevice> device, const Plan& plan)
    : plan_(plan), place_{device, device->prepare(plan)}, basis_(plan.moduli) {}

void Ring::multiply_limbs(Stream s, const View& out, const View& a, std::span<const u64> scalars) const {
  std::array<u128, kMostLimbs> factors;
  const bool single = scalars.size() == 1;
  const u32 count = std::min(single ? out.limbs : static_cast<u32>(scalars.size()), kMostLimbs);
  for (u32 i = 0; i < count; ++i) factors[i] = scalars[single ? 0 : i];
  device().check(backend().multiply_scalar(s, out, a, std::span(factors).first(count)), "multiply_scalar");
}

Poly<Eval> Ring::forward(Stream s, Poly<Coeff>&& poly) const {
  device().check(backend().ntt(s, poly.all().view()), "ntt");
  return std::move(poly).retyped<Eval>();
}

Poly<Coeff> Ring::inverse(Stream s, Poly<Eval>&& poly) const {
  device().check(backend().intt(s, poly.all().view()), "intt");
  return std::move(poly).retyped<Coeff>();
}

Slice<Eval> Ring::forward(Stream s, Slice<Coeff>&& slice) const {
  device().check(backend().ntt(s, slice.view()), "ntt");
  return {slice.view(), slice.stride_};
}

Slice<Coeff> Ring::inverse(Stream s, Slice<Eval>&& slice) const {
  device().check(backend().intt(s, slice.view()), "intt");
  return {slice.view(), slice.stride_};
}

void Ring::inner_product(Stream s, Slice<Eval> out, Slice<Eval> a, Slice<Eval> b, u32 inner, bool accumulate) const {
  device().inner_product(s, {out.view(), a.view(), b.view(), a.batch() / inner, inner, b.batch() / inner, accumulate}, plan_.n);
}

void Ring::gadget_product(Stream s, const GadgetOperands& of, const Gadget& gadget, bool accumulate) const {
  device().gadget_product(s, {of.out.view(), of.digits.view(), of.a.view(), of.b.view(), gadget, accumulate}, plan_.n);
}

void Ring::upload_words(Stream s, const View& to, Domain domain, std::span<const u64> residues, Staging& staging) const {
  if (plan_.word == Word::u64) return device().check(backend().upload(s, to, domain, residues.data()), "upload");
  const std::span<u32> narrow = staging.as<u32>();
  for_each_limb(to, [&](const View& limb, std::size_t at) {
    const std::span<const u64> wide = residues.subspan(at, plan_.n);
    std::transform(wide.begin(), wide.end(), narrow.begin(), [](u64 x) { return static_cast<u32>(x); });
    device().check(backend().upload(s, limb, domain, narrow.data()), "upload");
    device().check(backend().synchronize(s), "upload");              // the staging words are written again
  });
}

void Ring::download_words(const OpenDevice& device, Stream s, const View& from, Domain domain, std::span<u64> residues, Staging& staging) const {
  if (plan_.word == Word::u64) {
    device.check(device.backend().download(s, from, domain, residues.data()), "download");
    return device.check(device.backend().synchronize(s), "download");
  }
  const std::span<u32> narrow = staging.as<u32>();
  for_each_limb(from, [&](const View& limb, std::size_t at) {
    device.check(device.backend().download(s, limb, domain, narrow.data()), "download");
    device.check(device.backend().synchronize(s), "download");
    std::copy(narrow.begin(), narrow.end(), residues.begin() + static_cast<std::ptrdiff_t>(at));
  });
}

namespace {

u64 residue_of(i128 value, const Modulus<u64>& q) noexcept { return q.reduce_signed(value); }

// One word of the constant is enough for one word: the quotient is short by at most one.
u64 residue_of(i64 value, const Modulus<u64>& q) noexcept {
  const u64 sign = static_cast<u64>(value >> 63), size = (static_cast<u64>(value) ^ sign) - sign;
  const u64 quotient = mulhi<u64>(size, static_cast<u64>(q.ratio() >> 64));
  const u64 residue = subtract_if_not_below<u64>(size - quotient * q.value(), q.value());
  return (residue & ~sign) | (q.negate(residue) & sign);
}

template <class I, class W>
[[gnu::noinline]] void residues_into(std::span<const I> values, const Modulus<u64>& q, std::span<W> words) noexcept {
  std::transform(values.begin(), values.end(), words.begin(), [&q](I value) { return static_cast<W>(residue_of(value, q)); });
}

}  // namespace

template <class I>
void Ring::upload_integers(Stream s, const View& to, std::span<const I> coefficients, Staging& staging) const {
  for_each_limb(to, [&](const View& limb, std::size_t at) {
    const std::span<const I> values = coefficients.subspan(at / plan_.n / to.limbs * plan_.n, plan_.n);
    const auto put = [&](auto words) {
      residues_into(values, basis_[limb.first_limb], words);
      device().check(backend().upload(s, limb, Domain::coefficient, words.data()), "upload");
    };
    if (plan_.word == Word::u64) put(staging.as<u64>());
    else put(staging.as<u32>());
    device().check(backend().synchronize(s), "upload");
  });
}

void Ring::upload_signed(Stream s, Slice<Coeff> to, std::span<const i64> coefficients, Staging& staging) const {
  upload_integers(s, to.view(), coefficients, staging);
}

void Ring::upload_signed(Stream s, Slice<Coeff> to, std::span<const i128> coefficients, Staging& staging) const {
  upload_integers(s, to.view(), coefficients, staging);
}

void Ring::upload_small(Stream s, Slice<Coeff> to, const Lift& lift, Staging& staging) const {
  const auto put = [&](auto words, auto q) {
    lift_into(words, lift, q);
    device().check(backend().upload(s, to.view(), Domain::coefficient, words.data()), "upload");
  };
  if (plan_.word == Word::u64) put(staging.as<u64>(), q());
  else put(staging.as<u32>(), static_cast<u32>(q()));
  device().check(backend().synchronize(s), "upload");
}

void Ring::upload_monomial(Stream s, Slice<Coeff> to, u32 exponent, Staging& staging) const {
  const auto put = [&](auto words) {
    std::fill(words.begin(), words.end(), 0);
    words[exponent] = 1;
    device().check(backend().upload(s, to.view(), Domain::coefficient, words.data()), "upload");
  };
  if (plan_.word == Word::u64) put(staging.as<u64>());
  else put(staging.as<u32>());
  device().check(backend().synchronize(s), "upload");
}

}  // namespace ringfort
