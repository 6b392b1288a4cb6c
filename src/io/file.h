// SPDX-License-Identifier: Apache-2.0
// File operations for the formats. Reads and writes are complete: they continue after EINTR and after short counts. A
// file is replaced atomically: by a temporary file, fsync, rename, and fsync of the folder. There are also read-only
// mappings and locks.
//
// Tests can inject faults into the calls that open, read, write, sync, rename or map a file, but not into those that
// lock or examine it. Callers check an offset that comes from a file before they pass it to read_at().
//
// File and Mapping open only regular files, and opening never blocks. If the user names a file for reading, it may be a
// link. Ledgers, lock files and files in an index folder must not be links. create() fails if anything exists at the
// path. write_file() replaces a file or a link.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "math/types.h"
#include "ringfort/progress.h"

namespace ringfort::io {

enum class Links : bool { refuse, follow };  // for the last part of a path; its folders may be links
enum class LockMode : bool { now, wait };    // if the lock is held: now fails with io_locked, wait waits

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
  // Releases the lock, except in a forked child of the process that locked the file.
  ~File();

  // Opens an existing file. Fails with io_open for a folder, FIFO, socket or device, and for a link unless `links`
  // allows links.
  [[nodiscard]] static Result<File> open_existing(const std::string& path, bool writable, Links links = Links::refuse);
  // Creates a file. Nothing may exist at the path, not even a link. With owner_only, the mode is 0600.
  [[nodiscard]] static Result<File> create(const std::string& path, bool owner_only = false);
  // Opens a file that serves as a lock, or creates it. Keeps its content.
  [[nodiscard]] static Result<File> open_lock(const std::string& path, bool owner_only = false);
  // Opens and locks a file for writing. If another process replaces the file before it is locked, opens the new file.
  // Therefore the result is the file at `path`. The file must have only one hard link. With LockMode::wait, the
  // function calls `waiting` repeatedly while another File holds the lock. If `waiting` returns false, the function
  // fails with stopped.
  [[nodiscard]] static Result<File> hold(const std::string& path, LockMode turn, const Progress& waiting = {});
  // Does the same as hold(), but creates a missing file.
  [[nodiscard]] static Result<File> hold_lock(const std::string& path, LockMode turn, bool owner_only = false,
                                              const Progress& waiting = {});

  [[nodiscard]] Result<Done> write_at(u64 offset, std::span<const u8> bytes);
  [[nodiscard]] Result<Done> read_at(u64 offset, std::span<u8> out) const;  // fails with io_truncated at the end
  [[nodiscard]] Result<u64> size() const;
  // Searches from an offset on for stored bytes. The other bytes of a sparse file are in holes, and read as zeros.
  // Returns the beginning and the end of the first stored range. If there is none, both are the size of the file. If
  // the file system cannot tell, all bytes count as data.
  [[nodiscard]] Result<std::pair<u64, u64>> data_from(u64 offset) const;
  // Fails with io_open if the file has several hard links, or if it was removed.
  [[nodiscard]] Result<Done> require_one_name() const;
  // Tells whether the path still leads to this file. It does not if the file was removed, replaced or moved.
  [[nodiscard]] bool is_at_its_path() const noexcept;
  [[nodiscard]] Result<Done> truncate(u64 bytes);
  [[nodiscard]] Result<Done> sync();
  // Starts to write the bytes before `end` to the disk, some MiB at a time. Then sync() has little left to write.
  // Ignores failures, which sync() reports.
  void write_behind(u64 end) noexcept;
  // Takes an exclusive lock. Fails with io_locked if another process, or another File of this process, holds the lock.
  // The file must have only one hard link.
  [[nodiscard]] Result<Done> lock();
  [[nodiscard]] Result<Done> wait_for_lock(const Progress& waiting = {});  // waits for the lock, then takes it
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  friend class Mapping;
  [[nodiscard]] static Result<File> open_with(const std::string& path, int flags, unsigned mode, const char* verb);
  int descriptor_ = -1;
  int locked_by_ = 0;  // process that locked the file; 0 if none
  u64 behind_ = 0;     // end of the bytes that write_behind() has started to write
  std::string path_;
};

// A read-only memory mapping of a file. No process may shorten the file while it is mapped, because a read past its new
// end would crash the process. Sealed segments of an index are never shortened.
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

// These functions read a whole file. If it has more than limit_bytes, they fail with io_limit and read nothing. If a
// read fails, they wipe the bytes that were read before.
[[nodiscard]] Result<std::vector<u8>> read_whole(const File& file, u64 limit_bytes);
[[nodiscard]] Result<std::vector<u8>> read_file(const std::string& path, u64 limit_bytes, Links links = Links::refuse);
// Writes a temporary file in the same folder, and renames it to `path`. Replaces a file or a link there. If several
// processes write to `path`, the result is the whole file of one of them.
[[nodiscard]] Result<Done> write_file(const std::string& path, std::span<const u8> bytes, bool owner_only = false);
// Copies a file that has only one hard link. The copy has mode 0600. Holes of a sparse file remain holes. Therefore a
// small file of a huge nominal size takes neither much space nor much time.
[[nodiscard]] Result<Done> copy_file(const std::string& from, const std::string& to);
[[nodiscard]] Result<Done> rename_file(const std::string& from, const std::string& to);
[[nodiscard]] Result<Done> remove_file(const std::string& path);
// Removes from a folder the temporary files of interrupted calls of write_file() and copy_file(). Keeps the temporary
// files of calls that still run.
[[nodiscard]] Result<Done> remove_leftovers(const std::string& folder);
// Creates a folder, and syncs its parent. If anything exists at the path, succeeds without a change.
[[nodiscard]] Result<Done> make_directory(const std::string& path);
[[nodiscard]] Result<std::vector<std::string>> list_directory(const std::string& path);  // names in sorted order
[[nodiscard]] bool file_exists(const std::string& path) noexcept;  // true also for a link whose target is missing

}  // namespace ringfort::io
