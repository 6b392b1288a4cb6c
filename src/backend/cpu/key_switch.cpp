// SPDX-License-Identifier: Apache-2.0
// The sum of a key switch, limb after limb: what every digit is in one limb is converted, transformed and summed while it is in
// the second-level cache, so that of all that is large only the key comes from memory, which is asked for during the
// transforms. A thread takes its limbs in turn and
// has one limb of the room for their digits.
#include "backend/cpu/conversion.h"
#include "backend/cpu/convert.h"
#include "backend/cpu/work.h"

namespace ringfort::cpu {

namespace {

constexpr std::size_t kDigitBytes = std::size_t{1} << 18;      // an eighth of a 2 MiB second-level cache

// `next`: what is read of the key with this digit, asked for while it is transformed.
template <class W>
void put_digit(const KeySwitch& k, u32 d, u32 limb, W* room, const Ahead& next) {
  const Prepared& plan = prepared(k.out);
  const u32 n = plan.plan.n;
  const Limbs own = k.digit(d);
  if (limb >= own.first && limb < own.end()) {
    std::memcpy(room, words_at<W>(k.a, 0, limb - k.a.first_limb), n * sizeof(W));
    return;
  }
  ConversionConstants constants;
  fill(constants, plan.basis, own, {limb, 1});
  ConversionWork<W> work = work_of<W>(constants, own.count, Conversion::centred, plan);
  work.out = room;
  work.a = words_at<W>(k.coefficients, 0, own.first - k.a.first_limb);
  plan.kernels<W>().convert(work);
  const PreparedLimb<W>& target = plan.limbs<W>()[limb];
  if (target.kernels->forward_ahead != nullptr) target.kernels->forward_ahead(target.constants, room, next);
  else target.kernels->forward(target.constants, room);
}

// As many digits at a time as leave the second-level cache to the sums and to what is read of the key.
template <class W>
void switch_limb(const KeySwitch& k, u32 l, u32 slot) {
  const Prepared& plan = prepared(k.out);
  const PreparedLimb<W>& limb = plan.limbs<W>()[k.out.first_limb + l];
  const u32 most = static_cast<u32>(std::max<std::size_t>(1, kDigitBytes / (plan.plan.n * sizeof(W))));
  Products<W> sum = products_of<W>(k.rest());
  sum.out = words_at<W>(k.out, 0, l), sum.a = words_at<W>(k.digits, 0, slot), sum.b = words_at<W>(k.key, 0, l);
  for (u32 first = 0; first < k.digits.batch; first += sum.inner, sum.b += sum.inner * sum.b_inner) {
    sum.inner = std::min(most, k.digits.batch - first);
    sum.accumulate = first != 0;
    for (u32 d = 0; d < sum.inner; ++d) {
      const std::size_t bytes = plan.plan.n * sizeof(W);
      const Ahead next{reinterpret_cast<const char*>(sum.b + d * sum.b_inner), sum.columns * bytes / Ahead::kPiece, sum.columns, sum.b_column * sizeof(W)};
      put_digit(k, first + d, k.out.first_limb + l, words_at<W>(k.digits, d, slot), next);
    }
    sum_of(limb, sum);
  }
}

}  // namespace

Status key_switch(Stream s, const KeySwitch& k) noexcept {
  for (const View* view : {&k.out, &k.a, &k.coefficients, &k.digits, &k.key}) {
    if (!valid(*view)) return Status::internal;
  }
  if (!k.is_whole()) return Status::internal;
  const Prepared& plan = prepared(k.out);
  if (!host::conversion_is_supported(plan.basis, host::limbs_of(k.a))) return Status::unsupported;
  const u32 workers = std::max(1u, std::min(s.threads, k.out.limbs));
  for_items(s.threads, workers, [&](std::size_t worker) {
    for (u32 l = static_cast<u32>(worker); l < k.out.limbs; l += workers) {
      if (plan.plan.word == Word::u32) switch_limb<u32>(k, l, static_cast<u32>(worker));
      else switch_limb<u64>(k, l, static_cast<u32>(worker));
    }
  });
  return Status::ok;
}

}  // namespace ringfort::cpu
