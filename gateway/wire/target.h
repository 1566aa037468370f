#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/wire/problem.h"

namespace toolway::gateway::wire {

/// A request target, split: path as sent, query decoded.
class Target {
 public:
  /// Takes origin form and absolute form (RFC 9112 §3.2). Errors: 400 invalid_request
  /// for bad percent-encoding and for anything else.
  static HttpResult<Target> parse(std::string_view target);

  std::string_view path() const { return path_; }
  /// The first value given for a name.
  std::optional<std::string_view> query(std::string_view name) const;
  /// Errors: invalid_request naming a parameter that is not among `known`, or was given twice.
  HttpResult<void> only(std::initializer_list<std::string_view> known) const;

 private:
  std::string path_;
  std::vector<std::pair<std::string, std::string>> query_;
};

/// A `?limit=`: 1 to `most`, `otherwise` when it was not given.
HttpResult<std::size_t> parse_limit(const Target& target, std::size_t otherwise, std::size_t most);

}  // namespace toolway::gateway::wire
