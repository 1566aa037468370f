#include "tools/exports/format.h"

namespace toolway::tools::exports {

std::string_view format_name(Format format) {
  switch (format) {
    case Format::kToolway: return "toolway";
    case Format::kOpenAi: return "openai";
    case Format::kOpenAiResponses: return "openai-responses";
    case Format::kAnthropic: return "anthropic";
    case Format::kMcp:
    case Format::kMcpTasks:
    case Format::kMcpModern: return "mcp";
  }
  return "toolway";
}

std::optional<Format> parse_format(std::string_view name) {
  for (std::size_t i = 0; i < kNamedFormats; ++i) {
    if (const auto format = static_cast<Format>(i); format_name(format) == name) return format;
  }
  return std::nullopt;
}

}  // namespace toolway::tools::exports
