// Requests that are repeated, over any gateway, on real NATS.
#include <set>

#include "base/json.h"
#include "proto/toolway/v1/control.pb.h"
#include "tests/integration/calls/fleet.h"
#include "tests/integration/gateway/http_client.h"

namespace toolway {
namespace {

class IdempotentCalls : public test::Fleet {
 protected:
  cli::client::HttpAnswer post(const Face& face, const std::string& body, const std::string& key,
                               const std::string& what = "calls",
                               cli::client::HttpClient::Headers more = {}) {
    more["Idempotency-Key"] = key;
    return ask(face, "POST", "/v1/sessions/s/" + what, body, more);
  }
  std::uint64_t calls_stored() {
    for (int i = 0; i < 1000; ++i) {  // our own connection may still be on its way back
      test::Awaited<Result<bus::StreamState>> got;
      bus_->stream_state(proto::kCallsStream, got.callback());
      const auto state = got.next();
      if (state && *state) return (*state)->messages;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return 0;
  }
  /// As a gateway leaves the record that dies right after it published, or before.
  void write_record(const std::string& key, const std::string& digest, const v1::CallRequest& call,
                    v1::IdempotencyRecord::State state, std::chrono::seconds age) {
    v1::IdempotencyRecord record;
    record.set_state(state);
    record.set_payload_sha256(digest);
    record.set_call(proto::encode(call));
    record.set_written_at_us(to_unix_us(clock_.wall() - age));
    const auto subject =
        proto::bucket_subject(proto::kIdempotencyBucket,
                              proto::idempotency_bucket_key("default", "anonymous", key + "#0"));
    test::Awaited<Result<bus::PubAck>> ack;
    bus_->publish({.subject = subject, .payload = record.SerializeAsString()}, ack.callback());
    const auto stored = ack.next();
    ASSERT_TRUE(stored && *stored);
  }
  v1::IdempotencyRecord read_record(const std::string& key) {
    const auto subject =
        proto::bucket_subject(proto::kIdempotencyBucket,
                              proto::idempotency_bucket_key("default", "anonymous", key + "#0"));
    test::Awaited<Result<bus::StoredMessage>> got;
    bus_->last_message(proto::kIdempotencyStream, subject, bus::ReadFrom::kLeader, got.callback());
    v1::IdempotencyRecord record;
    const auto message = got.next();
    EXPECT_TRUE(message && *message && record.ParseFromString((*message)->payload));
    return record;
  }
  static constexpr auto kBody = R"({"tool":"hangs","arguments":{}})";
};

TEST_F(IdempotentCalls, TheSameRequestIsTheSameCallOverAnyGatewayAndAfterARestartOfAll) {
  const auto first = post(first_, kBody, "k1");
  ASSERT_EQ(first.status, 202) << first.body;
  const auto again = post(second_, R"({"arguments": {}, "tool": "hangs"})", "k1");
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(calls_stored(), 1U);

  nats_->stop(SIGKILL);
  ASSERT_TRUE(nats_->restart());
  start(first_, {.port = 0});
  start(second_, {.port = 0});
  auto later = post(second_, kBody, "k1");
  for (int i = 0; i < 100 && later.status == 503; ++i) later = post(second_, kBody, "k1");
  EXPECT_EQ(later.body, first.body);
  EXPECT_EQ(calls_stored(), 1U);
}

TEST_F(IdempotentCalls, AReplayIsSaidToBeOne) {
  const auto raw = [&](const Face& face) {
    test::RawClient client(face.gateway->port());
    client.send(fmt::format(
        "POST /v1/sessions/s/calls HTTP/1.1\r\nhost: localhost\r\nidempotency-key: k1\r\n"
        "content-type: application/json\r\n"
        "content-length: {}\r\n\r\n{}",
        std::string(kBody).size(), kBody));
    return client.response();
  };
  EXPECT_EQ(raw(first_).find("idempotent-replayed"), std::string::npos);
  EXPECT_NE(raw(second_).find("\r\nidempotent-replayed: true\r\n"), std::string::npos);
  EXPECT_NE(second_.metrics->scrape().find("toolway_idempotent_replays_total 1"),
            std::string::npos);
}

TEST_F(IdempotentCalls, OtherPayloadsAndOtherKeysAreOtherRequests) {
  ASSERT_EQ(post(first_, kBody, "k1").status, 202);
  const auto other = post(second_, R"({"tool":"throws","arguments":{}})", "k1");
  EXPECT_EQ(other.status, 422);
  EXPECT_EQ(text(other, "code"), "idempotency_key_reused");
  const auto next = post(second_, kBody, "k2");
  EXPECT_EQ(next.status, 202);
  EXPECT_EQ(calls_stored(), 2U);
  EXPECT_EQ(ask(first_, "POST", "/v1/sessions/s/calls", kBody,
                {{"Idempotency-Key", std::string(256, 'k')}})
                .status,
            400);
}

TEST_F(IdempotentCalls, ARequestThatIsRefusedDoesNotUseUpItsKey) {
  EXPECT_EQ(post(first_, R"({"tool":"no_such_tool"})", "k1").status, 404);
  EXPECT_EQ(post(second_, kBody, "k1").status, 202);
  EXPECT_EQ(calls_stored(), 1U);
}

TEST_F(IdempotentCalls, AGatewayThatDiedAfterPublishingIsSettledByTheRepeatedRequest) {
  ASSERT_EQ(post(first_, kBody, "k1").status, 202);
  auto record = read_record("k1");
  EXPECT_EQ(record.state(), v1::IdempotencyRecord::STATE_ACCEPTED);
  const auto noted = proto::decode_call(record.call());
  ASSERT_TRUE(noted);
  write_record("k1", record.payload_sha256(), *noted, v1::IdempotencyRecord::STATE_IN_FLIGHT, {});
  const auto busy = post(second_, kBody, "k1");
  EXPECT_EQ(busy.status, 409) << busy.body;
  EXPECT_EQ(text(busy, "code"), "request_in_flight");

  write_record("k1", record.payload_sha256(), *noted, v1::IdempotencyRecord::STATE_IN_FLIGHT,
               std::chrono::seconds(7));
  const auto settled = post(second_, kBody, "k1");
  EXPECT_EQ(settled.status, 202) << settled.body;
  EXPECT_EQ(text(settled, "call_id"), noted->call_id());
  EXPECT_EQ(calls_stored(), 1U);  // the same message id: stored once
  EXPECT_EQ(read_record("k1").state(), v1::IdempotencyRecord::STATE_ACCEPTED);
}

TEST_F(IdempotentCalls, AGatewayThatDiedBeforePublishingIsSettledWithTheSameCall) {
  ASSERT_EQ(post(first_, kBody, "k1").status, 202);
  const auto record = read_record("k1");
  auto noted = *proto::decode_call(record.call());
  noted.set_call_id(CallId::make(clock_.wall()).text());
  write_record("k2", record.payload_sha256(), noted, v1::IdempotencyRecord::STATE_IN_FLIGHT,
               std::chrono::seconds(7));
  const auto settled = post(second_, kBody, "k2");
  EXPECT_EQ(text(settled, "call_id"), noted.call_id());
  EXPECT_EQ(calls_stored(), 2U);
}

/// A call that was noted long ago: the server has forgotten the id of its first publication.
TEST_F(IdempotentCalls, ACallThatIsKnownIsNotPublishedAgain) {
  ASSERT_EQ(post(first_, kBody, "k1").status, 202);
  const auto record = read_record("k1");
  auto noted = *proto::decode_call(record.call());
  const auto repeat = [&](const std::string& key) {
    noted.set_call_id(CallId::make(clock_.wall()).text());
    write_record(key, record.payload_sha256(), noted, v1::IdempotencyRecord::STATE_IN_FLIGHT,
                 std::chrono::minutes(10));
    return [this, key, id = noted.call_id()] {
      const auto answer = post(second_, kBody, key);
      EXPECT_EQ(answer.status, 202) << answer.body;
      EXPECT_EQ(text(answer, "call_id"), id);
      EXPECT_EQ(read_record(key).state(), v1::IdempotencyRecord::STATE_ACCEPTED);
    };
  };
  // EVENTS has its log.
  const auto with_events = repeat("k2");
  v1::CallEvent started;
  started.set_call_id(noted.call_id());
  started.set_session_key(noted.session_key());
  started.set_seq(1);
  started.mutable_started();
  test::Awaited<Result<bus::PubAck>> ack;
  bus_->publish({.subject = proto::event_subject(*SessionKey::parse(noted.session_key()),
                                                 *CallId::parse(noted.call_id())),
                 .payload = proto::encode(started)},
                ack.callback());
  ASSERT_TRUE(*ack.next());
  with_events();
  EXPECT_EQ(calls_stored(), 1U);

  // Neither EVENTS nor a collector knows it: it is published, and says that it is a repetition.
  repeat("k3")();
  EXPECT_EQ(calls_stored(), 2U);
  test::Awaited<Result<bus::StoredMessage>> got;
  bus_->next_message(proto::kCallsStream, "call.>", 2, bus::ReadFrom::kLeader, got.callback());
  const auto message = got.next();
  ASSERT_TRUE(message && *message);
  EXPECT_GT(proto::decode_call((*message)->payload)->publication(), 0U);

  // It has left both streams, and the collectors know it.
  auto served =
      bus_->serve(std::string(proto::kLookupSubject), "collectors", [](bus::Request request) {
        v1::LookupAnswer answer;
        answer.set_known(true);
        request.answer(answer.SerializeAsString());
      });
  ASSERT_TRUE(served);
  repeat("k4")();
  EXPECT_EQ(calls_stored(), 2U);
}

TEST_F(IdempotentCalls, ManyAtOnceAreOneCall) {
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::set<std::string> ids;
  int busy = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const auto answer = post(i % 2 == 0 ? first_ : second_, kBody, "k1");
      const std::scoped_lock lock(mutex);
      if (answer.status == 202)
        ids.insert(text(answer, "call_id"));
      else if (answer.status == 409)
        ++busy;
      else
        ADD_FAILURE() << answer.status << answer.body;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(ids.size(), 1U) << busy << " were told that it is in progress";
  EXPECT_EQ(calls_stored(), 1U);
}

/// What a chat process asks about the calls of a turn that was cancelled.
class GivenUpCalls : public IdempotentCalls {
 protected:
  cli::client::HttpAnswer make(const Face& face, const std::string& key) {
    return post(face, kMessage, key, "tool_calls?format=toolway&inline_ms=0");
  }
  cli::client::HttpAnswer give_up(const Face& face, const std::string& key) {
    return post(face, kMessage, key, "tool_calls?format=toolway&inline_ms=0&start=false");
  }
  static OrderedJson result_in(const cli::client::HttpAnswer& answer) {
    const auto json = answer.json();
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.status == 200 ? json["results"][0] : OrderedJson();
  }
  static constexpr auto kMessage =
      R"({"calls":[{"id":"c1","tool":"sample__hangs","arguments":"{}"}]})";
};

TEST_F(GivenUpCalls, WhatWasNotMadeIsNeverMade) {
  for (const auto* face : {&first_, &second_}) {
    const auto result = result_in(give_up(*face, "k1"));
    EXPECT_EQ(result["status"], "never_started");
    EXPECT_EQ(result["is_error"], true);
    EXPECT_TRUE(result["call_id"].is_null());
  }
  const auto late = result_in(make(second_, "k1"));
  EXPECT_EQ(late["status"], "refused");
  EXPECT_EQ(late["error"]["code"], "idempotency_key_reused");
  EXPECT_EQ(calls_stored(), 0U);
}

TEST_F(GivenUpCalls, WhatWasMadeIsToldAndContinues) {
  const auto made = result_in(make(first_, "k1"));
  EXPECT_EQ(made["status"], "detached");
  const auto told = result_in(give_up(second_, "k1"));
  EXPECT_EQ(told["status"], "detached");
  EXPECT_EQ(told["call_id"], made["call_id"]);
  EXPECT_EQ(calls_stored(), 1U);
  // Its gateway died after it noted the call: it may be on its way, and is not published again.
  const auto record = read_record("k1");
  auto noted = *proto::decode_call(record.call());
  noted.set_call_id(CallId::make(clock_.wall()).text());
  write_record("k2", record.payload_sha256(), noted, v1::IdempotencyRecord::STATE_IN_FLIGHT,
               std::chrono::seconds(7));
  EXPECT_EQ(result_in(give_up(second_, "k2"))["call_id"], noted.call_id());
  EXPECT_EQ(calls_stored(), 1U);
}

TEST_F(GivenUpCalls, WhatIsBeingMadeMustBeAskedForAgain) {
  ASSERT_EQ(make(first_, "k1").status, 200);
  const auto record = read_record("k1");
  write_record("k1", record.payload_sha256(), *proto::decode_call(record.call()),
               v1::IdempotencyRecord::STATE_IN_FLIGHT, {});
  for (const auto& answer : {give_up(second_, "k1"), make(second_, "k1")}) {
    EXPECT_EQ(answer.status, 409) << answer.body;
    EXPECT_EQ(text(answer, "code"), "request_in_flight");
  }
}

TEST_F(GivenUpCalls, NeedAKeyAndToolwaysOwnForm) {
  EXPECT_EQ(post(first_, kMessage, "k", "tool_calls?format=toolway&start=true").status, 422);
  EXPECT_EQ(post(first_, "{}", "k", "tool_calls?format=openai&start=false").status, 422);
  EXPECT_EQ(
      ask(first_, "POST", "/v1/sessions/s/tool_calls?format=toolway&start=false", kMessage).status,
      422);
  EXPECT_EQ(calls_stored(), 0U);
}

TEST_F(IdempotentCalls, ABatchAndAModelsMessageAreRepeatedCallByCall) {
  const std::string batch =
      R"({"calls":[{"tool":"hangs"},{"tool":"no_such_tool"},{"tool":"throws"}]})";
  const auto first = post(first_, batch, "b", "calls:batch").json();
  const auto again = post(second_, batch, "b", "calls:batch").json();
  ASSERT_EQ(first["calls"].size(), 3U);
  EXPECT_EQ(first["calls"][0]["call_id"], again["calls"][0]["call_id"]);
  EXPECT_EQ(first["calls"][2]["call_id"], again["calls"][2]["call_id"]);
  EXPECT_EQ(again["calls"][1]["status"], "refused");
  EXPECT_EQ(calls_stored(), 2U);

  const std::string message =
      R"({"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"sample__hangs","arguments":"{}"}}]})";
  const auto told = post(first_, message, "m", "tool_calls?format=openai&inline_ms=0");
  const auto told_again = post(second_, message, "m", "tool_calls?format=openai&inline_ms=0");
  EXPECT_EQ(told.status, 200) << told.body;
  EXPECT_EQ(told.body, told_again.body);
  EXPECT_EQ(calls_stored(), 3U);
}

TEST_F(IdempotentCalls, ARepeatedRequestThatWaitsGetsTheCompletion) {
  start_worker();
  start_collector();
  const std::string body = R"({"tool":"throws","arguments":{"message":"once"}})";
  const auto first = post(first_, body, "w", "calls", {{"Prefer", "wait=20"}});
  ASSERT_EQ(first.status, 200) << first.body;
  const auto again = post(second_, body, "w", "calls", {{"Prefer", "wait=20"}});
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(text(again, "call_id"), text(first, "call_id"));
  EXPECT_EQ(text(again, "outcome"), "failed");
  EXPECT_EQ(calls_stored(), 1U);
}

}  // namespace
}  // namespace toolway
