#include "gateway/mcp/session_marks.h"

#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"
#include "tests/support/test_clock.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::mcp {
namespace {

class SessionMarksTest : public testing::Test {
 protected:
  SessionMarksTest() { EXPECT_TRUE(bus_->provision({.pools = {{"native", 1}}})); }

  SessionMarkPtr mark(SessionMarks& marks, const char* session) {
    return *loop_.run(marks.of(session));
  }
  std::string subscribed(SessionMarks& marks) {
    std::string uris;
    for (const auto& one : mark(marks, "s")->resources)
      uris += one.uri + "=" + std::to_string(one.content) + " ";
    return uris;
  }

  const std::unique_ptr<bus::InMemoryBus> bus_ = bus::make_in_memory_bus();
  BusLoop loop_{*bus_};
  test::StoppedClock clock_;
  SessionMarks here_{loop_.bus(), clock_};
  SessionMarks there_{loop_.bus(), clock_};  ///< of another gateway
};

TEST_F(SessionMarksTest, AnotherGatewayKnowsWithinASecond) {
  EXPECT_FALSE(mark(there_, "s")->ended);
  ASSERT_TRUE(loop_.run(here_.end("s")));
  EXPECT_TRUE(mark(here_, "s")->ended) << "this one at once";
  EXPECT_FALSE(mark(there_, "s")->ended) << "asks at most once a second";
  clock_.advance(std::chrono::seconds(1));
  EXPECT_TRUE(mark(there_, "s")->ended);
  EXPECT_FALSE(mark(there_, "other")->ended);
}

TEST_F(SessionMarksTest, AnEndIsForGood) {
  ASSERT_TRUE(loop_.run(here_.set_level("s", "error")));
  EXPECT_EQ(mark(here_, "s")->level, "error");
  ASSERT_TRUE(loop_.run(there_.end("s")));
  ASSERT_TRUE(loop_.run(here_.end("s"))) << "twice";
  const auto late = loop_.run(here_.set_level("s", "debug"));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kNotFound);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_TRUE(mark(here_, "s")->ended);
}

TEST_F(SessionMarksTest, SubscriptionsAreKnownToOtherGateways) {
  const std::uint64_t large = 0xfedcba9876543210U;
  ASSERT_TRUE(loop_.run(here_.subscribe("s", {.uri = "x://\"a", .content = large})));
  ASSERT_TRUE(loop_.run(there_.subscribe("s", {.uri = "x://b"})));
  ASSERT_TRUE(loop_.run(there_.set_level("s", "error")));
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(subscribed(here_), "x://\"a=18364758544493064720 x://b=0 ");
  EXPECT_EQ(mark(here_, "s")->level, "error") << "each keeps what the other has set";
  ASSERT_TRUE(loop_.run(here_.unsubscribe("s", "x://b")));
  ASSERT_TRUE(loop_.run(here_.unsubscribe("s", "x://never"))) << "nothing to do";
  EXPECT_EQ(subscribed(here_), "x://\"a=18364758544493064720 ") << "at once";
  ASSERT_TRUE(loop_.run(here_.end("s")));
  for (const auto& late : {loop_.run(here_.subscribe("s", {.uri = "x://c"})),
                           loop_.run(here_.unsubscribe("s", "x://b"))}) {
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, ErrorCode::kNotFound);
  }
}

TEST_F(SessionMarksTest, OneTooManyIsRefusedAndNothingChanges) {
  for (std::size_t i = 0; i < kMaxSubscriptions; ++i)
    ASSERT_TRUE(loop_.run(here_.subscribe("s", {.uri = std::to_string(i)})));
  const auto more = loop_.run(here_.subscribe("s", {.uri = "more"}));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::kInvalidRequest);
  EXPECT_EQ(mark(there_, "s")->resources.size(), kMaxSubscriptions);
}

TEST_F(SessionMarksTest, WhatHasNotChangedIsTheSamePointer) {
  ASSERT_TRUE(loop_.run(there_.subscribe("s", {.uri = "x://a"})));
  const auto before = mark(here_, "s");
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(mark(here_, "s"), before);
  ASSERT_TRUE(loop_.run(there_.unsubscribe("s", "x://a")));
  clock_.advance(std::chrono::seconds(1));
  EXPECT_NE(mark(here_, "s"), before);
}

TEST_F(SessionMarksTest, ARequestsCallIsFoundBySessionAndId) {
  const auto call = [&](const char* session, const char* id) {
    return *loop_.run(call_of_request(loop_.bus(), session, id));
  };
  loop_.run(note_request(loop_.bus(), "s", "1", "first"));
  loop_.run(note_request(loop_.bus(), "t", "1", "another"));
  EXPECT_EQ(call("s", "1"), "first");
  EXPECT_EQ(call("s", "\"1\""), "");
  EXPECT_EQ(call("t", "1"), "another");
  loop_.run(note_request(loop_.bus(), "s", "1", "second"));
  EXPECT_EQ(call("s", "1"), "second") << "an id that is used again";
}

}  // namespace
}  // namespace toolway::gateway::mcp
