// SPDX-License-Identifier: Apache-2.0
// The operations of a ring (ring.h): transforms, products, uploads and downloads.
#include "ring/ring.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace ringfort {

namespace {

template <class W>
void lift_into(std::span<W> out, const SmallLift& lift, W q) {
  // This code uses zero extension and shifts, which every instruction set has for vectors.
  const auto lifted = [q](i8 small) {
    const W biased = static_cast<u8>(small ^ -128);
    return static_cast<W>(biased - 128 + (q & static_cast<W>((biased >> 7) - 1)));
  };
  // sum < 2q < 2^bits and q < 2^(bits - 1). Therefore the top bit of the difference shows a borrow.
  const auto reduced = [q](W sum) {
    const W difference = static_cast<W>(sum - q), borrow = static_cast<W>(difference >> (8 * sizeof(W) - 1));
    return static_cast<W>(difference + (q & static_cast<W>(W{0} - borrow)));
  };
  const W mask = static_cast<W>(lift.mask);
  if (lift.addend == nullptr) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = lifted(lift.small[i]);
  } else {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = reduced(static_cast<W>(lifted(lift.small[i]) + (static_cast<W>(lift.addend[i]) & mask)));
  }
  out[0] = reduced(static_cast<W>(out[0] + static_cast<W>(lift.constant)));
}

}  // namespace

// Calls f(view, offset). The view has one limb of one polynomial. `offset` is the position of the limb in an array of
// words without gaps.
template <class F>
void Ring::for_each_limb(const View& view, F f) const {
  for (std::size_t p = 0; p < view.batch; ++p) {
    for (u32 l = 0; l < view.limbs.count; ++l)
      f(view.polynomial(p).in({view.limbs.first + l, 1}), (p * view.limbs.count + l) * n());
  }
}

Ring::Ring(std::shared_ptr<const Device> device, const Plan& plan) : device_plan_{device, device->prepare(plan)} {}

void Ring::multiply_limbs(Stream s, const View& out, const View& a, std::span<const u64> scalars) const {
  std::array<u128, kMostLimbs> factors;
  const bool single = scalars.size() == 1;
  const u32 count = std::min(single ? out.limbs.count : static_cast<u32>(scalars.size()), kMostLimbs);
  for (u32 i = 0; i < count; ++i) factors[i] = scalars[single ? 0 : i];
  device().run(s, verb::MultiplyScalar{out, a, std::span(factors).first(count)});
}

Poly<Eval> Ring::forward(Stream s, Poly<Coeff>&& poly) const {
  device().run(s, verb::Ntt{poly.all().view()});
  return std::move(poly).retyped<Eval>();
}

Poly<Coeff> Ring::inverse(Stream s, Poly<Eval>&& poly) const {
  device().run(s, verb::Intt{poly.all().view()});
  return std::move(poly).retyped<Coeff>();
}

Slice<Eval> Ring::forward(Stream s, Slice<Coeff>&& slice) const {
  device().run(s, verb::Ntt{slice.view()});
  return Slice<Eval>(slice.view());
}

Slice<Coeff> Ring::inverse(Stream s, Slice<Eval>&& slice) const {
  device().run(s, verb::Intt{slice.view()});
  return Slice<Coeff>(slice.view());
}

Slice<Coeff> Ring::inverse_into(Stream s, Slice<Eval>&& out, Slice<Eval> a) const {
  const std::array<Verb, 2> verbs = {verb::Copy{out.view(), a.view()}, verb::Intt{out.view()}};
  device().run(s, verbs);
  return Slice<Coeff>(out.view());
}

void Ring::inner_product(Stream s, Slice<Eval> out, Slice<Eval> a, Slice<Eval> b, u32 inner, bool accumulate) const {
  device().run(
      s, verb::InnerProduct{out.view(), a.view(), b.view(), a.batch() / inner, inner, b.batch() / inner, accumulate});
}

void Ring::gadget_product(Stream s, const GadgetOperands& of, const Gadget& gadget, bool accumulate) const {
  device().run(s, verb::GadgetProduct{of.out.view(), of.digits.view(), of.a.view(), of.b.view(), gadget, accumulate});
}

void Ring::upload_words(Stream s, const View& to, Domain domain, std::span<const u64> residues,
                        Staging& staging) const {
  if (word() == Word::u64) return device().run(s, verb::Upload{to, domain, residues.data()});
  const std::span<u32> narrow = staging.as<u32>();
  for_each_limb(to, [&](const View& limb, std::size_t at) {
    const std::span<const u64> wide = residues.subspan(at, n());
    std::transform(wide.begin(), wide.end(), narrow.begin(), [](u64 x) { return static_cast<u32>(x); });
    device().run(s, verb::Upload{limb, domain, narrow.data()});
  });
}

void Ring::download_words(const Device& device, Stream s, const View& from, Domain domain, std::span<u64> residues,
                          Staging& staging) const {
  if (word() == Word::u64) {
    device.run(s, verb::Download{from, domain, residues.data()});
    return device.synchronize(s);
  }
  const std::span<u32> narrow = staging.as<u32>();
  for_each_limb(from, [&](const View& limb, std::size_t at) {
    device.run(s, verb::Download{limb, domain, narrow.data()});
    device.synchronize(s);
    std::copy(narrow.begin(), narrow.begin() + n(), residues.begin() + static_cast<std::ptrdiff_t>(at));
  });
}

void Ring::upload_small(Stream s, Slice<Coeff> to, const SmallLift& lift, Staging& staging) const {
  const auto upload_words = [&](auto words, auto q) {
    lift_into(words, lift, q);
    device().run(s, verb::Upload{to.view(), Domain::coefficient, words.data()});
  };
  if (word() == Word::u64) upload_words(staging.as<u64>(), q());
  else upload_words(staging.as<u32>(), static_cast<u32>(q()));
}

void Ring::upload_monomial(Stream s, Slice<Coeff> to, u32 exponent, Staging& staging) const {
  const auto upload_words = [&](auto words) {
    std::fill(words.begin(), words.end(), 0);
    words[exponent] = 1;
    device().run(s, verb::Upload{to.view(), Domain::coefficient, words.data()});
  };
  if (word() == Word::u64) upload_words(staging.as<u64>());
  else upload_words(staging.as<u32>());
}

}  // namespace ringfort
