// SPDX-License-Identifier: Apache-2.0
// A vendor's library that is opened at run time. It gives the addresses of the library's functions by name.
#pragma once

#include <dlfcn.h>

#include <string>

namespace ringfort::device {

class LibraryFile {
 public:
  // Opens the library. It stays open for the life of the process.
  explicit LibraryFile(const char* name) noexcept : name_(name), file_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
  [[nodiscard]] bool is_open() const noexcept { return file_ != nullptr; }

  template <class Pointer>
  void find(Pointer& out, const char* function) noexcept {
    void* const found = dlsym(file_, function);
    if (found == nullptr && missing_ == nullptr) missing_ = function;
    out = reinterpret_cast<Pointer>(found);
  }
  // Returns an empty string if the library has all functions. If not, returns a message with the first function that it
  // lacks. Throws std::bad_alloc.
  [[nodiscard]] std::string refusal() const {
    if (missing_ == nullptr) return {};
    return std::string(name_).append(" has no function ").append(missing_).append(": install a newer driver");
  }

 private:
  const char* name_;
  void* file_;
  const char* missing_ = nullptr;
};

}  // namespace ringfort::device
