#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "tools/executors/mcp_client/server_link.h"
#include "tools/executors/mcp_client/toolset.h"

namespace toolway::cli::mcp_check {

/// What one server has come to.
struct Checked {
  std::string name;
  std::optional<mcp::Revision> revision{};  ///< nothing: it cannot be used
  mcp::Implementation server{};
  tools::executors::mcp_client::MappedTools tools{};
  std::string trouble{};             ///< of the first try
  std::vector<std::string> lines{};  ///< the last ones on its standard error
};

/// The first answer of each server, or why its first try failed: a server that cannot be run, exits
/// or refuses the connection would do so again. Thread-safe.
class FirstWords {
 public:
  explicit FirstWords(const std::vector<tools::executors::mcp_client::ServerConfig>& servers);

  void listed(std::size_t server, const tools::executors::mcp_client::ServerConfig& config,
              tools::executors::mcp_client::ListedTools listed);
  void trouble(std::size_t server, const tools::executors::mcp_client::LinkTrouble& trouble);
  /// The next server that has said something, in the order in which they do; blocks. Nothing: none
  /// has within `patience`.
  std::optional<std::size_t> next(std::chrono::milliseconds patience);
  Checked of(std::size_t server) const;

 private:
  bool has_spoken(std::size_t server) const REQUIRES(mutex_) {
    return checked_[server].revision.has_value() || !checked_[server].trouble.empty();
  }

  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<Checked> checked_ GUARDED_BY(mutex_);
  std::deque<std::size_t> spoken_ GUARDED_BY(mutex_);  // those that `next` has not returned yet
};

}  // namespace toolway::cli::mcp_check
