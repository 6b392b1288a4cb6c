// SPDX-License-Identifier: Apache-2.0
// Downloads and uploads the residues of ciphertexts and plaintexts (ringfort/residues.h).
#include "ringfort/residues.h"

#include <numeric>

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

[[noreturn]] void refuse(const std::string& problem, const std::string& fix) {
  throw Error(Code::invalid_argument, problem, fix);
}

void require_residues(const KeyContext::State& k, Limbs limbs, std::span<const u64> words) {
  const std::size_t n = k.p.n, polynomial = limbs.count * n;
  for (std::size_t at = 0; at < words.size(); at += n) {
    const u64 q = k.ring.basis()[limbs.first + static_cast<u32>(at % polynomial / n)].value();
    bool below = true;
    for (const u64 word : words.subspan(at, n)) below &= word < q;
    if (!below) refuse("a residue is not below its prime " + std::to_string(q), "reduce residues modulo their primes");
  }
}

// Returns an object with `least` to `most` components at a level.
RlweCiphertext uploaded(const SharedKeyContext& context, u64 key_id, u32 level, std::span<const u64> words,
                        std::pair<u32, u32> components) {
  const KeyContext::State& k = *context;
  if (!k.unguarded())
    throw Error(Code::mode_forbidden, "residues were given to a context whose objects carry bounds",
                "set ChainParameters::unguarded_reason, or encode and encrypt values");
  if (level > k.chain.top_level())
    refuse("level " + std::to_string(level) + " was requested", "give 0 .. " + std::to_string(k.chain.top_level()));
  const Limbs limbs = k.chain.data(level);
  const std::size_t polynomial = std::size_t{limbs.count} * k.p.n, count = words.size() / polynomial;
  if (words.size() % polynomial != 0 || count < components.first || count > components.second)
    refuse(std::to_string(words.size()) + " residues were given, but a component has " + std::to_string(polynomial) +
               ", and there are " + std::to_string(components.first) + " .. " + std::to_string(components.second) +
               " components",
           "give all residues of all components");
  require_residues(k, limbs, words);
  RlweCiphertext object = make_ciphertext(context, key_id, level, static_cast<u32>(count));
  const auto work = k.workspace();
  k.ring.upload(work->stream, object.all(), words, work->staging);
  return object;
}

RlweCiphertext uploaded_like(const KeyContext& context, const RlweCiphertext& like, std::span<const u64> words) {
  require_filled(like, "with_residues");
  require_same(like.context, context.state(), "with_residues");
  return uploaded(like.context, like.key_id, like.level, words, {2, kMostComponents});
}

}  // namespace

std::vector<std::uint64_t> residues(const ckks::Ciphertext& ciphertext) { return downloaded(ckks::rlwe(ciphertext)); }
std::vector<std::uint64_t> residues(const bfv::Ciphertext& ciphertext) { return downloaded(bfv::rlwe(ciphertext)); }
std::vector<std::uint64_t> residues(const bgv::Ciphertext& ciphertext) { return downloaded(bgv::rlwe(ciphertext)); }
std::vector<std::uint64_t> residues(const ckks::Plaintext& plaintext) { return downloaded(ckks::rlwe(plaintext)); }

ckks::Ciphertext with_residues(const ckks::Context& context, const ckks::Ciphertext& like,
                               std::span<const std::uint64_t> residues) {
  RlweCiphertext ciphertext = uploaded_like(context, ckks::rlwe(like), residues);
  return ckks::import_ciphertext(context, std::move(ciphertext), ckks::bound_numbers(context, like), true).take();
}
bfv::Ciphertext with_residues(const bfv::Context& context, const bfv::Ciphertext& like,
                              std::span<const std::uint64_t> residues) {
  RlweCiphertext ciphertext = uploaded_like(context, bfv::rlwe(like), residues);
  return bfv::import_ciphertext(context, std::move(ciphertext), bfv::bound_numbers(like), true).take();
}
std::uint64_t correction_factor(const bgv::Ciphertext& ciphertext) {
  require_filled(bgv::rlwe(ciphertext), "correction_factor");
  return bgv::bound_numbers(ciphertext)[1];
}
bgv::Ciphertext with_residues(const bgv::Context& context, const bgv::Ciphertext& like,
                              std::span<const std::uint64_t> residues) {
  return with_residues(context, like, residues, correction_factor(like));
}
bgv::Ciphertext with_residues(const bgv::Context& context, const bgv::Ciphertext& like,
                              std::span<const std::uint64_t> residues, std::uint64_t factor) {
  const u64 t = context.plain_modulus();
  if (factor >= t || std::gcd(factor, t) != 1)
    refuse(
        "the correction factor " + std::to_string(factor) + " was given for the plain modulus " + std::to_string(t),
        "give a factor below the plain modulus without a common divisor, such as correction_factor() of a ciphertext");
  RlweCiphertext ciphertext = uploaded_like(context, bgv::rlwe(like), residues);
  return bgv::import_ciphertext(context, std::move(ciphertext), {0, factor, 0}, true).take();
}

ckks::Plaintext plaintext_of(const ckks::Context& context, std::uint32_t level, double scale,
                             std::span<const std::uint64_t> residues) {
  if (!(scale > 0 && scale <= 0x1p1000))
    refuse("the scale " + std::to_string(scale) + " was given", "give a number above zero");
  return ckks::unguarded_plaintext(uploaded(context.keys().state(), 0, level, residues, {1, 1}), scale);
}

}  // namespace ringfort
