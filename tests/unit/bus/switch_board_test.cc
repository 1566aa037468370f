#include "bus/switch_board.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "bus/in_memory_bus.h"
#include "bus/key_value.h"
#include "tests/support/awaiting.h"
#include "tests/support/forwarding_bus.h"

namespace toolway::bus {
namespace {

/// Loses live words, keeps questions waiting, says that it has reconnected.
class HardOfHearing final : public test::ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  std::atomic<bool> deaf{false};
  std::atomic<bool> mute{false};  ///< answers no question

  Result<std::unique_ptr<Subscription>> follow(std::string filter, LiveHandler handler) override {
    return inner().follow(std::move(filter),
                          [this, handler = std::move(handler)](const LiveMessage& message) {
                            if (!deaf) handler(message);
                          });
  }
  void stream_state(std::string_view stream,
                    std::function<void(Result<StreamState>)> handler) override {
    if (mute) return handler(fail(ErrorCode::kTimeout, "of a test"));
    inner().stream_state(stream, std::move(handler));
  }
  std::unique_ptr<Subscription> on_connection(std::function<void(Connection)> handler) override {
    reconnected = handler;
    return inner().on_connection(std::move(handler));
  }
  std::function<void(Connection)> reconnected;
};

class SwitchBoardTest : public testing::Test {
 protected:
  SwitchBoardTest() { EXPECT_TRUE(memory_->provision({.pools = {{"native", 1}}})); }

  void write(const std::string& key, const std::string& value) {
    test::Awaited<Result<Entry>> before;
    bucket_.get(key, before.callback());
    const auto entry = before.next();
    test::Awaited<Result<std::uint64_t>> written;
    bucket_.put(key, value, *entry ? (*entry)->revision : 0, written.callback());
    const auto revision = written.next();
    ASSERT_TRUE(revision && *revision);
    memory_->quiesce();
  }
  std::unique_ptr<SwitchBoard> board() {
    auto made = std::make_unique<SwitchBoard>(bus_, [this] { ++changes_; });
    memory_->quiesce();
    return made;
  }
  void look(SwitchBoard& board) {
    board.look();
    memory_->quiesce();
  }
  static bool off(const SwitchBoard& board, const char* ns) {
    return board.now()->off(ns, "tool") != nullptr;
  }

  std::unique_ptr<InMemoryBus> memory_ = make_in_memory_bus({});
  HardOfHearing bus_{*memory_};
  KeyValue bucket_{*memory_, "switches"};
  std::atomic<int> changes_{0};
};

TEST_F(SwitchBoardTest, KnowsWhatWasSwitchedOffBeforeItAndHearsWhatComesAfter) {
  write("before", "{}");
  write("again", "{}");
  write("again", "");
  const auto board = this->board();
  ASSERT_TRUE(board->known());
  EXPECT_TRUE(off(*board, "before"));
  EXPECT_FALSE(off(*board, "again"));
  const int changes = changes_;
  write("after", "{}");
  EXPECT_TRUE(off(*board, "after"));
  EXPECT_GT(changes_, changes);
  write("after", "");
  EXPECT_FALSE(off(*board, "after"));
}

TEST_F(SwitchBoardTest, FindsWhatItDidNotHear) {
  const auto board = this->board();
  bus_.deaf = true;
  write("lost", "{}");
  EXPECT_FALSE(off(*board, "lost"));
  look(*board);
  EXPECT_TRUE(off(*board, "lost"));
  const int changes = changes_;
  look(*board);
  EXPECT_EQ(changes_, changes);  // nothing has changed, nothing is read

  // The word after the lost one is heard, and does not hide it.
  write("second", "{}");
  bus_.deaf = false;
  write("third", "{}");
  EXPECT_TRUE(off(*board, "third"));
  EXPECT_FALSE(off(*board, "second"));
  look(*board);
  EXPECT_TRUE(off(*board, "second"));
}

TEST_F(SwitchBoardTest, ReadsAgainAfterAReconnect) {
  const auto board = this->board();
  bus_.deaf = true;
  write("meanwhile", "{}");
  bus_.reconnected(Connection::kConnected);
  memory_->quiesce();
  EXPECT_TRUE(off(*board, "meanwhile"));
}

TEST_F(SwitchBoardTest, KnowsNothingUntilTheBucketAnswersAndKeepsWhatItKnowsWhenItDoesNot) {
  write("off", "{}");
  bus_.mute = true;
  const auto board = this->board();
  EXPECT_FALSE(board->known());
  look(*board);
  EXPECT_FALSE(board->known());
  bus_.mute = false;
  look(*board);
  EXPECT_TRUE(board->known());
  EXPECT_TRUE(off(*board, "off"));
  bus_.mute = true;
  bus_.reconnected(Connection::kConnected);
  look(*board);
  EXPECT_TRUE(off(*board, "off"));
}

TEST_F(SwitchBoardTest, AFleetWithoutTheBucketHasSwitchedNothingOff) {
  const auto empty = make_in_memory_bus({});
  SwitchBoard board(*empty);
  empty->quiesce();
  EXPECT_TRUE(board.known());
  EXPECT_TRUE(board.now()->all().empty());
}

}  // namespace
}  // namespace toolway::bus
