// SPDX-License-Identifier: Apache-2.0
// Iterators over words, over the rows of a polynomial (one row a prime), over polynomials, and over several of them at
// once, under SEAL's names. They own no memory. SEAL_ITERATE walks along them. An element of a PtrIter is a reference;
// an element of the others is an iterator, and an element of an IterTuple is a std::tuple.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "seal/util/common.h"
#include "seal/util/pointer.h"
#include "seal/util/polycore.h"

namespace seal {
class Ciphertext;
class Modulus;

namespace util {
class NTTTables;

class SEALIterBase {};

namespace iterator_detail {

// The arithmetic and the order of an iterator. Self has move_by and steps_from.
template <class Self>
class Steps : public SEALIterBase {
  template <class N>
  using IfNumber = std::enable_if_t<std::is_integral_v<N>>;

 public:
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using pointer = void;

  Self& operator++() noexcept { return *this += 1; }
  Self& operator--() noexcept { return *this -= 1; }
  Self operator++(int) noexcept { return std::exchange(self(), self() + 1); }
  Self operator--(int) noexcept { return std::exchange(self(), self() - 1); }
  template <class N, class = IfNumber<N>>
  Self& operator+=(N n) noexcept {
    self().move_by(static_cast<std::ptrdiff_t>(n));
    return self();
  }
  template <class N, class = IfNumber<N>>
  Self& operator-=(N n) noexcept {
    self().move_by(-static_cast<std::ptrdiff_t>(n));
    return self();
  }
  template <class N, class = IfNumber<N>>
  [[nodiscard]] friend Self operator+(Self it, N n) noexcept {
    return it += n;
  }
  template <class N, class = IfNumber<N>>
  [[nodiscard]] friend Self operator+(N n, Self it) noexcept {
    return it += n;
  }
  template <class N, class = IfNumber<N>>
  [[nodiscard]] friend Self operator-(Self it, N n) noexcept {
    return it -= n;
  }
  [[nodiscard]] friend std::ptrdiff_t operator-(const Self& a, const Self& b) noexcept { return a.steps_from(b); }
  [[nodiscard]] friend bool operator==(const Self& a, const Self& b) noexcept { return a.steps_from(b) == 0; }
  [[nodiscard]] friend bool operator!=(const Self& a, const Self& b) noexcept { return !(a == b); }
  [[nodiscard]] friend bool operator<(const Self& a, const Self& b) noexcept { return a.steps_from(b) < 0; }
  [[nodiscard]] friend bool operator>(const Self& a, const Self& b) noexcept { return b < a; }
  [[nodiscard]] friend bool operator<=(const Self& a, const Self& b) noexcept { return !(b < a); }
  [[nodiscard]] friend bool operator>=(const Self& a, const Self& b) noexcept { return !(a < b); }

 private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
};

}  // namespace iterator_detail

// Counts.
template <typename T>
class SeqIter : public iterator_detail::Steps<SeqIter<T>> {
 public:
  using value_type = T;
  using reference = const T&;
  SeqIter() = default;
  SeqIter(T start) : value_(start) {}
  [[nodiscard]] reference operator*() const noexcept { return value_; }
  template <typename N>
  [[nodiscard]] T operator[](N n) const noexcept {
    return value_ + static_cast<T>(n);
  }
  [[nodiscard]] operator T() const noexcept { return value_; }
  void move_by(std::ptrdiff_t n) noexcept { value_ += static_cast<T>(n); }
  [[nodiscard]] std::ptrdiff_t steps_from(const SeqIter& b) const noexcept {
    return static_cast<std::ptrdiff_t>(value_) - static_cast<std::ptrdiff_t>(b.value_);
  }

 private:
  T value_ = 0;
};

template <typename T>
class PtrIter;
template <typename T>
class PtrIter<T*> : public iterator_detail::Steps<PtrIter<T*>> {
  template <class S>
  using IfFits = std::enable_if_t<std::is_convertible_v<S, T*>>;

 public:
  using value_type = T&;
  using reference = T&;
  using pointer = T*;
  PtrIter() = default;
  template <typename S, class = IfFits<S*>>
  PtrIter(S* ptr) noexcept : ptr_(ptr) {}
  template <typename S, class = IfFits<S*>>
  PtrIter(PtrIter<S*> copy) noexcept : ptr_(copy.ptr()) {}
  template <typename S, class = IfFits<S*>>
  PtrIter(std::vector<S>& array) noexcept : ptr_(array.data()) {}
  template <typename S, class = IfFits<const S*>>
  PtrIter(const std::vector<S>& array) noexcept : ptr_(array.data()) {}
  template <typename S, class = IfFits<S*>>
  PtrIter(const Pointer<S>& array) noexcept : ptr_(array.get()) {}

  [[nodiscard]] T& operator*() const noexcept { return *ptr_; }
  [[nodiscard]] T* operator->() const noexcept { return ptr_; }
  template <typename N>
  [[nodiscard]] T& operator[](N n) const noexcept {
    return ptr_[static_cast<std::ptrdiff_t>(n)];
  }
  [[nodiscard]] explicit operator bool() const noexcept { return ptr_ != nullptr; }
  [[nodiscard]] operator T*() const noexcept { return ptr_; }
  [[nodiscard]] T* ptr() const noexcept { return ptr_; }
  void move_by(std::ptrdiff_t n) noexcept { ptr_ += n; }
  [[nodiscard]] std::ptrdiff_t steps_from(const PtrIter& b) const noexcept { return ptr_ - b.ptr_; }

 private:
  T* ptr_ = nullptr;
};

using CoeffIter = PtrIter<std::uint64_t*>;
using ConstCoeffIter = PtrIter<const std::uint64_t*>;
using ModulusIter = PtrIter<Modulus*>;
using ConstModulusIter = PtrIter<const Modulus*>;
using NTTTablesIter = PtrIter<NTTTables*>;
using ConstNTTTablesIter = PtrIter<const NTTTables*>;

namespace iterator_detail {

// Iterator over rows of equal length, which begin with a PtrIter.
template <class Self, class T>
class Rows : public Steps<Self> {
 public:
  using value_type = PtrIter<T*>;
  using reference = const value_type&;
  Rows() = default;
  Rows(T* first, std::size_t length) noexcept : row_(first), length_(length) {}
  [[nodiscard]] reference operator*() const noexcept { return row_; }
  template <typename N>
  [[nodiscard]] value_type operator[](N n) const noexcept {
    return row_ + static_cast<std::ptrdiff_t>(n) * static_cast<std::ptrdiff_t>(length_);
  }
  [[nodiscard]] explicit operator bool() const noexcept { return row_.ptr() != nullptr; }
  [[nodiscard]] operator T*() const noexcept { return row_; }
  [[nodiscard]] T* ptr() const noexcept { return row_; }
  void move_by(std::ptrdiff_t n) noexcept { row_ += n * static_cast<std::ptrdiff_t>(length_); }
  [[nodiscard]] std::ptrdiff_t steps_from(const Self& b) const noexcept {
    return length_ == 0 ? 0 : (row_ - *b) / static_cast<std::ptrdiff_t>(length_);
  }

 protected:
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

 private:
  value_type row_;
  std::size_t length_ = 0;
};

// Iterator over polynomials with equally many rows.
template <class Self, class Row, class T>
class Polynomials : public Steps<Self> {
 public:
  using value_type = Row;
  using reference = const Row&;
  Polynomials() = default;
  Polynomials(T* first, std::size_t degree, std::size_t primes) noexcept : first_(first, degree), primes_(primes) {}
  [[nodiscard]] reference operator*() const noexcept { return first_; }
  template <typename N>
  [[nodiscard]] Row operator[](N n) const noexcept {
    return first_ + static_cast<std::ptrdiff_t>(n) * static_cast<std::ptrdiff_t>(primes_);
  }
  [[nodiscard]] explicit operator bool() const noexcept { return first_.ptr() != nullptr; }
  [[nodiscard]] operator T*() const noexcept { return first_; }
  [[nodiscard]] std::size_t poly_modulus_degree() const noexcept { return first_.poly_modulus_degree(); }
  [[nodiscard]] std::size_t coeff_modulus_size() const noexcept { return primes_; }
  void move_by(std::ptrdiff_t n) noexcept { first_ += n * static_cast<std::ptrdiff_t>(primes_); }
  [[nodiscard]] std::ptrdiff_t steps_from(const Self& b) const noexcept {
    return primes_ == 0 ? 0 : (first_ - *b) / static_cast<std::ptrdiff_t>(primes_);
  }

 private:
  Row first_;
  std::size_t primes_ = 0;
};

}  // namespace iterator_detail

template <typename T>
class StrideIter;
template <typename T>
class StrideIter<T*> : public iterator_detail::Rows<StrideIter<T*>, T> {
 public:
  StrideIter() = default;
  StrideIter(T* ptr, std::size_t stride) noexcept : iterator_detail::Rows<StrideIter, T>(ptr, stride) {}
  template <typename S, class = std::enable_if_t<std::is_convertible_v<S*, T*>>>
  StrideIter(StrideIter<S*> copy) noexcept : StrideIter(copy.ptr(), copy.stride()) {}
  template <typename S>
  StrideIter(std::vector<S>& array, std::size_t stride) noexcept : StrideIter(array.data(), stride) {}
  template <typename S>
  StrideIter(const std::vector<S>& array, std::size_t stride) noexcept : StrideIter(array.data(), stride) {}
  template <typename S>
  StrideIter(const Pointer<S>& array, std::size_t stride) noexcept : StrideIter(array.get(), stride) {}
  [[nodiscard]] std::size_t stride() const noexcept { return this->length(); }
};

class RNSIter : public iterator_detail::Rows<RNSIter, std::uint64_t> {
 public:
  RNSIter() = default;
  RNSIter(std::uint64_t* ptr, std::size_t poly_modulus_degree) noexcept : Rows(ptr, poly_modulus_degree) {}
  template <typename S>
  RNSIter(const StrideIter<S*>& it) noexcept : RNSIter(it.ptr(), it.stride()) {}
  [[nodiscard]] std::size_t poly_modulus_degree() const noexcept { return length(); }
};

class ConstRNSIter : public iterator_detail::Rows<ConstRNSIter, const std::uint64_t> {
 public:
  ConstRNSIter() = default;
  ConstRNSIter(const std::uint64_t* ptr, std::size_t poly_modulus_degree) noexcept : Rows(ptr, poly_modulus_degree) {}
  ConstRNSIter(const RNSIter& copy) noexcept : ConstRNSIter(copy.ptr(), copy.poly_modulus_degree()) {}
  template <typename S>
  ConstRNSIter(const StrideIter<S*>& it) noexcept : ConstRNSIter(it.ptr(), it.stride()) {}
  [[nodiscard]] std::size_t poly_modulus_degree() const noexcept { return length(); }
};

class PolyIter : public iterator_detail::Polynomials<PolyIter, RNSIter, std::uint64_t> {
 public:
  PolyIter() = default;
  PolyIter(std::uint64_t* ptr, std::size_t poly_modulus_degree, std::size_t coeff_modulus_size) noexcept
      : Polynomials(ptr, poly_modulus_degree, coeff_modulus_size) {}
  PolyIter(Ciphertext& ct);
};

class ConstPolyIter : public iterator_detail::Polynomials<ConstPolyIter, ConstRNSIter, const std::uint64_t> {
 public:
  ConstPolyIter() = default;
  ConstPolyIter(const std::uint64_t* ptr, std::size_t poly_modulus_degree, std::size_t coeff_modulus_size) noexcept
      : Polynomials(ptr, poly_modulus_degree, coeff_modulus_size) {}
  ConstPolyIter(const PolyIter& copy) noexcept
      : ConstPolyIter(copy, copy.poly_modulus_degree(), copy.coeff_modulus_size()) {}
  ConstPolyIter(const Ciphertext& ct);
};

}  // namespace util
}  // namespace seal

#include "seal/util/iteratortuple.h"  // ReverseIter, IterTuple, get, iter and reverse_iter

// Allocate memory until the end of the scope, and declare an iterator that begins there.
#define SEAL_ALLOCATE_GET_COEFF_ITER(name, poly_modulus_degree, pool)                           \
  auto SEAL_JOIN(seal_memory_, __LINE__)(seal::util::allocate_uint(poly_modulus_degree, pool)); \
  seal::util::CoeffIter name(SEAL_JOIN(seal_memory_, __LINE__).get())
#define SEAL_ALLOCATE_GET_RNS_ITER(name, poly_modulus_degree, coeff_modulus_size, pool)                             \
  auto SEAL_JOIN(seal_memory_, __LINE__)(seal::util::allocate_poly(poly_modulus_degree, coeff_modulus_size, pool)); \
  seal::util::RNSIter name(SEAL_JOIN(seal_memory_, __LINE__).get(), poly_modulus_degree)
#define SEAL_ALLOCATE_GET_POLY_ITER(name, poly_count, poly_modulus_degree, coeff_modulus_size, pool) \
  auto SEAL_JOIN(seal_memory_, __LINE__)(                                                            \
      seal::util::allocate_poly_array(poly_count, poly_modulus_degree, coeff_modulus_size, pool));   \
  seal::util::PolyIter name(SEAL_JOIN(seal_memory_, __LINE__).get(), poly_modulus_degree, coeff_modulus_size)
// All memory of a Pointer is zero at first.
#define SEAL_ALLOCATE_ZERO_GET_COEFF_ITER SEAL_ALLOCATE_GET_COEFF_ITER
#define SEAL_ALLOCATE_ZERO_GET_RNS_ITER SEAL_ALLOCATE_GET_RNS_ITER
#define SEAL_ALLOCATE_ZERO_GET_POLY_ITER SEAL_ALLOCATE_GET_POLY_ITER
