// SPDX-License-Identifier: Apache-2.0
// A secret key. Copies share one key of Ringfort, whose memory is locked and zeroed at the end. data() shows the words
// of the secret: evaluations modulo all primes, in memory that is zeroed before it is freed. A key whose words were
// changed is refused. save() writes the secret without encryption: whoever reads the bytes has the key.
#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <ostream>

#include "seal/memorymanager.h"
#include "seal/plaintext.h"
#include "seal/randomgen.h"
#include "seal/serialization.h"
#include "seal/valcheck.h"

namespace seal {

namespace detail {
struct Access;
struct SecretObject;
}  // namespace detail

class SecretKey {
 public:
  SecretKey() = default;
  SecretKey(const SecretKey& copy) : object_(copy.object_) { sk_ = copy.sk_; }  // sk_ keeps its pool
  SecretKey(SecretKey&& source) = default;
  ~SecretKey() = default;
  SecretKey& operator=(const SecretKey& assign) = default;
  SecretKey& operator=(SecretKey&& assign) = default;

  [[nodiscard]] Plaintext& data() noexcept { return sk_; }
  [[nodiscard]] const Plaintext& data() const noexcept { return sk_; }

  [[nodiscard]] std::streamoff save_size(compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(std::ostream& stream, compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(seal_byte* out, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  // After an error the key is unchanged. Errors: std::logic_error, std::runtime_error.
  std::streamoff unsafe_load(const SEALContext& context, std::istream& stream);
  std::streamoff unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size);
  std::streamoff load(const SEALContext& context, std::istream& stream);
  std::streamoff load(const SEALContext& context, const seal_byte* in, std::size_t size);

  [[nodiscard]] parms_id_type& parms_id() noexcept { return sk_.parms_id(); }
  [[nodiscard]] const parms_id_type& parms_id() const noexcept { return sk_.parms_id(); }
  [[nodiscard]] MemoryPoolHandle pool() const noexcept { return sk_.pool(); }

 private:
  friend struct detail::Access;

  Plaintext sk_{MemoryManager::GetPool(mm_force_new, true)};  // zeroes memory before it frees it
  std::shared_ptr<const detail::SecretObject> object_;
};

}  // namespace seal
