// SPDX-License-Identifier: Apache-2.0
// VectorMemory chooses the addresses of values in the vector memory, which is on the chip. A loaded value takes a
// region whose value is not used again. If there are several such regions, the loaded value takes the region where the
// load can begin first. If there is none, it replaces the values whose next use is latest [Belady66]. A result takes
// the region that the processor used last. The program of the result cannot start before that use ends, and therefore
// does not wait for the region. Tables are at the other end of the memory, so that polynomials leave no gaps.
#pragma once

#include <map>
#include <vector>

#include "backend/rpu/job.h"
#include "backend/rpu/timeline.h"

namespace ringfort::rpu_host {

class VectorMemory {
 public:
  explicit VectorMemory(const rpu::Machine& machine) : machine_(machine), words_(machine.vdm_words) {}
  void clear() noexcept { values_.clear(); }

  enum class For : u8 { load, table, result };
  // Returns an address for `words` words. The words there contain no value of `pinned`. Returns kNone if there is no
  // such address. The caller must remove the values that are there.
  [[nodiscard]] u32 find(u32 words, For what, const Job& job, const std::vector<u32>& pinned,
                         const Timeline& timeline) const;
  // Returns the values that have words in these `words` words from `address` on.
  [[nodiscard]] std::vector<u32> values_in(u32 address, u32 words, const Job& job) const;
  void assign(u32 value, u32 address) { values_[address] = value; }
  void remove(u32 address) { values_.erase(address); }

 private:
  [[nodiscard]] u64 cost(Timeline::Region region, For what, const Job& job, const std::vector<u32>& pinned,
                         const Timeline& timeline) const;
  [[nodiscard]] u64 transfer(u32 words) const noexcept;

  rpu::Machine machine_;
  u32 words_;
  std::map<u32, u32> values_;  // key: address
};

}  // namespace ringfort::rpu_host
