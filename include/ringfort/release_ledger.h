// SPDX-License-Identifier: Apache-2.0
// A release ledger is a file beside a secret key. It counts the decryptions that the owner shows to others. The count
// never falls. A program writes the higher count to disk before it decrypts. So after a crash the ledger may count a
// release that did not happen, but it misses none.
//
// A key has one ledger, at one path; processes that use it wait for each other. A process remembers the highest count
// of every key that it has seen, and a forked process inherits this. A *mark* is a copy of the count that is stored
// with the key. A process that loads the mark refuses a ledger that counts less. Create the ledger once, before you
// store the key, and keep it beside the key.
//
// Anyone who can write into the ledger's folder can hold its lock forever. Therefore calls poll `waiting`; if it
// returns false, they count nothing and throw Error(stopped). An empty `waiting` waits without limit.
//
// Two attacks are not detected. First: while no process runs that knows the count, somebody replaces the file by an
// earlier copy that counts at least the mark. Second: a key has two ledgers, because it was stored without a mark, or
// because two processes were forked before a ledger existed and each created one.
#pragma once

#include "ringfort/files.h"

namespace ringfort::io {

class ReleaseLedger {  // counts the releases of one secret key
 public:
  // Creates a ledger of at most Parameters::release.queries releases. Errors: io_write (the path exists),
  // release_refused (this process has seen a ledger of the key), invalid_argument (the parameters plan no release),
  // io_open.
  [[nodiscard]] static ReleaseLedger create(const std::string& path, const ckks::Context& context, const SecretKey& key,
                                            const Progress& waiting = {});
  // Errors: release_refused (the file does not exist, is a symbolic link, has a second hard link, or counts less than
  // this process has seen), io_digest (the ledger of another key or of other parameters), io_* for damaged files.
  [[nodiscard]] static ReleaseLedger open(const std::string& path, const ckks::Context& context, const SecretKey& key,
                                          const Progress& waiting = {});

  // Returns the highest count that this process has seen, in the format of a ledger; empty if it has seen none.
  [[nodiscard]] static Bytes mark(const ckks::Context& context, const SecretKey& key);
  // Reads a mark that was stored with the key. Errors: io_digest (of another key or other parameters), io_* for damaged
  // bytes.
  static void remember(const ckks::Context& context, const SecretKey& key, ByteView mark);

  // Adds `count` releases. Errors: release_refused (fewer are left, and nothing was added; or the file counts less than
  // before); invalid_argument (0); io_* (the releases may have been counted; do not perform them).
  void spend(std::uint64_t count, const Progress& waiting = {});
  [[nodiscard]] std::uint64_t planned() const noexcept { return planned_; }
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }  // at the last read
  [[nodiscard]] std::uint64_t key_id() const noexcept { return key_id_; }

 private:
  ReleaseLedger(const std::string& path, const ckks::Context& context, const SecretKey& key);
  void read();
  void write(std::uint64_t taken) const;
  std::string path_;
  Scope scope_;
  std::uint64_t key_id_ = 0;
  std::uint64_t planned_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace ringfort::io
