// SPDX-License-Identifier: Apache-2.0
// Runs launches on the simulator and on the native path (kernels compiled for the host), and compares the two (run.h).
// DPUs with equal Work (sdk/native/native.h) take equal cycles. With Fidelity::shapes, the first DPU of each shape in a
// launch runs on the simulator. With Fidelity::once, the first DPU of each shape since the allocation does. About one
// of a hundred other DPUs also runs on the simulator, as a check, but at most four DPUs per launch. The number of the
// launch determines these DPUs. With these two settings, each simulated DPU also runs on the native path. If the
// results differ in one byte, the DPU faults. hw/pim/README.md explains the terms.
#include "run.h"
#include "sim/words.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ringfort::pim {
namespace {

constexpr u64 kCheckOneOf = 100;
constexpr u32 kMostChecks = 4;

std::vector<u8> arguments_of(const dpu_t& dpu) {
  const Symbol symbol = dpu.program->program->symbols.find("arguments")->second;
  std::vector<u8> bytes(dpu.program->native->argument_bytes);
  dpu.sim->read(symbol.address, bytes);
  return bytes;
}

u32 heap_of(const dpu_t& dpu) {
  return dpu.program->program->symbols.find("__sys_used_mram_end")->second.address - kMramBase;
}

bool has_code(const dpu_t& dpu) { return !dpu.program->program->instructions.empty(); }

u64 simulate(dpu_t& dpu) {
  settle(dpu);
  const RunReport report = dpu.sim->run(dpu.rank->system->cycle_limit);
  dpu.fault = report.fault;
  return report.counters.cycles;
}

// Runs a DPU natively on a copy of its memory, then on the simulator. If the results differ, sets the fault of the DPU.
u64 simulate_and_compare(dpu_t& dpu) {
  settle(dpu);
  const NativeCheck check(*dpu.program->native, arguments_of(dpu), dpu.sim->mram(), heap_of(dpu));
  const RunReport report = dpu.sim->run(dpu.rank->system->cycle_limit);
  dpu.fault = report.fault;
  if (report.fault.code != FaultCode::none) return report.counters.cycles;
  const auto difference = check.first_difference(dpu.sim->mram());
  if (difference || check.report().broken || check.report().dma_bytes != report.counters.dma_bytes) {
    dpu.fault = {
        FaultCode::native_differs, 0, 0,
        "the native path of " + std::string(dpu.program->native->name) + " differs from the simulator" +
            (difference ? " at byte " + std::to_string(*difference) + " of MRAM" : " in the bytes that it moves") +
            "; allocate with fidelity=full"};
  }
  return report.counters.cycles;
}

bool is_chosen(u64 launch, u32 dpu) {
  constexpr u32 kAll = 0xffffffff;
  return generated_word(launch, dpu, kAll) % kCheckOneOf == 0;
}

void run_by_shape(const Members& members, LaunchReport& report) {
  std::vector<MeasuredShape>& shapes = members.system->shapes;
  if (members.system->fidelity == Fidelity::shapes) shapes.clear();
  const u64 launch = members.system->launches;
  u32 checks = 0;
  for (u32 i = 0; i < members.dpus.size(); ++i) {
    dpu_t& dpu = *members.dpus[i];
    auto arguments = arguments_of(dpu);
    const Work work = dpu.program->native->work(arguments.data());
    const auto known =
        std::find_if(shapes.begin(), shapes.end(), [&](const MeasuredShape& shape) { return shape.work == work; });
    const bool checked = known != shapes.end() && checks < kMostChecks && is_chosen(launch, i);
    checks += checked ? 1 : 0;
    if (known == shapes.end() || checked) {
      const u64 cycles = simulate_and_compare(dpu);
      report.cycles = std::max(report.cycles, cycles);
      ++report.simulated;
      if (known == shapes.end()) shapes.push_back({work, cycles});
    } else {
      report.cycles = std::max(report.cycles, known->cycles);
      if (work.units != 0) dpu.owed.push_back({dpu.program->native, std::move(arguments), heap_of(dpu)});
    }
  }
}

void run_by_table(const Members& members, LaunchReport& report) {
  report.estimated = true;
  for (dpu_t* dpu : members.dpus) {
    auto arguments = arguments_of(*dpu);
    const auto cycles = cycles_from_table(dpu->program->native->work(arguments.data()));
    if (cycles) report.cycles = std::max(report.cycles, static_cast<u64>(std::llround(*cycles)));
    else
      dpu->fault = {FaultCode::unknown_cost, 0, 0,
                    "data/kernel_cycles.json has no cost of this launch of " + std::string(dpu->program->native->name) +
                        ", and there is no compiler to measure it: apt-get install clang-19 lld-19"};
    dpu->owed.push_back({dpu->program->native, std::move(arguments), heap_of(*dpu)});
  }
}

}  // namespace

LaunchReport run_dpus(const Members& members) {
  LaunchReport report;
  ++members.system->launches;
  for (dpu_t* dpu : members.dpus) dpu->fault = {};
  const auto is_native = [](const dpu_t* dpu) { return dpu->program->native != nullptr; };
  const bool all_native = std::all_of(members.dpus.begin(), members.dpus.end(), is_native);
  const bool all_code =
      std::all_of(members.dpus.begin(), members.dpus.end(), [](const dpu_t* dpu) { return has_code(*dpu); });
  if (all_native && !all_code) {
    run_by_table(members, report);
  } else if (all_native && members.system->fidelity != Fidelity::full) {
    run_by_shape(members, report);
  } else {
    for (dpu_t* dpu : members.dpus) {
      report.cycles = std::max(report.cycles, simulate(*dpu));
      ++report.simulated;
      if (dpu->fault.code == FaultCode::cycle_limit) break;  // the other DPUs would probably reach the cycle limit, too
    }
  }
  return report;
}

// Runs the pending launches of a DPU. If the host runs out of memory, the interrupted launch stays pending. A later
// call runs it again from its start. A second run gives the right result: a kernel that works in place needs no new
// pages. Therefore it cannot be interrupted. All other kernels do not read their output.
void settle(dpu_t& dpu) {
  struct Paid {
    std::vector<Owed>& all;
    std::ptrdiff_t count = 0;
    ~Paid() { all.erase(all.begin(), all.begin() + count); }
  } paid{dpu.owed};
  for (const auto& owed : dpu.owed) {
    if (run_native(*owed.kernel, owed.arguments, dpu.sim->mram(), owed.heap).broken)
      dpu.fault = {FaultCode::dma_size, 0, 0,
                   "a transfer of " + std::string(owed.kernel->name) +
                       " breaks a rule of the DMA engine; with fidelity=full the launch names it"};
    ++paid.count;
  }
}

}  // namespace ringfort::pim
