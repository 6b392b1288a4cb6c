// SPDX-License-Identifier: Apache-2.0
// Makes the context of this library for the parameters of a SEALContext (context_state.h). SEALContext has checked the
// security already, by the tables of [Albrecht18], as SEAL does. SEAL's programs measure their noise themselves, so
// that verbs do not refuse because of a bound.
#include "context_state.h"
#include "errors.h"
#include "galois_elements.h"

namespace seal {

namespace {

constexpr std::uint32_t kLeastDegree = 8;

ringfort::ChainParameters chain_of(const EncryptionParameters& all, std::size_t data_primes) {
  ringfort::ChainParameters chain;
  chain.n = static_cast<std::uint32_t>(all.poly_modulus_degree());
  for (const Modulus& q : all.coeff_modulus())
    (chain.data.size() < data_primes ? chain.data : chain.special).push_back(q.value());
  chain.insecure_reason = "a SEALContext checks the security itself";
  chain.unguarded_reason = "the programs of SEAL measure their noise themselves";
  return chain;
}

// A context that throws leaves the variant empty.
void make_ring(detail::ContextState& state, const EncryptionParameters& all, std::size_t data_primes) {
  const ringfort::ChainParameters chain = chain_of(all, data_primes);
  const std::uint64_t t = all.plain_modulus().value();
  switch (all.scheme()) {
    case scheme_type::ckks: {
      ringfort::ckks::Parameters p;
      p.chain = chain;
      p.scale = 0x1p40;  // programs choose the scale and the size of each plaintext themselves
      p.magnitude = 0x1p100;
      state.ring = ringfort::ckks::Context(p);
      return;
    }
    case scheme_type::bfv: state.ring = ringfort::bfv::Context(ringfort::bfv::Parameters{chain, t}); return;
    case scheme_type::bgv: state.ring = ringfort::bgv::Context(ringfort::bgv::Parameters{chain, t}); return;
    case scheme_type::none: return;
  }
}

}  // namespace

void SEALContext::build_ring() {
  auto state = std::make_shared<detail::ContextState>();
  state_ = state;
  if (!parameters_set()) {
    state->problem = parameter_error_message();
    return;
  }
  const EncryptionParameters& all = chain_.at(key_parms_id_)->parms_;
  if (all.poly_modulus_degree() < kLeastDegree) {
    state->problem = "rings of ringfort have at least degree 8";
    return;
  }
  try {
    make_ring(*state, all, chain_.at(first_parms_id_)->parms_.coeff_modulus().size());
  } catch (const ringfort::Error& error) {
    if (error.code() != ringfort::Code::invalid_argument && error.code() != ringfort::Code::unsupported)
      detail::throw_translated(error);
    state->problem = error.what();
    for (const auto& each : chain_)
      each.second->qualifiers_.parameter_error = EncryptionParameterQualifiers::error_type::failed_creating_rns_tool;
  }
}

namespace detail {

const ContextState& state_of(const SEALContext& context) {
  const ContextState& state = *context.state();
  if (!std::holds_alternative<std::monostate>(state.ring)) return state;
  refuse_argument("the encryption parameters cannot be used: " + state.problem,
                  "read parameter_error_message() of the context, and choose other parameters");
}

std::span<const rf::Ntt> ContextState::transforms() const {
  return transforms_.get([this] {
    const rf::ChainParameters& chain = keys().chain();
    std::vector<rf::Ntt> transforms;
    for (const std::uint64_t q : chain.data) transforms.emplace_back(chain.n, q);
    return transforms;
  });
}

const std::vector<std::uint32_t>& ContextState::slots() const {
  return slots_.get([this] { return slots_by_powers_of_5(keys().chain().n); });
}

const rf::KeyContext& ContextState::keys() const {
  return std::visit(
      [](const auto& context) -> const rf::KeyContext& {
        if constexpr (std::is_same_v<std::decay_t<decltype(context)>, std::monostate>)
          refuse_argument("the context has no ring", "choose valid parameters");
        else return context.keys();
      },
      ring);
}

std::shared_ptr<const SEALContext::ContextData> ciphertext_data(const SEALContext& context,
                                                                const parms_id_type& parms_id) {
  auto data = context.get_context_data(parms_id);
  if (!data || data->chain_index() > context.first_context_data()->chain_index())
    refuse_argument("an object has a parms_id that is not one of the context's parameters for ciphertexts",
                    "make the object with this context, or with one of equal parameters");
  return data;
}

std::uint32_t level_of(const SEALContext& context, const parms_id_type& parms_id) {
  return static_cast<std::uint32_t>(ciphertext_data(context, parms_id)->parms().coeff_modulus().size() - 1);
}

std::shared_ptr<const SEALContext::ContextData> data_of_level(const SEALContext& context, std::uint32_t level) {
  for (auto data = context.first_context_data(); data; data = data->next_context_data()) {
    if (data->parms().coeff_modulus().size() == level + 1) return data;
  }
  refuse_argument("the chain of parameters has no level with " + std::to_string(level + 1) + " primes",
                  "make the context with expand_mod_chain");
}

}  // namespace detail

}  // namespace seal
