// SPDX-License-Identifier: Apache-2.0
// Checks that public keys belong to a secret key (key_check.h, which describes the check).
#include "rlwe/key_check.h"

#include <string>

#include "math/word.h"
#include "ring/slots.h"
#include "ringfort/declassified.h"
#include "rlwe/keys.h"

namespace ringfort {

namespace {

constexpr u64 kErrors = 2 * kLargestError + 1;

// Checks the pairs (b, a) of public keys (keys.h). `under` is the secret polynomial that decrypts the pairs. Only one
// thread at a time may use an object.
class RowCheck {
 public:
  RowCheck(const KeyContext::State& context, Workspace& work) : c_(context), work_(work), cleared_(work) {}

  // Computes out = b + a under; `out` must have the limbs of `row`.
  void phase(Slice<Eval> out, Slice<Eval> row, Slice<Eval> under) const {
    c_.ring.multiply(work_.stream, out, row.polynomials(1, 1), under);
    c_.ring.add(work_.stream, out, out, row.polynomials(0, 1));
  }

  // Tells whether `left` is f times an error, where f is the context's error factor. Clobbers `left`.
  [[nodiscard]] bool is_sample(Slice<Eval> left) const {
    const Limbs limbs = left.limbs();
    if (c_.needs.error_factor != 1) c_.ring.multiply_scalar(work_.stream, left, left, inverse_factors(limbs));
    Secret<u64> residues(std::size_t{limbs.count} * c_.p.n);
    c_.ring.download(work_.stream, c_.ring.inverse(work_.stream, std::move(left)), residues.span(), work_.staging);
    return declassified(is_error(c_.ring, limbs, residues.span()));
  }

  // Checks a key that switches from the polynomial `source` to `under`. The key's row for digit d must encrypt P g_d
  // source. `under` and `source` are over the special primes and all data primes.
  [[nodiscard]] bool is_key_switching_key(const KeySwitchingKey& key, Slice<Eval> under, Slice<Eval> source) const {
    const u32 top = c_.chain.top_level();
    const Limbs extended = c_.chain.extended(top);
    bool all = true;
    for (u32 d = 0; d < c_.chain.digits(top); ++d) {
      const Scratch<Eval> left = work_.allocate_secret<Eval>(1, extended);
      phase(left.all(), key.rows.polynomials(2 * d, 2), under);
      const Limbs digit_limbs = c_.chain.digit(top, d);
      const Scratch<Eval> message = work_.allocate_secret<Eval>(1, digit_limbs, extended);
      c_.ring.multiply_scalar(work_.stream, message.all(), source.limbs(digit_limbs),
                              std::span(c_.special_product).subspan(digit_limbs.first, digit_limbs.count));
      c_.ring.subtract(work_.stream, left.limbs(digit_limbs), left.limbs(digit_limbs), message.all());
      all &= is_sample(left.all());
    }
    return all;
  }

 private:
  [[nodiscard]] std::vector<u64> inverse_factors(Limbs limbs) const {
    std::vector<u64> inverses;
    for (u32 limb = limbs.first; limb < limbs.end(); ++limb)
      inverses.push_back(c_.ring.basis()[limb].inverse(c_.needs.error_factor));
    return inverses;
  }
  const KeyContext::State& c_;
  Workspace& work_;
  Cleared cleared_;
};

template <class Key>
const KeyContext::State& common_context(const SecretKey& secret, const Key& key, std::string_view which) {
  require_same(secret.state()->context, key.state()->context, "require_matching");
  if (secret.state()->id != key.state()->id) refuse_key(which);
  return *secret.state()->context;
}

}  // namespace

bool is_error(const Ring& ring, Limbs limbs, std::span<const u64> residues) noexcept {
  const u32 n = ring.n();
  u64 wrong = 0;
  for (u32 i = 0; i < n; ++i) {
    u64 first = 0;
    for (u32 k = 0; k < limbs.count; ++k) {
      const u64 q = ring.basis()[limbs.first + k].value();
      const u64 shifted = subtract_if_not_below<u64>(residues[std::size_t{k} * n + i] + kLargestError, q);  // e + 21
      if (k == 0) first = shifted;
      wrong |= mask_if<u64>(shifted >= kErrors) | (shifted ^ first);
    }
  }
  return wrong == 0;
}

void refuse_key(std::string_view which) {
  throw Error(Code::parameters_mismatch,
              std::string(which) + " does not belong to the secret key that was given with it",
              "it was replaced or damaged, and another person may be able to read what is encrypted with it; make a "
              "fresh key set, or restore the file");
}

void require_matching(const SecretKey& secret, const PublicKey& key) {
  const KeyContext::State& c = common_context(secret, key, "the public key");
  const Limbs limbs = key.state()->pair.limbs();
  const auto work = c.workspace();
  const RowCheck check(c, *work);
  const Scratch<Eval> left = work->allocate_secret<Eval>(1, limbs);
  check.phase(left.all(), key.state()->pair.all(), secret.state()->ntt_form.all().limbs(limbs));
  if (!check.is_sample(left.all())) refuse_key("the public key");
}

void require_matching(const SecretKey& secret, const RelinearizationKey& key) {
  const KeyContext::State& c = common_context(secret, key, "the relinearization key");
  const auto work = c.workspace();
  const Slice<Eval> s = secret.state()->ntt_form.all();
  const Scratch<Eval> square = work->allocate_secret<Eval>(1, s.limbs());
  c.ring.multiply(work->stream, square.all(), s, s);
  if (!RowCheck(c, *work).is_key_switching_key(key.state()->key, s, square.all()))
    refuse_key("the relinearization key");
}

void require_matching(const SecretKey& secret, const GaloisKeys& keys) {
  const KeyContext::State& c = common_context(secret, keys, "the set of rotation keys");
  const auto work = c.workspace();
  const RowCheck check(c, *work);
  const u32 n = c.p.n;
  const Slice<Eval> s = secret.state()->ntt_form.all();
  const Scratch<Eval> rotated = work->allocate_secret<Eval>(1, s.limbs());
  const auto require = [&](u32 galois, u32 inverse, const std::string& which) {
    c.ring.automorphism(work->stream, rotated.all(), s, inverse);
    if (!check.is_key_switching_key(keys.state()->keys.at(galois), rotated.all(), s)) refuse_key(which);
  };
  for (const std::int32_t step : keys.plan().steps)
    require(rotation_element(n, step), rotation_element(n, -i64{step}),
            "the key of rotations by " + std::to_string(step));
  for (const u32 element : keys.plan().elements)
    require(element, inverse_element(element, n), "the key of the Galois element " + std::to_string(element));
  if (keys.plan().conjugation) require(swap_rows_element(n), swap_rows_element(n), "the key of conjugation");
}

bool same_identity(const SecretKey& secret, const PublicKey& key) { return secret.state()->id == key.state()->id; }

}  // namespace ringfort
