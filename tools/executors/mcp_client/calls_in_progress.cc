#include "tools/executors/mcp_client/calls_in_progress.h"

namespace toolway::tools::executors::mcp_client {

void CallsInProgress::add(std::int64_t id, std::shared_ptr<WaitingCall> waiting) {
  calls_.emplace(id, std::move(waiting));
}

bool CallsInProgress::forget(std::int64_t id) { return calls_.erase(id) > 0; }

void CallsInProgress::report(mcp::ProgressNotification report) {
  const auto* id = std::get_if<std::int64_t>(&report.token);
  const auto found = id == nullptr ? calls_.end() : calls_.find(*id);
  if (found != calls_.end()) found->second->report(std::move(report));
}

void CallsInProgress::end(std::int64_t id, CallEnd end, Ends& ends) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  ends.emplace_back(std::move(found->second), std::move(end));
  calls_.erase(found);
}

void CallsInProgress::lose(const StdioSession::Nonsense& nonsense, Ends& ends) {
  if (nonsense.id) return end(*nonsense.id, AnswerLost{nonsense.what}, ends);
  for (auto& [id, waiting] : calls_)
    ends.emplace_back(std::move(waiting), AnswerLost{nonsense.what});
  calls_.clear();
}

CallsInProgress::Ends CallsInProgress::server_died(const std::set<std::int64_t>& unsent) {
  Ends ends;
  for (auto& [id, waiting] : calls_) {
    ends.emplace_back(std::move(waiting),
                      unsent.contains(id) ? CallEnd(NotSent{}) : CallEnd(ServerDied{}));
  }
  calls_.clear();
  return ends;
}

}  // namespace toolway::tools::executors::mcp_client
