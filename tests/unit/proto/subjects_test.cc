#include "proto/subjects.h"

#include <gtest/gtest.h>

#include "proto/codec.h"

namespace toolway::proto {
namespace {

const SessionKey kSession = *SessionKey::parse("a3f00000000000000000000000000001");
const CallId kCall = *CallId::parse("0198f000-0000-7000-8000-000000000000");

TEST(Subjects, AreAsTheProtocolSays) {
  EXPECT_EQ(call_subject("native", Lane::kNormal, 0, kSession),
            "call.native.normal.0.a3f00000000000000000000000000001");
  EXPECT_EQ(call_filter("native", Lane::kNormal, 3), "call.native.normal.3.>");
  EXPECT_EQ(event_subject(kSession, kCall),
            "event.a3f.a3f00000000000000000000000000001.0198f000-0000-7000-8000-000000000000");
  EXPECT_EQ(session_events_filter(kSession), "event.a3f.a3f00000000000000000000000000001.>");
  EXPECT_EQ(live_filter("a3f"), "live.a3f.>");
  EXPECT_EQ(call_message_id(kCall, 0), "0198f000-0000-7000-8000-000000000000.0");
  EXPECT_EQ(partition_of(kSession, 1), 0U);
  EXPECT_EQ(partition_of(kSession, 4), 3U);
}

TEST(Subjects, ReadsASessionAndCallBack) {
  const auto parsed = parse_event_subject(event_subject(kSession, kCall));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->session, kSession);
  EXPECT_EQ(parsed->call, kCall);
  EXPECT_FALSE(parse_event_subject("event"));
  EXPECT_FALSE(parse_event_subject("event.a3f.x.y"));
  EXPECT_FALSE(parse_event_subject(event_subject(kSession, kCall) + ".more"));
}

TEST(Subjects, ABucketKeyTellsFieldsApart) {
  const auto key = session_bucket_key("default", "ann", "chat");
  EXPECT_EQ(key.size(), 32U);
  EXPECT_EQ(key, session_bucket_key("default", "ann", "chat"));
  EXPECT_NE(session_bucket_key("t", "ab", "c"), session_bucket_key("t", "a", "bc"));
  EXPECT_NE(session_bucket_key("t", "a", ""), session_bucket_key("ta", "", ""));
}

TEST(Codec, ReadsBackWhatItWrote) {
  v1::CallEvent event;
  event.set_call_id(kCall.text());
  event.set_session_key(kSession.text());
  event.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  event.mutable_completed()->set_result(std::string("{\"a\":\"\\u0000\"}"));
  const auto read = decode_event(encode(event));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->completed().result(), event.completed().result());
  EXPECT_EQ(event_kind_name(*read), "completed");
  EXPECT_EQ(outcome_name(read->completed().outcome()), "succeeded");
}

TEST(Codec, RefusesWhatNoProcessCouldUse) {
  EXPECT_FALSE(decode_event("\xff\xff\xff"));
  v1::CallEvent event;
  event.set_call_id(kCall.text());
  event.set_session_key(kSession.text());
  EXPECT_FALSE(decode_event(encode(event))) << "no kind";
  event.mutable_started();
  EXPECT_TRUE(decode_event(encode(event)));
  event.set_session_key("x.>");
  EXPECT_FALSE(decode_event(encode(event)));
  v1::CallRequest call;
  EXPECT_FALSE(decode_call(encode(call)));
  EXPECT_FALSE(decode_session(""));
}

}  // namespace
}  // namespace toolway::proto
