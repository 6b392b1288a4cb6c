// SPDX-License-Identifier: Apache-2.0
// Runs kernels that are compiled for the host. The tasklets of a launch are contexts (context.h) of one thread. In each
// round, one tasklet after the other runs to its next barrier or its end, in the order of the tasklets' numbers. A
// process runs one launch at a time, because the variables of the kernels are global. hw/pim/README.md explains the
// terms.
#include "native.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <mutex>

#include "context.h"

extern "C" {
#include "include/barrier.h"
#include "include/defs.h"
#include "include/mram.h"
#include "sim/words.h"
}

namespace ringfort::pim {
namespace {

constexpr std::size_t kStackBytes = 1 << 16;

class Launch {
 public:
  Launch(const NativeKernel& kernel, const Mram& from, Mram& to, u32 heap)
      : kernel_(kernel),
        from_(from),
        to_(to),
        heap_(heap) {}

  NativeReport run_tasklets(std::vector<std::pair<u32, u32>>* ranges);

  unsigned tasklet() const { return tasklet_; }
  void yield() { contexts_[tasklet_].leave_for(scheduler_); }
  void transfer(u64 mram, void* wram, u32 bytes, bool is_write) noexcept;
  u32 heap() const { return heap_; }

 private:
  static void enter();
  void move(u32 offset, std::span<u8> bytes, bool is_write);
  bool round();

  const NativeKernel& kernel_;
  const Mram& from_;
  Mram& to_;
  u32 heap_;
  unsigned tasklet_ = 0;
  Context scheduler_;
  std::array<Context, kNativeTasklets> contexts_;
  std::array<bool, kNativeTasklets> ended_{};
  NativeReport report_;
  // An exception in a transfer, caught in the context of a tasklet. run_tasklets() throws it again in the caller's
  // context.
  std::exception_ptr thrown_;
  std::vector<std::pair<u32, u32>>* ranges_ = nullptr;
};

Launch* running = nullptr;
std::mutex one_launch;

// Never destroyed, because other threads may launch kernels while the process exits.
std::vector<u8>& stacks() {
  static auto& memory = *new std::vector<u8>(kNativeTasklets * kStackBytes);
  return memory;
}

void Launch::enter() {
  running->kernel_.main();
  running->ended_[running->tasklet_] = true;
  running->yield();
}

// Runs every tasklet once. Returns true if a tasklet has not ended.
bool Launch::round() {
  bool going = false;
  for (tasklet_ = 0; tasklet_ < kNativeTasklets && !report_.broken; ++tasklet_) {
    if (ended_[tasklet_]) continue;
    scheduler_.leave_for(contexts_[tasklet_]);
    going = going || !ended_[tasklet_];
  }
  return going && !report_.broken;
}

NativeReport Launch::run_tasklets(std::vector<std::pair<u32, u32>>* ranges) {
  ranges_ = ranges;
  running = this;
  for (unsigned t = 0; t < kNativeTasklets; ++t)
    contexts_[t].begin(&Launch::enter, std::span(stacks()).subspan(t * kStackBytes, kStackBytes));
  while (round()) {}
  running = nullptr;
  if (thrown_) std::rethrow_exception(thrown_);
  return report_;
}

bool keeps_rules(u64 mram, const void* wram, u32 bytes) {
  const bool sized = bytes != 0 && bytes <= kLongestDma && bytes % 8 == 0;
  const bool aligned = mram % 8 == 0 && reinterpret_cast<std::uintptr_t>(wram) % 8 == 0;
  return sized && aligned && mram >= kMramBase && mram - kMramBase <= kMramBytes - bytes;
}

void Launch::transfer(u64 mram, void* wram, u32 bytes, bool is_write) noexcept {
  if (!keeps_rules(mram, wram, bytes)) {
    report_.broken = true;
    yield();  // never resumed
  }
  report_.dma_bytes += bytes;
  try {
    move(static_cast<u32>(mram - kMramBase), {static_cast<u8*>(wram), bytes}, is_write);
    return;
  } catch (...) { thrown_ = std::current_exception(); }
  report_.broken = true;
  yield();  // never resumed
}

void Launch::move(u32 offset, std::span<u8> bytes, bool is_write) {
  if (!is_write) {
    from_.read(offset, bytes);
  } else {
    to_.write(offset, bytes);
    if (ranges_ != nullptr) ranges_->push_back({offset, static_cast<u32>(bytes.size())});
  }
}

NativeReport launch(const NativeKernel& kernel, std::span<const u8> arguments, Launch& current,
                    std::vector<std::pair<u32, u32>>* ranges) {
  const std::scoped_lock lock(one_launch);
  std::memcpy(kernel.arguments, arguments.data(), std::min(arguments.size(), kernel.argument_bytes));
  return current.run_tasklets(ranges);
}

constexpr std::string_view kStandIn = "ringfort-pim-kernel ";
constexpr std::string_view kSymbol = "__ringfort_native_";

}  // namespace

const NativeKernel* find_native(std::string_view name) {
  const auto kernels = native_kernels();
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const NativeKernel& kernel) { return kernel.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

const NativeKernel* native_of(const Program& program) {
  const auto symbol = program.symbols.lower_bound(kSymbol);
  if (symbol == program.symbols.end() || !symbol->first.starts_with(kSymbol) || program.tasklets != kNativeTasklets)
    return nullptr;
  return find_native(std::string_view(symbol->first).substr(kSymbol.size()));
}

std::string stand_in_text(std::string_view name) { return std::string(kStandIn) + std::string(name) + "\n"; }

std::optional<Program> stand_in(std::span<const u8> file) {
  std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kStandIn) || !text.ends_with('\n')) return std::nullopt;
  const NativeKernel* kernel = find_native(text.substr(kStandIn.size(), text.size() - kStandIn.size() - 1));
  if (kernel == nullptr) return std::nullopt;
  Program program;
  program.tasklets = kNativeTasklets;
  program.symbols["arguments"] = {8, static_cast<u32>(kernel->argument_bytes)};
  program.symbols["__sys_used_mram_end"] = {kMramBase, 0};
  program.symbols[std::string(kSymbol) + std::string(kernel->name)] = {1, 0};
  return program;
}

NativeReport run_native(const NativeKernel& kernel, std::span<const u8> arguments, Mram& mram, u32 heap) {
  Launch current(kernel, mram, mram, heap);
  return launch(kernel, arguments, current, nullptr);
}

NativeCheck::NativeCheck(const NativeKernel& kernel, std::span<const u8> arguments, const Mram& mram, u32 heap)
    : written_(mram.copy()) {
  Launch current(kernel, written_, written_, heap);
  report_ = launch(kernel, arguments, current, &ranges_);
}

std::optional<u32> NativeCheck::first_difference(const Mram& mram) const {
  std::array<u8, kLongestDma> here, there;
  for (const auto& [offset, bytes] : ranges_) {
    written_.read(offset, std::span(here).first(bytes));
    mram.read(offset, std::span(there).first(bytes));
    const auto [a, b] = std::mismatch(here.begin(), here.begin() + bytes, there.begin());
    if (a != here.begin() + bytes) return offset + static_cast<u32>(a - here.begin());
  }
  return std::nullopt;
}

}  // namespace ringfort::pim

// The functions of the vendor's SDK that the kernels call.
extern "C" {

using ringfort::pim::running;

sysname_t me(void) { return static_cast<sysname_t>(running->tasklet()); }

void barrier_wait(barrier_t*) { running->yield(); }

void mram_read(const void* from, void* to, unsigned int nb_of_bytes) {
  running->transfer(reinterpret_cast<std::uintptr_t>(from), to, nb_of_bytes, false);
}

void mram_write(const void* from, void* to, unsigned int nb_of_bytes) {
  running->transfer(reinterpret_cast<std::uintptr_t>(to), const_cast<void*>(from), nb_of_bytes, true);
}

void* ringfort_native_heap(void) {
  return reinterpret_cast<void*>(std::uintptr_t{ringfort::pim::kMramBase} + running->heap());
}

}  // extern "C"
