#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace toolway::tools::specs {

/// A value that two documents have not in common. Null: not there.
struct SpecDifference {
  std::string pointer;  ///< RFC 6901
  OrderedJson from;
  OrderedJson to;
  bool operator==(const SpecDifference&) const = default;
};

/// What is different between two specs' documents, in the order of their fields. Objects are gone
/// into; lists are compared as a whole.
std::vector<SpecDifference> spec_diff(const OrderedJson& from, const OrderedJson& to);

}  // namespace toolway::tools::specs
