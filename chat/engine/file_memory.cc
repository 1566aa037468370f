#include "chat/engine/file_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/ids.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_io.h"
#include "base/try.h"
#include "tools/messages/message_json.h"

namespace toolway::chat::engine {
namespace {

constexpr std::size_t kMaxDepth = 128;

tl::unexpected<Error> system_error(std::string_view what, const std::filesystem::path& path) {
  return fail(ErrorCode::kInternal,
              fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)));
}

Error damaged(const std::filesystem::path& path, std::size_t line, std::string_view why) {
  return {ErrorCode::kInternal,
          fmt::format("the conversation in {} is damaged at line {}: {}. Move the file away to "
                      "begin a new one",
                      path.string(), line, why)};
}

class FileMemory final : public Memory {
 public:
  FileMemory(std::filesystem::path path, os::FileDescriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  const std::string& conversation() const override { return id_; }
  const tools::messages::History& history() const override { return history_; }

  Result<void> append(tools::messages::Message message) override {
    if (broken_)
      return fail(ErrorCode::kInternal,
                  fmt::format("the conversation in {} could not be stored before", path_.string()));
    RETURN_IF_ERROR(history_.append(std::move(message)));
    return write_line(tools::messages::message_json(history_.newest()));
  }

  Result<void> start_new() override {
    if (!history_.messages().empty()) {
      auto old = path_;
      old.replace_extension(id_ + ".jsonl");
      std::error_code failed;
      std::filesystem::rename(path_, old, failed);
      if (failed)
        return fail(ErrorCode::kInternal,
                    fmt::format("cannot rename {}: {}", path_.string(), failed.message()));
    }
    return begin();
  }

  /// Reads the file, or begins it.
  Result<void> open() {
    if (!std::filesystem::exists(path_)) return begin();
    ASSIGN_OR_RETURN(const auto text, os::read_file(path_));
    const auto whole = text.rfind('\n') + 1;  // 0: not one line
    if (whole == 0) return begin();
    std::size_t number = 0;
    for (std::size_t at = 0; at < whole;) {
      const auto end = text.find('\n', at);
      RETURN_IF_ERROR(take_line(std::string_view(text).substr(at, end - at), ++number));
      at = end + 1;
    }
    ASSIGN_OR_RETURN(file_, open_file(O_WRONLY | O_APPEND));
    if (whole < text.size() && ftruncate(file_.get(), static_cast<off_t>(whole)) != 0)
      return system_error("repair", path_);
    return {};
  }

 private:
  Result<os::FileDescriptor> open_file(int flags) const {
    os::FileDescriptor file(::open(path_.c_str(), flags | O_CLOEXEC, 0600));
    if (file.get() < 0) return system_error("open", path_);
    return file;
  }

  Result<void> begin() {
    history_ = {};
    id_ = random_hex(16);
    broken_ = false;
    ASSIGN_OR_RETURN(file_, open_file(O_WRONLY | O_CREAT | O_TRUNC | O_APPEND));
    return write_line({{"toolway_conversation", 1}, {"id", id_}});
  }

  Result<void> take_line(std::string_view line, std::size_t number) {
    const auto parsed = parse_ordered_json(line, kMaxDepth);
    if (!parsed) return fail(damaged(path_, number, parsed.error().message));
    if (number == 1) {
      if (!parsed->is_object() || parsed->value("toolway_conversation", 0) != 1 ||
          !parsed->contains("id") || !parsed->at("id").is_string())
        return fail(damaged(path_, number, "it does not begin as a conversation of toolway"));
      id_ = parsed->at("id").get<std::string>();
      return {};
    }
    Mistakes mistakes;
    auto message = tools::messages::read_message(*parsed, mistakes, "");
    if (mistakes.count() > 0)
      return fail(damaged(path_, number, std::move(mistakes).take().front().text()));
    if (const auto added = history_.append(std::move(message)); !added)
      return fail(damaged(path_, number, added.error().message));
    return {};
  }

  Result<void> write_line(const OrderedJson& json) {
    const auto line = to_text(json) + "\n";
    const auto length = ::lseek(file_.get(), 0, SEEK_END);
    const bool written =
        ::write(file_.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
    if (written && fdatasync(file_.get()) == 0) return {};
    broken_ = true;
    auto error = system_error("write", path_);
    if (length >= 0 && ftruncate(file_.get(), length) != 0)
      error.value().message += "; half a line is left, and is dropped when it is opened again";
    return error;
  }

  const std::filesystem::path path_;
  const os::FileDescriptor lock_;
  os::FileDescriptor file_;
  std::string id_;
  tools::messages::History history_;
  bool broken_ = false;
};

}  // namespace

Result<std::unique_ptr<Memory>> open_file_memory(const std::filesystem::path& directory,
                                                 const std::string& name) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed)
    return fail(ErrorCode::kInternal,
                fmt::format("cannot make {}: {}", directory.string(), failed.message()));
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all, failed);
  const auto lock_path = directory / (name + ".lock");
  os::FileDescriptor lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.get() < 0) return system_error("open", lock_path);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return fail(ErrorCode::kOverloaded,
                fmt::format("another process has the conversation {} open: end it, or name another "
                            "session",
                            name));
  auto memory = std::make_unique<FileMemory>(directory / (name + ".jsonl"), std::move(lock));
  RETURN_IF_ERROR(memory->open());
  return memory;
}

}  // namespace toolway::chat::engine
