// SPDX-License-Identifier: Apache-2.0
// Computes phases c0 - t c1, and reads bits from them (decrypt.h).
#include "scheme/rgsw/decrypt.h"

#include <algorithm>
#include <cmath>

#include "ringfort/declassified.h"

namespace ringfort::rgsw {

Secret<u32> phase_mod_power(std::span<const i8> secret, std::span<const u32> c0, std::span<const u32> c1, u32 bits) {
  const std::size_t n = secret.size();
  Secret<u32> words(n);
  const std::span<u32> phase = words.span();
  std::copy(c0.begin(), c0.end(), phase.begin());
  for (std::size_t i = 0; i < n; ++i) {
    const u32 t = static_cast<u32>(static_cast<i64>(secret[i]));  // -1, 0, 1 modulo 2^32
    for (std::size_t j = 0; j < n - i; ++j) phase[i + j] -= t * c1[j];
    for (std::size_t j = n - i; j < n; ++j) phase[i + j - n] += t * c1[j];
  }
  const u32 mask = bits >= 32 ? ~u32{0} : (u32{1} << bits) - 1;
  for (u32& x : phase) x &= mask;
  return words;
}

Secret<u64> row_phase(const SecretKey::State& key, const EncryptedBits::State& bits, u32 index, u32 row,
                      Workspace& work) {
  const Ring& ring = bits.context->ring;
  const Cleared cleared(work);
  const Scratch<Eval> scratch = work.allocate_secret<Eval>(1, ring.limbs());
  const Slice<Eval> pair = bits.row(index, row), phase = scratch.all();
  ring.multiply(work.stream, phase, pair.polynomials(1, 1), key.secret.ntt_form.all());
  ring.subtract(work.stream, phase, pair.polynomials(0, 1), phase);
  Secret<u64> words(ring.n());
  ring.download(work.stream, ring.inverse(work.stream, scratch.all()), words.span(), work.staging);
  return words;
}

u32 decryption_row(const Context::State& c, i64 low, i64 high, double deviation) {
  const u128 values = static_cast<u128>(high - low) + 1;
  for (u32 j = c.p.digits; j-- > 0;) {
    const u64 g = c.gadget_values[j];
    if (values * g > c.p.q) continue;  // in this row, the integers would wrap around modulo q, so try a lower row
    if (c.bound_factor * deviation < static_cast<double>(g) / 2) return j;
    break;
  }
  throw Error(Code::noise_bound_exceeded,
              "the noise bound 2^" + std::to_string(std::log2(c.bound_factor * deviation)) +
                  " does not allow integers in [" + std::to_string(low) + ", " + std::to_string(high) + "]",
              "use fewer operations between encryption and decryption, or a preset with a larger noise budget");
}

u64 value_of(u64 phase, const Digit& of) noexcept {
  return of.g.quotient(add_mod<u64>(subtract_mod<u64>(phase, of.lowest, of.q), of.half, of.q));
}

std::vector<std::uint8_t> Decryptor::decrypt(const EncryptedBits& bits) const {
  const EncryptedBits::State& b = bits.state();
  require_filled(b, "decrypt");
  require_same(context_.state(), key_->context, "decrypt");
  require_same(context_.state(), b.context, "decrypt");
  const auto work = b.context->workspace();
  const u32 row = decryption_row(*b.context, b.low, b.high, b.deviation);
  const u64 q = b.context->p.q, g = b.context->gadget_values[row];
  // `lowest` is low * g modulo q. After this is subtracted, every integer of the range is encoded as a multiple of g in
  // [0, q).
  const u64 lowest = mul_mod<u64>(static_cast<u64>(b.low < 0 ? -b.low : b.low) % q, g, q);
  const Digit digit{q, b.low < 0 ? negate_mod<u64>(lowest, q) : lowest, g / 2, Divisor<u64>(g)};
  std::vector<u8> plain(b.count);
  u64 seen = 0;
  for (u32 i = 0; i < b.count; ++i) {
    const u64 value = value_of(row_phase(*key_, b, i, row, *work).data()[0], digit) + static_cast<u64>(b.low);
    seen |= value;
    plain[i] = static_cast<u8>(value);
  }
  if (declassified(seen > 1)) {
    throw Error(Code::invalid_argument, "a ciphertext holds an integer that is not a bit",
                "decrypt only sums that are 0 or 1: a or b = a + b - a b");
  }
  return plain;
}

}  // namespace ringfort::rgsw
