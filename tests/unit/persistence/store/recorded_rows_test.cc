#include "persistence/store/recorded_rows.h"

#include <gtest/gtest.h>

#include <string>

#include "proto/codec.h"
#include "tests/support/sql_rows.h"

namespace toolway::persistence::store {
namespace {

TEST(RecordedRows, PutTheResultBackWhereItWas) {
  v1::CallEvent published;
  published.set_call_id("019c1f2e-0000-7000-8000-000000000001");
  published.set_session_key("0123456789abcdef0123456789abcdef");
  published.mutable_labels()->set_namespace_("time");
  published.mutable_labels()->set_tool("now");
  published.set_attempt(1);
  published.set_seq(1);
  published.set_submitted_at_us(7);
  published.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  const auto bare = proto::encode(published);
  published.mutable_completed()->set_result(R"({"a":"\u0000"})");
  const auto whole = proto::encode(published);
  const auto merged = recorded_event(test::sql_row({{"incarnation", std::int64_t{3}},
                                                    {"sequence", std::int64_t{4}},
                                                    {"event", bare},
                                                    {"result", R"({"a":"\u0000"})"}}));
  ASSERT_TRUE(merged);
  EXPECT_EQ(proto::encode(merged->event), proto::encode(published));
  EXPECT_EQ(merged->position, (EventPosition{3, 4}));
  const auto verbatim = merged_event(whole, std::nullopt);
  ASSERT_TRUE(verbatim);
  EXPECT_EQ(proto::encode(*verbatim), proto::encode(published));
}

}  // namespace
}  // namespace toolway::persistence::store
