#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <future>
#include <thread>

#include "base/json.h"
#include "monitoring/metric_names.h"
#include "monitoring/otlp/otlp.h"
#include "tests/support/awaiting.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_certificate.h"

namespace toolway::monitoring::otlp {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::ScriptedConnection;
using test::ScriptedServer;

ScriptedServer::Answer always(std::string answer) {
  return [answer = std::move(answer)](ScriptedConnection& connection, const std::string&) {
    return connection.send(answer);
  };
}

/// Nothing is sent before the tracer ends, unless a batch is full.
OtlpOptions options_for(const std::string& url) {
  return {.endpoint = url,
          .headers = {{"x-api-key", "s3cret"}},
          .process = "worker",
          .root_probability = 1,
          .delay = hours(1),
          .request_timeout = seconds(30),
          .flush = seconds(30),
          .metric_interval = hours(1),
          .retries = {.first = milliseconds(1), .most = milliseconds(5), .total = seconds(30)}};
}

class OtlpTracerTest : public testing::Test {
 protected:
  std::shared_ptr<Tracer> start(OtlpOptions options) {
    auto tracer = start_otlp(std::move(options), *metrics_);
    EXPECT_TRUE(tracer) << tracer.error().message;
    return tracer.value_or(nullptr);
  }

  static void end_one(Tracer& tracer, const TraceContext& parent = {}) {
    Span span;
    span.name = "work";
    span.parent = parent;
    span.context = tracer.start(parent);
    tracer.end(std::move(span));
  }

  double spans(std::string_view result) {
    return metrics_->counter(kSpansExported, "result", result).value();
  }

  static std::vector<std::string> sent_to(const ScriptedServer& server) {
    std::vector<std::string> found;
    for (auto& request : server.requests()) {
      if (request.starts_with("POST /v1/traces ")) found.push_back(std::move(request));
    }
    return found;
  }

  static std::size_t spans_in(const std::string& request) {
    const auto json = parse_json(std::string_view(request).substr(request.find("\r\n\r\n") + 4));
    if (!json) return 0;
    return json->at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans").size();
  }

  std::unique_ptr<MetricRegistry> metrics_ = make_registry("worker");
};

TEST_F(OtlpTracerTest, TheEndSendsWhatIsLeft) {
  ScriptedServer server(always(ScriptedServer::ok("{}")));
  auto tracer = start(options_for(server.url()));
  for (int i = 0; i < 3; ++i) end_one(*tracer);
  tracer.reset();
  const auto sent = sent_to(server);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_NE(sent[0].find("Content-Type: application/json\r\n"), std::string::npos);
  EXPECT_NE(sent[0].find("x-api-key: s3cret\r\n"), std::string::npos);
  EXPECT_EQ(spans_in(sent[0]), 3U);
  EXPECT_EQ(spans("exported"), 3);
  EXPECT_EQ(metrics_->scrape().find("s3cret"), std::string::npos);
}

TEST_F(OtlpTracerTest, AFullBatchIsSentAtOnce) {
  test::Awaited<std::string> arrived;
  ScriptedServer server(
      [said = arrived.callback()](ScriptedConnection& connection, const std::string& request) {
        said(request);
        return connection.send(ScriptedServer::ok("{}"));
      });
  auto options = options_for(server.url("/base/"));
  options.batch = 2;
  auto tracer = start(options);
  end_one(*tracer);
  end_one(*tracer);
  const auto request = arrived.next();
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->starts_with("POST /base/v1/traces ")) << *request;
}

TEST_F(OtlpTracerTest, TriesAgainWhenTheReceiverAsksForIt) {
  std::atomic<int> asked = 0;
  ScriptedServer server([&](ScriptedConnection& connection, const std::string&) {
    constexpr int kAnswers[] = {429, 502, 503, 504};
    const int nth = asked++;
    if (nth == 4) return false;  // hangs up without a word
    return connection.send(nth < 4 ? ScriptedServer::status(kAnswers[nth])
                                   : ScriptedServer::ok("{}"));
  });
  auto tracer = start(options_for(server.url()));
  end_one(*tracer);
  tracer.reset();
  EXPECT_EQ(sent_to(server).size(), 6U);
  EXPECT_EQ(spans("exported"), 1);
  EXPECT_EQ(spans("failed"), 0);
}

TEST_F(OtlpTracerTest, WhatIsRefusedIsNotSentAgain) {
  for (const char* answer :
       {"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 307 Elsewhere\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"}) {
    ScriptedServer server(always(answer));
    const double before = spans("failed");
    auto tracer = start(options_for(server.url()));
    end_one(*tracer);
    tracer.reset();
    EXPECT_EQ(sent_to(server).size(), 1U) << answer;
    EXPECT_EQ(spans("failed") - before, 1) << answer;
  }
}

TEST_F(OtlpTracerTest, CountsWhatAReceiverTookOnlyInPart) {
  ScriptedServer server(always(ScriptedServer::ok(R"({"partialSuccess":{"rejectedSpans":"2"}})")));
  auto tracer = start(options_for(server.url()));
  for (int i = 0; i < 5; ++i) end_one(*tracer);
  tracer.reset();
  EXPECT_EQ(spans("exported"), 3);
  EXPECT_EQ(spans("failed"), 2);
}

TEST_F(OtlpTracerTest, AHangingReceiverHoldsUpNeitherCallsNorTheEnd) {
  std::promise<void> arrived;
  std::atomic<bool> first = true;
  ScriptedServer server([&](ScriptedConnection& connection, const std::string&) {
    if (first.exchange(false)) arrived.set_value();
    connection.wait_for_close();
    return false;
  });
  auto options = options_for(server.url());
  options.queue = 10;
  options.batch = 5;
  options.flush = milliseconds(100);
  auto tracer = start(options);
  for (int i = 0; i < 5; ++i) end_one(*tracer);
  ASSERT_EQ(arrived.get_future().wait_for(test::kPatience), std::future_status::ready);
  // Five are on their way, ten wait, and the rest is dropped; each `end` comes back.
  for (int i = 0; i < 1000; ++i) end_one(*tracer);
  EXPECT_EQ(spans("dropped"), 990);
  tracer.reset();  // does not wait for the request's 30 s: it would not come back before the test's
                   // end
  EXPECT_EQ(spans("failed"), 15);
  EXPECT_EQ(spans("exported"), 0);
}

TEST_F(OtlpTracerTest, GarbageAndEndlessAnswersAreFailures) {
  const std::string endless =
      "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + std::string(200'000, 'x');
  for (const std::string& answer : {std::string("\x16\x03\x01 no http at all\r\n\r\n"), endless}) {
    ScriptedServer server([&](ScriptedConnection& connection, const std::string&) {
      connection.send(answer);
      return false;
    });
    auto options = options_for(server.url());
    options.retries.total = milliseconds(20);
    const double before = spans("failed");
    auto tracer = start(options);
    end_one(*tracer);
    tracer.reset();
    EXPECT_EQ(spans("failed") - before, 1);
  }
}

TEST_F(OtlpTracerTest, WithoutAListenerNothingBlocks) {
  std::uint16_t closed = 0;
  {
    closed = ScriptedServer(always("")).port();
  }
  auto options = options_for("http://127.0.0.1:" + std::to_string(closed));
  options.retries.total = milliseconds(20);
  auto tracer = start(options);
  end_one(*tracer);
  tracer.reset();
  EXPECT_EQ(spans("failed"), 1);
}

TEST_F(OtlpTracerTest, SpeaksTlsAndTrustsWhomItIsTold) {
  const auto certificate = test::make_certificate("IP:127.0.0.1");
  const test::TempDir dir;
  std::ofstream((dir.path() / "ca.pem").string()) << certificate.pem;
  ScriptedServer server(always(ScriptedServer::ok("{}")), {.tls = certificate.context});
  auto options = options_for(server.url());
  options.retries.total = milliseconds(20);
  ASSERT_TRUE(options.endpoint.starts_with("https://")) << options.endpoint;
  auto stranger = start(options);
  end_one(*stranger);
  stranger.reset();
  EXPECT_EQ(spans("failed"), 1);
  options.ca_file = (dir.path() / "ca.pem").string();
  auto tracer = start(options);
  end_one(*tracer);
  tracer.reset();
  EXPECT_EQ(spans("exported"), 1);
}

TEST_F(OtlpTracerTest, MetricsAreSentOverAndOverAndOnceMoreAtTheEnd) {
  test::Awaited<std::string> arrived;
  ScriptedServer server(
      [said = arrived.callback()](ScriptedConnection& connection, const std::string& request) {
        said(request);
        return connection.send(ScriptedServer::ok("{}"));
      });
  auto options = options_for(server.url());
  options.metric_interval = milliseconds(1);
  auto tracer = start(options);
  for (int i = 0; i < 3; ++i) {
    const auto request = arrived.next();
    ASSERT_TRUE(request);
    EXPECT_TRUE(request->starts_with("POST /v1/metrics ")) << *request;
  }
  metrics_->gauge(kSessionsOpen).set(4711);
  tracer.reset();
  EXPECT_NE(server.requests().back().find("\"asDouble\":4711.0"), std::string::npos);
}

TEST_F(OtlpTracerTest, SamplesWhatItsParentIsAndElseByChance) {
  ScriptedServer server(always(ScriptedServer::ok("{}")));
  auto options = options_for(server.url());
  auto all = start(options);
  options.root_probability = 0;
  auto none = start(options);
  const auto root = all->start({});
  EXPECT_TRUE(root.valid() && root.sampled);
  EXPECT_FALSE(none->start({}).valid());
  const auto sampled = TraceContext::root(true);
  const auto child = none->start(sampled);
  EXPECT_TRUE(child.sampled);
  EXPECT_EQ(child.trace_id, sampled.trace_id);
  EXPECT_NE(child.span_id, sampled.span_id);
  const auto silent = TraceContext::root(false);
  EXPECT_EQ(all->start(silent).span_id, silent.span_id) << "passed on as it came";
  end_one(*none, silent);
  none.reset();
  EXPECT_TRUE(sent_to(server).empty());
}

TEST_F(OtlpTracerTest, AnEndpointIsAPlainUrl) {
  for (const char* wrong :
       {"collector:4318", "ftp://collector", "http://", "http://user:s3cret@collector:4318",
        "http://collector:4318/?key=s3cret", "http://collector:4318/ x", "http://collector#x"}) {
    const auto tracer = start_otlp({.endpoint = wrong}, *metrics_);
    ASSERT_FALSE(tracer) << wrong;
    EXPECT_EQ(tracer.error().code, ErrorCode::kInvalidRequest);
    EXPECT_EQ(tracer.error().message.find("s3cret"), std::string::npos);
  }
}

}  // namespace
}  // namespace toolway::monitoring::otlp
