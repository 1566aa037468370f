#include "tools/model/not_offered.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/nearest_names.h"

namespace toolway::tools::model {
namespace {

bool is_namespace(const std::string& name) { return name.find('.') == std::string::npos; }

}  // namespace

std::vector<std::string> near_offered(const std::string& name,
                                      const std::vector<std::string>& offered) {
  std::set<std::string> names;
  for (const auto& one : offered)
    names.insert(is_namespace(name) ? one.substr(0, one.find('.')) : one);
  return nearest_names(name, {names.begin(), names.end()});
}

bool is_offered(const std::string& name, const std::vector<std::string>& offered) {
  return std::any_of(offered.begin(), offered.end(), [&](const std::string& one) {
    return one == name || (is_namespace(name) && one.starts_with(name + "."));
  });
}

std::string not_offered(const std::string& name, const std::vector<std::string>& offered) {
  const auto near = near_offered(name, offered);
  return fmt::format("the fleet has no {} '{}'{}", is_namespace(name) ? "namespace" : "tool", name,
                     near.empty() ? "" : "; did you mean " + quoted_choices(near) + "?");
}

}  // namespace toolway::tools::model
