// SPDX-License-Identifier: Apache-2.0
// Copies batches of polynomials between devices (device_batch.h).
#include "runtime/device_batch.h"

#include <algorithm>
#include <memory>

#include "base/buffer.h"
#include "base/secret.h"

namespace ringfort {

namespace {

// A transfer between devices goes through a bounce buffer in host memory. It copies a few polynomials at a time, so
// that the bounce buffer stays small.
constexpr std::size_t kPieceBytes = std::size_t{16} << 20;

class BounceBuffer {
 public:
  BounceBuffer(std::size_t bytes, bool wiped, Privacy privacy)
      : words_(privacy == Privacy::open ? bytes : 0, Fill::none),
        locked_(privacy == Privacy::open ? 0 : bytes),
        wiped_(wiped) {}
  BounceBuffer(const BounceBuffer&) = delete;
  BounceBuffer& operator=(const BounceBuffer&) = delete;
  ~BounceBuffer() {
    if (wiped_ && words_.size() != 0) wipe(words_.data(), words_.size());
  }
  [[nodiscard]] void* data() noexcept { return locked_.size() != 0 ? locked_.data() : words_.data(); }

 private:
  AlignedBuffer<u8> words_;
  LockedBytes locked_;  // one of the two buffers is empty
  bool wiped_;
};

}  // namespace

struct DeviceBatch::Copies {
  Copies() = default;
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;
  ~Copies() {
    if (mutex.is_left()) forget_members();
  }
  [[nodiscard]] ObjectMutex::Lock locked() noexcept {
    return {mutex, [this] { forget_members(); }};
  }
  // Called in a forked child, if another thread of the parent was changing the list. The list may be inconsistent.
  // Therefore this function does not destroy it. Without it, a device may get a second copy.
  void forget_members() noexcept { std::construct_at(&members); }

  ObjectMutex mutex;
  std::vector<std::weak_ptr<DeviceBatch>> members;
};

DeviceBatch::DeviceBatch(DevicePlan device_plan, const BatchShape& shape, Contents contents)
    : device_plan_(std::move(device_plan)),
      shape_(shape),
      buffer_(device_plan_.device, {shape.batch * shape.polynomial_bytes(), contents, shape.privacy, shape.user}),
      here_(true),
      shared_(false) {
  view_ = {device_plan_.plan.get(), buffer_.handle(), 0, shape.limbs, shape.batch};
}

DeviceBatch::DeviceBatch(DevicePlan device_plan, const DeviceBatch& like, Promise promise)
    : device_plan_(std::move(device_plan)),
      shape_(like.shape_),
      here_(false),
      shared_(true),
      wipe_(like.wipe_),
      domain_(promise.domain),
      source_(std::move(promise.source)),
      copies_(std::move(promise.copies)) {
  view_ = {.plan = device_plan_.plan.get(), .limbs = shape_.limbs, .batch = shape_.batch};
}

// Called in a forked child, if another thread of the parent was changing this batch. Members that it may have half
// changed get their first values, so that the next use copies the words again. Their old values are not destroyed,
// because they may be inconsistent. Their memory remains allocated until the child ends. Words that are here are whole,
// and so is the promise of words that are not here (fetch_rest).
void DeviceBatch::drop_half_made() noexcept {
  std::construct_at(&copies_);
  std::construct_at(&part_buffer_);
  part_ = {};
  if (is_here()) {
    std::construct_at(&source_);
  } else {
    std::construct_at(&buffer_);
    view_.buffer = nullptr;
  }
}

void DeviceBatch::keep_contents() noexcept {
  wipe_ = false;
  buffer_.keep_contents();
}

DeviceBatch::Promise DeviceBatch::promise(const std::shared_ptr<DeviceBatch>& words, Domain domain) {
  const ObjectMutex::Lock lock = words->locked();
  if (words->copies_ == nullptr) {
    const auto copies = std::make_shared<Copies>();
    copies->members.push_back(words);
    words->copies_ = copies;
  }
  return {words->copies_, words->is_here() ? words : words->source_, domain};
}

std::shared_ptr<DeviceBatch> DeviceBatch::on_device(const std::shared_ptr<DeviceBatch>& words,
                                                    const DevicePlan& device_plan, Domain domain) {
  words->share();
  if (words->device_plan_.plan == device_plan.plan) return words;
  Promise promised = promise(words, domain);
  const std::shared_ptr<Copies> copies = promised.copies;
  const ObjectMutex::Lock lock = copies->locked();
  std::erase_if(copies->members, [](const std::weak_ptr<DeviceBatch>& member) { return member.expired(); });
  for (const std::weak_ptr<DeviceBatch>& member : copies->members) {
    auto there = member.lock();
    if (there == nullptr || there->device_plan_.plan != device_plan.plan) continue;
    device_plan.device->copies().use(*there);
    return there;
  }
  const std::shared_ptr<DeviceBatch> there(new DeviceBatch(device_plan, *words, std::move(promised)));
  copies->members.push_back(there);
  return there;
}

std::shared_ptr<DeviceBatch> DeviceBatch::readable(const std::shared_ptr<DeviceBatch>& words) {
  if (words->is_here()) return words;
  const ObjectMutex::Lock lock = words->locked();
  return words->is_here() ? words : words->source_;
}

View DeviceBatch::view(const BatchPart& part) {
  if (!is_here()) {
    const ObjectMutex::Lock lock = locked();
    if (!is_here() && !part_.contains(part)) fetch_part(part);
    if (!is_here()) {
      const View here{device_plan_.plan.get(), part_buffer_.handle(), 0, part_.limbs, part_.batch};
      return here.polynomials(0, part.batch).in(part.limbs);
    }
  }
  return view_.polynomials(0, part.batch).in(part.limbs);
}

void DeviceBatch::fetch() {
  const ObjectMutex::Lock lock = locked();
  if (!is_here()) fetch_rest();  // if the words are here now, another thread has copied them
}

Buffer DeviceBatch::allocate(const BatchPart& part) const {
  const std::size_t words = std::size_t{part.batch} * part.limbs.count * device_plan_.plan->n();
  Buffer buffer(device_plan_.device, {words * shape_.word_bytes, Contents::undefined, shape_.privacy, shape_.user});
  if (!wipe_) buffer.keep_contents();
  return buffer;
}

void DeviceBatch::fetch_part(const BatchPart& part) {
  if (part_.batch != 0 || 2 * part.batch * part.limbs.count > shape_.batch * shape_.limbs.count) return fetch_rest();
  Buffer buffer = allocate(part);
  copy_words({device_plan_.plan.get(), buffer.handle(), 0, part.limbs, part.batch}, 0);
  part_buffer_ = std::move(buffer);
  part_ = part;
}

void DeviceBatch::fetch_rest() {
  Buffer buffer = allocate({shape_.batch, shape_.limbs});
  View to = view_;
  to.buffer = buffer.handle();
  if (part_.batch != 0) {
    const Limbs all = shape_.limbs, here = part_.limbs;
    const View first = to.polynomials(0, part_.batch), part{to.plan, part_buffer_.handle(), 0, here, part_.batch};
    device_plan_.device->run(Stream{}, verb::Copy{first.in(here), part});
    copy_words(first.in({all.first, here.first - all.first}), 0);
    copy_words(first.in({here.end(), all.end() - here.end()}), 0);
  }
  copy_words(to.polynomials(part_.batch, shape_.batch - part_.batch), part_.batch);
  buffer_ = std::move(buffer);
  view_.buffer = to.buffer;
  here_.exchange(true);  // not a plain store: the source is reset only after it, also in the memory of a forked child
  const std::shared_ptr<DeviceBatch> source = std::move(source_), self = weak_from_this().lock();
  if (!wipe_ && self != nullptr) device_plan_.device->copies().keep(source, self);
}

// Copies words of the source to `to`, beginning with the source's polynomial number `at`.
void DeviceBatch::copy_words(const View& to, std::size_t at) const {
  if (to.batch == 0 || to.limbs.count == 0) return;
  const Device &from = *source_->device_plan_.device, &here = *device_plan_.device;
  const View words = source_->view_.polynomials(at, to.batch).in(to.limbs);
  const std::size_t bytes = std::size_t{to.limbs.count} * to.plan->n() * shape_.word_bytes;
  const std::size_t most = std::min<std::size_t>(to.batch, std::max<std::size_t>(1, kPieceBytes / bytes));
  BounceBuffer bounce(most * bytes, wipe_, shape_.privacy);
  for (std::size_t first = 0; first < to.batch; first += most) {
    const std::size_t count = std::min(most, to.batch - first);
    from.run(Stream{}, verb::Download{words.polynomials(first, count), domain_, bounce.data()});
    from.synchronize(Stream{});
    here.run(Stream{}, verb::Upload{to.polynomials(first, count), domain_, bounce.data()});
  }
}

void DeviceBatch::hold(const std::shared_ptr<DeviceBatch>& copy) {
  const std::lock_guard lock(kept_copies_mutex_);
  kept_copies_.push_back(copy);
}

// Drops a copy from the list. The caller must hold another pointer to the copy, because its destructor must not run
// under the lock.
void DeviceBatch::let_go(const DeviceBatch& copy) noexcept {
  const std::lock_guard lock(kept_copies_mutex_);
  std::erase_if(kept_copies_, [&](const auto& kept) { return kept.get() == &copy; });
}

}  // namespace ringfort
