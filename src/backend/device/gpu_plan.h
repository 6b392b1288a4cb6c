// SPDX-License-Identifier: Apache-2.0
// A plan that a GPU has prepared. It has constants and tables in device memory, and the kernels that its primes allow.
#pragma once

#include <map>
#include <tuple>

#include "backend/device/kernels/convert.h"
#include "backend/device/ntt_plan.h"
#include "backend/device/pool.h"
#include "backend/device/transform_options.h"
#include "backend/device/variant_plan.h"

namespace ringfort::device {

// The kernels of a plan. gpu_plan.cpp lists their names in this order.
enum class Task : u8 {
  ntt,
  intt,
  add,
  subtract,
  multiply,
  multiply_add,
  negate,
  multiply_scalar,
  lift,
  decompose,
  automorphism_coefficients,
  automorphism_evaluations,
  base_convert,
  expand_uniform,
  inner_product,
  tensor,
  ntt_quotient,
  divide,
  ntt_times,
  ntt_digits,
  intt_from,
  key_product,
  convert_mod_up,
};
inline constexpr std::size_t kTasks = 23;
[[nodiscard]] std::string_view name_of(Task task) noexcept;

// Appends the bytes of the values to `to`.
template <class T>
void append(std::vector<std::byte>& to, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// A table of constants in device memory. It is for conversions (verb::BaseConvert) from some limbs (the sources) to all
// limbs of a plan, or for one such conversion from each digit, a group of neighbouring sources (verb::ModUp). First
// comes a SourceLimb for each source, then for each limb the weights Q/q_i mod p_j and -Q mod p_j. If one conversion
// has all sources, the table also has the factors P^(-1) and P of each limb, where P is the product of the sources'
// primes. The last digit may have fewer limbs than the others, but its section has the same size.
struct ConversionTable {
  Buffer* memory = nullptr;
  std::size_t weights_at = 0, inverses_at = 0, products_at = 0;  // in bytes
  std::size_t weights_of_digit = 0;                              // in words
  template <class T>
  [[nodiscard]] const T* at(std::size_t bytes) const noexcept {
    return reinterpret_cast<const T*>(memory->address + bytes);
  }
};
struct ConversionKey {
  Limbs from;
  u32 digit_limbs = 0;
  bool operator<(const ConversionKey& o) const noexcept {
    return std::tie(from.first, from.count, digit_limbs) < std::tie(o.from.first, o.from.count, o.digit_limbs);
  }
};

class GpuPlan : public PreparedPlan {
 public:
  // The plan shares ownership of the pool, because the plan may outlive the backend of the device.
  GpuPlan(const Plan& plan, std::shared_ptr<Pool> pool, const TransformChoice& choice);
  GpuPlan(const GpuPlan&) = delete;
  GpuPlan& operator=(const GpuPlan&) = delete;
  ~GpuPlan();

  // Loads kernels, allocates tables and fills them. Returns Status::unsupported if no kernel takes the degree, the word
  // or one of the primes of the plan. Throws std::bad_alloc.
  Status prepare();

  [[nodiscard]] u32 log_n() const noexcept { return parts_[0].log_n; }
  [[nodiscard]] const std::vector<NttPart>& parts() const noexcept { return parts_; }
  // `part` is the number of the part of a transform (kernels/ntt_shape.h), and 0 for other tasks.
  [[nodiscard]] Kernel kernel(Task task, std::size_t part) const noexcept {
    return kernels_[static_cast<std::size_t>(task)][part];
  }
  // Returns the variant that computes the transforms outside fused verbs. Returns nullptr if the library's own kernels
  // compute them.
  [[nodiscard]] const VariantPlan* variant() const noexcept { return variant_.get(); }
  [[nodiscard]] Buffer& tables() const noexcept { return *tables_; }
  // Returns scratch memory of 16 bytes for each coefficient. Verbs copy integers to this memory, convert them to
  // residues, and then zero the memory.
  [[nodiscard]] Buffer& integers() const noexcept { return *integers_; }
  // Sets `out` to the table for conversions from these limbs. The first call for these limbs makes the table and copies
  // it on `stream`. This call may fail with out_of_memory.
  Status conversion(u32 stream, Limbs from, ConversionTable& out) const noexcept {
    return conversion(stream, {from, from.count}, out);
  }
  Status conversion(u32 stream, const ConversionKey& of, ConversionTable& out) const noexcept;

  // These functions return the device addresses of tables. The first entry belongs to limb `first`.
  template <class Word>
  [[nodiscard]] const Limb<Word>* limbs(u32 first) const noexcept {
    return reinterpret_cast<const Limb<Word>*>(tables_->address) + first;
  }
  template <class Word>
  [[nodiscard]] const Factor<Word>* factors(bool forward, u32 first) const noexcept {
    const Address table = tables_->address + (forward ? forward_at_ : inverse_at_);
    return reinterpret_cast<const Factor<Word>*>(table) + std::size_t{first} * n();
  }

 private:
  static constexpr std::size_t kMostParts = 2;
  using Kernels = std::array<Kernel, kMostParts>;

  [[nodiscard]] u32 most_log_of_one_part() const noexcept;
  Status load(std::size_t task, const std::string& name);
  template <class Word>
  Status fill(const std::vector<u128>& roots);
  Status prepare_variant(const std::vector<u128>& roots);

  template <class Word>
  Status make_conversion(u32 stream, const ConversionKey& of, ConversionTable& out) const;

  std::shared_ptr<Pool> pool_;
  Buffer *tables_ = nullptr, *integers_ = nullptr;
  std::size_t forward_at_ = 0, inverse_at_ = 0;  // offsets of tables in bytes; the limb constants are at 0
  TransformChoice choice_;
  std::vector<NttPart> parts_;
  std::unique_ptr<VariantPlan> variant_;
  std::array<Kernels, kTasks> kernels_;
  mutable std::mutex mutex_;
  mutable std::map<ConversionKey, ConversionTable> conversions_;
};

}  // namespace ringfort::device
