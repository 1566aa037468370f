#include "chat/turns/lease_keeper.h"

#include <vector>

#include "base/pause.h"

namespace toolway::chat::turns {
namespace {

constexpr std::chrono::seconds kRenewInterval{1};

}  // namespace

LeaseKeeper::LeaseKeeper(persistence::conversations::ConversationStore& store)
    : store_(store), thread_([this](const std::stop_token& stop) {
        while (pause(kRenewInterval, stop)) renew();
      }) {}

std::unique_ptr<LeaseKeeper::Lease> LeaseKeeper::hold(Writer writer, std::function<void()> stop) {
  {
    const MutexLock lock(mutex_);
    held_.insert_or_assign(writer, std::move(stop));
  }
  return std::make_unique<Lease>(*this, std::move(writer));
}

void LeaseKeeper::drop(const Writer& writer) {
  const MutexLock lock(mutex_);
  held_.erase(writer);
}

void LeaseKeeper::renew() {
  std::vector<Writer> writers;
  {
    const MutexLock lock(mutex_);
    for (const auto& [writer, stop] : held_) writers.push_back(writer);
  }
  if (writers.empty()) return;
  // While Postgres does not answer, a turn continues until it stores its next message.
  const auto renewed = store_.renew(writers);
  if (!renewed) return;
  const MutexLock lock(mutex_);
  for (const auto& writer : renewed->stop)
    if (const auto found = held_.find(writer); found != held_.end()) found->second();
}

}  // namespace toolway::chat::turns
