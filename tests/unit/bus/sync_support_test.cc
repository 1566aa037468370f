#include "bus/sync_support.h"

#include <gtest/gtest.h>

namespace toolway::bus {
namespace {

TEST(SyncSupport, IsThereFrom210On) {
  // What 2.9.10 and 2.10.27 answer, shortened.
  const auto old = can_sync(
      R"({"type":"io.nats.jetstream.api.v1.stream_info_response","config":{"name":"CALLS","storage":"file"},"state":{}})");
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code, ErrorCode::kInvalidRequest);
  EXPECT_NE(old.error().message.find("2.10 or later"), std::string::npos);
  EXPECT_TRUE(can_sync(
      R"({"type":"io.nats.jetstream.api.v1.stream_info_response","config":{"name":"CALLS","storage":"file","compression":"none"},"ts":"…"})"));
}

TEST(SyncSupport, IsNotThereInAnAnswerThatSaysNothing) {
  for (const char* answer : {"", "[]", "{}", R"({"config":{}})", R"({"error":{"code":404}})"})
    EXPECT_FALSE(can_sync(answer)) << answer;
}

}  // namespace
}  // namespace toolway::bus
