// SPDX-License-Identifier: Apache-2.0
// The encoders of integers and of numbers (seal/batchencoder.h, seal/ckks.h).
#include <algorithm>
#include <cmath>

#include "operands.h"
#include "seal/batchencoder.h"
#include "seal/ckks.h"
#include "seal/util/uintcore.h"

namespace seal {

namespace {

using detail::ContextState;
using detail::is_ckks;
using detail::translated;
using detail::TypesOf;
namespace rf = ringfort;

// Calls function(ring) with the ring of BFV or BGV.
template <class F>
void with_integers(const SEALContext& context, F&& function) {
  translated([&] {
    detail::with_ring(context, [&](const auto& ring) {
      if constexpr (!is_ckks<std::decay_t<decltype(ring)>>) function(ring);
    });
  });
}

std::int64_t signed_value(std::uint64_t value, std::uint64_t t) {
  if (value >= t) detail::refuse_argument("a value is not below the plain modulus", "reduce it first");
  return value > t / 2 ? -static_cast<std::int64_t>(t - value) : static_cast<std::int64_t>(value);
}

std::int64_t signed_value(std::int64_t value, std::uint64_t t) {
  const auto most = static_cast<std::int64_t>(t / 2);
  if (value < -most || value > most) {
    detail::refuse_argument("a value is above half the plain modulus", "reduce it first");
  }
  return value;
}

template <class Value>
Value shown_value(std::int64_t value, std::uint64_t t) {
  if constexpr (std::is_signed_v<Value>) return value;
  return value < 0 ? t - static_cast<std::uint64_t>(-value) : static_cast<std::uint64_t>(value);
}

template <class Value>
void encode_slots(const SEALContext& context, const std::vector<Value>& values, Plaintext& destination) {
  const std::size_t n = detail::degree_of(context);
  if (values.size() > n) detail::refuse_argument("more values than slots were given", "give at most slot_count()");
  with_integers(context, [&](const auto& ring) {
    const typename TypesOf<std::decay_t<decltype(ring)>>::Encoder encoder(ring);
    const std::uint64_t t = ring.plain_modulus();
    const std::vector<std::uint32_t>& slots = detail::state_of(context).slots();
    std::vector<std::int64_t> numbers(n);
    for (std::size_t i = 0; i < values.size(); ++i) numbers[slots[i]] = signed_value(values[i], t);
    const auto plain = encoder.encode(numbers);
    encoder.decode_coefficients(plain, numbers);
    Plaintext encoded(destination.pool());
    detail::set_coefficients(encoded, numbers, t);
    encoded.resize(n);
    destination = std::move(encoded);
  });
}

template <class Value>
void decode_slots(const SEALContext& context, const Plaintext& plain, std::vector<Value>& destination) {
  if (!is_valid_for(plain, context)) detail::refuse_argument("the plaintext is not valid", "encode it again");
  detail::require_form(plain.is_ntt_form(), false);
  with_integers(context, [&](const auto& ring) {
    const typename TypesOf<std::decay_t<decltype(ring)>>::Encoder encoder(ring);
    const std::uint64_t t = ring.plain_modulus();
    std::vector<std::int64_t> numbers(detail::degree_of(context));
    encoder.decode(detail::taken(context, ring, plain), numbers);
    const std::vector<std::uint32_t>& slots = detail::state_of(context).slots();
    destination.resize(numbers.size());
    for (std::size_t i = 0; i < slots.size(); ++i) destination[i] = shown_value<Value>(numbers[slots[i]], t);
  });
}

const rf::ckks::Context& ckks_ring(const SEALContext& context) {
  const auto* ring = std::get_if<rf::ckks::Context>(&detail::state_of(context).ring);
  if (ring == nullptr) detail::refuse_argument("the parameters are not of CKKS", "use BatchEncoder");
  return *ring;
}

// Row 1 of complex slots is the conjugate of row 0.
double conjugate(double value) { return value; }
std::complex<double> conjugate(const std::complex<double>& value) { return std::conj(value); }

// Orders the numbers of SEAL's slots as those of Ringfort, or the reverse.
template <class Value>
std::vector<Value> by_powers_of_5(const ContextState& state, std::span<const Value> values) {
  const std::size_t half = state.slots().size() / 2;
  std::vector<Value> ordered(half);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t slot = state.slots()[i];
    ordered[slot % half] = slot < half ? values[i] : conjugate(values[i]);
  }
  return ordered;
}
template <class Value>
std::vector<Value> by_powers_of_3(const ContextState& state, const std::vector<Value>& values) {
  const std::size_t half = state.slots().size() / 2;
  std::vector<Value> ordered(half);
  for (std::size_t i = 0; i < half; ++i) {
    const std::size_t slot = state.slots()[i];
    ordered[i] = slot < half ? values[slot] : conjugate(values[slot - half]);
  }
  return ordered;
}

template <class Value>
void encode_numbers(const SEALContext& context, std::span<const Value> values, const parms_id_type& parms_id,
                    double scale, Plaintext& destination) {
  const std::uint32_t level = detail::level_of(context, parms_id);
  const auto data = context.get_context_data(parms_id);
  // One bit of the modulus is for the sign.
  if (!std::isfinite(scale) || scale <= 0 ||
      static_cast<int>(std::log2(scale)) + 1 >= data->total_coeff_modulus_bit_count()) {
    detail::refuse_argument("the scale is not positive and finite, or not below half the modulus",
                            "use a smaller scale");
  }
  if (values.size() > ckks_ring(context).slots())
    detail::refuse_argument("more values than slots were given", "give at most slot_count()");
  const std::vector<Value> ordered = by_powers_of_5(detail::state_of(context), values);
  auto plain = rf::ckks::Encoder(ckks_ring(context))
                   .encode(std::span(ordered), {.level = level, .scale = scale, .magnitude = {}});
  const std::size_t words = detail::degree_of(context) * (level + std::size_t{1});
  auto object = std::make_shared<detail::PlaintextObject>(context.state(), std::move(plain), words);
  object->is_zero = std::ranges::all_of(values, [](const Value& value) { return value == 0.0; });
  destination.set_object(std::move(object), parms_id, scale);
}

// Encodes one integer exactly, with scale 1: a constant polynomial has the constant as every evaluation.
void encode_integer(const SEALContext& context, std::int64_t value, const parms_id_type& parms_id,
                    Plaintext& destination) {
  const std::uint32_t level = detail::level_of(context, parms_id);
  const auto data = context.get_context_data(parms_id);
  const auto bits = static_cast<std::uint64_t>(value);
  if (util::get_significant_bit_count(value < 0 ? -bits : bits) + 2 >= data->total_coeff_modulus_bit_count()) {
    detail::refuse_argument("the integer is not below a quarter of the modulus", "encode it at a higher level");
  }
  std::vector<std::uint64_t> words;
  for (const Modulus& q : data->parms().coeff_modulus()) {
    words.insert(words.end(), detail::degree_of(context), detail::residue_of(value, q.value()));
  }
  auto plain = rf::plaintext_of(ckks_ring(context), level, 1.0, words);
  auto object = std::make_shared<detail::PlaintextObject>(context.state(), std::move(plain), words.size());
  object->is_zero = value == 0;
  destination.set_object(std::move(object), parms_id, 1.0);
}

template <class Value>
void decode_numbers(const SEALContext& context, const Plaintext& plain, std::vector<Value>& destination) {
  if (!is_valid_for(plain, context)) detail::refuse_argument("the plaintext is not valid", "encode it again");
  detail::require_form(plain.is_ntt_form(), true);
  detail::require_scale_within(*context.get_context_data(plain.parms_id()), plain.scale());
  const rf::ckks::Context& ring = ckks_ring(context);
  const auto object = detail::taken(context, ring, plain);
  std::vector<Value> values(ring.slots());
  rf::ckks::Encoder(ring).decode_raw(object, std::span<Value>(values));
  // A program may set another scale than that of the encoding.
  if (const double factor = object.get().scale() / plain.scale(); factor != 1) {
    for (Value& value : values) value *= factor;
  }
  destination = by_powers_of_3(detail::state_of(context), values);
}

}  // namespace

BatchEncoder::BatchEncoder(const SEALContext& context) : context_(context), slots_(0) {
  (void)detail::state_of(context);
  if (context.key_context_data()->parms().scheme() == scheme_type::ckks) {
    detail::refuse_argument("the parameters are of CKKS", "use CKKSEncoder");
  }
  if (!context.key_context_data()->qualifiers().using_batching) {
    detail::refuse_argument("the parameters have no slots", "take the plain modulus from PlainModulus::Batching");
  }
  slots_ = detail::degree_of(context);
}

void BatchEncoder::encode(const std::vector<std::uint64_t>& values, Plaintext& destination) const {
  encode_slots(context_, values, destination);
}
void BatchEncoder::encode(const std::vector<std::int64_t>& values, Plaintext& destination) const {
  encode_slots(context_, values, destination);
}
void BatchEncoder::decode(const Plaintext& plain, std::vector<std::uint64_t>& destination,
                          MemoryPoolHandle pool) const {
  detail::require_pool(pool);
  decode_slots(context_, plain, destination);
}
void BatchEncoder::decode(const Plaintext& plain, std::vector<std::int64_t>& destination, MemoryPoolHandle pool) const {
  detail::require_pool(pool);
  decode_slots(context_, plain, destination);
}

CKKSEncoder::CKKSEncoder(const SEALContext& context) : context_(context), slots_(ckks_ring(context).slots()) {}

void CKKSEncoder::encode_values(const std::vector<double>& values, const parms_id_type& parms_id, double scale,
                                Plaintext& destination, const MemoryPoolHandle& pool) const {
  detail::require_pool(pool);
  translated([&] { encode_numbers(context_, std::span(values), parms_id, scale, destination); });
}
void CKKSEncoder::encode_values(const std::vector<std::complex<double>>& values, const parms_id_type& parms_id,
                                double scale, Plaintext& destination, const MemoryPoolHandle& pool) const {
  detail::require_pool(pool);
  translated([&] { encode_numbers(context_, std::span(values), parms_id, scale, destination); });
}
void CKKSEncoder::encode(double value, parms_id_type parms_id, double scale, Plaintext& destination,
                         MemoryPoolHandle pool) const {
  encode_values(std::vector<double>(slots_, value), parms_id, scale, destination, pool);
}
void CKKSEncoder::encode(double value, double scale, Plaintext& destination, MemoryPoolHandle pool) const {
  encode(value, context_.first_parms_id(), scale, destination, std::move(pool));
}
void CKKSEncoder::encode(std::complex<double> value, parms_id_type parms_id, double scale, Plaintext& destination,
                         MemoryPoolHandle pool) const {
  encode_values(std::vector<std::complex<double>>(slots_, value), parms_id, scale, destination, pool);
}
void CKKSEncoder::encode(std::complex<double> value, double scale, Plaintext& destination,
                         MemoryPoolHandle pool) const {
  encode(value, context_.first_parms_id(), scale, destination, std::move(pool));
}
void CKKSEncoder::encode(std::int64_t value, parms_id_type parms_id, Plaintext& destination) const {
  translated([&] { encode_integer(context_, value, parms_id, destination); });
}
void CKKSEncoder::encode(std::int64_t value, Plaintext& destination) const {
  encode(value, context_.first_parms_id(), destination);
}

void CKKSEncoder::decode_values(const Plaintext& plain, std::vector<double>& destination,
                                const MemoryPoolHandle& pool) const {
  detail::require_pool(pool);
  translated([&] { decode_numbers(context_, plain, destination); });
}
void CKKSEncoder::decode_values(const Plaintext& plain, std::vector<std::complex<double>>& destination,
                                const MemoryPoolHandle& pool) const {
  detail::require_pool(pool);
  translated([&] { decode_numbers(context_, plain, destination); });
}

}  // namespace seal
