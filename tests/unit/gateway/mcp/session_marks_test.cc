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

  const std::unique_ptr<bus::InMemoryBus> bus_ = bus::make_in_memory_bus();
  BusLoop loop_{*bus_};
  test::StoppedClock clock_;
  SessionMarks here_{loop_.bus(), clock_};
  SessionMarks there_{loop_.bus(), clock_};  ///< of another gateway
};

TEST_F(SessionMarksTest, AnotherGatewayKnowsWithinASecond) {
  EXPECT_FALSE(loop_.run(there_.of("s"))->ended);
  ASSERT_TRUE(loop_.run(here_.end("s")));
  EXPECT_TRUE(loop_.run(here_.of("s"))->ended) << "this one at once";
  EXPECT_FALSE(loop_.run(there_.of("s"))->ended) << "asks at most once a second";
  clock_.advance(std::chrono::seconds(1));
  EXPECT_TRUE(loop_.run(there_.of("s"))->ended);
  EXPECT_FALSE(loop_.run(there_.of("other"))->ended);
}

TEST_F(SessionMarksTest, AnEndIsForGood) {
  ASSERT_TRUE(loop_.run(here_.set_level("s", "error")));
  EXPECT_EQ(loop_.run(here_.of("s"))->level, "error");
  ASSERT_TRUE(loop_.run(there_.end("s")));
  ASSERT_TRUE(loop_.run(here_.end("s"))) << "twice";
  const auto late = loop_.run(here_.set_level("s", "debug"));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kNotFound);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_TRUE(loop_.run(here_.of("s"))->ended);
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
