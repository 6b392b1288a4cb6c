// SPDX-License-Identifier: Apache-2.0
// The narrow waist: what a device is to everything above it. Verbs (backend/verbs.h) run on streams, and nothing
// throws.
//
// Four rules, of which everything above may be sure and on which nothing above may improve:
//   Order. Verbs that touch one buffer take effect in the order in which they were called, whatever their streams: a
//     device that overlaps keeps the last writer and the readers of each buffer. A stream says what may overlap.
//   Host memory. What a verb was handed by pointer or span it has read when run() returns. What it writes to the host
//     is there when synchronize() of its stream has returned; until then the memory is the device's.
//   Device memory. allocate() says whether it is zero or undefined. release() takes effect after the verbs called
//     before it; secrets are zeroed.
//   Failure. A verb that fails after run() has returned fails everything behind it: no word that it spoiled reaches the
//     host, and every later synchronize() and Download of the device says so.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "backend/verbs.h"

namespace ringfort {

// verbs of one index take effect in order; `threads` is the most that a verb may use
struct Stream {
  u32 index = 0;
  u32 threads = 1;
};

enum class Contents : u8 { zeroed, undefined };

// Where a device's memory is the host's own, `secret` is locked and left out of core dumps (docs/notes/0017).
enum class Privacy : u8 { open, secret };

struct MemoryUse {        // bytes
  std::size_t used = 0;   // of buffers that are not released
  std::size_t peak = 0;   // the most of it so far
  std::size_t limit = 0;  // 0: the device does not say
};

// A moment of a stream: what the device had spent when the verbs before it had ended. It may set `event` and leave the
// rest to resolve().
struct Ticket {
  u64 event = 0;
  double us = 0;            // of the steady clock, or since the device was opened where time is modelled
  double energy_uj = 0;     // these three where the model has them
  double compute_us = 0;    // while it computed; else it waited for memory or for the host
  double transform_us = 0;  // of compute_us, in transforms
};

// A launch below a verb: a kernel, a program, a transfer.
struct Launch {
  std::string_view name;  // a literal
  u32 stream = 0;
  Ticket begin, end;
};

class LaunchListener {
 public:
  virtual ~LaunchListener() = default;
  virtual void launched(const Launch& launch) const noexcept = 0;
};

// What bounds a device: bytes between memory and multipliers, and modular products, in a microsecond. 0: not known.
struct Roofs {
  double bytes_per_us = 0, multiplications_per_us = 0;
};

struct Capabilities {
  bool simulated_time = false;
  bool by_limbs = false;     // room for the digits of one limb a thread is all that a key switch uses
  bool joins_verbs = false;  // a sequence takes less than its verbs one by one: callers collect what they can
  // a verb on polynomials of several objects takes less than theirs one by one, copies included
  bool wants_batches = false;
  std::string_view instruction_set;  // "generic", "avx2", "avx512", "ifma"; empty where it means nothing
  std::string_view plans;            // what prepare() takes and how to get it, as advice; empty: all that Plan allows
  Roofs roofs;                       // of a modelled device
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual Capabilities capabilities() const noexcept = 0;
  virtual Status prepare(const Plan& plan, std::shared_ptr<const PreparedPlan>& out) noexcept = 0;

  virtual Status allocate(std::size_t bytes, Contents contents, Privacy privacy, DeviceBuffer*& out) noexcept = 0;
  virtual void release(DeviceBuffer* buffer, bool wipe) noexcept = 0;
  [[nodiscard]] virtual MemoryUse memory() const noexcept = 0;

  // An optional verb that this device runs itself, on these operands; required ones are not asked for.
  [[nodiscard]] virtual bool fuses(const Verb& verb) const noexcept = 0;
  // The verbs in turn, as if one after another; each is whole. `ends`: empty, or a ticket for each verb, taken when it
  // ended.
  virtual Status run(Stream s, std::span<const Verb> verbs, std::span<Ticket> ends) noexcept = 0;
  virtual Status synchronize(Stream s) noexcept = 0;

  // Never blocks. resolve() may: it fills what mark() and run() left open.
  virtual Ticket mark(Stream s) noexcept = 0;
  virtual void resolve(Ticket&) noexcept {}
  virtual void report_launches(const LaunchListener*) noexcept {}  // nullptr: to nobody
};

}  // namespace ringfort
