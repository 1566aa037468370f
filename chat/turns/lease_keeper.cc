#include "chat/turns/lease_keeper.h"

#include <vector>

#include "base/pause.h"

namespace toolway::chat::turns {

LeaseKeeper::LeaseKeeper(persistence::conversations::ConversationStore& store, Beat beat)
    : store_(store) {
  if (beat == Beat::kWhenTold) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (pause(kRenewInterval, stop)) renew();
  });
}

std::unique_ptr<LeaseKeeper::Lease> LeaseKeeper::hold(Owner owner, Writer writer,
                                                      std::function<void()> stop) {
  {
    const MutexLock lock(mutex_);
    held_.insert_or_assign(writer, Turn{std::move(owner), std::move(stop)});
  }
  return std::make_unique<Lease>(*this, std::move(writer));
}

void LeaseKeeper::drop(const Writer& writer) {
  const MutexLock lock(mutex_);
  held_.erase(writer);
}

void LeaseKeeper::renew() {
  std::vector<persistence::conversations::Lease> leases;
  {
    const MutexLock lock(mutex_);
    for (const auto& [writer, turn] : held_) leases.push_back({turn.owner, writer});
  }
  if (leases.empty()) return;
  // While Postgres does not answer, a turn continues until it stores its next message.
  const auto renewed = store_.renew(leases);
  if (!renewed) return;
  const MutexLock lock(mutex_);
  for (const auto& writer : renewed->stop)
    if (const auto found = held_.find(writer); found != held_.end()) found->second.stop();
}

}  // namespace toolway::chat::turns
