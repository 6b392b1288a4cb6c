// SPDX-License-Identifier: Apache-2.0
// Key-switching keys: the base of RelinKeys and GaloisKeys. data() has, for each index, an empty vector or one entry
// for every digit of the key. The entries show the words of the key: evaluations modulo all primes. Keys whose words a
// program changed are refused, and save() also refuses changed lists. Copies share the keys of Ringfort.
#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <ostream>
#include <vector>

#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/publickey.h"
#include "seal/serialization.h"
#include "seal/valcheck.h"
#include "seal/version.h"

namespace seal {

namespace detail {
struct SwitchObject;
}  // namespace detail

class KSwitchKeys {
 public:
  KSwitchKeys() = default;
  KSwitchKeys(const KSwitchKeys& copy) = default;
  KSwitchKeys(KSwitchKeys&& source) = default;
  KSwitchKeys& operator=(const KSwitchKeys& assign) = default;
  KSwitchKeys& operator=(KSwitchKeys&& assign) = default;

  [[nodiscard]] std::size_t size() const noexcept;  // number of keys
  [[nodiscard]] std::vector<std::vector<PublicKey>>& data() noexcept { return keys_; }
  [[nodiscard]] const std::vector<std::vector<PublicKey>>& data() const noexcept { return keys_; }
  // Errors: std::invalid_argument (no such key).
  [[nodiscard]] std::vector<PublicKey>& data(std::size_t index);
  [[nodiscard]] const std::vector<PublicKey>& data(std::size_t index) const;
  [[nodiscard]] parms_id_type& parms_id() noexcept { return parms_id_; }
  [[nodiscard]] const parms_id_type& parms_id() const noexcept { return parms_id_; }

  [[nodiscard]] std::streamoff save_size(compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(std::ostream& stream, compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(seal_byte* out, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  // After an error the keys are unchanged. Errors: std::logic_error, std::runtime_error.
  std::streamoff unsafe_load(const SEALContext& context, std::istream& stream);
  std::streamoff unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size);
  std::streamoff load(const SEALContext& context, std::istream& stream);
  std::streamoff load(const SEALContext& context, const seal_byte* in, std::size_t size);
  [[nodiscard]] MemoryPoolHandle pool() const noexcept { return pool_; }

 private:
  friend struct detail::Access;

  MemoryPoolHandle pool_ = MemoryManager::GetPool();
  parms_id_type parms_id_ = parms_id_zero;
  std::vector<std::vector<PublicKey>> keys_;
  std::shared_ptr<const detail::SwitchObject> object_;
};

}  // namespace seal
