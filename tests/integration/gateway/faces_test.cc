// What clients of models' APIs are told when a request is refused, in the words of their API.
#include "proto/toolway/v1/control.pb.h"
#include "tests/integration/gateway/auth_fixture.h"

namespace toolway::test {
namespace {

/// Fails once a call was published, as NATS does whose leader has gone.
class BusOfOneCall final : public ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  std::atomic<bool> loses_acks{false};

  void publish(bus::Publication publication, bus::PublishHandler handler) override {
    if (!publication.subject.starts_with("call."))
      return inner().publish(std::move(publication), std::move(handler));
    published_ = true;
    if (!loses_acks) return inner().publish(std::move(publication), std::move(handler));
    inner().publish(std::move(publication), [handler](const Result<bus::PubAck>&) {
      handler(fail(ErrorCode::kTimeout, "no answer"));
    });
  }
  void stream_state(std::string_view stream,
                    std::function<void(Result<bus::StreamState>)> handler) override {
    if (published_ && stream == proto::kEventsStream)
      return handler(fail(ErrorCode::kBusUnavailable, "it has no leader"));
    inner().stream_state(stream, std::move(handler));
  }

 private:
  std::atomic<bool> published_{false};
};

/// Of a response; empty: it has none of this name.
std::string face_header(const std::string& response, const std::string& name) {
  const auto at = response.find("\r\n" + name + ": ");
  if (at == std::string::npos || at > response.find("\r\n\r\n")) return {};
  const auto begin = at + name.size() + 4;
  return response.substr(begin, response.find("\r\n", begin) - begin);
}

class GatewayFaces : public AskingGateway {
 protected:
  void SetUp() override {
    ASSERT_TRUE(memory_->provision({.pools = {{"native", 1}, {"chat", 1}}}));
    AskingGateway::SetUp();
    ann_ = bearer(add_key("ann"));
    v1::WorkerAnnouncement said;
    said.set_worker_id("chat-1");
    said.set_pool("chat");
    said.set_slots(1);
    for (int i = 0; i < 500 && ask("GET /v1/workers", "", ann_).find("chat-1") == std::string::npos;
         ++i) {
      memory_->tell(proto::worker_subject("chat", "chat-1"), said.SerializeAsString());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  void TearDown() override { gateway_.reset(); }  // before its bus
  bus::Bus& bus() override { return failing_; }
  std::string turn(const std::string& members, const std::string& headers = {}) {
    return ask("POST /v1/chat/completions",
               R"({"model":"m","messages":[{"role":"user","content":"hi"}])" + members + "}",
               ann_ + headers);
  }

  BusOfOneCall failing_{*memory_};
  std::string ann_;
};

// The official clients try again after 503, and would begin a second turn.
TEST_F(GatewayFaces, AStreamedTurnThatCannotBeFollowedIsNotTriedAgain) {
  const auto answer = turn(R"(,"stream":true)");
  const auto call = first_call(*memory_).call_id();
  EXPECT_EQ(status(answer), 503) << answer;
  EXPECT_EQ(face_header(answer, "x-should-retry"), "false") << answer;
  EXPECT_EQ(face_header(answer, "x-toolway-call"), call);
  const auto error = body(answer)["error"];
  EXPECT_NE(error["message"].get<std::string>().find("call " + call), std::string::npos) << error;
  EXPECT_EQ(error["code"], "bus_unavailable");
}

TEST_F(GatewayFaces, ATurnThatMayHaveBeenAcceptedIsNotTriedAgainWithoutItsKey) {
  failing_.loses_acks = true;
  const auto answer = turn("");
  EXPECT_EQ(status(answer), 503) << answer;
  EXPECT_EQ(face_header(answer, "x-should-retry"), "false") << answer;
  EXPECT_EQ(face_header(answer, "x-toolway-call"), first_call(*memory_).call_id());
  EXPECT_EQ(body(answer)["error"]["code"], "accept_unknown");
}

TEST_F(GatewayFaces, ATurnThatMayHaveBeenAcceptedIsTriedAgainUnderItsKey) {
  failing_.loses_acks = true;
  const auto answer = turn("", "Idempotency-Key: k\r\n");
  EXPECT_EQ(body(answer)["error"]["code"], "accept_unknown") << answer;
  EXPECT_EQ(face_header(answer, "x-should-retry"), "");
}

// Of whatever layer it comes, official clients show `error.message` and nothing else.
TEST_F(GatewayFaces, RefusalsHaveTheFormOfTheApiAndTheHeadersOfAProblem) {
  const auto code_of = [this](const std::string& line, const std::string& said,
                              const std::string& headers) {
    const auto answer = ask(line, said, headers);
    EXPECT_EQ(face_header(answer, "content-type"), "application/json") << line << "\n" << answer;
    const auto error = body(answer)["error"];
    EXPECT_NE(error["message"], "");
    EXPECT_TRUE(line.find("/v1/messages") == std::string::npos || body(answer)["type"] == "error");
    return fmt::format("{} {} {}", status(answer), error["type"].get<std::string>(),
                       error["code"].get<std::string>());
  };
  const auto large = R"({"model":")" + std::string(2 * 1024 * 1024, 'x') + R"("})";
  for (const std::string path : {"/v1/chat/completions", "/v1/responses", "/v1/messages"}) {
    EXPECT_EQ(code_of("POST " + path, "{}", ""), "401 authentication_error unauthenticated");
    EXPECT_EQ(code_of("GET " + path, "", ann_), "405 invalid_request_error method_not_allowed");
    EXPECT_EQ(code_of("POST " + path + "/count_tokens", "{}", ann_),
              "404 not_found_error not_found");
    EXPECT_EQ(code_of("POST " + path, "{", ann_), "400 invalid_request_error malformed_json");
    EXPECT_EQ(code_of("POST " + path, large, ann_), "413 request_too_large payload_too_large");
    EXPECT_EQ(code_of("POST " + path, "{}", ann_ + "Origin: http://else.example\r\n"),
              "403 permission_error origin_not_allowed");
    EXPECT_NE(face_header(ask("POST " + path, "{}"), "www-authenticate"), "");
    EXPECT_EQ(face_header(ask("GET " + path, "", ann_), "allow"), "POST");
  }
}

}  // namespace
}  // namespace toolway::test
