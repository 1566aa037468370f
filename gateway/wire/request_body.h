#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "gateway/wire/problem.h"

namespace toolway::gateway {

/// Reads the members of an untrusted object, strictly, and gathers
/// everything that is wrong with it instead of stopping at the first.
class BodyReader {
 public:
  /// `path` is the JSON Pointer of `value` within the body.
  BodyReader(const Json& value, std::string path);

  /// Complains about members that are not among `known`.
  void only(std::initializer_list<std::string_view> known);
  /// Null when absent, or not a string (and says so).
  const std::string* text(std::string_view name);
  const Json* object(std::string_view name);
  const Json* array(std::string_view name);
  /// A whole number from 1 to 2^32 - 1.
  std::optional<std::uint32_t> count(std::string_view name);
  void complain(std::string_view name, std::string keyword, std::string message);

  std::string path_of(std::string_view name) const;
  const std::vector<tools::Violation>& errors() const { return errors_; }
  void add(std::vector<tools::Violation> errors);

 private:
  const Json* member(std::string_view name, Json::value_t type, std::string_view type_name);
  const Json& value_;
  std::string path_;
  std::vector<tools::Violation> errors_;
};

/// Parses a body that must be an object. Errors: malformed_json, invalid_request.
Answer<Json> parse_body(std::string_view body);

}  // namespace toolway::gateway
