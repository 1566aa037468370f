#include "persistence/reaper/seal_memory.h"

#include <gtest/gtest.h>

#include "bus/answer.h"
#include "bus/in_memory_bus.h"
#include "bus/server_time.h"
#include "proto/seal_bucket.h"
#include "proto/subjects.h"
#include "tests/support/test_clock.h"

namespace toolway::persistence::reaper {
namespace {

using Sealer = SealMemory::Sealer;

class SealMemories : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(bus_->provision(bus::Layout{})); }

  static audit::Anchor seal(std::int64_t number) { return {number, std::string(32, 'm')}; }
  void write(std::string_view bucket, const std::string& text) {
    ASSERT_TRUE(bus::answer_of<bus::PubAck>([&](auto handler) {
      bus_->publish({.subject = proto::bucket_subject(bucket, "last_audit_seal"), .payload = text},
                    std::move(handler));
    }));
  }
  std::optional<audit::Anchor> noted() { return SealNote(*bus_).read().value(); }

  std::unique_ptr<bus::InMemoryBus> bus_ = bus::make_in_memory_bus();
  test::StoppedClock clock_;
  SealMemory one_{*bus_, clock_};
  SealMemory other_{*bus_, clock_};
};

TEST_F(SealMemories, PassOnWhatWasSealedLast) {
  EXPECT_TRUE(one_.take_over());
  EXPECT_FALSE(one_.last());
  one_.remember(seal(7));
  one_.keep(Sealer::kThisOne);
  EXPECT_TRUE(other_.take_over());
  EXPECT_EQ(other_.last(), seal(7));
  // Also what an operator put in its place.
  one_.remember(seal(3));
  one_.keep(Sealer::kThisOne);
  EXPECT_TRUE(other_.take_over());
  EXPECT_EQ(other_.last(), seal(3));
}

TEST_F(SealMemories, NoteItAgainFromTimeToTime) {
  one_.remember(seal(7));
  one_.keep(Sealer::kThisOne);
  const auto revision = [&] {
    return bus::answer_of<bus::StoredMessage>([&](auto handler) {
             bus_->last_message(proto::kSealsStream,
                                proto::bucket_subject(proto::kSealsBucket, "last_audit_seal"),
                                bus::ReadFrom::kLeader, std::move(handler));
           })
        ->sequence;
  };
  const auto first = revision();
  one_.keep(Sealer::kThisOne);
  EXPECT_EQ(revision(), first);
  clock_.advance(std::chrono::minutes(10));
  one_.keep(Sealer::kThisOne);
  EXPECT_GT(revision(), first);
}

TEST_F(SealMemories, OfCollectorsThatWaitKeepTheNoteWhenTheSealerIsGone) {
  one_.remember(seal(7));
  one_.keep(Sealer::kThisOne);
  other_.keep(Sealer::kAnother);
  EXPECT_EQ(other_.last(), seal(7));
  // NATS has forgotten it.
  auto emptied = bus::make_in_memory_bus();
  ASSERT_TRUE(emptied->provision(bus::Layout{}));
  SealMemory third(*emptied, clock_);
  third.remember(seal(7));
  third.keep(Sealer::kAnother);
  EXPECT_EQ(SealNote(*emptied).read().value(), seal(7));
}

TEST_F(SealMemories, SurviveWhileNatsIsAway) {
  bus_->disconnect();
  EXPECT_FALSE(one_.take_over());
  one_.remember(seal(7));
  one_.keep(Sealer::kThisOne);
  bus_->reconnect();
  one_.keep(Sealer::kThisOne);
  EXPECT_EQ(noted(), seal(7));
}

TEST_F(SealMemories, TakeOverWhatAnOlderCollectorNotedUntilTheyNoteIt) {
  write(bus::kClocksBucket, audit::text_of(seal(7)));
  EXPECT_TRUE(one_.take_over());
  EXPECT_EQ(one_.last(), seal(7));
  one_.keep(Sealer::kThisOne);
  write(bus::kClocksBucket, audit::text_of(seal(3)));
  EXPECT_EQ(noted(), seal(7));
}

TEST_F(SealMemories, TakeNothingElseForASeal) {
  write(proto::kSealsBucket, "7:zz");
  EXPECT_EQ(one_.take_over().error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace toolway::persistence::reaper
