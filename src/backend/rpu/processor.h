// SPDX-License-Identifier: Apache-2.0
// A simulated ring processor (docs/rpu.md), which computes on vectors of 512 words of 128 bits. It has registers, an
// on-chip vector memory, and a controller that moves polynomials between off-chip memory (the backend's buffers) and
// the vector memory. It counts the time and the energy of each stream.
//
// The verbs of one run() are one job (docs/notes/0019). First the verbs are recorded (job.h). Then the processor runs
// the steps in an order that it chooses. Words stay in the vector memory while there is space. Other words are loaded
// again when steps need them. A word of any type takes 16 bytes in a transfer to or from the vector memory. There is
// one job at a time. Callers hold the mutex.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <span>

#include "backend/host.h"
#include "backend/rpu/library.h"
#include "backend/rpu/vector_memory.h"
#include "backend/rpu/transforms.h"
#include "base/fork_mutex.h"
#include "sim/functional.h"

namespace ringfort::rpu_host {

// A kernel on this processor.
struct Program {
  Program(std::shared_ptr<const Kernel> k, const rpu::Machine& machine);

  std::shared_ptr<const Kernel> kernel;
  rpu::Functional simulator;
  u64 job = 0;    // the last job that fetched the program
  u64 ready = 0;  // time when its instructions have arrived
};

// Coefficients [offset, offset + length) of `rows` polynomials, from number `polynomial` on. The rows are contiguous.
struct Tile {
  std::size_t polynomial = 0;
  u32 rows = 1, offset = 0, length = 0;
  [[nodiscard]] u32 words() const noexcept { return rows * length; }
};

class Processor {
 public:
  explicit Processor(std::shared_ptr<Library> library);
  Processor(const Processor&) = delete;
  Processor& operator=(const Processor&) = delete;
  ~Processor();  // zeroes the memories, which may have held secrets

  [[nodiscard]] const rpu::Machine& machine() const noexcept { return library_->machine(); }
  [[nodiscard]] ForkMutex& mutex() const noexcept { return mutex_; }
  // Returns a program. Generates it if it is missing. Throws rpu::Refusal.
  [[nodiscard]] Program* program(Routine routine, u32 words, u32 count = 1);

  // Zeroes the memory that was used since the last call.
  void forget() noexcept;
  [[nodiscard]] Ticket clock(Stream s) const noexcept { return clocks_[std::min(s.index, kStreams - 1)]; }
  void report(const LaunchListener* listener) noexcept { listener_ = listener; }

  // A job consists of begin(), of verb() and the work of each verb, and of finish(). finish() adds the time and the
  // energy of the job to the clock of the stream, and writes the state of this clock after each verb to `ends`. All
  // three functions throw std::bad_alloc.
  void begin(std::size_t verbs);
  void verb(u32 index);
  [[nodiscard]] bool is_sequence() const noexcept { return shares_.size() > 1; }  // the job has several verbs
  void finish(Stream s, std::span<Ticket> ends);
  void abandon() noexcept;  // drops the job
  [[nodiscard]] bool trapped() const noexcept { return trapped_; }

  // Verbs record their work with the functions below. The name of a value is valid until the verb ends.
  // Limbs and polynomials are numbered within the view.
  struct LimbTile {
    u32 limb;
    Tile tile;
    bool single = false;  // all rows of the tile are copies of polynomial 0
  };
  void load(u32 name, const View& from, std::span<const LimbTile> tiles);
  void load(u32 name, const View& from, u32 limb, const Tile& tile, bool single = false) {
    load(name, from, std::array{LimbTile{limb, tile, single}});
  }
  void store(u32 name, const View& to, std::span<const LimbTile> tiles);
  void store(u32 name, const View& to, u32 limb, const Tile& tile) {
    store(name, to, std::array{LimbTile{limb, tile}});
  }
  // Gives this name to a table in off-chip memory. `fill` writes the first `roots` words of the table. Equal
  // keys mean equal tables.
  void table(u32 name, std::pair<const void*, u32> key, u32 words, u32 roots,
             std::function<void(std::span<u128>)> fill);
  // Gives this name to words that arrive over the host's link. `fill` writes them.
  void arrive(u32 name, u32 words, u64 word_bytes, std::function<void(std::span<u128>)> fill);
  // Runs a program `tiles` times. Each run takes the next words of every value. `names` has one name for each region.
  // An undefined name gets a new value. An error in a program is a trap, which fails the job. Correct programs do not
  // trap.
  void run_program(Program& program, std::span<const u32> names, std::span<const rpu::Modulus> moduli,
                   std::span<const u128> scalars, u32 tiles = 1);
  void clear(u32 name) { job_.registers.erase(name); }  // makes the name undefined
  // A group of program runs that stay together. No other run comes between them.
  struct Group {
    explicit Group(Processor& p) : job(p.job_) { ++job.groups, job.grouped = true; }
    ~Group() { job.grouped = false; }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    Job& job;
  };

  // The functions below add the time of the controller's work on off-chip memory: words over the host's link, permuted
  // words, zeroed words, and words that are expanded from a seed. First, the caller stores the results of earlier verbs
  // with settle().
  void settle(const View* to);  // to: the view that the controller will write
  void host_words(u64 words, u64 word_bytes);
  void permuted_words(u64 words);
  void zeroed_words(u64 words);
  void expanded_words(u64 words, u64 stream_bytes);

 private:
  struct Share {  // the time and the energy that one verb took
    u64 cycles = 0, compute_cycles = 0, transform_cycles = 0;
    double energy_uj = 0;
  };
  [[nodiscard]] Rows rows_of(const View& view, std::span<const LimbTile> tiles) const;
  [[nodiscard]] u64 word_cycles(u64 words) const noexcept;
  [[nodiscard]] u64 link_cycles(u64 words, u64 word_bytes) const noexcept;
  [[nodiscard]] double microseconds(u64 cycles) const noexcept {
    return static_cast<double>(cycles) / machine().clock_mhz();
  }
  void stream(std::string_view name, u64 cycles);

  // Execution of the recorded steps (execute.cpp).
  void flush();                                // runs all recorded steps
  void follow(const std::vector<u32>& order);  // runs the steps in this order
  [[nodiscard]] std::size_t quickest(const std::vector<std::vector<u32>>& orders);
  void note_uses(const std::vector<u32>& order);  // notes the next use of each value
  void execute(const Step& step);
  [[nodiscard]] bool assign_addresses(const Step& step);
  [[nodiscard]] u32 dying(const Step& step, u32 region) const;
  void end_values(const Step& step);
  void compute(const Step& step);
  void fetch(Program& program);  // loads the instructions, unless they are there
  // Chooses an address for a value. Saves the values that are there, and removes them.
  [[nodiscard]] bool make_room(u32 value, VectorMemory::For what);
  [[nodiscard]] bool bring(u32 value);
  void leave(u32 value);  // removes the value from the vector memory
  void save(u32 value);   // stores the value, so that it may leave the vector memory
  void empty();           // saves and removes all values
  void spill(u32 value);  // stores the value in the scratch memory of the job
  void store_home(u32 home);
  void store_all();       // stores all results in their homes
  void detach(u32 home);  // the value no longer has this home
  [[nodiscard]] bool may_store(u32 home) const;
  [[nodiscard]] Timeline::Region region_of(u32 value) const {
    return {job_.values[value].address, job_.values[value].words};
  }
  [[nodiscard]] std::span<u128> words_of(u32 value);
  void charge() noexcept;  // adds the time since the last call of this function to the share of the current verb
  void settle(const Rows& rows);
  void renew();
  void forget_values() noexcept;  // drops all values, steps and homes; zeroes the scratch memory
  void report_launches(Stream s, Ticket now);
  void tell(std::string_view name, Timeline::Span span) { tell(name, span, Share()); }
  void tell(std::string_view name, Timeline::Span span, const Share& spent);

  static constexpr u32 kStreams = 257;  // all streams beyond these share the last clock

  std::shared_ptr<Library> library_;
  mutable ForkMutex mutex_{ForkMutex::Order::device};
  std::map<std::shared_ptr<const Kernel>, std::unique_ptr<Program>> programs_;
  rpu::State state_;
  Timeline timeline_;
  VectorMemory vector_memory_;
  Job job_;
  std::map<u32, std::vector<u128>> spills_;  // key: value
  std::vector<u32> pinned_;
  std::array<u32, rpu::kRegisters> bases_{};  // addresses of the regions of the current step
  u64 jobs_ = 0, charged_ = 0, instructions_ = 0;
  u32 at_ = 0;  // the current verb
  std::vector<Share> shares_;
  struct LaunchRecord {
    std::string_view name;
    Timeline::Span span;
    Share spent;
  };
  std::vector<LaunchRecord> launch_records_;
  const LaunchListener* listener_ = nullptr;
  bool trapped_ = false;  // a program trapped, or a step found no space in the vector memory: the job fails
  bool dry_run_ = false;  // only times are computed, no words (quickest())
  u32 used_words_ = 0, used_scalars_ = 0;  // the memories are in use up to here
  std::array<Ticket, kStreams> clocks_{};
};

}  // namespace ringfort::rpu_host
