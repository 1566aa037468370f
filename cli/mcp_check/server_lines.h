#pragma once

#include <spdlog/sinks/base_sink.h>

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace toolway::cli::mcp_check {

/// The last lines that each MCP server wrote to its standard error at its first try, taken from the
/// log of its link, which has cut them and hidden secrets. Thread-safe.
class ServerLines final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  static constexpr std::size_t kKept = 8;

  std::vector<std::string> of(const std::string& server);

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

 private:
  // The sink's own mutex guards both.
  std::map<std::string, std::deque<std::string>> lines_;
  std::set<std::string> failed_;
};

}  // namespace toolway::cli::mcp_check
