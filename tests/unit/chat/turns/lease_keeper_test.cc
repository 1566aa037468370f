#include "chat/turns/lease_keeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace toolway::chat::turns {
namespace {

using persistence::conversations::Writer;

/// Renews all but one writer; nothing else is asked of it.
class LosesOne final : public persistence::conversations::ConversationStore {
 public:
  explicit LosesOne(Writer lost) : lost_(std::move(lost)) {}

  Result<Renewed> renew(const std::vector<Writer>& writers) override {
    Renewed renewed;
    for (const auto& writer : writers)
      if (writer == lost_) renewed.stop.push_back(writer);
    held = static_cast<int>(writers.size());
    ++rounds;
    return renewed;
  }

  std::atomic<int> rounds{0};
  std::atomic<int> held{0};

 private:
  using Owner = persistence::conversations::Owner;
  using Opened = persistence::conversations::Opened;
  using StoredMessage = persistence::conversations::StoredMessage;
  static Result<void> not_asked() { return fail(ErrorCode::kInternal, "not asked"); }

  Result<TakeResult> take(const Owner&, const Writer&) override { return TakeResult{}; }
  Result<void> ask_to_stop(const Owner&) override { return not_asked(); }
  Result<Opened> start_new(const Owner&, const Writer&) override { return Opened{}; }
  Result<void> release(const Owner&, const Writer&) override { return not_asked(); }
  Result<void> append(const std::string&, const Writer&, const StoredMessage&,
                      const persistence::conversations::CallNotes&) override {
    return not_asked();
  }
  Result<std::vector<StoredMessage>> newest(const std::string&, std::size_t) override { return {}; }
  Result<void> set_waking(const std::string&, bool, const std::string&) override {
    return not_asked();
  }
  Result<bool> count_auto_turn(const std::string&) override { return false; }
  Result<std::vector<persistence::conversations::Wakeable>> wakeable(double) override { return {}; }

  const Writer lost_;
};

template <typename Condition>
bool soon(Condition condition) {
  constexpr std::chrono::seconds kLimit{20};
  const auto deadline = std::chrono::steady_clock::now() + kLimit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// A turn that was taken for dead comes to the same process again: two attempts, side by side.
TEST(LeaseKeeper, StopsTheAttemptThatLostAndKeepsTheOther) {
  const Writer old{"a", 1};
  const Writer newer{"a", 2};
  LosesOne store(old);
  LeaseKeeper keeper(store);
  std::atomic<bool> old_stopped{false};
  std::atomic<bool> newer_stopped{false};
  auto of_old = keeper.hold(old, [&] { old_stopped = true; });
  const auto of_newer = keeper.hold(newer, [&] { newer_stopped = true; });
  EXPECT_TRUE(soon([&] { return old_stopped.load(); }));
  EXPECT_EQ(store.held, 2);
  of_old.reset();
  const int before = store.rounds;
  EXPECT_TRUE(soon([&] { return store.rounds > before + 1; }));
  EXPECT_EQ(store.held, 1) << "the end of the old one must not end the newer one's";
  EXPECT_FALSE(newer_stopped);
}

}  // namespace
}  // namespace toolway::chat::turns
