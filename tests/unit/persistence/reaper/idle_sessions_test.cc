// Sessions that were not used for so long that they left the bucket are closed, too.
#include "persistence/reaper/idle_sessions.h"

#include <gtest/gtest.h>

#include "bus/answer.h"
#include "bus/in_memory_bus.h"
#include "bus/key_value.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::persistence::reaper {
namespace {

using std::chrono::hours;

TEST(IdleSessions, OneThatLeftTheBucketIsClosedAsItIsRecorded) {
  const auto bus = bus::make_in_memory_bus();
  ASSERT_TRUE(bus->provision({.pools = {{"native", 1}}}));
  const WallTime used = from_unix_us(1'800'000'000'000'000);
  v1::SessionRecord record;
  record.set_tenant_id("default");
  record.set_user_id("a");
  record.set_session_id("s");
  record.set_session_key(SessionKey::make().text());
  record.set_state(v1::SessionRecord::STATE_OPEN);
  record.set_active_at_us(to_unix_us(used));
  const auto early = close_if_expired(*bus, record, used + hours(71), hours(72));
  ASSERT_TRUE(early) << early.error().message;
  EXPECT_FALSE(*early);
  const auto closed = close_if_expired(*bus, record, used + hours(73), hours(72));
  ASSERT_TRUE(closed) << closed.error().message;
  EXPECT_TRUE(*closed);
  bus::KeyValue bucket(*bus, std::string(proto::kSessionsBucket));
  const auto entry = bus::answer_of<bus::Entry>([&](auto handler) {
    bucket.get(proto::session_bucket_key("default", "a", "s"), std::move(handler));
  });
  ASSERT_TRUE(entry) << entry.error().message;
  const auto written = proto::decode_session(entry->value);
  ASSERT_TRUE(written);
  EXPECT_EQ(v1::SessionRecord::STATE_CLOSED, written->state());
  EXPECT_EQ(record.session_key(), written->session_key());
  // Again, from what is recorded: it is closed already.
  const auto again = close_if_expired(*bus, record, used + hours(74), hours(72));
  ASSERT_TRUE(again);
  EXPECT_FALSE(*again);
}

}  // namespace
}  // namespace toolway::persistence::reaper
