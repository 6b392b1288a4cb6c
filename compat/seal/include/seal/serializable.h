// SPDX-License-Identifier: Apache-2.0
// An object that can only be saved: a key or a ciphertext. In place of its uniformly random part, the bytes have a
// seed, and therefore are about half as many.
#pragma once

#include <ios>
#include <iostream>
#include <utility>

#include "seal/serialization.h"

namespace seal {

template <class T>
class Serializable {
 public:
  [[nodiscard]] std::streamoff save_size(compr_mode_type compr_mode = Serialization::compr_mode_default) const {
    return object_.save_size(compr_mode);
  }
  std::streamoff save(std::ostream& stream, compr_mode_type compr_mode = Serialization::compr_mode_default) const {
    return object_.save(stream, compr_mode);
  }
  std::streamoff save(seal_byte* out, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const {
    return object_.save(out, size, compr_mode);
  }

 private:
  friend class KeyGenerator;
  friend class Encryptor;
  Serializable(T&& object) : object_(std::move(object)) {}
  T object_;
};

}  // namespace seal
