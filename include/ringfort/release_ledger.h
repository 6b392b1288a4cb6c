// SPDX-License-Identifier: Apache-2.0
// A release is a decryption whose result the owner shows to others. A release ledger is a file beside a secret key; it
// counts the releases of this key. The count never falls. A program writes the higher count to disk before it decrypts.
// After a crash the ledger may therefore count a release that did not happen, but it counts every release that
// happened.
//
// A key has one ledger, at one path. Processes that use the ledger wait for each other. For every key, a process
// remembers the highest count that it has seen. Processes that are forked later share this count. A *mark* is a copy of
// the count. Programs store the mark with the key. A process that has read the mark refuses a ledger with a smaller
// count. Create the ledger once, before you store the key, and keep it beside the key.
//
// Anyone who can write to the ledger's folder can hold the ledger's lock forever. Therefore a call that waits for the
// lock calls `waiting` now and then. If `waiting` returns false, the call counts nothing and throws Error(stopped). An
// empty `waiting` waits without limit.
//
// Four attacks are not detected:
// * Somebody replaces the file by an earlier copy that counts no less than the mark, while no process that knows the
//   count is running.
// * Somebody removes the mark.
// * A key that was stored without a mark gets a second ledger.
// * Two processes that were forked before the key had a ledger create ledgers at two paths.
#pragma once

#include "ringfort/files.h"

namespace ringfort::io {

class ReleaseLedger {  // counts the releases of one secret key
 public:
  // Creates the file of a ledger for at most Parameters::release.queries releases. Errors: io_write (the path exists),
  // release_refused (this process has seen a ledger of the key), invalid_argument (the parameters plan no release),
  // parameters_mismatch, io_open.
  [[nodiscard]] static ReleaseLedger create(const std::string& path, const ckks::Context& context, const SecretKey& key,
                                            const Progress& waiting = {});
  // Opens the file of a ledger. Errors: release_refused (the file does not exist, has a second hard link, or counts
  // less than this process has seen), io_open (the path is a symbolic link, or not a regular file), invalid_argument
  // and parameters_mismatch as in create(), io_digest (the file is the ledger of another key or of other parameters),
  // io_* for a damaged file.
  [[nodiscard]] static ReleaseLedger open(const std::string& path, const ckks::Context& context, const SecretKey& key,
                                          const Progress& waiting = {});

  // Returns a mark with the highest count that this process has seen; empty if it has seen none.
  [[nodiscard]] static Bytes mark(const ckks::Context& context, const SecretKey& key);
  // Reads a mark that was stored with the key. Errors: io_digest (the mark is of another key or of other parameters),
  // io_* for damaged bytes.
  static void remember(const ckks::Context& context, const SecretKey& key, ByteView mark);

  // Adds `count` releases. Errors: release_refused (fewer releases are left, and nothing was added; or the file counts
  // less than this process has seen); invalid_argument (`count` is 0); io_* (perhaps the file counts the releases; do
  // not perform them).
  void spend(std::uint64_t count, const Progress& waiting = {});
  [[nodiscard]] std::uint64_t planned() const noexcept { return planned_; }
  // releases that the file counted when this object last read or wrote it
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }
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
