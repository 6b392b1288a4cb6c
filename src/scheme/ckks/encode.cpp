// SPDX-License-Identifier: Apache-2.0
// Encodes numbers as coefficients of CKKS, and decodes them (encode.h).
#include "scheme/ckks/encode.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "base/buffer.h"
#include "base/shown.h"
#include "math/conversions.h"
#include "ring/encoding/chosen.h"
#include "ringfort/declassified.h"
#include "ringfort/error.h"

namespace ringfort::ckks {

namespace {

constexpr double kCoefficientLimit = 0x1p120;

[[noreturn]] void refuse_encoding(const std::string& problem, const std::string& fix) {
  throw Error(Code::invalid_argument, problem, fix);
}

void check_shape(u32 n, u32 slots) {
  if (!std::has_single_bit(n) || n < 8 || n > (1u << 17))
    refuse_encoding("n = " + std::to_string(n) + " is not a power of two in 8 .. 131072", "choose such an n");
  if (!std::has_single_bit(slots) || slots > n / 2) {
    refuse_encoding(
        "slots = " + std::to_string(slots) + " is not a power of two in 1 .. n/2 = " + std::to_string(n / 2),
        "choose such a number of slots");
  }
}

void check_scale(double scale) {
  if (!(scale >= 1 && scale < kCoefficientLimit))
    refuse_encoding("the scale " + ringfort::shown(scale) + " is not in [1, 2^120)", "use the scale of a level");
}

double real(double value) { return value; }
double imaginary(double) { return 0; }
double real(const std::complex<double>& value) { return value.real(); }
double imaginary(const std::complex<double>& value) { return value.imag(); }
void store_value(double& to, double re, double) { to = re; }
void store_value(std::complex<double>& to, double re, double im) { to = {re, im}; }

// Returns the largest absolute component. Throws for NaN and infinity. If the bits of positive doubles are read as
// integers, these integers have the order of the doubles. Infinity and NaN have the largest integers.
template <class Value>
double largest_component(std::span<const Value> values) {
  u64 largest = 0;
  for (const Value& value : values) {
    for (const double component : {real(value), imaginary(value)}) {
      const u64 bits = std::bit_cast<u64>(component) & ~(u64{1} << 63);
      largest ^= (largest ^ bits) & mask_if<u64>(bits > largest);
    }
  }
  if (declassified(largest > std::bit_cast<u64>(std::numeric_limits<double>::max())))
    refuse_encoding("the values hold NaN or infinity", "encode finite numbers only");
  return std::bit_cast<double>(largest);
}

u32 reversed(u32 index, u32 bits) noexcept {
  u32 out = 0;
  for (u32 i = 0; i < bits; ++i) out |= (index >> i & 1) << (bits - 1 - i);
  return out;
}

// Calls visit(position, reversed position) for all positions of `bits` bits.
template <class Visit>
void for_each_reversed(u32 bits, Visit visit) {
  const u32 low = bits / 2, high = bits - low;
  for (u32 i = 0; i < (1u << high); ++i) {
    const u32 top = reversed(i, high);
    for (u32 j = 0; j < (1u << low); ++j) visit(i << low | j, reversed(j, low) << high | top);
  }
}

// Real and imaginary parts of slots in one block of memory. The destructor wipes the block, because plaintext values
// are secret.
template <class Number>
class SlotMemory {
 public:
  explicit SlotMemory(u32 slots) : memory_(2 * std::size_t{slots}) {}
  ~SlotMemory() { wipe(memory_.data(), memory_.size() * sizeof(Number)); }
  SlotMemory(const SlotMemory&) = delete;
  SlotMemory& operator=(const SlotMemory&) = delete;
  [[nodiscard]] ComplexParts<Number> parts() noexcept {
    return {memory_.span().first(memory_.size() / 2), memory_.span().last(memory_.size() / 2)};
  }

 private:
  AlignedBuffer<Number> memory_;
};

// Returns x factor / 2^shift, rounded to nearest, ties to even. Requires |x| < 2^126, factor < 2^53, shift > 0 and a
// result below 2^126. The shift is split in two, so that the first part is less than a word. The two shifts leave one
// bit more than the result has. `rest` tells whether any bit below that bit was 1.
i128 scaled(i128 x, u64 factor, int shift) noexcept {
  const u128 product = static_cast<u128>(static_cast<u64>(x)) * factor;
  const i128 high =
      static_cast<i128>(static_cast<i64>(x >> 64)) * static_cast<i64>(factor) + static_cast<i128>(product >> 64);
  const u64 low = static_cast<u64>(product);  // high 2^64 + low
  const u32 wanted = static_cast<u32>(shift - 1),
            first = wanted - (static_cast<u32>(wanted - 63) & mask_if<u32>(wanted > 63));
  const u32 beyond = wanted - first, second = beyond - (static_cast<u32>(beyond - 127) & mask_if<u32>(beyond > 127));
  const i128 middle = static_cast<i128>(static_cast<u128>(high) << 1 << (63 - first) | low >> first);
  const i128 doubled = conversions::shifted_right(middle, second), floor = doubled >> 1;
  const bool rest = ((low & ((u64{1} << first) - 1)) != 0) |
                    ((static_cast<u128>(middle) & (conversions::shifted_left(1, second) - 1)) != 0);
  const u64 halves = static_cast<u64>(doubled) & 1, odd = static_cast<u64>(floor) & 1;
  return floor + static_cast<i128>(halves & (u64{rest} | odd));
}

// The integer transform scales the values by a power of two, so that the largest component has this many bits.
constexpr int kFraction = 108;

// The output of an encoding: a polynomial that has one coefficient in each `gap` positions. It stores the number u_k
// (embedding.h) as its coefficients k and k + slots.
struct Destination {
  std::span<i128> out;
  u32 slots;
  std::size_t gap;
  void store_coefficient(u32 k, i128 re, i128 im) const noexcept {
    out[k * gap] = re;
    out[(k + std::size_t{slots}) * gap] = im;
  }
};

template <class Value>
void encode_in_doubles(const Embedding& embedding, std::span<const Value> values, double scale, Destination to) {
  SlotMemory<double> memory(to.slots);
  const ComplexParts<double> parts = memory.parts();
  for (std::size_t i = 0; i < values.size(); ++i) {
    parts.re[i] = real(values[i]);
    parts.im[i] = imaginary(values[i]);
  }
  embedding.from_slots(parts);
  const double factor = scale / to.slots;
  const auto round_reversed = encoding::chosen_kernels().round_reversed;
  if (to.gap == 1 && round_reversed != nullptr && to.slots >= encoding::kLeastSlots) {
    round_reversed(parts.re.data(), factor, to.out.data(), to.slots);
    return round_reversed(parts.im.data(), factor, to.out.data() + to.slots, to.slots);
  }
  for_each_reversed(static_cast<u32>(std::countr_zero(to.slots)), [&](u32 at, u32 k) {
    to.store_coefficient(k, to_nearest(parts.re[at] * factor), to_nearest(parts.im[at] * factor));
  });
}

template <class Value>
void encode_in_integers(const Embedding& embedding, std::span<const Value> values, double scale, Destination to) {
  int scale_exponent = 0;
  // values below 2^-800 round to zero at any scale
  const int exponent = conversions::larger(exponent_of(largest_component(values)), -800);
  const u64 factor = static_cast<u64>(std::ldexp(std::frexp(scale, &scale_exponent), 53));
  const double unit = power_of_two(kFraction - exponent);
  SlotMemory<i128> memory(to.slots);
  const ComplexParts<i128> parts = memory.parts();
  for (std::size_t i = 0; i < values.size(); ++i) {
    parts.re[i] = truncated(real(values[i]) * unit);
    parts.im[i] = truncated(imaginary(values[i]) * unit);
  }
  embedding.from_slots(parts);
  const int stages = std::countr_zero(to.slots), shift = kFraction - exponent + 53 - scale_exponent + stages;
  for_each_reversed(static_cast<u32>(stages), [&](u32 at, u32 k) {
    to.store_coefficient(k, scaled(parts.re[at], factor, shift), scaled(parts.im[at], factor, shift));
  });
}

template <class Value>
void decode_in_doubles(const Embedding& embedding, std::span<const i128> coefficients, double scale,
                       std::span<Value> out) {
  const u32 s = embedding.slots();
  const std::size_t gap = coefficients.size() >> (std::countr_zero(s) + 1);
  SlotMemory<double> memory(s);
  const ComplexParts<double> parts = memory.parts();
  for_each_reversed(static_cast<u32>(std::countr_zero(s)), [&](u32 at, u32 k) {
    parts.re[at] = to_double(coefficients[k * gap]);
    parts.im[at] = to_double(coefficients[(k + std::size_t{s}) * gap]);
  });
  embedding.to_slots(parts);
  for (std::size_t i = 0; i < out.size(); ++i) store_value(out[i], parts.re[i] / scale, parts.im[i] / scale);
}

template <class Value>
void decode_in_integers(const Embedding& embedding, std::span<const i128> coefficients, double scale,
                        std::span<Value> out) {
  const u32 s = embedding.slots();
  const std::size_t gap = coefficients.size() >> (std::countr_zero(s) + 1);
  u128 all = 1;
  for (const i128 c : coefficients) all |= static_cast<u128>(conversions::signed_by(static_cast<u128>(c), c >> 127));
  const int stages = std::countr_zero(s), shift = 124 - stages - static_cast<int>(bit_length_at_least_one(all));
  const u32 up = static_cast<u32>(conversions::larger(shift, 0)), down = up - static_cast<u32>(shift);
  const auto aligned = [&](i128 c) {
    return conversions::shifted_right(static_cast<i128>(conversions::shifted_left(static_cast<u128>(c), up)), down);
  };
  SlotMemory<i128> memory(s);
  const ComplexParts<i128> parts = memory.parts();
  for_each_reversed(static_cast<u32>(stages), [&](u32 at, u32 k) {
    parts.re[at] = aligned(coefficients[k * gap]);
    parts.im[at] = aligned(coefficients[(k + std::size_t{s}) * gap]);
  });
  embedding.to_slots(parts);
  const double unit = power_of_two(-shift);
  for (std::size_t i = 0; i < out.size(); ++i) {
    store_value(out[i], to_double(parts.re[i]) * unit / scale, to_double(parts.im[i]) * unit / scale);
  }
}

double rounding_error(u32 slots) noexcept { return 0.5 / std::sin(std::numbers::pi / (4.0 * slots)); }

}  // namespace

SlotEncoder::SlotEncoder(u32 n, u32 slots) : n_((check_shape(n, slots), n)), embedding_(slots) {}

template <class Value>
double SlotEncoder::check_values(std::span<const Value> values, double scale) const {
  if (values.size() > slots())
    refuse_encoding(
        std::to_string(values.size()) + " values were given, but there are " + std::to_string(slots()) + " slots",
        "encode at most that many values at once");
  check_scale(scale);
  const double component = largest_component(values),
               magnitude = component * (std::is_same_v<Value, double> ? 1.0 : std::numbers::sqrt2 * (1 + 0x1p-52));
  if (declassified(!(magnitude * scale < kCoefficientLimit / 2))) {
    refuse_encoding("the values at scale " + ringfort::shown(scale) + " exceed 2^119",
                    "use smaller values or a smaller scale");
  }
  return magnitude;
}

template <class Value>
double SlotEncoder::encode_values(std::span<const Value> values, double scale, std::span<i128> out) const {
  const double magnitude = check_values(values, scale);
  if (out.size() != n_)
    refuse_encoding("the output has " + std::to_string(out.size()) + " coefficients",
                    "pass memory for n = " + std::to_string(n_));
  const u32 s = slots(), gap = n_ >> (std::countr_zero(s) + 1);
  if (gap > 1) std::fill(out.begin(), out.end(), i128{0});
  const Destination to{out, s, gap};
  if (precision_for(s, scale) == Precision::doubles) encode_in_doubles(embedding_, values, scale, to);
  else encode_in_integers(embedding_, values, scale, to);
  return magnitude;
}

template <class Value>
void SlotEncoder::decode_values(std::span<const i128> coefficients, double scale, std::span<Value> out,
                                u32 shift) const {
  const u32 s = slots();
  if (coefficients.size() != n_)
    refuse_encoding(std::to_string(coefficients.size()) + " coefficients were given", "give n = " + std::to_string(n_));
  if (out.size() > s)
    refuse_encoding(
        std::to_string(out.size()) + " values were requested, but there are " + std::to_string(s) + " slots",
        "request at most that many");
  if (!(scale > 0 && scale <= std::numeric_limits<double>::max()))
    refuse_encoding("the scale " + ringfort::shown(scale) + " is not a number above zero",
                    "use the scale of a ciphertext");
  const double unit = std::ldexp(scale, -static_cast<int>(shift));
  if (precision_for(s, scale) == Precision::doubles) decode_in_doubles(embedding_, coefficients, unit, out);
  else decode_in_integers(embedding_, coefficients, unit, out);
}

double SlotEncoder::check(std::span<const double> values, double scale) const { return check_values(values, scale); }
double SlotEncoder::check(std::span<const std::complex<double>> values, double scale) const {
  return check_values(values, scale);
}
double SlotEncoder::encode(std::span<const double> values, double scale, std::span<i128> out) const {
  return encode_values(values, scale, out);
}
double SlotEncoder::encode(std::span<const std::complex<double>> values, double scale, std::span<i128> out) const {
  return encode_values(values, scale, out);
}
void SlotEncoder::decode(std::span<const i128> coefficients, double scale, std::span<double> out, u32 shift) const {
  decode_values(coefficients, scale, out, shift);
}
void SlotEncoder::decode(std::span<const i128> coefficients, double scale, std::span<std::complex<double>> out,
                         u32 shift) const {
  decode_values(coefficients, scale, out, shift);
}

Precision precision_for(u32 slots, double scale) noexcept {
  return embedding_error(slots, Precision::doubles) * scale <= rounding_error(slots) ? Precision::doubles
                                                                                     : Precision::integers;
}

double encode_error(u32 slots, double magnitude, double scale) noexcept {
  return embedding_error(slots, precision_for(slots, scale)) * magnitude * scale + rounding_error(slots);
}

double decode_error(u32 slots, double magnitude, double scale) noexcept {
  return (embedding_error(slots, precision_for(slots, scale)) + 0x1.8p-52 + 0x1p-100) * magnitude;
}

}  // namespace ringfort::ckks
