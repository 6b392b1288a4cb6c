// SPDX-License-Identifier: Apache-2.0
// A plan with its constants and tables in device memory, and the kernels that its primes allow.
#pragma once

#include <map>
#include <tuple>

#include "backend/device/kernels/convert.h"
#include "backend/device/ntt_plan.h"
#include "backend/device/pool.h"
#include "backend/device/transform_options.h"
#include "backend/device/variant_plan.h"

namespace ringfort::device {

// The kernels of a plan, in the order of their names in device_plan.cpp.
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

// Appends the bytes of the values.
template <class T>
void append(std::vector<std::byte>& to, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// Constants of conversions from some limbs, or from each digit of some limbs, to all limbs of a plan: first a
// SourceLimb for each source, then the weights. A conversion from all sources together also has the factors P^(-1) and
// P of each limb, where P is the product of the sources. The last digit may have fewer limbs than the others, but takes
// as much memory.
struct ConversionTable {
  Buffer* memory = nullptr;
  std::size_t weights_at = 0, inverses_at = 0, products_at = 0;  // bytes
  std::size_t weights_of_digit = 0;                              // words
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

class DevicePlan : public PreparedPlan {
 public:
  // A plan shares ownership of the pool, because it may outlive the device's backend.
  DevicePlan(const Plan& plan, std::shared_ptr<Pool> pool, const TransformChoice& choice);
  DevicePlan(const DevicePlan&) = delete;
  DevicePlan& operator=(const DevicePlan&) = delete;
  ~DevicePlan();

  // Loads kernels, allocates tables and fills them. Returns Status::unsupported if no kernel takes the degree, the
  // word or a prime of the plan. Throws std::bad_alloc.
  Status prepare();

  [[nodiscard]] u32 log_n() const noexcept { return parts_[0].log_n; }
  [[nodiscard]] const std::vector<NttPart>& parts() const noexcept { return parts_; }
  // part: number of the part of a transform (kernels/ntt_shape.h); 0 for other tasks.
  [[nodiscard]] Kernel kernel(Task task, std::size_t part) const noexcept {
    return kernels_[static_cast<std::size_t>(task)][part];
  }
  // Returns nullptr if the library's own kernels compute the transforms that no verb fuses.
  [[nodiscard]] const VariantPlan* variant() const noexcept { return variant_.get(); }
  [[nodiscard]] Buffer& tables() const noexcept { return *tables_; }
  // Returns scratch memory of 16 bytes for each coefficient. Verbs copy integers there before they convert them to
  // residues, and zero it afterwards.
  [[nodiscard]] Buffer& integers() const noexcept { return *integers_; }
  // Returns the table for conversions from these limbs. The first such call makes the table and copies it on `stream`;
  // it may fail with out_of_memory.
  Status conversion(u32 stream, Limbs from, ConversionTable& out) const noexcept {
    return conversion(stream, {from, from.count}, out);
  }
  Status conversion(u32 stream, const ConversionKey& of, ConversionTable& out) const noexcept;

  // These functions return the device addresses of tables, from limb `first` on.
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
  std::size_t forward_at_ = 0, inverse_at_ = 0;  // offsets of the tables in bytes; the constants of the limbs are at 0
  TransformChoice choice_;
  std::vector<NttPart> parts_;
  std::unique_ptr<VariantPlan> variant_;
  std::array<Kernels, kTasks> kernels_;
  mutable std::mutex mutex_;
  mutable std::map<ConversionKey, ConversionTable> conversions_;
};

}  // namespace ringfort::device
