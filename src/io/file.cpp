// SPDX-License-Identifier: Apache-2.0
#include "io/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/fault.h"
#include "base/secret.h"

namespace ringfort::io {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 30;   // one system call moves at most this much

// A failed call, with the system's words; injected faults look like a full disk or a failing device.
Failure failed(Code code, const std::string& verb, const std::string& path, int error) {
  const char* fix = error == ENOSPC ? "free space on the disk and repeat" : "";
  return {code, "cannot " + verb + " " + path + ": " + std::strerror(error), fix};
}

template <class Call>
auto repeat(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

bool injected(fault::Point point, int error) noexcept {
  if (!fault::strikes(point)) return false;
  errno = error;
  return true;
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<Done> sync_folder(const std::string& folder) {
  const int descriptor = injected(fault::Point::open, EIO) ? -1
                             : static_cast<int>(repeat([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (descriptor < 0) return failed(Code::io_open, "open the folder", folder, errno);
  const bool synced = !injected(fault::Point::fsync, EIO) && repeat([&] { return ::fsync(descriptor); }) == 0;
  const int error = errno;
  ::close(descriptor);
  if (!synced && error != EINVAL) return failed(Code::io_write, "sync the folder", folder, error);
  return Done{};
}

}  // namespace

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<File> File::open_existing(const std::string& path, bool writable) {
  File file;
  file.path_ = path;
  const int flags = (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC;
  if (!injected(fault::Point::open, EIO)) {
    file.descriptor_ = static_cast<int>(repeat([&] { return ::open(path.c_str(), flags); }));
  }
  if (file.descriptor_ < 0) return failed(Code::io_open, "open", path, errno);
  return file;
}

Result<File> File::create(const std::string& path, bool owner_only) {
  File file;
  file.path_ = path;
  const mode_t mode = owner_only ? 0600 : 0666;
  // A secret goes into a file that nobody else has opened or placed there.
  const int only = owner_only ? O_EXCL | O_NOFOLLOW : 0;
  if (owner_only) ::unlink(path.c_str());
  if (!injected(fault::Point::open, EIO)) {
    file.descriptor_ = static_cast<int>(repeat([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | only, mode); }));
  }
  if (file.descriptor_ < 0) return failed(Code::io_open, "create", path, errno);
  if (owner_only && ::fchmod(file.descriptor_, mode) != 0) return failed(Code::io_open, "protect", path, errno);
  auto emptied = file.truncate(0);
  if (!emptied.ok()) return emptied.failure();
  return file;
}

Result<File> File::open_lock(const std::string& path) {
  File file;
  file.path_ = path;
  if (!injected(fault::Point::open, EIO)) {
    file.descriptor_ = static_cast<int>(repeat([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode_t{0600}); }));
  }
  if (file.descriptor_ < 0) return failed(Code::io_open, "open", path, errno);
  return file;
}

Result<Done> File::write_at(u64 offset, std::span<const u8> bytes) {
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), kChunkBytes);
    const ssize_t moved = injected(fault::Point::write, ENOSPC) ? -1 : repeat([&] {
      return ::pwrite(descriptor_, bytes.data(), part, static_cast<off_t>(offset));
    });
    if (moved <= 0) return failed(Code::io_write, "write", path_, moved == 0 ? ENOSPC : errno);
    bytes = bytes.subspan(static_cast<std::size_t>(moved));
    offset += static_cast<u64>(moved);
  }
  return Done{};
}

Result<Done> File::read_at(u64 offset, std::span<u8> out) const {
  while (!out.empty()) {
    const std::size_t part = std::min(out.size(), kChunkBytes);
    const ssize_t moved = injected(fault::Point::read, EIO) ? -1 : repeat([&] {
      return ::pread(descriptor_, out.data(), part, static_cast<off_t>(offset));
    });
    if (moved < 0) return failed(Code::io_read, "read", path_, errno);
    if (moved == 0) return Failure{Code::io_truncated, path_ + " ends before what was asked of it", "copy the whole file again"};
    out = out.subspan(static_cast<std::size_t>(moved));
    offset += static_cast<u64>(moved);
  }
  return Done{};
}

Result<u64> File::size() const {
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0) return failed(Code::io_read, "examine", path_, errno);
  if (!S_ISREG(facts.st_mode)) return Failure{Code::io_read, path_ + " is not a regular file", "give the path of a file"};
  return static_cast<u64>(facts.st_size);
}

Result<Done> File::truncate(u64 bytes) {
  if (injected(fault::Point::write, ENOSPC) || repeat([&] { return ::ftruncate(descriptor_, static_cast<off_t>(bytes)); }) != 0) {
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
  constexpr u64 kPartBytes = u64{8} << 20;
  if (end < behind_ + kPartBytes) return;
  // An answer would change nothing: what fails here fails again, and is reported, when the file is synced.
#ifdef __linux__
  static_cast<void>(::sync_file_range(descriptor_, static_cast<off_t>(behind_), static_cast<off_t>(end - behind_), SYNC_FILE_RANGE_WRITE));
#endif
  behind_ = end;
}

Result<Done> File::lock() {
  if (repeat([&] { return ::flock(descriptor_, LOCK_EX | LOCK_NB); }) == 0) return Done{};
  if (errno != EWOULDBLOCK) return failed(Code::io_open, "lock", path_, errno);
  return Failure{Code::io_locked, "another process is writing this index (" + path_ + " is locked)", "wait for it to end"};
}

Result<Done> File::wait_for_lock() {
  if (repeat([&] { return ::flock(descriptor_, LOCK_EX); }) == 0) return Done{};
  return failed(Code::io_open, "lock", path_, errno);
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(const_cast<u8*>(data_), size_);
}

Result<Mapping> Mapping::open(const std::string& path) {
  auto file = File::open_existing(path, false);
  if (!file.ok()) return file.failure();
  auto bytes = file.value().size();
  if (!bytes.ok()) return bytes.failure();
  Mapping mapping;
  if (bytes.value() == 0) return mapping;
  void* data = injected(fault::Point::read, EIO) ? MAP_FAILED : ::mmap(nullptr, bytes.value(), PROT_READ, MAP_SHARED, file.value().descriptor_, 0);
  if (data == MAP_FAILED) return failed(Code::io_read, "map", path, errno);
  mapping.data_ = static_cast<const u8*>(data);
  mapping.size_ = bytes.value();
  return mapping;
}

Result<std::vector<u8>> read_file(const std::string& path, u64 limit_bytes) {
  auto file = File::open_existing(path, false);
  if (!file.ok()) return file.failure();
  auto bytes = file.value().size();
  if (!bytes.ok()) return bytes.failure();
  if (bytes.value() > limit_bytes) {
    return Failure{Code::io_limit, path + " has " + std::to_string(bytes.value()) + " bytes, the limit is " + std::to_string(limit_bytes),
                   "raise the limit if this file is expected"};
  }
  std::vector<u8> content(static_cast<std::size_t>(bytes.value()));
  auto done = file.value().read_at(0, content);
  if (!done.ok()) {
    wipe(content.data(), content.size());                              // what was read may be a part of a secret
    return done.failure();
  }
  return content;
}

Result<Done> write_file(const std::string& path, std::span<const u8> bytes, bool owner_only) {
  const std::string aside = path + ".part";
  const auto written = [&]() -> Result<Done> {
    auto file = File::create(aside, owner_only);
    if (!file.ok()) return file.failure();
    auto done = file.value().write_at(0, bytes);
    if (!done.ok()) return done;
    done = file.value().sync();
    if (!done.ok()) return done;
    return rename_file(aside, path);
  }();
  if (!written.ok()) ::unlink(aside.c_str());
  return written;
}

Result<Done> copy_file(const std::string& from, const std::string& to) {
  auto source = File::open_existing(from, false);
  if (!source.ok()) return source.failure();
  auto bytes = source.value().size();
  if (!bytes.ok()) return bytes.failure();
  auto copy = File::create(to);
  if (!copy.ok()) return copy.failure();
  constexpr u64 kPartBytes = u64{1} << 20;
  std::vector<u8> part;
  for (u64 at = 0; at < bytes.value(); at += part.size()) {
    part.resize(static_cast<std::size_t>(std::min(kPartBytes, bytes.value() - at)));
    auto done = source.value().read_at(at, part);
    if (!done.ok()) return done;
    done = copy.value().write_at(at, part);
    if (!done.ok()) return done;
  }
  return copy.value().sync();
}

Result<Done> rename_file(const std::string& from, const std::string& to) {
  if (injected(fault::Point::rename, EIO) || ::rename(from.c_str(), to.c_str()) != 0) {
    return failed(Code::io_write, "rename to", to, errno);
  }
  return sync_folder(folder_of(to));
}

Result<Done> remove_file(const std::string& path) {
  if (!injected(fault::Point::write, EIO) && ::unlink(path.c_str()) == 0) return Done{};
  return failed(Code::io_write, "remove", path, errno);
}

Result<Done> make_directory(const std::string& path) {
  std::string name = path;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  if (injected(fault::Point::open, EIO)) return failed(Code::io_open, "create the folder", path, errno);
  if (::mkdir(name.c_str(), 0777) == 0) return sync_folder(folder_of(name));
  if (errno == EEXIST) return Done{};
  return failed(Code::io_open, "create the folder", path, errno);
}

Result<std::vector<std::string>> list_directory(const std::string& path) {
  DIR* folder = injected(fault::Point::open, EIO) ? nullptr : ::opendir(path.c_str());
  if (folder == nullptr) return failed(Code::io_open, "open the folder", path, errno);
  std::vector<std::string> names;
  try {
    while (const dirent* entry = ::readdir(folder)) names.emplace_back(entry->d_name);
  } catch (...) {
    ::closedir(folder);
    throw;
  }
  ::closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

bool file_exists(const std::string& path) noexcept { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace ringfort::io
