#include "persistence/reaper/watched_calls.h"

namespace toolway::persistence::reaper {

void WatchedCalls::put(const std::string& call_id, WatchedCall call, WallTime time) {
  auto& entry = calls_[call_id];
  by_time_.erase({entry.look_at, call_id});
  entry = {std::move(call), time};
  by_time_.insert({time, call_id});
}

void WatchedCalls::look_at(const std::string& call_id, WallTime time) {
  const auto found = calls_.find(call_id);
  if (found == calls_.end()) return;
  by_time_.erase({found->second.look_at, call_id});
  found->second.look_at = time;
  by_time_.insert({time, call_id});
}

void WatchedCalls::forget(const std::string& call_id) {
  const auto found = calls_.find(call_id);
  if (found == calls_.end()) return;
  by_time_.erase({found->second.look_at, call_id});
  calls_.erase(found);
}

WatchedCall* WatchedCalls::find(const std::string& call_id) {
  const auto found = calls_.find(call_id);
  return found == calls_.end() ? nullptr : &found->second.call;
}

std::vector<std::string> WatchedCalls::due(WallTime now, std::size_t limit) const {
  std::vector<std::string> ids;
  for (const auto& [time, call_id] : by_time_) {
    if (time > now || ids.size() >= limit) break;
    ids.push_back(call_id);
  }
  return ids;
}

std::vector<std::string> WatchedCalls::where(
    const std::function<bool(const WatchedCall&)>& chosen) const {
  std::vector<std::string> ids;
  for (const auto& [call_id, entry] : calls_) {
    if (chosen(entry.call)) ids.push_back(call_id);
  }
  return ids;
}

std::unordered_map<std::string_view, std::size_t> WatchedCalls::by_session() const {
  std::unordered_map<std::string_view, std::size_t> sessions;
  for (const auto& [call_id, entry] : calls_) ++sessions[entry.call.session_key];
  return sessions;
}

std::optional<WallTime> WatchedCalls::oldest() const {
  for (const auto& [call_id, entry] : calls_)
    if (!entry.call.held_since) return entry.call.submitted_at;
  return std::nullopt;
}

WatchedCalls::HeldCalls WatchedCalls::held() const {
  HeldCalls held;
  for (const auto& [call_id, entry] : calls_) {
    if (!entry.call.held_since) continue;
    ++held.calls;
    if (!held.oldest) held.oldest = entry.call.held_since;
  }
  return held;
}

void WatchedCalls::clear() {
  calls_.clear();
  by_time_.clear();
}

}  // namespace toolway::persistence::reaper
