#include "cli/mcp_check/server_lines.h"

#include <string_view>

namespace toolway::cli::mcp_check {

void ServerLines::sink_it_(const spdlog::details::log_msg& message) {
  constexpr std::string_view kPrefix = "MCP server ";
  std::string_view text(message.payload.data(), message.payload.size());
  if (!text.starts_with(kPrefix)) return;
  text.remove_prefix(kPrefix.size());
  const auto colon = text.find(": ");
  if (colon == std::string_view::npos) return;
  const std::string server(text.substr(0, colon));
  // Warnings are the link's own words, which the verb prints; the next try would say all again.
  if (message.level >= spdlog::level::warn) failed_.insert(server);
  if (failed_.contains(server)) return;
  auto& lines = lines_[server];
  lines.emplace_back(text.substr(colon + 2));
  if (lines.size() > kKept) lines.pop_front();
}

std::vector<std::string> ServerLines::of(const std::string& server) {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find(server);
  return found == lines_.end()
             ? std::vector<std::string>{}
             : std::vector<std::string>(found->second.begin(), found->second.end());
}

}  // namespace toolway::cli::mcp_check
