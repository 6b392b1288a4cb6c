// SPDX-License-Identifier: Apache-2.0
// Converts Ring-GSW objects to and from the numbers that files contain, and checks their ranges (wire.h).
#include "scheme/rgsw/wire.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/checked.h"
#include "ringfort/declassified.h"
#include "scheme/rgsw/keys.h"

namespace ringfort::rgsw {

namespace {

constexpr std::size_t kMostEncryptedBits = std::size_t{1} << 20;  // the limit of one call of encrypt

Failure damaged(Code code, const std::string& problem) {
  return {code, problem, "the file is damaged, or not a ringfort file; restore it from a copy"};
}

Result<Done> check_residues(std::span<const u64> residues, u64 q) {
  u64 largest = 0;
  for (const u64 x : residues) largest = std::max(largest, x);
  if (largest >= q) return damaged(Code::io_range, "a coefficient is not below q");
  return Done{};
}

Failure forbidden(const Parameters& p) {
  return {Code::mode_forbidden, "preset '" + p.name + "' does not allow public-key ciphertexts",
          "index with the secret key, or use gsw128"};
}

void upload_bits(EncryptedBits::State& out, const StoredBits& stored) {
  const Ring& ring = out.context->ring;
  const auto work = out.context->workspace();
  const std::size_t n = ring.n(), each = exported_words(out.context->p, stored.mode);
  for (u32 i = 0; i < stored.indices.size(); ++i) {
    const std::span<const u64> words = stored.residues.subspan(i * each, each);
    if (stored.mode == Mode::public_key) {
      out.marks.push_back(mark_of(words.subspan(n, n)));
      ring.upload(work->stream, out.bit(i), words, work->staging);
      continue;
    }
    out.marks.push_back(mark_of(stored.seed, stored.indices[i]));
    for (u32 r = 0; r < out.context->rows; ++r) {
      ring.upload(work->stream, out.row(i, r).polynomials(0, 1), words.subspan(r * n, n), work->staging);
      ring.expand_uniform(work->stream, out.row(i, r).polynomials(1, 1), stored.seed, stored.indices[i],
                          static_cast<u16>(r));
    }
  }
}

}  // namespace

std::size_t exported_words(const Parameters& p, Mode mode) noexcept {
  return std::size_t{2} * p.digits * p.n * (mode == Mode::secret_key ? 1 : 2);
}

std::size_t exported_bits(const Parameters& p) noexcept { return static_cast<std::size_t>(std::bit_width(p.q - 1)); }

void export_bit(const EncryptedBits& bits, u32 index, std::span<u64> out) {
  const EncryptedBits::State& b = bits.state();
  require_filled(b, "export_bits");
  if (!b.fresh)
    throw Error(Code::unsupported, "only fresh encryptions can be exported", "export before operating on them");
  if (index >= b.count || out.size() != exported_words(b.context->p, b.mode)) {
    throw Error(Code::invalid_argument, "export_bit was given the index of no bit, or memory of the wrong size",
                "give an index below size(), and memory for exported_words() words");
  }
  const Ring& ring = b.context->ring;
  const auto work = b.context->workspace();
  const std::size_t n = b.context->p.n;
  if (b.mode == Mode::public_key) return ring.download(work->stream, b.bit(index), out, work->staging);
  for (u32 r = 0; r < b.context->rows; ++r)
    ring.download(work->stream, b.row(index, r).polynomials(0, 1), out.subspan(r * n, n), work->staging);
}

void export_bits(const EncryptedBits& bits, std::span<u64> out) {
  const EncryptedBits::State& b = bits.state();
  require_filled(b, "export_bits");
  const std::size_t each = exported_words(b.context->p, b.mode);
  if (out.size() != each * b.count)
    throw Error(Code::invalid_argument, "export_bits was given memory of the wrong size",
                "give memory for size() * exported_words() words");
  for (u32 i = 0; i < b.count; ++i) export_bit(bits, i, out.subspan(i * each, each));
}

PublicSeed public_seed(const EncryptedBits& bits) { return bits.state().seed; }

Result<Done> import_bits(EncryptedBits& out, const Context& context, const StoredBits& stored) {
  const Parameters& p = context.parameters();
  EncryptedBits::State b = std::exchange(out.state(), {});  // `out` is empty until the end
  if (stored.mode != Mode::secret_key && stored.mode != Mode::public_key)
    return damaged(Code::io_range, "the key mode is unknown");
  if (stored.mode == Mode::public_key && !p.public_key_allowed) return forbidden(p);
  const Checked words = Checked(stored.indices.size()) * exported_words(p, stored.mode);
  if (stored.indices.size() > kMostEncryptedBits || !words.ok() || stored.residues.size() != words.value()) {
    return damaged(Code::io_length, "the number of coefficients does not fit the bits");
  }
  if (auto checked = check_residues(stored.residues, p.q); !checked.ok()) return checked;
  try {
    b.resize(context.state(), static_cast<u32>(stored.indices.size()));
    b.describe_as_fresh(stored.mode, stored.seed);
    b.marks.clear();
    upload_bits(b, stored);
  } catch (const Error& e) { return Failure{e.code(), e.problem(), e.fix()}; }
  out.state() = std::move(b);
  return Done{};
}

Result<SecretKey> import_secret_key(const Context& context, std::span<const i8> coefficients) {
  if (coefficients.size() != context.parameters().n)
    return damaged(Code::io_length, "the secret key has the wrong number of coefficients");
  unsigned outside = 0;
  for (const i8 t : coefficients) outside |= static_cast<unsigned>(static_cast<unsigned>(t + 1) > 2);
  if (declassified(outside != 0)) return damaged(Code::io_range, "a coefficient of the secret key is not -1, 0 or 1");
  Secret<i8> copy(coefficients.size());
  std::copy(coefficients.begin(), coefficients.end(), copy.data());
  return make_secret_key(context.state(), std::move(copy));
}

std::span<const i8> secret_coefficients(const SecretKey& key) { return key.state()->secret.coefficients.span(); }

Result<PublicKey> import_public_key(const Context& context, const PublicSeed& seed, std::span<const u64> b) {
  const SharedContext& c = context.state();
  if (!c->p.public_key_allowed) return forbidden(c->p);
  if (b.size() != c->p.n) return damaged(Code::io_length, "the public key has the wrong number of coefficients");
  if (auto checked = check_residues(b, c->p.q); !checked.ok()) return checked.failure();
  auto state = std::make_shared<PublicKey::State>();
  state->context = c;
  state->key.seed = seed;
  state->key.polynomials = c->ring.make_key<Eval>(2, c->ring.limbs());
  Staging staging(c->p.n);
  c->ring.upload(Stream{}, state->key.polynomials.polynomials(0, 1), b, staging);
  c->ring.expand_uniform(Stream{}, state->key.polynomials.polynomials(1, 1), seed, 0, 0);
  return PublicKey(std::move(state));
}

PublicSeed public_seed(const PublicKey& key) { return key.state()->key.seed; }

std::vector<u64> public_residues(const PublicKey& key) {
  const Context::State& c = *key.state()->context;
  Staging staging(c.p.n);
  std::vector<u64> b(c.p.n);
  c.ring.download(Stream{}, key.state()->key.polynomials.polynomials(0, 1), std::span<u64>(b), staging);
  return b;
}

}  // namespace ringfort::rgsw
