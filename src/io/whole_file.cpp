// SPDX-License-Identifier: Apache-2.0
// Reads whole files. Writes them by a temporary file and a rename. Makes and lists folders.
#include <dirent.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "base/secret.h"
#include "io/bytes.h"
#include "io/file.h"
#include "io/file_calls.h"

namespace ringfort::io {

namespace {

constexpr std::string_view kAsideStart = ".ringfort-", kAsideEnd = ".part";

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<Done> sync_folder(const std::string& folder) {
  const int descriptor = injected(fault::Point::open, EIO) ? -1 : static_cast<int>(repeat([&] {
    return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }));
  if (descriptor < 0) return failed(Code::io_open, "open the folder", folder, errno);
  const bool synced = !injected(fault::Point::fsync, EIO) && repeat([&] { return ::fsync(descriptor); }) == 0;
  const int error = errno;
  ::close(descriptor);
  if (!synced && error != EINVAL) return failed(Code::io_write, "sync the folder", folder, error);
  return Done{};
}

// Returns a name of fixed length in the folder of `path`. Nobody can predict it.
std::string aside_of(const std::string& path) {
  std::array<u8, 8> random{};
  randombytes_buf(random.data(), random.size());
  const auto slash = path.rfind('/');
  return path.substr(0, slash == std::string::npos ? 0 : slash + 1)
      .append(kAsideStart)
      .append(hex(random))
      .append(kAsideEnd);
}

// Tells whether the link at `path` belongs to the system, such as /dev/stdout or /dev/fd/1.
bool is_of_system(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(folder_of(path).c_str(), nullptr), &std::free);
  const std::string_view folder = real == nullptr ? "" : real.get();
  return folder == "/dev" || folder == "/proc" || folder.starts_with("/proc/");
}

// Fails if anything except a file or a link to a file exists at `path`. A rename must not replace a device or a pipe.
// It must not replace a link of the system either, because other programs need it.
Result<Done> require_replaceable(const std::string& path) {
  struct stat facts{};
  if (::lstat(path.c_str(), &facts) != 0) return Done{};
  const bool is_link = S_ISLNK(facts.st_mode);
  if (is_link && ::stat(path.c_str(), &facts) != 0) return Done{};  // it leads nowhere
  if (S_ISREG(facts.st_mode) && !(is_link && is_of_system(path))) return Done{};
  return Failure{
      Code::io_open,
      path + " is " + (S_ISDIR(facts.st_mode) ? "a folder" : "a pipe, socket or device") + ", not a regular file",
      "give the path of a file"};
}

// Creates a temporary file beside `path`, and locks it, so that remove_leftovers() keeps it. If the file is removed
// before it is locked, creates it again. If the system has no locks, remove_leftovers() removes no file.
Result<File> create_aside(const std::string& path, bool owner_only) {
  constexpr int kMostTries = 100;
  for (int i = 0; i < kMostTries; ++i) {
    auto file = File::create(aside_of(path), owner_only);
    if (!file.ok())
      return Failure{file.failure().code, "cannot write " + path + ": " + file.failure().problem, file.failure().fix};
    const auto locked = file.value().lock();
    const bool lost = !locked.ok() && locked.failure().code == Code::io_locked;
    if (!lost && file.value().is_at_its_path()) return file;
    ::unlink(file.value().path().c_str());
  }
  return Failure{Code::io_write, "cannot write " + path + ": its temporary file is removed again and again",
                 "stop the program that removes it"};
}

// Replaces the file at `path`. `fill` writes the new content.
template <class Fill>
Result<Done> replace(const std::string& path, bool owner_only, Fill fill) {
  auto possible = require_replaceable(path);
  if (!possible.ok()) return possible;
  auto file = create_aside(path, owner_only);
  if (!file.ok()) return file.failure();
  const std::string aside = file.value().path();
  const auto written = [&]() -> Result<Done> {
    auto done = fill(file.value());
    if (!done.ok()) return done;
    done = file.value().sync();
    if (!done.ok()) return done;
    return rename_file(aside, path);
  };
  try {
    auto done = written();
    if (!done.ok()) ::unlink(aside.c_str());
    return done;
  } catch (...) {
    ::unlink(aside.c_str());
    throw;
  }
}

Result<Done> copy_range(const File& from, File& to, u64 begin, u64 end) {
  constexpr u64 kChunkBytes = u64{1} << 20;
  std::vector<u8> chunk;
  for (u64 at = begin; at < end; at += chunk.size()) {
    chunk.resize(static_cast<std::size_t>(std::min(kChunkBytes, end - at)));
    auto done = from.read_at(at, chunk);
    if (done.ok()) done = to.write_at(at, chunk);
    if (!done.ok()) return done;
  }
  return Done{};
}

}  // namespace

Result<std::vector<u8>> read_whole(const File& file, u64 limit_bytes) {
  auto bytes = file.size();
  if (!bytes.ok()) return bytes.failure();
  if (bytes.value() > limit_bytes) {
    return Failure{Code::io_limit,
                   file.path() + " has " + std::to_string(bytes.value()) + " bytes, but the limit is " +
                       std::to_string(limit_bytes),
                   "raise the limit if this file is expected"};
  }
  std::vector<u8> content(static_cast<std::size_t>(bytes.value()));
  auto done = file.read_at(0, content);
  if (!done.ok()) {
    wipe(content.data(), content.size());  // the bytes may be part of a secret
    return done.failure();
  }
  return content;
}

Result<std::vector<u8>> read_file(const std::string& path, u64 limit_bytes, Links links) {
  auto file = File::open_existing(path, false, links);
  if (!file.ok()) return file.failure();
  return read_whole(file.value(), limit_bytes);
}

Result<Done> write_file(const std::string& path, std::span<const u8> bytes, bool owner_only) {
  return replace(path, owner_only, [&](File& file) { return file.write_at(0, bytes); });
}

Result<Done> copy_file(const std::string& from, const std::string& to) {
  auto source = File::open_existing(from, false);
  if (!source.ok()) return source.failure();
  auto alone = source.value().require_one_name();
  if (!alone.ok()) return alone;
  auto bytes = source.value().size();
  if (!bytes.ok()) return bytes.failure();
  return replace(to, true, [&](File& copy) -> Result<Done> {
    for (u64 at = 0; at < bytes.value();) {
      auto data = source.value().data_from(at);
      if (!data.ok()) return data.failure();
      const auto [begin, end] = data.value();
      auto done = copy_range(source.value(), copy, begin, std::min(end, bytes.value()));
      if (!done.ok()) return done;
      if (end <= at) return Failure{Code::io_truncated, from + " became shorter during its copy", "repeat"};
      at = end;
    }
    return copy.truncate(bytes.value());  // sets the length, because the file may end with a hole
  });
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

Result<Done> remove_leftovers(const std::string& folder) {
  auto names = list_directory(folder);
  if (!names.ok()) return names.failure();
  for (const auto& name : names.value()) {
    if (!name.starts_with(kAsideStart) || !name.ends_with(kAsideEnd)) continue;
    const std::string path = folder + "/" + name;
    auto file = File::open_existing(path, false);
    // If a writer still runs, it holds the lock.
    if (file.ok() && file.value().lock().ok()) static_cast<void>(::unlink(path.c_str()));
  }
  return Done{};
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

bool file_exists(const std::string& path) noexcept {
  struct stat facts{};
  return ::lstat(path.c_str(), &facts) == 0;
}

}  // namespace ringfort::io
