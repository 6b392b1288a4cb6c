// SPDX-License-Identifier: Apache-2.0
// The interface of a device. Its operations, *verbs* (backend/verbs.h), run on streams. Only failure() throws. Rules:
//   Order. Verbs that use the same buffer take effect in the order of their calls, whatever their streams. Therefore a
//     device that overlaps verbs must track the last writer and the readers of each buffer.
//   Host memory. Before run() returns, it has read all host memory to which its verbs point. Results are in host memory
//     after synchronize() of the stream. The caller must not touch that memory earlier.
//   Device memory. `Contents` states whether new memory is zero. release() takes effect after all earlier verbs, and
//     zeroes the memory if `wipe` is true. lend() returns a buffer in the caller's memory, never zeroed, or nullptr.
//   Failure. If a verb fails after run(), all later verbs and synchronize() fail. No wrong word reaches the host.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "backend/verbs.h"

namespace ringfort {

struct Stream {
  u32 index = 0;    // verbs of one stream take effect in order
  u32 threads = 1;  // largest number of threads of one verb
};

enum class Contents : u8 { zeroed, undefined };

// If a device uses host memory, it locks secret memory and excludes it from core dumps (docs/notes/0017).
enum class Privacy : u8 { open, secret };

struct MemoryUse {        // sizes in bytes
  std::size_t used = 0;   // size of all buffers that are not released
  std::size_t peak = 0;   // the largest `used` so far
  std::size_t limit = 0;  // 0: unknown
};

// Time and energy of the device at the end of all earlier verbs of the stream. A device may set only `event`. Then
// resolve() sets the other members. `event_data` is freed with the last copy of the ticket.
struct Ticket {
  u64 event = 0;
  std::shared_ptr<const void> event_data{};
  double us = 0;                            // steady clock; on a modelled device, time since the device was opened
  double energy_uj = 0;                     // only modelled devices set this and the next two members
  double compute_us = 0, transform_us = 0;  // time of computation, and the part of it in transforms
};

struct Launch {           // a part of the work of a verb: a kernel, a program or a transfer
  std::string_view name;  // a string literal
  u32 stream = 0;
  Ticket begin, end;
  Cost cost{};              // all zero: unknown
  std::string_view verb{};  // a string literal; empty: the verb is in the current run()
};

class LaunchListener {
 public:
  virtual ~LaunchListener() = default;
  virtual void launched(const Launch& launch) const noexcept = 0;
};

struct Roofs {                                          // peak rates, which limit the speed of verbs; 0: unknown
  double bytes_per_us = 0, multiplications_per_us = 0;  // bytes from memory to the multipliers; modular products
};

struct Capabilities {
  bool simulated_time = false;
  bool by_limbs = false;             // a key switch needs memory only for the digits of one limb per thread
  bool joins_verbs = false;          // callers should collect verbs: a long sequence is faster than single verbs
  bool wants_batches = false;        // a verb on a batch is faster than verbs on single objects, even with copies
  bool computes = true;              // false: verbs have no results. Callers need not compute their operands
  std::string_view instruction_set;  // "generic", "avx2", "avx2-fma", "avx512", "ifma"; empty: none
  std::string_view plans;            // text for messages: the plans that prepare() accepts; empty: all plans
  Roofs roofs;                       // peak rates of a modelled device
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual Capabilities capabilities() const noexcept = 0;
  virtual Status prepare(const Plan& plan, std::shared_ptr<const PreparedPlan>& out) noexcept = 0;

  virtual Status allocate(std::size_t bytes, Contents contents, Privacy privacy, DeviceBuffer*& out) noexcept = 0;
  virtual void release(DeviceBuffer* buffer, bool wipe) noexcept = 0;
  virtual DeviceBuffer* lend(void* /*memory*/, std::size_t /*bytes*/) noexcept { return nullptr; }
  [[nodiscard]] virtual MemoryUse memory() const noexcept = 0;

  [[nodiscard]] virtual bool fuses(const Verb& verb) const noexcept = 0;  // true: runs this optional verb itself
  // Runs verbs as if one ran after another. `ends` is empty, or has a ticket for the end of each verb.
  virtual Status run(Stream s, std::span<const Verb> verbs, std::span<Ticket> ends) noexcept = 0;
  virtual Status synchronize(Stream s) noexcept = 0;
  [[nodiscard]] virtual std::string failure() const { return {}; }  // the cause of the failure, if known

  // mark() returns a ticket, and never blocks. resolve() completes tickets of mark() and run(). It may block.
  virtual Ticket mark(Stream s) noexcept = 0;
  virtual void resolve(Ticket&) noexcept {}
  virtual void report_launches(const LaunchListener*) noexcept {}  // nullptr: no reports
};

}  // namespace ringfort
