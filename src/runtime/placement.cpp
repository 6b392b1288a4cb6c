// SPDX-License-Identifier: Apache-2.0
#include "runtime/placement.h"

#include "base/secret.h"

namespace ringfort {

Placed::Placed(std::shared_ptr<const OpenDevice> device, const View& shape, Domain domain, std::size_t bytes)
    : device_(std::move(device)), view_(shape), domain_(domain), bytes_(bytes), host_(bytes) {
  view_.buffer = nullptr;
  view_.offset = 0;
}

Placed::~Placed() {
  if (wipe_ && host_.size() != 0) wipe(host_.data(), host_.size());
}

Placed& Placed::operator=(Placed&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(view_, other.view_);
  std::swap(domain_, other.domain_);
  std::swap(bytes_, other.bytes_);
  std::swap(placement_, other.placement_);
  std::swap(host_, other.host_);
  std::swap(buffer_, other.buffer_);
  std::swap(wipe_, other.wipe_);
  return *this;
}

void Placed::need_device() {
  if (buffer_.handle() != nullptr) return;
  buffer_ = Buffer(device_, bytes_);
  if (!wipe_) buffer_.keep_contents();
  view_.buffer = buffer_.handle();
}

void Placed::need_host() {
  if (host_.size() == 0) host_ = AlignedBuffer<u8>(bytes_);
}

void Placed::move(Stream s, Move direction) {
  if (direction == Move::none) return;
  Backend& backend = device_->backend();
  if (direction == Move::upload) {
    need_device();
    device_->check(backend.upload(s, view_, domain_, host_.data()), "upload");
  } else {
    need_host();
    device_->check(backend.download(s, view_, domain_, host_.data()), "download");
  }
  device_->check(backend.synchronize(s), "move");        // the host's words may be written as soon as this returns
}

std::span<u8> Placed::host(Stream s, Use use) {
  move(s, placement_.before(use));
  need_host();
  placement_.after(use);
  return host_.span();
}

const View& Placed::on_device(Stream s, Use use) {
  move(s, placement_.before(use));
  need_device();
  placement_.after(use);
  return view_;
}

void Placed::leave_device(Stream s) {
  move(s, placement_.before(Use::leave_device));
  placement_.after(Use::leave_device);
  buffer_ = Buffer();
  view_.buffer = nullptr;
}

void Placed::keep_contents() noexcept {
  wipe_ = false;
  buffer_.keep_contents();
}

}  // namespace ringfort
