// SPDX-License-Identifier: Apache-2.0
// Files of CKKS, BFV and BGV: parameters, keys, ciphertexts, arrays of ciphertexts, and containers of named objects.
// docs/file-format.md describes the bytes. encode_X returns the bytes of a whole file, and decode_X reads them. The
// functions save and load write and read files. To decode a key or a ciphertext, you need a context with the parameters
// of the file, on any device. The decoder computes lengths from the context, and checks that residues are below their
// moduli. The noise bound in a file is a claim of its writer. After decoding, bound_is_untrusted() is true, unless the
// file claims a fresh encryption whose bound the decoder can compute. Errors: the io_* codes of ringfort/error.h,
// parameters_mismatch (a key or ciphertext of another context), invalid_argument, unsupported, secret_refused,
// insecure_parameters, mode_forbidden, passphrase, stopped, out_of_memory.
#pragma once

#include <optional>
#include <variant>

#include "ringfort/bfv.h"
#include "ringfort/bgv.h"
#include "ringfort/ckks.h"
#include "ringfort/io.h"

namespace ringfort::io {

using Bytes = std::vector<std::uint8_t>;         // content of one file, owned
using ByteView = std::span<const std::uint8_t>;  // content of one file, in another object's memory

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
  // Returns a digest of everything that defines an object's meaning: scheme, ring, primes, levels, digits, and scale or
  // plaintext modulus.
  [[nodiscard]] const std::array<std::uint8_t, 32>& digest() const noexcept;
  struct State;
  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

// Returns the type that the header of a file states. Does not check the rest.
[[nodiscard]] FileType type_of(ByteView bytes);
// Returns facts about a file of any type, as inspect(path) of ringfort/io.h does. Needs no key.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> inspect(ByteView bytes);

using AnyParameters = std::variant<ckks::Parameters, bfv::Parameters, bgv::Parameters>;
[[nodiscard]] Bytes encode_parameters(const Scope& scope);  // without keys
// Throws io_limit if the parameters exceed the limits, before it builds the ring.
[[nodiscard]] AnyParameters decode_parameters(ByteView bytes, bool allow_insecure = false, const Limits& limits = {});

// Encodes a key. With a passphrase, XChaCha20-Poly1305 encrypts and authenticates the key; Argon2id derives the key of
// this cipher from the passphrase. With the empty passphrase "", the key is not encrypted: whoever reads the bytes has
// the key. `strength` sets the memory of Argon2id: 64 MiB (0), 256 MiB (1) or 1 GiB (2).
// `beside` has the files of public keys that are stored beside the key. If there are such files, the result contains a
// digest of them, and the passphrase authenticates this digest. The library calls `progress` while Argon2id runs.
[[nodiscard]] SecretBytes encode_secret_key(const Scope& scope, const SecretKey& key, std::string_view passphrase,
                                            unsigned strength = 1, std::span<const ByteView> beside = {},
                                            const Progress& progress = {});
// Throws io_limit if the file's strength is above the limit, before Argon2id allocates memory.
[[nodiscard]] SecretKey decode_secret_key(const Scope& scope, ByteView bytes, std::string_view passphrase = {},
                                          const Limits& limits = {}, const Progress& progress = {});
// Compares the digest of the files `beside` with the digest in the file of the secret key. Throws parameters_mismatch
// if they differ, and io_type if `secret` is not the file of a secret key. Returns false if the file has no digest,
// because `beside` was empty or the library was older. The digest is authentic only if a passphrase has opened the key.
// Call require_matching (ringfort/keys.h) only if the digest is authentic: with keys from an attacker, its results
// could reveal the secret to this attacker.
bool require_beside(ByteView secret, std::span<const ByteView> beside);

// Encode a public key. In place of the key's uniformly random polynomials, the file has their seed.
[[nodiscard]] Bytes encode_key(const Scope& scope, const PublicKey& key);
[[nodiscard]] Bytes encode_key(const Scope& scope, const RelinearizationKey& key);
[[nodiscard]] Bytes encode_key(const Scope& scope, const GaloisKeys& keys);
[[nodiscard]] PublicKey decode_public_key(const Scope& scope, ByteView bytes);
[[nodiscard]] RelinearizationKey decode_relinearization_key(const Scope& scope, ByteView bytes);
[[nodiscard]] GaloisKeys decode_galois_keys(const Scope& scope, ByteView bytes);

// Encode a ciphertext. A fresh encryption under the secret key is stored as component 0 and the seed of component 1.
[[nodiscard]] Bytes encode_ciphertext(const ckks::Context& context, const ckks::Ciphertext& ciphertext);
[[nodiscard]] Bytes encode_ciphertext(const bfv::Context& context, const bfv::Ciphertext& ciphertext);
[[nodiscard]] Bytes encode_ciphertext(const bgv::Context& context, const bgv::Ciphertext& ciphertext);
// With trust_bound = false, the functions accept only files that claim a fresh encryption, and compute its noise bound.
// They assume that CKKS values are at most Parameters::magnitude. They cannot check that the encryption is fresh. Error
// for other ciphertexts: mode_forbidden.
[[nodiscard]] ckks::Ciphertext decode_ciphertext(const ckks::Context& context, ByteView bytes, bool trust_bound = true);
[[nodiscard]] bfv::Ciphertext decode_ciphertext(const bfv::Context& context, ByteView bytes, bool trust_bound = true);
[[nodiscard]] bgv::Ciphertext decode_ciphertext(const bgv::Context& context, ByteView bytes, bool trust_bound = true);

// The file of an array that is stored in several ciphertexts. The application defines the meaning of the numbers; the
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
  std::vector<std::uint64_t> shape;              // at most 32 dimensions and 2^48 elements
  std::uint64_t rows = 0, cols = 0, stride = 0;  // each at most 2^48
  std::uint8_t unused_slots = 0;                 // number for their contents (docs/file-format.md): 0, 1 or 2
  std::optional<Interval> interval;              // a range that contains all integers of the array; never with `domain`
  std::vector<ByteView> ciphertexts;             // each: bytes of one file; after decode_array, views into its argument
  std::optional<Domain> domain{};  // a range that contains all real numbers of the array: finite, low < high
};
// Encodes an array as one file, or decodes such a file.
[[nodiscard]] Bytes encode_array(const ArrayRecord& array);
[[nodiscard]] ArrayRecord decode_array(ByteView bytes);

// `name` has 1 to 64 bytes of printable UTF-8 and is unique in its container. `bytes` is a file, but not a container.
struct NamedObject {
  std::string name;
  ByteView bytes;  // after decode_container, a view into its argument
};
[[nodiscard]] SecretBytes encode_container(std::span<const NamedObject> objects);  // one file with all objects
[[nodiscard]] std::vector<NamedObject> decode_container(ByteView bytes);

// largest file that load reads by default, in bytes
inline constexpr std::uint64_t kFileLimit = std::uint64_t{8} << 30;
// Writes a temporary file and renames it. Files of secret keys, and containers with such a file, get mode 0600. Rejects
// bytes that are not a ringfort file.
void save(const std::string& path, ByteView bytes);
[[nodiscard]] SecretBytes load(const std::string& path, std::uint64_t limit_bytes = kFileLimit);

}  // namespace ringfort::io
