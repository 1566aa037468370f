#include "tools/secrets.h"

#include <algorithm>
#include <fstream>

namespace toolway::tools {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLargest = 64 * 1024;

std::optional<std::string> content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(kLargest + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargest || text.find('\0') != std::string::npos) return std::nullopt;
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

}  // namespace

bool valid_secret_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
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

}  // namespace toolway::tools
