// SPDX-License-Identifier: Apache-2.0
// A public key. data() is a ciphertext that shows the words of the key: evaluations modulo all primes. A key whose
// words were changed is refused.
#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <ostream>

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/serialization.h"
#include "seal/valcheck.h"

namespace seal {

namespace detail {
struct PublicObject;
}  // namespace detail

class PublicKey {
 public:
  PublicKey() = default;
  PublicKey(const PublicKey& copy) = default;
  PublicKey(PublicKey&& source) = default;
  PublicKey& operator=(const PublicKey& assign) = default;
  PublicKey& operator=(PublicKey&& assign) = default;

  [[nodiscard]] Ciphertext& data() noexcept { return pk_; }
  [[nodiscard]] const Ciphertext& data() const noexcept { return pk_; }

  [[nodiscard]] std::streamoff save_size(compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(std::ostream& stream, compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(seal_byte* out, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  // After an error the key is unchanged. Errors: std::logic_error, std::runtime_error.
  std::streamoff unsafe_load(const SEALContext& context, std::istream& stream);
  std::streamoff unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size);
  std::streamoff load(const SEALContext& context, std::istream& stream);
  std::streamoff load(const SEALContext& context, const seal_byte* in, std::size_t size);

  [[nodiscard]] parms_id_type& parms_id() noexcept { return pk_.parms_id(); }
  [[nodiscard]] const parms_id_type& parms_id() const noexcept { return pk_.parms_id(); }
  [[nodiscard]] MemoryPoolHandle pool() const noexcept { return pk_.pool(); }
  [[nodiscard]] bool is_ntt_form() const noexcept { return pk_.is_ntt_form(); }

 private:
  friend struct detail::Access;

  Ciphertext pk_;
  std::shared_ptr<const detail::PublicObject> object_;
};

}  // namespace seal
