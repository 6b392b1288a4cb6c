// SPDX-License-Identifier: Apache-2.0
// Puts a test between OpenCL's library and the driver of this project. The test counts the calls and makes the k-th
// call fail. It also changes or hides properties of the devices. In this file, `library` is the table of the functions
// of OpenCL's library.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>

#include "backend/opencl/library.h"
#include "backend/opencl/modules.h"

namespace ringfort::testing {

enum class Call : u8 { none, allocate, create_program, build, create_kernel, launch, copy, fill, mark };

struct FaultyState {
  opencl::Library real;
  Call failing = Call::none;
  u64 fails_at = 0;               // counted from 1
  bool is_late = false;           // if true, the call succeeds, and its command fails when it runs
  std::map<u32, u64> properties;  // numbers that the device reports instead of its own
  bool has_devices = true, reads_spir = true;
  std::atomic<bool> is_lost = false;
  std::atomic<u64> calls{0};
  // Number of programs that were made from this project's modules (backend/opencl/modules.h), and not from binaries in
  // the cache of compiled programs (backend/opencl/kernel_cache.h).
  std::atomic<u64> compiled{0};
  std::atomic<i64> unreleased{0};  // programs, kernels, events and memory that were not released
};

inline FaultyState& faulty() {
  static FaultyState state;
  return state;
}

// Tells whether this call is the one that fails.
inline bool strikes(Call call) {
  FaultyState& state = faulty();
  return state.failing == call && ++state.calls == state.fails_at;
}

// Counts a program if its code is one of this project's modules.
inline void count_compiled(const void* code) {
  for (const auto modules : {opencl::spirv_modules(), opencl::spir_modules()})
    faulty().compiled += static_cast<u64>(
        std::count_if(modules.begin(), modules.end(), [&](std::string_view each) { return each.data() == code; }));
}

template <class Object>
Object* unreleased(Object* object) {
  faulty().unreleased += object != nullptr;
  return object;
}
inline opencl::Result given_back(opencl::Result result) {
  faulty().unreleased -= result == opencl::kSuccess;
  return result;
}

// Passes a command on to OpenCL. If the command must fail when it runs, it is omitted, and all later commands are
// omitted too. The events of omitted commands report the failure.
template <class Enqueue>
opencl::Result command(Call call, opencl::Queue queue, u32 waits, const opencl::Event* wait_for, opencl::Event* out,
                       Enqueue enqueue) {
  FaultyState& state = faulty();
  const bool fails = strikes(call);
  if (fails && !state.is_late) return opencl::kExecutionError;
  state.is_lost = state.is_lost || fails;
  const opencl::Result result =
      state.is_lost ? state.real.mark(queue, waits, wait_for, out) : enqueue(waits, wait_for, out);
  state.unreleased += result == opencl::kSuccess;  // counts the event
  return result;
}

// Replaces functions of OpenCL's library by functions of the test.
inline void replace_devices(opencl::Library& library) {
  using opencl::Device, opencl::Platform, opencl::Result;
  library.platforms = [](u32 most, Platform* out, u32* count) {
    constexpr Result kNoPlatform = -1001;
    return faulty().has_devices ? faulty().real.platforms(most, out, count) : kNoPlatform;
  };
  library.device_info = [](Device device, u32 name, std::size_t most, void* out, std::size_t* bytes) {
    const auto other = faulty().properties.find(name);
    if (other != faulty().properties.end() && most == sizeof(u64)) {
      *static_cast<u64*>(out) = other->second;
      return opencl::kSuccess;
    }
    const bool is_hidden =
        !faulty().reads_spir && (name == opencl::kExtensions || name == opencl::kIntermediateLanguages);
    return is_hidden ? opencl::kFirstInvalid : faulty().real.device_info(device, name, most, out, bytes);
  };
}

inline void replace_memory_and_programs(opencl::Library& library) {
  using opencl::Context, opencl::Device, opencl::Flags, opencl::Kernel, opencl::Program, opencl::Result;
  library.allocate = [](Context context, Flags flags, std::size_t bytes, u32 alignment) -> void* {
    if (strikes(Call::allocate)) return nullptr;
    return unreleased(static_cast<char*>(faulty().real.allocate(context, flags, bytes, alignment)));
  };
  library.release = [](Context context, void* memory) {
    faulty().real.release(context, memory);
    --faulty().unreleased;
  };
  library.create_program = [](Context context, const void* code, std::size_t bytes, Result* result) -> Program {
    count_compiled(code);
    if (!strikes(Call::create_program)) return unreleased(faulty().real.create_program(context, code, bytes, result));
    *result = opencl::kOutOfHostMemory;
    return nullptr;
  };
  library.create_program_of_binary = [](Context context, u32 count, const Device* devices, const std::size_t* bytes,
                                        const unsigned char** code, Result* each, Result* result) -> Program {
    count_compiled(code[0]);
    if (!strikes(Call::create_program))
      return unreleased(faulty().real.create_program_of_binary(context, count, devices, bytes, code, each, result));
    *result = opencl::kOutOfHostMemory;
    return nullptr;
  };
  library.build_program = [](Program program, u32 count, const Device* devices, const char* options,
                             void (*notify)(Program, void*), void* of) {
    constexpr Result kBuildFailure = -11;
    return strikes(Call::build) ? kBuildFailure
                                : faulty().real.build_program(program, count, devices, options, notify, of);
  };
  library.release_program = [](Program program) { return given_back(faulty().real.release_program(program)); };
  library.create_kernel = [](Program program, const char* name, Result* result) -> Kernel {
    if (!strikes(Call::create_kernel)) return unreleased(faulty().real.create_kernel(program, name, result));
    *result = opencl::kOutOfResources;
    return nullptr;
  };
  library.release_kernel = [](Kernel kernel) { return given_back(faulty().real.release_kernel(kernel)); };
}

inline void replace_commands(opencl::Library& library) {
  using opencl::Event, opencl::Kernel, opencl::Queue, opencl::Result;
  library.set_used_memory = [](Kernel kernel, u32 name, std::size_t bytes, const void* pointers) {
    // Intel's driver for CPUs refuses an empty list
    return bytes == 0 ? opencl::kFirstInvalid : faulty().real.set_used_memory(kernel, name, bytes, pointers);
  };
  library.launch = [](Queue queue, Kernel kernel, u32 dimensions, const std::size_t* offset, const std::size_t* lanes,
                      const std::size_t* of_group, u32 waits, const Event* wait_for, Event* out) {
    return command(Call::launch, queue, waits, wait_for, out, [&](u32 n, const Event* events, Event* event) {
      return faulty().real.launch(queue, kernel, dimensions, offset, lanes, of_group, n, events, event);
    });
  };
  library.copy = [](Queue queue, u32 is_blocking, void* to, const void* from, std::size_t bytes, u32 waits,
                    const Event* wait_for, Event* out) {
    return command(Call::copy, queue, waits, wait_for, out, [&](u32 n, const Event* events, Event* event) {
      return faulty().real.copy(queue, is_blocking, to, from, bytes, n, events, event);
    });
  };
  library.fill = [](Queue queue, void* to, const void* pattern, std::size_t of_pattern, std::size_t bytes, u32 waits,
                    const Event* wait_for, Event* out) {
    return command(Call::fill, queue, waits, wait_for, out, [&](u32 n, const Event* events, Event* event) {
      return faulty().real.fill(queue, to, pattern, of_pattern, bytes, n, events, event);
    });
  };
  library.mark = [](Queue queue, u32 waits, const Event* wait_for, Event* out) {
    return command(Call::mark, queue, waits, wait_for, out, [&](u32 n, const Event* events, Event* event) {
      return faulty().real.mark(queue, n, events, event);
    });
  };
  library.wait_for_events = [](u32 count, const Event* events) {
    const Result result = faulty().real.wait_for_events(count, events);
    return faulty().is_lost ? opencl::kExecutionError : result;
  };
  library.event_info = [](Event event, u32 name, std::size_t most, void* out, std::size_t* bytes) {
    const Result result = faulty().real.event_info(event, name, most, out, bytes);
    if (faulty().is_lost) *static_cast<Result*>(out) = opencl::kExecutionError;
    return result;
  };
  library.retain_event = [](Event event) {
    const Result result = faulty().real.retain_event(event);
    faulty().unreleased += result == opencl::kSuccess;
    return result;
  };
  library.release_event = [](Event event) { return given_back(faulty().real.release_event(event)); };
}

inline opencl::Library faulty_library() {
  opencl::Library library = faulty().real;
  replace_devices(library);
  replace_memory_and_programs(library);
  replace_commands(library);
  return library;
}

}  // namespace ringfort::testing
