// SPDX-License-Identifier: Apache-2.0
// What a SEALContext owns: one context of this library. Its data primes are the primes of fresh ciphertexts, in SEAL's
// order, one a level; its special prime is SEAL's last prime. A ciphertext with k primes has level k - 1.
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "made_once.h"
#include "ringfort/bfv.h"
#include "ringfort/bgv.h"
#include "ringfort/ckks.h"
#include "ringfort/ring.h"
#include "seal/context.h"

namespace seal::detail {

namespace rf = ringfort;

struct ContextState {
  // Empty if the parameters are invalid, or if the degree is below 8.
  std::variant<std::monostate, rf::ckks::Context, rf::bfv::Context, rf::bgv::Context> ring;
  std::string problem;  // the reason if there is no ring

  [[nodiscard]] const rf::KeyContext& keys() const;
  // Returns the transforms modulo the data primes. The first call makes their tables.
  [[nodiscard]] std::span<const rf::Ntt> transforms() const;
  // Returns, for each slot of SEAL, the slot of Ringfort (galois_elements.h).
  [[nodiscard]] const std::vector<std::uint32_t>& slots() const;

 private:
  MadeOnce<std::vector<std::uint32_t>> slots_;
  MadeOnce<std::vector<rf::Ntt>> transforms_;
};

// Returns the context's state. std::invalid_argument: the parameters are not valid, or have no ring.
[[nodiscard]] const ContextState& state_of(const SEALContext& context);

// Calls function(c) with c: rf::ckks::Context, rf::bfv::Context or rf::bgv::Context.
template <class F>
auto with_ring(const SEALContext& context, F&& function) {
  const ContextState& state = state_of(context);
  if (const auto* ckks = std::get_if<rf::ckks::Context>(&state.ring)) return function(*ckks);
  if (const auto* bfv = std::get_if<rf::bfv::Context>(&state.ring)) return function(*bfv);
  return function(std::get<rf::bgv::Context>(state.ring));
}

// Returns the data of a level of ciphertexts, and the level. std::invalid_argument: the hash is not in the chain, or it
// is that of keys.
[[nodiscard]] std::shared_ptr<const SEALContext::ContextData> ciphertext_data(const SEALContext& context,
                                                                              const parms_id_type& parms_id);
[[nodiscard]] std::uint32_t level_of(const SEALContext& context, const parms_id_type& parms_id);
// Returns the data of a level. std::invalid_argument: the chain does not reach it.
[[nodiscard]] std::shared_ptr<const SEALContext::ContextData> data_of_level(const SEALContext& context,
                                                                            std::uint32_t level);

}  // namespace seal::detail
