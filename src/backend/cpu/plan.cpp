// SPDX-License-Identifier: Apache-2.0
// Prepares a plan for device `cpu` (plan.h). It chooses the kernels of each modulus, and computes the constants and the
// tables of twiddles.
#include "backend/cpu/plan.h"

#include <algorithm>
#include <bit>

#include "backend/cpu/kernels/rounding.h"
#include "backend/host.h"
#include "math/reduction_montgomery.h"
#include "math/word.h"

namespace ringfort::cpu {
namespace {

template <class W>
struct Choice {
  const Kernels<W>* kernels = nullptr;
  u32 multiplier_bits = 0;  // B of the companions (Factor in kernels/limb.h)
  u32 cell_bytes = 0;       // a cell is an entry of the tables
  bool doubles = false;     // cells are doubles (kernels/doubles.h)
  bool centred = false;     // cells are centred residues (kernels/fermat.h)
};

u32 log2_of(u32 n) { return static_cast<u32>(std::countr_zero(n)); }

Choice<u32> of_32_bits(const Kernels<u32>& kernels) {
  return {.kernels = &kernels, .multiplier_bits = 32, .cell_bytes = 4};
}

Choice<u64> of_64_bits(const Kernels<u64>& kernels) {
  return {.kernels = &kernels, .multiplier_bits = 64, .cell_bytes = 8};
}

#if defined(__x86_64__)
// Tells whether transforms need no range correction between stages (Wide in kernels/ifma/engine.h).
bool is_wide(u32 n, u128 q) { return bits_of(q) + std::max(log2_of(n), 7u) <= 52; }

// Tells the same, but only for forward transforms.
bool is_wide_forward(u32 n, u128 q) { return (4 * log2_of(n) + 3) * q < u128{1} << 52; }

constexpr u32 kSmallestIfma = 128, kLargestStackDegree = 8192;  // 16 times 8 lanes; stack buffer in ifma.cpp

// Returns these kernels, with the inner product of the 52-bit multiplier in place of their own.
Kernels<u32> with_ifma(Kernels<u32> kernels) {
  kernels.inner_product = ifma::kWide32.inner_product;
  return kernels;
}

constexpr u32 kFermatPrime = 65537;

const Kernels<u32>& lazy_with_ifma() {
  static const Kernels<u32> kernels = with_ifma(avx512::kLazy32);
  return kernels;
}

const Kernels<u32>& fermat_with_ifma() {
  static const Kernels<u32> kernels = with_ifma(avx512::kFermat32);
  return kernels;
}

// Made when the program is loaded: a child that was forked while another thread made them would wait for ever.
[[maybe_unused]] const bool kernels_made = (lazy_with_ifma(), fermat_with_ifma(), true);

Choice<u32> choose_for_fermat_prime(u32 n, Isa isa) {
  Choice<u32> choice = of_32_bits(isa >= Isa::ifma && n >= 256     ? fermat_with_ifma()
                                  : isa >= Isa::avx512 && n >= 256 ? avx512::kFermat32
                                                                   : avx2::kFermat32);
  choice.centred = true;
  return choice;
}

Choice<u32> choose(u32 n, u128 q, Isa isa, u32) {
  const bool lazy = bits_of(q) <= 30;
  if (q == kFermatPrime && isa >= Isa::avx2 && n >= 128) return choose_for_fermat_prime(n, isa);
  if (isa >= Isa::ifma && n >= 256 && lazy) return of_32_bits(lazy_with_ifma());
  if (isa >= Isa::ifma && n >= kSmallestIfma && n <= kLargestStackDegree && is_wide(n, q))
    return {.kernels = &ifma::kWide32, .multiplier_bits = 52, .cell_bytes = 8};
  if (isa >= Isa::avx512 && n >= 256) return of_32_bits(lazy ? avx512::kLazy32 : avx512::kKernels32);
  if (isa >= Isa::avx2 && n >= 128) return of_32_bits(lazy ? avx2::kLazy32 : avx2::kKernels32);
  return of_32_bits(generic::kKernels32);
}

Choice<u64> choose(u32 n, u128 q, Isa isa, u64) {
  if (isa >= Isa::ifma && n >= kSmallestIfma && is_wide(n, q))
    return {.kernels = &ifma::kWide64, .multiplier_bits = 52, .cell_bytes = 8};
  if (isa >= Isa::ifma && n >= kSmallestIfma && is_wide_forward(n, q))
    return {.kernels = &ifma::kWideForward64, .multiplier_bits = 52, .cell_bytes = 8};
  if (isa >= Isa::ifma && n >= kSmallestIfma && bits_of(q) <= 50)
    return {.kernels = &ifma::kTight64, .multiplier_bits = 52, .cell_bytes = 8};
  const bool wide = bits_of(q) <= 48, near = bits_of(q) <= 61;
  const auto in_doubles = [](const Kernels<u64>& kernels) {
    return Choice<u64>{.kernels = &kernels, .multiplier_bits = 64, .cell_bytes = 8, .doubles = true};
  };
  if (isa >= Isa::avx512 && n >= 128 && bits_of(q) <= 50) return in_doubles(wide ? avx512::kWide64 : avx512::kTight64);
  if (isa == Isa::fma && n >= 64 && bits_of(q) <= 50) return in_doubles(wide ? fma::kWide64 : fma::kTight64);
  if (isa >= Isa::avx512 && n >= 128) return of_64_bits(near ? avx512::kNear64 : avx512::kKernels64);
  if (isa >= Isa::avx2 && n >= 64) return of_64_bits(near ? avx2::kNear64 : avx2::kKernels64);
  return of_64_bits(generic::kKernels64);
}
#else
Choice<u32> choose(u32, u128, Isa, u32) { return of_32_bits(generic::kKernels32); }
Choice<u64> choose(u32, u128, Isa, u64) { return of_64_bits(generic::kKernels64); }
#endif

Choice<u128> choose(u32, u128 q, Isa, u128) {
  const Kernels<u128>& kernels = bits_of(q) <= 126 ? generic::kLazy128 : generic::kKernels128;
  return {.kernels = &kernels, .multiplier_bits = 128, .cell_bytes = 16};
}

// Returns floor(value 2^bits / q), for value < q < 2^62 and bits <= 64.
u64 companion_of(u64 value, u64 q, u32 bits) { return static_cast<u64>((u128{value} << bits) / q); }

// Calls store(r, root^i mod q) for all i < n, where r is i with its log2(n) bits in reverse order.
template <class C, class Store>
void fill_powers(u32 n, C root, C q, Store store) {
  const Montgomery<C> m(q);
  const C step = m.to_form(root);
  C power = 1 % q;
  for (u32 i = 0; i < n; ++i, power = m.multiply(power, step)) {
    u32 reversed = 0;
    for (u32 bit = 0; bit < log2_of(n); ++bit) reversed |= (i >> bit & 1) << (log2_of(n) - 1 - bit);
    store(reversed, power);
  }
}

// Writes to `table` the n powers of the root, and then their companions (Factor in kernels/limb.h).
template <class Word>
void fill_table(const Limb<Word>& limb, u64 root, const Choice<Word>& choice, void* table) {
  fill_powers<u64>(limb.n, root, limb.q, [&](u32 i, u64 power) {
    if (choice.doubles) {
      const double q = static_cast<double>(limb.q), value = static_cast<double>(power);
      const double centred = power > limb.q / 2 ? value - q : value;
      static_cast<double*>(table)[i] = centred;
      static_cast<double*>(table)[limb.n + i] = centred / q;
      return;
    }
    const u64 companion = companion_of(power, limb.q, limb.multiplier_bits);
    if (choice.cell_bytes == 4) {
      const bool is_negative = choice.centred && power > limb.q / 2;
      static_cast<u32*>(table)[i] = static_cast<u32>(is_negative ? power - limb.q : power);
      static_cast<u32*>(table)[limb.n + i] = static_cast<u32>(companion);
    } else {
      static_cast<u64*>(table)[i] = power;
      static_cast<u64*>(table)[limb.n + i] = companion;
    }
  });
}

void fill_table(const Limb<u128>& limb, u128 root, const Choice<u128>&, void* table) {
  fill_powers<u128>(limb.n, root, limb.q, [&](u32 i, u128 power) {
    const Factor<u128> factor = make_factor(limb, power);
    static_cast<u128*>(table)[i] = factor.value;
    static_cast<u128*>(table)[limb.n + i] = factor.companion;
  });
}

void fill_reduction(Limb<u128>& limb) {
  const Montgomery<u128> m(limb.q);
  u128 inverse = limb.q;  // q q = 1 mod 8: 3 bits are correct at first; each Newton step doubles their number
  for (u32 bits = 3; bits < 128; bits *= 2) inverse *= 2 - limb.q * inverse;
  limb.montgomery_inverse = inverse;
  limb.montgomery_square = m.to_form(m.one());
}

template <class W>
void fill_reduction(Limb<W>& limb) {
  const u32 shift = sizeof(W) == 4 ? limb.bits + 31 : limb.bits + limb.multiplier_bits - 2;
  limb.barrett = static_cast<u64>((u128{1} << shift) / limb.q);
  const u64 radix = static_cast<u64>((u64{1} << 52) % limb.q);
  limb.radix = {radix, companion_of(radix, limb.q, 52)};
  limb.radix_barrett = (u64{1} << 52) / limb.q;
}

template <class W>
void build(const Plan& plan, u128 q, u128 root, Isa isa, PreparedLimb<W>& out) {
  using C = typename Limb<W>::C;
  const Choice<W> choice = choose(plan.n, q, isa, W{});
  out.kernels = choice.kernels;
  Limb<W>& limb = out.constants;
  limb.n = plan.n;
  limb.log_n = log2_of(plan.n);
  limb.bits = bits_of(q);
  limb.multiplier_bits = choice.multiplier_bits;
  limb.q = static_cast<C>(q);
  fill_reduction(limb);

  const std::size_t half = std::size_t{choice.cell_bytes} * plan.n;
  out.tables = AlignedBuffer<u8>(4 * half);
  u8* base = out.tables.data();
  const Montgomery<C> m(limb.q);
  const C psi = static_cast<C>(root);
  const C inverse_psi = m.from_form(m.power(m.to_form(psi), static_cast<C>(2 * u64{plan.n} - 1)));
  fill_table(limb, psi, choice, base);
  fill_table(limb, inverse_psi, choice, base + 2 * half);
  limb.powers = base;
  limb.companions = base + half;
  limb.inverse_powers = base + 2 * half;
  limb.inverse_companions = base + 3 * half;

  const C scale = limb.q - (limb.q - 1) / plan.n;                              // n (q - (q - 1) / n) = 1 mod q
  const C turn = m.from_form(m.power(m.to_form(inverse_psi), C{plan.n / 2}));  // twiddle of the last stage
  const C last = m.from_form(m.multiply(m.to_form(scale), m.to_form(turn)));
  const auto twice = [&](C value) { return add_mod<C>(value, value, limb.q); };
  limb.scale = make_factor(limb, scale);
  limb.last = make_factor(limb, last);
  limb.half_scale = make_factor(limb, twice(scale));
  limb.half_last = make_factor(limb, twice(last));
}

template <class W>
void build_all(const Plan& plan, std::span<const u128> roots, Isa isa, CpuPlan& out) {
  for (std::size_t l = 0; l < roots.size(); ++l)
    build(plan, plan.moduli[l], roots[l], isa, out.limbs<W>().emplace_back());
}

#if defined(__x86_64__)
void choose_vectors(Isa isa, CpuPlan& out) {
  const bool short_primes = out.most_bits <= 50;
  if (isa >= Isa::ifma && short_primes) {
    out.kernels32 = ifma::kPlanKernels32;
    out.kernels64 = ifma::kPlanKernels64;
  } else if (isa >= Isa::avx512) {
    out.kernels32 = avx512::kPlanKernels32;
    out.kernels64 = short_primes ? avx512::kDoublePlanKernels64 : avx512::kPlanKernels64;
  } else if (isa >= Isa::avx2) {
    out.kernels32 = avx2::kPlanKernels32;
    out.kernels64 = isa == Isa::fma && short_primes ? fma::kPlanKernels64 : avx2::kPlanKernels64;
  }
}
#else
void choose_vectors(Isa, CpuPlan&) {}
#endif

void choose_for_plan(const Plan& plan, Isa isa, CpuPlan& out) {
  constexpr u32 kSmallestVectors = 64;
  for (const u128 q : plan.moduli) out.most_bits = std::max(out.most_bits, bits_of(q));
  out.kernels32 = generic::kPlanKernels32;
  out.kernels64 = generic::kPlanKernels64;
  out.kernels128 = generic::kPlanKernels128;
  if (plan.n >= kSmallestVectors) choose_vectors(isa, out);
}

}  // namespace

template <class W>
Factor<typename Limb<W>::C> make_factor(const Limb<W>& limb, typename Limb<W>::C value) noexcept {
  if constexpr (sizeof(W) == 16) {  // value 2^128 - remainder is a multiple of q
    const u128 remainder = Montgomery<u128>(limb.q).to_form(value);
    return {value, (u128{0} - remainder) * limb.montgomery_inverse};
  } else {
    return {value, companion_of(value, limb.q, limb.multiplier_bits)};
  }
}
template Factor<u64> make_factor(const Limb<u32>&, u64) noexcept;
template Factor<u64> make_factor(const Limb<u64>&, u64) noexcept;
template Factor<u128> make_factor(const Limb<u128>&, u128) noexcept;

Status prepare(const Plan& plan, Isa isa, std::shared_ptr<const CpuPlan>& out) {
  if (!host::degree_is_supported(plan)) return Status::unsupported;
  const kernels::DefaultMode mode;
  std::vector<u128> roots;
  for (const u128 q : plan.moduli) roots.push_back(host::root_or_zero(plan, q));
  if (std::find(roots.begin(), roots.end(), 0) != roots.end()) return Status::unsupported;
  auto prepared = std::make_shared<CpuPlan>(plan);
  host::with_word(plan.word, [&]<class W>(W) { build_all<W>(plan, roots, isa, *prepared); });
  choose_for_plan(plan, isa, *prepared);
  out = std::move(prepared);
  return Status::ok;
}

}  // namespace ringfort::cpu
