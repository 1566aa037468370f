#include "chat/turns/lease_keeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/unit/chat/turns/fake_conversations.h"

namespace toolway::chat::turns {
namespace {

using persistence::conversations::Writer;

const persistence::conversations::Owner kOwner{"default", "key"};

/// Renews all but one writer; nothing else is asked of it.
class LosesOne final : public FakeConversations {
 public:
  explicit LosesOne(Writer lost) : lost_(std::move(lost)) {}

  Result<Renewed> renew(const std::vector<persistence::conversations::Lease>& leases) override {
    Renewed renewed;
    for (const auto& [owner, writer] : leases) {
      EXPECT_EQ(owner.session_key, "key");
      if (writer == lost_) renewed.stop.push_back(writer);
    }
    held = static_cast<int>(leases.size());
    ++rounds;
    return renewed;
  }

  std::atomic<int> rounds{0};
  std::atomic<int> held{0};

 private:
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
  auto of_old = keeper.hold(kOwner, old, [&] { old_stopped = true; });
  const auto of_newer = keeper.hold(kOwner, newer, [&] { newer_stopped = true; });
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
