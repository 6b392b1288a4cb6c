// SPDX-License-Identifier: Apache-2.0
// ReleaseLedger: a file beside a secret key that counts the decryptions shown to others. The count only grows: it is
// raised, on the disk, before anything is decrypted, so that a crash loses releases and never forgets one. One file of
// one name, one key; processes take turns. A process remembers the highest count of every key, however often the key is
// loaded, and shares it with the processes that are forked from it afterwards. A key that is stored with its mark() is
// remembered by the next program too, up to the count of that time. Who may write beside the ledger can hold its lock
// for as long as he likes: `waiting` is asked meanwhile, and where it says stop nothing was counted (stopped). Without
// it the wait has no end. Not found out: an older copy of the file, not older than the mark, that somebody puts back
// between two programs, and a second ledger for a key that is stored without a mark. Make one, once, before the key is
// stored, and keep it where the key is kept.
#pragma once

#include "ringfort/files.h"

namespace ringfort::io {

class ReleaseLedger {
 public:
  // At most Parameters::release.queries releases. Refuses a path that exists (io_write), and a key whose ledger this
  // process has seen (release_refused). Other errors: invalid_argument (the parameters plan for no release), io_open.
  [[nodiscard]] static ReleaseLedger create(const std::string& path, const ckks::Context& context, const SecretKey& key,
                                            const Progress& waiting = {});
  // Errors: release_refused (no such file, a link at the end of the path, hard links, a count below one that was seen),
  // io_digest (the ledger of another key or of other parameters), io_* of damaged files.
  [[nodiscard]] static ReleaseLedger open(const std::string& path, const ckks::Context& context, const SecretKey& key,
                                          const Progress& waiting = {});

  // What this process knows of the key's ledger, as the bytes of one; empty when it knows of none.
  [[nodiscard]] static Bytes mark(const ckks::Context& context, const SecretKey& key);
  // Takes a mark that was stored with the key. Errors: io_digest (of another key or of other parameters), io_* of
  // damaged bytes.
  static void remember(const ckks::Context& context, const SecretKey& key, ByteView mark);

  // Counts `count` releases. Errors: release_refused (more than are left, nothing was counted; or the file counts fewer
  // than it did); invalid_argument (0); io_*: then the releases may be counted, and must not be made.
  void spend(std::uint64_t count, const Progress& waiting = {});
  [[nodiscard]] std::uint64_t planned() const noexcept { return planned_; }
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }  // when this ledger last looked
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
