#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace toolway::tools::templates {

/// Takes the values of secrets out of whatever a call shows: as they are, percent-encoded, in
/// base64, and escaped as in JSON. `[secret]` takes their place.
class Redaction {
 public:
  /// Empty values are none.
  explicit Redaction(const std::vector<std::string>& secrets);
  std::string text(std::string text) const;
  /// In strings, keys and numbers.
  Json json(Json value) const;
  bool empty() const { return forms_.empty(); }

 private:
  std::vector<std::string> forms_;  // the longest first
};

}  // namespace toolway::tools::templates
