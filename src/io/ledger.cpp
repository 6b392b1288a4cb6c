// SPDX-License-Identifier: Apache-2.0
// Files of release ledgers. A ledger counts the releases of a key: how many the parameters plan for, and how many were
// taken. Its file has a header, which includes the digest of the key's parameters (Scope in ringfort/files.h). Then
// follow key id u64 | planned u64 | taken u64 | BLAKE2b-256 of all bytes before.
//
// A writer holds the lock PATH.lock, and replaces the ledger atomically. The lock is a separate file that is never
// replaced. The ledger itself is replaced, and therefore cannot be the lock.
//
// The process remembers the highest count of every key that it has seen (docs/notes/0010). A key that is loaded again,
// or that has a second ledger, is still the same key. Forked processes share these counts.
#include "ringfort/release_ledger.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <exception>
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

// Returns the lock of a ledger. The caller holds the lock until the result goes out of scope.
File turn_of(const std::string& path, const Progress& waiting) {
  return File::hold_lock(path + ".lock", LockMode::wait, true, waiting).take();
}

// Returns the absolute path, in which the links of the folder are resolved. Therefore all paths of a ledger have one
// lock. If the last part is a link, it is not resolved. A call that opens the link fails, and the lock is beside the
// link and not beside its target.
std::string absolute_path(const std::string& path) {
  std::error_code failed;
  const auto whole = std::filesystem::absolute(path);
  const auto folder = std::filesystem::weakly_canonical(whole.parent_path(), failed);
  return failed ? path : (folder / whole.filename()).string();
}

// A counter that only grows. Forked processes share its page. Therefore each process sees the releases of all
// processes.
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
  static_assert(std::atomic<u64>::is_always_lock_free);  // a lock inside it would not be shared
  static constexpr std::size_t kBytes = sizeof(std::atomic<u64>);
  void* page_;
  std::atomic<u64>* count_ = nullptr;
};

// The ledger of a key that this process knows: its path, and the highest count that was read or written.
struct Seen {
  std::string path;
  u64 taken = 0;
};

// The table of the known ledgers. It is never destroyed, because a process may fork while it exits. A fork waits until
// no other thread holds the mutex. Otherwise the child would have a locked mutex, but not the thread that unlocks it.
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
  // Returns the known ledger of a key. If there is none, stores `path` and returns nothing.
  [[nodiscard]] std::optional<Seen> find_or_add(const Name& name, const std::string& path) {
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
      throw Error(Code::out_of_memory, "there is no memory for the fork handlers of ledgers", "close other programs");
  }
  struct Kept {
    [[nodiscard]] Seen now() const { return {path, taken.highest()}; }
    std::string path;
    SharedCount taken;
  };
  std::mutex mutex_;
  std::map<Name, Kept> seen_;
};

[[maybe_unused]] const bool ledgers_registered = [] {  // the reasons are in base/fork_mutex.cpp
  try {
    SeenLedgers::instance();
  } catch (const std::exception&) { return false; }  // the first use tries again
  return true;
}();

// Reads a ledger, which must have only one name. Other hard links would keep the old count after a replacement.
Bytes read_alone(const std::string& path) {
  auto named = File::open_existing(path, false).take().require_one_name();
  if (!named.ok())
    throw Error(Code::release_refused, named.failure().problem,
                "remove the other names: each would have its own count");
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
    : path_(absolute_path(path)),
      scope_(context),
      key_id_(key.state()->id) {
  const Release& release = context.parameters().release;
  require_same(scope_.state().context, key.state()->context, "a release ledger");
  if (release.bits == 0 || release.queries == 0) {
    throw Error(Code::invalid_argument, "a release ledger was requested, but the parameters plan for no release",
                "choose parameters with Requirements::release");
  }
  planned_ = release.queries;
}

ReleaseLedger ReleaseLedger::create(const std::string& path, const ckks::Context& context, const SecretKey& key,
                                    const Progress& waiting) {
  ReleaseLedger ledger(path, context, key);
  const File turn = turn_of(ledger.path_, waiting);
  if (file_exists(ledger.path_))
    throw Error(Code::io_write, path + " exists, and a ledger is never replaced",
                "open it, or choose another path for another key");
  const SeenLedgers::Name name{ledger.scope_.digest(), ledger.key_id_};
  if (const auto seen = SeenLedgers::instance().find_or_add(name, ledger.path_)) {
    throw Error(Code::release_refused,
                "this key has a ledger, " + (seen->path.empty() ? "as the data stored with it say" : seen->path),
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
    throw Error(Code::io_digest, "the ledger mark that is stored with this key belongs to another key",
                "the file was changed: restore it from a copy");
  SeenLedgers::instance().raise({scope.digest(), facts.key_id}, {"", facts.taken});
}

void ReleaseLedger::spend(std::uint64_t count, const Progress& waiting) {
  if (count == 0) throw Error(Code::invalid_argument, "0 releases were requested", "request at least one");
  const File turn = turn_of(path_, waiting);
  // The ledger is locked, too, because the lock file may be removed.
  const auto locked = File::hold(path_, LockMode::wait, waiting);
  read();  // called first, because its errors are more specific than the errors of hold()
  if (!locked.ok()) locked.failure().raise();
  if (count > planned_ - taken_) {
    throw Error(Code::release_refused,
                std::to_string(count) + " releases were requested, " + std::to_string(planned_ - taken_) + " of " +
                    std::to_string(planned_) + " are left",
                "a key makes no more releases than planned: make another key, planned for more queries");
  }
  write(taken_ + count);  // a write that fails may still have counted; the next read shows it
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
    throw Error(Code::io_digest, path_ + " is the ledger of another key", "give the ledger of this key");
  if (planned != planned_)
    wire::damaged(Code::io_range, "ledger: its planned releases are not those of the parameters").raise();
  const auto seen = SeenLedgers::instance().find({scope_.digest(), key_id_});
  const u64 highest = std::max(taken_, seen ? seen->taken : 0);
  if (taken < highest) {
    throw Error(
        Code::release_refused,
        path_ + " counts " + std::to_string(taken) + " releases, but this key has made " + std::to_string(highest),
        "an older copy was restored, or a second ledger made: release nothing more with this key");
  }
  SeenLedgers::instance().raise({scope_.digest(), key_id_}, {path_, taken});
  taken_ = taken;
}

void ReleaseLedger::write(std::uint64_t taken) const {
  write_file(path_, encode_ledger(scope_, {key_id_, planned_, taken}), true).take();
  SeenLedgers::instance().raise({scope_.digest(), key_id_}, {path_, taken});
}

}  // namespace ringfort::io
