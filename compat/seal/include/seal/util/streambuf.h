// SPDX-License-Identifier: Apache-2.0
// Streams over the program's memory, under SEAL's names. A reader ends at the end of the memory, and a writer stops
// there.
#pragma once

#include <algorithm>
#include <ios>
#include <streambuf>

namespace seal {
namespace util {

class ArrayGetBuffer final : public std::streambuf {
 public:
  ArrayGetBuffer(const char* buf, std::streamsize size) {
    char* const begin = const_cast<char*>(buf);  // a streambuf has no pointers to constant characters
    setg(begin, begin, begin + size);
  }

 protected:
  pos_type seekoff(off_type off, std::ios_base::seekdir from, std::ios_base::openmode which) override {
    const off_type at =
        from == std::ios_base::beg ? off_type(0) : (from == std::ios_base::cur ? gptr() : egptr()) - eback();
    return seekpos(at + off, which);
  }
  pos_type seekpos(pos_type to, std::ios_base::openmode which) override {
    if ((which & std::ios_base::in) == 0 || off_type(to) < 0 || off_type(to) > egptr() - eback()) return off_type(-1);
    setg(eback(), eback() + off_type(to), egptr());
    return to;
  }
};

class ArrayPutBuffer final : public std::streambuf {
 public:
  ArrayPutBuffer(char* buf, std::streamsize size) : begin_(buf) { setp(buf, buf + size); }
  [[nodiscard]] bool at_end() const { return pptr() == epptr(); }  // true if the memory is full

 protected:
  pos_type seekoff(off_type off, std::ios_base::seekdir from, std::ios_base::openmode which) override {
    const bool asks_position = off == 0 && from == std::ios_base::cur && (which & std::ios_base::out) != 0;
    return asks_position ? pos_type(pptr() - begin_) : pos_type(off_type(-1));
  }

 private:
  char* begin_;
};

}  // namespace util
}  // namespace seal
