// SPDX-License-Identifier: Apache-2.0
// Computes the parts of a transform, the constants of a limb and the tables of twiddle factors (ntt_plan.h).
#include "backend/device/ntt_plan.h"

#include "math/word.h"

namespace ringfort::device {
namespace {

constexpr u32 kBlockLog = 12;  // log2 of the words of a block in a transform of two parts

template <class Word>
Word inverse_of(Word psi, Word q, u32 log_n) {  // psi^(2n - 1)
  return pow_mod<Word>(psi, (Word{2} << log_n) - 1, q);
}

// Returns 1/n mod q: 1, halved log_n times. An odd x is halved as (x + q) / 2, without overflow.
template <class Word>
Word inverse_of_n(Word q, u32 log_n) {
  Word inverse = 1;
  for (u32 i = 0; i < log_n; ++i) inverse = static_cast<Word>(inverse % 2 == 0 ? inverse / 2 : inverse / 2 + q / 2 + 1);
  return inverse;
}

// Returns the index, in the table of twiddle factors, of a group of stage t of a part in sub-transform `set`.
u32 entry_of(const NttPart& part, u32 set, u32 t, u32 group) {
  const u32 t0 = t < part.first_pass() ? 0 : t - (t - part.first_pass()) % kRadixLog, pass_stage = t - t0;
  return part.entry((1u << part.first) + set, t, t0, group >> pass_stage, group & ((1u << pass_stage) - 1));
}

// Makes the table. In stage s of the whole transform, the factors are psi^reverse(2^s + group), where group is 0, 1 ..
// 2^s - 1, and reverse() reverses the order of log_n bits.
template <class Word>
std::vector<Factor<Word>> table_of(Word q, Word psi, const std::vector<NttPart>& parts) {
  const u32 log_n = parts[0].log_n, n = 1u << log_n;
  std::vector<Word> powers(n);
  Word power = 1;
  for (u32 i = 0; i < n; ++i, power = mul_mod<Word>(power, psi, q)) powers[reverse_bits(i, log_n)] = power;
  std::vector<Factor<Word>> table(n, factor_of<Word>(1, q));
  for (const NttPart& part : parts) {
    for (u32 t = 0; t < part.log; ++t) {
      const u32 stage = 1u << (part.first + t);
      for (u32 i = 0; i < stage; ++i)
        table[entry_of(part, i >> t, t, i & ((1u << t) - 1))] = factor_of<Word>(powers[stage + i], q);
    }
  }
  return table;
}

}  // namespace

std::vector<NttPart> ntt_parts(u32 log_n, u32 most_log) {
  if (log_n <= most_log) return {{log_n, 0, log_n, 0}};
  const u32 first = log_n / 2, second = log_n - first;
  return {{log_n, 0, first, kBlockLog - first}, {log_n, first, second, kBlockLog - second}};
}

template <class Word>
Factor<Word> factor_of(Word value, Word q) noexcept {
  return {value, divide_wide<Word>(value, 0, q).quotient};
}

template <class Word>
Limb<Word> limb_of(Word q, u32 log_n) {
  const Word power = static_cast<Word>((~Word{0} % q + 1) % q);
  return {.q = q,
          .minus_q = static_cast<Word>(Word{0} - q),
          .one = factor_of<Word>(1, q),
          .power = factor_of(power, q),
          .scale = factor_of(inverse_of_n(q, log_n), q),
          .minus_2q = static_cast<Word>(Word{0} - 2 * q)};
}

template <class Word>
std::vector<Factor<Word>> forward_table(Word q, Word psi, const std::vector<NttPart>& parts) {
  return table_of(q, psi, parts);
}

template <class Word>
std::vector<Factor<Word>> inverse_table(Word q, Word psi, const std::vector<NttPart>& parts) {
  std::vector<Factor<Word>> table = table_of(q, inverse_of(psi, q, parts[0].log_n), parts);
  Factor<Word>& last = table[entry_of(parts[0], 0, 0, 0)];  // factor of the last inverse stage, which also divides by n
  last = factor_of(mul_mod<Word>(last.value, inverse_of_n(q, parts[0].log_n), q), q);
  return table;
}

template Factor<u32> factor_of<u32>(u32, u32) noexcept;
template Factor<u64> factor_of<u64>(u64, u64) noexcept;
template Limb<u32> limb_of<u32>(u32, u32);
template Limb<u64> limb_of<u64>(u64, u32);
template std::vector<Factor<u32>> forward_table<u32>(u32, u32, const std::vector<NttPart>&);
template std::vector<Factor<u64>> forward_table<u64>(u64, u64, const std::vector<NttPart>&);
template std::vector<Factor<u32>> inverse_table<u32>(u32, u32, const std::vector<NttPart>&);
template std::vector<Factor<u64>> inverse_table<u64>(u64, u64, const std::vector<NttPart>&);

}  // namespace ringfort::device
