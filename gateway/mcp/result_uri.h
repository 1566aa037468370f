#pragma once

#include <optional>
#include <string>
#include <string_view>

/// How the result of a call is named as a resource. Pure.
namespace toolway::gateway::mcp {

/// `toolway://calls/{call_id}/result`.
std::string result_uri(std::string_view call_id);
/// The call whose result it names; nothing: it is no such URI.
std::optional<std::string> call_of_result(std::string_view uri);

}  // namespace toolway::gateway::mcp
