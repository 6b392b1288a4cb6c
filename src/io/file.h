// SPDX-License-Identifier: Apache-2.0
// Files as the formats need them: full reads and writes (EINTR and short counts are repeated), an atomic replacement
// (write aside, fsync, rename, fsync the folder), a read-only mapping and a lock. Every call is a fault point in test
// builds. Offsets and sizes come from the operating system, never from a file's content.
// Only regular files are opened, and nothing else makes an opening wait. Links: a file that its user names may be one;
// what lies in an index folder, a lock, and every file that is written may not. What is created was not there before.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "math/types.h"
#include "ringfort/progress.h"

namespace ringfort::io {

enum class Links : bool { refuse, follow };  // at the end of a path; its folders may be links
enum class LockMode : bool { now, wait };    // for a lock: io_locked if it is held, or until it is free

class File {
 public:
  File() = default;
  File(File&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        locked_by_(other.locked_by_),
        behind_(other.behind_),
        path_(std::move(other.path_)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(locked_by_, other.locked_by_);
    std::swap(behind_, other.behind_);
    std::swap(path_, other.path_);
    return *this;
  }
  // ends the lock of this process; a forked child that has the file holds none of it
  ~File();

  // io_open for what is no regular file: a folder, FIFO, socket, device, or a link where none is wanted.
  [[nodiscard]] static Result<File> open_existing(const std::string& path, bool writable, Links links = Links::refuse);
  // A file of this name that was not there, nor a link. `owner_only`: mode 0600.
  [[nodiscard]] static Result<File> create(const std::string& path, bool owner_only = false);
  // Made if it does not exist; what is in it stays.
  [[nodiscard]] static Result<File> open_lock(const std::string& path, bool owner_only = false);
  // Locked, to be written, and still what `path` names: what was replaced before its lock was held is opened anew. It
  // has one name. `waiting` is asked while somebody else has it; stopped when it says so.
  [[nodiscard]] static Result<File> hold(const std::string& path, LockMode turn, const Progress& waiting = {});
  // The same; made if it does not exist.
  [[nodiscard]] static Result<File> hold_lock(const std::string& path, LockMode turn, bool owner_only = false,
                                              const Progress& waiting = {});

  [[nodiscard]] Result<Done> write_at(u64 offset, std::span<const u8> bytes);
  [[nodiscard]] Result<Done> read_at(u64 offset, std::span<u8> out) const;  // io_truncated at the end of the file
  [[nodiscard]] Result<u64> size() const;
  // io_open if it has hard links, or was removed
  [[nodiscard]] Result<Done> require_one_name() const;
  [[nodiscard]] bool is_at_its_path() const noexcept;  // not removed, replaced or moved since
  [[nodiscard]] Result<Done> truncate(u64 bytes);
  [[nodiscard]] Result<Done> sync();
  // Begins to write what lies before `end` to the disk, some MiB at a time, so that sync() finds little left. A hint.
  void write_behind(u64 end) noexcept;
  // exclusive; io_locked if held; has one name
  [[nodiscard]] Result<Done> lock();
  [[nodiscard]] Result<Done> wait_for_lock(const Progress& waiting = {});  // the same, without io_locked
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  friend class Mapping;
  [[nodiscard]] static Result<File> open_with(const std::string& path, int flags, unsigned mode, const char* verb);
  int descriptor_ = -1;
  int locked_by_ = 0;  // the process that locked it; 0: none
  u64 behind_ = 0;     // what write_behind has begun
  std::string path_;
};

// The bytes of a sealed file. Whoever shortens the file under a mapping ends the process: sealed files are never
// shortened.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapping();
  [[nodiscard]] static Result<Mapping> open(const std::string& path, Links links = Links::refuse);
  [[nodiscard]] std::span<const u8> bytes() const noexcept { return {data_, size_}; }

 private:
  const u8* data_ = nullptr;
  std::size_t size_ = 0;
};

// What was read is wiped where the rest cannot be read. io_limit before anything is read.
[[nodiscard]] Result<std::vector<u8>> read_whole(const File& file, u64 limit_bytes);
[[nodiscard]] Result<std::vector<u8>> read_file(const std::string& path, u64 limit_bytes, Links links = Links::refuse);
// Under a name of its own in the same folder, then moved to `path`: of several writers one wins whole. A link there is
// replaced.
[[nodiscard]] Result<Done> write_file(const std::string& path, std::span<const u8> bytes, bool owner_only = false);
// Of a file of one name, for its owner only (mode 0600).
[[nodiscard]] Result<Done> copy_file(const std::string& from, const std::string& to);
[[nodiscard]] Result<Done> rename_file(const std::string& from, const std::string& to);
[[nodiscard]] Result<Done> remove_file(const std::string& path);
// What killed writers of write_file and copy_file left in a folder; files of living ones stay.
[[nodiscard]] Result<Done> remove_leftovers(const std::string& folder);
[[nodiscard]] Result<Done> make_directory(const std::string& path);  // durable; an existing one is fine
[[nodiscard]] Result<std::vector<std::string>> list_directory(const std::string& path);  // names, sorted
[[nodiscard]] bool file_exists(const std::string& path) noexcept;  // a link counts, wherever it leads

}  // namespace ringfort::io
