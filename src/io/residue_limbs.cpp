// SPDX-License-Identifier: Apache-2.0
// Checks residues, and moves those of keys between the host and the device (residue_limbs.h).
#include "io/residue_limbs.h"

#include <array>

namespace ringfort {

namespace {

// Calls f(limbs, words) for the data primes and then for the special primes of each polynomial.
template <class F>
void each_part(const KeyContext::State& context, Slice<Eval> polynomials, std::size_t words, F f) {
  const Limbs all = polynomials.limbs();
  const u32 first = context.chain.data().first;
  const std::array<Limbs, 2> parts{Limbs{first, all.end() - first}, Limbs{all.first, first - all.first}};
  std::size_t at = 0;
  for (u32 i = 0; i < polynomials.batch(); ++i) {
    for (const Limbs part : parts) {
      const std::size_t count = std::size_t{part.count} * context.p.n;
      if (count != 0) f(polynomials.polynomials(i, 1).limbs(part), part, at, count);
      at += count;
    }
  }
  RF_ASSERT(at == words);
}

}  // namespace

void require_residues(const KeyContext::State& context, Limbs limbs, std::span<const u64> words) {
  const std::size_t n = context.p.n, polynomial = limbs.count * n;
  for (std::size_t at = 0; at < words.size(); at += n) {
    const u64 q = context.ring.basis()[limbs.first + static_cast<u32>(at % polynomial / n)].value();
    u64 all = 0;  // its highest bit is set if a word is not below q < 2^62; compilers vectorise this loop
    for (const u64 word : words.subspan(at, n)) all |= word | (q - 1 - word);
    if (all >> 63 != 0)
      throw Error(Code::invalid_argument, "a residue is not below its prime " + std::to_string(q),
                  "reduce residues modulo their primes");
  }
}

void require_element(u32 element, u32 n) {
  if (element % 2 == 1 && element < 2 * n) return;
  throw Error(Code::invalid_argument, "the Galois element " + std::to_string(element) + " was given",
              "give an odd number below " + std::to_string(2 * n));
}

std::size_t key_words(const KeyContext::State& context, Limbs limbs) noexcept {
  return std::size_t{limbs.count} * context.p.n;
}

void download_key(const KeyContext::State& context, Slice<Eval> polynomials, std::span<u64> words, Workspace& work) {
  each_part(context, polynomials, words.size(), [&](Slice<Eval> part, Limbs, std::size_t at, std::size_t count) {
    context.ring.download(work.stream, part, words.subspan(at, count), work.staging);
  });
}

void upload_key(const KeyContext::State& context, Slice<Eval> polynomials, std::span<const u64> words,
                Workspace& work) {
  each_part(context, polynomials, words.size(), [&](Slice<Eval> part, Limbs limbs, std::size_t at, std::size_t count) {
    const std::span<const u64> given = words.subspan(at, count);
    require_residues(context, limbs, given);
    context.ring.upload(work.stream, part, given, work.staging);
  });
}

}  // namespace ringfort
