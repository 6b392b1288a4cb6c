// SPDX-License-Identifier: Apache-2.0
// Rings without a scheme: the negacyclic number-theoretic transform over Z_q[x]/(x^n + 1) and NTT primes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringfort {

__extension__ using uint128 = unsigned __int128;  // residues below 2^127

enum class WordWidth : std::uint8_t { bits32, bits64, bits128 };  // bits of a residue

// Immutable and shareable between threads. A moved-from object may only be assigned to and destroyed.
//   n: power of two, 2 .. 2^17.  q: prime, 1 mod 2n; q < 2^31 (32-bit words), < 2^62 (64), < 2^127 (128).
// Order: coefficients natural; evaluations bit-reversed: output j is the polynomial at psi^(2 bitreverse(j) + 1), where
// psi is the minimal primitive 2n-th root of unity. Errors: invalid_argument, unsupported, device_unknown,
// out_of_memory.
class Ntt {
 public:
  // An empty `device` means the environment variable RINGFORT_DEVICE, or "cpu" if that is not set.
  Ntt(std::uint32_t n, uint128 q, WordWidth width = WordWidth::bits64, std::string_view device = {});
  ~Ntt();
  Ntt(Ntt&&) noexcept;
  Ntt& operator=(Ntt&&) noexcept;

  [[nodiscard]] std::uint32_t n() const noexcept;
  [[nodiscard]] uint128 q() const noexcept;
  [[nodiscard]] uint128 psi() const noexcept;
  [[nodiscard]] std::string device() const;

  // Transform `batch` polynomials. in and out: batch * n words of the given width (uint32_t, uint64_t or uint128), in
  // the same span or in spans that do not overlap. Every input word is checked: a value >= q is an error
  // (invalid_argument) and leaves out unchanged.
  template <class W>
  void forward(std::span<const W> in, std::span<W> out, unsigned threads = 1) const;
  template <class W>
  void inverse(std::span<const W> in, std::span<W> out, unsigned threads = 1) const;
  // Computes the negacyclic product a * b mod (x^n + 1, q); operands and result are in the coefficient domain. out may
  // be the same span as a or b.
  template <class W>
  void multiply(std::span<const W> a, std::span<const W> b, std::span<W> out, unsigned threads = 1) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// Returns the `count` largest primes below 2^bits that are 1 mod 2n, descending. Errors: invalid_argument, unsupported.
[[nodiscard]] std::vector<uint128> primes(unsigned bits, std::uint64_t n, std::size_t count);

}  // namespace ringfort
