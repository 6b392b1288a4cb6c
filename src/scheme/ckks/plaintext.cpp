// SPDX-License-Identifier: Apache-2.0
// Encoding and decoding. A plaintext contains the integers of the slot encoder modulo the data primes of its level, in
// the evaluation domain. The magnitude of a plaintext is public. For secret values, the caller declares it. For public
// values, encode_public measures it.
#include <algorithm>
#include <cmath>

#include "base/shown.h"
#include "math/compose.h"
#include "ringfort/declassified.h"
#include "rlwe/operands.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

namespace {

double largest(std::span<const double> values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

double largest(std::span<const std::complex<double>> values) {
  double most = 0;
  for (const std::complex<double>& value : values) most = std::max(most, std::abs(value));
  return most;
}

template <class Value>
constexpr bool kComplex = !std::is_same_v<Value, double>;

// Tells whether |value| > declared, without a branch on a value. The encoder rejects NaN.
bool is_above(double value, double declared) { return std::abs(value) > declared; }

// Tells whether |value| > declared. The factor kSlack covers the rounding of the parts and of their squares. The
// function first divides by a power of two near `declared`. Therefore the squares of very small numbers do not
// underflow.
bool is_above(const std::complex<double>& value, double declared) {
  constexpr double kSlack = 1 + 0x1p-51;
  const double unit = std::ldexp(1, -std::max(std::ilogb(declared), -1000));
  const double re = value.real() * unit, im = value.imag() * unit, most = declared * kSlack * unit;
  return is_above(value.real(), declared * kSlack) | is_above(value.imag(), declared * kSlack) |
         (re * re + im * im > most * most);
}

template <class Value>
bool any_is_above(std::span<const Value> values, double declared) {
  bool above = false;
  for (const Value& value : values) above |= is_above(value, declared);
  return above;
}

struct EncodeTarget {
  u32 level = 0;
  double scale = 0;
  double magnitude = 0;
};

// Multiplies the integers by 1 + low / high and rounds to nearest. `low` and `high` are the doubles of the scale, with
// |low / high| <= 2^-53. The integers were encoded at the scale `high`. The multiplication corrects them to the exact
// scale of a level.
void complete_scale(std::span<i128> coefficients, const Scale& meant) {
  const i64 factor = std::llround(std::ldexp(meant.low / meant.high, 113));
  for (i128& c : coefficients) {
    const i128 high = static_cast<i128>(static_cast<i64>(c >> 64)) * factor,
               low = static_cast<i128>(static_cast<u64>(c)) * factor >> 64;
    c += (high + low + (i128{1} << 48)) >> 49;
  }
}

// Throws unless slots of absolute value `largest` are below half the modulus of the level. Only unguarded contexts need
// this check, because elsewhere the declared magnitude is checked before.
void require_room(const KeyContext::State& k, u32 level, double largest) {
  const double available = k.ring.basis().log2_product(k.chain.data(level));
  if (declassified(!(std::log2(largest) + 1 < available)))
    throw Error(Code::invalid_argument,
                "the values at this scale exceed half the modulus of level " + std::to_string(level) + ", which has " +
                    std::to_string(available) + " bits",
                "use smaller values, a smaller scale or a higher level");
}

template <class Value>
Plaintext encode_at(const Context::State& c, std::span<const Value> values, const EncodeTarget& at) {
  const KeyContext::State& k = *c.keys.state();
  const Accuracy bound = admitted(encoded_bound(c, at.level, at.scale, at.magnitude), k, at.level, "encode");
  Secret<i128> coefficients(c.p.chain.n);
  const bool computes = k.ring.device().backend().capabilities().computes;
  const double measured = computes ? c.encoder.encode(values, at.scale, coefficients.span())  //
                                   : c.encoder.check(values, at.scale);
  if (k.unguarded()) require_room(k, at.level, measured * at.scale);
  if (computes && completes_scale(c.p.slots, bound.scale)) complete_scale(coefficients.span(), bound.scale);
  return lifted(c.keys.state(), coefficients.span(), at.level, bound);
}

EncodeTarget target_of(const Context& context, const EncodeOptions& options, double magnitude) {
  const u32 level = options.level.value_or(context.top_level());
  const double scale = options.scale.value_or(context.scale(level));
  if (scale >= 1 && scale < 0x1p120) return {level, scale, magnitude};
  throw Error(Code::invalid_argument, "the scale " + ringfort::shown(scale) + " is not in [1, 2^120)",
              "leave EncodeOptions::scale out, or use Context::scale(level)");
}

void check_magnitude(double declared) {
  if (declared >= 0 && declared <= 0x1p100) return;
  throw Error(Code::invalid_argument, "the declared magnitude " + ringfort::shown(declared) + " is not in [0, 2^100]",
              "declare a bound on |values|");
}

template <class Value>
Plaintext encode_secret(const Context& context, std::span<const Value> values, const EncodeOptions& options) {
  const double declared = options.magnitude.value_or(context.parameters().magnitude);
  check_magnitude(declared);
  if (declassified(any_is_above(values, declared))) {
    throw Error(Code::invalid_argument, "a value is above the declared magnitude " + ringfort::shown(declared),
                "declare a larger one (Parameters::magnitude, "
                "EncodeOptions::magnitude), or scale the values down");
  }
  return encode_at(*context.state(), values, target_of(context, options, rounded_up(declared, kComplex<Value>)));
}

template <class Value>
Plaintext encode_known(const Context& context, std::span<const Value> values, const EncodeOptions& options) {
  check_magnitude(options.magnitude.value_or(0));
  const double measured = rounded_up(largest(values), kComplex<Value>);
  if (!std::isfinite(measured))
    throw Error(Code::invalid_argument, "the values include infinity", "encode finite numbers only");
  Plaintext out = encode_at(*context.state(), values,
                            target_of(context, options, std::max(options.magnitude.value_or(0), measured)));
  out.state().of_the_public = true;
  return out;
}

void store_value(double& to, std::complex<double> from) { to = from.real(); }
void store_value(std::complex<double>& to, std::complex<double> from) { to = from; }

// Throws bound_violated for a decrypted value outside its bound. Possible causes are a program that declared a false
// bound, a file with a false bound or changed residues, and a public key that does not belong to the secret key.
void require_within(const Context::State& c, const Plaintext::State& p, std::span<const std::complex<double>> values) {
  if (!p.decrypted || declassified(all_within(values, shown(c, p.bound, 0).limit))) return;
  throw Error(Code::bound_violated, "a decrypted value is outside the bounds that its ciphertext carries",
              "the program declared a bound that its values exceed; or the ciphertext was not made with the public "
              "part of this key set, or its file states a false bound: check the program, or get keys and file again");
}

// Returns log2 of a bound of the phase. An unguarded context has no bound; then the function measures the phase, and
// the time of decoding depends on its length.
double phase_bits(const KeyContext::State& k, const Plaintext::State& p) {
  if (!k.unguarded()) return p.bound.log2_phase();
  const Limbs limbs = k.chain.data(p.rlwe.level);
  const auto work = k.workspace();
  const Cleared cleared(*work);
  const Scratch<Eval> copy = work->allocate_secret<Eval>(1, limbs, k.chain.data());
  k.ring.copy(work->stream, copy.all(), p.rlwe.all());
  Secret<u64> residues(std::size_t{limbs.count} * k.p.n);
  k.ring.download(work->stream, k.ring.inverse(work->stream, copy.all()), residues.span(), work->staging);
  return log2_largest_centred(k.ring.basis(), limbs, residues.span());
}

template <class Value>
void decode_values(const Context& context, const Plaintext& plaintext, std::span<Value> out, bool rounded) {
  const Plaintext::State& p = plaintext.state();
  const Context::State& c = *context.state();
  const KeyContext::State& k = *c.keys.state();
  require_filled(p.rlwe, "decode");
  require_same(p.rlwe.context, c.keys.state(), "decode");
  if (out.size() > c.p.slots) {
    throw Error(
        Code::invalid_argument,
        std::to_string(out.size()) + " values were requested, but there are " + std::to_string(c.p.slots) + " slots",
        "request at most that many");
  }
  const Composition read = composition(k, phase_bits(k, p), p.rlwe.level);
  const Limbs limbs = k.chain.data(read.level);
  const auto work = k.workspace();
  const Cleared cleared(*work);
  const Scratch<Eval> copy = work->allocate_secret<Eval>(1, limbs, k.chain.data());
  k.ring.copy(work->stream, copy.all(), p.rlwe.all().limbs(limbs));
  Secret<std::complex<double>> values(c.p.slots);
  c.encoder.decode(composed(k, copy.all(), read.shift, *work).span(), p.bound.scale.high, values.span(), read.shift);
  require_within(c, p, values.span());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::complex<double> raw = values.data()[i];
    store_value(out[i], rounded && p.step != 0
                            ? std::complex(round_to_step(raw.real(), p.step), round_to_step(raw.imag(), p.step))
                            : raw);
  }
}

}  // namespace

Secret<i128> composed(const KeyContext::State& k, Slice<Eval> scratch, u32 shift, Workspace& work) {
  const Limbs limbs = scratch.limbs();
  Secret<u64> residues(std::size_t{limbs.count} * k.p.n);
  k.ring.download(work.stream, k.ring.inverse(work.stream, std::move(scratch)), residues.span(), work.staging);
  Secret<i128> coefficients(k.p.n);
  if (shift == 0) k.ring.basis().compose_centred(limbs, residues.span(), coefficients.span());
  else compose_rounded(k.ring.basis(), limbs, shift, residues.span(), coefficients.span());
  return coefficients;
}

Plaintext lifted(const SharedKeyContext& context, std::span<const i128> coefficients, u32 level,
                 const Accuracy& bound) {
  const KeyContext::State& k = *context;
  const auto work = k.workspace();
  const Cleared cleared(*work);  // wipes the values on the host
  Plaintext out;
  auto poly = k.ring.make<Coeff>(1, k.chain.data(level));
  if (bound.value() + bound.error < 0x1p62) {  // the coefficients are at most as large as the slots
    std::transform(coefficients.begin(), coefficients.end(), work->lifted.data(),
                   [](i128 c) { return static_cast<i64>(c); });
    k.ring.lift(work->stream, poly.all(), std::span<const i64>(work->lifted.span()));
  } else {
    k.ring.lift(work->stream, poly.all(), coefficients);
  }
  RlweCiphertext rlwe{.context = context,
                      .level = level,
                      .components = 1,
                      .polynomials = k.ring.forward(work->stream, std::move(poly))};
  out.state() = {.rlwe = std::move(rlwe), .bound = bound};
  return out;
}

// The longest coefficients that composed() returns. They fit into two words, including the sign.
constexpr u32 kComposedBits = 126;

Composition composition(const KeyContext::State& k, double log2_phase, u32 most) {
  const double needed = std::min(log2_phase + 1 + 0x1p-20, k.ring.basis().log2_product(k.chain.data(most)));
  Composition found{0, needed > kComposedBits ? static_cast<u32>(std::ceil(needed)) - kComposedBits : 0};
  if (found.shift > kMostShift)
    throw Error(Code::bound_violated,
                "a decrypted phase has more than " + std::to_string(kMostShift + kComposedBits) + " bits",
                "rescale or mod_switch before decryption; or the noise has grown beyond the values");
  while (found.level < most && k.ring.basis().log2_product(k.chain.data(found.level)) <= needed) ++found.level;
  return found;
}

double rounded_up(double magnitude, bool complex) noexcept { return complex ? magnitude * (1 + 0x1p-50) : magnitude; }

Plaintext Encoder::encode(std::span<const double> values, const EncodeOptions& options) const {
  return encode_secret(context_, values, options);
}
Plaintext Encoder::encode(std::span<const std::complex<double>> values, const EncodeOptions& options) const {
  return encode_secret(context_, values, options);
}
Plaintext Encoder::encode_public(std::span<const double> values, const EncodeOptions& options) const {
  return encode_known(context_, values, options);
}
Plaintext Encoder::encode_public(std::span<const std::complex<double>> values, const EncodeOptions& options) const {
  return encode_known(context_, values, options);
}
void Encoder::decode(const Plaintext& plaintext, std::span<double> out) const {
  decode_values(context_, plaintext, out, true);
}
void Encoder::decode(const Plaintext& plaintext, std::span<std::complex<double>> out) const {
  decode_values(context_, plaintext, out, true);
}
void Encoder::decode_raw(const Plaintext& plaintext, std::span<double> out) const {
  decode_values(context_, plaintext, out, false);
}
void Encoder::decode_raw(const Plaintext& plaintext, std::span<std::complex<double>> out) const {
  decode_values(context_, plaintext, out, false);
}

Shown shown(const Context::State& c, const Accuracy& bound, double hidden) noexcept {
  const double error = bound.error / bound.scale.high,
               decoding = decode_error(c.p.slots, bound.magnitude + error, bound.scale.high);
  // after a product with 0, the magnitude and the error are 0
  const double least = 0x1p-1000;
  Shown s{std::max((bound.magnitude + error + decoding) * (1 + 0x1p-40), least), error + decoding,
          step_for(std::max(std::max(error, hidden / bound.scale.high) + decoding, least))};
  s.error = s.raw_error + step_error(s.step);
  return s;
}

namespace {

// Throws unless the ciphertext has the ring and the data primes of the context. The ciphertext may be on another
// device, because the device does not affect the precision.
void require_same_moduli(const Ciphertext::State& c, const SharedKeyContext& context, std::string_view what) {
  require_filled(c.rlwe, what);
  const auto& p = context->p;
  if (c.rlwe.context->p.n != p.n || c.rlwe.context->p.data != p.data) require_same(c.rlwe.context, context, what);
}

}  // namespace

double Encoder::decoded_precision_bits(const Ciphertext& ciphertext) const {
  const Ciphertext::State& c = ciphertext.state();
  require_same_moduli(c, context_.keys().state(), "decoded_precision_bits");
  return -1 - std::log2(shown(*context_.state(), c.bound, hidden_from_owner(*context_.state(), c)).error);
}

double Encoder::raw_precision_bits(const Ciphertext& ciphertext) const {
  const Ciphertext::State& c = ciphertext.state();
  require_same_moduli(c, context_.keys().state(), "raw_precision_bits");
  return -1 - std::log2(shown(*context_.state(), c.bound, 0).raw_error);
}

}  // namespace ringfort::ckks
