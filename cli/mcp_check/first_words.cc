#include "cli/mcp_check/first_words.h"

namespace toolway::cli::mcp_check {

using tools::executors::mcp_client::LinkTrouble;
using tools::executors::mcp_client::ListedTools;
using tools::executors::mcp_client::ServerConfig;

FirstWords::FirstWords(const std::vector<ServerConfig>& servers) {
  for (const auto& server : servers) checked_.push_back({.name = server.name});
}

void FirstWords::listed(std::size_t server, const ServerConfig& config, ListedTools listed) {
  const MutexLock lock(mutex_);
  if (has_spoken(server)) return;
  auto& checked = checked_[server];
  checked.revision = listed.revision;
  checked.server = listed.server;
  checked.tools = tools::executors::mcp_client::map_tools(config, std::move(listed));
  spoken_.push_back(server);
  changed_.notify_all();
}

void FirstWords::trouble(std::size_t server, const LinkTrouble& trouble) {
  const MutexLock lock(mutex_);
  if (has_spoken(server)) return;
  checked_[server].trouble = trouble.why.empty() ? "it cannot be used" : trouble.why;
  checked_[server].lines = trouble.lines;
  spoken_.push_back(server);
  changed_.notify_all();
}

std::optional<std::size_t> FirstWords::next(std::chrono::milliseconds patience) {
  MutexLock lock(mutex_);
  changed_.wait_for(lock, patience, [this]() REQUIRES(mutex_) { return !spoken_.empty(); });
  if (spoken_.empty()) return std::nullopt;
  const auto server = spoken_.front();
  spoken_.pop_front();
  return server;
}

Checked FirstWords::of(std::size_t server) const {
  const MutexLock lock(mutex_);
  return checked_[server];
}

}  // namespace toolway::cli::mcp_check
