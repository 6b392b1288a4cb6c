// SPDX-License-Identifier: Apache-2.0
// Downloads the residues of ciphertexts and plaintexts (ringfort/residues.h).
#include "ringfort/residues.h"

#include "rlwe/operands.h"
#include "scheme/bfv/wire.h"
#include "scheme/bgv/wire.h"
#include "scheme/ckks/wire.h"

namespace ringfort {

namespace {

std::vector<u64> downloaded(const RlweCiphertext& object) {
  require_filled(object, "residues");
  const KeyContext::State& k = *object.context;
  const Limbs data = k.chain.data(object.level);
  const auto work = k.workspace();
  const Cleared cleared(*work);
  std::vector<u64> words(std::size_t{object.components} * data.count * k.p.n);
  k.ring.download(work->stream, object.at_level(object.level), words, work->staging);
  return words;
}

}  // namespace

std::vector<std::uint64_t> residues(const ckks::Ciphertext& ciphertext) { return downloaded(ckks::rlwe(ciphertext)); }
std::vector<std::uint64_t> residues(const bfv::Ciphertext& ciphertext) { return downloaded(bfv::rlwe(ciphertext)); }
std::vector<std::uint64_t> residues(const bgv::Ciphertext& ciphertext) { return downloaded(bgv::rlwe(ciphertext)); }
std::vector<std::uint64_t> residues(const ckks::Plaintext& plaintext) { return downloaded(ckks::rlwe(plaintext)); }

}  // namespace ringfort
