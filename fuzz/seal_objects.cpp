// SPDX-License-Identifier: Apache-2.0
// Loads saved objects of SEAL's interface (compat/seal). The first byte chooses the class, and how a stream gives the
// bytes; the rest are the members, which follow SEAL's header in a file. The members are loaded four times: unchanged,
// as compressed bytes of both kinds, and changed to an object for the target's context. Each time they are loaded from
// memory and from streams. The ring degree is 32, and BFV has two data primes and one special prime of 40 bits.
#include <sstream>
#include <streambuf>

#include "leveled.h"
#include "seal/seal.h"

namespace ringfort::fuzz {
namespace {

struct Loader {
  seal::SEALContext context{parameters(), true, seal::sec_level_type::none};
  seal::Evaluator evaluator{context};

  static seal::EncryptionParameters parameters() {
    seal::EncryptionParameters parms(seal::scheme_type::bfv);
    parms.set_poly_modulus_degree(32);
    parms.set_coeff_modulus(seal::CoeffModulus::Create(32, {40, 40, 40}));
    parms.set_plain_modulus(257);
    return parms;
  }
};

const Loader& loader() {
  static const Loader only;
  return only;
}

// Runs `body`. Only errors of the standard library may leave SEAL's interface.
template <class F>
bool is_accepted(F body) {
  try {
    body();
    return true;
  } catch (const Error&) { __builtin_trap(); } catch (const std::logic_error&) {
  } catch (const std::runtime_error&) {}
  return false;
}

template <class Object>
void square(const Object&) {}
void square(const seal::Ciphertext& loaded) {
  seal::Ciphertext product;
  (void)is_accepted([&] { loader().evaluator.square(loaded, product); });
}

// `from`: a stream, or bytes and their number.
template <class Object, class... From>
bool is_loaded(Object& object, From&&... from) {
  return is_accepted([&] {
    if constexpr (requires { object.load(loader().context, from...); }) object.load(loader().context, from...);
    else object.load(from...);
  });
}

const seal::seal_byte* bytes_of(const void* file) { return static_cast<const seal::seal_byte*>(file); }

// Gives bytes in pieces, and has no positions. Fails after `most` bytes.
class PieceBuffer : public std::streambuf {
 public:
  PieceBuffer(std::span<const u8> bytes, std::size_t piece, std::size_t most)
      : bytes_(bytes.begin(), bytes.end()),
        piece_(piece),
        most_(most) {}
  [[nodiscard]] std::size_t taken() const { return at_ - static_cast<std::size_t>(egptr() - gptr()); }
  [[nodiscard]] bool has_failed() const { return failed_; }

 protected:
  int_type underflow() override {
    const std::size_t size = std::min({piece_, bytes_.size() - at_, most_ - at_});
    if (size == 0 && at_ == most_) {
      failed_ = true;
      throw std::runtime_error("the source failed");
    }
    setg(&bytes_[0] + at_, &bytes_[0] + at_, &bytes_[0] + at_ + size);
    at_ += size;
    return size == 0 ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }

 private:
  std::string bytes_;
  std::size_t piece_, most_, at_ = 0;
  bool failed_ = false;
};

// The manner in which a stream gives bytes.
struct Manner {
  std::size_t piece = 0;
  std::ios_base::iostate thrown = std::ios_base::goodbit;
  bool fails = false;
};

Manner manner_of(u8 choice) {
  constexpr std::size_t kPieces[] = {1 << 16, 1, 7, 64};
  return {.piece = kPieces[choice % 4],
          .thrown = choice / 4 % 2 == 0 ? std::ios_base::goodbit : std::ios_base::badbit | std::ios_base::failbit,
          .fails = choice / 8 % 2 == 1};
}

template <class Object>
std::string saved(const Object& object) {
  std::ostringstream stream;
  object.save(stream, seal::compr_mode_type::none);
  return stream.str();
}

// Loads a file from a stream in which other bytes follow. Requires the object that memory gave: `expected` are its
// saved bytes, and is null if memory gave none. Requires that an accepted object takes its own bytes from the stream
// and no more, and that the stream keeps its settings.
template <class Object>
void load_from_stream(std::span<const u8> file, const Manner& manner, const std::string* expected) {
  std::vector<u8> bytes(file.begin(), file.end());
  bytes.insert(bytes.end(), 40, u8{0x5e});
  PieceBuffer buffer(bytes, manner.piece, manner.fails ? file.size() * 3 / 4 : bytes.size() + 1);
  std::istream stream(&buffer);
  stream.exceptions(manner.thrown);
  Object object;
  const bool loaded = is_loaded(object, stream);
  if (stream.exceptions() != manner.thrown || (buffer.has_failed() && loaded)) __builtin_trap();
  if (buffer.has_failed()) return;
  if (loaded != (expected != nullptr) || (loaded && (saved(object) != *expected || buffer.taken() != file.size())))
    __builtin_trap();
}

// Requires an error for a buffer that is one byte too short.
template <class Object>
void save_to_little_memory(const Object& object, std::size_t size) {
  std::vector<u8> bytes(size - 1);
  if (is_accepted([&] {
        object.save(reinterpret_cast<seal::seal_byte*>(bytes.data()), bytes.size(), seal::compr_mode_type::none);
      }))
    __builtin_trap();
}

// Loads an object, and requires that it is saved with the same bytes after it was saved once. The first bytes may
// differ, because seeds are replaced by what they give.
template <class Object>
void load(std::span<const u8> file, const Manner& manner) {
  Object object, again;
  if (!is_loaded(object, bytes_of(file.data()), file.size())) return load_from_stream<Object>(file, manner, nullptr);
  const std::string bytes = saved(object);
  if (!is_loaded(again, bytes_of(bytes.data()), bytes.size()) || saved(again) != bytes) __builtin_trap();
  load_from_stream<Object>(file, manner, &bytes);
  save_to_little_memory(object, bytes.size());
  square(object);
}

constexpr void (*kLoaders[])(std::span<const u8>, const Manner&) = {
    load<seal::Modulus>,   load<seal::EncryptionParameters>,
    load<seal::Plaintext>, load<seal::Ciphertext>,
    load<seal::SecretKey>, load<seal::PublicKey>,
    load<seal::RelinKeys>, load<seal::GaloisKeys>};
enum Kind : std::size_t { ciphertext = 3, secret_key = 4, public_key = 5, relin_keys = 6, galois_keys = 7 };

std::vector<u8> header_of(std::size_t members, seal::compr_mode_type mode) {
  seal::Serialization::SEALHeader header;
  header.compr_mode = mode;
  header.size = sizeof header + members;
  return {reinterpret_cast<const u8*>(&header), reinterpret_cast<const u8*>(&header) + sizeof header};
}

// Adds SEAL's header for an object with these members.
std::vector<u8> with_header(std::span<const u8> members, seal::compr_mode_type mode = seal::compr_mode_type::none) {
  std::vector<u8> file = header_of(members.size(), mode);
  file.insert(file.end(), members.begin(), members.end());
  return file;
}

void put(std::span<u8> bytes, std::size_t at, u64 number) {
  if (bytes.size() >= at + 8) io::store_u64(&bytes[at], number);
}

void put_id(std::span<u8> bytes, const seal::parms_id_type& id) {
  if (bytes.size() >= sizeof id) std::copy_n(reinterpret_cast<const u8*>(id.data()), sizeof id, bytes.begin());
}

// Makes the bytes from `at` on an array of as many words as there are, at most `most`, each below 2^39. Returns the
// position after the array.
std::size_t make_array(std::span<u8> bytes, std::size_t at, std::size_t most) {
  constexpr std::size_t kBefore = 16 + 8;
  if (bytes.size() < at + kBefore) return bytes.size();
  const std::size_t words = std::min(most, (bytes.size() - at - kBefore) / 8);
  const std::vector<u8> header = header_of(8 + 8 * words, seal::compr_mode_type::none);
  std::copy(header.begin(), header.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  put(bytes, at + 16, words);
  for (std::size_t i = 0; i < words; ++i) {
    u8* word = &bytes[at + kBefore + 8 * i];
    io::store_u64(word, io::load_u64(word) >> 25);
  }
  return at + kBefore + 8 * words;
}

// Makes the bytes members of a ciphertext of the context, or of a public key. Returns their number.
std::size_t make_pair(std::span<u8> members, const seal::parms_id_type& id, std::size_t primes) {
  constexpr std::size_t kHash = sizeof(seal::parms_id_type), kHead = kHash + 1 + 5 * 8;
  put_id(members, id);
  put(members, kHash + 1, 2);
  put(members, kHash + 9, 32);
  put(members, kHash + 17, primes);
  put(members, kHash + 33, 1);  // correction factor
  return make_array(members, kHead, 2 * primes * 32);
}

void make_keys(std::span<u8> members, const seal::parms_id_type& id, std::size_t lists) {
  constexpr std::size_t kHash = sizeof(seal::parms_id_type), kPart = 16 + kHash + 1 + 5 * 8 + 24 + 2 * 3 * 32 * 8;
  put_id(members, id);
  put(members, kHash, lists);
  std::size_t at = kHash + 8;
  for (std::size_t list = 0; list < lists && members.size() >= at + 8; ++list) {
    const std::size_t parts = members[at] % 2 == 0 ? 0 : 2;
    put(members, at, parts);
    at += 8;
    for (std::size_t part = 0; part < parts && members.size() >= at + kPart; ++part, at += kPart) {
      const std::span<u8> inner = members.subspan(at, kPart);
      const std::vector<u8> header = header_of(kPart - 16, seal::compr_mode_type::none);
      std::copy(header.begin(), header.end(), inner.begin());
      inner[16 + kHash] = 1;
      (void)make_pair(inner.subspan(16), id, 3);
    }
  }
}

void make_ours(std::size_t kind, std::span<u8> members) {
  const seal::SEALContext& context = loader().context;
  if (kind == ciphertext) (void)make_pair(members, context.first_parms_id(), 2);
  if (kind == public_key) (void)make_pair(members, context.key_parms_id(), 3);
  if (kind == secret_key) {
    put_id(members, context.key_parms_id());
    put(members, sizeof(seal::parms_id_type), 3 * 32);
    (void)make_array(members, sizeof(seal::parms_id_type) + 16, 3 * 32);
  }
  if (kind == relin_keys) make_keys(members, context.key_parms_id(), 1);
  if (kind == galois_keys) make_keys(members, context.key_parms_id(), 32);
}

}  // namespace
}  // namespace ringfort::fuzz

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  using namespace ringfort::fuzz;
  if (size == 0) return 0;
  const std::size_t kind = data[0] % std::size(kLoaders);
  const Manner manner = manner_of(static_cast<ringfort::u8>(data[0] / std::size(kLoaders)));
  std::vector<ringfort::u8> members(data + 1, data + size);
  kLoaders[kind](with_header(members), manner);
  for (const auto mode : {seal::compr_mode_type::zlib, seal::compr_mode_type::zstd})
    kLoaders[kind](with_header(members, mode), manner);
  make_ours(kind, members);
  kLoaders[kind](with_header(members), manner);
  return 0;
}
