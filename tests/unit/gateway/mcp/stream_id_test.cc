#include "gateway/mcp/stream_id.h"

#include <gtest/gtest.h>

namespace toolway::gateway::mcp {
namespace {

const WallTime kNow{std::chrono::days(20'000)};

class StreamIdTest : public testing::Test {
 protected:
  static wire::Caller caller(const std::string& user) {
    wire::Caller made;
    made.tenant_id = "acme";
    made.user_id = user;
    return made;
  }
  std::optional<StreamPlace> open(std::string_view id, std::string_view session = "s",
                                  const std::string& user = "ann", WallTime now = kNow) const {
    return open_stream_event(keys_, caller(user), session, id, now);
  }
  const SealKeys keys_ = *SealKeys::parse(SealKeys::new_line("k"));
  const StreamOf stream_{.session = "s",
                         .call_id = "c",
                         .session_key = "k",
                         .tool = "t",
                         .request = std::string("7"),
                         .progress_token = "p"};
  const std::string id_ =
      stream_event_id(seal_stream(keys_, caller("ann"), stream_, kNow), {.event_id = "3-8"});
};

TEST_F(StreamIdTest, SaysWhichStreamAndWhere) {
  const auto place = open(id_);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->stream.call_id, "c");
  EXPECT_EQ(place->stream.tool, "t");
  EXPECT_EQ(place->stream.request, toolway::mcp::RequestId("7"));
  EXPECT_EQ(place->stream.progress_token, "p");
  EXPECT_EQ(place->after.text(), "3-8");
  EXPECT_FALSE(place->stream.task);
  auto of_task = stream_;
  of_task.task = true;
  const auto result =
      open(stream_event_id(seal_stream(keys_, caller("ann"), of_task, kNow), {.event_id = "0"}));
  EXPECT_TRUE(result && result->stream.task);
  auto numbered = stream_;
  numbered.request = std::int64_t{7};
  const auto other =
      open(stream_event_id(seal_stream(keys_, caller("ann"), numbered, kNow), {.event_id = "0"}));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->stream.request, toolway::mcp::RequestId(std::int64_t{7}));
  EXPECT_EQ(other->after, wire::EventId{});
}

TEST_F(StreamIdTest, SaysHowFarProgressHasRisen) {
  const auto sealed = seal_stream(keys_, caller("ann"), stream_, kNow);
  const auto place = open(stream_event_id(sealed, {.event_id = "3-8"}, 5.000001));
  ASSERT_TRUE(place);
  EXPECT_EQ(place->after.text(), "3-8");
  EXPECT_EQ(place->shown, 5.000001);
  EXPECT_LT(open(id_)->shown, 0) << "it has shown none";
  for (const char* made_up : {":x:3-8", ":-1:3-8", ":inf:3-8", "::3-8", ":1:2:3-8"})
    EXPECT_FALSE(open(sealed + made_up)) << made_up;
}

TEST_F(StreamIdTest, SaysHowManyQuestionsOfAnEventWereAsked) {
  const auto sealed = seal_stream(keys_, caller("ann"), stream_, kNow);
  for (const double shown : {-1.0, 2.5}) {
    const auto place = open(stream_event_id(sealed, {.event_id = "3-8", .questions = 2}, shown));
    ASSERT_TRUE(place);
    EXPECT_EQ(place->after.text(), "3-7") << "the event comes again";
    EXPECT_EQ(place->partly.event_id, "3-8");
    EXPECT_EQ(place->partly.questions, 2U);
    EXPECT_EQ(place->shown, shown);
  }
  EXPECT_EQ(open(id_)->partly.event_id, "");
  for (const char* made_up : {":3-8+", ":3-8+0", ":3-8+-1", ":3-8+1x", ":3-8+1+1", ":0+1", ":+1",
                              ":3-8+99999999999999999999"})
    EXPECT_FALSE(open(sealed + made_up)) << made_up;
}

TEST_F(StreamIdTest, IsForItsSessionAndUserAWeekLong) {
  EXPECT_FALSE(open(id_, "other"));
  EXPECT_FALSE(open(id_, "s", "bob"));
  EXPECT_FALSE(open(id_, "s", "ann", kNow + std::chrono::hours(24 * 7 + 1)));
  EXPECT_FALSE(open(id_.substr(1)));
  EXPECT_FALSE(open(id_.substr(0, id_.rfind(':'))));
  EXPECT_FALSE(open(id_ + "x"));
  EXPECT_FALSE(open(""));
  EXPECT_FALSE(open(":3-8"));
}

}  // namespace
}  // namespace toolway::gateway::mcp
