#include "extensions/services/service_desk.h"

#include <gtest/gtest.h>

#include <thread>

#include "extensions/services/webhook.h"
#include "tests/support/scripted_server.h"
#include "tests/support/test_certificate.h"
#include "tests/support/test_clock.h"
#include "tests/unit/extensions/policies.h"
#include "tools/http/http_url.h"

namespace toolway::extensions::services {
namespace {

using namespace std::chrono_literals;
using toolway::test::ScriptedConnection;
using toolway::test::ScriptedServer;

constexpr const char* kAllow = R"({"decision": "allow"})";
const std::string kKey(32, 'k');

ScriptedServer::Answer always(std::string answer) {
  return [answer = std::move(answer)](ScriptedConnection& connection, const std::string&) {
    return connection.send(answer);
  };
}

class ServiceDeskTest : public testing::Test {
 protected:
  ServiceDeskTest() {
    call_.set_call_id("01890000-0000-7000-8000-000000000001");
    call_.set_tenant_id("acme");
    call_.set_user_id("ann");
    call_.set_session_id("s");
    call_.set_arguments(R"({"amount": 5, "card": "4111"})");
    call_.add_secret_places("/card");
    call_.mutable_limits()->set_run_ms(60'000);
    call_.set_pool("native");
    call_.mutable_trace()->set_traceparent(
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  }

  static KnownService known(const std::string& url,
                            std::vector<std::string> allowed = {"127.0.0.1"},
                            std::string ca_file = {}) {
    return {.origin = tools::http::HttpUrl::parse(url)->origin(),
            .keys = {kKey},
            .addresses = std::make_shared<const tools::http::AddressPolicy>(
                *tools::http::AddressPolicy::create(allowed)),
            .ca_file = std::move(ca_file)};
  }
  static Service service(const std::string& url) {
    return {.url = url, .origin = tools::http::HttpUrl::parse(url)->origin()};
  }
  std::shared_ptr<ServiceDesk> desk(std::vector<KnownService> services) {
    return *ServiceDesk::start(std::move(services), clock_);
  }
  Result<Answer> ask(ServiceDesk& desk, const Service& service,
                     std::chrono::milliseconds patience = 2s) {
    return desk.ask(service, {.rule = "r", .call = call_, .spec = spec_, .roles = roles_},
                    clock_.monotonic() + patience);
  }
  /// What becomes of a question to a server that answers so.
  Result<Answer> asked(ScriptedServer::Answer answer, std::chrono::milliseconds patience = 2s) {
    ScriptedServer server(std::move(answer));
    return ask(*desk({known(server.url())}), service(server.url("/decide")), patience);
  }
  void expect_failure(const Result<Answer>& answer, std::string_view why) {
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().message.find(why), std::string::npos) << answer.error().message;
    EXPECT_EQ(answer.error().message.find("/decide"), std::string::npos)
        << "a path may hold what is secret: " << answer.error().message;
  }

  const SystemClock clock_;
  v1::CallRequest call_;
  const tools::model::Spec spec_ = extensions::test::spec("shop", "buy");
  const std::vector<std::string> roles_{"agent"};
};

TEST_F(ServiceDeskTest, AsksSignedAndWithoutSecrets) {
  ScriptedServer server(always(ScriptedServer::ok(kAllow)));
  const auto answer = ask(*desk({known(server.url())}), service(server.url("/decide")));
  ASSERT_TRUE(answer) << answer.error().message;
  const auto request = server.requests().at(0);
  EXPECT_TRUE(request.starts_with("POST /decide HTTP/1.1\r\n")) << request;
  const auto header = [&](const std::string& name) {
    const auto at = request.find("\r\n" + name + ": ");
    EXPECT_NE(at, std::string::npos) << name << request;
    const auto from = at + name.size() + 4;
    return request.substr(from, request.find('\r', from) - from);
  };
  const auto body = request.substr(request.find("\r\n\r\n") + 4);
  EXPECT_EQ(
      header("webhook-signature"),
      webhook_signature(kKey, header("webhook-id"), std::stoll(header("webhook-timestamp")), body));
  EXPECT_EQ(header("webhook-id"), "msg_" + call_.call_id() + "_before_r");
  EXPECT_EQ(header("Content-Type"), "application/json");
  EXPECT_EQ(header("traceparent"), call_.trace().traceparent());
  const auto json = Json::parse(body);
  EXPECT_EQ(json["type"], "call.before");
  EXPECT_EQ(json["data"]["arguments"], Json::parse(R"({"amount": 5, "card": "[secret]"})"));
  EXPECT_EQ(json["data"]["caller"]["user"], "ann");
  EXPECT_EQ(json["data"]["caller"]["tenant"], "acme");
  EXPECT_EQ(json["data"]["caller"]["roles"], Json({"agent"}));
  EXPECT_EQ(json["data"]["tool"]["name"], "buy");
  EXPECT_EQ(request.find("4111"), std::string::npos) << "secret";
  EXPECT_EQ(request.find("session_key"), std::string::npos);
}

TEST_F(ServiceDeskTest, SpeaksToOpa) {
  ScriptedServer server(always(ScriptedServer::ok(R"({"result": {"allow": false}})")));
  auto opa = service(server.url("/v1/data/toolway/allow"));
  opa.format = Service::Format::kOpa;
  const auto answer = ask(*desk({known(server.url())}), opa);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->refusal);
  const auto request = server.requests().at(0);
  EXPECT_TRUE(request.starts_with("POST /v1/data/toolway/allow HTTP/1.1\r\n"));
  const auto body = Json::parse(request.substr(request.find("\r\n\r\n") + 4));
  EXPECT_EQ(body.size(), 1U);
  EXPECT_EQ(body["input"]["phase"], "before");
  EXPECT_EQ(body["input"]["arguments"]["amount"], 5);
}

TEST_F(ServiceDeskTest, AsksAboutResults) {
  ScriptedServer server(always(ScriptedServer::ok(R"({"decision": "redact", "places": ["/t"]})")));
  const tools::model::Execution result = Json::parse(R"({"t": 1})");
  const auto made = desk({known(server.url())});
  const auto answer = made->ask(service(server.url()),
                                {.phase = Phase::kAfter,
                                 .rule = "r",
                                 .call = call_,
                                 .spec = spec_,
                                 .roles = roles_,
                                 .result = &result,
                                 .attempt = 2},
                                clock_.monotonic() + 2s);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->hides, std::vector<std::string>{"/t"});
  const auto request = server.requests().at(0);
  const auto data = Json::parse(request.substr(request.find("\r\n\r\n") + 4))["data"];
  EXPECT_EQ(data["result"]["t"], 1);
  EXPECT_EQ(data["call"]["attempt"], 2);
  EXPECT_NE(request.find("webhook-id: msg_" + call_.call_id() + "_after_2_r"), std::string::npos);
}

TEST_F(ServiceDeskTest, OnlyServicesOfItsFileAreAsked) {
  ScriptedServer server(always(ScriptedServer::ok(kAllow)));
  const auto none = desk({known("https://other.example")});
  expect_failure(ask(*none, service(server.url("/decide"))), "--webhook-secrets");
  EXPECT_EQ(server.connections(), 0U);
}

// A server that does what it should not: its answer is none, and soon.
TEST_F(ServiceDeskTest, HostileRedirectIsNotFollowed) {
  ScriptedServer elsewhere(always(ScriptedServer::ok(kAllow)));
  expect_failure(
      asked(always(ScriptedServer::status(307, "Location: " + elsewhere.url() + "\r\n"))),
      "redirects are not followed");
  EXPECT_EQ(elsewhere.connections(), 0U);
}
TEST_F(ServiceDeskTest, HostileStatuses) {
  for (const int status : {201, 204, 400, 401, 404, 429, 500, 503})
    expect_failure(asked(always(ScriptedServer::status(status, "", kAllow))),
                   "it answered " + std::to_string(status));
}
TEST_F(ServiceDeskTest, HostileHugeAnswer) {
  const std::string huge = kAllow + std::string(1'000'000, ' ');  // JSON, were it shorter
  expect_failure(asked(always(ScriptedServer::ok(huge))), "");
}
TEST_F(ServiceDeskTest, HostileEndlessAnswer) {
  expect_failure(asked([](ScriptedConnection& connection, const std::string&) {
                   connection.send("HTTP/1.1 200 OK\r\n\r\n");
                   while (connection.send(std::string(4096, ' '))) {
                   }
                   return false;
                 }),
                 "");
}
TEST_F(ServiceDeskTest, HostileHugeHeader) {
  expect_failure(
      asked(always(ScriptedServer::ok(kAllow, "X: " + std::string(64'000, 'x') + "\r\n"))), "");
}
TEST_F(ServiceDeskTest, HostileSilence) {
  const auto begun = clock_.monotonic();
  expect_failure(asked(
                     [](ScriptedConnection& connection, const std::string&) {
                       connection.wait_for_close();
                       return false;
                     },
                     200ms),
                 "");
  EXPECT_LT(clock_.monotonic() - begun, 2s);
}
TEST_F(ServiceDeskTest, HostileDrops) {
  const auto begun = clock_.monotonic();
  expect_failure(asked(
                     [](ScriptedConnection& connection, const std::string&) {
                       connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
                       while (connection.send(" ")) std::this_thread::sleep_for(20ms);
                       return false;
                     },
                     300ms),
                 "");
  EXPECT_LT(clock_.monotonic() - begun, 2s) << "a byte gives it no more time";
}
TEST_F(ServiceDeskTest, HostileCutConnection) {
  expect_failure(asked([](ScriptedConnection& connection, const std::string&) {
                   connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
                   return false;
                 }),
                 "");
}
TEST_F(ServiceDeskTest, HostileNotHttp) {
  expect_failure(asked(always("SSH-2.0-OpenSSH_9.2\r\n")), "");
}
TEST_F(ServiceDeskTest, HostileAnswerIsNamed) {
  expect_failure(asked(always(ScriptedServer::ok("<html>"))), "its answer cannot be read");
}
TEST_F(ServiceDeskTest, HostileAddressIsNotContacted) {
  ScriptedServer server(always(ScriptedServer::ok(kAllow)));
  const auto made = desk({known(server.url(), {})});
  expect_failure(ask(*made, service(server.url("/decide"))), "loopback");
  EXPECT_EQ(server.connections(), 0U);
}
TEST_F(ServiceDeskTest, HostileCertificateIsRefused) {
  const auto shown = toolway::test::make_certificate("IP:127.0.0.1");
  ScriptedServer server(always(ScriptedServer::ok(kAllow)), {.tls = shown.context});
  const auto made = desk({known(server.url())});
  expect_failure(ask(*made, service(server.url("/decide"))), "");
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(ServiceDeskTest, GivesUpAfterFiveFailuresAndTriesAgain) {
  toolway::test::StoppedClock clock;
  std::atomic<bool> away = true;
  ScriptedServer server([&](ScriptedConnection& connection, const std::string&) {
    return connection.send(away ? ScriptedServer::status(503) : ScriptedServer::ok(kAllow));
  });
  const auto made = *ServiceDesk::start({known(server.url())}, clock);
  const auto ask_once = [&] {
    return made->ask(service(server.url("/decide")),
                     {.rule = "r", .call = call_, .spec = spec_, .roles = roles_},
                     clock.monotonic() + 2s);
  };
  for (int i = 0; i < 5; ++i) expect_failure(ask_once(), "it answered 503");
  expect_failure(ask_once(), "has failed 5 times in a row and is not asked for another 10000 ms");
  EXPECT_EQ(server.requests().size(), 5U);
  away = false;
  clock.advance(10s);
  EXPECT_TRUE(ask_once());
  EXPECT_TRUE(ask_once());
  EXPECT_EQ(server.requests().size(), 7U);
}

TEST_F(ServiceDeskTest, ATryThatIsStoppedIsLeftToTheNext) {
  toolway::test::StoppedClock clock;
  std::atomic<bool> away = true;
  std::stop_source stop;
  ScriptedServer server([&](ScriptedConnection& connection, const std::string&) {
    if (away) return connection.send(ScriptedServer::status(503));
    if (stop.request_stop()) connection.wait_for_close();
    return connection.send(ScriptedServer::ok(kAllow));
  });
  const auto made = *ServiceDesk::start({known(server.url())}, clock);
  const auto ask_once = [&](std::stop_token token = {}) {
    return made->ask(service(server.url("/decide")),
                     {.rule = "r", .call = call_, .spec = spec_, .roles = roles_},
                     clock.monotonic() + 20s, std::move(token));
  };
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(ask_once());
  away = false;
  clock.advance(10s);
  EXPECT_FALSE(ask_once(stop.get_token())) << "its call has ended";
  EXPECT_TRUE(ask_once()) << "the service is back, and not left alone for another 10 s";
}

TEST_F(ServiceDeskTest, ATryThatFindsNoTurnIsLeftToTheNext) {
  toolway::test::StoppedClock clock;
  std::atomic<bool> away = true;
  ScriptedServer server([&](ScriptedConnection& connection, const std::string&) {
    return connection.send(away ? ScriptedServer::status(503) : ScriptedServer::ok(kAllow));
  });
  std::atomic<std::size_t> inside = 0;
  std::atomic<bool> open = false;
  ScriptedServer busy([&](ScriptedConnection& connection, const std::string&) {
    ++inside;
    while (!open) std::this_thread::sleep_for(1ms);
    return connection.send(ScriptedServer::ok(kAllow));
  });
  const auto made = *ServiceDesk::start({known(server.url()), known(busy.url())}, clock);
  const auto ask_until = [&](const ScriptedServer& whom, MonotonicTime due) {
    return made->ask(service(whom.url("/decide")),
                     {.rule = "r", .call = call_, .spec = spec_, .roles = roles_}, due);
  };
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(ask_until(server, clock.monotonic() + 20s));
  away = false;
  clock.advance(10s);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < ServiceDesk::kAtOnce; ++i)
    threads.emplace_back([&] { (void)ask_until(busy, clock.monotonic() + 20s); });
  while (inside < ServiceDesk::kAtOnce) std::this_thread::sleep_for(1ms);
  // The room is waited for in real time.
  expect_failure(ask_until(server, clock_.monotonic() + 20ms), "64 questions");
  open = true;
  threads.clear();
  EXPECT_TRUE(ask_until(server, clock.monotonic() + 20s)) << "not left alone for another 10 s";
}

TEST_F(ServiceDeskTest, AsksSixtyFourAtOnceAndNoMore) {
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<bool> open = false;
  ScriptedServer server([&](ScriptedConnection& connection, const std::string&) {
    const int now = ++inside;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    while (!open) std::this_thread::sleep_for(1ms);
    --inside;
    return connection.send(ScriptedServer::ok(kAllow));
  });
  const auto made = desk({known(server.url())});
  std::atomic<int> answered = 0;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < ServiceDesk::kAtOnce + 20; ++i)
    threads.emplace_back([&] { answered += ask(*made, service(server.url()), 20s) ? 1 : 0; });
  while (inside < static_cast<int>(ServiceDesk::kAtOnce)) std::this_thread::sleep_for(1ms);
  expect_failure(ask(*made, service(server.url("/decide")), 50ms), "64 questions");
  open = true;
  threads.clear();
  EXPECT_EQ(answered, static_cast<int>(ServiceDesk::kAtOnce + 20));
  EXPECT_EQ(most, static_cast<int>(ServiceDesk::kAtOnce));
}

}  // namespace
}  // namespace toolway::extensions::services
