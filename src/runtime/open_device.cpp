// SPDX-License-Identifier: Apache-2.0
#include "runtime/open_device.h"

#include "base/shown.h"
#include "ringfort/error.h"

namespace ringfort {

void check(Status status, std::string_view what, std::string_view device) {
  if (status == Status::ok) return;                                    // on the way of every verb: no text before it is needed
  const std::string where = std::string(what) + " on device " + std::string(device);
  switch (status) {
    case Status::ok: break;
    case Status::out_of_memory:
      throw Error(Code::out_of_memory, where + " found no memory", "use smaller batches or fewer threads");
    case Status::unsupported:
      throw Error(Code::unsupported, where + " is not supported for this degree, modulus or gadget",
                  "n is a power of two in 2 .. 2^17, q a prime that is 1 mod 2n and fits the word");
    case Status::device_lost:
    case Status::timed_out:
      throw Error(Code::device_lost, where + " failed: the device does not answer", "restart the process, or use device cpu");
    case Status::declined:
    case Status::internal: break;
  }
  throw Error(Code::internal, where + " broke a contract inside the library", "please report this");
}

std::shared_ptr<const OpenDevice> OpenDevice::open(std::string_view name) {
  std::string refusal;
  auto backend = open_backend(name, &refusal);
  if (backend == nullptr) {
    if (!refusal.empty()) throw Error(Code::device_unknown, "device '" + shown(name) + "' cannot be opened", refusal);
    std::string known;
    for (const std::string_view candidate : backend_names()) {
      if (candidate == name) throw Error(Code::out_of_memory, "opening device " + std::string(name) + " found no memory", "free some and try again");
      known += (known.empty() ? "" : ", ") + std::string(candidate);
    }
    throw Error(Code::device_unknown, "there is no device '" + shown(name) + "' on this machine", "known: " + known);
  }
  return std::make_shared<const OpenDevice>(std::move(backend));
}

std::shared_ptr<const PlanHandle> OpenDevice::prepare(const Plan& plan) const {
  std::shared_ptr<const PlanHandle> handle;
  const Status status = backend_->prepare(plan, handle);
  const std::string_view advice = backend_->capabilities().plans;
  if (status == Status::unsupported && !advice.empty()) {
    throw Error(Code::unsupported, "device " + name() + " does not compute with these primes or this degree", std::string(advice));
  }
  check(status, "prepare");
  return handle;
}

void OpenDevice::inner_product(Stream s, const InnerProduct& p, u32 n) const {
  if (p.inner == 0) check(Status::internal, "inner_product");
  const Status fused = backend_->inner_product(s, p);
  if (fused != Status::declined) return check(fused, "inner_product");
  for (u32 r = 0; r < p.rows; ++r) {
    for (u32 c = 0; c < p.columns; ++c) {
      const View out = polynomial(p.out, std::size_t{r} * p.columns + c, n);
      for (u32 k = 0; k < p.inner; ++k) {
        const View a = polynomial(p.a, std::size_t{r} * p.inner + k, n), b = polynomial(p.b, std::size_t{k} * p.columns + c, n);
        const bool first = k == 0 && !p.accumulate;
        check(first ? backend_->multiply(s, out, a, b) : backend_->multiply_add(s, out, a, b), "inner_product");
      }
    }
  }
}

void OpenDevice::tensor(Stream s, const View& out, const View& a, const View& b, u32 n) const {
  const Status fused = backend_->tensor(s, out, a, b);
  if (fused != Status::declined) return check(fused, "tensor");
  if (a.batch % 2 != 0 || a.batch != b.batch || u64{out.batch} * 2 != u64{a.batch} * 3) return check(Status::internal, "tensor");
  for (std::size_t pair = 0; pair < a.batch / 2; ++pair) {
    const View a0 = polynomial(a, 2 * pair, n), a1 = polynomial(a, 2 * pair + 1, n);
    const View b0 = polynomial(b, 2 * pair, n), b1 = polynomial(b, 2 * pair + 1, n);
    const View middle = polynomial(out, 3 * pair + 1, n);
    check(backend_->multiply(s, polynomial(out, 3 * pair, n), a0, b0), "tensor");
    check(backend_->multiply(s, middle, a0, b1), "tensor");
    check(backend_->multiply_add(s, middle, a1, b0), "tensor");
    check(backend_->multiply(s, polynomial(out, 3 * pair + 2, n), a1, b1), "tensor");
  }
}

void OpenDevice::gadget_product(Stream s, const GadgetProduct& p, u32 n) const {
  const Status fused = backend_->gadget_product(s, p);
  if (fused != Status::declined) return check(fused, "gadget_product");
  check(backend_->decompose(s, p.digits, p.a, p.gadget), "gadget_product");
  check(backend_->ntt(s, p.digits), "gadget_product");
  inner_product(s, p.rest(), n);
}

void OpenDevice::polymul(Stream s, const View& out, const View& a, const View& b) const {
  const Status fused = backend_->polymul(s, out, a, b);
  if (fused != Status::declined) return check(fused, "polymul");
  check(backend_->ntt(s, a), "polymul");
  check(backend_->ntt(s, b), "polymul");
  check(backend_->multiply(s, out, a, b), "polymul");
  check(backend_->intt(s, out), "polymul");
}

Buffer::Buffer(std::shared_ptr<const OpenDevice> device, std::size_t bytes, Contents contents) : device_(std::move(device)) {
  const Status status = device_->backend().allocate(bytes, contents, handle_);
  // The text is built only when it is needed: it allocates, and would lose the handle if that failed.
  if (status != Status::ok) device_->check(status, "allocate " + std::to_string(bytes) + " bytes");
}

Buffer::~Buffer() {
  if (handle_ != nullptr) device_->backend().release(handle_, wipe_);
}

}  // namespace ringfort
