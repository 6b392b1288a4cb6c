// SPDX-License-Identifier: Apache-2.0
// A batch of polynomials with one modulus in device memory, and the launches of a variant (variants.h) on it.
// Benchmarks and tests use the batch. It calls the driver directly, without buffers, plans and verbs. All work is on
// stream 0.
#pragma once

#include <array>
#include <vector>

#include "backend/device/driver.h"
#include "backend/device/variant_launches.h"

namespace ringfort::device {

// Memory of a driver. The destructor waits for stream 0 and releases the memory.
class DriverMemory {
 public:
  explicit DriverMemory(Driver& driver) : driver_(&driver) {}
  ~DriverMemory();
  DriverMemory(DriverMemory&& other) noexcept;
  DriverMemory& operator=(DriverMemory&&) = delete;
  [[nodiscard]] Status allocate(std::size_t bytes) noexcept;
  [[nodiscard]] Status write(const void* from, std::size_t bytes) noexcept;  // returns when `from` has been read
  [[nodiscard]] Status read(void* to, std::size_t bytes) noexcept;
  [[nodiscard]] std::byte* address() const noexcept { return address_; }
  [[nodiscard]] Use use(bool is_written) const noexcept { return {address_, bytes_, is_written}; }

 private:
  Driver* driver_;
  std::byte* address_ = nullptr;
  std::size_t bytes_ = 0;
};

template <class Word>
class VariantBatch {
 public:
  // `schedule` and `reduction` must outlive the batch.
  VariantBatch(Driver& driver, const Schedule& schedule, const ReductionFacts& reduction, u32 log_n, u32 polynomials);

  // Allocates memory, loads the kernels and writes the factors. psi is a primitive 2n-th root of unity mod q. Returns
  // Status::unsupported if the driver lacks a kernel. Throws std::bad_alloc.
  [[nodiscard]] Status prepare(Word q, Word psi);
  // These functions write and read all polynomials, one after the other. They throw std::bad_alloc.
  [[nodiscard]] Status write(const std::vector<Word>& words);
  [[nodiscard]] Status read(std::vector<Word>& words);
  // Puts the launches of one transform of the whole batch on the stream.
  [[nodiscard]] Status transform(bool forward) noexcept;
  [[nodiscard]] std::size_t launches() const noexcept { return directions_[0].launches.size(); }

 private:
  struct Direction {
    std::vector<VariantLaunches::Ready> launches;
    DriverMemory table;
  };
  [[nodiscard]] std::size_t count() const noexcept { return std::size_t{polynomials_} << log_n_; }
  [[nodiscard]] std::vector<Word> arranged(const std::vector<Word>& words, bool to_device) const;

  Driver& driver_;
  const Schedule& schedule_;
  const ReductionFacts& reduction_;
  u32 log_n_, polynomials_;
  VariantLaunches launches_;
  DriverMemory modulus_, words_;
  std::array<Direction, 2> directions_;  // forward, inverse
};

}  // namespace ringfort::device
