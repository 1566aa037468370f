#include "tools/model/secrets.h"

#include <algorithm>

#include "base/os/file_io.h"

namespace toolway::tools::model {
namespace {

constexpr std::size_t kMaxName = 64;
constexpr std::size_t kLargest = 64 * 1024;

std::optional<std::string> content_of(const std::filesystem::path& path) {
  auto text = os::read_file(path, kLargest + 1);
  if (!text || text->size() > kLargest || text->find('\0') != std::string::npos)
    return std::nullopt;
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  return *std::move(text);
}

}  // namespace

bool valid_secret_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

std::optional<std::string> Secrets::find(std::string_view name) const {
  if (!valid_secret_name(name)) return std::nullopt;
  if (!directory_.empty()) {
    if (auto text = content_of(directory_ / name)) return text;
  }
  const auto found = environment_.find(name);
  return found == environment_.end() ? std::nullopt : std::optional(found->second);
}

std::multimap<std::string, std::string> Secrets::all() const {
  std::multimap<std::string, std::string> found(environment_.begin(), environment_.end());
  std::error_code ignored;
  if (directory_.empty()) return found;
  for (std::filesystem::directory_iterator entry(directory_, ignored), end; entry != end;
       entry.increment(ignored)) {
    const auto name = entry->path().filename().string();
    if (!valid_secret_name(name)) continue;
    if (auto text = content_of(entry->path())) found.emplace(name, *std::move(text));
  }
  return found;
}

}  // namespace toolway::tools::model
