// SPDX-License-Identifier: Apache-2.0
#include "ring/batch.h"

#include <string>

#include "ring/ring.h"
#include "ring/slots.h"
#include "ringfort/declassified.h"
#include "ringfort/error.h"

namespace ringfort {

namespace {

[[noreturn]] void refuse(const std::string& problem, const std::string& fix) {
  throw Error(Code::invalid_argument, problem, fix);
}

// Returns the centred residue. No branch depends on a value.
i64 centred(u64 residue, u64 t) noexcept {
  return static_cast<i64>(residue - (t & (u64{0} - static_cast<u64>(residue > t / 2))));
}
u64 residue_of(i64 value, u64 t) noexcept { return static_cast<u64>(value) + (t & static_cast<u64>(value >> 63)); }
u64 residue_of(u64 value, u64) noexcept { return value; }
bool is_inside(i64 value, u64 t) noexcept {
  return (value >= -static_cast<i64>(t / 2)) & (value <= static_cast<i64>(t / 2));
}
bool is_inside(u64 value, u64 t) noexcept { return value < t; }
void store_value(i64& to, u64 residue, u64 t) noexcept { to = centred(residue, t); }
void store_value(u64& to, u64 residue, u64) noexcept { to = residue; }

template <class Value>
void check_range(std::span<const Value> values, u64 t) {
  bool inside = true;
  for (const Value value : values) inside &= is_inside(value, t);
  if (declassified(inside)) return;
  const std::string half = std::to_string(t / 2), top = std::to_string(t - 1);
  refuse("a value is outside " + (std::is_signed_v<Value> ? "-" + half + " .. " + half : "0 .. " + top) +
             ", the integers modulo t = " + std::to_string(t),
         "reduce the values modulo t, or choose a larger plain modulus");
}

}  // namespace

BatchEncoder::BatchEncoder(u32 n, u64 t) : t_(t), ntt_(n, t), positions_(slot_positions(n)) {}

template <class Value>
void BatchEncoder::encode_values(std::span<const Value> values, std::span<i64> out) const {
  const u32 n = this->n();
  if (values.size() > n)
    refuse(std::to_string(values.size()) + " values were given, there are " + std::to_string(n) + " slots",
           "encode blocks of that size");
  if (out.size() != n)
    refuse("the output has " + std::to_string(out.size()) + " coefficients, the ring " + std::to_string(n),
           "give an output of n coefficients");
  check_range(values, t_);
  Staging staging(n);  // zeroed here, wiped at its end
  const std::span<u64> words = staging.as<u64>();
  for (std::size_t i = 0; i < values.size(); ++i) words[positions_[i]] = residue_of(values[i], t_);
  ntt_.inverse<u64>(words, words);
  for (u32 k = 0; k < n; ++k) out[k] = centred(words[k], t_);
}

template <class Value>
void BatchEncoder::decode_values(std::span<const u64> residues, std::span<Value> out) const {
  const u32 n = this->n();
  if (residues.size() != n)
    refuse(std::to_string(residues.size()) + " coefficients were given", "give n = " + std::to_string(n));
  if (out.size() > n)
    refuse(std::to_string(out.size()) + " values were requested, there are " + std::to_string(n) + " slots",
           "ask for that many at most");
  Staging staging(n);
  ntt_.forward<u64>(residues, staging.as<u64>());
  for (std::size_t i = 0; i < out.size(); ++i) store_value(out[i], staging.as<u64>()[positions_[i]], t_);
}

void BatchEncoder::encode(std::span<const i64> values, std::span<i64> out) const { encode_values(values, out); }
void BatchEncoder::encode(std::span<const u64> values, std::span<i64> out) const { encode_values(values, out); }
void BatchEncoder::decode(std::span<const u64> residues, std::span<i64> out) const { decode_values(residues, out); }
void BatchEncoder::decode(std::span<const u64> residues, std::span<u64> out) const { decode_values(residues, out); }

}  // namespace ringfort
