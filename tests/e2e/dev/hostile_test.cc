// What a client can do to a gateway, all at once, against a running one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/integration/gateway/http_client.h"
#include "tests/support/sanitized.h"

namespace toolway::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kAttack{25};
constexpr std::int64_t kBudgetKb = 512 * 1024;

class Hostile : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(dir_ / "specs");
    std::ofstream(dir_ / "specs/hostile.yaml") << R"(tools:
  - name: check
    namespace: hostile
    kind: http
    input_schema:
      type: object
      properties:
        items: {type: array, uniqueItems: true}
        text: {type: string, pattern: '^(a+)+$'}
    implementation_config: {url: 'http://127.0.0.1:9/'}
)";
    dev_ = std::make_unique<Dev>(dir_, std::vector<std::string>{"--specs", dir_ / "specs"});
    ASSERT_FALSE(dev_->url().empty()) << dev_->log();
    port_ = static_cast<std::uint16_t>(std::stoi(dev_->url().substr(dev_->url().rfind(':') + 1)));
    auto client = connect();
    ASSERT_TRUE(client);
    auto opened = client->request("POST", "/v1/sessions",
                                  R"({"session_id":"h","namespaces":["hostile","bench"]})", kJson);
    ASSERT_TRUE(opened && opened->ok()) << (opened ? opened->body : opened.error().message);
    const std::string payload(200 * 1024, 'x');
    for (int i = 0; i < 100; ++i) {
      auto called =
          client->request("POST", "/v1/sessions/h/calls",
                          R"({"tool":"bench.echo","arguments":{"payload":")" + payload + "\"}}",
                          {{"Content-Type", "application/json"}, {"Prefer", "wait=20"}});
      ASSERT_TRUE(called && called->ok()) << (called ? called->body : called.error().message);
    }
  }
  std::unique_ptr<client::HttpClient> connect() {
    auto client = client::HttpClient::create({.url = dev_->url(), .timeout = milliseconds(60'000)});
    EXPECT_TRUE(client) << (client ? "" : client.error().message);
    return client ? std::move(*client) : nullptr;
  }
  /// Repeats `attack` on a thread of its own until the attack has ended.
  void repeat(std::function<void(client::HttpClient&)> attack) {
    threads_.emplace_back([this, attack = std::move(attack)] {
      auto client = connect();
      while (client && steady_clock::now() < end_) attack(*client);
    });
  }
  /// Holds `count` connections that sent `text` and then do nothing; again when they are closed.
  /// Counts in `held` those that the gateway answered with `served`, or, when that is empty, still
  /// waits for.
  void hold(int count, std::string text, std::string served, std::atomic<int>& held) {
    threads_.emplace_back([this, count, text = std::move(text), served = std::move(served), &held] {
      while (steady_clock::now() < end_) {
        std::vector<std::unique_ptr<test::RawClient>> clients;
        for (int i = 0; i < count; ++i) {
          clients.push_back(std::make_unique<test::RawClient>(port_));
          clients.back()->send_some(text);
        }
        std::this_thread::sleep_until(std::min(end_, steady_clock::now() + seconds(12)));
        for (auto& client : clients) {
          const bool answered = client->readable(0);
          if (answered ? !served.empty() && client->read_until("\r\n").starts_with(served)
                       : served.empty())
            ++held;
        }
      }
    });
  }
  /// Sends `begin`, and then `more` until the gateway closes; again and again. Counts the answers
  /// 431.
  void flood(std::string begin, std::string more, std::atomic<int>& refused) {
    threads_.emplace_back([this, begin = std::move(begin), more = std::move(more), &refused] {
      while (steady_clock::now() < end_) {
        test::RawClient client(port_);
        client.send(begin);
        while (steady_clock::now() < end_ && !client.readable(0) && client.try_send(more)) {
        }
        if (client.rest().starts_with("HTTP/1.1 431")) ++refused;
        std::this_thread::sleep_for(milliseconds(5));
      }
    });
  }

  /// How long each answer to /livez takes, in ms, shortest first. Counts in `unanswered` those that
  /// do not come.
  std::vector<double> watch_until(steady_clock::time_point end, int& unanswered) {
    std::vector<double> took;
    for (auto probe = connect(); probe && steady_clock::now() < end;) {
      const auto begun = steady_clock::now();
      const auto alive = probe->request("GET", "/livez");
      if (!alive || alive->status != 200) ++unanswered;
      took.push_back(
          std::chrono::duration<double, std::milli>(steady_clock::now() - begun).count());
      std::this_thread::sleep_for(milliseconds(20));
    }
    std::sort(took.begin(), took.end());
    return took;
  }
  /// The gateway's own longest delay of its loop in the last 30 s, in ms.
  double loop_delay_ms() {
    constexpr std::string_view kName = "\ntoolway_gateway_loop_delay_seconds{loop=\"0\"} ";
    auto client = connect();
    if (!client) return 0;
    const auto metrics = client->request("GET", "/metrics");
    const auto at = metrics ? metrics->body.find(kName) : std::string::npos;
    EXPECT_NE(at, std::string::npos);
    return at == std::string::npos ? 0 : std::stod(metrics->body.substr(at + kName.size())) * 1000;
  }

  const client::HttpClient::Headers kJson{{"Content-Type", "application/json"}};
  test::TempDir dir_;
  std::unique_ptr<Dev> dev_;
  std::uint16_t port_ = 0;
  steady_clock::time_point end_{};
  std::vector<std::jthread> threads_;
};

TEST_F(Hostile, AllAttacksTogetherStayWithinTheMemoryBudget) {
  const int gateway = dev_->pid_of("gateway");
  ASSERT_GT(gateway, 1);
  int unanswered = 0;
  const auto calm = watch_until(steady_clock::now() + seconds(2), unanswered);
  ASSERT_GT(calm.size(), 10U);
  end_ = steady_clock::now() + kAttack;
  const std::string head = " HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
  std::atomic<int> followed{0}, half_sent{0}, endless{0};
  // Followers that do not read.
  hold(
      200,
      "GET /v1/sessions/h/events?after=0 HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n",
      "HTTP/1.1 200", followed);
  // Large bodies that do not end.
  hold(300,
       "POST /v1/sessions/h/calls" + head + "content-length: 1000000\r\n\r\n" +
           std::string(900'000, ' '),
       "", half_sent);
  // Chunk extensions and trailers that do not end.
  const std::string chunked =
      "POST /v1/sessions/h/calls" + head + "transfer-encoding: chunked\r\n\r\n";
  flood(chunked + "1;", std::string(4096, 'a'), endless);
  flood(chunked + "0\r\n", "t: " + std::string(4096, 'a') + "\r\n", endless);
  // Pages.
  for (int i = 0; i < 4; ++i) {
    repeat([](client::HttpClient& client) {
      (void)client.request("GET", "/v1/sessions/h/calls?limit=1000");
    });
    repeat([](client::HttpClient& client) {
      (void)client.request("GET", "/v1/sessions/h/completions?after=0&limit=1000");
    });
  }
  // Schemas.
  std::string items = R"({"tool":"hostile.check","arguments":{"items":[0)";
  for (int i = 1; i < 75'000; ++i) items += fmt::format(",{}", i);
  items += ",0]}}";
  const std::string text =
      R"({"tool":"hostile.check","arguments":{"text":")" + std::string(200, 'a') + "!\"}}";
  std::atomic<int> refused{0};
  const auto post = [&](const std::string& body) {
    return [this, &refused, body](client::HttpClient& client) {
      auto answer = client.request("POST", "/v1/sessions/h/calls", body, kJson);
      if (answer && answer->status == 422) ++refused;
    };
  };
  repeat(post(items));
  repeat(post(text));
  // Batches.
  std::string batch = R"({"calls":[)";
  for (int i = 0; i < 50; ++i) {
    batch += (i == 0 ? "" : ",") + (R"({"tool":"bench.echo","arguments":{"payload":")" +
                                    std::string(15'000, 'b') + "\"}}");
  }
  batch += "]}";
  repeat([this, batch](client::HttpClient& client) {
    (void)client.request("POST", "/v1/sessions/h/calls:batch", batch,
                         {{"Content-Type", "application/json"}, {"Prefer", "wait=5"}});
  });

  const auto took = watch_until(end_, unanswered);
  const double delay = loop_delay_ms();
  threads_.clear();
  const double p99 = took[took.size() * 99 / 100];
  const double calm_p99 = calm[calm.size() * 99 / 100];
  const std::int64_t peak = status_kb(gateway, "VmHWM:");
  fmt::print(
      "gateway: {} MiB at most; /livez p50 {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms of {} (calm: p99 {:.1f} ms); the loop {:.1f} ms late at most; {} documents and {} endless "
      "requests refused, {} followers and {} bodies held\n",
      peak / 1024, took[took.size() / 2], p99, took.back(), took.size(), calm_p99, delay,
      refused.load(), endless.load(), followed.load(), half_sent.load());
  EXPECT_EQ(dev_->pid_of("gateway"), gateway) << "it was started again";
  EXPECT_GT(peak, 0);
  EXPECT_LT(peak, test::resident_bound(kBudgetKb));
  EXPECT_EQ(unanswered, 0);
  EXPECT_LT(p99, test::time_bound(std::max(250.0, 3 * calm_p99)))
      << "100 ms on a machine of its own";
  EXPECT_LT(delay, 1000.0) << "100 ms on a machine of its own";
  EXPECT_GT(refused.load(), test::at_least(10)) << "the schemas were not attacked";
  EXPECT_GT(endless.load(), test::at_least(10))
      << "no chunk extension or trailer was sent without end";
  EXPECT_GT(followed.load(), 100) << "the events were not followed";
  EXPECT_GT(half_sent.load(), 50) << "no large bodies were held";
}

}  // namespace
}  // namespace toolway::cli
