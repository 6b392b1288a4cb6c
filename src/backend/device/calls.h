// SPDX-License-Identifier: Apache-2.0
// Converts the views of verbs to arguments of kernels. Submits launches of kernels, and declares the buffers that they
// use. A call is work on one stream, such as one or several launches, that order.h orders as a whole.
#pragma once

#include "backend/device/gpu_plan.h"
#include "backend/device/kernels/chunk.h"
#include "backend/device/tickets.h"

namespace ringfort::device {

[[nodiscard]] inline const GpuPlan& plan_of(const View& view) noexcept {
  return static_cast<const GpuPlan&>(*view.plan);
}
[[nodiscard]] inline Buffer& buffer_of(const View& view) noexcept { return static_cast<Buffer&>(*view.buffer); }
[[nodiscard]] inline std::size_t word_bytes_of(const View& view) noexcept { return word_bytes(view.plan->plan.word); }
[[nodiscard]] inline std::size_t bytes_of_polynomial(const View& view) noexcept {
  return std::size_t{view.limbs.count} * view.plan->n() * word_bytes_of(view);
}
[[nodiscard]] inline Address address_of(const View& view, std::size_t polynomial = 0) noexcept {
  const std::size_t words = view.offset + polynomial * view.limb_stride() * view.plan->n();
  return buffer_of(view).address + words * word_bytes_of(view);
}
[[nodiscard]] inline bool is_empty(const View& view) noexcept { return view.batch == 0 || view.limbs.count == 0; }

template <class Word>
[[nodiscard]] Batch<Word> batch_of(const View& view) noexcept {
  return {reinterpret_cast<Word*>(address_of(view)), u64{view.limb_stride()} * view.plan->n()};
}
// Returns the view as a Batch. If the view has a single polynomial, the stride is 0. Then this polynomial is the
// operand for all polynomials of the other batches.
template <class Word>
[[nodiscard]] Batch<const Word> factors_of(const View& view) noexcept {
  return {reinterpret_cast<const Word*>(address_of(view)),
          view.batch == 1 ? 0 : u64{view.limb_stride()} * view.plan->n()};
}
[[nodiscard]] inline Chunks chunks_of(const View& view) noexcept { return {view.batch, plan_of(view).log_n()}; }
template <class Word>
[[nodiscard]] const Limb<Word>* limbs_of(const View& view) noexcept {
  return plan_of(view).template limbs<Word>(view.limbs.first);
}

// Calls f(w), where w is a word of the view's width.
template <class F>
Status by_word(const View& view, F f) noexcept {
  return view.plan->plan.word == Word::u32 ? f(u32{}) : f(u64{});
}

// Collects the memory that a call reads or writes. A launch must declare all memory that its kernel uses.
class Touched {
 public:
  // Adds the memory from the first word of the view to its last word.
  Touched& view(const View& of, bool is_written) noexcept {
    const std::size_t limbs = (of.batch - std::size_t{1}) * of.limb_stride();
    const std::size_t bytes = limbs * of.plan->n() * word_bytes_of(of) + bytes_of_polynomial(of);
    return add(buffer_of(of).history, {address_of(of), bytes, is_written});
  }
  Touched& reads(const View& of) noexcept { return view(of, false); }
  Touched& writes(const View& of) noexcept { return view(of, true); }
  Touched& buffer(Buffer& of, bool is_written) noexcept { return add(of.history, {of.address, of.bytes, is_written}); }
  Touched& tables(const View& of) noexcept { return buffer(plan_of(of).tables(), false); }
  [[nodiscard]] std::span<const Touch> touches() const noexcept { return {touches_.data(), count_}; }
  [[nodiscard]] std::span<const Use> uses() const noexcept { return {uses_.data(), count_}; }

 private:
  static constexpr std::size_t kMost = 8;
  Touched& add(History& history, const Use& use) noexcept {
    touches_[count_] = {&history, use.is_written};
    uses_[count_++] = use;
    return *this;
  }
  std::array<Touch, kMost> touches_;
  std::array<Use, kMost> uses_;
  std::size_t count_ = 0;
};

// A launch of a kernel of a plan.
struct Work {
  const GpuPlan& plan;
  Task task;
  Grid grid;
  Cost cost;
  std::size_t part = 0;  // number of the part if the task is a transform
};

// A launch of any kernel.
struct NamedWork {
  Kernel kernel;
  std::string_view name;  // name in reports
  Grid grid;
  Cost cost;
};

// The verb that runs, the stream for its work, and the receiver of its reports.
struct Caller {
  Pool& pool;
  Tickets& tickets;
  u32 stream;          // number that the driver gives to the stream
  u32 callers_stream;  // number of the stream in reports
  const LaunchListener* listener;
  std::string_view verb;

  // Makes a call. First makes the stream wait as the buffers require. Then runs submit(), which puts the work on the
  // stream.
  template <class F>
  Status ordered(const Touched& touched, F submit) const noexcept {
    return pool.order().call(stream, touched.touches(), submit);
  }
  // The functions from here to launch_kernel() put work on the stream and report it. Except for copy_secret_out(), only
  // the function submit() of a call may use them.
  Status upload(Address to, const void* from, std::size_t bytes, Privacy privacy) const noexcept {
    return reported("copy_in", {.bytes = bytes}, [&] { return pool.upload(stream, to, from, bytes, privacy); });
  }
  Status copy_out(std::byte* to, Address from, std::size_t bytes) const noexcept {
    return reported("copy_out", {.bytes = bytes}, [&] { return pool.driver().copy_out(stream, to, from, bytes); });
  }
  // Copies secret words to the host, and waits for them. It makes calls itself. Therefore submit() must not use it.
  Status copy_secret_out(const Touched& touched, std::byte* to, Address from, std::size_t bytes) const noexcept {
    return reported("copy_out", {.bytes = bytes},
                    [&] { return pool.download_secret(stream, touched.touches(), to, from, bytes); });
  }
  Status copy(Address to, Address from, std::size_t bytes) const noexcept {
    return reported("copy", {.bytes = 2 * bytes}, [&] { return pool.driver().copy(stream, to, from, bytes); });
  }
  Status zero(Address to, std::size_t bytes) const noexcept {
    return reported("zero", {.bytes = bytes}, [&] { return pool.driver().zero(stream, to, bytes); });
  }
  template <class Args>
  Status launch(const Work& work, const Args& args, const Touched& touched) const noexcept {
    return launch_kernel({work.plan.kernel(work.task, work.part), name_of(work.task), work.grid, work.cost}, args,
                         touched);
  }
  template <class Args>
  Status launch_kernel(const NamedWork& work, const Args& args, const Touched& touched) const noexcept {
    static_assert(sizeof(Args) <= kMostArgs);
    const KernelCall call{work.kernel, work.grid, std::as_bytes(std::span(&args, 1)), touched.uses()};
    return reported(work.name, work.cost, [&] { return pool.driver().launch(stream, call); });
  }
  // Makes a call that launches one kernel.
  template <class Args>
  Status call(const Work& work, const Args& args, const Touched& touched) const noexcept {
    return ordered(touched, [&] { return launch(work, args, touched); });
  }

 private:
  template <class F>
  Status reported(std::string_view name, const Cost& cost, F submit) const noexcept {
    if (listener == nullptr) return submit();
    Launch launch{name, callers_stream, tickets.mark(stream), {}, cost, verb};
    const Status status = submit();
    if (status != Status::ok) return status;
    launch.end = tickets.mark(stream);
    listener->launched(launch);
    return status;
  }
};

}  // namespace ringfort::device
