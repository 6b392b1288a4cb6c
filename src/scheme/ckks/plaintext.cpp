// SPDX-License-Identifier: Apache-2.0
// Values to plaintexts at a level and scale, and back: the slot encoder's integers in every limb, evaluation domain. What is
// encrypted has a declared magnitude, because the magnitude is public; what is public anyway has its own.
#include <algorithm>
#include <cmath>

#include "math/compose.h"
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
  return most * (1 + 0x1p-50);                                         // |z| is rounded
}

struct Place {
  u32 level = 0;
  double scale = 0;
  double magnitude = 0;
};

template <class Value>
Plaintext encode_at(const Context::State& c, std::span<const Value> values, const Place& at) {
  const KeyContext::State& k = *c.keys.state();
  const Accuracy bound = admitted(encoded_bound(c, at.level, at.scale, at.magnitude), k, at.level, "encode");
  Secret<i128> coefficients(c.p.chain.n);
  c.encoder.encode(values, at.scale, coefficients.span());
  return lifted(c.keys.state(), coefficients.span(), at.level, bound);
}

Place place(const Context& context, const EncodeOptions& options, double magnitude) {
  const u32 level = options.level.value_or(context.top_level());
  return {level, options.scale.value_or(context.scale(level)), magnitude};
}

template <class Value>
Plaintext encode_secret(const Context& context, std::span<const Value> values, const EncodeOptions& options) {
  const double declared = options.magnitude.value_or(context.parameters().magnitude);
  if (!(declared >= 0 && declared <= 0x1p100)) {
    throw Error(Code::invalid_argument, "the declared magnitude " + std::to_string(declared) + " is not in [0, 2^100]", "declare a bound on |values|");
  }
  if (largest(values) > declared) {
    throw Error(Code::invalid_argument, "a value is above the declared magnitude " + std::to_string(declared), "declare a larger one (Parameters::magnitude, "
                "EncodeOptions::magnitude), or scale the values down");
  }
  return encode_at(*context.state(), values, place(context, options, declared));
}

template <class Value>
Plaintext encode_known(const Context& context, std::span<const Value> values, const EncodeOptions& options) {
  Plaintext out = encode_at(*context.state(), values, place(context, options, std::max(options.magnitude.value_or(0), largest(values))));
  out.state().of_the_public = true;
  return out;
}

template <class Value>
void decode_values(const Context& context, const Plaintext& plaintext, std::span<Value> out) {
  const Plaintext::State& p = plaintext.state();
  const Context::State& c = *context.state();
  const KeyContext::State& k = *c.keys.state();
  require_filled(p.block, "decode");
  require_same(p.block.context, c.keys.state(), "decode");
  const Composition read = composition(k, p.bound, p.block.level);
  const Limbs limbs = k.chain.data(read.level);
  const auto work = k.workspace();
  const Cleared cleared(*work);
  const Scratch<Eval> copy = work->take_secret<Eval>(1, limbs, k.chain.data());
  k.ring.multiply_scalar(work->stream, copy.all(), p.block.all().limbs(limbs), 1);
  c.encoder.decode(composed(k, copy.all(), read.shift, *work).span(), p.bound.scale.high, out, read.shift);
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

Plaintext lifted(const SharedKeyContext& context, std::span<const i128> coefficients, u32 level, const Accuracy& bound) {
  const KeyContext::State& k = *context;
  const auto work = k.workspace();
  const Cleared cleared(*work);                                        // the values on the host
  Plaintext out;
  auto poly = k.ring.make<Coeff>(1, k.chain.data(level));
  if (bound.value() + bound.error < 0x1p62) {                          // no coefficient is larger than a slot can be
    std::transform(coefficients.begin(), coefficients.end(), work->lifted.data(), [](i128 c) { return static_cast<i64>(c); });
    k.ring.upload_signed(work->stream, poly.all(), std::span<const i64>(work->lifted.span()), work->staging);
  } else {
    k.ring.upload_signed(work->stream, poly.all(), coefficients, work->staging);
  }
  out.state() = {{context, 0, level, 1, k.ring.forward(work->stream, std::move(poly))}, bound, false};
  return out;
}

// Coefficients are composed in two words.
constexpr u32 kComposedBits = 126;

Composition composition(const KeyContext::State& k, const Accuracy& bound, u32 most) {
  const double needed = std::log2(bound.value() + bound.error) + 1 + 0x1p-20;
  Composition found{0, needed > kComposedBits ? static_cast<u32>(std::ceil(needed)) - kComposedBits : 0};
  while (found.level < most && k.ring.basis().log2_product(k.chain.data(found.level)) <= needed) ++found.level;
  return found;
}

Plaintext Encoder::encode(std::span<const double> values, const EncodeOptions& options) const { return encode_secret(context_, values, options); }
Plaintext Encoder::encode(std::span<const std::complex<double>> values, const EncodeOptions& options) const { return encode_secret(context_, values, options); }
Plaintext Encoder::encode_public(std::span<const double> values, const EncodeOptions& options) const { return encode_known(context_, values, options); }
Plaintext Encoder::encode_public(std::span<const std::complex<double>> values, const EncodeOptions& options) const {
  return encode_known(context_, values, options);
}
void Encoder::decode(const Plaintext& plaintext, std::span<double> out) const { decode_values(context_, plaintext, out); }
void Encoder::decode(const Plaintext& plaintext, std::span<std::complex<double>> out) const { decode_values(context_, plaintext, out); }

double Encoder::decoded_precision_bits(const Ciphertext& ciphertext) const {
  const Accuracy& bound = ciphertext.state().bound;
  const double error = bound.error / bound.scale.high;
  return -1 - std::log2(error + decode_error(context_.slots(), bound.magnitude + error, bound.scale.high));
}

}  // namespace ringfort::ckks
