#include "cli/client/filter_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/nearest_names.h"
#include "cli/client/problem.h"

namespace toolway::cli::client {
namespace {

std::string member_text(const OrderedJson& tool, const char* field) {
  const auto found = tool.find(field);
  return found != tool.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string question(const std::vector<std::string>& near) {
  return near.empty() ? std::string() : fmt::format("; did you mean {}?", quoted_choices(near));
}

bool has_tool(const std::string& name, const OrderedJson& tools) {
  return std::any_of(tools.begin(), tools.end(), [&](const OrderedJson& tool) {
    return name == member_text(tool, "name") ||
           name == member_text(tool, "namespace") + "." + member_text(tool, "name");
  });
}

std::vector<std::string> every_code() {
  std::vector<std::string> codes;
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i)
    codes.emplace_back(code_name(static_cast<ErrorCode>(i)));
  return codes;
}

}  // namespace

std::vector<std::string> near_tools(const std::string& name, const OrderedJson& answer) {
  const auto tools = answer.value("tools", OrderedJson::array());
  const bool whole = name.find('.') != std::string::npos;
  std::vector<std::string> names;
  for (const auto& tool : tools)
    names.push_back(whole ? member_text(tool, "namespace") + "." + member_text(tool, "name")
                          : member_text(tool, "name"));
  auto near = nearest_names(name, names);
  for (auto& one : near)
    for (const auto& tool : tools)
      if (one == member_text(tool, "name")) one = member_text(tool, "namespace") + "." + one;
  return near;
}

std::vector<std::string> filter_hints(const CallListOptions& options, const OrderedJson& answer) {
  const auto tools = answer.value("tools", OrderedJson::array());
  std::vector<std::string> hints;
  if (!options.tool.empty() && !has_tool(options.tool, tools))
    hints.push_back(fmt::format("the fleet has no tool '{}' now{}", options.tool,
                                question(near_tools(options.tool, answer))));
  std::set<std::string> namespaces;
  for (const auto& tool : tools) namespaces.insert(member_text(tool, "namespace"));
  if (!options.namespace_.empty() && !namespaces.contains(options.namespace_))
    hints.push_back(fmt::format(
        "no tool is in namespace '{}' now{}", options.namespace_,
        question(nearest_names(options.namespace_, {namespaces.begin(), namespaces.end()}))));
  // Tools may have codes of their own.
  if (!options.error_code.empty() && !code_of(options.error_code))
    if (const auto near = nearest_names(options.error_code, every_code(), 1); !near.empty())
      hints.push_back(
          fmt::format("'{}' is not one of Toolway's codes{}", options.error_code, question(near)));
  return hints;
}

}  // namespace toolway::cli::client
