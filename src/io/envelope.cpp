// SPDX-License-Identifier: Apache-2.0
// Seals and opens the envelopes of secrets in files (envelope.h).
#include "io/envelope.h"

#include <sodium.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <system_error>
#include <thread>

#include "io/bytes.h"
#include "math/random.h"

namespace ringfort::io {

namespace {

constexpr std::size_t kSaltBytes = crypto_pwhash_SALTBYTES;
constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kLockTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t kLockBytes = 4 + kSaltBytes + kNonceBytes;
static_assert(kLockBytes + kLockTagBytes == kEnvelopeBytes);

struct Cost {
  unsigned long long operations;
  std::size_t memory_bytes;
};
constexpr std::array<Cost, 3> kCosts = {{{crypto_pwhash_OPSLIMIT_INTERACTIVE, crypto_pwhash_MEMLIMIT_INTERACTIVE},
                                         {crypto_pwhash_OPSLIMIT_MODERATE, crypto_pwhash_MEMLIMIT_MODERATE},
                                         {crypto_pwhash_OPSLIMIT_SENSITIVE, crypto_pwhash_MEMLIMIT_SENSITIVE}}};

// The input and the output of one run of Argon2id, which cannot be stopped. If the caller stops waiting, the run
// continues in its own thread. Then this thread owns the object.
struct Stretching {
  Stretching(std::string_view given, std::span<const u8> chosen, const Cost& wanted)
      : passphrase(given.size()),
        key(crypto_aead_xchacha20poly1305_ietf_KEYBYTES),
        cost(wanted) {
    std::copy(given.begin(), given.end(), passphrase.data());
    std::copy(chosen.begin(), chosen.end(), salt.begin());
  }
  [[nodiscard]] bool derive_key() noexcept {
    return crypto_pwhash(key.data(), key.size(), passphrase.data(), passphrase.size(), salt.data(), cost.operations,
                         cost.memory_bytes, crypto_pwhash_ALG_ARGON2ID13) == 0;
  }
  Secret<char> passphrase;
  Secret<u8> key;
  std::array<u8, kSaltBytes> salt{};
  Cost cost;
};

enum class Stretched : u8 { yes, no_memory, stopped };

Stretched of(bool ran) noexcept { return ran ? Stretched::yes : Stretched::no_memory; }

Stretched watched(const std::shared_ptr<Stretching>& work, const Progress& progress) {
  constexpr auto kPause = std::chrono::milliseconds(100);
  std::promise<bool> done;
  std::future<bool> result = done.get_future();
  try {
    std::thread([work, told = std::move(done)]() mutable { told.set_value(work->derive_key()); }).detach();
  } catch (const std::system_error&) {  // no thread is available, so that the caller cannot stop waiting
    return of(work->derive_key());
  }
  while (result.wait_for(kPause) != std::future_status::ready) {
    if (!progress(0, 1)) return Stretched::stopped;
  }
  return of(result.get());
}

Result<Secret<u8>> stretch(std::string_view passphrase, std::span<const u8> salt, u32 strength,
                           const Progress* progress) {
  const Cost cost = kCosts[strength];
  const auto work = std::make_shared<Stretching>(passphrase, salt, cost);
  const Stretched how = progress != nullptr && *progress ? watched(work, *progress) : of(work->derive_key());
  if (how == Stretched::stopped) return Failure{Code::stopped, "stopped while a passphrase was stretched", ""};
  if (how == Stretched::yes) return std::move(work->key);
  return Failure{Code::out_of_memory,
                 "the passphrase needs " + std::to_string(cost.memory_bytes >> 20) + " MiB of memory",
                 "free memory, or save the keys with a lower strength"};
}

Failure no_passphrase(bool given) {
  return {Code::passphrase, given ? "the passphrase does not open these keys" : "these keys are sealed by a passphrase",
          given ? "try again; without it the keys are lost" : "give the passphrase"};
}

}  // namespace

void seal_envelope(std::span<u8> envelope, std::span<const u8> body, const Seal& seal) {
  if (seal.strength >= kCosts.size())
    throw Error(Code::invalid_argument, "strength " + std::to_string(seal.strength) + " was requested",
                "choose 0, 1 or 2");
  const auto content = envelope.subspan(kLockBytes);
  if (seal.passphrase.empty()) {
    std::copy(body.begin(), body.end(), content.begin());
    return;
  }
  envelope[0] = static_cast<u8>(seal.strength);
  const auto salt = envelope.subspan(4, kSaltBytes), nonce = envelope.subspan(4 + kSaltBytes, kNonceBytes);
  std::copy_n(fresh_public_seed().bytes.begin(), kSaltBytes, salt.begin());
  std::copy_n(fresh_public_seed().bytes.begin(), kNonceBytes, nonce.begin());
  const auto key = stretch(seal.passphrase, salt, seal.strength, seal.progress).take();
  crypto_aead_xchacha20poly1305_ietf_encrypt(content.data(), nullptr, body.data(), body.size(), seal.before.data(),
                                             seal.before.size(), nullptr, nonce.data(), key.data());
}

Result<Secret<u8>> open_envelope(std::span<const u8> envelope, const Lock& of, std::string_view passphrase) {
  ByteReader in(envelope);
  const u32 strength = in.take_u32();
  const auto salt = in.view(kSaltBytes), nonce = in.view(kNonceBytes);
  const auto content = in.view(in.remaining());
  if (!in.ok() || content.size() < kLockTagBytes || strength >= kCosts.size())
    return Failure{Code::io_range, "the envelope's strength is unknown", "update ringfort"};
  Secret<u8> body(content.size() - kLockTagBytes);
  if (of.sealed) {
    if (passphrase.empty()) return no_passphrase(false);
    if (strength > of.most_strength) {
      return Failure{Code::io_limit,
                     "the passphrase of this file needs strength " + std::to_string(strength) + ", " +
                         std::to_string(kCosts[strength].memory_bytes >> 20) + " MiB of memory",
                     "if you chose this strength, allow it: Limits::strength, most_strength=" +
                         std::to_string(strength) + " in Python, --most-strength"};
    }
    auto key = stretch(passphrase, salt, strength, of.progress);
    if (!key.ok()) return key.failure();
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(body.data(), nullptr, nullptr, content.data(), content.size(),
                                                   of.before.data(), of.before.size(), nonce.data(),
                                                   key.value().data()) != 0) {
      return no_passphrase(true);
    }
    return body;
  }
  if (!passphrase.empty()) {
    return Failure{Code::passphrase, "a passphrase was given, but these keys are not sealed by one",
                   "the file may have been exchanged; if you saved it unsealed, give no passphrase"};
  }
  const auto lock = envelope.first(kLockBytes), tag = content.last(kLockTagBytes);
  const auto zero = [](u8 byte) { return byte == 0; };
  if (!std::all_of(lock.begin(), lock.end(), zero) || !std::all_of(tag.begin(), tag.end(), zero)) {
    return Failure{Code::io_range, "an unsealed envelope has a strength, salt, nonce or tag that is not zero",
                   "the file is damaged"};
  }
  std::copy_n(content.begin(), body.size(), body.data());
  return body;
}

void put_ternary(std::span<const i8> coefficients, std::span<u8> zeroed) {
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    zeroed[i / 4] = static_cast<u8>(zeroed[i / 4] | (static_cast<u8>(coefficients[i] + 1) << (2 * (i % 4))));
  }
}

Secret<i8> take_ternary(std::span<const u8> packed, u32 n) {
  Secret<i8> coefficients(n);
  for (u32 i = 0; i < n; ++i) coefficients.span()[i] = static_cast<i8>(((packed[i / 4] >> (2 * (i % 4))) & 3) - 1);
  return coefficients;
}

}  // namespace ringfort::io
