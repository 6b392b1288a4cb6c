// SPDX-License-Identifier: Apache-2.0
// Plaintexts between SEAL's words and the objects of this library (plaintext_state.h). The transforms are those of
// ringfort/ring.h, whose order is SEAL's.
#include "plaintext_state.h"

#include <algorithm>

#include "errors.h"
#include "operands.h"
#include "ringfort/residues.h"
#include "ringfort/ring.h"

namespace seal::detail {

namespace {

std::uint64_t plain_modulus_of(const SEALContext& context) {
  const std::uint64_t t = context.first_context_data()->parms().plain_modulus().value();
  if (t == 0) refuse_argument("CKKS has no plaintexts of coefficients", "use CKKSEncoder");
  return t;
}

// Residues modulo t from (t + 1) / 2 on are those of negative numbers.
std::int64_t centred_number(std::uint64_t residue, std::uint64_t modulus) {
  const auto number = static_cast<std::int64_t>(residue);
  return residue >= (modulus + 1) / 2 ? number - static_cast<std::int64_t>(modulus) : number;
}

// `parms`: those of a level of ciphertexts.
Words transformed_words(const ContextState& state, const std::vector<std::int64_t>& numbers,
                        const EncryptionParameters& parms) {
  return translated([&] {
    const std::size_t n = parms.poly_modulus_degree(), primes = parms.coeff_modulus().size();
    Words words(n * primes);
    for (std::size_t i = 0; i < primes; ++i) {
      const std::span<std::uint64_t> row(words.begin() + i * n, n);
      for (std::size_t j = 0; j < numbers.size(); ++j)
        row[j] = residue_of(numbers[j], parms.coeff_modulus()[i].value());
      state.transforms()[i].forward<std::uint64_t>(row, row);
    }
    return words;
  });
}

// Encodes the coefficients of BFV or BGV, and computes the transform that products at `level` and below need.
PlaintextObject::Value prepared(const SEALContext& context, const std::vector<std::int64_t>& numbers,
                                std::uint32_t level) {
  return translated([&] {
    return with_ring(context, [&](const auto& ring) -> PlaintextObject::Value {
      using Ring = std::decay_t<decltype(ring)>;
      if constexpr (is_ckks<Ring>) {
        refuse_argument("CKKS has no plaintexts of coefficients", "use CKKSEncoder");
      } else {
        auto plain = typename TypesOf<Ring>::Encoder(ring).encode_coefficients(numbers);
        typename TypesOf<Ring>::Evaluator(ring).prepare_plain(plain, level);
        return plain;
      }
    });
  });
}

std::vector<std::int64_t> coefficients_of(const PlaintextObject& object) {
  return translated([&] {
    return with_ring_of(*object.context, [&](const auto& ring) {
      using Types = TypesOf<std::decay_t<decltype(ring)>>;
      std::vector<std::int64_t> numbers;
      if constexpr (!is_ckks<std::decay_t<decltype(ring)>>) {
        numbers.resize(ring.keys().chain().n);
        typename Types::Encoder(ring).decode_coefficients(std::get<typename Types::Plaintext>(object.value), numbers);
      }
      return numbers;
    });
  });
}

using Wide = unsigned __int128;

// Returns 1 / number modulo a prime, which is number^(prime - 2).
std::uint64_t inverse_of(std::uint64_t number, std::uint64_t prime) {
  Wide power = number % prime, inverse = 1;
  for (std::uint64_t exponent = prime - 2; exponent != 0; exponent >>= 1) {
    if (exponent % 2 == 1) inverse = inverse * power % prime;
    power = power * power % prime;
  }
  return static_cast<std::uint64_t>(inverse);
}

// Numbers modulo a product of primes.
struct Composed {
  std::vector<Wide> numbers;
  Wide modulus = 1;
};

// Adds a prime and the residues modulo it, by Garner's algorithm. The new modulus needs to be below 2^128.
void compose(Composed& composed, std::span<const std::uint64_t> residues, std::uint64_t prime) {
  const std::uint64_t inverse = inverse_of(static_cast<std::uint64_t>(composed.modulus % prime), prime);
  for (std::size_t i = 0; i < residues.size(); ++i) {
    Wide& number = composed.numbers[i];
    const Wide difference = (Wide(residues[i]) + prime - number % prime) % prime;
    number += composed.modulus * (difference * inverse % prime);
  }
  composed.modulus *= prime;
}

[[noreturn]] void refuse_words() {
  refuse_argument("the words of a transformed plaintext encode no polynomial modulo the plain modulus",
                  "make them with transform_to_ntt");
}

// Finds the signed coefficients of a transform. They are below the product of the first few primes. The transform of
// the result is compared with the words of all primes.
std::vector<std::int64_t> inverse_of_words(const Plaintext& plain, const SEALContext& context, std::uint64_t t) {
  const auto data = context.get_context_data(plain.parms_id());
  if (!data || !is_valid_for(plain, context))
    refuse_argument("a plaintext is not valid for the context", "make it with a context of equal parameters");
  const EncryptionParameters& parms = data->parms();
  const std::size_t n = parms.poly_modulus_degree();
  Composed composed{std::vector<Wide>(n)};
  for (std::size_t i = 0; composed.modulus <= t && i < parms.coeff_modulus().size(); ++i) {
    std::vector<std::uint64_t> row(plain.data() + i * n, plain.data() + (i + 1) * n);
    translated([&] { state_of(context).transforms()[i].inverse<std::uint64_t>(row, row); });
    compose(composed, row, parms.coeff_modulus()[i].value());
  }
  std::vector<std::int64_t> numbers;
  for (const Wide number : composed.numbers) {
    const bool is_negative = number > composed.modulus / 2;
    const Wide magnitude = is_negative ? composed.modulus - number : number;
    if (magnitude > t / 2) refuse_words();
    numbers.push_back(is_negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude));
  }
  const Words expected = transformed_words(state_of(context), numbers, parms);
  if (!std::equal(expected.begin(), expected.end(), plain.data())) refuse_words();
  return numbers;
}

}  // namespace

Words PlaintextObject::make() const {
  if (make_words_) return make_words_();
  const std::vector<std::uint64_t> all = rf::residues(std::get<rf::ckks::Plaintext>(value));
  Words copied(all.size());
  std::copy(all.begin(), all.end(), copied.begin());
  return copied;
}

const Words& PlaintextObject::words() const {
  return translated([this]() -> const Words& { return words_.get([this] { return make(); }); });
}

std::uint64_t residue_of(std::int64_t number, std::uint64_t modulus) {
  const auto bits = static_cast<std::uint64_t>(number);  // modulo 2^64
  const std::uint64_t rest = (number < 0 ? -bits : bits) % modulus;
  return number < 0 && rest != 0 ? modulus - rest : rest;
}

std::vector<std::int64_t> signed_coefficients(const Plaintext& plain, const SEALContext& context) {
  const std::uint64_t t = plain_modulus_of(context);
  if (plain.is_ntt_form()) {
    const auto object = plain.object();
    return object ? coefficients_of(*object) : inverse_of_words(plain, context, t);
  }
  if (!is_valid_for(plain, context))
    refuse_argument("a plaintext has a coefficient that is not below the plain modulus " + std::to_string(t) +
                        ", or more coefficients than the degree",
                    "reduce its coefficients");
  std::vector<std::int64_t> numbers;
  numbers.reserve(plain.coeff_count());
  for (std::size_t i = 0; i < plain.coeff_count(); ++i) numbers.push_back(centred_number(plain[i], t));
  return numbers;
}

void set_coefficients(Plaintext& plain, std::span<const std::int64_t> coefficients, std::uint64_t plain_modulus) {
  std::size_t count = coefficients.size();
  while (count != 0 && coefficients[count - 1] == 0) --count;
  if (plain.is_ntt_form()) plain.release();
  plain.resize(std::max<std::size_t>(count, 1));
  std::uint64_t* words = plain.data();
  words[0] = 0;
  for (std::size_t i = 0; i < count; ++i) words[i] = residue_of(coefficients[i], plain_modulus);
}

void transform_plain(Plaintext& plain, const SEALContext& context, const parms_id_type& parms_id) {
  if (plain.is_ntt_form()) refuse_argument("the plaintext is a transform already", "transform it once");
  const auto data = ciphertext_data(context, parms_id);
  std::vector<std::int64_t> numbers = signed_coefficients(plain, context);
  PlaintextObject::Value value = prepared(context, numbers, level_of(context, parms_id));
  const bool is_zero = std::ranges::all_of(numbers, [](std::int64_t number) { return number == 0; });
  auto make_words = [state = context.state(), numbers = std::move(numbers), parms = data->parms()] {
    return transformed_words(*state, numbers, parms);
  };
  const std::size_t count = data->parms().poly_modulus_degree() * data->parms().coeff_modulus().size();
  auto object = std::make_shared<PlaintextObject>(context.state(), std::move(value), count, std::move(make_words));
  object->is_zero = is_zero;
  plain.set_object(std::move(object), parms_id, plain.scale());
}

}  // namespace seal::detail
