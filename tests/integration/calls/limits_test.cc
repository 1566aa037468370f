// Limits of the policy on real NATS: two gateways let through what the limit says, together.
#include <algorithm>

#include "tests/integration/calls/policy_fleet.h"

namespace toolway {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr const char* kTwoPerHalfMinute = R"(
rules:
  - name: slow
    tools: "sample.hangs"
    limit: {rate: 2/min, burst: 2}
)";

class Limits : public test::PolicyFleet {
 protected:
  void put_and_wait(const std::string& text) {
    put(text);
    for (Face* face : {&first_, &second_})
      expect_soon("a gateway has the policy after", [&] { return has_policy(*face); });
  }
  cli::client::HttpAnswer post(const Face& face, const std::string& what, const std::string& body,
                               const std::string& key = {}) {
    cli::client::HttpClient::Headers headers;
    if (!key.empty()) headers["idempotency-key"] = key;
    return ask(face, "POST", "/v1/sessions/s/" + what, body, headers);
  }

 private:
  /// The policies of these tests refuse this.
  bool has_policy(const Face& face) { return try_call(face, "counts").status == 403; }
};

constexpr const char* kMark = "  - {name: mark, tools: 'sample.counts', refuse: a mark}\n";

TEST_F(Limits, HoldForAllGatewaysTogether) {
  put_and_wait(std::string(kTwoPerHalfMinute) + kMark);
  std::vector<unsigned> statuses;
  for (int i = 0; i < 6; ++i)
    statuses.push_back(try_call(i % 2 == 0 ? first_ : second_, "hangs").status);
  EXPECT_EQ(std::ranges::count(statuses, 202U), 2);
  EXPECT_EQ(std::ranges::count(statuses, 429U), 4);
  const auto refused = try_call(second_, "hangs");
  EXPECT_EQ(text(refused, "code"), "rate_limited") << refused.body;
  EXPECT_NE(text(refused, "detail").find("limit slow "), std::string::npos) << refused.body;
  const auto detail = text(refused, "detail");
  const auto wait = std::stoi(detail.substr(detail.rfind(" in ") + 4));
  EXPECT_TRUE(detail.ends_with(" s")) << detail;
  EXPECT_GT(wait, 20) << detail;
  EXPECT_LE(wait, 30) << detail;
  EXPECT_EQ(try_call(first_, "throws").status, 202) << "other tools have no limit";
}

TEST_F(Limits, ARepeatedRequestTakesNoTokenAndARefusedOneKeepsNoKey) {
  put_and_wait(std::string(kTwoPerHalfMinute) + kMark);
  const std::string body = R"({"tool":"hangs"})";
  const auto first = post(first_, "calls", body, "k1");
  EXPECT_EQ(first.status, 202) << first.body;
  for (int i = 0; i < 5; ++i) {
    const auto again = post(second_, "calls", body, "k1");
    EXPECT_EQ(again.status, 202) << again.body;
    EXPECT_EQ(text(again, "call_id"), text(first, "call_id"));
  }
  EXPECT_EQ(post(second_, "calls", body, "k2").status, 202);
  EXPECT_EQ(post(first_, "calls", body, "k3").status, 429);
  put("rules:\n" + std::string(kMark));
  expect_soon("the limit is gone after",
              [&] { return post(first_, "calls", body, "k3").status == 202; });
}

TEST_F(Limits, ABatchTakesATokenForEachCall) {
  put_and_wait(std::string(kTwoPerHalfMinute) + kMark);
  const auto batch =
      post(first_, "calls:batch",
           R"({"calls":[{"tool":"hangs"},{"tool":"hangs"},{"tool":"hangs"},{"tool":"throws"}]})");
  EXPECT_EQ(batch.status, 202) << batch.body;
  const auto calls = batch.json()["calls"];
  EXPECT_EQ(std::ranges::count(calls, "queued", [](const auto& one) { return one["status"]; }), 3);
  EXPECT_EQ(calls[3]["status"], "queued") << "of another tool";
  EXPECT_EQ(try_call(second_, "hangs").status, 429);
}

TEST_F(Limits, AFastOneLetsThroughWhatItSays) {
  put_and_wait(
      "rules:\n  - {name: fast, tools: 'sample.hangs', limit: {rate: 100/s, burst: 10, per: all}}\n" +
      std::string(kMark));
  int offered = 0;
  int accepted = 0;
  const auto began = steady_clock::now();
  while (steady_clock::now() - began < 2s) {
    for (Face* face : {&first_, &second_}) {
      accepted += try_call(*face, "hangs").status == 202 ? 1 : 0;
      ++offered;
    }
  }
  const auto seconds = std::chrono::duration<double>(steady_clock::now() - began).count();
  std::printf("%d of %d accepted in %.2f s\n", accepted, offered, seconds);
  EXPECT_LE(accepted, 10 + 100 * seconds + 1);
  EXPECT_GE(accepted, std::min<double>(offered, 0.9 * 100 * seconds));
}

}  // namespace
}  // namespace toolway
