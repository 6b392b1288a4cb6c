// SPDX-License-Identifier: Apache-2.0
// Opens, locks, reads, writes and maps files (file.h). whole_file.cpp has the functions for whole files and folders.
#include "io/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "io/file_calls.h"

namespace ringfort::io {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 30;  // most bytes of one system call

// Returns the name of the kind of a file that is not regular.
const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISLNK(mode)) return "a link";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

Failure not_regular(const std::string& path, mode_t mode) {
  return {Code::io_open, path + " is " + kind_of(mode) + ", not a regular file", "give the path of a file"};
}

// Returns the failure of a call that opens a file. For a special file, the message states the kind of the file. The
// message of the system does not.
Failure refused(const char* verb, const std::string& path, int error) {
  struct stat facts{};
  const bool special = (error == ENXIO || error == ELOOP || error == EISDIR) && ::lstat(path.c_str(), &facts) == 0;
  return special && !S_ISREG(facts.st_mode) ? not_regular(path, facts.st_mode)
                                            : failed(Code::io_open, verb, path, error);
}

// Opens and locks a file, and repeats this until the path leads to the locked file. A lock belongs to a file and not to
// a path. Another process may replace the file before it is locked.
template <class Open>
Result<File> open_locked(Open open, const std::string& path, LockMode turn, const Progress& waiting) {
  constexpr int kMostTries = 100;
  for (int i = 0; i < kMostTries; ++i) {
    Result<File> file = open();
    if (!file.ok()) return file;
    auto done = turn == LockMode::wait ? file.value().wait_for_lock(waiting) : file.value().lock();
    if (!done.ok() && (done.failure().code == Code::io_locked || done.failure().code == Code::stopped))
      return done.failure();
    if (!file.value().is_at_its_path()) continue;
    if (!done.ok()) return done.failure();
    return file;
  }
  return Failure{Code::io_locked, path + " is replaced again and again", "stop the program that replaces it"};
}

}  // namespace

// After a fork, the parent and the child share the lock. Closing one descriptor does not release the lock. Only the
// process that locked the file unlocks it.
File::~File() {
  if (descriptor_ < 0) return;
  if (locked_by_ == ::getpid()) static_cast<void>(::flock(descriptor_, LOCK_UN));
  ::close(descriptor_);
}

// With O_NONBLOCK, opening a pipe does not block. Reads of regular files ignore this flag.
Result<File> File::open_with(const std::string& path, int flags, unsigned mode, const char* verb) {
  File file;
  file.path_ = path;
  const int all = flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  if (!injected(fault::Point::open, EIO)) {
    file.descriptor_ = static_cast<int>(repeat([&] { return ::open(path.c_str(), all, static_cast<mode_t>(mode)); }));
  }
  if (file.descriptor_ < 0) return refused(verb, path, errno);
  struct stat facts{};
  if (::fstat(file.descriptor_, &facts) != 0) return failed(Code::io_open, "examine", path, errno);
  if (!S_ISREG(facts.st_mode)) return not_regular(path, facts.st_mode);
  const int status = ::fcntl(file.descriptor_, F_GETFL);
  if (status < 0 || ::fcntl(file.descriptor_, F_SETFL, status & ~O_NONBLOCK) != 0)
    return failed(Code::io_open, verb, path, errno);
  return file;
}

Result<File> File::open_existing(const std::string& path, bool writable, Links links) {
  return open_with(path, (writable ? O_RDWR : O_RDONLY) | (links == Links::refuse ? O_NOFOLLOW : 0), 0, "open");
}

Result<File> File::create(const std::string& path, bool owner_only) {
  const mode_t mode = owner_only ? 0600 : 0666;
  auto file = open_with(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode, "create");
  if (file.ok() && owner_only && ::fchmod(file.value().descriptor_, mode) != 0)
    return failed(Code::io_open, "protect", path, errno);
  return file;
}

Result<File> File::open_lock(const std::string& path, bool owner_only) {
  return open_with(path, O_RDWR | O_CREAT | O_NOFOLLOW, owner_only ? 0600 : 0666, "open");
}

Result<File> File::hold(const std::string& path, LockMode turn, const Progress& waiting) {
  return open_locked([&] { return open_existing(path, true); }, path, turn, waiting);
}

Result<File> File::hold_lock(const std::string& path, LockMode turn, bool owner_only, const Progress& waiting) {
  return open_locked([&] { return open_lock(path, owner_only); }, path, turn, waiting);
}

Result<Done> File::write_at(u64 offset, std::span<const u8> bytes) {
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), kChunkBytes);
    const ssize_t moved = injected(fault::Point::write, ENOSPC) ? -1 : repeat([&] {
      return ::pwrite(descriptor_, bytes.data(), count, static_cast<off_t>(offset));
    });
    if (moved <= 0) return failed(Code::io_write, "write", path_, moved == 0 ? ENOSPC : errno);
    bytes = bytes.subspan(static_cast<std::size_t>(moved));
    offset += static_cast<u64>(moved);
  }
  return Done{};
}

Result<Done> File::read_at(u64 offset, std::span<u8> out) const {
  while (!out.empty()) {
    const std::size_t count = std::min(out.size(), kChunkBytes);
    const ssize_t moved = injected(fault::Point::read, EIO) ? -1 : repeat([&] {
      return ::pread(descriptor_, out.data(), count, static_cast<off_t>(offset));
    });
    if (moved < 0) return failed(Code::io_read, "read", path_, errno);
    if (moved == 0)
      return Failure{Code::io_truncated, path_ + " ends before the requested bytes", "copy the whole file again"};
    out = out.subspan(static_cast<std::size_t>(moved));
    offset += static_cast<u64>(moved);
  }
  return Done{};
}

Result<u64> File::size() const {
  struct stat facts{};
  if (::fstat(descriptor_, &facts) != 0) return failed(Code::io_read, "examine", path_, errno);
  return static_cast<u64>(facts.st_size);
}

Result<std::pair<u64, u64>> File::data_from(u64 offset) const {
  auto bytes = size();
  if (!bytes.ok()) return bytes.failure();
  const u64 all = bytes.value();
  if (offset >= all) return std::pair{all, all};
  const off_t begin = ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_DATA);
  if (begin < 0 && errno == ENXIO) return std::pair{all, all};
  if (begin < 0) return std::pair{offset, all};
  const off_t end = ::lseek(descriptor_, begin, SEEK_HOLE);
  return std::pair{static_cast<u64>(begin), end < 0 ? all : std::min(all, static_cast<u64>(end))};
}

Result<Done> File::require_one_name() const {
  struct stat facts{};
  if (::fstat(descriptor_, &facts) != 0) return failed(Code::io_read, "examine", path_, errno);
  if (facts.st_nlink == 1) return Done{};
  if (facts.st_nlink == 0) return Failure{Code::io_open, path_ + " was removed while it was opened", "repeat"};
  return Failure{Code::io_open, path_ + " has " + std::to_string(facts.st_nlink) + " names (hard links)",
                 "remove the others: it must have only one name"};
}

bool File::is_at_its_path() const noexcept {
  struct stat open{}, there{};
  return ::fstat(descriptor_, &open) == 0 && ::lstat(path_.c_str(), &there) == 0 && open.st_dev == there.st_dev &&
         open.st_ino == there.st_ino;
}

Result<Done> File::truncate(u64 bytes) {
  if (injected(fault::Point::write, ENOSPC) ||
      repeat([&] { return ::ftruncate(descriptor_, static_cast<off_t>(bytes)); }) != 0) {
    return failed(Code::io_write, "shorten", path_, errno);
  }
  return Done{};
}

Result<Done> File::sync() {
  if (injected(fault::Point::fsync, EIO) || repeat([&] { return ::fsync(descriptor_); }) != 0) {
    return failed(Code::io_write, "sync", path_, errno);
  }
  return Done{};
}

void File::write_behind(u64 end) noexcept {
  constexpr u64 kBytesBehind = u64{8} << 20;
  if (end < behind_ + kBytesBehind) return;
  // The result is ignored. If this call fails, sync() fails, too, and reports the failure.
#ifdef __linux__
  static_cast<void>(::sync_file_range(descriptor_, static_cast<off_t>(behind_), static_cast<off_t>(end - behind_),
                                      SYNC_FILE_RANGE_WRITE));
#endif
  behind_ = end;
}

Result<Done> File::lock() {
  if (repeat([&] { return ::flock(descriptor_, LOCK_EX | LOCK_NB); }) == 0) {
    locked_by_ = ::getpid();
    return require_one_name();
  }
  if (errno != EWOULDBLOCK) return failed(Code::io_open, "lock", path_, errno);
  return Failure{Code::io_locked, path_ + " is locked by another writer", "wait for it to end"};
}

// Waits for the lock. If the caller may stop the wait, this function polls, because a blocking call would wait again
// after a signal.
Result<Done> File::wait_for_lock(const Progress& waiting) {
  constexpr auto kPause = std::chrono::milliseconds(20);
  while (waiting) {
    auto done = lock();
    if (done.ok() || done.failure().code != Code::io_locked) return done;
    if (!waiting(0, 1)) return Failure{Code::stopped, "stopped while another process held " + path_, ""};
    std::this_thread::sleep_for(kPause);
  }
  if (repeat([&] { return ::flock(descriptor_, LOCK_EX); }) != 0) return failed(Code::io_open, "lock", path_, errno);
  locked_by_ = ::getpid();
  return require_one_name();
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(const_cast<u8*>(data_), size_);
}

Result<Mapping> Mapping::open(const std::string& path, Links links) {
  auto file = File::open_existing(path, false, links);
  if (!file.ok()) return file.failure();
  auto bytes = file.value().size();
  if (!bytes.ok()) return bytes.failure();
  Mapping mapping;
  if (bytes.value() == 0) return mapping;
  void* data = injected(fault::Point::read, EIO)
                   ? MAP_FAILED
                   : ::mmap(nullptr, bytes.value(), PROT_READ, MAP_SHARED, file.value().descriptor_, 0);
  if (data == MAP_FAILED) return failed(Code::io_read, "map", path, errno);
  mapping.data_ = static_cast<const u8*>(data);
  mapping.size_ = bytes.value();
  return mapping;
}

}  // namespace ringfort::io
