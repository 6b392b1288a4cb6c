// SPDX-License-Identifier: Apache-2.0
// The files of the cache (kernel_cache.h). A file is written under another name and then renamed. Therefore no process
// reads an incomplete file. The time of a file is the time of its last use.
#include "backend/opencl/kernel_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "math/types.h"

namespace ringfort::opencl {
namespace {

using Digest = std::array<unsigned char, 32>;
constexpr std::string_view kWhole = ".kernels", kUnfinished = ".part";

// A file descriptor, or -1.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.take()) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) (void)close(number_);
  }
  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] int take() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

Digest digest_of(std::string_view bytes, std::span<const unsigned char> key) noexcept {
  Digest digest{};
  crypto_generichash(digest.data(), digest.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                     key.data(), key.size());
  return digest;
}

std::string name_of(const Digest& key) {
  std::array<char, 2 * sizeof(Digest) + 1> text{};
  return std::string(sodium_bin2hex(text.data(), text.size(), key.data(), key.size())).append(kWhole);
}

// Tells whether only this user can have written the file or folder.
bool is_own(const struct stat& found) noexcept {
  return found.st_uid == geteuid() && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

Descriptor open_folder(const std::string& folder) noexcept {
  if (fault::strikes(fault::Point::open)) return Descriptor(-1);
  (void)mkdir(folder.c_str(), S_IRWXU);
  Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat found{};
  if (!opened.is_open() || fstat(opened.number(), &found) != 0 || !is_own(found)) return Descriptor(-1);
  return opened;
}

bool read_all(int file, std::span<char> out) noexcept {
  while (!out.empty()) {
    const ssize_t got = fault::strikes(fault::Point::read) ? -1 : ::read(file, out.data(), out.size());
    if (got <= 0) return false;
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

bool write_all(int file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = fault::strikes(fault::Point::write) ? -1 : ::write(file, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

struct Kept {
  std::string name;
  std::size_t bytes;
  std::pair<i64, i64> used;  // time of the last use: seconds and nanoseconds
};

// Returns the files of the cache in the folder. The least recently used file is first.
std::vector<Kept> files_of(int folder) {
  std::vector<Kept> files;
  Descriptor again(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* const listed = again.is_open() ? fdopendir(again.number()) : nullptr;
  if (listed == nullptr) return files;
  (void)again.take();  // closedir() closes it
  const auto close_listed = [](DIR* each) { (void)closedir(each); };
  const std::unique_ptr<DIR, decltype(close_listed)> closing(listed, close_listed);
  while (const dirent* const entry = readdir(listed)) {
    const std::string_view name = entry->d_name;
    struct stat found{};
    if (!name.ends_with(kWhole) && !name.ends_with(kUnfinished)) continue;
    if (fstatat(folder, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(found.st_mode)) continue;
    files.push_back(
        {std::string(name), static_cast<std::size_t>(found.st_size), {found.st_mtim.tv_sec, found.st_mtim.tv_nsec}});
  }
  std::sort(files.begin(), files.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
  return files;
}

}  // namespace

KernelCache KernelCache::of_environment() {
  const char* const folder = secure_getenv("RINGFORT_KERNEL_CACHE");
  return KernelCache(folder == nullptr ? "" : folder);
}

std::string KernelCache::read(std::string_view key) const {
  if (!keeps()) return {};
  const Descriptor folder = open_folder(folder_);
  if (!folder.is_open()) return {};
  const Digest named = digest_of(key, {});
  const Descriptor file(
      openat(folder.number(), name_of(named).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat found{};
  if (!file.is_open() || fstat(file.number(), &found) != 0 || !S_ISREG(found.st_mode) || !is_own(found)) return {};
  const auto bytes = static_cast<std::size_t>(found.st_size);
  Digest wanted{};
  if (bytes <= wanted.size() || bytes > most_bytes_) return {};
  std::string binary(bytes - wanted.size(), '\0');
  if (!read_all(file.number(), {reinterpret_cast<char*>(wanted.data()), wanted.size()})) return {};
  if (!read_all(file.number(), binary) || digest_of(binary, named) != wanted) return {};
  (void)futimens(file.number(), nullptr);
  return binary;
}

void KernelCache::write(std::string_view key, std::string_view binary) const {
  const std::size_t bytes = sizeof(Digest) + binary.size();
  if (!keeps() || binary.empty() || bytes > most_bytes_) return;
  const Descriptor folder = open_folder(folder_);
  if (!folder.is_open()) return;
  const Digest named = digest_of(key, {}), digest = digest_of(binary, named);
  const std::string name = name_of(named);
  const std::string unfinished =
      name + "." + std::to_string(getpid()) + "." + std::to_string(gettid()) + std::string(kUnfinished);
  std::vector<Kept> files = files_of(folder.number());
  std::size_t total = bytes;
  for (const Kept& each : files) total += each.name == name ? 0 : each.bytes;
  for (const Kept& each : files) {
    if (total <= most_bytes_) break;
    if (each.name == name) continue;
    (void)unlinkat(folder.number(), each.name.c_str(), 0);
    total -= each.bytes;
  }
  const Descriptor file(openat(folder.number(), unfinished.c_str(),
                               O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.is_open()) return;
  const bool is_written = write_all(file.number(), {reinterpret_cast<const char*>(digest.data()), digest.size()}) &&
                          write_all(file.number(), binary) && !fault::strikes(fault::Point::rename) &&
                          renameat(folder.number(), unfinished.c_str(), folder.number(), name.c_str()) == 0;
  if (!is_written) (void)unlinkat(folder.number(), unfinished.c_str(), 0);
}

// Linux describes each processor by lines "name : value". The function returns those lines of the first processor that
// identify the model and the instruction sets.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    for (const std::string_view name : {"vendor_id", "cpu family", "model", "stepping", "flags", "CPU ", "Features"}) {
      if (line.starts_with(name)) text.append(line).append("\n");
    }
  }
  return text;
}

}  // namespace ringfort::opencl
