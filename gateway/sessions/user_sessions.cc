#include "gateway/sessions/user_sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace toolway::gateway::sessions {
namespace {

/// 64 of a key's random bits.
std::uint64_t half_of(const SessionKey& key) {
  std::uint64_t half = 0;
  const std::string& text = key.text();
  std::from_chars(text.data(), text.data() + std::min<std::size_t>(text.size(), 16), half, 16);
  return half;
}

}  // namespace

double UserSessions::Used::amount_at(MonotonicTime now, double per_second) const {
  if (per_second <= 0) return 0;  // no limit
  const double passed = std::chrono::duration<double>(now - at).count();
  return std::max(0.0, amount - passed * per_second);
}

void UserSessions::Used::add(MonotonicTime now, double per_second) {
  amount = amount_at(now, per_second) + 1;
  at = now;
}

UserSessions::Admission UserSessions::judge_open(const User& user, std::size_t bytes) const {
  if (caps_.open != 0 && user.open.size() + user.beginning >= caps_.open)
    return Admission::kTooMany;
  const std::uint64_t most = caps_.open_mib * 1024 * 1024;
  if (caps_.open_mib != 0 && user.open_bytes + user.beginning_bytes + bytes > most)
    return Admission::kTooLarge;
  return Admission::kAdmitted;
}

bool UserSessions::day_is_used(const User& user, double more, MonotonicTime now) const {
  return caps_.per_day != 0 &&
         user.day.amount_at(now, day_per_second()) + more > static_cast<double>(caps_.per_day);
}

UserSessions::Admission UserSessions::judge_new(const std::string& user, std::size_t bytes,
                                                MonotonicTime now) const {
  const auto found = users_.find(user);
  const User nothing{};
  const User& known = found == users_.end() ? nothing : found->second;
  if (const auto admission = judge_open(known, bytes); admission != Admission::kAdmitted)
    return admission;
  const double next = static_cast<double>(known.beginning) + 1;
  const double most = static_cast<double>(caps_.per_second * kBurstSeconds);
  if (caps_.per_second != 0 && known.burst.amount_at(now, per_second()) + next > most)
    return Admission::kTooFast;
  return day_is_used(known, next, now) ? Admission::kTooManyToday : Admission::kAdmitted;
}

UserSessions::Admission UserSessions::judge_restored(const std::string& user) const {
  const auto found = users_.find(user);
  return found == users_.end() ? Admission::kAdmitted : judge_open(found->second, 1);
}

UserSessions::Admission UserSessions::judge_entry(const std::string& user,
                                                  MonotonicTime now) const {
  const auto found = users_.find(user);
  const bool used = found != users_.end() && day_is_used(found->second, 1, now);
  return used ? Admission::kTooManyToday : Admission::kAdmitted;
}

void UserSessions::opened(const std::string& user, const SessionKey& key, std::size_t bytes,
                          bool created, MonotonicTime now) {
  User& known = users_[user];
  const auto [place, added] = known.open.try_emplace(half_of(key));
  counted_ += added;
  known.open_bytes += bytes;
  known.open_bytes -= place->second.bytes;
  place->second = {static_cast<std::uint32_t>(bytes), turn_};
  if (!created || !added) return;
  known.burst.add(now, per_second());
  known.day.add(now, day_per_second());
}

void UserSessions::closed(const std::string& user, const SessionKey& key) {
  const auto found = users_.find(user);
  if (found == users_.end()) return;
  User& known = found->second;
  const auto place = known.open.find(half_of(key));
  if (place == known.open.end()) return;
  known.open_bytes -= place->second.bytes;
  known.open.erase(place);
  --counted_;
}

void UserSessions::begin(const std::string& user, std::size_t bytes) {
  User& known = users_[user];
  ++known.beginning;
  known.beginning_bytes += bytes;
}

void UserSessions::end(const std::string& user, std::size_t bytes) {
  const auto found = users_.find(user);
  if (found == users_.end() || found->second.beginning == 0) return;
  --found->second.beginning;
  found->second.beginning_bytes -= bytes;
}

void UserSessions::entered(const std::string& user, MonotonicTime now) {
  users_[user].day.add(now, day_per_second());
}

void UserSessions::end_recount() {
  for (auto& [name, user] : users_) {
    std::erase_if(user.open, [this, &known = user](const auto& entry) {
      if (entry.second.turn == turn_) return false;
      known.open_bytes -= entry.second.bytes;
      --counted_;
      return true;
    });
  }
}

void UserSessions::sweep(MonotonicTime now) {
  std::erase_if(users_, [&](const auto& entry) {
    const User& user = entry.second;
    return user.open.empty() && user.beginning == 0 &&
           user.burst.amount_at(now, per_second()) <= 0 &&
           user.day.amount_at(now, day_per_second()) <= 0;
  });
}

std::uint64_t UserSessions::open_of(const std::string& user) const {
  const auto found = users_.find(user);
  return found == users_.end() ? 0 : found->second.open.size();
}

std::size_t UserSessions::bytes() const {
  constexpr std::size_t kSession = 40;  // a node and its place in the index
  constexpr std::size_t kUser = 256;
  return counted_ * kSession + users_.size() * kUser;
}

std::optional<Error> refuse_session(UserSessions::Admission admission, const SessionCaps& caps) {
  using std::chrono::seconds;
  const auto refused = [](std::string message, seconds after) {
    return Error{ErrorCode::kTooManySessions, std::move(message), after};
  };
  switch (admission) {
    case UserSessions::Admission::kAdmitted: return std::nullopt;
    case UserSessions::Admission::kTooMany:
      return refused(fmt::format("you already have {} open sessions, the limit per user "
                                 "(--user-sessions): close some of them first",
                                 caps.open),
                     seconds(10));
    case UserSessions::Admission::kTooLarge:
      return refused(
          fmt::format(
              "your open sessions would take more than {} MiB with their metadata, the limit "
              "per user (--user-sessions-mib): close some of them first",
              caps.open_mib),
          seconds(10));
    case UserSessions::Admission::kTooFast:
      return refused(fmt::format("you are opening more than {} sessions a second "
                                 "(--user-session-rate): try again a little later",
                                 caps.per_second),
                     seconds(1));
    case UserSessions::Admission::kTooManyToday:
      return refused(fmt::format("you have opened {} sessions within a day, the limit per user "
                                 "(--user-sessions-per-day): use a session for more calls, or try "
                                 "again later",
                                 caps.per_day),
                     seconds(60));
  }
  return std::nullopt;
}

}  // namespace toolway::gateway::sessions
