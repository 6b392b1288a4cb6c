// SPDX-License-Identifier: Apache-2.0
// Class NTT of HEXL's interface, by the transforms of ring (ringfort/ring.h). They use the smallest root psi. If the
// program chose another root w = psi^k, the values at its powers are the same values in another order: output j is at
// psi^(k (2 r(j) + 1)), with r(j) the bits of j in reverse order. Degrees that no device has use transform.h. Operands
// that may be lazy are reduced first, unless all of their words are residues. Tables that only programs read are made
// when they are first read.
#include "hexl/ntt/ntt.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "arguments.h"
#include "math/butterfly.h"
#include "math/prime.h"
#include "ringfort/ring.h"
#include "transform.h"

namespace intel::hexl {

using namespace ringfort::hexl;
using ringfort::u128, ringfort::u32, ringfort::u64;
using Words = AlignedVector64<uint64_t>;

AllocatorStrategyPtr mallocStrategy = std::make_shared<MallocStrategy>();

namespace {

constexpr u64 kSmallestDegree = 2, kLargestDegree = u64{1} << 17;  // degrees of devices

// Returns the tables' companions floor(power 2^bits / q).
Words companions(const Words& powers, unsigned bits, u64 q) {
  Words out(powers.size(), 0, powers.get_allocator());
  std::transform(powers.begin(), powers.end(), out.begin(),
                 [&](u64 power) { return static_cast<u64>((u128{power} << bits) / q); });
  return out;
}

// Returns the n powers of the root; entry r(i) is root^i.
Words reversed_powers(u64 root, u64 n, u64 q, const AlignedAllocator<uint64_t, 64>& memory) {
  Words powers(n, 1, memory);
  const ringfort::Shoup<u64> by(q);
  const auto factor = by.factor(root);
  const u64 bits = Log2(n);
  u64 power = 1;
  for (u64 i = 1; i < n; ++i) {
    power = by.multiply(power, factor);
    powers[ReverseBits(i, bits)] = power;
  }
  return powers;
}

// Returns the powers in the order in which an inverse transform reads them: the last half, then the quarter before it.
Words in_stages(const Words& powers) {
  Words out(powers.get_allocator());
  out.reserve(powers.size());
  out.push_back(powers[0]);
  for (auto end = powers.end(); end - powers.begin() > 1;) {
    const auto first = powers.begin() + (end - powers.begin()) / 2;
    out.insert(out.end(), first, end);
    end = first;
  }
  return out;
}

// Returns the powers with copies: entries n/8 .. n/4 - 1 four times, entries n/4 .. n/2 - 1 twice.
Words with_copies(const Words& powers) {
  const std::size_t n = powers.size();
  Words out(powers.get_allocator());
  out.reserve(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t copies = i >= n / 8 && i < n / 4 ? 4 : i >= n / 4 && i < n / 2 ? 2 : 1;
    out.insert(out.end(), copies, powers[i]);
  }
  return out;
}

// Returns k with psi^k = root for two primitive 2n-th roots, bit by bit: k is odd and below 2n.
u64 exponent_of(u64 root, u64 psi, u64 n, u64 q) {
  u64 k = 0, rest = root, step = psi;  // rest = root psi^-k; step = psi^(2^bit)
  for (u64 bit = 1, order = n; order >= 1; bit *= 2, order /= 2) {
    if (PowMod(rest, order, q) != 1) {  // rest is an odd power of step
      k += bit;
      rest = MultiplyMod(rest, InverseMod(step, q), q);
    }
    step = MultiplyMod(step, step, q);
  }
  return k;
}

// Returns the index that output j has for the smallest root, for a transform with the root psi^k.
std::vector<u32> order_of(u64 k, u64 n) {
  std::vector<u32> order(n);
  const u64 bits = Log2(n);
  for (u64 j = 0; j < n; ++j) {
    const u64 exponent = k * (2 * ReverseBits(j, bits) + 1) % (2 * n);
    order[j] = static_cast<u32>(ReverseBits(exponent / 2, bits));
  }
  return order;
}

}  // namespace

struct NTT::State {
  u64 degree, q, root;
  AlignedAllocator<uint64_t, 64> memory;
  Words powers;
  std::optional<ringfort::Ntt> transform;  // none: the portable transform
  std::vector<u32> order;                  // empty if the root is the smallest
  struct Tables {
    Words inverse, precon32, precon64, inverse32, inverse52, inverse64, copies, copies32, copies52, copies64;
  };
  // A fork may interrupt the making in another thread. Then a child begins again (glibc). It finds no half-made tables,
  // because the last step sets one pointer.
  mutable std::once_flag once;
  mutable std::unique_ptr<const Tables> lazy;

  State(u64 n, u64 modulus, u64 root_of_unity, u64 smallest, std::shared_ptr<AllocatorBase> allocator)
      : degree(n),
        q(modulus),
        root(root_of_unity),
        memory(std::move(allocator)),
        powers(reversed_powers(root, n, q, memory)) {
    if (degree < kSmallestDegree || degree > kLargestDegree) return;
    transform.emplace(static_cast<u32>(degree), q);
    if (root != smallest) order = order_of(exponent_of(root, smallest, degree, q), degree);
  }

  const Tables& tables() const {
    std::call_once(once, [&] {
      Words inverse = in_stages(reversed_powers(InverseMod(root, q), degree, q, memory)), copies = with_copies(powers);
      Words inverse32 = companions(inverse, 32, q), inverse52 = companions(inverse, 52, q);
      Words inverse64 = companions(inverse, 64, q), copies32 = companions(copies, 32, q);
      Words copies52 = companions(copies, 52, q), copies64 = companions(copies, 64, q);
      lazy = std::make_unique<const Tables>(Tables{std::move(inverse), companions(powers, 32, q),
                                                   companions(powers, 64, q), std::move(inverse32),
                                                   std::move(inverse52), std::move(inverse64), std::move(copies),
                                                   std::move(copies32), std::move(copies52), std::move(copies64)});
    });
    return *lazy;
  }

  PowerTables portable() const {
    const Tables& t = tables();
    return {powers, t.precon64, t.inverse, t.inverse64, q};
  }

  void check(const u64* result, const u64* operand) const {
    check_pointer(result, "result");
    check_pointer(operand, "the operand");
    if (result != operand && std::less<>()(result, operand + degree) && std::less<>()(operand, result + degree))
      refuse("the result overlaps a part of the operand", "use the operand itself as the result, or other memory");
  }

  // Returns words below q: the operand or, if it has other words, their residues in `result`.
  const u64* residues(u64* result, const u64* operand, u64 factor) const {
    if (are_below(operand, degree, q)) return operand;
    check_words(operand, degree, q, factor, "the operand");
    for (u64 i = 0; i < degree; ++i) result[i] = ringfort::canonical_from_lazy4(operand[i], q);
    return result;
  }

  template <class Compute>
  void in_place(u64* result, const u64* operand, Compute compute) const {
    if (operand != result) std::copy_n(operand, degree, result);
    compute(std::span<u64>(result, degree), portable());
  }

  void forward(u64* result, const u64* operand) const {
    if (!transform) return in_place(result, operand, forward_portable);
    if (order.empty()) return transform->forward<u64>({operand, degree}, {result, degree});
    Words values(degree, 0, memory);
    transform->forward<u64>({operand, degree}, values);
    for (u64 j = 0; j < degree; ++j) result[j] = values[order[j]];
  }

  void inverse(u64* result, const u64* operand) const {
    if (!transform) return in_place(result, operand, inverse_portable);
    if (order.empty()) return transform->inverse<u64>({operand, degree}, {result, degree});
    Words values(degree, 0, memory);
    for (u64 j = 0; j < degree; ++j) values[order[j]] = operand[j];
    transform->inverse<u64>(values, {result, degree});
  }
};

bool NTT::CheckArguments(uint64_t degree, uint64_t modulus) {
  return IsPowerOfTwo(degree) && degree <= u64{1} << MaxDegreeBits() && modulus >> MaxModulusBits() == 0 &&
         modulus % (2 * degree) == 1 && IsPrime(modulus);
}

namespace {

void check_ring(u64 degree, u64 q) {
  if (NTT::CheckArguments(degree, q)) return;
  refuse("no transform has the degree " + std::to_string(degree) + " and the modulus " + std::to_string(q),
         "choose a power of two up to 2^20, and a prime below 2^62 that is 1 mod twice this degree");
}

u64 smallest_root(u64 degree, u64 q) {
  check_ring(degree, q);
  return MinimalPrimitiveRoot(2 * degree, q);
}

}  // namespace

NTT::NTT(uint64_t degree, uint64_t q, std::shared_ptr<AllocatorBase> alloc_ptr) {
  const u64 root = smallest_root(degree, q);
  state_ = std::make_shared<const State>(degree, q, root, root, std::move(alloc_ptr));
}

NTT::NTT(uint64_t degree, uint64_t q, uint64_t root_of_unity, std::shared_ptr<AllocatorBase> alloc_ptr) {
  const u64 smallest = smallest_root(degree, q);
  if (root_of_unity >= q || !IsPrimitiveRoot(root_of_unity, 2 * degree, q))
    refuse("the root " + std::to_string(root_of_unity) + " is not a primitive root of degree 2N",
           "choose a root from MinimalPrimitiveRoot(2 * degree, q), or none");
  state_ = std::make_shared<const State>(degree, q, root_of_unity, smallest, std::move(alloc_ptr));
}

const NTT::State& NTT::Checked() const {
  if (state_ == nullptr) refuse("the NTT object has no degree", "make it with a degree and a modulus");
  return *state_;
}

void NTT::ComputeForward(uint64_t* result, const uint64_t* operand, uint64_t input_mod_factor,
                         uint64_t output_mod_factor) const {
  const State& state = Checked();
  check_factor(input_mod_factor, {1, 2, 4}, "input_mod_factor");
  check_factor(output_mod_factor, {1, 4}, "output_mod_factor");
  state.check(result, operand);
  state.forward(result, state.residues(result, operand, input_mod_factor));
}

void NTT::ComputeInverse(uint64_t* result, const uint64_t* operand, uint64_t input_mod_factor,
                         uint64_t output_mod_factor) const {
  const State& state = Checked();
  check_factor(input_mod_factor, {1, 2}, "input_mod_factor");
  check_factor(output_mod_factor, {1, 2}, "output_mod_factor");
  state.check(result, operand);
  state.inverse(result, state.residues(result, operand, input_mod_factor));
}

uint64_t NTT::GetMinimalRootOfUnity() const { return state_ == nullptr ? 0 : state_->root; }
uint64_t NTT::GetDegree() const { return state_ == nullptr ? 0 : state_->degree; }
uint64_t NTT::GetModulus() const { return state_ == nullptr ? 0 : state_->q; }

const Words& NTT::GetRootOfUnityPowers() const { return Checked().powers; }
const Words& NTT::GetInvRootOfUnityPowers() const { return Checked().tables().inverse; }
const Words& NTT::GetPrecon32RootOfUnityPowers() const { return Checked().tables().precon32; }
const Words& NTT::GetPrecon64RootOfUnityPowers() const { return Checked().tables().precon64; }
const Words& NTT::GetPrecon32InvRootOfUnityPowers() const { return Checked().tables().inverse32; }
const Words& NTT::GetPrecon52InvRootOfUnityPowers() const { return Checked().tables().inverse52; }
const Words& NTT::GetPrecon64InvRootOfUnityPowers() const { return Checked().tables().inverse64; }
const Words& NTT::GetAVX512RootOfUnityPowers() const { return Checked().tables().copies; }
const Words& NTT::GetAVX512Precon32RootOfUnityPowers() const { return Checked().tables().copies32; }
const Words& NTT::GetAVX512Precon52RootOfUnityPowers() const { return Checked().tables().copies52; }
const Words& NTT::GetAVX512Precon64RootOfUnityPowers() const { return Checked().tables().copies64; }

}  // namespace intel::hexl
