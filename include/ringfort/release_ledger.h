// SPDX-License-Identifier: Apache-2.0
// ReleaseLedger: a file beside a secret key that counts the decryptions shown to others. The count only grows. It is
// raised on disk before anything is decrypted: after a crash it may count releases that never took place, but no
// release is uncounted. One file name belongs to one key; processes take turns. A process remembers the highest count
// of every key, however often the key is loaded, and processes forked from it inherit that memory. If a key is stored
// with its mark(), a process that loads both remembers the count at the time of the mark. Anyone who can write beside
// the ledger can hold its lock indefinitely. Therefore calls poll their parameter `waiting`; if it returns false, they
// count nothing and throw Error(stopped). Without `waiting` the wait is unlimited. Not detected: while no process runs
// that knows the count, an attacker puts back an earlier copy of the file that counts at least the mark; and a second
// ledger for a key that was stored without a mark, or that two processes make which were forked before there was one.
// Create one ledger, once, before the key is stored, and keep it beside the key.
#pragma once

#include "ringfort/files.h"

namespace ringfort::io {

class ReleaseLedger {
 public:
  // Creates a ledger of at most Parameters::release.queries releases. Errors: io_write (the path exists),
  // release_refused (this process has seen a ledger of the key), invalid_argument (the parameters plan no release),
  // io_open.
  [[nodiscard]] static ReleaseLedger create(const std::string& path, const ckks::Context& context, const SecretKey& key,
                                            const Progress& waiting = {});
  // Errors: release_refused (no such file, a symbolic link at the end of the path, hard links, a count below one seen
  // earlier), io_digest (ledger of another key or other parameters), io_* for damaged files.
  [[nodiscard]] static ReleaseLedger open(const std::string& path, const ckks::Context& context, const SecretKey& key,
                                          const Progress& waiting = {});

  // Returns this process's knowledge of the key's ledger in the ledger's format; empty if it has none.
  [[nodiscard]] static Bytes mark(const ckks::Context& context, const SecretKey& key);
  // Reads a mark that was stored with the key. Errors: io_digest (of another key or other parameters), io_* for damaged
  // bytes.
  static void remember(const ckks::Context& context, const SecretKey& key, ByteView mark);

  // Counts `count` releases. Errors: release_refused (fewer are left, nothing was counted; or the file's count went
  // down); invalid_argument (0); io_*: the releases may have been counted and must not be performed.
  void spend(std::uint64_t count, const Progress& waiting = {});
  [[nodiscard]] std::uint64_t planned() const noexcept { return planned_; }
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }  // as of the last read
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
