// SPDX-License-Identifier: Apache-2.0
// Encodes matrices of 2 rows and n/2 columns, of integers modulo the plain modulus t, into plaintexts of BFV and BGV.
// Column j of the first row is the value of the polynomial at the power 5^j of a root of unity modulo t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seal/context.h"
#include "seal/memorymanager.h"
#include "seal/plaintext.h"

namespace seal {

// Errors: std::invalid_argument (parameters without batching, too many values, a value that is not modulo t, a
// plaintext of other parameters or in NTT form). Signed values are in [-t/2, t/2].
class BatchEncoder {
 public:
  BatchEncoder(const SEALContext& context);  // NOLINT(google-explicit-constructor)
  BatchEncoder(const BatchEncoder&) = delete;
  BatchEncoder& operator=(const BatchEncoder&) = delete;
  // Missing values are zero.
  void encode(const std::vector<std::uint64_t>& values, Plaintext& destination) const;
  void encode(const std::vector<std::int64_t>& values, Plaintext& destination) const;
  void decode(const Plaintext& plain, std::vector<std::uint64_t>& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void decode(const Plaintext& plain, std::vector<std::int64_t>& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  [[nodiscard]] std::size_t slot_count() const noexcept { return slots_; }

 private:
  SEALContext context_;
  std::size_t slots_;
};

}  // namespace seal
