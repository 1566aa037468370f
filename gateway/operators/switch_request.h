#pragma once

#include <string>
#include <string_view>

#include "gateway/wire/problem.h"
#include "proto/switches.h"
#include "tools/model/registry.h"

/// What operators switch off and on, checked. Pure.
namespace toolway::gateway::operators {

/// The body of PUT /v1/switches/{name}. An empty one is `{}`.
struct SwitchRequest {
  std::string reason;
  std::string by;       ///< empty: it does not say
  bool future = false;  ///< also what the fleet does not have
};
/// Errors: malformed_json, invalid_request.
wire::HttpResult<SwitchRequest> parse_switch_request(std::string_view body);

/// Errors: invalid_identifier: it is neither a namespace nor `namespace.name`.
wire::HttpResult<void> check_switch_name(const std::string& name);

/// A mistyped name would switch nothing off, and the real tool would run on. Errors: unknown_tool,
/// with near names.
wire::HttpResult<void> check_offered(const std::string& name,
                                     const tools::model::Registry& registry);

/// Errors: unknown_tool, with near names: it is not switched off.
wire::HttpResult<void> check_switched_off(const std::string& name, const proto::Switches& switches);

}  // namespace toolway::gateway::operators
