#include "tools/executors/mcp_client/calls_in_progress.h"

namespace toolway::tools::executors::mcp_client {

void CallsInProgress::add(std::int64_t id, std::shared_ptr<WaitingCall> waiting) {
  calls_.emplace(id, std::move(waiting));
}

void CallsInProgress::give_up(std::int64_t id) {
  if (given_up_.size() < kMaxGivenUp)
    given_up_.insert(id);
  else
    lost_count_ = true;
}

bool CallsInProgress::forget(std::int64_t id) {
  if (calls_.erase(id) == 0) return false;
  give_up(id);
  return true;
}

bool CallsInProgress::ask(const mcp::Request& request) {
  const bool certain = calls_.size() == 1 && given_up_.empty() && !lost_count_;
  return certain && calls_.begin()->second->ask(request);
}

void CallsInProgress::withdraw(const mcp::RequestId& request) {
  for (const auto& [id, waiting] : calls_) (void)waiting->ask(request);
}

void CallsInProgress::report(mcp::ProgressNotification report) {
  const auto* id = std::get_if<std::int64_t>(&report.token);
  const auto found = id == nullptr ? calls_.end() : calls_.find(*id);
  if (found != calls_.end()) found->second->report(std::move(report));
}

void CallsInProgress::end(std::int64_t id, CallEnd end, Ends& ends) {
  given_up_.erase(id);
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  ends.emplace_back(std::move(found->second), std::move(end));
  calls_.erase(found);
}

void CallsInProgress::lose(const StdioSession::Nonsense& nonsense, Ends& ends) {
  if (nonsense.id) return end(*nonsense.id, AnswerLost{nonsense.what}, ends);
  for (auto& [id, waiting] : calls_) {
    ends.emplace_back(std::move(waiting), AnswerLost{nonsense.what});
    give_up(id);
  }
  calls_.clear();
}

CallsInProgress::Ends CallsInProgress::server_died(const std::set<std::int64_t>& unsent) {
  Ends ends;
  for (auto& [id, waiting] : calls_) {
    ends.emplace_back(std::move(waiting),
                      unsent.contains(id) ? CallEnd(NotSent{}) : CallEnd(ServerDied{}));
  }
  calls_.clear();
  given_up_.clear();
  lost_count_ = false;
  return ends;
}

}  // namespace toolway::tools::executors::mcp_client
