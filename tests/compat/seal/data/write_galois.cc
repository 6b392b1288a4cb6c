// SPDX-License-Identifier: Apache-2.0
// Writes bfv_galois.seal with SEAL 4.0.0: g++ -std=c++17 write_galois.cc $(pkg-config --cflags --libs seal) && ./a.out
// Reads bfv_parameters.seal and bfv_secret.seal. The keys are those of steps 1 and 0. Every run writes other keys.
#include <seal/seal.h>

#include <fstream>

int main() {
  std::ifstream parameters("bfv_parameters.seal", std::ios::binary), secret("bfv_secret.seal", std::ios::binary);
  seal::EncryptionParameters parms;
  // the headers state version 4.1, whose parameters and keys have the bytes of 4.0
  const auto as_4_0 = [](std::ifstream& from) {
    std::string bytes(std::istreambuf_iterator<char>(from), {});
    for (std::size_t at = 0; (at = bytes.find("\x5e\xa1\x10\x04\x01", at)) != std::string::npos;) bytes[at + 4] = 0;
    return std::stringstream(bytes);
  };
  auto parameter_bytes = as_4_0(parameters), secret_bytes = as_4_0(secret);
  parms.load(parameter_bytes);
  const seal::SEALContext context(parms, true, seal::sec_level_type::none);
  seal::SecretKey key;
  key.load(context, secret_bytes);
  seal::GaloisKeys keys;
  seal::KeyGenerator(context, key).create_galois_keys(std::vector<int>{1, 0}, keys);
  std::ofstream to("bfv_galois.seal", std::ios::binary);
  keys.save(to, seal::compr_mode_type::none);
}
