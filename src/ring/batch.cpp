// SPDX-License-Identifier: Apache-2.0
// Encodes integers in slots, and decodes them (batch.h).
#include "ring/batch.h"

#include <string>

#include "ring/ring.h"
#include "ring/encoding/chosen.h"
#include "math/word.h"
#include "ring/slots.h"
#include "ringfort/declassified.h"
#include "ringfort/error.h"

namespace ringfort {

namespace {

[[noreturn]] void refuse(const std::string& problem, const std::string& fix) {
  throw Error(Code::invalid_argument, problem, fix);
}

// Returns the centred residue in a word of the same width. No branch depends on a value. Both t and the residue are
// shorter than a word. Therefore the sign of t / 2 - residue tells which of the two is larger.
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

// Tells whether words of 32 bits are long enough. Transforms of such words take half as much time as transforms of
// 64-bit words.
bool has_short_words(u64 t) noexcept { return t >> 31 == 0; }
std::size_t word_bytes_of(u64 t) noexcept { return has_short_words(t) ? sizeof(u32) : sizeof(u64); }

bool has_lines(u32 n, u64 t) noexcept {
  const u32 lanes = encoding::chosen_kernels().lanes;
  return lanes != 0 && n >= 2 * lanes * lanes && has_short_words(t);
}
encoding::SlotLines view(const SlotLineTables& lines) noexcept {
  return {lines.line.data(), lines.from.data(), lines.to.data()};
}

}  // namespace

BatchEncoder::BatchEncoder(u32 n, u64 t)
    : t_(t),
      ntt_(n, t, has_short_words(t) ? WordWidth::bits32 : WordWidth::bits64),
      positions_(slot_positions(n)),
      lines_(has_lines(n, t) ? slot_lines(positions_, encoding::chosen_kernels().lanes) : SlotLineTables{}) {}

template <class Value, class W>
bool BatchEncoder::scatter(std::span<const Value> values, std::span<W> words) const {
  const u64 t = t_;
  if constexpr (sizeof(W) == sizeof(u32)) {
    if (!lines_.line.empty() && values.size() == n()) {
      const u64 above = encoding::chosen_kernels().scatter(reinterpret_cast<const i64*>(values.data()), words.data(),
                                                           view(lines_), n(), static_cast<u32>(t),
                                                           std::is_signed_v<Value> ? static_cast<u32>(t / 2) : 0);
      return above >> 63 == 0;
    }
  }
  bool inside = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    inside &= is_inside(values[i], t);
    words[positions_[i]] = static_cast<W>(residue_of(values[i], t));
  }
  return inside;
}

template <class W>
bool BatchEncoder::reduce(std::span<const i64> coefficients, std::span<W> words) const {
  const u64 t = t_;
  if constexpr (sizeof(W) == sizeof(u32)) {
    if (!lines_.line.empty()) {
      const u32 short_t = static_cast<u32>(t);
      return encoding::chosen_kernels().reduce(coefficients.data(), words.data(), n(), short_t, short_t / 2) >> 63 == 0;
    }
  }
  bool inside = true;
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    inside &= is_inside(coefficients[k], t);
    words[k] = static_cast<W>(residue_of(coefficients[k], t));
  }
  return inside;
}

template <class W>
void BatchEncoder::centre(std::span<const W> words, std::span<i64> coefficients) const {
  const W t = static_cast<W>(t_);
  if constexpr (sizeof(W) == sizeof(u32)) {
    if (!lines_.line.empty())
      return encoding::chosen_kernels().centre(words.data(), coefficients.data(), words.size(), t);
  }
  for (std::size_t k = 0; k < coefficients.size(); ++k) coefficients[k] = centred<W>(words[k], t);
}

template <class W, class Value>
void BatchEncoder::gather(std::span<const W> words, std::span<Value> values) const {
  if constexpr (sizeof(W) == sizeof(u32)) {
    if (!lines_.line.empty() && values.size() == n()) {
      const u32 t = static_cast<u32>(t_);
      return encoding::chosen_kernels().gather(words.data(), reinterpret_cast<i64*>(values.data()), view(lines_), n(),
                                               t, std::is_signed_v<Value> ? t : 0);
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = value_of<W>(words[positions_[i]], static_cast<W>(t_), Value{});
}

template <class Value>
void BatchEncoder::encode_values(std::span<const Value> values, std::span<i64> out) const {
  const u32 n = this->n();
  if (values.size() > n)
    refuse(std::to_string(values.size()) + " values were given, but there are " + std::to_string(n) + " slots",
           "encode at most that many values at once");
  if (out.size() != n)
    refuse("the output has " + std::to_string(out.size()) + " coefficients, but the ring has " + std::to_string(n),
           "give an output of n coefficients");
  const auto encode_in = [&](const auto words) {
    using W = typename decltype(words)::value_type;
    if (values.size() != n) std::fill(words.begin(), words.end(), W{0});
    const bool inside = scatter(values, words);
    if (!declassified(inside)) std::fill(out.begin(), out.end(), i64{0});
    require_inside<Value>(inside, t_);
    ntt_.inverse_residues<W>(words);
    centre<W>(words, out);
  };
  if (!has_short_words(t_)) encode_in(std::span(reinterpret_cast<u64*>(out.data()), n));
  else if (!lines_.line.empty()) encode_in(std::span(reinterpret_cast<u32*>(out.data() + n / 2), n));
  else encode_in(Staging(n, sizeof(u32)).as<u32>());
}

template <class Value>
void BatchEncoder::decode_values(std::span<const i64> coefficients, std::span<Value> out) const {
  const u32 n = this->n();
  if (coefficients.size() != n)
    refuse(std::to_string(coefficients.size()) + " coefficients were given", "give n = " + std::to_string(n));
  if (out.size() > n)
    refuse(std::to_string(out.size()) + " values were requested, but there are " + std::to_string(n) + " slots",
           "request at most that many");
  Staging staging(n, word_bytes_of(t_));
  const auto decode_in = [&](const auto words) {
    using W = typename decltype(words)::value_type;
    require_inside<i64>(reduce<W>(coefficients, words), t_);
    ntt_.forward_residues<W>(words);
    gather<W>(words, out);
  };
  if (has_short_words(t_)) decode_in(staging.as<u32>());
  else decode_in(staging.as<u64>());
}

void BatchEncoder::encode(std::span<const i64> values, std::span<i64> out) const { encode_values(values, out); }
void BatchEncoder::encode(std::span<const u64> values, std::span<i64> out) const { encode_values(values, out); }
void BatchEncoder::decode(std::span<const i64> coefficients, std::span<i64> out) const {
  decode_values(coefficients, out);
}
void BatchEncoder::decode(std::span<const i64> coefficients, std::span<u64> out) const {
  decode_values(coefficients, out);
}

}  // namespace ringfort
