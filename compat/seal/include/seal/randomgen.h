// SPDX-License-Identifier: Apache-2.0
// Generators of random bytes for programs. The stream of Blake2xbPRNG is that of SEAL. The stream of Shake256PRNG is
// not: it is a hash of the seed, expanded with ChaCha20. Keys and encryptions of this library use none of them; they
// take fresh seeds from the operating system.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "seal/dynarray.h"
#include "seal/memorymanager.h"
#include "seal/util/common.h"
#include "seal/util/defines.h"
#include "seal/version.h"

namespace seal {

constexpr std::size_t prng_seed_uint64_count = 8;
constexpr std::size_t prng_seed_byte_count = 64;
using prng_seed_type = std::array<std::uint64_t, prng_seed_uint64_count>;

enum class prng_type : std::uint8_t { unknown = 0, blake2xb = 1, shake256 = 2 };

// Fill memory, or return a word, from the operating system. std::runtime_error: it has no randomness.
void random_bytes(seal_byte* buffer, std::size_t count);
[[nodiscard]] std::uint64_t random_uint64();

class UniformRandomGenerator;

// Kind and seed of a generator: all that is needed to make it again. The destructor overwrites the seed.
class UniformRandomGeneratorInfo {
 public:
  UniformRandomGeneratorInfo() = default;
  UniformRandomGeneratorInfo(prng_type type, prng_seed_type seed) : type_(type), seed_(seed) {}
  UniformRandomGeneratorInfo(const UniformRandomGeneratorInfo& copy) = default;
  UniformRandomGeneratorInfo& operator=(const UniformRandomGeneratorInfo& assign) = default;
  ~UniformRandomGeneratorInfo() { clear(); }

  [[nodiscard]] bool operator==(const UniformRandomGeneratorInfo& compare) const noexcept {
    return type_ == compare.type_ && seed_ == compare.seed_;
  }
  [[nodiscard]] bool operator!=(const UniformRandomGeneratorInfo& compare) const noexcept {
    return !operator==(compare);
  }
  void clear() noexcept {
    type_ = prng_type::unknown;
    util::seal_memzero(seed_.data(), prng_seed_byte_count);
  }
  // Returns null for the kind `unknown`.
  [[nodiscard]] std::shared_ptr<UniformRandomGenerator> make_prng() const;
  [[nodiscard]] bool has_valid_prng_type() const noexcept {
    return static_cast<std::uint8_t>(type_) <= static_cast<std::uint8_t>(prng_type::shake256);
  }
  [[nodiscard]] prng_type type() const noexcept { return type_; }
  [[nodiscard]] prng_type& type() noexcept { return type_; }
  [[nodiscard]] const prng_seed_type& seed() const noexcept { return seed_; }
  [[nodiscard]] prng_seed_type& seed() noexcept { return seed_; }

  [[nodiscard]] static std::streamoff SaveSize(compr_mode_type compr_mode = Serialization::compr_mode_default);
  [[nodiscard]] std::streamoff save_size(compr_mode_type compr_mode = Serialization::compr_mode_default) const {
    return SaveSize(compr_mode);
  }
  std::streamoff save(std::ostream& stream, compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(seal_byte* out, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff load(std::istream& stream);
  std::streamoff load(const seal_byte* in, std::size_t size);

 private:
  prng_type type_ = prng_type::unknown;
  prng_seed_type seed_{};
};

// Threads may share a generator.
class UniformRandomGenerator {
 public:
  UniformRandomGenerator(prng_seed_type seed);
  virtual ~UniformRandomGenerator() = default;
  UniformRandomGenerator(const UniformRandomGenerator&) = delete;
  UniformRandomGenerator& operator=(const UniformRandomGenerator&) = delete;

  [[nodiscard]] prng_seed_type seed() const noexcept;
  void generate(std::size_t byte_count, seal_byte* destination);
  [[nodiscard]] std::uint32_t generate();
  void refresh();  // drops the bytes that are left in the buffer
  [[nodiscard]] UniformRandomGeneratorInfo info() const noexcept { return {type(), seed()}; }

 protected:
  [[nodiscard]] virtual prng_type type() const noexcept = 0;
  virtual void refill_buffer() = 0;  // writes from buffer_begin_ to buffer_end_

  const DynArray<std::uint64_t> seed_;
  const std::size_t buffer_size_ = 4096;

 private:
  DynArray<seal_byte> buffer_;
  std::mutex mutex_;

 protected:
  seal_byte* const buffer_begin_;
  seal_byte* const buffer_end_;
  seal_byte* buffer_head_;
};

// Makes generators, all from one seed or each from a fresh one.
class UniformRandomGeneratorFactory {
 public:
  UniformRandomGeneratorFactory() = default;
  UniformRandomGeneratorFactory(prng_seed_type default_seed) : default_seed_(default_seed), use_random_seed_(false) {}
  virtual ~UniformRandomGeneratorFactory() = default;
  UniformRandomGeneratorFactory(const UniformRandomGeneratorFactory&) = default;
  UniformRandomGeneratorFactory& operator=(const UniformRandomGeneratorFactory&) = default;

  [[nodiscard]] std::shared_ptr<UniformRandomGenerator> create();
  [[nodiscard]] std::shared_ptr<UniformRandomGenerator> create(prng_seed_type seed) { return create_impl(seed); }
  [[nodiscard]] static std::shared_ptr<UniformRandomGeneratorFactory> DefaultFactory();
  [[nodiscard]] bool use_random_seed() noexcept { return use_random_seed_; }
  [[nodiscard]] prng_seed_type default_seed() noexcept { return default_seed_; }

 protected:
  [[nodiscard]] virtual std::shared_ptr<UniformRandomGenerator> create_impl(prng_seed_type seed) = 0;

 private:
  prng_seed_type default_seed_{};
  bool use_random_seed_ = true;
};

class Blake2xbPRNG : public UniformRandomGenerator {
 public:
  Blake2xbPRNG(prng_seed_type seed) : UniformRandomGenerator(seed) {}

 protected:
  [[nodiscard]] prng_type type() const noexcept override { return prng_type::blake2xb; }
  void refill_buffer() override;

 private:
  std::uint64_t counter_ = 0;
};

class Shake256PRNG : public UniformRandomGenerator {
 public:
  Shake256PRNG(prng_seed_type seed) : UniformRandomGenerator(seed) {}

 protected:
  [[nodiscard]] prng_type type() const noexcept override { return prng_type::shake256; }
  void refill_buffer() override;

 private:
  std::uint64_t counter_ = 0;
};

class Blake2xbPRNGFactory : public UniformRandomGeneratorFactory {
 public:
  Blake2xbPRNGFactory() = default;
  Blake2xbPRNGFactory(prng_seed_type default_seed) : UniformRandomGeneratorFactory(default_seed) {}

 protected:
  [[nodiscard]] std::shared_ptr<UniformRandomGenerator> create_impl(prng_seed_type seed) override {
    return std::make_shared<Blake2xbPRNG>(seed);
  }
};

class Shake256PRNGFactory : public UniformRandomGeneratorFactory {
 public:
  Shake256PRNGFactory() = default;
  Shake256PRNGFactory(prng_seed_type default_seed) : UniformRandomGeneratorFactory(default_seed) {}

 protected:
  [[nodiscard]] std::shared_ptr<UniformRandomGenerator> create_impl(prng_seed_type seed) override {
    return std::make_shared<Shake256PRNG>(seed);
  }
};

}  // namespace seal
