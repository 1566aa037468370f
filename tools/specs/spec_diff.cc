#include "tools/specs/spec_diff.h"

#include "base/json_pointer.h"

namespace toolway::tools::specs {
namespace {

void compare(const std::string& pointer, const OrderedJson& from, const OrderedJson& to,
             std::vector<SpecDifference>& found) {
  if (!from.is_object() || !to.is_object()) {
    if (from != to) found.push_back({pointer, from, to});
    return;
  }
  for (const auto& [key, value] : from.items()) {
    const auto other = to.find(key);
    compare(pointer_to(pointer, key), value, other == to.end() ? OrderedJson() : *other, found);
  }
  for (const auto& [key, value] : to.items()) {
    if (!from.contains(key)) compare(pointer_to(pointer, key), OrderedJson(), value, found);
  }
}

}  // namespace

std::vector<SpecDifference> spec_diff(const OrderedJson& from, const OrderedJson& to) {
  std::vector<SpecDifference> found;
  compare("", from, to, found);
  return found;
}

}  // namespace toolway::tools::specs
