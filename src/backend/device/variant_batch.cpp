// SPDX-License-Identifier: Apache-2.0
// Copies a batch to the memory of a driver, and submits the launches of a variant on it (variant_batch.h).
#include "backend/device/variant_batch.h"

#include <utility>

namespace ringfort::device {

DriverMemory::~DriverMemory() {
  if (address_ == nullptr) return;
  (void)driver_->finish(0);
  (void)driver_->release(address_);
}

DriverMemory::DriverMemory(DriverMemory&& other) noexcept
    : driver_(other.driver_),
      address_(std::exchange(other.address_, nullptr)),
      bytes_(other.bytes_) {}

Status DriverMemory::allocate(std::size_t bytes) noexcept {
  bytes_ = bytes;
  return driver_->allocate(bytes, Privacy::open, address_);
}

Status DriverMemory::write(const void* from, std::size_t bytes) noexcept {
  const Status status = driver_->copy_in(0, address_, static_cast<const std::byte*>(from), bytes);
  return status == Status::ok ? driver_->finish(0) : status;
}

Status DriverMemory::read(void* to, std::size_t bytes) noexcept {
  const Status status = driver_->copy_out(0, static_cast<std::byte*>(to), address_, bytes);
  return status == Status::ok ? driver_->finish(0) : status;
}

template <class Word>
VariantBatch<Word>::VariantBatch(Driver& driver, const Schedule& schedule, const ReductionFacts& reduction, u32 log_n,
                                 u32 polynomials)
    : driver_(driver),
      schedule_(schedule),
      reduction_(reduction),
      log_n_(log_n),
      polynomials_(polynomials),
      launches_({&schedule, &reduction}, log_n, sizeof(Word)),
      modulus_(driver),
      words_(driver),
      directions_{Direction{{}, DriverMemory(driver)}, Direction{{}, DriverMemory(driver)}} {}

template <class Word>
Status VariantBatch<Word>::prepare(Word q, Word psi) {
  const Modulus<Word> modulus = modulus_of<Word>(reduction_.reduction, q);
  if (const Status status = modulus_.allocate(sizeof modulus); status != Status::ok) return status;
  if (const Status status = modulus_.write(&modulus, sizeof modulus); status != Status::ok) return status;
  if (const Status status = words_.allocate(count() * sizeof(Word)); status != Status::ok) return status;
  if (const Status status = launches_.load(driver_); status != Status::ok) return status;
  for (const bool forward : {true, false}) {
    Direction& direction = directions_[forward ? 0 : 1];
    direction.launches = launches_.launches(polynomials_, forward);
    const std::vector<Word> factors = factors_of<Word>({&schedule_, &reduction_}, q, psi, log_n_, forward);
    const std::size_t bytes = factors.size() * sizeof(Word);
    if (const Status status = direction.table.allocate(bytes); status != Status::ok) return status;
    if (const Status status = direction.table.write(factors.data(), bytes); status != Status::ok) return status;
  }
  return Status::ok;
}

// Exchanges the rows and the columns of the matrix of polynomials if the schedule interleaves them.
template <class Word>
std::vector<Word> VariantBatch<Word>::arranged(const std::vector<Word>& words, bool to_device) const {
  if (schedule_.kind != Schedule::Kind::interleaved) return words;
  std::vector<Word> out(words.size());
  const std::size_t n = std::size_t{1} << log_n_;
  for (std::size_t p = 0; p < polynomials_; ++p) {
    for (std::size_t i = 0; i < n; ++i) {
      if (to_device) out[i * polynomials_ + p] = words[p * n + i];
      else out[p * n + i] = words[i * polynomials_ + p];
    }
  }
  return out;
}

template <class Word>
Status VariantBatch<Word>::write(const std::vector<Word>& words) {
  const std::vector<Word> arranged_words = arranged(words, true);
  return words_.write(arranged_words.data(), count() * sizeof(Word));
}

template <class Word>
Status VariantBatch<Word>::read(std::vector<Word>& words) {
  words.resize(count());
  const Status status = words_.read(words.data(), count() * sizeof(Word));
  words = arranged(words, false);
  return status;
}

template <class Word>
Status VariantBatch<Word>::transform(bool forward) noexcept {
  const Direction& direction = directions_[forward ? 0 : 1];
  const VariantOperands<Word> operands{{reinterpret_cast<Word*>(words_.address()), u64{1} << log_n_},
                                       direction.table.address(),
                                       modulus_.address(),
                                       polynomials_};
  const std::array uses{words_.use(true), direction.table.use(false), modulus_.use(false)};
  return launches_.submit_all(direction.launches, operands, [&](const auto& each, const auto& args) {
    return driver_.launch(0, {each.kernel, each.launch.grid, std::as_bytes(std::span(&args, 1)), uses});
  });
}

template class VariantBatch<u32>;
template class VariantBatch<u64>;

}  // namespace ringfort::device
