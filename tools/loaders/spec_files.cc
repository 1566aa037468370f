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

bool is_spec_file(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  return !name.starts_with('.') &&
         (name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json"));
}

class File {
 public:
  // Not blocking: a FIFO that is there may never get a writer.
  explicit File(const fs::path& path, int flags = O_RDONLY | O_NONBLOCK)
      : fd_(open(path.c_str(), flags | O_CLOEXEC)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

FileStamp stamp_of(const struct stat& found) {
  return {.exists = true,
          .device = found.st_dev,
          .inode = found.st_ino,
          .size = found.st_size,
          .modified_ns = nanoseconds(found.st_mtim),
          .changed_ns = nanoseconds(found.st_ctim)};
}

Result<std::string> read_all(const File& file, std::size_t most) {
  std::string text;
  std::array<char, 64 * 1024> piece;
  for (;;) {
    const auto got = ::read(file.fd(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(ErrorCode::kNotFound, "cannot be read: " + reason(errno));
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > most)
      return fail(ErrorCode::kPayloadTooLarge, fmt::format("has more than {} MiB", most >> 20U));
  }
}

fs::path directory_of(std::string_view spec_file) {
  auto directory = fs::path(spec_file).parent_path();
  return directory.empty() ? fs::path(".") : directory;
}

Error outside() {
  return {ErrorCode::kInvalidRequest, "leads out of the directory of the spec file"};
}

/// What the name alone forbids.
Result<void> check_name(std::string_view named) {
  const fs::path path(named);
  if (named.empty() || std::ranges::any_of(named, [](unsigned char c) { return c < ' '; }))
    return fail(ErrorCode::kInvalidRequest, "is not the path of a file");
  if (path.is_absolute())
    return fail(ErrorCode::kInvalidRequest, "must be a path relative to the spec file");
  if (*path.lexically_normal().begin() == "..") return fail(outside());
  return {};
}

/// Reads what was opened as `there`, wherever its path leads by now.
Result<std::string> read_inside(const fs::path& directory, const File& there,
                                const struct stat& found) {
  std::error_code error;
  const auto root = fs::canonical(directory, error);
  const fs::path itself = fmt::format("/proc/self/fd/{}", there.fd());
  const auto real = error ? fs::path() : fs::read_symlink(itself, error);
  if (error) return fail(ErrorCode::kNotFound, "cannot be read: " + error.message());
  const auto inside = real.lexically_relative(root);
  if (inside.empty() || *inside.begin() == "..") return fail(outside());
  if (!S_ISREG(found.st_mode))
    return fail(ErrorCode::kNotFound, "cannot be read: it is not a regular file");
  if (found.st_size > static_cast<off_t>(kMaxContentBytes))
    return fail(ErrorCode::kPayloadTooLarge,
                fmt::format("has more than {} MiB", kMaxContentBytes >> 20U));
  const File file(itself);
  if (file.fd() < 0) return fail(ErrorCode::kNotFound, "cannot be read: " + reason(errno));
  return read_all(file, kMaxContentBytes);
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  struct stat found{};
  return stat(path.c_str(), &found) == 0 ? stamp_of(found) : FileStamp{};
}

Result<std::vector<std::string>> list_spec_files(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) return fail(ErrorCode::kNotFound, "there is no such file or directory");
  if (!fs::is_directory(status)) return std::vector{path.string()};
  std::vector<std::string> files;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (is_spec_file(entry->path().native()) && !entry->is_directory(ignored))
      files.push_back(entry->path());
  }
  if (error) return fail(ErrorCode::kNotFound, "the directory cannot be read: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::string> read_spec_file(const std::string& path) {
  const File file(path);
  if (file.fd() < 0) return fail(ErrorCode::kNotFound, "cannot be read: " + reason(errno));
  struct stat found{};
  if (fstat(file.fd(), &found) != 0 || !S_ISREG(found.st_mode)) {
    return fail(ErrorCode::kNotFound, "cannot be read: it is not a regular file");
  }
  return read_all(file, kMaxSourceBytes);
}

specs::NamedContent read_named_content(std::string_view spec_file, std::string_view named) {
  const auto directory = directory_of(spec_file);
  specs::NamedContent content{.file = {.path = (directory / named).string()}};
  if (auto allowed = check_name(named); !allowed) {
    content.file.path.clear();
    content.bytes = fail(std::move(allowed.error()));
    return content;
  }
  // Nothing is read, and no device or FIFO is opened, before it is known what is there.
  const File there(content.file.path, O_PATH);
  struct stat found{};
  if (there.fd() < 0 || fstat(there.fd(), &found) != 0) {
    content.bytes = fail(ErrorCode::kNotFound, "cannot be read: " + reason(errno));
    return content;
  }
  content.file.stamp = stamp_of(found);
  content.bytes = read_inside(directory, there, found);
  return content;
}

}  // namespace toolway::tools::loaders
