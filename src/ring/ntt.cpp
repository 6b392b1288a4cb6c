// SPDX-License-Identifier: Apache-2.0
// Class Ntt (ringfort/ring.h), the public transforms. Its public functions check the arguments of the caller, then run
// the verbs of the device. The functions on residues check nothing. If the device works in the memory of the process,
// and the output begins at a cache line, transforms run in the output of the caller. If not, polynomials pass through
// device memory, in blocks of 256 KiB for each thread, or of one polynomial if that is larger. A product always copies
// b to device memory.
#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "ring/encoding/chosen.h"
#include "math/decimal.h"
#include "math/prime.h"
#include "ringfort/declassified.h"
#include "ringfort/error.h"
#include "ringfort/ring.h"
#include "runtime/device.h"

namespace ringfort {

namespace {

// 256 KiB for each thread, a quarter of an L2 cache of 1 MiB.
constexpr std::size_t kBytesAtOnce = std::size_t{1} << 18;

Word word_of(WordWidth width) {
  return width == WordWidth::bits32 ? Word::u32 : width == WordWidth::bits64 ? Word::u64 : Word::u128;
}

void check_ring(u32 n, u128 q, Word word) {
  if (!std::has_single_bit(n) || n < 2 || n > (1u << 17)) {
    throw Error(Code::invalid_argument, "n = " + std::to_string(n) + " is not a power of two in 2 .. 131072",
                "choose such an n");
  }
  const u32 limit = word == Word::u32 ? 31 : word == Word::u64 ? 62 : 127;
  if ((q >> limit) != 0) {
    throw Error(Code::unsupported, "q = " + decimal(q) + " is not below 2^" + std::to_string(limit),
                "use wider words or a smaller q");
  }
  if (q < 2 || q % (2 * u128{n}) != 1) {
    throw Error(Code::invalid_argument, "q = " + decimal(q) + " is not 1 mod 2n = " + std::to_string(2 * n),
                "take q from primes()");
  }
  if (!is_prime(q))
    throw Error(Code::invalid_argument, "q = " + decimal(q) + " is not a prime", "take q from primes()");
}

// Returns a number whose highest bit is set if a word is not below q. The words may be plaintexts. Therefore no branch
// depends on a word. Moduli are shorter than words. Therefore the highest bit of x or of q - 1 - x is set if x is not
// below q.
template <class W>
W above(std::span<const W> words, W q) {
  const encoding::Kernels& kernels = encoding::chosen_kernels();
  if constexpr (sizeof(W) == sizeof(u32)) {
    if (kernels.above32 != nullptr) return kernels.above32(words.data(), words.size(), q);
  } else if constexpr (sizeof(W) == sizeof(u64)) {
    if (kernels.above64 != nullptr) return kernels.above64(words.data(), words.size(), q);
  }
  W all = 0;
  for (const W x : words) all |= x | static_cast<W>(q - 1 - x);
  return all;
}

}  // namespace

struct Ntt::State {
  std::shared_ptr<const Device> device;
  std::shared_ptr<const PreparedPlan> prepared;
  u128 psi = 0;

  [[nodiscard]] const Plan& plan() const noexcept { return prepared->plan; }

  template <class W>
  void check_words(std::span<const W> in, std::span<W> out) const {
    if (sizeof(W) != word_bytes(plan().word)) {
      throw Error(Code::invalid_argument,
                  "words of " + std::to_string(8 * sizeof(W)) + " bits were given, but the plan has " +
                      std::to_string(8 * word_bytes(plan().word)),
                  "use the plan's word width");
    }
    if (in.size() != out.size() || in.size() % plan().n != 0) {
      throw Error(Code::invalid_argument,
                  std::to_string(in.size()) + " words in and " + std::to_string(out.size()) +
                      " out are not batch * n with n = " + std::to_string(plan().n),
                  "pass whole polynomials and an output of equal size");
    }
    if (in.data() != out.data() && std::less<>()(in.data(), out.data() + out.size()) &&
        std::less<>()(out.data(), in.data() + in.size())) {
      throw Error(Code::invalid_argument, "the output overlaps a part of the input",
                  "use the input itself as the output, or other memory");
    }
    const W q = static_cast<W>(plan().moduli[0]);
    if (declassified(above(in, q) >> (8 * sizeof(W) - 1) != 0)) {
      throw Error(Code::invalid_argument, "the input holds a word that is not below q = " + decimal(q),
                  "reduce it mod q first");
    }
  }

  [[nodiscard]] View view(DeviceBuffer* buffer, std::size_t offset, std::size_t batch) const {
    View v;
    v.plan = prepared.get();
    v.buffer = buffer;
    v.offset = offset;
    v.batch = static_cast<u32>(batch);
    return v;
  }

  [[nodiscard]] std::size_t polynomials_at_once(std::size_t polynomials, unsigned threads, std::size_t operands) const {
    const std::size_t bytes = prepared->n() * word_bytes(plan().word) * operands;
    const std::size_t fitting = std::max<std::size_t>(1, kBytesAtOnce / bytes) * std::max(1u, threads);
    return std::min(polynomials, fitting);
  }

  template <class W>
  void forward(std::span<const W> in, std::span<W> out, unsigned threads) const {
    transform<verb::Ntt>(in, out, threads, {Domain::coefficient, Domain::evaluation});
  }
  template <class W>
  void inverse(std::span<const W> in, std::span<W> out, unsigned threads) const {
    transform<verb::Intt>(in, out, threads, {Domain::evaluation, Domain::coefficient});
  }

  // Runs the verb V, which is verb::Ntt or verb::Intt.
  template <class V, class W>
  void transform(std::span<const W> in, std::span<W> out, unsigned threads, std::pair<Domain, Domain> domains) const {
    const u32 n = prepared->n();
    const std::size_t polynomials = in.size() / n;
    if (polynomials == 0) return;
    const Stream s{0, std::max(1u, threads)};
    if (const LentBuffer lent(*device, out.data(), out.size_bytes()); lent.handle() != nullptr) {
      if (in.data() != out.data()) std::memcpy(out.data(), in.data(), in.size_bytes());
      device->run(s, V{view(lent.handle(), 0, polynomials)});
      device->synchronize(s);
      return;
    }
    const std::size_t step = polynomials_at_once(polynomials, threads, 1);
    const Buffer buffer(device, {step * n * sizeof(W)});
    for (std::size_t at = 0; at < polynomials; at += step) {
      const View v = view(buffer.handle(), 0, std::min(step, polynomials - at));
      const Verb verbs[] = {verb::Upload{v, domains.first, in.data() + at * n}, V{v},
                            verb::Download{v, domains.second, out.data() + at * n}};
      device->run(s, verbs);
    }
    device->synchronize(s);
  }
};

Ntt::Ntt(u32 n, u128 q, WordWidth width, std::string_view device) {
  const Word word = word_of(width);
  check_ring(n, q, word);
  State state;
  state.psi = minimal_root(q, n).take();
  state.device = Device::open(device);
  state.prepared = state.device->prepare({n, word, {q}});
  state_ = std::make_shared<const State>(std::move(state));
}

Ntt::~Ntt() = default;
Ntt::Ntt(Ntt&&) noexcept = default;
Ntt& Ntt::operator=(Ntt&&) noexcept = default;

u32 Ntt::n() const noexcept { return state_->prepared->n(); }
u128 Ntt::q() const noexcept { return state_->prepared->plan.moduli[0]; }
u128 Ntt::psi() const noexcept { return state_->psi; }
std::string Ntt::device() const { return state_->device->name(); }

template <class W>
void Ntt::forward(std::span<const W> in, std::span<W> out, unsigned threads) const {
  state_->check_words(in, out);
  state_->forward(in, out, threads);
}

template <class W>
void Ntt::inverse(std::span<const W> in, std::span<W> out, unsigned threads) const {
  state_->check_words(in, out);
  state_->inverse(in, out, threads);
}

template <class W>
void Ntt::forward_residues(std::span<W> inout) const {
  state_->forward<W>(inout, inout, 1);
}

template <class W>
void Ntt::inverse_residues(std::span<W> inout) const {
  state_->inverse<W>(inout, inout, 1);
}

template <class W>
void Ntt::multiply(std::span<const W> a, std::span<const W> b, std::span<W> out, unsigned threads) const {
  state_->check_words(a, out);
  state_->check_words(b, out);
  const Device& device = *state_->device;
  const std::size_t n = this->n(), polynomials = a.size() / n;
  if (polynomials == 0) return;
  const Stream s{0, std::max(1u, threads)};
  const LentBuffer lent(device, out.data(), out.size_bytes());
  const bool in_output = lent.handle() != nullptr;
  const std::size_t step = state_->polynomials_at_once(polynomials, threads, 2), factors = in_output ? 1 : 2;
  const Buffer buffer(state_->device, {factors * step * n * sizeof(W)});
  for (std::size_t at = 0; at < polynomials; at += step) {
    const std::size_t count = std::min(step, polynomials - at);
    const View y = state_->view(buffer.handle(), 0, count);
    const View x =
        in_output ? state_->view(lent.handle(), at * n, count) : state_->view(buffer.handle(), count * n, count);
    device.run(s, verb::Upload{y, Domain::coefficient, b.data() + at * n});  // b first, because `out` may be b
    if (!in_output) device.run(s, verb::Upload{x, Domain::coefficient, a.data() + at * n});
    else if (a.data() != out.data()) std::memcpy(out.data() + at * n, a.data() + at * n, count * n * sizeof(W));
    device.run(s, verb::Polymul{x, x, y});
    if (!in_output) device.run(s, verb::Download{x, Domain::coefficient, out.data() + at * n});
  }
  device.synchronize(s);
}

template void Ntt::forward(std::span<const u32>, std::span<u32>, unsigned) const;
template void Ntt::forward(std::span<const u64>, std::span<u64>, unsigned) const;
template void Ntt::forward(std::span<const u128>, std::span<u128>, unsigned) const;
template void Ntt::inverse(std::span<const u32>, std::span<u32>, unsigned) const;
template void Ntt::inverse(std::span<const u64>, std::span<u64>, unsigned) const;
template void Ntt::inverse(std::span<const u128>, std::span<u128>, unsigned) const;
template void Ntt::forward_residues(std::span<u32>) const;
template void Ntt::forward_residues(std::span<u64>) const;
template void Ntt::inverse_residues(std::span<u32>) const;
template void Ntt::inverse_residues(std::span<u64>) const;
template void Ntt::multiply(std::span<const u32>, std::span<const u32>, std::span<u32>, unsigned) const;
template void Ntt::multiply(std::span<const u64>, std::span<const u64>, std::span<u64>, unsigned) const;
template void Ntt::multiply(std::span<const u128>, std::span<const u128>, std::span<u128>, unsigned) const;

std::vector<u128> primes(unsigned bits, u64 n, std::size_t count) { return ntt_primes(bits, n, count).take(); }

}  // namespace ringfort
