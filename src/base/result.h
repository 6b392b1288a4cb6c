// SPDX-License-Identifier: Apache-2.0
// Result<T> is the return type of functions that parse bytes from outside. It has either a value or a Failure.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "ringfort/error.h"

namespace ringfort {

struct Failure {
  Code code = Code::internal;
  std::string problem;
  std::string fix;
  [[noreturn]] void raise() const { throw Error(code, problem, fix); }
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}              // NOLINT(google-explicit-constructor)
  Result(Failure failure) : failure_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] bool ok() const noexcept { return value_.has_value(); }
  [[nodiscard]] const T& value() const& { return *value_; }
  [[nodiscard]] T& value() & { return *value_; }
  [[nodiscard]] T value() && { return std::move(*this).take(); }  // a reference would dangle in a range-for
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  T take() && {  // throws Error if there is no value
    if (!value_) failure_.raise();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
  Failure failure_;
};

struct Done {};  // Result<Done>: success without a value

}  // namespace ringfort
