// SPDX-License-Identifier: Apache-2.0
// Makes a kernel when it is first requested. Keeps one library of kernels for all equal machines (library.h).
#include "backend/rpu/library.h"

#include <algorithm>
#include <new>

#include "backend/rpu/transforms.h"
#include "codegen/schedule.h"
#include "sim/refusal.h"

namespace ringfort::rpu_host {
namespace {

bool equal(const rpu::Machine& a, const rpu::Machine& b) noexcept {
  for (std::size_t i = 0; i < rpu::kParameters.size(); ++i) {
    if (rpu::get_parameter(a, i) != rpu::get_parameter(b, i)) return false;
  }
  return true;
}

}  // namespace

Kernel Library::generate(const Key& key) const {
  if (key.routine == Routine::forward || key.routine == Routine::inverse)
    return transform_kernel(key.words, key.count, key.routine == Routine::inverse, machine_);
  Boundaries boundaries;
  const rpu::Plan plan = routine_plan(key.routine, key.words, key.count, boundaries);
  const auto found = rpu::schedule(plan, machine_, {.optimizer = rpu::Optimizer::best, .tries = 1});
  if (!found) throw rpu::Refusal("no schedule of a kernel fits the registers", "set hples=128,banks=128");
  const RoutineNeeds needs = routine_needs(key.routine, key.count);
  return link(found->code, boundaries, needs.moduli, needs.scalars, machine_);
}

std::shared_ptr<const Kernel> Library::kernel(Routine routine, u32 words, u32 count) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Kernel>& found = kernels_[{routine, words, count}];
  if (found == nullptr) {
    Kernel kernel = generate({routine, words, count});
    kernel.name = kRoutineNames[static_cast<std::size_t>(routine)];
    found = std::make_shared<const Kernel>(std::move(kernel));
  }
  if (found->scalar_words() > machine_.sdm_words) {
    const std::string needed = std::to_string(found->scalar_words());
    throw rpu::Refusal(
        "a kernel needs " + needed + " words of sdm, but the machine has " + std::to_string(machine_.sdm_words),
        "set sdm_words=" + needed);
  }
  return found;
}

namespace {

struct Recent {
  ForkMutex mutex{ForkMutex::Order::outer};
  std::vector<std::shared_ptr<Library>> libraries;  // ascending order of last use
};

// Never destroyed, because other threads may open devices while the process exits. Made when the program is loaded: a
// child that was forked while another thread made it would wait for ever.
Recent& recent_libraries() {
  static Recent& only = *new Recent;
  return only;
}
[[maybe_unused]] const bool libraries_made = [] {
  try {
    recent_libraries();
  } catch (const std::bad_alloc&) { return false; }  // the first use tries again
  return true;
}();

}  // namespace

std::shared_ptr<Library> library_of(const rpu::Machine& machine) {
  auto& [mutex, recent] = recent_libraries();
  // A library has a ForkMutex, which a thread that holds one must not make or destroy.
  auto created = std::make_shared<Library>(machine);
  std::shared_ptr<Library> dropped;
  const std::lock_guard lock(mutex);
  const auto found = std::find_if(recent.begin(), recent.end(),
                                  [&](const auto& library) { return equal(library->machine(), machine); });
  if (found != recent.end()) std::rotate(found, found + 1, recent.end());
  else recent.push_back(std::move(created));
  if (recent.size() > kKeptLibraries) {
    dropped = std::move(recent.front());
    recent.erase(recent.begin());
  }
  return recent.back();
}

}  // namespace ringfort::rpu_host
