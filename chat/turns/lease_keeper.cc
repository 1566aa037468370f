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
  auto turn = writer.turn;
  {
    const MutexLock lock(mutex_);
    held_[turn] = {std::move(writer), std::move(stop)};
  }
  return std::make_unique<Lease>(*this, std::move(turn));
}

void LeaseKeeper::drop(const std::string& turn) {
  const MutexLock lock(mutex_);
  held_.erase(turn);
}

void LeaseKeeper::renew() {
  std::vector<Writer> writers;
  {
    const MutexLock lock(mutex_);
    for (const auto& [turn, entry] : held_) writers.push_back(entry.writer);
  }
  if (writers.empty()) return;
  // While Postgres does not answer, a turn continues until it stores its next message.
  const auto renewed = store_.renew(writers);
  if (!renewed) return;
  const MutexLock lock(mutex_);
  for (const auto& turn : renewed->stop)
    if (const auto found = held_.find(turn); found != held_.end()) found->second.stop();
}

}  // namespace toolway::chat::turns
