// SPDX-License-Identifier: Apache-2.0
// Chooses and explains parameters of BFV and BGV, with the functions that each scheme supplies (parameters.h).
#include "rlwe/integers/parameters.h"

#include "ringfort/error.h"

namespace ringfort {

ChainParameters choose_integers(const RingRequirements& r, u64 t, const IntegerSearch& search, u64 also) {
  check_requirements(r);
  check_plain_modulus(t);
  const std::string asked = "depth " + std::to_string(r.depth) + " modulo " + std::to_string(t);
  const auto plan = [&](double spare) {
    return smallest_ring(r, {asked, "no modulus keeps the noise below what decryption allows", largest_degree(r, t),
                             [&](u32 n, u32 depth) { return search.fit(n, depth, spare); }});
  };
  return with_spare_bits(plan, [&](const ChainSizes& sizes) {
    ChainParameters chain = make_chain(sizes, r, std::nullopt, {.also = also, .coprime_to = t});
    if (explain_integers(chain, t, search).depth >= r.depth) return chain;
    throw Error(Code::unsupported,
                asked + ": the primes for n = " + std::to_string(sizes.n) + " are too far below their length",
                "use longer primes, or a larger n");
  });
}

Explanation explain_integers(const ChainParameters& chain, u64 t, const IntegerSearch& search) {
  check_plain_modulus(t);
  Explanation e = explain_chain(chain);
  e.slots = has_slots(t, chain.n) ? chain.n : 1;
  e.bits_left = search.budgets(sizes_of(chain), t);
  e.depth = e.bits_left.empty() ? 0 : static_cast<u32>(e.bits_left.size()) - 1;
  return e;
}

// The small ring has five primes of 42 bits, and the large ring has nine primes of 47 bits. In each ring, one of these
// primes is special.
ChainParameters integer_preset(std::string_view scheme, std::string_view name) {
  const auto chain = [](u32 n, u32 primes, double bits) {
    return make_chain({.n = n, .data = std::vector<double>(primes, bits), .special = {bits}}, {}, std::nullopt);
  };
  const std::string small = std::string(scheme) + "-8192", large = std::string(scheme) + "-16384";
  if (name == small) return chain(8192, 4, 42);
  if (name == large) return chain(16384, 8, 47);
  throw Error(Code::invalid_argument, "there is no preset '" + std::string(name) + "' of this scheme",
              "known: " + small + ", " + large);
}

}  // namespace ringfort
