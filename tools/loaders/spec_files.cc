#include "tools/loaders/spec_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "tools/loaders/spec_source.h"

namespace toolway::tools::loaders {
namespace {

namespace fs = std::filesystem;

std::string reason(int number) { return std::generic_category().message(number); }

std::int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

bool is_spec_file(const fs::path& path) {
  const auto name = path.filename().string();
  const auto extension = path.extension().string();
  return !name.starts_with('.') &&
         (extension == ".yaml" || extension == ".yml" || extension == ".json");
}

class File {
 public:
  // Not blocking: a FIFO that is there may never get a writer.
  explicit File(const fs::path& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace

FileStamp stamp_of(const fs::path& path) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) return {};
  return {.exists = true,
          .device = found.st_dev,
          .inode = found.st_ino,
          .size = found.st_size,
          .modified_ns = nanoseconds(found.st_mtim),
          .changed_ns = nanoseconds(found.st_ctim)};
}

Result<std::vector<fs::path>> list_spec_files(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) return fail(ErrorCode::kNotFound, "there is no such file or directory");
  if (!fs::is_directory(status)) return std::vector<fs::path>{path};
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (is_spec_file(entry->path()) && !entry->is_directory(ignored))
      files.push_back(entry->path());
  }
  if (error) return fail(ErrorCode::kNotFound, "the directory cannot be read: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::string> read_spec_file(const fs::path& path) {
  const File file(path);
  if (file.fd() < 0) return fail(ErrorCode::kNotFound, "cannot be read: " + reason(errno));
  struct stat found{};
  if (fstat(file.fd(), &found) != 0 || !S_ISREG(found.st_mode)) {
    return fail(ErrorCode::kNotFound, "cannot be read: it is not a regular file");
  }
  std::string text;
  std::array<char, 64 * 1024> piece;
  for (;;) {
    const auto got = ::read(file.fd(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(ErrorCode::kNotFound, "cannot be read: " + reason(errno));
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxSourceBytes) {
      return fail(ErrorCode::kPayloadTooLarge,
                  fmt::format("has more than {} MiB", kMaxSourceBytes >> 20));
    }
  }
}

}  // namespace toolway::tools::loaders
