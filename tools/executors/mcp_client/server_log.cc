#include "tools/executors/mcp_client/server_log.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/mutex.h"
#include "tools/model/readable.h"

namespace toolway::tools::executors::mcp_client {

void ServerLog::hide(std::vector<std::string> secrets) {
  std::erase_if(secrets, [](const auto& secret) { return secret.size() < 4; });
  const MutexLock lock(mutex_);
  secrets_ = std::move(secrets);
}

std::string ServerLog::clean(std::string_view text) const {
  // Hidden before it is cut, so that no half of a secret stays.
  std::string line(text.substr(0, 2 * kLine));
  {
    const MutexLock lock(mutex_);
    for (const auto& secret : secrets_) {
      for (auto at = line.find(secret); at != std::string::npos; at = line.find(secret, at + 3))
        line.replace(at, secret.size(), "***");
    }
  }
  if (line.size() > kLine) line.resize(kLine);
  line = model::readable(std::move(line));
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; }, ' ');
  return line;
}

void ServerLog::said(std::string_view text) {
  auto line = clean(text);
  write_cleaned(Level::kInfo, line);
  const MutexLock lock(mutex_);
  last_.push_back(std::move(line));
  if (last_.size() > kKept) last_.pop_front();
}

std::vector<std::string> ServerLog::last_lines() const {
  const MutexLock lock(mutex_);
  return {last_.begin(), last_.end()};
}

void ServerLog::forget_lines() {
  const MutexLock lock(mutex_);
  last_.clear();
}

void ServerLog::write_cleaned(Level level, const std::string& line) {
  std::size_t left_out = 0;
  {
    const MutexLock lock(mutex_);
    if (!allowance_.take(std::chrono::steady_clock::now())) {
      ++left_out_;
      return;
    }
    left_out = std::exchange(left_out_, 0);
  }
  if (left_out > 0) spdlog::warn("MCP server {}: {} lines were left out here", server_, left_out);
  if (level == Level::kInfo)
    spdlog::info("MCP server {}: {}", server_, line);
  else
    spdlog::warn("MCP server {}: {}", server_, line);
}

std::vector<std::string> secret_values(const ServerConfig& server, const model::Secrets& secrets) {
  std::vector<std::string> values;
  const auto add = [&](const NamedSecretTexts& texts) {
    for (const auto& [name, text] : texts) {
      for (const auto& secret : text.secret_names()) {
        if (auto value = secrets.find(secret)) values.push_back(*std::move(value));
      }
    }
  };
  if (server.stdio) add(server.stdio->environment);
  if (server.http) add(server.http->headers);
  return values;
}

}  // namespace toolway::tools::executors::mcp_client
