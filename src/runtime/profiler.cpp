// SPDX-License-Identifier: Apache-2.0
#include "runtime/profiler.h"

#include <array>
#include <bit>
#include <cstdio>

namespace ringfort {

double Profiler::now_us() const noexcept {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin_).count();
}

void Profiler::add(const VerbEvent& event) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    if (events_.size() < most_) {
      auto device = devices_.find(event.device);
      if (device == devices_.end()) device = devices_.emplace(event.device).first;
      events_.push_back(event);
      events_.back().device = *device;
      return;
    }
  } catch (const std::bad_alloc&) {                                    // counted below
  }
  ++lost_;
}

std::vector<VerbEvent> Profiler::events() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

u64 Profiler::lost() const noexcept {
  const std::lock_guard lock(mutex_);
  return lost_;
}

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

std::string fixed(double value) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.3f", value);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::string Profiler::chrome_trace(std::string_view title) const {
  const std::vector<VerbEvent> all = events();
  std::map<std::string_view, std::size_t> processes;
  for (const VerbEvent& e : all) processes.emplace(e.device, processes.size() + 1);
  std::string out = R"({"displayTimeUnit":"ms","otherData":{"lost":)" + std::to_string(lost()) + R"(},"traceEvents":[)";
  std::string_view between = "";
  for (const auto& [device, pid] : processes) {
    out += std::string(between) + R"({"name":"process_name","ph":"M","pid":)" + std::to_string(pid) + R"(,"tid":0,"args":{"name":)" +
           quoted(std::string(title) + ", " + std::string(device)) + "}}";
    between = ",\n";
  }
  for (const VerbEvent& e : all) {
    out += ",\n{\"name\":" + quoted(e.verb) + R"(,"ph":"X","pid":)" + std::to_string(processes[e.device]) + ",\"tid\":" + std::to_string(e.stream) + ",\"ts\":" + fixed(e.start_us) +
           ",\"dur\":" + fixed(e.end_us - e.start_us) + ",\"args\":{\"bytes\":" + std::to_string(e.bytes) +
           ",\"multiplications\":" + std::to_string(e.multiplications) + ",\"simulated\":" + (e.simulated ? "true,\"energy_uj\":" + fixed(e.energy_uj) : "false") + "}}";
  }
  return out + "]}\n";
}

void Observed::report_to(std::shared_ptr<Profiler> profiler) noexcept {
  const std::lock_guard lock(mutex_);
  listening_.store(profiler != nullptr, std::memory_order_relaxed);
  profiler_ = std::move(profiler);
}

std::shared_ptr<Profiler> Observed::listener() const noexcept {
  if (!listening_.load(std::memory_order_relaxed)) return nullptr;
  const std::lock_guard lock(mutex_);
  return profiler_;
}

Status Observed::prepare(const Plan& plan, std::shared_ptr<const PlanHandle>& out) noexcept {
  const Status status = inner_->prepare(plan, out);
  if (status != Status::ok) return status;
  const std::lock_guard lock(mutex_);
  try {
    shapes_[out.get()] = {plan.n, static_cast<u32>(word_bytes(plan.word))};
    return Status::ok;
  } catch (const std::bad_alloc&) {
    out = nullptr;
    return Status::out_of_memory;
  }
}

Observed::Shape Observed::shape_of(const View& view) const noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = shapes_.find(view.plan);
  return found == shapes_.end() ? Shape{} : found->second;
}

namespace {

u64 limbs_in(const View& view) noexcept { return u64{view.batch} * view.limbs; }

// Products of one limb's transform.
u64 butterflies(u32 n) noexcept { return u64{n} / 2 * static_cast<u64>(std::countr_zero(n)); }

u64 conversion_products(u64 from, u64 to, Conversion kind) noexcept {
  return from + from * to + (kind == Conversion::approximate ? 0 : from + to);
}

}  // namespace

template <class Verb, class Costs>
Status Observed::observe(std::string_view verb, Stream s, const View& view, Verb run, Costs cost) noexcept {
  const std::shared_ptr<Profiler> profiler = listener();
  if (profiler == nullptr) return run();
  const bool simulated = capabilities().simulated_time;
  std::unique_lock turn(turns_, std::defer_lock);
  if (simulated) turn.lock();                                          // else another thread's verb on this stream is counted here too
  const ModelClock before = inner_->model_clock(s);
  const double start = simulated ? before.us : profiler->now_us();
  Status status = run();
  if (status == Status::declined) return status;
  if (status == Status::ok) status = inner_->synchronize(s);
  const Shape shape = shape_of(view);
  const Cost c = cost(shape.n);
  const ModelClock after = inner_->model_clock(s);
  const double end = simulated ? after.us : profiler->now_us();
  profiler->add({verb, s.index, start, end, c.words * shape.word_bytes, c.multiplications, simulated, after.energy_uj - before.energy_uj,
                 after.compute_us - before.compute_us, after.transform_us - before.transform_us, inner_->name()});
  return status;
}

Status Observed::upload(Stream s, const View& to, Domain domain, const void* words) noexcept {
  return observe("upload", s, to, [&] { return inner_->upload(s, to, domain, words); }, [&](u64 n) { return Cost{limbs_in(to) * n, 0}; });
}

Status Observed::download(Stream s, const View& from, Domain domain, void* words) noexcept {
  return observe("download", s, from, [&] { return inner_->download(s, from, domain, words); },
                 [&](u64 n) { return Cost{limbs_in(from) * n, 0}; });
}

Status Observed::ntt(Stream s, const View& inout) noexcept {
  return observe("ntt", s, inout, [&] { return inner_->ntt(s, inout); },
                 [&](u32 n) { return Cost{2 * limbs_in(inout) * n, limbs_in(inout) * butterflies(n)}; });
}

Status Observed::intt(Stream s, const View& inout) noexcept {
  return observe("intt", s, inout, [&] { return inner_->intt(s, inout); },
                 [&](u32 n) { return Cost{2 * limbs_in(inout) * n, limbs_in(inout) * butterflies(n)}; });
}

Status Observed::add(Stream s, const View& out, const View& a, const View& b) noexcept {
  return observe("add", s, out, [&] { return inner_->add(s, out, a, b); }, [&](u64 n) { return Cost{3 * limbs_in(out) * n, 0}; });
}

Status Observed::sub(Stream s, const View& out, const View& a, const View& b) noexcept {
  return observe("sub", s, out, [&] { return inner_->sub(s, out, a, b); }, [&](u64 n) { return Cost{3 * limbs_in(out) * n, 0}; });
}

Status Observed::negate(Stream s, const View& out, const View& a) noexcept {
  return observe("negate", s, out, [&] { return inner_->negate(s, out, a); }, [&](u64 n) { return Cost{2 * limbs_in(out) * n, 0}; });
}

Status Observed::multiply(Stream s, const View& out, const View& a, const View& b) noexcept {
  return observe("multiply", s, out, [&] { return inner_->multiply(s, out, a, b); },
                 [&](u64 n) { return Cost{(2 * limbs_in(out) + limbs_in(b)) * n, limbs_in(out) * n}; });
}

Status Observed::multiply_add(Stream s, const View& out, const View& a, const View& b) noexcept {
  return observe("multiply_add", s, out, [&] { return inner_->multiply_add(s, out, a, b); },
                 [&](u64 n) { return Cost{(3 * limbs_in(out) + limbs_in(b)) * n, limbs_in(out) * n}; });
}

Status Observed::multiply_scalar(Stream s, const View& out, const View& a, std::span<const u128> per_limb) noexcept {
  return observe("multiply_scalar", s, out, [&] { return inner_->multiply_scalar(s, out, a, per_limb); },
                 [&](u64 n) { return Cost{2 * limbs_in(out) * n, limbs_in(out) * n}; });
}

Status Observed::decompose(Stream s, const View& out, const View& a, const Gadget& gadget) noexcept {
  return observe("decompose", s, out, [&] { return inner_->decompose(s, out, a, gadget); },
                 [&](u64 n) { return Cost{(limbs_in(out) + limbs_in(a)) * n, 0}; });
}

Status Observed::expand_uniform(Stream s, const View& out, const Expansion& from) noexcept {
  return observe("expand_uniform", s, out, [&] { return inner_->expand_uniform(s, out, from); },
                 [&](u64 n) { return Cost{limbs_in(out) * n, 0}; });
}

Status Observed::automorphism(Stream s, const View& out, const View& a, u32 galois, Domain domain) noexcept {
  return observe("automorphism", s, out, [&] { return inner_->automorphism(s, out, a, galois, domain); },
                 [&](u64 n) { return Cost{2 * limbs_in(out) * n, 0}; });
}

Status Observed::base_convert(Stream s, const View& out, const View& a, Conversion kind) noexcept {
  return observe("base_convert", s, out, [&] { return inner_->base_convert(s, out, a, kind); }, [&](u64 n) {
    return Cost{(limbs_in(out) + limbs_in(a)) * n, a.batch * n * conversion_products(a.limbs, out.limbs, kind)};
  });
}

Status Observed::inner_product(Stream s, const InnerProduct& p) noexcept {
  return observe("inner_product", s, p.out, [&] { return inner_->inner_product(s, p); }, [&](u64 n) {
    const u64 outs = limbs_in(p.out) * (p.accumulate ? 2 : 1);
    return Cost{(limbs_in(p.a) + limbs_in(p.b) + outs) * n, limbs_in(p.out) * p.inner * n};
  });
}

Status Observed::gadget_product(Stream s, const GadgetProduct& p) noexcept {
  return observe("gadget_product", s, p.out, [&] { return inner_->gadget_product(s, p); }, [&](u32 n) {
    const u64 outs = p.out.batch * (p.accumulate ? 2 : 1), products = limbs_in(p.digits) * p.out.batch;
    return Cost{(limbs_in(p.a) + limbs_in(p.b) + outs) * n, limbs_in(p.digits) * butterflies(n) + products * n};
  });
}

Status Observed::mod_down(Stream s, const ModDown& m) noexcept {
  return observe("mod_down", s, m.out, [&] { return inner_->mod_down(s, m); }, [&](u32 n) {
    const u64 dropped = m.scratch.limbs, kept = m.out.limbs, polynomials = m.out.batch;
    const u64 plain = m.plain == 1 ? 0 : dropped + kept;
    const u64 each = conversion_products(dropped, kept, Conversion::centred) + kept + plain;
    const u64 transforms = m.domain == Domain::evaluation ? (dropped + kept) * butterflies(n) : 0;
    return Cost{(limbs_in(m.a) + limbs_in(m.out)) * n, polynomials * (each * n + transforms)};
  });
}

Status Observed::key_switch(Stream s, const KeySwitch& k) noexcept {
  return observe("key_switch", s, k.out, [&] { return inner_->key_switch(s, k); }, [&](u32 n) {
    u64 products = limbs_in(k.digits) * k.out.batch, transforms = 0;
    for (u32 d = 0; d < k.digits.batch; ++d) {
      const u64 own = k.digit(d).count, others = k.out.limbs - own;
      products += conversion_products(own, others, Conversion::centred);
      transforms += others;
    }
    return Cost{(limbs_in(k.a) + limbs_in(k.coefficients) + limbs_in(k.key) + limbs_in(k.out)) * n, products * n + transforms * butterflies(n)};
  });
}

Status Observed::tensor(Stream s, const View& out, const View& a, const View& b) noexcept {
  return observe("tensor", s, out, [&] { return inner_->tensor(s, out, a, b); },
                 [&](u64 n) { return Cost{(limbs_in(out) + limbs_in(a) + limbs_in(b)) * n, 2 * limbs_in(a) * n}; });
}

Status Observed::polymul(Stream s, const View& out, const View& a, const View& b) noexcept {
  return observe("polymul", s, out, [&] { return inner_->polymul(s, out, a, b); }, [&](u32 n) {
    return Cost{3 * limbs_in(out) * n, limbs_in(out) * (3 * butterflies(n) + n)};
  });
}

}  // namespace ringfort
