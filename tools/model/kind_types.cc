#include "tools/model/kind_types.h"

#include <fmt/format.h>

#include <algorithm>

namespace toolway::tools::model {

std::string KindOptions::setting(std::string_view name, std::string fallback) const {
  const auto values = all(name);
  return values.empty() ? std::move(fallback) : values.back();
}

std::vector<std::string> KindOptions::all(std::string_view name) const {
  std::vector<std::string> values;
  const auto [first, last] = settings.equal_range(name);
  std::transform(first, last, std::back_inserter(values),
                 [](const auto& entry) { return entry.second; });
  return values;
}

const KindType* KindTypes::find(std::string_view name) const {
  const auto found = std::find_if(types_.begin(), types_.end(),
                                  [&](const auto& type) { return type.kind.name == name; });
  return found == types_.end() ? nullptr : &*found;
}

std::string KindTypes::names() const {
  std::string names;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    names += fmt::format("{}{}",
                         i == 0                   ? ""
                         : i + 1 == types_.size() ? " or "
                                                  : ", ",
                         types_[i].kind.name);
  }
  return names;
}

std::vector<Mistake> KindTypes::check(const Spec& spec) const {
  if (const auto* type = find(spec.kind.name)) return type->check(spec);
  return {{"/kind", fmt::format("this build runs no tools of kind {}", spec.kind.name)}};
}

}  // namespace toolway::tools::model
