#include "tools/model/kind_types.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/executors/command/command_kind.h"
#include "tools/executors/http/http_kind.h"
#include "tools/executors/mcp_client/mcp_kind.h"
#include "tools/executors/python/python_kind.h"
#include "tools/executors/templated/template_kind.h"

namespace toolway::tools::model {
namespace {

KindType native_kind_type() {
  return {.kind = Kind::kNative, .check = [](const Spec&) { return std::vector<Mistake>{}; }};
}

/// The one registration: a line for each folder of executors/.
std::vector<KindType> all_kind_types() {
  // clang-format off
  return {
      native_kind_type(),
      executors::python::python_kind_type(),
      executors::command::command_kind_type(),
      executors::http::http_kind_type(),
      executors::mcp_client::mcp_kind_type(),
      executors::templated::template_kind_type(),
  };
  // clang-format on
}

}  // namespace

std::span<const KindType> kind_types() {
  static const std::vector<KindType> types = all_kind_types();
  return types;
}

const KindType* find_kind_type(std::string_view name) {
  const auto types = kind_types();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const auto& type) { return type.kind.name == name; });
  return found == types.end() ? nullptr : &*found;
}

std::string kind_names() {
  std::string names;
  const auto types = kind_types();
  for (std::size_t i = 0; i < types.size(); ++i) {
    names += fmt::format("{}{}",
                         i == 0                  ? ""
                         : i + 1 == types.size() ? " or "
                                                 : ", ",
                         types[i].kind.name);
  }
  return names;
}

std::string model::KindOptions::setting(std::string_view name, std::string fallback) const {
  const auto values = all(name);
  return values.empty() ? std::move(fallback) : values.back();
}

std::vector<std::string> model::KindOptions::all(std::string_view name) const {
  std::vector<std::string> values;
  const auto [first, last] = settings.equal_range(name);
  std::transform(first, last, std::back_inserter(values),
                 [](const auto& entry) { return entry.second; });
  return values;
}

}  // namespace toolway::tools::model
