// SPDX-License-Identifier: Apache-2.0
// A program for SEAL: one product in each scheme, a rotation, a saved ciphertext, and an error of the standard library.
#include <seal/seal.h>

#include <cmath>
#include <iostream>
#include <sstream>
#include <vector>

namespace {

using seal::Ciphertext;
using seal::Plaintext;

// Keys and tools for one set of parameters.
struct Program {
  explicit Program(const seal::EncryptionParameters& parms) : context(parms), keygen(context), evaluator(context) {
    keygen.create_public_key(public_key);
    keygen.create_relin_keys(relin_keys);
    keygen.create_galois_keys(galois_keys);
  }
  Ciphertext encrypt(const Plaintext& plain) const {
    Ciphertext out;
    seal::Encryptor(context, public_key).encrypt(plain, out);
    return out;
  }
  Plaintext decrypt(const Ciphertext& encrypted) {
    std::stringstream bytes;
    encrypted.save(bytes);
    Ciphertext loaded;
    loaded.load(context, bytes);
    Plaintext out;
    seal::Decryptor(context, keygen.secret_key()).decrypt(loaded, out);
    return out;
  }
  seal::SEALContext context;
  seal::KeyGenerator keygen;
  seal::Evaluator evaluator;
  seal::PublicKey public_key;
  seal::RelinKeys relin_keys;
  seal::GaloisKeys galois_keys;
};

bool multiplies_integers(seal::scheme_type scheme) {
  seal::EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(4096);
  parms.set_coeff_modulus(seal::CoeffModulus::BFVDefault(4096));
  parms.set_plain_modulus(seal::PlainModulus::Batching(4096, 20));
  Program program(parms);
  seal::BatchEncoder encoder(program.context);
  std::vector<std::uint64_t> values(encoder.slot_count()), result;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 100;
  Plaintext plain;
  encoder.encode(values, plain);
  Ciphertext encrypted = program.encrypt(plain);
  program.evaluator.square_inplace(encrypted);
  program.evaluator.relinearize_inplace(encrypted, program.relin_keys);
  program.evaluator.rotate_rows_inplace(encrypted, 1, program.galois_keys);
  encoder.decode(program.decrypt(encrypted), result);
  return result[0] == 1 && result[7] == 64 && result[2047] == values[0] * values[0];
}

bool multiplies_reals() {
  seal::EncryptionParameters parms(seal::scheme_type::ckks);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(seal::CoeffModulus::Create(8192, {60, 40, 40, 60}));
  Program program(parms);
  seal::CKKSEncoder encoder(program.context);
  Plaintext plain;
  encoder.encode(std::vector<double>{1.5, -2.25, 3}, std::pow(2.0, 40), plain);
  Ciphertext encrypted = program.encrypt(plain);
  program.evaluator.square_inplace(encrypted);
  program.evaluator.relinearize_inplace(encrypted, program.relin_keys);
  program.evaluator.rescale_to_next_inplace(encrypted);
  program.evaluator.rotate_vector_inplace(encrypted, 1, program.galois_keys);
  std::vector<double> result;
  encoder.decode(program.decrypt(encrypted), result);
  return std::fabs(result[0] - 5.0625) < 1e-4 && std::fabs(result[1] - 9) < 1e-4;
}

bool refuses_with_standard_errors() {
  try {
    Plaintext wrong("this is no polynomial");
  } catch (const std::invalid_argument&) { return true; }
  return false;
}

}  // namespace

int main() {
  const bool is_right = multiplies_integers(seal::scheme_type::bfv) && multiplies_integers(seal::scheme_type::bgv) &&
                        multiplies_reals() && refuses_with_standard_errors();
  std::cout << (is_right ? "right" : "wrong") << " results with SEAL " << SEAL_VERSION << std::endl;
  return is_right ? 0 : 1;
}
