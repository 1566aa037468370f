#include "persistence/store/held_query.h"

#include <gtest/gtest.h>

#include "proto/codec.h"
#include "tests/support/sql_rows.h"

namespace toolway::persistence::store {
namespace {

TEST(HeldQuery, ReadsWhatWaitsFromTheCallsThemselves) {
  const auto page = held_page({.tenant = "", .states = {"waiting"}}, std::nullopt, 10, 1000);
  EXPECT_NE(page.sql.find("FROM calls h WHERE h.held"), std::string::npos);
  EXPECT_EQ(page.sql.find("FROM approvals"), std::string::npos);
  ASSERT_EQ(page.parameters.size(), 3U);
  EXPECT_EQ(page.parameters[0].text(), "default");
  EXPECT_EQ(page.parameters[1].text(), "00000000-0000-0000-0000-000000000000");
  EXPECT_EQ(page.parameters[2].text(), "10");
}

TEST(HeldQuery, ReadsWhatBecameOfOthersFromTheirTableNewestFirst) {
  const auto page =
      held_page({.tenant = "acme", .states = {"approved", "denied"}}, std::nullopt, 10, 1000);
  EXPECT_NE(page.sql.find("FROM approvals"), std::string::npos);
  EXPECT_NE(page.sql.find("call_id DESC"), std::string::npos);
  ASSERT_EQ(page.parameters.size(), 4U);
  EXPECT_EQ(page.parameters[0].text(), "acme");
  EXPECT_EQ(page.parameters[1].text(), "ffffffff-ffff-ffff-ffff-ffffffffffff");
  const auto next = held_page({.tenant = "acme", .states = {"denied"}},
                              "019c1f2e-0000-7000-8000-000000000001", 10, 1000);
  EXPECT_EQ(next.parameters[1].text(), "019c1f2e-0000-7000-8000-000000000001");
}

TEST(HeldQuery, ARowSaysWhatBecameOfItsCall) {
  v1::CallRequest request;
  request.set_call_id("019c1f2e-0000-7000-8000-000000000001");
  request.set_session_key("0123456789abcdef0123456789abcdef");
  std::vector<std::pair<std::string, postgres::SqlValue>> row{
      {"request", proto::encode(request)},
      {"arguments", std::string(R"({"a": 1})")},
      {"state", std::string("denied")},
      {"decided", std::int64_t{7}}};
  for (const char* name : {"completion", "result", "completion_incarnation", "completion_sequence",
                           "event", "event_incarnation", "event_sequence", "alive_attempt",
                           "alive_seq", "alive_time", "alive_incarnation", "alive_sequence"})
    row.emplace_back(name, postgres::SqlValue());
  const auto held = held_call(test::sql_row(std::move(row)));
  ASSERT_TRUE(held) << held.error().message;
  EXPECT_EQ(held->state, "denied");
  EXPECT_EQ(held->decided_at, from_unix_us(7));
  EXPECT_EQ(held->call.request.arguments(), R"({"a": 1})");
  EXPECT_FALSE(held->call.last);
}

}  // namespace
}  // namespace toolway::persistence::store
