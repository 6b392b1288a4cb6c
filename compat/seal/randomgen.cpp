// SPDX-License-Identifier: Apache-2.0
// The generators of seal/randomgen.h. Buffer i of Blake2xbPRNG is the hash BLAKE2Xb of the counter i under the seed, as
// in SEAL. A buffer of Shake256PRNG is the stream of ChaCha20 under a key that BLAKE2b derives from the seed, a counter
// and the name of the generator; libsodium computes both.
#include "seal/randomgen.h"

#include <sodium.h>

#include <atomic>
#include <cstring>

#include "blake2xb.h"
#include "bytes.h"
#include "errors.h"

namespace seal {

namespace {

void expand_seed(const DynArray<std::uint64_t>& seed, std::uint64_t counter, const char* name, seal_byte* out,
                 std::size_t count) {
  static_assert(randombytes_SEEDBYTES == 32, "the key has 32 bytes");
  std::array<unsigned char, 32> key{};
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, reinterpret_cast<const unsigned char*>(seed.begin()), prng_seed_byte_count,
                          key.size());
  crypto_generichash_update(&hash, reinterpret_cast<const unsigned char*>(name), std::strlen(name));
  crypto_generichash_update(&hash, reinterpret_cast<const unsigned char*>(&counter), sizeof counter);
  crypto_generichash_final(&hash, key.data(), key.size());
  randombytes_buf_deterministic(out, count, key.data());
  sodium_memzero(key.data(), key.size());
  sodium_memzero(&hash, sizeof hash);
}

prng_seed_type fresh_seed() {
  prng_seed_type seed{};
  random_bytes(reinterpret_cast<seal_byte*>(seed.data()), prng_seed_byte_count);
  return seed;
}

MemoryPoolHandle cleared_pool() { return MemoryManager::GetPool(mm_force_new, true); }

UniformRandomGeneratorInfo read_info(std::istream& stream) {
  const auto type = detail::read_value<prng_type>(stream);
  auto seed = detail::read_value<prng_seed_type>(stream);
  UniformRandomGeneratorInfo info(type, seed);
  util::seal_memzero(seed.data(), prng_seed_byte_count);
  if (!info.has_valid_prng_type())
    detail::refuse_state("the saved generator has an unknown kind", "the bytes are damaged");
  return info;
}

void write_info(std::ostream& stream, const UniformRandomGeneratorInfo& info) {
  detail::write_value(stream, info.type());
  detail::write_value(stream, info.seed());
}

}  // namespace

void random_bytes(seal_byte* buffer, std::size_t count) {
  // sodium_init() locks a mutex in every call. A child that was forked meanwhile would wait for ever.
  static std::atomic<bool> ready{false};
  if (!ready) ready = sodium_init() >= 0;
  if (!ready) throw std::runtime_error("the operating system gives no randomness");
  randombytes_buf(buffer, count);
}

std::uint64_t random_uint64() {
  std::uint64_t word = 0;
  random_bytes(reinterpret_cast<seal_byte*>(&word), sizeof word);
  return word;
}

std::shared_ptr<UniformRandomGenerator> UniformRandomGeneratorInfo::make_prng() const {
  if (type_ == prng_type::blake2xb) return std::make_shared<Blake2xbPRNG>(seed_);
  if (type_ == prng_type::shake256) return std::make_shared<Shake256PRNG>(seed_);
  return nullptr;
}

std::streamoff UniformRandomGeneratorInfo::SaveSize(compr_mode_type compr_mode) {
  return static_cast<std::streamoff>(
      sizeof(Serialization::SEALHeader) +
      Serialization::ComprSizeEstimate(sizeof(prng_type) + prng_seed_byte_count, compr_mode));
}
std::streamoff UniformRandomGeneratorInfo::save(std::ostream& stream, compr_mode_type compr_mode) const {
  return Serialization::Save([this](std::ostream& to) { write_info(to, *this); }, SaveSize(compr_mode_type::none),
                             stream, compr_mode, true);
}
std::streamoff UniformRandomGeneratorInfo::save(seal_byte* out, std::size_t size, compr_mode_type compr_mode) const {
  return Serialization::Save([this](std::ostream& to) { write_info(to, *this); }, SaveSize(compr_mode_type::none), out,
                             size, compr_mode, true);
}
std::streamoff UniformRandomGeneratorInfo::load(std::istream& stream) {
  return Serialization::Load([this](std::istream& from, SEALVersion) { *this = read_info(from); }, stream, true);
}
std::streamoff UniformRandomGeneratorInfo::load(const seal_byte* in, std::size_t size) {
  return Serialization::Load([this](std::istream& from, SEALVersion) { *this = read_info(from); }, in, size, true);
}

UniformRandomGenerator::UniformRandomGenerator(prng_seed_type seed)
    : seed_([&] {
        DynArray<std::uint64_t> words(seed.size(), cleared_pool());
        std::copy(seed.begin(), seed.end(), words.begin());
        return words;
      }()),
      buffer_(buffer_size_, cleared_pool()),
      buffer_begin_(buffer_.begin()),
      buffer_end_(buffer_.end()),
      buffer_head_(buffer_.end()) {
  util::seal_memzero(seed.data(), prng_seed_byte_count);
}

prng_seed_type UniformRandomGenerator::seed() const noexcept {
  prng_seed_type seed{};
  std::copy(seed_.begin(), seed_.end(), seed.begin());
  return seed;
}

void UniformRandomGenerator::generate(std::size_t byte_count, seal_byte* destination) {
  const std::lock_guard<std::mutex> lock(mutex_);
  while (byte_count != 0) {
    if (buffer_head_ == buffer_end_) {
      refill_buffer();
      buffer_head_ = buffer_begin_;
    }
    const std::size_t count = std::min(byte_count, static_cast<std::size_t>(buffer_end_ - buffer_head_));
    destination = std::copy_n(buffer_head_, count, destination);
    buffer_head_ += count;
    byte_count -= count;
  }
}

std::uint32_t UniformRandomGenerator::generate() {
  std::uint32_t word = 0;
  generate(sizeof word, reinterpret_cast<seal_byte*>(&word));
  return word;
}

void UniformRandomGenerator::refresh() {
  const std::lock_guard<std::mutex> lock(mutex_);
  refill_buffer();
  buffer_head_ = buffer_begin_;
}

std::shared_ptr<UniformRandomGenerator> UniformRandomGeneratorFactory::create() {
  return create_impl(use_random_seed_ ? fresh_seed() : default_seed_);
}

std::shared_ptr<UniformRandomGeneratorFactory> UniformRandomGeneratorFactory::DefaultFactory() {
  static const auto* const factory =
      new std::shared_ptr<UniformRandomGeneratorFactory>(std::make_shared<SEAL_DEFAULT_PRNG_FACTORY>());
  return *factory;
}

namespace {

// Made when the program is loaded, for the reasons in memory.cpp.
[[maybe_unused]] const bool factory_made = UniformRandomGeneratorFactory::DefaultFactory() != nullptr;

}  // namespace

void Blake2xbPRNG::refill_buffer() {
  std::array<std::uint8_t, sizeof counter_> counter{};
  std::memcpy(counter.data(), &counter_, sizeof counter_);
  ++counter_;
  detail::blake2xb({reinterpret_cast<std::uint8_t*>(buffer_begin_), buffer_size_}, counter,
                   {reinterpret_cast<const std::uint8_t*>(seed_.begin()), prng_seed_byte_count});
}
void Shake256PRNG::refill_buffer() { expand_seed(seed_, counter_++, "shake256", buffer_begin_, buffer_size_); }

}  // namespace seal
