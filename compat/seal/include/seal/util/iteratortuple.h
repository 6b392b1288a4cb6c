// SPDX-License-Identifier: Apache-2.0
// The part of seal/util/iterator.h that puts iterators together: several at once, backwards, and the one that fits an
// object. SEAL has no header of this name.
#pragma once

#include "seal/util/iterator.h"

namespace seal {
namespace util {

// Walks backwards.
template <typename SEALIter>
class ReverseIter : public iterator_detail::Steps<ReverseIter<SEALIter>> {
 public:
  using value_type = typename std::iterator_traits<SEALIter>::value_type;
  using reference = typename std::iterator_traits<SEALIter>::reference;
  ReverseIter() = default;
  ReverseIter(const SEALIter& it) : it_(it) {}
  [[nodiscard]] decltype(auto) operator*() const noexcept { return *it_; }
  template <typename N>
  [[nodiscard]] decltype(auto) operator[](N n) const noexcept {
    return it_[-static_cast<std::ptrdiff_t>(n)];
  }
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(it_); }
  void move_by(std::ptrdiff_t n) noexcept { it_ -= n; }
  [[nodiscard]] std::ptrdiff_t steps_from(const ReverseIter& b) const noexcept { return b.it_ - it_; }

 private:
  SEALIter it_;
};

// Walks along several iterators at once. Its element is the tuple of theirs.
template <typename... SEALIters>
class IterTuple : public iterator_detail::Steps<IterTuple<SEALIters...>> {
  static_assert(sizeof...(SEALIters) != 0, "there is no tuple of no iterators");

 public:
  using value_type = std::tuple<typename std::iterator_traits<SEALIters>::value_type...>;
  using reference = value_type;
  IterTuple() = default;
  IterTuple(SEALIters... iters) : iters_(iters...) {}
  template <typename... Ts, class = std::enable_if_t<sizeof...(Ts) == sizeof...(SEALIters)>>
  IterTuple(const std::tuple<Ts...>& iters) : iters_(iters) {}
  [[nodiscard]] value_type operator*() const noexcept {
    return std::apply([](const auto&... it) { return value_type(*it...); }, iters_);
  }
  template <typename N>
  [[nodiscard]] value_type operator[](N n) const noexcept {
    return *(*this + n);
  }
  [[nodiscard]] explicit operator bool() const noexcept {
    return std::apply([](const auto&... it) { return (static_cast<bool>(it) && ...); }, iters_);
  }
  void move_by(std::ptrdiff_t n) noexcept {
    std::apply([n](auto&... it) { ((it += n), ...); }, iters_);
  }
  [[nodiscard]] std::ptrdiff_t steps_from(const IterTuple& b) const noexcept {
    return std::get<0>(iters_) - std::get<0>(b.iters_);
  }
  [[nodiscard]] const std::tuple<SEALIters...>& iterators() const noexcept { return iters_; }

 private:
  std::tuple<SEALIters...> iters_;
};

// Return a member of nested tuples: get<1, 0>(t) is get<0>(get<1>(t)).
template <std::size_t N, typename... SEALIters>
[[nodiscard]] auto get(const IterTuple<SEALIters...>& it) noexcept {
  return std::get<N>(it.iterators());
}
template <std::size_t N, std::size_t M, std::size_t... Rest, typename... SEALIters>
[[nodiscard]] auto get(const IterTuple<SEALIters...>& it) noexcept {
  return get<M, Rest...>(std::get<N>(it.iterators()));
}
template <std::size_t N, std::size_t M, std::size_t... Rest, typename... Ts>
[[nodiscard]] decltype(auto) get(const std::tuple<Ts...>& tuple) noexcept {
  if constexpr (sizeof...(Rest) == 0) return std::get<M>(std::get<N>(tuple));
  else return get<M, Rest...>(std::get<N>(tuple));
}

namespace iterator_detail {

template <class T>
inline constexpr bool is_tuple = false;
template <class... Ts>
inline constexpr bool is_tuple<std::tuple<Ts...>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

// Returns the iterator that fits an object.
template <class T>
[[nodiscard]] auto iterator_of(T&& object) noexcept {
  using Object = std::remove_cv_t<std::remove_reference_t<T>>;
  if constexpr (std::is_arithmetic_v<Object>) {
    return SeqIter<Object>(object);
  } else if constexpr (std::is_same_v<Object, Ciphertext>) {
    using Iterator = std::conditional_t<std::is_same_v<T, Ciphertext&>, PolyIter, ConstPolyIter>;
    return Iterator(object);
  } else if constexpr (std::is_pointer_v<Object>) {
    return PtrIter<Object>(object);
  } else if constexpr (is_vector<Object>) {
    return PtrIter<decltype(object.data())>(object.data());
  } else if constexpr (is_tuple<Object>) {
    return std::apply([](auto&&... each) { return IterTuple<decltype(iterator_of(each))...>(iterator_of(each)...); },
                      object);
  } else if constexpr (std::is_base_of_v<SEALIterBase, Object>) {
    return Object(object);
  } else {
    return PtrIter<decltype(object.get())>(object.get());  // a Pointer
  }
}

}  // namespace iterator_detail

// Return the iterator that fits an object: numbers count, ciphertexts have polynomials, pointers and vectors have
// elements. Several objects are walked along at once.
template <typename T>
[[nodiscard]] auto iter(T&& object) noexcept {
  return iterator_detail::iterator_of(std::forward<T>(object));
}
template <typename T, typename... Ts, class = std::enable_if_t<sizeof...(Ts) != 0>>
[[nodiscard]] auto iter(T&& object, Ts&&... more) noexcept {
  return IterTuple<decltype(iter(std::forward<T>(object))), decltype(iter(std::forward<Ts>(more)))...>(
      iter(std::forward<T>(object)), iter(std::forward<Ts>(more))...);
}
template <typename... Ts>
[[nodiscard]] auto reverse_iter(Ts&&... objects) noexcept {
  return ReverseIter<decltype(iter(std::forward<Ts>(objects)...))>(iter(std::forward<Ts>(objects)...));
}

}  // namespace util
}  // namespace seal
