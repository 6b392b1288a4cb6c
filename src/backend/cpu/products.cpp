// SPDX-License-Identifier: Apache-2.0
// Inner products, gadget products (inner products of digits and a key), tensor products and automorphisms of device
// `cpu`. backend/verbs.h defines these verbs.
#include "backend/cpu/products.h"

#include "backend/cpu/work.h"

namespace ringfort::cpu {

namespace {

constexpr u32 kLargestFused = 8192;  // most coefficients for the fused kernel; in u64, 64 KiB for each polynomial

// Computes an InnerProduct, a product of matrices. Splits the work by limbs and by pairs of rows of the result. If this
// gives fewer parts than threads, also splits it by ranges of coefficients.
template <class W>
void sum(Stream s, const verb::InnerProduct& p) {
  const CpuPlan& plan = plan_of(p.out);
  const u32 n = plan.plan.n;
  const Products<W> whole = products_of<W>(p);
  const std::size_t limbs = p.out.limbs.count;
  const std::size_t row_pairs = (p.rows + 1) / 2;
  std::size_t ranges = 1;
  while (ranges * row_pairs * limbs < s.threads && n / ranges > 128) ranges *= 2;
  for_each_item(s.threads, row_pairs * limbs * ranges, [&](std::size_t item, unsigned) {
    const std::size_t l = item % limbs, range = item / limbs % ranges, row = item / limbs / ranges * 2;
    const std::size_t at = l * n + range * (n / ranges);
    const PreparedLimb<W>& limb = plan.limbs<W>()[p.out.limbs.first + l];
    Products<W> work = whole;
    work.out += at + row * whole.out_row, work.a += at + row * whole.a_row, work.b += at;
    work.rows = static_cast<u32>(std::min<std::size_t>(2, p.rows - row));
    limb.kernels->inner_product(limb.constants, work, n / ranges);
  });
}

Digits digits_of(const Gadget& gadget) { return {gadget.base_bits, gadget.digits, gadget.shift, gadget.centred}; }

// Computes a GadgetProduct. If there is one thread, n <= kLargestFused, and the limb has a fused kernel, uses this
// kernel. Otherwise extracts and transforms all digits first, and then sums their products.
template <class W>
void sum_digits(Stream s, const verb::GadgetProduct& p) {
  const PreparedLimb<W>& limb = plan_of(p.out).limbs<W>()[p.out.limbs.first];
  const std::size_t n = limb.constants.n;
  const DigitRow<W> row{host::words<W>(p.digits), host::words<W>(p.a), p.a.limb_stride() * n, digits_of(p.gadget)};
  const Products<W> products = products_of<W>(p.inner_product());
  if (s.threads <= 1 && n <= kLargestFused && limb.kernels->gadget_product != nullptr) {
    return limb.kernels->gadget_product(limb.constants, products, row);
  }
  // Each transform prefetches its share of b.
  const std::size_t chunks = p.b.is_dense() ? p.b.words() * sizeof(W) / p.digits.batch / Prefetch::kChunkBytes : 0;
  for_each_item(s.threads, p.digits.batch, [&](std::size_t k, unsigned) {
    const Prefetch next{reinterpret_cast<const char*>(products.b) + k * chunks * Prefetch::kChunkBytes, chunks};
    limb.kernels->forward_digit(limb.constants, row, static_cast<u32>(k), next);
  });
  if (fuses(p.inner_product())) sum<W>(s, p.inner_product());
  else inner_product_row(limb, products);
}

// Computes one limb of the tensor product of one pair of operands. If there is no tensor kernel, computes it in pieces
// that fit in L1. For u64 words, if there is a kernel for inner products, it computes the middle component, and reduces
// the sum of the two products a0 b1 and a1 b0 once. The stride of b is the distance from b1 back to b0.
template <class W>
void tensor_of(const PreparedLimb<W>& limb, W* const* out, const W* const* a, const W* const* b, std::size_t n) {
  constexpr std::size_t kTile = 512;
  const Kernels<W>& k = *limb.kernels;
  if (k.tensor != nullptr) return k.tensor(limb.constants, out, a, b, n);
  for (std::size_t at = 0; at < n; at += kTile) {
    const std::size_t count = std::min(kTile, n - at);
    k.multiply(limb.constants, out[0] + at, a[0] + at, b[0] + at, count);
    k.multiply(limb.constants, out[2] + at, a[1] + at, b[1] + at, count);
    if (sizeof(W) != 8 || k.inner_product == nullptr) {
      k.multiply(limb.constants, out[1] + at, a[0] + at, b[1] + at, count);
      k.multiply_add(limb.constants, out[1] + at, a[1] + at, b[0] + at, count);
      continue;
    }
    Products<W> middle;
    middle.out = out[1] + at, middle.a = a[0] + at, middle.b = b[1] + at;
    middle.a_inner = static_cast<std::size_t>(a[1] - a[0]), middle.b_inner = static_cast<std::size_t>(b[0] - b[1]);
    middle.inner = 2;
    k.inner_product(limb.constants, middle, count);
  }
}

// Tells whether has(kernels) is true for the kernels of every limb of the view.
template <class F>
bool every_limb(const View& view, F has) {
  bool all = true;
  host::with_word(view.plan->plan.word, [&]<class W>(W) {
    for (u32 l = view.limbs.first; l < view.limbs.end(); ++l) all &= has(*plan_of(view).limbs<W>()[l].kernels);
  });
  return all;
}

}  // namespace

bool fuses(const verb::InnerProduct& p) noexcept {
  return every_limb(p.out, [](const auto& kernels) { return kernels.inner_product != nullptr; });
}

bool fuses(const verb::Polymul& p) noexcept {
  return every_limb(p.out, [](const auto& kernels) { return kernels.polymul != nullptr; });
}

bool fuses(const verb::GadgetProduct& p) noexcept {
  bool has = false;
  host::with_word(p.out.plan->plan.word, [&]<class W>(W) {
    has = plan_of(p.out).limbs<W>()[p.out.limbs.first].kernels->forward_digit != nullptr &&
          digits_of(p.gadget).fit(8 * sizeof(W));
  });
  return has;
}

Status execute(Stream s, const verb::InnerProduct& p) noexcept {
  host::with_word(p.out.plan->plan.word, [&]<class W>(W) { sum<W>(s, p); });
  return Status::ok;
}

Status execute(Stream s, const verb::GadgetProduct& p) noexcept {
  host::with_word(p.out.plan->plan.word, [&]<class W>(W) { sum_digits<W>(s, p); });
  return Status::ok;
}

Status execute(Stream s, const verb::Tensor& v) noexcept {
  View pairs = v.a;  // one polynomial for each pair, because the loop runs over pairs and limbs
  pairs.batch /= 2;
  host::with_word(v.out.plan->plan.word, [&]<class W>(W) {
    for_each_limb<W>(s, pairs, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
      W* const sums[3] = {words_at<W>(v.out, 3 * p, l), words_at<W>(v.out, 3 * p + 1, l),
                          words_at<W>(v.out, 3 * p + 2, l)};
      const W* const left[2] = {words_at<W>(v.a, 2 * p, l), words_at<W>(v.a, 2 * p + 1, l)};
      const W* const right[2] = {words_at<W>(v.b, 2 * p, l), words_at<W>(v.b, 2 * p + 1, l)};
      tensor_of(limb, sums, left, right, limb.constants.n);
    });
  });
  return Status::ok;
}

Status execute(Stream s, const verb::Automorphism& v) noexcept {
  const CpuPlan& plan = plan_of(v.out);
  host::with_word(plan.plan.word, [&]<class W>(W) {
    for_each_limb<W>(s, v.out, [&](const PreparedLimb<W>& limb, std::size_t p, u32 l) {
      automorphism(limb, plan, words_at<W>(v.out, p, l), words_at<W>(v.a, p, l), {v.domain, v.galois});
    });
  });
  return Status::ok;
}

}  // namespace ringfort::cpu
