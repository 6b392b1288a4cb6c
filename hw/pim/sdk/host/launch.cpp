// SPDX-License-Identifier: Apache-2.0
// Loads and launches programs, waits for launches, reads logs, and runs callbacks. Before a launch returns, its
// simulated DPUs have ended. Its DPUs with native code (native.h) stay pending (run.h). An asynchronous launch is
// asynchronous only in simulated time: its ranks count as running until the host has waited for them, or has found them
// done. A status query takes a little simulated time. hw/pim/README.md explains the terms.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "run.h"
#include "sim/words.h"

namespace ringfort::pim {
namespace {

constexpr double kPollMs = 0.01;

dpu_error_t code_of(LoadError error) {
  switch (error) {
    case LoadError::unreadable: return DPU_ERR_ELF_NO_SUCH_FILE;
    case LoadError::iram_overflow: return DPU_ERR_INVALID_IRAM_ACCESS;
    case LoadError::wram_overflow: return DPU_ERR_INVALID_WRAM_ACCESS;
    case LoadError::mram_overflow: return DPU_ERR_INVALID_MRAM_ACCESS;
    case LoadError::too_many_tasklets: return DPU_ERR_INVALID_THREAD_ID;
    default: return DPU_ERR_ELF_INVALID_FILE;
  }
}

bool any_running(const Members& members) {
  return std::any_of(members.ranks.begin(), members.ranks.end(), [](const dpu_rank_t* rank) { return rank->running; });
}

// Loads an ELF program, or the text that replaces a kernel in a build without a compiler for DPUs (native.h).
Loaded<Program> load_either(std::span<const u8> file, const Chip& chip) {
  if (auto program = stand_in(file)) return std::move(*program);
  return load_program(file, chip);
}

// Tells whether all DPUs that have this program loaded are in the set.
bool is_free_for(const Members& members, const dpu_program_t& program) {
  std::ptrdiff_t all = 0;
  for (const auto& rank : members.system->ranks)
    all += std::ranges::count_if(rank->dpus, [&](const auto& dpu) { return dpu->program == &program; });
  return all == std::ranges::count_if(members.dpus, [&](const dpu_t* dpu) { return dpu->program == &program; });
}

// Makes a handle for the file. If the same file is loaded into the ranks one by one, each rank gets its own handle. If
// the same file is loaded into the same set again, the set keeps its handle.
dpu_error_t make_program(const Members& members, std::span<const u8> file, dpu_program_t*& program) {
  System& system = *members.system;
  auto handle = std::make_unique<dpu_program_t>();
  for (const auto& known : system.programs) {
    if (!std::ranges::equal(*known->file, file)) continue;
    if (is_free_for(members, *known)) {
      program = known.get();
      return DPU_OK;
    }
    *handle = *known;
  }
  if (handle->program == nullptr) {
    Loaded<Program> loaded = load_either(file, system.chip);
    if (const auto* failure = std::get_if<LoadFailure>(&loaded)) return fail(code_of(failure->error), failure->text);
    handle->file = std::make_shared<const std::vector<u8>>(file.begin(), file.end());
    handle->program = std::make_shared<const Program>(std::move(std::get<Program>(loaded)));
    handle->native = native_of(*handle->program);
  }
  program = handle.get();
  system.programs.push_back(std::move(handle));
  return DPU_OK;
}

// Adds the time of loading. No measurement of this time is published. We use a lower bound: the time of a broadcast of
// the code and the data.
void spend_load(const Members& members, const Program& program) {
  constexpr std::size_t kInstructionBytes = 8;  // the host transfers each 48-bit instruction as 8 bytes
  std::size_t bytes = program.instructions.size() * kInstructionBytes;
  for (const auto& piece : program.memory) bytes += piece.bytes.size();
  const auto ranks = static_cast<u32>(members.ranks.size());
  advance(members, {.kind = RINGFORT_PIM_LOAD,
                    .duration_ms = members.system->profile.broadcast_ms(static_cast<double>(bytes), ranks),
                    .bytes = bytes * members.dpus.size(),
                    .asynchronous = true});
}

dpu_error_t load_into(const Members& members, std::span<const u8> file, dpu_program_t** program) {
  dpu_program_t* handle = nullptr;
  if (const dpu_error_t status = make_program(members, file, handle); status != DPU_OK) return status;
  for (dpu_t* dpu : members.dpus) {
    settle(*dpu);
    dpu->sim->load(handle->program);
    dpu->program = handle;
    dpu->fault = {};
  }
  spend_load(members, *handle->program);
  if (program != nullptr) *program = handle;
  return DPU_OK;
}

dpu_error_t check_idle(const Members& members) {
  if (members.system == nullptr) return fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated");
  if (any_running(members))
    return fail(DPU_ERR_DPU_ALREADY_RUNNING, "an asynchronous launch runs on a rank of the set; call dpu_sync first");
  return DPU_OK;
}

dpu_error_t report_faults(const Members& members) {
  std::size_t index = 0;
  for (const dpu_t* dpu : members.dpus) {
    if (dpu->fault.code != FaultCode::none)
      return fail(DPU_ERR_DPU_FAULT, "DPU " + std::to_string(index) + " of the set, " + dpu->fault.text);
    ++index;
  }
  return DPU_OK;
}

dpu_error_t run_all(const Members& members, bool asynchronous) {
  const LaunchReport report = run_dpus(members);
  const auto ranks = static_cast<u32>(members.ranks.size());
  const double running_ms = static_cast<double>(report.cycles) / (members.system->chip.clock_mhz * 1e3);
  advance(members, {.kind = RINGFORT_PIM_LAUNCH,
                    .duration_ms = members.system->profile.launch_ms(ranks) + running_ms,
                    .cycles = report.cycles,
                    .asynchronous = asynchronous,
                    .estimated = report.estimated,
                    .simulated = report.simulated});
  for (dpu_rank_t* rank : members.ranks) rank->running = asynchronous;
  return asynchronous ? DPU_OK : report_faults(members);
}

void wait_for(const Members& members) {
  for (dpu_rank_t* rank : members.ranks) {
    members.system->host_ms = std::max(members.system->host_ms, rank->free_ms);
    rank->running = false;
  }
}

}  // namespace
}  // namespace ringfort::pim

using namespace ringfort::pim;

extern "C" {

dpu_error_t dpu_load(dpu_set_t set, const char* binary_path, dpu_program_t** program) {
  return guarded([&] {
    const Members members = members_of(set);
    if (const dpu_error_t status = check_idle(members); status != DPU_OK) return status;
    if (binary_path == nullptr) return fail(DPU_ERR_ELF_NO_SUCH_FILE, "the path of the DPU program is a null pointer");
    std::ifstream file(binary_path, std::ios::binary);
    if (!file)
      return fail(DPU_ERR_ELF_NO_SUCH_FILE, std::string("the DPU program ") + binary_path + " cannot be opened");
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return load_into(members, bytes, program);
  });
}

dpu_error_t dpu_load_from_memory(dpu_set_t set, uint8_t* buffer, size_t size, dpu_program_t** program) {
  return guarded([&] {
    const Members members = members_of(set);
    if (const dpu_error_t status = check_idle(members); status != DPU_OK) return status;
    if (buffer == nullptr) return fail(DPU_ERR_ELF_INVALID_FILE, "the DPU program is a null pointer");
    return load_into(members, {buffer, size}, program);
  });
}

dpu_error_t dpu_load_from_incbin(dpu_set_t set, dpu_incbin_t* incbin, dpu_program_t** program) {
  return dpu_load_from_memory(set, incbin->buffer, incbin->size, program);
}

dpu_error_t dpu_get_symbol(dpu_program_t* program, const char* symbol_name, dpu_symbol_t* symbol) {
  return guarded([&] {
    if (symbol_name == nullptr) return fail(DPU_ERR_UNKNOWN_SYMBOL, "the name of the variable is a null pointer");
    if (program == nullptr) return fail(DPU_ERR_NO_PROGRAM_LOADED, "the program is a null pointer");
    const auto found = program->program->symbols.find(symbol_name);
    if (found == program->program->symbols.end())
      return fail(DPU_ERR_UNKNOWN_SYMBOL, std::string(symbol_name) + " is not a variable of the program");
    *symbol = {found->second.address, found->second.bytes};
    return DPU_OK;
  });
}

dpu_error_t dpu_launch(dpu_set_t set, dpu_launch_policy_t policy) {
  return guarded([&] {
    const Members members = members_of(set);
    if (const dpu_error_t status = check_idle(members); status != DPU_OK) return status;
    if (policy != DPU_SYNCHRONOUS && policy != DPU_ASYNCHRONOUS)
      return fail(DPU_ERR_INVALID_LAUNCH_POLICY, "the policy of a launch must be DPU_SYNCHRONOUS or DPU_ASYNCHRONOUS");
    for (const dpu_t* dpu : members.dpus) {
      if (dpu->program == nullptr)
        return fail(DPU_ERR_NO_PROGRAM_LOADED, "a DPU of the set has no program; call dpu_load before dpu_launch");
    }
    return run_all(members, policy == DPU_ASYNCHRONOUS);
  });
}

dpu_error_t dpu_status(dpu_set_t set, bool* done, bool* fault) {
  return guarded([&] {
    const Members members = members_of(set);
    if (members.system == nullptr) return fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated");
    members.system->host_ms += kPollMs;
    *done = true;
    for (dpu_rank_t* rank : members.ranks) {
      if (rank->free_ms <= members.system->host_ms) rank->running = false;
      *done = *done && !rank->running;
    }
    *fault = *done && std::any_of(members.dpus.begin(), members.dpus.end(),
                                  [](const dpu_t* dpu) { return dpu->fault.code != FaultCode::none; });
    return DPU_OK;
  });
}

dpu_error_t dpu_sync(dpu_set_t set) {
  return guarded([&] {
    const Members members = members_of(set);
    if (members.system == nullptr) return fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated");
    wait_for(members);
    return report_faults(members);
  });
}

dpu_error_t dpu_callback(dpu_set_t set, dpu_error_t (*callback)(dpu_set_t, uint32_t, void*), void* args,
                         dpu_callback_flags_t flags) {
  return guarded([&] {
    const Members members = members_of(set);
    if (members.system == nullptr) return fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated");
    if ((flags & DPU_CALLBACK_ASYNC) == 0) wait_for(members);
    if ((flags & DPU_CALLBACK_SINGLE_CALL) != 0 || set.kind == DPU_SET_DPU) return callback(set, 0, args);
    for (std::uint32_t r = 0; r < set.list.nr_ranks; ++r) {
      dpu_set_t one{};
      one.kind = DPU_SET_RANKS;
      one.list = {1, set.list.ranks + r};
      if (const dpu_error_t status = callback(one, r, args); status != DPU_OK) return status;
    }
    return DPU_OK;
  });
}

dpu_error_t dpulog_read_for_dpu(dpu_t* dpu, FILE* stream) {
  return guarded([&] {
    const std::string text = dpu->sim->take_log();
    return std::fwrite(text.data(), 1, text.size(), stream) == text.size()
               ? DPU_OK
               : fail(DPU_ERR_SYSTEM, "the log cannot be written to the stream");
  });
}

dpu_error_t dpu_log_read(dpu_set_t set, FILE* stream) {
  return guarded([&] {
    const Members members = members_of(set);
    if (members.system == nullptr) return fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated");
    for (dpu_t* dpu : members.dpus) {
      if (const dpu_error_t status = dpulog_read_for_dpu(dpu, stream); status != DPU_OK) return status;
    }
    return DPU_OK;
  });
}

}  // extern "C"
