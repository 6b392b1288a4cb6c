// SPDX-License-Identifier: Apache-2.0
// Tables of a SEALContext for programs that compute with words (seal/context.h). The operations do not use them.
#include <memory>
#include <vector>

#include "made_once.h"
#include "seal/context.h"

namespace seal {

namespace detail {

// The primes of a level are the first ones of the chain, so that all levels share the tables of transforms.
struct ChainTables {
  explicit ChainTables(EncryptionParameters keys) : all(std::move(keys)) {}
  const EncryptionParameters all;
  MadeOnce<util::Pointer<util::NTTTables>> coefficients, plain;
};

struct LevelTables {
  std::unique_ptr<util::GaloisTool> galois;
  std::unique_ptr<util::RNSTool> residues;
  std::vector<util::MultiplyUIntModOperand> coeff_div_plain;
  std::vector<std::uint64_t> plain_increment, upper_half_threshold;
};

struct KeptLevelTables {
  LevelTables none;  // returned if the parameters are not valid
  MadeOnce<LevelTables> made;
};

namespace {

template <class T>
const T* begin_of(const std::vector<T>& table) {
  return table.empty() ? nullptr : table.data();
}

int power_of(const EncryptionParameters& parms) { return util::get_power_of_two(parms.poly_modulus_degree()); }

// t floor(q / t) = q - (q mod t), and q is 0 modulo each prime.
std::vector<util::MultiplyUIntModOperand> quotients_of(const SEALContext::ContextData& data) {
  std::vector<util::MultiplyUIntModOperand> quotients;
  for (const Modulus& q : data.parms().coeff_modulus()) {
    std::uint64_t inverse = 0;
    util::try_invert_uint_mod(data.parms().plain_modulus().value(), q, inverse);
    const std::uint64_t rest = util::barrett_reduce_64(data.coeff_modulus_mod_plain_modulus(), q);
    quotients.emplace_back().set(util::multiply_uint_mod(util::negate_uint_mod(rest, q), inverse, q), q);
  }
  return quotients;
}

// In CKKS, negative coefficients are residues modulo 2^64.
std::vector<std::uint64_t> increments_of(const SEALContext::ContextData& data) {
  const std::vector<Modulus>& primes = data.parms().coeff_modulus();
  const std::uint64_t t = data.parms().plain_modulus().value();
  std::vector<std::uint64_t> increments(data.total_coeff_modulus(), data.total_coeff_modulus() + primes.size());
  if (t != 0 && !data.qualifiers().using_fast_plain_lift) {
    util::sub_uint(increments.data(), increments.size(), t, increments.data());
    return increments;
  }
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const std::uint64_t two_64[] = {0, 1};
    increments[i] = primes[i].value() - (t != 0 ? t : util::barrett_reduce_128(two_64, primes[i]));
  }
  return increments;
}

LevelTables make_tables(const SEALContext::ContextData& data) {
  LevelTables tables;
  const EncryptionParameters& parms = data.parms();
  const MemoryPoolHandle pool = MemoryManager::GetPool();
  tables.galois = std::make_unique<util::GaloisTool>(power_of(parms), pool);
  tables.residues = std::make_unique<util::RNSTool>(
      parms.poly_modulus_degree(), util::RNSBase(parms.coeff_modulus(), pool), parms.plain_modulus(), pool);
  if (parms.scheme() != scheme_type::ckks) tables.coeff_div_plain = quotients_of(data);
  tables.plain_increment = increments_of(data);
  const std::size_t words = parms.coeff_modulus().size();
  tables.upper_half_threshold.resize(words);
  util::half_round_up_uint(data.total_coeff_modulus(), words, tables.upper_half_threshold.data());
  return tables;
}

util::Pointer<util::NTTTables> make_transforms(const EncryptionParameters& parms, const std::vector<Modulus>& primes) {
  util::Pointer<util::NTTTables> made;
  util::CreateNTTTables(power_of(parms), primes, made, MemoryManager::GetPool());
  return made;
}

}  // namespace
}  // namespace detail

SEALContext::ContextData::ContextData(EncryptionParameters parms, std::shared_ptr<detail::ChainTables> tables)
    : parms_(std::move(parms)),
      chain_tables_(tables ? std::move(tables) : std::make_shared<detail::ChainTables>(parms_)),
      level_tables_(std::make_shared<detail::KeptLevelTables>()) {}

util::NTTTables* SEALContext::ContextData::small_ntt_tables() const {
  if (!qualifiers_.parameters_set()) return nullptr;
  detail::ChainTables& tables = *chain_tables_;
  return tables.coefficients.get([&] { return detail::make_transforms(tables.all, tables.all.coeff_modulus()); }).get();
}

util::NTTTables* SEALContext::ContextData::plain_ntt_tables() const {
  if (!qualifiers_.parameters_set() || !qualifiers_.using_batching || parms_.scheme() == scheme_type::ckks)
    return nullptr;
  detail::ChainTables& tables = *chain_tables_;
  return tables.plain.get([&] { return detail::make_transforms(tables.all, {tables.all.plain_modulus()}); }).get();
}

const detail::LevelTables& SEALContext::ContextData::level_tables() const {
  if (!qualifiers_.parameters_set()) return level_tables_->none;
  return level_tables_->made.get([this] { return detail::make_tables(*this); });
}

util::GaloisTool* SEALContext::ContextData::galois_tool() const { return level_tables().galois.get(); }
util::RNSTool* SEALContext::ContextData::rns_tool() const { return level_tables().residues.get(); }

const util::MultiplyUIntModOperand* SEALContext::ContextData::coeff_div_plain_modulus() const {
  return detail::begin_of(level_tables().coeff_div_plain);
}
const std::uint64_t* SEALContext::ContextData::plain_upper_half_increment() const {
  return detail::begin_of(level_tables().plain_increment);
}
const std::uint64_t* SEALContext::ContextData::upper_half_threshold() const {
  return detail::begin_of(level_tables().upper_half_threshold);
}

}  // namespace seal
