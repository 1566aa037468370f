#include "persistence/reaper/new_retries.h"

#include <algorithm>

#include "base/try.h"
#include "bus/answer.h"
#include "proto/questions.h"
#include "proto/subjects.h"

namespace toolway::persistence::reaper {
namespace {

constexpr std::size_t kRetriesPerPage = 2000;

}  // namespace

std::vector<std::string> RetryPage::calls(const ReapRules& rules) const {
  std::vector<std::string> ids;
  for (const auto& [position, event] : retries) {
    if (event.has_retry_at() && worker_keeps(event, rules)) continue;
    if (event.has_input_provided() && !proto::is_parked(event)) continue;
    ids.push_back(event.call_id());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

store::EventPosition RetryPage::seen() const {
  return full && !retries.empty() ? std::min(floor, retries.back().position) : floor;
}

Result<RetryPage> NewRetries::find(WallTime window) {
  // Asked before Postgres is: what is acknowledged by now is there.
  ASSIGN_OR_RETURN(auto stream, bus::answer_of<bus::StreamState>([&](auto handler) {
                     bus_.stream_state(proto::kEventsStream, handler);
                   }));
  auto collector = bus::answer_of<bus::ConsumerState>([&](auto handler) {
    bus_.consumer_state({std::string(proto::kEventsStream), std::string(proto::kCollectorDurable)},
                        handler);
  });
  RETURN_IF_ERROR(collector);
  RetryPage page{.retries = {}, .full = false, .floor = {stream.incarnation, collector->ack_floor}};
  if (!seen_) seen_ = page.floor;
  ASSIGN_OR_RETURN(auto retries, recorded_.retries(*seen_, window, kRetriesPerPage));
  page.full = retries.size() == kRetriesPerPage;
  page.retries = std::move(retries);
  return page;
}

}  // namespace toolway::persistence::reaper
