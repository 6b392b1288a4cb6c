// SPDX-License-Identifier: Apache-2.0
// File operations for the formats: full reads and writes (repeated after EINTR and short counts), atomic replacement
// (temporary file, fsync, rename, fsync of the folder), read-only mappings and locks. Tests can make calls that open,
// read, write, sync, rename or map a file fail; calls that lock or examine a file have no injected faults. Callers
// check an offset from a file's content before they pass it to read_at. Only regular files are opened, and opening
// never blocks. A file that the user names for reading may be a link. Lock files, and files in an index folder, must
// not be links. create() fails if anything exists at the path; write_file() replaces a file or a link.
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
enum class LockMode : bool { now, wait };    // now: fails with io_locked if the lock is held

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
  // Releases the lock, unless this process is a forked child of the one that locked the file.
  ~File();

  // Fails with io_open for a folder, FIFO, socket or device, and for a link unless `links` allows it.
  [[nodiscard]] static Result<File> open_existing(const std::string& path, bool writable, Links links = Links::refuse);
  // Creates a file; nothing may exist at the path, not even a link. owner_only: mode 0600.
  [[nodiscard]] static Result<File> create(const std::string& path, bool owner_only = false);
  // Opens a file for locking, or creates it; keeps its content.
  [[nodiscard]] static Result<File> open_lock(const std::string& path, bool owner_only = false);
  // Opens and locks a file for writing. If another process replaces the file before it is locked, opens the new file,
  // so that the result is the file at `path`. The file must have only one hard link. Calls `waiting` repeatedly while
  // the lock is held elsewhere, and fails with stopped if `waiting` returns false.
  [[nodiscard]] static Result<File> hold(const std::string& path, LockMode turn, const Progress& waiting = {});
  // Like hold, but creates a missing file.
  [[nodiscard]] static Result<File> hold_lock(const std::string& path, LockMode turn, bool owner_only = false,
                                              const Progress& waiting = {});

  [[nodiscard]] Result<Done> write_at(u64 offset, std::span<const u8> bytes);
  [[nodiscard]] Result<Done> read_at(u64 offset, std::span<u8> out) const;  // io_truncated at the end of the file
  [[nodiscard]] Result<u64> size() const;
  // Returns begin and end of the next bytes at or after an offset that are not in a hole; begin is the file's size if
  // there are none. If the file system cannot tell, all bytes are data.
  [[nodiscard]] Result<std::pair<u64, u64>> data_from(u64 offset) const;
  // Fails with io_open if the file has several hard links, or was removed.
  [[nodiscard]] Result<Done> require_one_name() const;
  // Returns false if the file was removed, replaced or moved since it was opened.
  [[nodiscard]] bool is_at_its_path() const noexcept;
  [[nodiscard]] Result<Done> truncate(u64 bytes);
  [[nodiscard]] Result<Done> sync();
  // Starts writing the bytes before `end` to the disk, some MiB at a time, so that sync() has little left to write.
  // Ignores failures, which sync() reports.
  void write_behind(u64 end) noexcept;
  // Takes an exclusive lock. Fails with io_locked if another process, or another File of this process, has the lock.
  // The file must have only one hard link.
  [[nodiscard]] Result<Done> lock();
  [[nodiscard]] Result<Done> wait_for_lock(const Progress& waiting = {});  // waits for the lock and takes it
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  friend class Mapping;
  [[nodiscard]] static Result<File> open_with(const std::string& path, int flags, unsigned mode, const char* verb);
  int descriptor_ = -1;
  int locked_by_ = 0;  // the process that locked it; 0: none
  u64 behind_ = 0;     // end of the bytes that write_behind has started to write
  std::string path_;
};

// Read-only mapping of a file that no process shortens, such as a finished segment of an index. If a mapped file were
// shortened, a read past its new end would crash the process.
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

// Read a whole file. Fail with io_limit, without reading, if it has more than limit_bytes. If a read fails, wipe the
// bytes that were read before.
[[nodiscard]] Result<std::vector<u8>> read_whole(const File& file, u64 limit_bytes);
[[nodiscard]] Result<std::vector<u8>> read_file(const std::string& path, u64 limit_bytes, Links links = Links::refuse);
// Writes a temporary file in the same folder and renames it to `path`. Replaces a file or a link. If several processes
// write to `path`, the result is the whole file of one of them.
[[nodiscard]] Result<Done> write_file(const std::string& path, std::span<const u8> bytes, bool owner_only = false);
// Copies a file that has only one hard link; the copy has mode 0600. Holes of a sparse file stay holes, so that a small
// file of a huge nominal size takes neither space nor time.
[[nodiscard]] Result<Done> copy_file(const std::string& from, const std::string& to);
[[nodiscard]] Result<Done> rename_file(const std::string& from, const std::string& to);
[[nodiscard]] Result<Done> remove_file(const std::string& path);
// Removes the temporary files of interrupted calls of write_file and copy_file from a folder. Keeps the temporary files
// of calls that still run.
[[nodiscard]] Result<Done> remove_leftovers(const std::string& folder);
// Creates a folder and syncs its parent. Succeeds, without a change, if anything exists at the path.
[[nodiscard]] Result<Done> make_directory(const std::string& path);
[[nodiscard]] Result<std::vector<std::string>> list_directory(const std::string& path);  // names, sorted
[[nodiscard]] bool file_exists(const std::string& path) noexcept;  // true also for a link whose target is missing

}  // namespace ringfort::io
