// SPDX-License-Identifier: Apache-2.0
// The negacyclic number-theoretic transform over Z_q[x]/(x^n + 1), and its primes. Needs no scheme.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringfort {

__extension__ using uint128 = unsigned __int128;  // unsigned words of 128 bits, for residues below 2^127

enum class WordWidth : std::uint8_t { bits32, bits64, bits128 };  // length of the word that stores a residue

// The transform for one ring. The degree n is a power of two, 2 .. 2^17. The modulus q is a prime, 1 mod 2n. It is
// below 2^31 for words of 32 bits, below 2^62 for words of 64 bits, and below 2^127 for words of 128 bits. Coefficients
// are in natural order. Evaluations are in bit-reversed order: output j is the value of the polynomial at
// psi^(2 bitreverse(j) + 1), where psi is the minimal primitive 2n-th root of unity. Immutable and shareable between
// threads. A moved-from object may only be assigned to and destroyed. Errors: invalid_argument, unsupported,
// device_unknown, out_of_memory.
class Ntt {
 public:
  // An empty `device` means the device that the environment variable RINGFORT_DEVICE names, or "cpu" if it names none.
  Ntt(std::uint32_t n, uint128 q, WordWidth width = WordWidth::bits64, std::string_view device = {});
  ~Ntt();
  Ntt(Ntt&&) noexcept;
  Ntt& operator=(Ntt&&) noexcept;

  [[nodiscard]] std::uint32_t n() const noexcept;
  [[nodiscard]] uint128 q() const noexcept;
  [[nodiscard]] uint128 psi() const noexcept;
  [[nodiscard]] std::string device() const;

  // Transform polynomials that are stored one after another. `in` and `out` have equally many words, a multiple of n.
  // The words have the width of this object (uint32_t, uint64_t or uint128). The spans are the same, or they do not
  // overlap. Every input word is checked: if one is not below q, the call fails (invalid_argument) and leaves `out`
  // unchanged.
  template <class W>
  void forward(std::span<const W> in, std::span<W> out, unsigned threads = 1) const;
  template <class W>
  void inverse(std::span<const W> in, std::span<W> out, unsigned threads = 1) const;
  // Computes the negacyclic product a * b mod (x^n + 1, q). Operands and result are coefficients. `out` may be the same
  // span as `a` or `b`.
  template <class W>
  void multiply(std::span<const W> a, std::span<const W> b, std::span<W> out, unsigned threads = 1) const;

 private:
  friend class BatchEncoder;
  // Transform one polynomial whose words are known to be residues.
  template <class W>
  void forward_residues(std::span<W> inout) const;
  template <class W>
  void inverse_residues(std::span<W> inout) const;
  struct State;
  std::shared_ptr<const State> state_;
};

// Returns the `count` largest primes below 2^bits that are 1 mod 2n, in descending order. Errors: invalid_argument,
// unsupported.
[[nodiscard]] std::vector<uint128> primes(unsigned bits, std::uint64_t n, std::size_t count);

// Tells whether `value` is prime. Below 2^64, the test is exact. Above 2^64, it is Baillie-PSW, for which no
// counterexample is known.
[[nodiscard]] bool is_prime(uint128 value) noexcept;

}  // namespace ringfort
