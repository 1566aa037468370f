#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace toolway::tools::model {

/// The secrets of a process by name (`[A-Za-z0-9_]{1,64}`), for its tools: a file of that
/// name in a directory, or else what its environment said. A file is read at each use, so
/// that a rotated secret is in force at once. Immutable, thread-safe.
class Secrets {
 public:
  using Values = std::map<std::string, std::string, std::less<>>;

  Secrets() = default;
  /// `directory` empty: none. `environment`: names without their prefix.
  explicit Secrets(std::filesystem::path directory, Values environment = {})
      : directory_(std::move(directory)), environment_(std::move(environment)) {}

  /// Without a file's trailing line end; nothing when no secret has that name, or when
  /// its file is over 64 KiB or has a NUL in it.
  std::optional<std::string> find(std::string_view name) const;
  /// Every name with every value that it has, in a file and in the environment.
  std::multimap<std::string, std::string> all() const;

 private:
  std::filesystem::path directory_;
  Values environment_;
};

/// Whether a secret may have this name.
bool valid_secret_name(std::string_view name);

}  // namespace toolway::tools::model
