// What a gateway tells of requests, queues and streams.
#include <gtest/gtest.h>

#include <cmath>

#include "gateway/admission/queue_metrics.h"
#include "gateway/services/request_metrics.h"
#include "monitoring/metric_names.h"

namespace toolway::gateway {
namespace {

class GatewayMetrics : public testing::Test {
 protected:
  double session(std::string_view action, std::string_view result) {
    return metrics_->counter(monitoring::kSessionRequests, {{"action", action}, {"result", result}})
        .value();
  }
  double http(std::string_view route, std::string_view status) {
    return metrics_->counter(monitoring::kHttpRequests, {{"route", route}, {"status", status}})
        .value();
  }
  double depth(std::string_view pool, std::string_view state) {
    return metrics_->gauge(monitoring::kQueueDepth, {{"pool", pool}, {"state", state}}).value();
  }
  double oldest(std::string_view pool, std::string_view lane) {
    return metrics_->gauge(monitoring::kQueueOldest, {{"pool", pool}, {"lane", lane}}).value();
  }
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
};

TEST_F(GatewayMetrics, CountAnswersByRouteAndClassOfStatus) {
  RequestMetrics requests(*metrics_);
  for (const unsigned status : {200U, 202U, 404U, 503U})
    requests.answered(Route::kPostCall, status);
  requests.answered(Route::kSessionEvents, 200);
  requests.answered(Route::kNone, 400);
  EXPECT_EQ(http("POST /v1/sessions/{s}/calls", "2xx"), 2);
  EXPECT_EQ(http("POST /v1/sessions/{s}/calls", "4xx"), 1);
  EXPECT_EQ(http("POST /v1/sessions/{s}/calls", "5xx"), 1);
  EXPECT_EQ(http("GET /v1/sessions/{s}/events", "2xx"), 1);
  EXPECT_EQ(http("none", "4xx"), 1);
}

TEST_F(GatewayMetrics, TellTheClientsMistakesWithSessionsFromOurs) {
  RequestMetrics requests(*metrics_);
  EXPECT_NE(metrics_->scrape().find(
                "toolway_session_requests_total{action=\"restore\",result=\"failed\"} 0"),
            std::string::npos)
      << "there from the start, so that the first one is an increase";
  requests.answered(Route::kOpenSession, 201);
  requests.answered(Route::kOpenSession, 200);
  requests.answered(Route::kOpenSession, 409);
  requests.answered(Route::kCloseSession, 404);
  requests.answered(Route::kRestoreSession, 503);
  EXPECT_EQ(session("open", "ok"), 2);
  EXPECT_EQ(session("open", "refused"), 1);
  EXPECT_EQ(session("close", "refused"), 1);
  EXPECT_EQ(session("restore", "failed"), 1);
  EXPECT_EQ(session("restore", "ok"), 0);
}

TEST_F(GatewayMetrics, AddUpTheQueuesOfAPoolAndShowZeroOnceItIsGone) {
  QueueMetrics shown(*metrics_);
  BusFacts facts;
  facts.pools["native"] = {{.durable = "native-normal-0",
                            .state = {.pending = 3, .ack_pending = 4},
                            .oldest = std::chrono::seconds(2)},
                           {.durable = "native-bulk-0",
                            .lane = proto::Lane::kBulk,
                            .state = {.pending = 10},
                            .oldest = std::chrono::seconds(90)}};
  shown.show(facts);
  EXPECT_EQ(depth("native", "pending"), 13);
  EXPECT_EQ(depth("native", "held"), 4);
  EXPECT_EQ(oldest("native", "normal"), 2);
  EXPECT_EQ(oldest("native", "bulk"), 90);
  shown.show({});
  EXPECT_EQ(depth("native", "pending"), 0);
  EXPECT_EQ(depth("native", "held"), 0);
  EXPECT_EQ(oldest("native", "bulk"), 0);
}

TEST_F(GatewayMetrics, ShowWhatStreamsKeep) {
  QueueMetrics shown(*metrics_);
  BusFacts facts;
  facts.streams["CALLS"] = {.messages = 7, .bytes = 700, .max_bytes = 1000};
  facts.streams["EVENTS"] = {.messages = 8, .bytes = 800, .max_bytes = -1};
  shown.show(facts);
  EXPECT_EQ(metrics_->gauge(monitoring::kStreamMessages, "stream", "CALLS").value(), 7);
  EXPECT_EQ(metrics_->gauge(monitoring::kStreamBytes, "stream", "CALLS").value(), 700);
  EXPECT_EQ(metrics_->gauge(monitoring::kStreamLimit, "stream", "CALLS").value(), 1000);
  EXPECT_TRUE(std::isinf(metrics_->gauge(monitoring::kStreamLimit, "stream", "EVENTS").value()));
}

}  // namespace
}  // namespace toolway::gateway
