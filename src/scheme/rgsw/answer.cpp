// SPDX-License-Identifier: Apache-2.0
// Makes and decrypts the answer of a search. The answer is one ciphertext, rounded to the moduli 2^c0_bits and
// 2^c1_bits. The literal engine (rgsw_search.h) computes a matrix, whose rows encrypt the count at the scales of the
// gadget. The answer is the row that has the scale of the plan. It has the same bits as the answer of the row engine.
#include <algorithm>
#include <cmath>

#include "scheme/rgsw/decrypt.h"
#include "scheme/rgsw/wire.h"

namespace ringfort::rgsw {

namespace {

// Returns round(x 2^bits / q) mod 2^bits for each word.
std::vector<u32> switch_modulus(std::span<const u64> words, u64 q, u32 bits) {
  const u64 mask = (u64{1} << bits) - 1;
  std::vector<u32> out(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    out[i] = static_cast<u32>(
        static_cast<u64>(((static_cast<u128>(words[i]) << (bits + 1)) + q) / (2 * static_cast<u128>(q))) & mask);
  }
  return out;
}

bool nearly(double a, double b) { return std::fabs(a - b) < 1e-6; }

Failure broken(Code code, const std::string& problem) { return {code, problem, "ask the server for the answer again"}; }

Result<Done> check_plan(const Parameters& p, const SearchPlan& plan) {
  SearchPlan expected;
  try {
    expected = plan_search(p, plan.mode, plan.words, plan.max_matches, plan.factors, plan.count_range);
  } catch (const Error& e) { return Failure{e.code(), e.problem(), e.fix()}; }
  if (expected.c0_bits != plan.c0_bits || expected.c1_bits != plan.c1_bits || expected.steps != plan.steps ||
      !nearly(expected.noise_bits, plan.noise_bits) || !nearly(expected.margin_bits, plan.margin_bits) ||
      !nearly(expected.failure_log2, plan.failure_log2)) {
    return broken(Code::io_range, "the answer's noise bound is not that of its plan");
  }
  return Done{};
}

Result<Done> check_words(std::span<const u32> words, u32 n, u32 bits) {
  if (words.size() != n)
    return broken(Code::io_length,
                  "the answer holds " + std::to_string(words.size()) + " coefficients, not " + std::to_string(n));
  if (bits < 32 && std::any_of(words.begin(), words.end(), [bits](u32 w) { return (w >> bits) != 0; })) {
    return broken(Code::io_range, "a coefficient of the answer is not below 2^" + std::to_string(bits));
  }
  return Done{};
}

}  // namespace

// Reads counts from phases. floor(phase q / 2^c1_bits) is the count times the scale, plus an error. The function rounds
// this value to the count. No branch and no division depends on a phase.
void counts_of(std::span<const u32> phase, const Scaled& by, std::span<u32> counts) noexcept {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const u64 x = static_cast<u64>((static_cast<u128>(phase[i]) * by.q) >> by.bits);
    const u64 kept = mask_if<u64>(x <= by.last);  // a larger value is a count of 0 with a negative error
    counts[i] = static_cast<u32>(by.scale.quotient(x + by.half) & kept);
  }
}

Answer SearchEvaluator::make_answer(MatchSum& sum) const {
  MatchSum::State& t = sum.state();
  require_same(t.context, context_.state(), "make_answer");
  require_complete(t);
  require_own_encryptions(t);
  const Context::State& c = *t.context;
  const auto work = c.workspace(threads_);
  add_unrotated(t, *work);
  const Scratch<Eval> pair = work->allocate<Eval>(2, c.ring.limbs());
  c.ring.copy(work->stream, pair.all(), t.engine == Engine::row ? t.sum.all() : t.sum.polynomials(2 * t.first.row, 2));
  std::vector<u64> words(2 * std::size_t{c.p.n});
  c.ring.download(work->stream, c.ring.inverse(work->stream, pair.all()), std::span<u64>(words), work->staging);
  const std::span<const u64> all(words);
  return {.digest = c.digest,
          .plan = t.plan,
          .words = t.words,
          .c0 = switch_modulus(all.first(c.p.n), c.p.q, t.plan.c0_bits),
          .c1 = switch_modulus(all.subspan(c.p.n), c.p.q, t.plan.c1_bits)};
}

Result<Done> check_answer(const Parameters& p, const Answer& answer) {
  if (answer.digest != digest(p)) {
    return Failure{Code::io_digest, "the parameters of the answer are not '" + p.name + "'",
                   "use the key of the index that was searched"};
  }
  if (answer.plan.mode == Mode::public_key && !p.public_key_allowed)
    return broken(Code::mode_forbidden, "the answer states a forbidden key mode");
  if (auto plan = check_plan(p, answer.plan); !plan.ok()) return plan;
  if (answer.words > answer.plan.words)
    return broken(Code::noise_bound_exceeded, "the answer sums more words than its plan allows");
  if (auto c0 = check_words(answer.c0, p.n, answer.plan.c0_bits); !c0.ok()) return c0;
  return check_words(answer.c1, p.n, answer.plan.c1_bits);
}

std::vector<std::uint32_t> Decryptor::decrypt_counts(const Answer& answer) const {
  require_same(context_.state(), key_->context, "decrypt_counts");
  const Parameters& p = key_->context->p;
  if (answer.digest != key_->context->digest) {
    throw Error(Code::parameters_mismatch, "the parameters of the answer are not those of the key, '" + p.name + "'",
                "use the key of the index that was searched");
  }
  (void)check_answer(p, answer).take();
  const SearchPlan& plan = answer.plan;
  std::vector<u32> c0 = answer.c0;
  for (u32& x : c0) x <<= plan.c1_bits - plan.c0_bits;
  const Secret<u32> phase = phase_mod_power(key_->secret.coefficients.span(), c0, answer.c1, plan.c1_bits);
  const u64 scale = count_scale(p, plan.count_range), top = (plan.count_range - 1) * scale,
            last = top + (p.q - top) / 2;
  std::vector<u32> counts(p.n);
  counts_of(phase.span(), {p.q, plan.c1_bits, last, scale / 2, Divisor<u64>(scale)}, counts);
  return counts;
}

}  // namespace ringfort::rgsw
