// SPDX-License-Identifier: Apache-2.0
// Words of ciphertexts, and access to their members.
#include <algorithm>

#include "errors.h"
#include "objects.h"

namespace seal::detail {

namespace {

// Calls `body` with the ciphertext, if there is one. Otherwise returns `none`.
template <class Result, class Body>
Result with_value(const CiphertextObject& object, Result none, Body&& body) {
  return std::visit(
      [&](const auto& value) -> Result {
        if constexpr (std::is_same_v<decltype(value), const std::monostate&>) {
          return none;
        } else {
          return body(value);
        }
      },
      object.value);
}

}  // namespace

std::size_t CiphertextObject::components() const noexcept {
  return with_value(*this, std::size_t{2}, [](const auto& value) { return std::size_t{value.size()}; });
}

std::size_t CiphertextObject::component_words() const {
  const rf::ChainParameters& chain = context->keys().chain();
  const std::size_t primes = key_words ? chain.data.size() + chain.special.size() : level() + std::size_t{1};
  return util::mul_safe<std::size_t>(primes, chain.n);
}

std::uint32_t CiphertextObject::level() const noexcept {
  return with_value(*this, std::uint32_t{0}, [](const auto& value) { return value.level(); });
}

double CiphertextObject::scale() const noexcept {
  const auto* ckks = std::get_if<rf::ckks::Ciphertext>(&value);
  return ckks == nullptr ? 1.0 : ckks->scale();
}

std::uint64_t CiphertextObject::correction_factor() const {
  const auto* bgv = std::get_if<rf::bgv::Ciphertext>(&value);
  return bgv == nullptr ? 1 : rf::correction_factor(*bgv);
}

const Words& CiphertextObject::words(bool evaluations) const {
  return (evaluations ? evaluations_ : coefficients_).get([&] {
    Words read;
    read.resize(components() * component_words(), false);
    read_words(evaluations, {read.begin(), read.size()});
    return read;
  });
}

void CiphertextObject::read_words(bool evaluations, std::span<std::uint64_t> to) const {
  const std::size_t each = component_words();
  for (std::size_t i = 0; i < components(); ++i) read_component(i, evaluations, to.subspan(i * each, each));
}

void CiphertextObject::read_component(std::size_t index, bool evaluations, std::span<std::uint64_t> to) const {
  translated([&] {
    if (key_words) {
      if (!evaluations) refuse_argument("a program took a key out of the NTT form", "leave is_ntt_form() as it is");
      key_words(index, to);
    }
    with_value(*this, 0, [&](const auto& held) {
      rf::residues(held, static_cast<std::uint32_t>(index), form_of(evaluations), to);
      return 0;
    });
  });
}

bool Access::is_changed(const Ciphertext& of) {
  return has_changed_words(of) || (of.object_ && of.correction_factor_ != of.object_->correction_factor());
}

bool Access::has_changed_words(const Ciphertext& of) {
  if (!of.owns_words_ || !of.object_) return false;
  const Words& words = of.object_->words(of.is_ntt_form_);
  return !std::equal(words.begin(), words.end(), of.data_.begin(), of.data_.end());
}

void Access::set(Ciphertext& to, const SEALContext& context, CiphertextObject::Value&& value, double scale,
                 bool is_ntt_form, std::optional<Seed>&& seed) {
  auto object = std::make_shared<const CiphertextObject>(context.state(), std::move(value), std::move(seed));
  const auto data = data_of_level(context, object->level());
  set_object(to, *data, std::move(object), scale, is_ntt_form);
}

Ciphertext Access::part_of_key(const SEALContext& context, KeyWords&& words) {
  Ciphertext part;
  auto object = std::make_shared<const CiphertextObject>(context.state(), std::move(words));
  set_object(part, *context.key_context_data(), std::move(object), 1.0, true);
  return part;
}

void Access::set_object(Ciphertext& to, const SEALContext::ContextData& data,
                        std::shared_ptr<const CiphertextObject> object, double scale, bool is_ntt_form) {
  to.data_.release();
  to.owns_words_ = false;
  to.parms_id_ = data.parms_id();
  to.is_ntt_form_ = is_ntt_form;
  to.size_ = object->components();
  to.poly_modulus_degree_ = data.parms().poly_modulus_degree();
  to.coeff_modulus_size_ = data.parms().coeff_modulus().size();
  to.scale_ = scale;
  to.correction_factor_ = object->correction_factor();
  to.object_ = std::move(object);
}

void Access::set_form(Ciphertext& of, bool is_ntt_form) {
  of.data_.release();
  of.owns_words_ = false;
  of.is_ntt_form_ = is_ntt_form;
}

}  // namespace seal::detail
