#include "gateway/operators/switch_request.h"

#include <fmt/format.h>

#include "base/nearest_names.h"
#include "base/try.h"
#include "gateway/operators/operator_name.h"
#include "tools/model/not_offered.h"

namespace toolway::gateway::operators {

wire::HttpResult<SwitchRequest> parse_switch_request(std::string_view body) {
  ASSIGN_OR_RETURN(auto json, wire::parse_body(body.empty() ? "{}" : body));
  Mistakes mistakes;
  wire::BodyReader reader(json, mistakes);
  SwitchRequest request;
  read_short_text(reader, "reason", request.reason);
  read_short_text(reader, "by", request.by);
  reader.flag("future", request.future);
  reader.nothing_else();
  if (mistakes.count() > 0) return wire::refuse(wire::invalid_request(std::move(mistakes).take()));
  return request;
}

wire::HttpResult<void> check_switch_name(const std::string& name) {
  if (proto::valid_switch_key(name)) return {};
  return wire::refuse(ErrorCode::kInvalidIdentifier,
                      "a switch is of a namespace or of a tool, `namespace.name`");
}

wire::HttpResult<void> check_offered(const std::string& name,
                                     const tools::model::Registry& registry) {
  std::vector<std::string> offered;
  for (const auto* tool : registry.list()) offered.push_back(tool->spec().qualified_name());
  if (tools::model::is_offered(name, offered)) return {};
  const auto text = tools::model::not_offered(name, offered);
  wire::Problem problem{
      .error =
          Error{ErrorCode::kUnknownTool,
                fmt::format("{} Nothing was switched off; `future` (--future) switches off what "
                            "is not there yet",
                            text.ends_with('?') ? text : text + ".")}};
  problem.suggestions = tools::model::near_offered(name, offered);
  return wire::refuse(std::move(problem));
}

wire::HttpResult<void> check_switched_off(const std::string& name,
                                          const proto::Switches& switches) {
  if (switches.all().contains(name)) return {};
  std::vector<std::string> names;
  for (const auto& [key, off] : switches.all()) names.push_back(key);
  const auto near = nearest_names(name, names);
  wire::Problem problem{
      .error =
          Error{ErrorCode::kUnknownTool,
                fmt::format("{} '{}' is not disabled{}",
                            name.find('.') == std::string::npos ? "namespace" : "tool", name,
                            near.empty() ? "" : "; did you mean " + quoted_choices(near) + "?")}};
  problem.suggestions = near;
  return wire::refuse(std::move(problem));
}

}  // namespace toolway::gateway::operators
