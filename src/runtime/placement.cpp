// SPDX-License-Identifier: Apache-2.0
#include "runtime/placement.h"

#include <algorithm>

#include "base/buffer.h"
#include "base/secret.h"

namespace ringfort {

namespace {

// Words between two devices pass through the host in pieces of whole polynomials, so that moving a large key costs
// little memory.
constexpr std::size_t kPieceBytes = std::size_t{16} << 20;

class Passing {
 public:
  Passing(std::size_t bytes, bool wiped, Privacy privacy)
      : words_(privacy == Privacy::open ? bytes : 0, Fill::none),
        locked_(privacy == Privacy::open ? 0 : bytes),
        wiped_(wiped) {}
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;
  ~Passing() {
    if (wiped_ && words_.size() != 0) wipe(words_.data(), words_.size());
  }
  [[nodiscard]] void* data() noexcept { return locked_.size() != 0 ? locked_.data() : words_.data(); }

 private:
  AlignedBuffer<u8> words_;
  LockedBytes locked_;  // one of the two is empty
  bool wiped_;
};

}  // namespace

struct Placed::Copies {
  std::mutex mutex;
  std::vector<std::weak_ptr<Placed>> members;
};

Placed::Placed(Place place, const BatchShape& shape, Contents contents)
    : place_(std::move(place)),
      shape_(shape),
      buffer_(place_.device, {shape.batch * shape.polynomial_bytes(), contents, shape.privacy}),
      here_(true),
      shared_(false) {
  view_ = {place_.plan.get(), buffer_.handle(), 0, shape.limbs, shape.batch};
}

Placed::Placed(Place place, const Placed& like, Promise promise)
    : place_(std::move(place)),
      shape_(like.shape_),
      here_(false),
      shared_(true),
      wipe_(like.wipe_),
      domain_(promise.domain),
      source_(std::move(promise.source)),
      copies_(std::move(promise.copies)) {
  view_ = {place_.plan.get(), nullptr, 0, shape_.limbs, shape_.batch};
}

void Placed::keep_contents() noexcept {
  wipe_ = false;
  buffer_.keep_contents();
}

Placed::Promise Placed::promise(const std::shared_ptr<Placed>& words, Domain domain) {
  const std::lock_guard lock(words->mutex_);
  if (words->copies_ == nullptr) {
    const auto copies = std::make_shared<Copies>();
    copies->members.push_back(words);
    words->copies_ = copies;
  }
  return {words->copies_, words->is_here() ? words : words->source_, domain};
}

std::shared_ptr<Placed> Placed::on_device(const std::shared_ptr<Placed>& words, const Place& place, Domain domain) {
  words->share();
  if (words->place_.plan == place.plan) return words;
  Promise promised = promise(words, domain);
  const std::shared_ptr<Copies> copies = promised.copies;
  const std::lock_guard lock(copies->mutex);
  std::erase_if(copies->members, [](const std::weak_ptr<Placed>& member) { return member.expired(); });
  for (const std::weak_ptr<Placed>& member : copies->members) {
    auto there = member.lock();
    if (there == nullptr || there->place_.plan != place.plan) continue;
    place.device->copies().use(*there);
    return there;
  }
  const std::shared_ptr<Placed> there(new Placed(place, *words, std::move(promised)));
  copies->members.push_back(there);
  return there;
}

std::shared_ptr<Placed> Placed::readable(const std::shared_ptr<Placed>& words) {
  if (words->is_here()) return words;
  const std::lock_guard lock(words->mutex_);
  return words->is_here() ? words : words->source_;
}

void Placed::fetch() {
  const std::lock_guard lock(mutex_);
  if (is_here()) return;  // another thread has brought them
  Buffer buffer(place_.device, {shape_.batch * shape_.polynomial_bytes(), Contents::undefined, shape_.privacy});
  if (!wipe_) buffer.keep_contents();
  View to = view_;
  to.buffer = buffer.handle();
  const OpenDevice &from = *source_->place_.device, &here = *place_.device;
  const std::size_t most =
      std::min<std::size_t>(shape_.batch, std::max<std::size_t>(1, kPieceBytes / shape_.polynomial_bytes()));
  Passing words(most * shape_.polynomial_bytes(), wipe_, shape_.privacy);
  for (std::size_t first = 0; first < shape_.batch; first += most) {
    const std::size_t count = std::min(most, shape_.batch - first);
    from.run(Stream{}, verb::Download{source_->view_.polynomials(first, count), domain_, words.data()});
    from.synchronize(Stream{});
    here.run(Stream{}, verb::Upload{to.polynomials(first, count), domain_, words.data()});
  }
  buffer_ = std::move(buffer);
  view_.buffer = to.buffer;
  here_.store(true, std::memory_order_release);
  const std::shared_ptr<Placed> source = std::move(source_), self = weak_from_this().lock();
  if (!wipe_ && self != nullptr) place_.device->copies().keep(source, self);
}

void Placed::hold(const std::shared_ptr<Placed>& copy) {
  const std::lock_guard lock(held_mutex_);
  held_.push_back(copy);
}

// The caller has another pointer to it.
void Placed::let_go(const Placed& copy) noexcept {
  const std::lock_guard lock(held_mutex_);
  std::erase_if(held_, [&](const auto& held) { return held.get() == &copy; });
}

}  // namespace ringfort
