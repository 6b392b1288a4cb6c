// SPDX-License-Identifier: Apache-2.0
// Negacyclic transforms over any ring, under SEAL's names, for programs that encode slots themselves. They run on the
// CPU; no class of this library uses them. seal/ckks.h has the arithmetic of complex numbers, and seal/util/ntt.h the
// lazy arithmetic of residues.
#pragma once

#include <cstddef>

namespace seal {
namespace util {

// The operations of a ring. A specialization defines them.
template <typename ValueType, typename RootType, typename ScalarType>
class Arithmetic {
 public:
  ValueType add(const ValueType& a, const ValueType& b) const;
  ValueType sub(const ValueType& a, const ValueType& b) const;
  ValueType mul_root(const ValueType& a, const RootType& r) const;
  ValueType mul_scalar(const ValueType& a, const ScalarType& s) const;
  RootType mul_root_scalar(const RootType& r, const ScalarType& s) const;
  ValueType guard(const ValueType& a) const;  // returns the same element, in the range that a sum may have as operand
};

// Both functions transform n = 2^log_n values in place, log_n >= 1, and multiply the results by `scalar` if there is
// one. They use roots[1 .. n - 1].
template <typename ValueType, typename RootType, typename ScalarType>
class DWTHandler {
 public:
  DWTHandler() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  DWTHandler(const Arithmetic<ValueType, RootType, ScalarType>& num_struct) : arithmetic_(num_struct) {}

  // Evaluates a polynomial at the odd powers of a root of degree 2 n. Values come in bit-reversed order. roots[i] is
  // the power whose exponent has the reversed bits of i.
  void transform_to_rev(ValueType* values, int log_n, const RootType* roots, const ScalarType* scalar = nullptr) const {
    const std::size_t half = std::size_t{1} << (log_n - 1);
    const RootType* root = roots;
    for (std::size_t blocks = 1, gap = half; blocks <= half; blocks *= 2, gap /= 2) {
      const ScalarType* factor = blocks == half ? scalar : nullptr;
      for (std::size_t block = 0; block < blocks; ++block)
        forward(values + 2 * gap * block, gap, scaled(*++root, factor), factor);
    }
  }

  // Inverts transform_to_rev, if `scalar` is 1/n. roots[i] is the inverse root to the power of 1 plus the reversed bits
  // of i - 1.
  void transform_from_rev(ValueType* values, int log_n, const RootType* roots,
                          const ScalarType* scalar = nullptr) const {
    const std::size_t half = std::size_t{1} << (log_n - 1);
    const RootType* root = roots;
    for (std::size_t blocks = half, gap = 1; blocks >= 1; blocks /= 2, gap *= 2) {
      const ScalarType* factor = blocks == 1 ? scalar : nullptr;
      for (std::size_t block = 0; block < blocks; ++block)
        inverse(values + 2 * gap * block, gap, scaled(*++root, factor), factor);
    }
  }

 private:
  [[nodiscard]] RootType scaled(const RootType& root, const ScalarType* factor) const {
    return factor == nullptr ? root : arithmetic_.mul_root_scalar(root, *factor);
  }
  void forward(ValueType* values, std::size_t gap, const RootType& root, const ScalarType* factor) const {
    for (std::size_t i = 0; i < gap; ++i) {
      const ValueType guarded = arithmetic_.guard(values[i]);
      const ValueType low = factor == nullptr ? guarded : arithmetic_.mul_scalar(guarded, *factor);
      const ValueType high = arithmetic_.mul_root(values[i + gap], root);
      values[i] = arithmetic_.add(low, high);
      values[i + gap] = arithmetic_.sub(low, high);
    }
  }
  void inverse(ValueType* values, std::size_t gap, const RootType& root, const ScalarType* factor) const {
    for (std::size_t i = 0; i < gap; ++i) {
      const ValueType low = factor == nullptr ? values[i] : arithmetic_.guard(values[i]), high = values[i + gap];
      const ValueType sum = arithmetic_.guard(arithmetic_.add(low, high));
      values[i] = factor == nullptr ? sum : arithmetic_.mul_scalar(sum, *factor);
      values[i + gap] = arithmetic_.mul_root(arithmetic_.sub(low, high), root);
    }
  }

  Arithmetic<ValueType, RootType, ScalarType> arithmetic_;
};

}  // namespace util
}  // namespace seal
