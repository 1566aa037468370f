#include "persistence/collector/inbox.h"

#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"

namespace toolway::persistence::collector {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class InboxTest : public testing::Test {
 protected:
  void put(Inbox& inbox, int count, std::string payload = "x") {
    for (int i = 0; i < count; ++i) {
      PulledMessage held{bus::Delivery(*bus_, ""), Source::kCalls, 1};
      held.delivery.payload = payload;
      inbox.put(std::move(held));
    }
  }

  const SystemClock clock_;
  const std::unique_ptr<bus::InMemoryBus> bus_ = bus::make_in_memory_bus();
};

TEST_F(InboxTest, HasNoBatchReadyWhileItsFirstMessageLingers) {
  Inbox inbox({.messages = 3, .bytes = 100}, hours(1), clock_);
  EXPECT_TRUE(inbox.take_ready().empty());
  put(inbox, 2);
  EXPECT_TRUE(inbox.take_ready().empty());
  put(inbox, 1);
  EXPECT_EQ(inbox.take_ready().size(), 3U);
  EXPECT_TRUE(inbox.take_ready().empty());
}

TEST_F(InboxTest, HasABatchReadyOnceItsFirstMessageHasLingered) {
  Inbox inbox({.messages = 3, .bytes = 100}, milliseconds(0), clock_);
  put(inbox, 2);
  EXPECT_EQ(inbox.take_ready().size(), 2U);
}

TEST_F(InboxTest, ABatchOfManyBytesIsReady) {
  Inbox inbox({.messages = 10, .bytes = 100}, hours(1), clock_);
  put(inbox, 3, std::string(60, 'x'));
  EXPECT_EQ(inbox.take_ready().size(), 1U);
  EXPECT_EQ(inbox.take_ready().size(), 1U);
}

TEST_F(InboxTest, HandsOutWhatIsLeftOnceClosed) {
  Inbox inbox({.messages = 10, .bytes = 100}, hours(1), clock_);
  put(inbox, 1);
  inbox.close();
  EXPECT_EQ(inbox.take_ready().size(), 1U);
  EXPECT_TRUE(inbox.take(clock_.monotonic() + hours(1)).empty());
}

}  // namespace
}  // namespace toolway::persistence::collector
