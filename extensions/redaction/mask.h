#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "extensions/policy.h"
#include "tools/schema/violation.h"
#include "tools/templates/redaction.h"

/// What readers see of texts that may hold secrets. Pure.
namespace toolway::extensions::redaction {

/// Takes secrets out of texts: what a policy's `patterns` match, and the values of a call's secret
/// arguments, however they are written. `[secret]` takes their place. Immutable, thread-safe.
class Mask {
 public:
  /// Shorter values are shown: hiding each `on` would hide everything.
  static constexpr std::size_t kShortest = 4;

  Mask() = default;
  /// `policy`: null: without patterns. `secret_places`: of `arguments`, whose values are hidden.
  Mask(PolicyPtr policy, const Json& arguments, const std::vector<std::string>& secret_places);

  bool empty() const;
  std::string text(std::string text) const;
  /// In strings and keys, and each number that is such a value or that a pattern matches.
  Json json(Json value) const;

 private:
  std::string by_patterns(std::string text) const;
  Json json_by_patterns(Json value) const;

  PolicyPtr policy_;
  tools::templates::Redaction values_{{}};
};

/// The places of strings and numbers in `value` that a policy's `patterns` match, as JSON Pointers;
/// of a name that they match, the place of its object. At most tools::schema::kMaxSecretPlaces;
/// otherwise only "".
std::vector<std::string> matched_places(const Policy& policy, const Json& value);

}  // namespace toolway::extensions::redaction
