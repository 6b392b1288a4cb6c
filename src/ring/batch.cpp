// SPDX-License-Identifier: Apache-2.0
#include "ring/batch.h"

#include <string>

#include "ring/ring.h"
#include "math/word.h"
#include "ring/slots.h"
#include "ringfort/declassified.h"
#include "ringfort/error.h"

namespace ringfort {

namespace {

[[noreturn]] void refuse(const std::string& problem, const std::string& fix) {
  throw Error(Code::invalid_argument, problem, fix);
}

// Returns the centred residue, in a word of the same width. No branch depends on a value. t and the residue are shorter
// than a word, so the sign of t / 2 - residue tells which is larger.
template <class W>
std::make_signed_t<W> centred(W residue, W t) noexcept {
  using Signed = std::make_signed_t<W>;
  const Signed is_above = static_cast<Signed>(t / 2 - residue) >> (8 * sizeof(W) - 1);
  return static_cast<Signed>(residue - (t & static_cast<W>(is_above)));
}
u64 residue_of(i64 value, u64 t) noexcept { return static_cast<u64>(value) + (t & static_cast<u64>(value >> 63)); }
u64 residue_of(u64 value, u64) noexcept { return value; }
bool is_inside(i64 value, u64 t) noexcept { return static_cast<u64>(value) + t / 2 < t; }
bool is_inside(u64 value, u64 t) noexcept { return value < t; }
template <class W>
i64 value_of(W residue, W t, i64) noexcept {
  return centred(residue, t);
}
template <class W>
u64 value_of(W residue, W, u64) noexcept {
  return residue;
}

template <class Value>
void require_inside(bool inside, u64 t) {
  if (declassified(inside)) return;
  const std::string half = std::to_string(t / 2), top = std::to_string(t - 1);
  refuse("a value is outside " + (std::is_signed_v<Value> ? "-" + half + " .. " + half : "0 .. " + top) +
             ", the integers modulo t = " + std::to_string(t),
         "reduce the values modulo t, or choose a larger plain modulus");
}

// Tells whether words of 32 bits are enough, whose transforms take half the time.
bool has_short_words(u64 t) noexcept { return t >> 31 == 0; }

}  // namespace

BatchEncoder::BatchEncoder(u32 n, u64 t)
    : t_(t),
      ntt_(n, t, has_short_words(t) ? WordWidth::bits32 : WordWidth::bits64),
      positions_(slot_positions(n)) {}

template <class Value>
void BatchEncoder::encode_values(std::span<const Value> values, std::span<i64> out) const {
  const u32 n = this->n();
  if (values.size() > n)
    refuse(std::to_string(values.size()) + " values were given, there are " + std::to_string(n) + " slots",
           "encode blocks of that size");
  if (out.size() != n)
    refuse("the output has " + std::to_string(out.size()) + " coefficients, the ring " + std::to_string(n),
           "give an output of n coefficients");
  Staging staging(n);  // zeroed; its destructor wipes it
  const auto encode_in = [&](const auto words) {
    using W = typename decltype(words)::value_type;
    const u64 t = t_;
    bool inside = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      inside &= is_inside(values[i], t);
      words[positions_[i]] = static_cast<W>(residue_of(values[i], t));
    }
    require_inside<Value>(inside, t);
    ntt_.inverse<W>(words, words);
    for (u32 k = 0; k < n; ++k) out[k] = centred<W>(words[k], static_cast<W>(t));
  };
  if (has_short_words(t_)) encode_in(staging.as<u32>());
  else encode_in(staging.as<u64>());
}

template <class Value>
void BatchEncoder::decode_values(std::span<const u64> residues, std::span<Value> out) const {
  const u32 n = this->n();
  if (residues.size() != n)
    refuse(std::to_string(residues.size()) + " coefficients were given", "give n = " + std::to_string(n));
  if (out.size() > n)
    refuse(std::to_string(out.size()) + " values were requested, there are " + std::to_string(n) + " slots",
           "request at most that many");
  Staging staging(n);
  const auto decode_in = [&](const auto words) {
    using W = typename decltype(words)::value_type;
    const u64 t = t_;
    if constexpr (sizeof(W) == sizeof(u32)) {
      // The transform refuses words that are not below t. No branch depends on a residue.
      for (u32 k = 0; k < n; ++k) words[k] = static_cast<W>(residues[k] | mask_if<u64>(residues[k] >= t));
      ntt_.forward<W>(words, words);
    } else {
      ntt_.forward<W>(residues, words);
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = value_of<W>(words[positions_[i]], static_cast<W>(t), Value{});
  };
  if (has_short_words(t_)) decode_in(staging.as<u32>());
  else decode_in(staging.as<u64>());
}

void BatchEncoder::encode(std::span<const i64> values, std::span<i64> out) const { encode_values(values, out); }
void BatchEncoder::encode(std::span<const u64> values, std::span<i64> out) const { encode_values(values, out); }
void BatchEncoder::decode(std::span<const u64> residues, std::span<i64> out) const { decode_values(residues, out); }
void BatchEncoder::decode(std::span<const u64> residues, std::span<u64> out) const { decode_values(residues, out); }

}  // namespace ringfort
