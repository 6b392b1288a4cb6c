// SPDX-License-Identifier: Apache-2.0
// Submits uploads, downloads and zeroing to a stream (verbs.h). It passes all other verbs to the functions of
// arithmetic.h.
#include "backend/device/verbs.h"

#include "backend/device/arithmetic.h"

namespace ringfort::device {

namespace {

struct Submitter : Caller {
  // Calls f(p, bytes of a polynomial) for each polynomial p. If the view is dense, calls f(0, bytes of the batch) once.
  template <class F>
  Status rows(const View& view, F f) const noexcept {
    const bool dense = view.is_dense();
    const std::size_t row = bytes_of_polynomial(view) * (dense ? view.batch : 1);
    for (std::size_t p = 0; p < (dense ? 1 : view.batch); ++p) {
      if (const Status status = f(p, row); status != Status::ok) return status;
    }
    return Status::ok;
  }

  Status operator()(const verb::Upload& v) const noexcept {
    const auto* const words = static_cast<const std::byte*>(v.words);
    const Privacy privacy = buffer_of(v.to).privacy;
    return ordered(Touched().writes(v.to), [&] {
      return rows(v.to, [&](std::size_t p, std::size_t bytes) {
        return upload(address_of(v.to, p), words + p * bytes, bytes, privacy);
      });
    });
  }
  Status operator()(const verb::Download& v) const noexcept {
    auto* const words = static_cast<std::byte*>(v.words);
    const Touched touched = Touched().reads(v.from);
    if (buffer_of(v.from).privacy == Privacy::secret) {
      return rows(v.from, [&](std::size_t p, std::size_t bytes) {
        return copy_secret_out(touched, words + p * bytes, address_of(v.from, p), bytes);
      });
    }
    return ordered(touched, [&] {
      return rows(v.from, [&](std::size_t p, std::size_t bytes) {
        return copy_out(words + p * bytes, address_of(v.from, p), bytes);
      });
    });
  }
  Status operator()(const verb::Zero& v) const noexcept {
    return ordered(Touched().writes(v.out), [&] {
      return rows(v.out, [&](std::size_t p, std::size_t bytes) { return zero(address_of(v.out, p), bytes); });
    });
  }
  // All other verbs are in arithmetic.h.
  template <class V>
  Status operator()(const V& v) const noexcept {
    return compute(*this, v);
  }
};

bool has_no_words(const Verb& verb) noexcept {
  const Operands operands = operands_of(verb);
  return operands.count != 0 && is_empty(operands.all[0].view);
}

}  // namespace

Status submit(const Caller& caller, const Verb& verb) noexcept {
  return has_no_words(verb) ? Status::ok : std::visit(Submitter{caller}, verb);
}

bool are_inverse_of_copy(const Verb& first, const Verb& second) noexcept {
  const auto* const copied = std::get_if<verb::Copy>(&first);
  const auto* const inverse = std::get_if<verb::Intt>(&second);
  return copied != nullptr && inverse != nullptr && same_shape(copied->out, inverse->inout) &&
         same_memory(copied->out, inverse->inout) && copied->out.limb_stride() == inverse->inout.limb_stride() &&
         !same_memory(copied->out, copied->a);
}

Status submit_inverse(const Caller& caller, const verb::Copy& copied) noexcept {
  return is_empty(copied.out) ? Status::ok : inverse_from(caller, copied.out, copied.a);
}

}  // namespace ringfort::device
