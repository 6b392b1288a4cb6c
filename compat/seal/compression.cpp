// SPDX-License-Identifier: Apache-2.0
// Compresses and inflates saved objects (compression.h). Formats: [Deutsch96] and [Collet21]. Members may be secret:
// the memory of the two libraries is overwritten before it is freed. Inflation gives bytes as a reader asks for them.
// Therefore inflation itself takes no memory for them. Readers bound what they keep (bytes.h).
#include "compression.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "errors.h"

#ifdef SEAL_USE_ZLIB
#include <zlib.h>
#endif
#ifdef SEAL_USE_ZSTD
#define ZSTD_STATIC_LINKING_ONLY  // zstd's name for its functions that take an allocator
#include <zstd.h>
#endif

namespace seal::detail {

namespace {

[[noreturn]] void refuse_mode() {
  refuse_argument("compression was requested that this build does not have",
                  "use a mode of Serialization::IsSupportedComprMode");
}

#if defined(SEAL_USE_ZLIB) || defined(SEAL_USE_ZSTD)

[[noreturn]] void refuse_bytes() {
  refuse_state("the bytes of a compressed object are damaged, or bytes follow it", "copy the whole object again");
}

// Memory of the compression libraries. Its size precedes it.
constexpr std::size_t kBefore = alignof(std::max_align_t);

void* allocate(std::size_t size) noexcept {
  if (size > SIZE_MAX - kBefore) return nullptr;
  auto* memory = static_cast<char*>(std::malloc(size + kBefore));
  if (memory == nullptr) return nullptr;
  std::copy_n(reinterpret_cast<const char*>(&size), sizeof size, memory);
  return memory + kBefore;
}

void release(void* address) noexcept {
  if (address == nullptr) return;
  char* memory = static_cast<char*>(address) - kBefore;
  std::size_t size = 0;
  std::copy_n(memory, sizeof size, reinterpret_cast<char*>(&size));
  util::seal_memzero(memory, size + kBefore);
  std::free(memory);
}

#endif

#ifdef SEAL_USE_ZLIB

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // zlib counts in 32 bits

uInt at_once(std::size_t size) { return static_cast<uInt>(std::min(size, kMostAtOnce)); }

z_stream zlib_stream() {
  z_stream stream{};
  stream.zalloc = [](void*, uInt count, uInt size) -> void* { return allocate(std::size_t{count} * size); };
  stream.zfree = [](void*, void* address) { release(address); };
  return stream;
}

void set_input(z_stream& stream, std::span<const char>& left) {
  if (stream.avail_in != 0) return;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left.data()));  // zlib does not write there
  stream.avail_in = at_once(left.size());
  left = left.subspan(stream.avail_in);
}

WipedVector<char> deflated(std::span<const char> bytes) {
  z_stream stream = zlib_stream();
  if (deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&deflateEnd)> end(&stream, &deflateEnd);
  WipedVector<char> out(deflateBound(&stream, static_cast<uLong>(bytes.size())));
  std::size_t written = 0;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    set_input(stream, bytes);
    if (written == out.size()) out.resize(2 * out.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
    const uInt room = stream.avail_out = at_once(out.size() - written);
    state = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    if (state == Z_STREAM_ERROR) throw std::runtime_error("zlib failed");
    written += room - stream.avail_out;
  }
  out.resize(written);
  return out;
}

Inflating inflating_zlib(std::span<const char> bytes) {
  const std::shared_ptr<z_stream> stream(new z_stream(zlib_stream()), [](z_stream* of) {
    inflateEnd(of);
    delete of;
  });
  if (inflateInit(stream.get()) != Z_OK) throw std::bad_alloc();
  return [stream, bytes, state = Z_OK](std::span<char> out) mutable {
    std::size_t written = 0;
    while (written < out.size() && state != Z_STREAM_END) {
      set_input(*stream, bytes);
      stream->next_out = reinterpret_cast<Bytef*>(out.data() + written);
      const uInt room = stream->avail_out = at_once(out.size() - written);
      state = inflate(stream.get(), Z_NO_FLUSH);
      if (state == Z_MEM_ERROR) throw std::bad_alloc();
      if (state != Z_OK && state != Z_STREAM_END) refuse_bytes();
      written += room - stream->avail_out;
    }
    if (state == Z_STREAM_END && (stream->avail_in != 0 || !bytes.empty())) refuse_bytes();
    return written;
  };
}

#endif

#ifdef SEAL_USE_ZSTD

constexpr ZSTD_customMem kMemory{[](void*, std::size_t size) { return allocate(size); },
                                 [](void*, void* address) { release(address); }, nullptr};

WipedVector<char> packed(std::span<const char> bytes) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx_advanced(kMemory), &ZSTD_freeCCtx);
  if (!context) throw std::bad_alloc();
  WipedVector<char> out(ZSTD_compressBound(bytes.size()));
  const std::size_t written = ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(written) != 0) throw std::bad_alloc();
  out.resize(written);
  return out;
}

Inflating inflating_zstd(std::span<const char> bytes) {
  const std::shared_ptr<ZSTD_DCtx> context(ZSTD_createDCtx_advanced(kMemory), &ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  // A frame states how much memory its reader needs. SEAL's frames need up to 2^21 bytes.
  if (ZSTD_isError(ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, 23)) != 0) throw std::bad_alloc();
  return
      [context, in = ZSTD_inBuffer{bytes.data(), bytes.size(), 0}, left = std::size_t{1}](std::span<char> out) mutable {
        ZSTD_outBuffer to{out.data(), out.size(), 0};
        while (to.pos < to.size && left != 0) {
          const std::size_t before = in.pos + to.pos;
          left = ZSTD_decompressStream(context.get(), &to, &in);  // 0 at the end of the frame
          if (ZSTD_isError(left) != 0 || (left != 0 && in.pos + to.pos == before)) refuse_bytes();
        }
        if (left == 0 && in.pos != in.size) refuse_bytes();
        return to.pos;
      };
}

#endif

}  // namespace

std::size_t compressed_bound(compr_mode_type mode, std::size_t size) {
  if (mode == compr_mode_type::none) return size;
#ifdef SEAL_USE_ZLIB
  // deflateBound for the largest overhead of its settings, and 6 bytes of header and checksum
  if (mode == compr_mode_type::zlib) return compressBound(static_cast<uLong>(size)) + 64;
#endif
#ifdef SEAL_USE_ZSTD
  if (mode == compr_mode_type::zstd) return ZSTD_compressBound(size);
#endif
  refuse_mode();
}

WipedVector<char> compressed(compr_mode_type mode, [[maybe_unused]] std::span<const char> bytes) {
#ifdef SEAL_USE_ZLIB
  if (mode == compr_mode_type::zlib) return deflated(bytes);
#endif
#ifdef SEAL_USE_ZSTD
  if (mode == compr_mode_type::zstd) return packed(bytes);
#endif
  (void)mode;
  refuse_mode();
}

Inflating inflating(compr_mode_type mode, [[maybe_unused]] std::span<const char> bytes) {
#ifdef SEAL_USE_ZLIB
  if (mode == compr_mode_type::zlib) return inflating_zlib(bytes);
#endif
#ifdef SEAL_USE_ZSTD
  if (mode == compr_mode_type::zstd) return inflating_zstd(bytes);
#endif
  (void)mode;
  refuse_mode();
}

}  // namespace seal::detail
