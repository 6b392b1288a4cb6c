// SPDX-License-Identifier: Apache-2.0
// KeyContext (ringfort/keys.h): the ring, the chain of primes, the noise bounds and the workspaces of one parameter set
// on one device.
#include <bit>
#include <cmath>
#include <set>

#include "math/prime.h"
#include "rlwe/keys.h"
#include "rlwe/parameters.h"
#include "rlwe/security.h"

namespace ringfort {

namespace {

[[noreturn]] void refuse(const std::string& problem, const std::string& fix) {
  throw Error(Code::invalid_argument, problem, fix);
}

std::vector<u128> all_primes(const ChainParameters& p, const SchemeNeeds& needs) {
  std::vector<u128> primes(needs.auxiliary.begin(), needs.auxiliary.end());
  primes.insert(primes.end(), p.special.begin(), p.special.end());
  primes.insert(primes.end(), p.data.begin(), p.data.end());
  return primes;
}

Chain chain_of(const ChainParameters& p, const SchemeNeeds& needs) {
  if (!std::has_single_bit(p.n) || p.n < 8 || p.n > (1u << 17))
    refuse("n = " + std::to_string(p.n) + " is not a power of two in 8 .. 131072", "choose such an n");
  if (p.limbs_per_level == 0 || p.data.empty() || p.data.size() % p.limbs_per_level != 0) {
    refuse(std::to_string(p.data.size()) + " data primes do not make levels of " + std::to_string(p.limbs_per_level),
           "give a multiple of limbs_per_level");
  }
  if (p.digit_limbs == 0) refuse("digits of 0 limbs were requested", "set digit_limbs to 1 or more");
  return {static_cast<u32>(needs.auxiliary.size()), static_cast<u32>(p.special.size()), static_cast<u32>(p.data.size()),
          p.limbs_per_level, p.digit_limbs};
}

Plan plan_of(const ChainParameters& p, const SchemeNeeds& needs) {
  const std::vector<u128> primes = all_primes(p, needs);
  if (primes.size() > kMostLimbs)
    refuse(std::to_string(primes.size()) + " primes were given", "use at most " + std::to_string(kMostLimbs));
  if (std::set<u128>(primes.begin(), primes.end()).size() != primes.size())
    refuse("a prime was given twice", "use distinct primes");
  u128 largest = 0;
  for (const u128 q : primes) {
    if (q >> 62 != 0 || !is_prime(q) || q % (2 * p.n) != 1) {
      refuse(std::to_string(static_cast<u64>(q)) + " is not a prime below 2^62 that is 1 mod 2n",
             "take primes from primes()");
    }
    largest = std::max(largest, q);
  }
  return {p.n, largest >> 31 == 0 ? ringfort::Word::u32 : ringfort::Word::u64, primes};
}

std::vector<u64> special_products(const RnsBasis& basis, const Chain& chain) {
  std::vector<u64> products;
  for (u32 limb = 0; limb < basis.size(); ++limb) products.push_back(basis.product(chain.special(), limb));
  return products;
}

// Checks that no digit exceeds 2 P, where P is the product of the special primes. A key switch multiplies the errors of
// its key by the ratio of the digit to P.
void check_digits(const RnsBasis& basis, const Chain& chain) {
  if (chain.special_limbs == 0) return;
  const double special = basis.log2_product(chain.special());
  for (u32 d = 0; d < chain.digits(chain.top_level()); ++d) {
    if (basis.log2_product(chain.digit(chain.top_level(), d)) <= special + 1) continue;
    refuse("digit " + std::to_string(d) + " of key switching is longer than the special primes (" +
               std::to_string(special) + " bits)",
           "give more special primes, or a smaller digit_limbs");
  }
}

// Returns the id of a secret key in the order of its bytes in a file, as Python shows it.
std::string shown_id(u64 id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int byte = 0; byte < 8; ++byte, id >>= 8) text += {kDigits[id >> 4 & 15], kDigits[id & 15]};
  return text;
}

}  // namespace

KeyContext::State::State(const ChainParameters& parameters, const SchemeNeeds& what, std::string_view device)
    : p(parameters),
      needs(what),
      chain(chain_of(p, needs)),
      ring(Device::open(device), plan_of(p, needs)),
      noise(p.n, chain, ring.basis(), needs.error_factor),
      special_product(special_products(ring.basis(), chain)),
      pool(ring) {
  if (!unguarded()) check_digits(ring.basis(), chain);
  require_secure(*this, chain.extended(chain.top_level()));
}

void KeyContext::profile(const Profile* profile) const {
  state_->ring.device().profile(profile == nullptr ? nullptr : profile->state()->profiler);
}

DeviceMemory KeyContext::memory() const {
  DeviceMemory memory = state_->ring.device().memory().use();
  memory.copies = state_->ring.device().copies().bytes();
  return memory;
}
void KeyContext::keep_copies(std::size_t bytes) const { state_->ring.device().copies().keep_at_most(bytes); }
void KeyContext::keep_at_most(std::size_t bytes) const { state_->ring.device().memory().keep_at_most(bytes); }
void KeyContext::trim() const {
  (void)state_->ring.device().copies().drop();
  state_->ring.device().memory().trim();
}

const ChainParameters& KeyContext::chain() const noexcept { return state_->p; }
std::string KeyContext::device() const { return state_->ring.device().name(); }
std::uint32_t KeyContext::top_level() const noexcept { return state_->chain.top_level(); }
bool KeyContext::wants_batches() const noexcept { return state_->ring.device().backend().capabilities().wants_batches; }

void require_same(const SharedKeyContext& a, const SharedKeyContext& b, std::string_view what) {
  if (a == b) return;
  throw Error(Code::parameters_mismatch, std::string(what) + " was given objects of two contexts",
              "make keys, plaintexts and ciphertexts with one Context, or bring them to its device with to()");
}

void require_same_key(u64 a, u64 b, std::string_view what) {
  if (a == b) return;
  throw Error(Code::parameters_mismatch,
              std::string(what) + " was given objects of two secret keys, " + shown_id(a) + " and " + shown_id(b),
              "use the keys that the ciphertexts were made under");
}

void require_special_primes(const KeyContext::State& context, std::string_view what) {
  if (context.chain.special_limbs != 0) return;
  throw Error(Code::unsupported, std::string(what) + " needs a special prime, but the parameters have none",
              "give ChainParameters::special at least one prime");
}

void require_secure(const KeyContext::State& context, Limbs limbs) {
  if (!context.p.insecure_reason.empty()) return;
  const Sample sample{context.p.n, context.ring.basis().log2_product(limbs), SecretKind::ternary,
                      std::sqrt(kErrorVariance)};
  (void)check_sample(sample, level_of(context.p.security)).take();
}

}  // namespace ringfort
