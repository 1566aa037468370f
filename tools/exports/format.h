#pragma once

#include <optional>
#include <string_view>

namespace toolway::tools::exports {

/// Whose `tools` a list of tools is written for.
enum class Format {
  kToolway,          ///< everything an agent may see of a spec
  kOpenAi,           ///< OpenAI Chat Completions
  kOpenAiResponses,  ///< OpenAI Responses
  kAnthropic,        ///< Anthropic Messages
  kMcp,              ///< Model Context Protocol, `tools/list`
  kMcpTasks,   ///< the same in revision 2025-11-25, which says of each tool whether it takes tasks
  kMcpModern,  ///< the same in revision 2026-07-28, where an output may be anything
};
inline constexpr std::size_t kFormats = static_cast<std::size_t>(Format::kMcpModern) + 1;
/// Those before have names that clients may ask for.
inline constexpr std::size_t kNamedFormats = static_cast<std::size_t>(Format::kMcp) + 1;

std::string_view format_name(Format format);
std::optional<Format> parse_format(std::string_view name);

}  // namespace toolway::tools::exports
