// SPDX-License-Identifier: Apache-2.0
// Ledger: header (digest of the scope) | key id u64 | planned u64 | taken u64 | BLAKE2b-256 of all before. Replaced as
// a whole: written aside, flushed, renamed. PATH.lock is held meanwhile; it stays, because what is renamed cannot be
// locked. The process remembers the highest count of every key that it has seen (docs/notes/0010): the one table in the
// library beside the registry of backends, because a key that is loaded again, or another name of its ledger, is the
// same key. It shares these counts with the processes that are forked from it.
#include "ringfort/release_ledger.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "io/file.h"
#include "io/leveled.h"
#include "rlwe/keys.h"

namespace ringfort::io {

namespace {

constexpr u64 kFieldBytes = 3 * 8;
constexpr u64 kLedgerBytes = kHeaderBytes + kFieldBytes + kTrailerBytes;

bool is_possible(const LedgerFacts& ledger) { return ledger.planned != 0 && ledger.taken <= ledger.planned; }

bool is_damage(Code code) {
  return code == Code::io_truncated || code == Code::io_length || code == Code::io_checksum || code == Code::io_range;
}

// Held until it goes out of scope.
File turn_of(const std::string& path, const Progress& waiting) {
  return File::hold_lock(path + ".lock", LockMode::wait, true, waiting).take();
}

// Absolute, in a folder without links, so that all names of a ledger have one lock. A link at its end stays one: it is
// refused where the file is opened, and the lock is made beside the link, not beside what it names.
std::string place_of(const std::string& path) {
  std::error_code failed;
  const auto whole = std::filesystem::absolute(path);
  const auto folder = std::filesystem::weakly_canonical(whole.parent_path(), failed);
  return failed ? path : (folder / whole.filename()).string();
}

// A count that only grows, in a page of its own, which forks share: what one of them releases, the others know.
class SharedCount {
 public:
  SharedCount() : page_(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (page_ == MAP_FAILED)
      throw Error(Code::out_of_memory, "there is no memory for the count of a ledger", "close other programs");
    count_ = new (page_) std::atomic<u64>(0);
  }
  ~SharedCount() { ::munmap(page_, kBytes); }
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;
  [[nodiscard]] u64 highest() const { return count_->load(); }
  void raise(u64 taken) {
    for (u64 kept = highest(); kept < taken && !count_->compare_exchange_weak(kept, taken);) {}
  }

 private:
  static_assert(std::atomic<u64>::is_always_lock_free);  // else its lock would not be shared
  static constexpr std::size_t kBytes = sizeof(std::atomic<u64>);
  void* page_;
  std::atomic<u64>* count_ = nullptr;
};

// What this process knows of each key's ledger: where it lies, and the highest count that it has read or written.
struct Seen {
  std::string path;
  u64 taken = 0;
};

// Never destroyed: a process may be forked while it ends. No fork happens while another thread holds the table: the
// child, which has no such thread, would wait for ever.
class SeenLedgers {
 public:
  using Name = std::pair<Digest, u64>;  // scope and key
  static SeenLedgers& instance() {
    static SeenLedgers& only = *new SeenLedgers;
    return only;
  }
  [[nodiscard]] std::optional<Seen> find(const Name& name) {
    const std::scoped_lock locked(mutex_);
    const auto found = seen_.find(name);
    return found == seen_.end() ? std::nullopt : std::optional<Seen>(found->second.now());
  }
  void raise(const Name& name, const Seen& seen) {
    const std::scoped_lock locked(mutex_);
    Kept& kept = seen_[name];
    if (!seen.path.empty()) kept.path = seen.path;
    kept.taken.raise(seen.taken);
  }
  // The ledger that is known already, or none: then `path` is, from now on.
  [[nodiscard]] std::optional<Seen> claim(const Name& name, const std::string& path) {
    const std::scoped_lock locked(mutex_);
    const auto [found, is_first] = seen_.try_emplace(name);
    if (!is_first) return found->second.now();
    found->second.path = path;
    return std::nullopt;
  }
  void drop(const Name& name) {
    const std::scoped_lock locked(mutex_);
    seen_.erase(name);
  }

 private:
  SeenLedgers() {
    const auto hold = [] { instance().mutex_.lock(); };
    const auto let_go = [] { instance().mutex_.unlock(); };
    if (pthread_atfork(hold, let_go, let_go) != 0)
      throw Error(Code::out_of_memory, "there is no memory for what a fork does to ledgers", "close other programs");
  }
  struct Kept {
    [[nodiscard]] Seen now() const { return {path, taken.highest()}; }
    std::string path;
    SharedCount taken;
  };
  std::mutex mutex_;
  std::map<Name, Kept> seen_;
};

// One name, since what is renamed over one name leaves the others as they were.
Bytes read_alone(const std::string& path) {
  auto named = File::open_existing(path, false).take().require_one_name();
  if (!named.ok())
    throw Error(Code::release_refused, named.failure().problem, "remove the other names: each would count for itself");
  return read_file(path, kLedgerBytes).take();
}

}  // namespace

Bytes encode_ledger(const Scope& scope, const LedgerFacts& ledger) {
  Bytes fields;
  ByteWriter out(fields);
  for (const u64 value : {ledger.key_id, ledger.planned, ledger.taken}) out.put_u64(value);
  return make_frame({FileType::ledger, scope.state().insecure(), scope.digest(), 0}, fields);
}

Result<LedgerFacts> open_ledger(const Scope& scope, std::span<const u8> bytes) {
  auto header = open_header(scope, bytes, FileType::ledger);
  if (!header.ok()) return header.failure();
  auto in = open_fields(bytes, header.value(), kFieldBytes);
  if (!in.ok()) return in.failure();
  const u64 key_id = in.value().take_u64(), planned = in.value().take_u64(), taken = in.value().take_u64();
  const LedgerFacts ledger{key_id, planned, taken};
  if (!is_possible(ledger)) return wire::damaged(Code::io_range, "ledger: it counts more releases than were planned");
  return ledger;
}

ReleaseLedger::ReleaseLedger(const std::string& path, const ckks::Context& context, const SecretKey& key)
    : path_(place_of(path)),
      scope_(context),
      key_id_(key.state()->id) {
  const Release& release = context.parameters().release;
  require_same(scope_.state().context, key.state()->context, "a release ledger");
  if (release.bits == 0 || release.queries == 0) {
    throw Error(Code::invalid_argument, "a release ledger was asked for, the parameters plan for no release",
                "choose parameters with Requirements::release");
  }
  planned_ = release.queries;
}

ReleaseLedger ReleaseLedger::create(const std::string& path, const ckks::Context& context, const SecretKey& key,
                                    const Progress& waiting) {
  ReleaseLedger ledger(path, context, key);
  const File turn = turn_of(ledger.path_, waiting);
  if (file_exists(ledger.path_))
    throw Error(Code::io_write, path + " exists, and what it counts is never forgotten",
                "open it, or choose another path for another key");
  const SeenLedgers::Name name{ledger.scope_.digest(), ledger.key_id_};
  if (const auto seen = SeenLedgers::instance().claim(name, ledger.path_)) {
    throw Error(Code::release_refused,
                "this key has a ledger, " + (seen->path.empty() ? "says what is stored with it" : seen->path),
                "open that one: a second would forget its releases");
  }
  try {
    ledger.write(0);
  } catch (...) {
    SeenLedgers::instance().drop(name);
    throw;
  }
  return ledger;
}

ReleaseLedger ReleaseLedger::open(const std::string& path, const ckks::Context& context, const SecretKey& key,
                                  const Progress& waiting) {
  if (!file_exists(path))
    throw Error(Code::release_refused, "there is no release ledger at " + path,
                "create one beside the secret key, once, before the first release");
  ReleaseLedger ledger(path, context, key);
  const File turn = turn_of(ledger.path_, waiting);
  ledger.read();
  return ledger;
}

Bytes ReleaseLedger::mark(const ckks::Context& context, const SecretKey& key) {
  const Scope scope(context);
  const auto seen = SeenLedgers::instance().find({scope.digest(), key.state()->id});
  return seen ? encode_ledger(scope, {key.state()->id, context.parameters().release.queries, seen->taken}) : Bytes();
}

void ReleaseLedger::remember(const ckks::Context& context, const SecretKey& key, ByteView mark) {
  const Scope scope(context);
  const LedgerFacts facts = open_ledger(scope, mark).take();
  if (facts.key_id != key.state()->id)
    throw Error(Code::io_digest, "the mark of a ledger that is stored with this key is another key's",
                "the file was changed: restore it from a copy");
  SeenLedgers::instance().raise({scope.digest(), facts.key_id}, {"", facts.taken});
}

void ReleaseLedger::spend(std::uint64_t count, const Progress& waiting) {
  if (count == 0) throw Error(Code::invalid_argument, "0 releases were asked for", "ask for one at least");
  const File turn = turn_of(path_, waiting);
  // and the ledger itself, since somebody may remove the lock beside it
  const auto held = File::hold(path_, LockMode::wait, waiting);
  read();  // says more where the ledger cannot be held
  if (!held.ok()) held.failure().raise();
  if (count > planned_ - taken_) {
    throw Error(Code::release_refused,
                std::to_string(count) + " releases were asked for, " + std::to_string(planned_ - taken_) + " of " +
                    std::to_string(planned_) + " are left",
                "a key that has released what was planned releases no more: make another, planned for more queries");
  }
  write(taken_ + count);  // what fails may be counted: the next look says
  taken_ += count;
}

void ReleaseLedger::read() {
  auto opened = open_ledger(scope_, read_alone(path_));
  if (!opened.ok() && is_damage(opened.failure().code)) {
    throw Error(opened.failure().code, path_ + " is damaged: " + opened.failure().problem,
                "an older copy would forget releases: release nothing more with this key, make another");
  }
  const auto [key_id, planned, taken] = std::move(opened).take();
  if (key_id != key_id_)
    throw Error(Code::io_digest, path_ + " is the ledger of another key", "give the ledger that lies beside this key");
  if (planned != planned_)
    wire::damaged(Code::io_range, "ledger: it counts other releases than the parameters plan").raise();
  const auto seen = SeenLedgers::instance().find({scope_.digest(), key_id_});
  const u64 highest = std::max(taken_, seen ? seen->taken : 0);
  if (taken < highest) {
    throw Error(Code::release_refused,
                path_ + " counts " + std::to_string(taken) + " releases, this key has made " + std::to_string(highest),
                "somebody put an older copy back, or made a second ledger: release nothing more with this key");
  }
  SeenLedgers::instance().raise({scope_.digest(), key_id_}, {path_, taken});
  taken_ = taken;
}

void ReleaseLedger::write(std::uint64_t taken) const {
  write_file(path_, encode_ledger(scope_, {key_id_, planned_, taken}), true).take();
  SeenLedgers::instance().raise({scope_.digest(), key_id_}, {path_, taken});
}

}  // namespace ringfort::io
