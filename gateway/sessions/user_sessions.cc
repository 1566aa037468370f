#include "gateway/sessions/user_sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace toolway::gateway::sessions {

double UserSessions::used_at(const User& user, MonotonicTime now) const {
  const double passed = std::chrono::duration<double>(now - user.at).count();
  return std::max(0.0, user.used - passed * static_cast<double>(caps_.per_second));
}

UserSessions::Verdict UserSessions::judge_new(const std::string& user, MonotonicTime now) const {
  const auto found = users_.find(user);
  if (found == users_.end()) return Verdict::kAdmitted;
  const User& known = found->second;
  if (caps_.open != 0 && known.open + known.beginning >= caps_.open) return Verdict::kTooMany;
  const double most = static_cast<double>(caps_.per_second * kBurstSeconds);
  const double next = used_at(known, now) + static_cast<double>(known.beginning) + 1;
  if (caps_.per_second != 0 && next > most) return Verdict::kTooFast;
  return Verdict::kAdmitted;
}

UserSessions::Verdict UserSessions::judge_restored(const std::string& user) const {
  const auto found = users_.find(user);
  const bool full =
      found != users_.end() && found->second.open + found->second.beginning >= caps_.open;
  return caps_.open != 0 && full ? Verdict::kTooMany : Verdict::kAdmitted;
}

void UserSessions::opened(const std::string& user, bool created, MonotonicTime now) {
  User& known = users_[user];
  ++known.open;
  if (!created) return;
  known.used = used_at(known, now) + 1;
  known.at = now;
}

void UserSessions::closed(const std::string& user) {
  const auto found = users_.find(user);
  if (found != users_.end() && found->second.open > 0) --found->second.open;
}

void UserSessions::end(const std::string& user) {
  const auto found = users_.find(user);
  if (found != users_.end() && found->second.beginning > 0) --found->second.beginning;
}

void UserSessions::forget_all() {
  for (auto& [name, user] : users_) user.open = 0;
}

void UserSessions::sweep(MonotonicTime now) {
  std::erase_if(users_, [&](const auto& entry) {
    const User& user = entry.second;
    return user.open == 0 && user.beginning == 0 && used_at(user, now) <= 0;
  });
}

std::uint64_t UserSessions::open_of(const std::string& user) const {
  const auto found = users_.find(user);
  return found == users_.end() ? 0 : found->second.open;
}

std::optional<Error> refuse_session(UserSessions::Verdict verdict, const SessionCaps& caps) {
  using std::chrono::seconds;
  switch (verdict) {
    case UserSessions::Verdict::kAdmitted: return std::nullopt;
    case UserSessions::Verdict::kTooMany:
      return Error{
          ErrorCode::kTooManySessions,
          fmt::format(
              "you already have {} open sessions, the limit per user (--user-sessions): close some of "
              "them first",
              caps.open),
          seconds(10)};
    case UserSessions::Verdict::kTooFast:
      return Error{
          ErrorCode::kTooManySessions,
          fmt::format(
              "you are opening more than {} sessions a second (--user-session-rate): try again a little later",
              caps.per_second),
          seconds(1)};
  }
  return std::nullopt;
}

}  // namespace toolway::gateway::sessions
