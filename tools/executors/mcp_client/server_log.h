#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/token_bucket.h"
#include "tools/executors/mcp_client/server_config.h"

namespace toolway::tools::executors::mcp_client {

/// What a server writes to its standard error, or does wrong, in the worker's log: bounded,
/// and without the server's secrets. Thread-safe.
class ServerLog {
 public:
  static constexpr std::size_t kAtOnce = 100;  ///< lines
  static constexpr std::size_t kPerSecond = 10;
  static constexpr std::size_t kLine = 2'000;  ///< bytes
  static constexpr std::size_t kKept = 8;      ///< lines

  explicit ServerLog(std::string server) : server_(std::move(server)) {}

  /// What must not be seen; values of fewer than four bytes are everywhere, and are left.
  void hide(std::vector<std::string> secrets);
  void info(std::string_view text) { write(Level::kInfo, text); }
  void warn(std::string_view text) { write(Level::kWarn, text); }
  /// A line of its standard error: into the log, and kept.
  void said(std::string_view text);
  /// The last ones of this start, cleaned.
  std::vector<std::string> last_lines() const;
  /// Its next process starts.
  void forget_lines();
  /// For people, without what must not be seen, in one line of bounded length.
  std::string clean(std::string_view text) const;

 private:
  enum class Level { kInfo, kWarn };
  void write(Level level, std::string_view text) { write_cleaned(level, clean(text)); }
  void write_cleaned(Level level, const std::string& line);

  const std::string server_;
  mutable Mutex mutex_;
  std::vector<std::string> secrets_ GUARDED_BY(mutex_);
  TokenBucket allowance_ GUARDED_BY(mutex_){{.burst = kAtOnce, .per_second = kPerSecond}};
  std::size_t left_out_ GUARDED_BY(mutex_) = 0;
  std::deque<std::string> last_ GUARDED_BY(mutex_);
};

/// The values of all secrets that a server is given, as they are now.
std::vector<std::string> secret_values(const ServerConfig& server, const model::Secrets& secrets);

}  // namespace toolway::tools::executors::mcp_client
