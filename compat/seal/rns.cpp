// SPDX-License-Identifier: Apache-2.0
// Residue number systems (seal/util/rns.h). A number x below the product q of all moduli is the sum of
// (q / q_i) ((x mod q_i) / (q / q_i) mod q_i), minus a multiple of q.
#include "seal/util/rns.h"

#include <algorithm>

#include "errors.h"

namespace seal::util {

RNSBase::RNSBase(const std::vector<Modulus>& rnsbase, MemoryPoolHandle pool) : base_(rnsbase) {
  if (!pool) detail::refuse_argument("the memory pool is not initialised", "pass MemoryManager::GetPool()");
  if (base_.empty()) detail::refuse_argument("a base without moduli was requested", "give at least one modulus");
  const std::size_t k = base_.size();
  product_.assign(k, 0);
  product_[0] = 1;
  punctured_.assign(k * k, 0);
  for (const Modulus& q : base_) multiply_uint(product_.data(), k, q.value(), k, product_.data());
  for (std::size_t i = 0; i < k; ++i) {
    std::uint64_t* const punctured = punctured_.data() + i * k;
    punctured[0] = 1;
    for (std::size_t j = 0; j < k; ++j) {
      if (j != i) multiply_uint(punctured, k, base_[j].value(), k, punctured);
    }
    std::uint64_t inverse = 0;
    if (base_[i].is_zero() || (k > 1 && !try_invert_uint_mod(modulo_uint(punctured, k, base_[i]), base_[i], inverse)))
      detail::refuse_argument("the moduli of a base are zero or have a common factor", "use different primes");
    MultiplyUIntModOperand operand{};
    operand.set(k > 1 ? inverse : 1, base_[i]);
    inverses_.push_back(operand);
  }
}

bool RNSBase::contains(const Modulus& value) const noexcept {
  return std::find(base_.begin(), base_.end(), value) != base_.end();
}

void RNSBase::compose_words(const std::uint64_t* residues, std::size_t stride, std::uint64_t* number) const {
  const std::size_t k = base_.size();
  std::vector<std::uint64_t> term(k + 1), sum(k + 1, 0), product(product_);
  product.push_back(0);
  for (std::size_t i = 0; i < k; ++i) {
    multiply_uint(punctured_.data() + i * k, k, multiply_uint_mod(residues[i * stride], inverses_[i], base_[i]), k + 1,
                  term.data());
    add_uint(sum.data(), term.data(), k + 1, sum.data());
    if (is_greater_than_or_equal_uint(sum.data(), product.data(), k + 1))
      sub_uint(sum.data(), product.data(), k + 1, sum.data());
  }
  std::copy_n(sum.data(), k, number);
}

void RNSBase::decompose(std::uint64_t* value, MemoryPoolHandle pool) const {
  decompose_array(value, 1, std::move(pool));
}
void RNSBase::compose(std::uint64_t* value, MemoryPoolHandle pool) const { compose_array(value, 1, std::move(pool)); }

void RNSBase::decompose_array(std::uint64_t* value, std::size_t count, MemoryPoolHandle) const {
  const std::size_t k = base_.size();
  const std::vector<std::uint64_t> numbers(value, value + mul_safe(count, k));
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t c = 0; c < count; ++c) value[i * count + c] = modulo_uint(numbers.data() + c * k, k, base_[i]);
  }
}

void RNSBase::compose_array(std::uint64_t* value, std::size_t count, MemoryPoolHandle) const {
  const std::vector<std::uint64_t> residues(value, value + mul_safe(count, base_.size()));
  for (std::size_t c = 0; c < count; ++c) compose_words(residues.data() + c, count, value + c * base_.size());
}

BaseConverter::BaseConverter(const RNSBase& ibase, const RNSBase& obase, MemoryPoolHandle)
    : ibase_(ibase),
      obase_(obase) {
  const std::size_t k = ibase.size();
  for (std::size_t o = 0; o < obase.size(); ++o) {
    for (std::size_t i = 0; i < k; ++i)
      punctured_.push_back(modulo_uint(ibase.punctured_prod_array() + i * k, k, obase[o]));
  }
}

void BaseConverter::fast_convert(ConstCoeffIter in, CoeffIter out, MemoryPoolHandle pool) const {
  fast_convert_array(ConstRNSIter(in.ptr(), 1), RNSIter(out.ptr(), 1), std::move(pool));
}

void BaseConverter::fast_convert_array(ConstRNSIter in, RNSIter out, MemoryPoolHandle) const {
  const std::size_t k = ibase_.size(), n = in.poly_modulus_degree();
  std::vector<std::uint64_t> scaled(k * n);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t c = 0; c < n; ++c)
      scaled[c * k + i] = multiply_uint_mod(in[i][c], ibase_.inv_punctured_prod_mod_base_array()[i], ibase_[i]);
  }
  for (std::size_t o = 0; o < obase_.size(); ++o) {
    for (std::size_t c = 0; c < n; ++c)
      out[o][c] = dot_product_mod(scaled.data() + c * k, punctured_.data() + o * k, k, obase_[o]);
  }
}

RNSTool::RNSTool(std::size_t poly_modulus_degree, const RNSBase& coeff_modulus, const Modulus& plain_modulus,
                 MemoryPoolHandle)
    : degree_(poly_modulus_degree),
      base_(std::make_unique<RNSBase>(coeff_modulus)),
      plain_(plain_modulus) {
  const std::uint64_t last = coeff_modulus[coeff_modulus.size() - 1].value();
  for (std::size_t i = 0; i + 1 < coeff_modulus.size(); ++i) {
    std::uint64_t inverse = 0;
    try_invert_uint_mod(last, coeff_modulus[i], inverse);
    inverses_.emplace_back().set(inverse, coeff_modulus[i]);
  }
}

// Adds half of the last modulus before the division, so that the quotient is rounded.
void RNSTool::divide_and_round_q_last_inplace(RNSIter input, MemoryPoolHandle) const {
  const std::size_t k = base_->size();
  const Modulus& last = (*base_)[k - 1];
  const std::uint64_t half = last.value() >> 1;
  for (std::size_t c = 0; c < degree_; ++c) {
    const std::uint64_t raised = add_uint_mod(input[k - 1][c], half, last);
    input[k - 1][c] = raised;
    for (std::size_t i = 0; i + 1 < k; ++i) {
      const Modulus& q = (*base_)[i];
      const std::uint64_t lowered = sub_uint_mod(barrett_reduce_64(raised, q), barrett_reduce_64(half, q), q);
      input[i][c] = multiply_uint_mod(sub_uint_mod(input[i][c], lowered, q), inverses_[i], q);
    }
  }
}

void RNSTool::divide_and_round_q_last_ntt_inplace(RNSIter input, ConstNTTTablesIter rns_ntt_tables,
                                                  MemoryPoolHandle pool) const {
  inverse_ntt_negacyclic_harvey(input, base_->size(), rns_ntt_tables);
  divide_and_round_q_last_inplace(input, std::move(pool));
  ntt_negacyclic_harvey(input, base_->size() - 1, rns_ntt_tables);
}

// Adds the integer parts and the fractions of t y_i / q_i, for the residues y_i of the sum above. The fractions have 64
// bits, so that each is less than 2^-64 too small.
void RNSTool::decrypt_scale_and_round(ConstRNSIter phase, CoeffIter destination, MemoryPoolHandle) const {
  if (plain_.is_zero()) detail::refuse_state("the parameters have no plain modulus", "use the parameters of BFV");
  for (std::size_t c = 0; c < degree_; ++c) {
    uintarith_detail::Wide fractions = std::uint64_t(1) << 63;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < base_->size(); ++i) {
      const Modulus& q = (*base_)[i];
      unsigned long long scaled[2];
      multiply_uint64(multiply_uint_mod(phase[i][c], base_->inv_punctured_prod_mod_base_array()[i], q), plain_.value(),
                      scaled);
      std::uint64_t number[2] = {scaled[0], scaled[1]}, whole[2] = {0, 0};
      divide_uint128_inplace(number, q.value(), whole);
      std::uint64_t rest[2] = {0, number[0]}, fraction[2] = {0, 0};
      divide_uint128_inplace(rest, q.value(), fraction);
      sum = add_uint_mod(sum, modulo_uint(whole, 2, plain_), plain_);
      fractions += fraction[0];
    }
    destination[c] = add_uint_mod(sum, barrett_reduce_64(static_cast<std::uint64_t>(fractions >> 64), plain_), plain_);
  }
}

}  // namespace seal::util
