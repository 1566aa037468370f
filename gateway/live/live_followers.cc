#include "gateway/live/live_followers.h"

#include <algorithm>
#include <utility>

namespace toolway::gateway::live {

void LiveFollowers::remove(const std::string& name, const LiveSink* sink) {
  const auto found = sinks_.find(name);
  if (found == sinks_.end()) return;
  auto& sinks = found->second;
  const auto place = std::ranges::find(sinks, sink);
  if (place == sinks.end()) return;
  const auto index = static_cast<std::size_t>(place - sinks.begin());
  if (index < next_ && waiting_.front().name == name) --next_;
  sinks.erase(place);
  if (sinks.empty()) sinks_.erase(found);
}

bool LiveFollowers::tell(std::string_view name, const LiveEventPtr& event) {
  const auto found = sinks_.find(name);
  if (found == sinks_.end()) return true;
  auto& sinks = found->second;
  if (waiting_.empty() && sinks.size() <= left_) {
    left_ -= sinks.size();
    for (LiveSink* sink : sinks) sink->on_live(event);
    return true;
  }
  if (waiting_bytes_ + event->bytes > kMaxWaitingBytes) return false;
  waiting_bytes_ += event->bytes;
  waiting_.push_back({.name = std::string(name), .event = event});
  post_slice();
  return true;
}

void LiveFollowers::tell_all(bus::Connection state) {
  waiting_.clear();
  waiting_bytes_ = next_ = 0;
  for (const auto& [name, sinks] : sinks_)
    waiting_.push_back({.name = name, .event = nullptr, .state = state});
  post_slice();
}

void LiveFollowers::post_slice() {
  if (waiting_.empty() || std::exchange(posted_, true)) return;
  asio::post(executor_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->slice();
  });
}

void LiveFollowers::slice() {
  posted_ = false;
  for (left_ = kSlice; left_ > 0 && !waiting_.empty(); --left_) {
    const Told& told = waiting_.front();
    const auto found = sinks_.find(told.name);
    if (found != sinks_.end() && next_ < found->second.size()) {
      LiveSink* sink = found->second[next_++];
      if (told.event) {
        sink->on_live(told.event);
      } else {
        sink->on_connection(told.state);
      }
      continue;
    }
    if (told.event) waiting_bytes_ -= told.event->bytes;
    waiting_.pop_front();
    next_ = 0;
  }
  post_slice();
}

}  // namespace toolway::gateway::live
