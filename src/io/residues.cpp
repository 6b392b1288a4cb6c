// SPDX-License-Identifier: Apache-2.0
// Downloads and uploads the residues of ciphertexts and plaintexts (ringfort/residues.h), and applies automorphisms of
// elements (ringfort/key_residues.h).
#include "ringfort/residues.h"

#include <bit>
#include <numeric>

#include "ringfort/key_residues.h"
#include "rlwe/operands.h"
#include "io/residue_limbs.h"
#include "rlwe/rotation.h"
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

void download_component(const RlweCiphertext& object, u32 component, ResidueForm form, std::span<u64> out) {
  require_filled(object, "residues");
  const KeyContext::State& k = *object.context;
  const Limbs data = k.chain.data(object.level);
  if (component >= object.components || out.size() != std::size_t{data.count} * k.p.n)
    refuse(std::to_string(out.size()) + " residues of component " + std::to_string(component) + " were requested",
           "the ciphertext has " + std::to_string(object.components) + " components of " +
               std::to_string(std::size_t{data.count} * k.p.n) + " residues");
  const auto work = k.workspace();
  const Slice<Eval> wanted = object.at_level(object.level).polynomials(component, 1);
  if (form == ResidueForm::evaluations) return k.ring.download(work->stream, wanted, out, work->staging);
  const Scratch<Eval> copied = work->allocate<Eval>(1, data);
  k.ring.download(work->stream, k.ring.inverse_into(work->stream, copied.all(), wanted), out, work->staging);
}

void require_scale(double scale) {
  if (!(scale > 0 && scale <= 0x1p1000))
    refuse("the scale " + std::to_string(scale) + " was given", "give a number above zero");
}

constexpr std::pair<u32, u32> kCiphertexts{2, kMostComponents};  // numbers of components

// Returns an object with `least` to `most` components at a level.
RlweCiphertext uploaded(const SharedKeyContext& context, u32 level, std::span<const u64> words,
                        std::pair<u32, u32> components, ResidueForm form) {
  const KeyContext::State& k = *context;
  require_unguarded(k, "an object of residues");
  if (level > k.chain.top_level())
    refuse("level " + std::to_string(level) + " was requested", "give 0 .. " + std::to_string(k.chain.top_level()));
  const Limbs limbs = k.chain.data(level);
  const std::size_t polynomial = std::size_t{limbs.count} * k.p.n, count = words.size() / polynomial;
  if (words.size() % polynomial != 0 || count < components.first || count > components.second)
    refuse(std::to_string(words.size()) + " residues were given, but a component has " + std::to_string(polynomial) +
               ", and there are " + std::to_string(components.first) + " .. " + std::to_string(components.second) +
               " components",
           "give all residues of all components");
  RlweCiphertext object = make_ciphertext(context, kNoIdentity, level, static_cast<u32>(count));
  const auto work = k.workspace();
  for (u32 i = 0; i < count; ++i) {  // a component that was checked is still in the cache
    const std::span<const u64> component = words.subspan(i * polynomial, polynomial);
    require_residues(k, limbs, component);
    k.ring.upload(work->stream, object.all().polynomials(i, 1), component, work->staging);
  }
  if (form == ResidueForm::coefficients) (void)k.ring.forward(work->stream, Slice<Coeff>(object.all().view()));
  return object;
}

// Computes x -> x^element.
RlweCiphertext at_power(const KeyContext& context, const RlweCiphertext& a, u32 element, const GaloisKeys& keys) {
  require_unguarded(*context.state(), "automorphism");
  require_element(element, context.chain().n);
  require_key(a, keys, "automorphism");
  require_same(context.state(), a.context, "automorphism");
  const auto work = context.state()->workspace();
  return rotate(a, element_path(*keys.state(), element), *work);
}

}  // namespace

std::vector<std::uint64_t> residues(const ckks::Ciphertext& ciphertext) { return downloaded(ckks::rlwe(ciphertext)); }
std::vector<std::uint64_t> residues(const bfv::Ciphertext& ciphertext) { return downloaded(bfv::rlwe(ciphertext)); }
std::vector<std::uint64_t> residues(const bgv::Ciphertext& ciphertext) { return downloaded(bgv::rlwe(ciphertext)); }
std::vector<std::uint64_t> residues(const ckks::Plaintext& plaintext) { return downloaded(ckks::rlwe(plaintext)); }

void residues(const ckks::Ciphertext& ciphertext, std::uint32_t component, ResidueForm form,
              std::span<std::uint64_t> out) {
  download_component(ckks::rlwe(ciphertext), component, form, out);
}
void residues(const bfv::Ciphertext& ciphertext, std::uint32_t component, ResidueForm form,
              std::span<std::uint64_t> out) {
  download_component(bfv::rlwe(ciphertext), component, form, out);
}
void residues(const bgv::Ciphertext& ciphertext, std::uint32_t component, ResidueForm form,
              std::span<std::uint64_t> out) {
  download_component(bgv::rlwe(ciphertext), component, form, out);
}

std::uint64_t correction_factor(const bgv::Ciphertext& ciphertext) {
  require_filled(bgv::rlwe(ciphertext), "correction_factor");
  return bgv::bound_numbers(ciphertext)[1];
}

ckks::Ciphertext ciphertext_of(const ckks::Context& context, std::uint32_t level, double scale,
                               std::span<const std::uint64_t> residues, ResidueForm form) {
  require_scale(scale);
  return ckks::import_ciphertext(context, uploaded(context.keys().state(), level, residues, kCiphertexts, form),
                                 {std::bit_cast<u64>(scale), 0, 0}, true)
      .take();
}
bfv::Ciphertext ciphertext_of(const bfv::Context& context, std::uint32_t level, std::span<const std::uint64_t> residues,
                              ResidueForm form) {
  return bfv::import_ciphertext(context, uploaded(context.keys().state(), level, residues, kCiphertexts, form),
                                {0, 1, 0}, true)
      .take();
}
bgv::Ciphertext ciphertext_of(const bgv::Context& context, std::uint32_t level, std::uint64_t factor,
                              std::span<const std::uint64_t> residues, ResidueForm form) {
  const u64 t = context.plain_modulus();
  if (factor >= t || std::gcd(factor, t) != 1)
    refuse(
        "the correction factor " + std::to_string(factor) + " was given for the plain modulus " + std::to_string(t),
        "give a factor below the plain modulus without a common divisor, such as correction_factor() of a ciphertext");
  return bgv::import_ciphertext(context, uploaded(context.keys().state(), level, residues, kCiphertexts, form),
                                {0, factor, 0}, true)
      .take();
}

ckks::Plaintext plaintext_of(const ckks::Context& context, std::uint32_t level, double scale,
                             std::span<const std::uint64_t> residues) {
  require_scale(scale);
  return ckks::unguarded_plaintext(uploaded(context.keys().state(), level, residues, {1, 1}, ResidueForm::evaluations),
                                   scale);
}

ckks::Ciphertext automorphism(const ckks::Context& context, const ckks::Ciphertext& a, std::uint32_t element,
                              const GaloisKeys& keys) {
  RlweCiphertext out = at_power(context.keys(), ckks::rlwe(a), element, keys);
  return ckks::import_ciphertext(context, std::move(out), ckks::bound_numbers(context, a), true).take();
}
bfv::Ciphertext automorphism(const bfv::Context& context, const bfv::Ciphertext& a, std::uint32_t element,
                             const GaloisKeys& keys) {
  RlweCiphertext out = at_power(context.keys(), bfv::rlwe(a), element, keys);
  return bfv::import_ciphertext(context, std::move(out), bfv::bound_numbers(a), true).take();
}
bgv::Ciphertext automorphism(const bgv::Context& context, const bgv::Ciphertext& a, std::uint32_t element,
                             const GaloisKeys& keys) {
  RlweCiphertext out = at_power(context.keys(), bgv::rlwe(a), element, keys);
  return bgv::import_ciphertext(context, std::move(out), bgv::bound_numbers(a), true).take();
}

}  // namespace ringfort
