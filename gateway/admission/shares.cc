#include "gateway/admission/shares.h"

#include <algorithm>

namespace toolway::gateway::admission {
namespace {

/// Beyond this a queue's oldest entries are forgotten: far above what the caps allow to wait.
constexpr std::size_t kMaxEntries = 1'000'000;

}  // namespace

std::uint64_t Shares::waiting_of(const Shared& shared, std::string_view name) {
  const auto found = shared.find(std::string(name));
  return found == shared.end() ? 0 : found->second.waiting;
}

ShareCaps caps_of_pool(ShareCaps caps, std::uint64_t slots) {
  if (caps.session_bulk == 0) caps.session_bulk = std::max(kMinShare, 2 * slots);
  if (caps.user_bulk == 0) caps.user_bulk = caps.session_bulk;
  return caps;
}

Shares::Placement Shares::judge(const ShareCaps& caps, std::string_view session,
                                std::string_view user, Elsewhere elsewhere) const {
  const auto of_session = waiting_of(sessions_, session) + elsewhere.session;
  const auto of_user = waiting_of(users_, user) + elsewhere.user;
  if (of_session >= caps.session_most) return Placement::kSessionFull;
  if (of_user >= caps.user_most) return Placement::kUserFull;
  const bool bulk = of_session >= caps.session_bulk || of_user >= caps.user_bulk;
  return bulk ? Placement::kBulk : Placement::kNormal;
}

void Shares::accepted(std::string_view durable, std::uint64_t sequence, std::string_view session,
                      std::string_view user, WaitingPlacePtr counted) {
  Queue& queue = queues_[std::string(durable)];
  auto& of_session = *sessions_.try_emplace(std::string(session)).first;
  auto& of_user = *users_.try_emplace(std::string(user)).first;
  ++of_session.second.entries;
  ++of_user.second.entries;
  queue.entries.push_back({sequence, &of_session, &of_user, std::move(counted)});
  ++queue.accepted;
  ++entries_;
  if (queue.entries.size() > kMaxEntries) drop_front(queue);
}

std::uint64_t Shares::mark(std::string_view durable) const {
  const auto found = queues_.find(std::string(durable));
  return found == queues_.end() ? 0 : found->second.accepted;
}

void Shares::delivered(std::string_view durable, std::uint64_t mark, std::uint64_t upto,
                       std::uint64_t pending) {
  const auto found = queues_.find(std::string(durable));
  if (found == queues_.end()) return;
  Queue& queue = found->second;
  const std::uint64_t later = queue.accepted - std::min(mark, queue.accepted);
  // When none is pending all of them are gone, whatever their numbers: a stream that was made
  // again counts from 1.
  while (queue.entries.size() > later && (pending == 0 || queue.entries.front().sequence <= upto)) {
    drop_front(queue);
  }
  const std::size_t waiting =
      queue.entries.size() - std::min<std::size_t>(later, queue.entries.size());
  for (; queue.counted < waiting; ++queue.counted) {
    ++queue.entries[queue.counted].session->second.waiting;
    ++queue.entries[queue.counted].user->second.waiting;
  }
}

bool Shares::in_use(std::string_view durable) const {
  const auto found = queues_.find(std::string(durable));
  return found != queues_.end() && !found->second.entries.empty();
}

std::vector<std::string> Shares::queues_in_use() const {
  std::vector<std::string> names;
  for (const auto& [name, queue] : queues_) {
    if (!queue.entries.empty()) names.push_back(name);
  }
  return names;
}

Shares::Waiting Shares::waiting(const Shared& shared, std::uint64_t least) {
  Waiting found;
  for (const auto& [name, share] : shared) {
    if (share.waiting >= least) found.emplace_back(name, share.waiting);
  }
  return found;
}

std::uint64_t Shares::since_asked(std::string_view durable) const {
  const auto found = queues_.find(std::string(durable));
  return found == queues_.end() ? 0 : found->second.entries.size() - found->second.counted;
}

void Shares::drop_front(Queue& queue) {
  const Entry entry = std::move(queue.entries.front());
  queue.entries.pop_front();
  const bool counted = queue.counted > 0;
  if (counted) --queue.counted;
  release(sessions_, entry.session, counted);
  release(users_, entry.user, counted);
  --entries_;
}

void Shares::release(Shared& shared, Shared::value_type* share, bool counted) {
  if (counted) --share->second.waiting;
  if (--share->second.entries == 0) shared.erase(shared.find(share->first));
}

}  // namespace toolway::gateway::admission
