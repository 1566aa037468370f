#include "bus/jetstream_api.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bus/stream_incarnation.h"

namespace toolway::bus::api {
namespace {

TEST(JetStreamApi, ReadsBothFormsOfADeliverysReply) {
  const auto plain =
      parse_delivery_subject("$JS.ACK.CALLS.native-normal-0.2.1234.77.1763668800123456789.5");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->delivery_count, 2U);
  EXPECT_EQ(plain->stream_sequence, 1234U);
  EXPECT_EQ(plain->stored_at_ns, 1763668800123456789);
  EXPECT_EQ(plain->pending, 5U);
  const auto hub = parse_delivery_subject(
      "$JS.ACK.hub.ACCOUNT.CALLS.native-normal-0.2.1234.77.1763668800123456789.5.x1y2");
  ASSERT_TRUE(hub);
  EXPECT_EQ(hub->stream_sequence, 1234U);
  EXPECT_EQ(hub->pending, 5U);
}

TEST(JetStreamApi, RefusesOtherReplies) {
  for (const char* reply :
       {"", "$JS.ACK.", "$JS.ACK.CALLS.d.1.2.3.4", "_INBOX.a.b", "$JS.ACK.CALLS.d.x.1.1.1.1"}) {
    EXPECT_FALSE(parse_delivery_subject(reply)) << reply;
  }
}

TEST(JetStreamApi, ReadsPubAcksAndTheirErrors) {
  const auto ack = parse_pub_ack(R"({"stream":"EVENTS","seq":7,"duplicate":true})");
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->sequence, 7U);
  EXPECT_TRUE(ack->duplicate);
  const auto code = [](const char* json) { return parse_pub_ack(json).error().code; };
  EXPECT_EQ(code(R"({"error":{"code":400,"err_code":10071,"description":"wrong last"}})"),
            ErrorCode::kWrongLastSequence);
  EXPECT_EQ(code(R"({"error":{"code":400,"err_code":10164,"description":"wrong last"}})"),
            ErrorCode::kWrongLastSequence);
  EXPECT_EQ(code(R"({"error":{"code":503,"err_code":10077,"description":"maximum bytes"}})"),
            ErrorCode::kOverloaded);
  EXPECT_EQ(code(R"({"error":{"code":503,"err_code":10008,"description":"unavailable"}})"),
            ErrorCode::kBusUnavailable);
  EXPECT_EQ(code(R"({"seq":7,"error":{"code":400,"err_code":10071,"description":"wrong last"}})"),
            ErrorCode::kWrongLastSequence);
  EXPECT_EQ(code(R"({"stream":"EVENTS"})"), ErrorCode::kInternal);
  EXPECT_EQ(code(R"({"stream":{"seq":9}})"), ErrorCode::kInternal);
  EXPECT_EQ(code(R"({"seq":-1})"), ErrorCode::kInternal);
  EXPECT_EQ(code(R"({"seq":7)"), ErrorCode::kInternal);
  EXPECT_EQ(code(R"([7])"), ErrorCode::kInternal);
  EXPECT_EQ(code("not JSON"), ErrorCode::kInternal);
  const auto nested = parse_pub_ack(R"({"seq":7,"batch":{"seq":8,"duplicate":true,"error":1}})");
  ASSERT_TRUE(nested);
  EXPECT_EQ(nested->sequence, 7U);
  EXPECT_FALSE(nested->duplicate);
}

TEST(JetStreamApi, PassesOnNoPathOfTheServersFiles) {
  const auto full = parse_pub_ack(
      R"({"error":{"code":503,"err_code":10077,"description":"write /var/lib/nats/C/msgs/1.blk: no space left on device"}})");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::kOverloaded);
  EXPECT_EQ(full.error().message, "JetStream: no space left on device (10077)");
}

TEST(JetStreamApi, DecodesAStoredMessage) {
  const auto message = parse_stored_message(
      R"({"message":{"subject":"a.b","seq":3,"data":"AAH/","time":"2026-01-02T03:04:05.000006789Z"}})");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->payload, std::string("\x00\x01\xff", 3));
  EXPECT_EQ(to_unix_us(message->stored_at), 1767323045000006);
}

TEST(JetStreamApi, AStreamThatIsMissingIsNotOneWithoutTheMessage) {
  const auto code = [](std::string_view error) {
    return parse_stored_message(fmt::format(R"({{"error":{}}})", error)).error().code;
  };
  EXPECT_EQ(code(R"({"code":404,"err_code":10037,"description":"no message found"})"),
            ErrorCode::kNotFound);
  EXPECT_EQ(code(R"({"code":404,"err_code":10059,"description":"stream not found"})"),
            ErrorCode::kBusUnavailable);
  const auto info = parse_stream_info(
      R"({"error":{"code":404,"err_code":10059,"description":"stream not found"}})");
  EXPECT_EQ(info.error().code, ErrorCode::kNotFound);
}

TEST(JetStreamApi, AStreamsIncarnationIsTheDescribedOneAndWithoutItTheTimeOfCreation) {
  const auto incarnation = [](std::string_view description) {
    const auto state = parse_stream_info(
        fmt::format(R"({{"created":"2026-01-02T03:04:05.006Z","config":{{"description":"{}"}}}})",
                    description));
    return state ? state->incarnation : -1;
  };
  constexpr std::int64_t kCreated = 1767323045006;
  EXPECT_EQ(incarnation(describe_incarnation(1767000000000)), 1767000000000);
  EXPECT_EQ(incarnation(""), kCreated);
  EXPECT_EQ(incarnation("orders of the shop"), kCreated);
  EXPECT_EQ(incarnation(describe_incarnation(1767000000000) + "0000000000"), kCreated);
  EXPECT_EQ(incarnation(describe_incarnation(1767000000000) + " "), kCreated);
  EXPECT_EQ(incarnation(describe_incarnation(0)), kCreated);
  EXPECT_EQ(incarnation(describe_incarnation(-5)), kCreated);
}

TEST(JetStreamApi, ReadsGosTimes) {
  EXPECT_EQ(to_unix_us(*parse_time("1970-01-01T00:00:01Z")), 1000000);
  EXPECT_EQ(to_unix_us(*parse_time("1970-01-01T00:00:01.5Z")), 1500000);
  EXPECT_FALSE(parse_time("1970-01-01"));
  EXPECT_FALSE(parse_time("1970-13-01T00:00:01Z"));
  EXPECT_FALSE(parse_time("1970-01-01T00:00:01+02:00"));
}

TEST(JetStreamApi, WritesSettlements) {
  EXPECT_EQ(settlement_text({SettleKind::kAck}), "+ACK");
  EXPECT_EQ(settlement_text({SettleKind::kNak}), "-NAK");
  EXPECT_EQ(settlement_text({SettleKind::kNak, std::chrono::milliseconds(5)}),
            R"(-NAK {"delay":5000000})");
  EXPECT_EQ(settlement_text({SettleKind::kInProgress}), "+WPI");
  EXPECT_EQ(settlement_text({SettleKind::kTerm}), "+TERM");
}

TEST(JetStreamApi, PullRequestsHoldTheThreeFieldsAndNoOther) {
  EXPECT_EQ(pull_request(5, std::chrono::seconds(5), std::chrono::seconds(1)),
            R"({"batch":5,"expires":5000000000,"idle_heartbeat":1000000000})");
}

}  // namespace
}  // namespace toolway::bus::api
