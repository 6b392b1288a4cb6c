// SPDX-License-Identifier: Apache-2.0
// Files of CKKS, BFV and BGV: parameters, keys, ciphertexts, arrays of ciphertexts, and containers of named objects.
// encode_X returns the bytes of a whole file, decode_X reads them; save and load transfer bytes to and from paths
// (docs/file-format.md). decode_X needs a context with the same parameters, on any device. It computes lengths from the
// context, and checks that residues are below their moduli. The bound in a file is a claim of its writer: a decoded
// ciphertext that was computed elsewhere has bound_is_untrusted(). Errors: the io_* codes of ringfort/error.h,
// secret_refused, insecure_parameters, mode_forbidden, passphrase, out_of_memory.
#pragma once

#include <optional>
#include <variant>

#include "ringfort/bfv.h"
#include "ringfort/bgv.h"
#include "ringfort/ckks.h"
#include "ringfort/io.h"

namespace ringfort::io {

using Bytes = std::vector<std::uint8_t>;         // content of one file
using ByteView = std::span<const std::uint8_t>;  // content of one file

// Bytes that may contain secrets. They are never copied, and the destructor zeroes them.
class SecretBytes {
 public:
  explicit SecretBytes(Bytes&& bytes) noexcept : bytes_(std::move(bytes)) {}
  SecretBytes(SecretBytes&&) noexcept = default;
  SecretBytes& operator=(SecretBytes&& other) noexcept;
  ~SecretBytes();
  [[nodiscard]] ByteView view() const noexcept { return bytes_; }
  operator ByteView() const noexcept { return bytes_; }  // NOLINT(google-explicit-constructor)

 private:
  Bytes bytes_;
};

// The parameters to which an object belongs. A context of any scheme converts to a Scope.
class Scope {
 public:
  Scope(const ckks::Context& context);  // NOLINT(google-explicit-constructor)
  Scope(const bfv::Context& context);   // NOLINT(google-explicit-constructor)
  Scope(const bgv::Context& context);   // NOLINT(google-explicit-constructor)
  Scope(const Scope&) = default;
  Scope& operator=(const Scope&) = default;
  // Digest of everything that defines an object's meaning: scheme, ring, primes, levels, digits, scale or plain
  // modulus.
  [[nodiscard]] const std::array<std::uint8_t, 32>& digest() const noexcept;
  struct State;
  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

// Returns the kind of a file from its header; does not check the content.
[[nodiscard]] FileType type_of(ByteView bytes);
// Returns the facts of a whole file of any type in memory, as inspect(path) in ringfort/io.h does. Needs no key.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> inspect(ByteView bytes);

using AnyParameters = std::variant<ckks::Parameters, bfv::Parameters, bgv::Parameters>;
[[nodiscard]] Bytes encode_parameters(const Scope& scope);  // without keys
// Errors: also io_limit, before a ring is built.
[[nodiscard]] AnyParameters decode_parameters(ByteView bytes, bool allow_insecure = false, const Limits& limits = {});

// Encodes a key. A passphrase encrypts and authenticates it (XChaCha20-Poly1305 under Argon2id; `strength` 0, 1, 2: 64
// MiB, 256 MiB, 1 GiB of memory). `beside`: files of public keys that are stored beside the key. The result contains a
// digest of these files, and the passphrase authenticates the digest. progress: polled while Argon2id runs; false
// stops.
[[nodiscard]] SecretBytes encode_secret_key(const Scope& scope, const SecretKey& key, std::string_view passphrase = {},
                                            unsigned strength = 1, std::span<const ByteView> beside = {},
                                            const Progress& progress = {});
// Errors: also io_limit for a strength above the limit, before its memory is allocated.
[[nodiscard]] SecretKey decode_secret_key(const Scope& scope, ByteView bytes, std::string_view passphrase = {},
                                          const Limits& limits = {}, const Progress& progress = {});
// Throws parameters_mismatch if the digest of these files is not the digest in the secret key. Returns false if the key
// contains no digest (format before version 3). The digest is authentic if a passphrase has opened the key. Only then
// is require_matching (ringfort/keys.h) safe: with keys from an attacker, its results could reveal the secret to this
// attacker.
bool require_beside(ByteView secret, std::span<const ByteView> beside);

// Stores uniformly random polynomials as their seed.
[[nodiscard]] Bytes encode_key(const Scope& scope, const PublicKey& key);
[[nodiscard]] Bytes encode_key(const Scope& scope, const RelinearizationKey& key);
[[nodiscard]] Bytes encode_key(const Scope& scope, const GaloisKeys& keys);
[[nodiscard]] PublicKey decode_public_key(const Scope& scope, ByteView bytes);
[[nodiscard]] RelinearizationKey decode_relinearization_key(const Scope& scope, ByteView bytes);
[[nodiscard]] GaloisKeys decode_galois_keys(const Scope& scope, ByteView bytes);

// Stores a fresh encryption under the secret key as component 0 and the seed of component 1.
[[nodiscard]] Bytes encode_ciphertext(const ckks::Context& context, const ckks::Ciphertext& ciphertext);
[[nodiscard]] Bytes encode_ciphertext(const bfv::Context& context, const bfv::Ciphertext& ciphertext);
[[nodiscard]] Bytes encode_ciphertext(const bgv::Context& context, const bgv::Ciphertext& ciphertext);
// trust_bound = false accepts only fresh encryptions (others: mode_forbidden), and computes their bound. It assumes
// that CKKS values are at most Parameters::magnitude.
[[nodiscard]] ckks::Ciphertext decode_ciphertext(const ckks::Context& context, ByteView bytes, bool trust_bound = true);
[[nodiscard]] bfv::Ciphertext decode_ciphertext(const bfv::Context& context, ByteView bytes, bool trust_bound = true);
[[nodiscard]] bgv::Ciphertext decode_ciphertext(const bgv::Context& context, ByteView bytes, bool trust_bound = true);

// An array that is stored in several ciphertexts. The application defines the meaning of the record's numbers; the
// decoder checks only their ranges.
struct ArrayRecord {
  struct Interval {
    std::int64_t low = 0, high = 0;
    bool operator==(const Interval&) const = default;
  };
  struct Domain {
    double low = 0, high = 0;
    bool operator==(const Domain&) const = default;
  };
  std::vector<std::uint64_t> shape;              // at most 32 dimensions, 2^48 elements
  std::uint64_t rows = 0, cols = 0, stride = 0;  // at most 2^48
  std::uint8_t rest = 0;                         // 0, 1, 2
  std::optional<Interval> interval;              // contains all integers; not together with `domain`
  std::vector<ByteView> ciphertexts;             // bytes of a file each; after decode_array, views of the array's bytes
  std::optional<Domain> domain{};                // contains all real numbers: finite, low < high
};
[[nodiscard]] Bytes encode_array(const ArrayRecord& array);  // each ciphertext: bytes of a file
[[nodiscard]] ArrayRecord decode_array(ByteView bytes);

// name: 1 to 64 bytes of printable UTF-8, unique in its container. bytes: a file, but not a container.
struct NamedObject {
  std::string name;
  ByteView bytes;  // after decode_container, a view of the container's bytes
};
[[nodiscard]] SecretBytes encode_container(std::span<const NamedObject> objects);  // one file with all objects
[[nodiscard]] std::vector<NamedObject> decode_container(ByteView bytes);

inline constexpr std::uint64_t kFileLimit = std::uint64_t{8} << 30;  // bytes; default of load
// Writes to a temporary file and renames it; mode 0600 for secret keys and containers of them. Rejects bytes that are
// not a ringfort file.
void save(const std::string& path, ByteView bytes);
[[nodiscard]] SecretBytes load(const std::string& path, std::uint64_t limit_bytes = kFileLimit);

}  // namespace ringfort::io
