// SPDX-License-Identifier: Apache-2.0
// File operations for the formats: full reads and writes (repeated after EINTR and short counts), atomic replacement
// (temporary file, fsync, rename, fsync of the folder), read-only mappings and locks. Tests can make every call fail.
// Offsets and sizes come from the operating system, never from a file's content. Only regular files are opened, and
// opening never blocks. A file that the user names may be a link; files in an index folder, locks and written files
// must not be links. A file is created only at a new path.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "math/types.h"
#include "ringfort/progress.h"

namespace ringfort::io {

enum class Links : bool { refuse, follow };  // applies to the last part of a path; folders in the path may be links
enum class LockMode : bool { now, wait };    // a held lock: fail with io_locked, or wait

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
  // releases the lock of this process; a forked child does not own it
  ~File();

  // Fails with io_open for a folder, FIFO, socket or device, and for a link unless `links` allows it.
  [[nodiscard]] static Result<File> open_existing(const std::string& path, bool writable, Links links = Links::refuse);
  // Creates a file; nothing may exist at the path, not even a link. owner_only: mode 0600.
  [[nodiscard]] static Result<File> create(const std::string& path, bool owner_only = false);
  // Opens a file for locking, or creates it; keeps its content.
  [[nodiscard]] static Result<File> open_lock(const std::string& path, bool owner_only = false);
  // Opens and locks a file for writing. A file that is replaced before it is locked is opened again, so that the result
  // is the file at `path`. The file must have one name. `waiting` is called while another process has the lock; fails
  // with stopped if it returns false.
  [[nodiscard]] static Result<File> hold(const std::string& path, LockMode turn, const Progress& waiting = {});
  // Like hold, but creates a missing file.
  [[nodiscard]] static Result<File> hold_lock(const std::string& path, LockMode turn, bool owner_only = false,
                                              const Progress& waiting = {});

  [[nodiscard]] Result<Done> write_at(u64 offset, std::span<const u8> bytes);
  [[nodiscard]] Result<Done> read_at(u64 offset, std::span<u8> out) const;  // io_truncated at the end of the file
  [[nodiscard]] Result<u64> size() const;
  // fails with io_open for a file with several hard links, or a removed file
  [[nodiscard]] Result<Done> require_one_name() const;
  [[nodiscard]] bool is_at_its_path() const noexcept;  // not removed, replaced or moved since it was opened
  [[nodiscard]] Result<Done> truncate(u64 bytes);
  [[nodiscard]] Result<Done> sync();
  // Starts writing the bytes before `end` to the disk, some MiB at a time, so that sync() has little left to write. A
  // hint.
  void write_behind(u64 end) noexcept;
  // takes an exclusive lock; io_locked if another process has it; requires one name
  [[nodiscard]] Result<Done> lock();
  [[nodiscard]] Result<Done> wait_for_lock(const Progress& waiting = {});  // the same, but waits
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  friend class Mapping;
  [[nodiscard]] static Result<File> open_with(const std::string& path, int flags, unsigned mode, const char* verb);
  int descriptor_ = -1;
  int locked_by_ = 0;  // the process that locked it; 0: none
  u64 behind_ = 0;     // end of the bytes that write_behind has started
  std::string path_;
};

// Read-only mapping of a sealed file. Shortening a mapped file would crash the process; sealed files are never
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

// Read a whole file. Fail with io_limit before any read; wipe the bytes read so far if a read fails.
[[nodiscard]] Result<std::vector<u8>> read_whole(const File& file, u64 limit_bytes);
[[nodiscard]] Result<std::vector<u8>> read_file(const std::string& path, u64 limit_bytes, Links links = Links::refuse);
// Writes a temporary file in the same folder and renames it to `path`, so that the result is the whole file of one
// writer. Replaces a link.
[[nodiscard]] Result<Done> write_file(const std::string& path, std::span<const u8> bytes, bool owner_only = false);
// Copies a file that has one name; the copy has mode 0600.
[[nodiscard]] Result<Done> copy_file(const std::string& from, const std::string& to);
[[nodiscard]] Result<Done> rename_file(const std::string& from, const std::string& to);
[[nodiscard]] Result<Done> remove_file(const std::string& path);
// Removes temporary files that interrupted calls of write_file and copy_file left in a folder. Keeps those of running
// calls.
[[nodiscard]] Result<Done> remove_leftovers(const std::string& folder);
[[nodiscard]] Result<Done> make_directory(const std::string& path);  // durable; an existing one is fine
[[nodiscard]] Result<std::vector<std::string>> list_directory(const std::string& path);  // names, sorted
[[nodiscard]] bool file_exists(const std::string& path) noexcept;                        // true for any link

}  // namespace ringfort::io
