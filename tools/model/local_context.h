#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "tools/model/tool.h"

namespace toolway::tools::model {

/// A call that came from no server: for tests, and for running tools inside
/// another program. Set the members before the tool runs.
class LocalContext final : public ToolContext {
 public:
  const std::string& session_id() const override { return session; }
  const std::string& user_id() const override { return user; }
  const std::string& call_id() const override { return call; }
  unsigned attempt() const override { return 1; }
  const Limits& limits() const override { return call_limits; }
  const std::string& idempotency_key() const override { return call; }
  std::stop_token cancellation() const override { return stop.get_token(); }
  const TraceContext& trace() const override { return span; }
  std::optional<std::string> secret(std::string_view name) const override;
  void log(LogLevel level, std::string message) override;
  void add_content(ContentBlock block) override;

  /// What the tool has logged so far.
  std::vector<std::pair<LogLevel, std::string>> logged() const;
  /// The blocks that the tool has added so far.
  std::vector<ContentBlock> content() const;

  std::string session = "local";
  std::string user = "local";
  std::string call = "local";
  Limits call_limits{};
  std::stop_source stop{};  ///< request_stop() cancels the call
  TraceContext span{};
  std::map<std::string, std::string, std::less<>> secrets{};

 private:
  mutable Mutex mutex_;
  std::vector<std::pair<LogLevel, std::string>> logged_ GUARDED_BY(mutex_);
  std::vector<ContentBlock> content_ GUARDED_BY(mutex_);
};

/// Hands every report to a function, on the tool's thread.
class ProgressTo final : public Progress {
 public:
  explicit ProgressTo(std::function<void(ProgressReport)> handler) : handler_(std::move(handler)) {}
  void report(ProgressReport report) override {
    if (handler_) handler_(std::move(report));
  }

 private:
  std::function<void(ProgressReport)> handler_;
};

}  // namespace toolway::tools::model
