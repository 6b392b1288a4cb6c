// SPDX-License-Identifier: Apache-2.0
// Saved objects: SEAL's header of 16 bytes, then the members of the object, in SEAL's order, which may be compressed.
// Loading reads no further than the size in the header, and allocates only for bytes that it has read.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>

#include "seal/util/defines.h"
#include "seal/version.h"

namespace seal {

// A mode that the build does not have is refused.
enum class compr_mode_type : std::uint8_t { none = 0, zlib = 1, zstd = 2 };

// Errors: std::invalid_argument (null pointers, a buffer shorter than a header, an unknown compression),
// std::logic_error (bytes that are no object of this kind), std::runtime_error (the stream fails or ends).
class Serialization {
 public:
  Serialization() = delete;
#if defined(SEAL_USE_ZSTD)
  static constexpr compr_mode_type compr_mode_default = compr_mode_type::zstd;
#elif defined(SEAL_USE_ZLIB)
  static constexpr compr_mode_type compr_mode_default = compr_mode_type::zlib;
#else
  static constexpr compr_mode_type compr_mode_default = compr_mode_type::none;
#endif
  static constexpr std::uint16_t seal_magic = 0xA15E;
  static constexpr std::uint8_t seal_header_size = 0x10;

  struct SEALHeader {
    std::uint16_t magic = seal_magic;
    std::uint8_t header_size = seal_header_size;
    std::uint8_t version_major = SEAL_VERSION_MAJOR;
    std::uint8_t version_minor = SEAL_VERSION_MINOR;
    compr_mode_type compr_mode = compr_mode_type::none;
    std::uint16_t reserved = 0;
    std::uint64_t size = 0;  // bytes of header and members
  };
  static_assert(sizeof(SEALHeader) == seal_header_size, "the header has 16 bytes");

  [[nodiscard]] static bool IsSupportedComprMode(std::uint8_t compr_mode) noexcept {
#ifdef SEAL_USE_ZLIB
    if (compr_mode == 1) return true;
#endif
#ifdef SEAL_USE_ZSTD
    if (compr_mode == 2) return true;
#endif
    return compr_mode == 0;
  }
  [[nodiscard]] static bool IsSupportedComprMode(compr_mode_type compr_mode) noexcept {
    return IsSupportedComprMode(static_cast<std::uint8_t>(compr_mode));
  }
  // Returns the largest size of in_size bytes after compression.
  [[nodiscard]] static std::size_t ComprSizeEstimate(std::size_t in_size, compr_mode_type compr_mode);
  [[nodiscard]] static bool IsCompatibleVersion(const SEALHeader& header) noexcept;
  [[nodiscard]] static bool IsValidHeader(const SEALHeader& header) noexcept;

  static std::streamoff SaveHeader(const SEALHeader& header, std::ostream& stream);
  static std::streamoff LoadHeader(std::istream& stream, SEALHeader& header, bool try_upgrade_if_invalid = true);
  static std::streamoff SaveHeader(const SEALHeader& header, seal_byte* out, std::size_t size);
  static std::streamoff LoadHeader(const seal_byte* in, std::size_t size, SEALHeader& header,
                                   bool try_upgrade_if_invalid = true);

  // raw_size is the number of bytes that save_members writes, plus 16. The functions return the number of bytes that
  // they wrote or read. clear_buffers: the members are secret, and copies of them are overwritten.
  static std::streamoff Save(std::function<void(std::ostream&)> save_members, std::streamoff raw_size,
                             std::ostream& stream, compr_mode_type compr_mode, bool clear_buffers);
  static std::streamoff Load(std::function<void(std::istream&, SEALVersion)> load_members, std::istream& stream,
                             bool clear_buffers);
  static std::streamoff Save(std::function<void(std::ostream&)> save_members, std::streamoff raw_size, seal_byte* out,
                             std::size_t size, compr_mode_type compr_mode, bool clear_buffers);
  static std::streamoff Load(std::function<void(std::istream&, SEALVersion)> load_members, const seal_byte* in,
                             std::size_t size, bool clear_buffers);
};

namespace legacy_headers {

// The header of SEAL 3.4.
struct SEALHeader_3_4 {
  std::uint16_t magic = Serialization::seal_magic;
  std::uint8_t zero_byte = 0x00;
  compr_mode_type compr_mode = compr_mode_type::none;
  std::uint32_t size = 0;
  std::uint64_t reserved = 0;

  SEALHeader_3_4() = default;
  SEALHeader_3_4(const Serialization::SEALHeader& bytes) { *this = bytes; }
  SEALHeader_3_4& operator=(const Serialization::SEALHeader& bytes) {
    std::memcpy(this, &bytes, sizeof bytes);
    return *this;
  }
};

}  // namespace legacy_headers

}  // namespace seal
