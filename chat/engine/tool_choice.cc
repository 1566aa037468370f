#include "chat/engine/tool_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/nearest_names.h"
#include "chat/providers/provider.h"
#include "tools/messages/foreign_parts.h"

namespace toolway::chat::engine {
namespace {

/// Chat Completions has it one level further down.
std::string name_of(const OrderedJson& definition) {
  const auto function = definition.find("function");
  return tools::messages::text_member(function != definition.end() ? *function : definition,
                                      "name");
}

}  // namespace

Result<void> check_tool_choice(const std::string& choice, const OrderedJson& definitions) {
  if (!providers::names_tool(choice)) return {};
  std::vector<std::string> names;
  for (const auto& definition : definitions) names.push_back(name_of(definition));
  if (std::ranges::find(names, choice) != names.end()) return {};
  const auto near = nearest_names(choice, names);
  return fail(ErrorCode::kInvalidArguments,
              fmt::format("the session has no tool '{}'{}", choice,
                          near.empty() ? "; write auto, none, required, or the model's name of one"
                                       : "; did you mean " + quoted_choices(near) + "?"));
}

}  // namespace toolway::chat::engine
