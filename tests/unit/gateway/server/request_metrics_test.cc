#include "gateway/server/request_metrics.h"

#include <gtest/gtest.h>

#include "monitoring/metric_names.h"

namespace toolway::gateway::server {
namespace {

class RequestMetricsTest : public testing::Test {
 protected:
  double session(std::string_view action, std::string_view result) {
    return metrics_->counter(monitoring::kSessionRequests, {{"action", action}, {"result", result}})
        .value();
  }
  double http(std::string_view route, std::string_view status) {
    return metrics_->counter(monitoring::kHttpRequests, {{"route", route}, {"status", status}})
        .value();
  }
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
};

TEST_F(RequestMetricsTest, CountAnswersByRouteAndClassOfStatus) {
  RequestMetrics requests(*metrics_);
  for (const unsigned status : {200U, 202U, 404U, 503U})
    requests.answered(wire::Route::kPostCall, status);
  requests.answered(wire::Route::kSessionEvents, 200);
  requests.answered(wire::Route::kNone, 400);
  EXPECT_EQ(http("POST /v1/sessions/{s}/calls", "2xx"), 2);
  EXPECT_EQ(http("POST /v1/sessions/{s}/calls", "4xx"), 1);
  EXPECT_EQ(http("POST /v1/sessions/{s}/calls", "5xx"), 1);
  EXPECT_EQ(http("GET /v1/sessions/{s}/events", "2xx"), 1);
  EXPECT_EQ(http("none", "4xx"), 1);
}

TEST_F(RequestMetricsTest, TellTheClientsMistakesWithSessionsFromOurs) {
  RequestMetrics requests(*metrics_);
  EXPECT_NE(metrics_->scrape().find(
                "toolway_session_requests_total{action=\"restore\",result=\"failed\"} 0"),
            std::string::npos)
      << "there from the start, so that the first one is an increase";
  requests.answered(wire::Route::kOpenSession, 201);
  requests.answered(wire::Route::kOpenSession, 200);
  requests.answered(wire::Route::kOpenSession, 409);
  requests.answered(wire::Route::kCloseSession, 404);
  requests.answered(wire::Route::kRestoreSession, 503);
  EXPECT_EQ(session("open", "ok"), 2);
  EXPECT_EQ(session("open", "refused"), 1);
  EXPECT_EQ(session("close", "refused"), 1);
  EXPECT_EQ(session("restore", "failed"), 1);
  EXPECT_EQ(session("restore", "ok"), 0);
}

}  // namespace
}  // namespace toolway::gateway::server
