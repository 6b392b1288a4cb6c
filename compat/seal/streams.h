// SPDX-License-Identifier: Apache-2.0
// The streams that load and save use (serialization.cpp). Members are read from bytes in memory, from another stream,
// or from bytes that are inflated. The last two take bytes when a reader asks for them.
#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <span>
#include <streambuf>

#include "bytes.h"
#include "compression.h"
#include "errors.h"

namespace seal::detail {

// Returns how many bytes compressed ones may give where their number is bounded. Uniform words modulo a prime of b bits
// give 64 / b times as many. The rest is for the counts of empty lists: 8 for each of n <= 2^17.
[[nodiscard]] constexpr std::uint64_t most_inflated(std::uint64_t compressed) {
  return 64 * compressed + (std::uint64_t{2} << 20);
}

// The members of an object that is being loaded. They may contain other objects, whose members the same buffer reads.
class MembersBuffer : public std::streambuf {
 public:
  // `stored`: the number of the caller's bytes from which the members come.
  explicit MembersBuffer(std::uint64_t stored) : stored_(stored) {}
  [[nodiscard]] std::uint64_t stored() const { return stored_; }
  [[nodiscard]] bool is_bounded() const { return end_ != kUnbounded; }
  // While the buffer is bounded, the next members may have no more bytes than most_inflated allows.
  void set_bounded(bool is_bounded) { end_ = is_bounded ? position() + most_inflated(stored_) : kUnbounded; }
  // Throws the failure because of which there are no more bytes, if there is one. A stream would hide it.
  void throw_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  [[nodiscard]] std::uint64_t position() const { return before_ + static_cast<std::uint64_t>(gptr() - eback()); }

 protected:
  // Makes these bytes the next ones. All bytes before them have been read.
  void follow(char* begin, std::size_t size) {
    before_ = position();
    setg(begin, begin, begin + size);
  }
  void fail(std::exception_ptr failure) { failure_ = std::move(failure); }
  void require_within_bound() const {
    if (position() < end_) return;
    refuse_state("compressed keys have more than 64 times as many bytes as the file",
                 "the bytes are damaged: words of keys are uniform, and are hardly compressed");
  }

 private:
  static constexpr std::uint64_t kUnbounded = ~std::uint64_t{0};
  std::exception_ptr failure_;
  std::uint64_t stored_, end_ = kUnbounded;
  std::uint64_t before_ = 0;  // bytes before eback()
};

class InputMemory : public MembersBuffer {
 public:
  InputMemory(const char* begin, std::size_t size) : MembersBuffer(size) {
    follow(const_cast<char*>(begin), size);  // streambuf has no pointers to constant characters; nothing writes here
  }
};

// Bytes that come piece by piece.
class InputPieces : public MembersBuffer {
 public:
  // `next` writes the next bytes, and returns their number, which is 0 at the end.
  InputPieces(std::function<std::size_t(std::span<char>)>&& next, std::uint64_t stored)
      : MembersBuffer(stored),
        next_(std::move(next)),
        bytes_(kBytes) {}

 protected:
  int_type underflow() override {
    std::size_t size = 0;
    try {
      require_within_bound();
      size = next_(bytes_);
    } catch (...) { fail(std::current_exception()); }
    follow(bytes_.data(), size);
    return size == 0 ? traits_type::eof() : traits_type::to_int_type(bytes_[0]);
  }

 private:
  static constexpr std::size_t kBytes = 1 << 16;
  std::function<std::size_t(std::span<char>)> next_;
  WipedVector<char> bytes_;
};

class OutputMemory : public std::streambuf {
 public:
  OutputMemory(char* begin, std::size_t size) { setp(begin, begin + size); }
  [[nodiscard]] std::size_t written() const { return static_cast<std::size_t>(pptr() - pbase()); }

 protected:
  std::streamsize xsputn(const char* from, std::streamsize count) override {
    const std::streamsize fits = std::min<std::streamsize>(count, epptr() - pptr());
    std::copy_n(from, fits, pptr());
    setp(pbase(), epptr(), static_cast<std::size_t>(pptr() - pbase() + fits));
    return fits;
  }

 private:
  using std::streambuf::setp;
  void setp(char* begin, char* end, std::size_t used) {
    setp(begin, end);
    for (; used > (1u << 30); used -= 1u << 30) pbump(1 << 30);  // pbump takes an int
    pbump(static_cast<int>(used));
  }
};

}  // namespace seal::detail
