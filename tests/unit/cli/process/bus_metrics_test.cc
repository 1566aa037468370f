#include "cli/process/bus_metrics.h"

#include <gtest/gtest.h>

#include "monitoring/metric_names.h"

namespace toolway::cli::process {
namespace {

class BusMetricsTest : public testing::Test {
 protected:
  double gauge(monitoring::GaugeName name) { return metrics_->gauge(name).value(); }
  bool shows(const std::string& line) {
    return metrics_->scrape().find(line + "\n") != std::string::npos;
  }
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  BusMetrics bus_{*metrics_};
};

TEST_F(BusMetricsTest, SayWhetherItIsConnected) {
  EXPECT_EQ(gauge(monitoring::kBusConnected), 0);
  bus_.connected();
  EXPECT_EQ(gauge(monitoring::kBusConnected), 1);
  EXPECT_EQ(metrics_->counter(monitoring::kReconnects).value(), 0) << "it came for the first time";
  bus_.changed(bus::Connection::kDisconnected);
  EXPECT_EQ(gauge(monitoring::kBusConnected), 0);
  bus_.changed(bus::Connection::kConnected);
  bus_.changed(bus::Connection::kGap);
  EXPECT_EQ(gauge(monitoring::kBusConnected), 1);
  EXPECT_EQ(metrics_->counter(monitoring::kReconnects).value(), 1);
}

TEST_F(BusMetricsTest, OfSeveralConnectionsAllMustBeThere) {
  bus_.connected();
  bus_.changed(bus::Connection::kDisconnected, 3);
  bus_.changed(bus::Connection::kDisconnected, 0);
  bus_.changed(bus::Connection::kConnected, 3);
  EXPECT_EQ(gauge(monitoring::kBusConnected), 0) << "the first one is not back";
  bus_.changed(bus::Connection::kConnected, 0);
  EXPECT_EQ(gauge(monitoring::kBusConnected), 1);
}

TEST_F(BusMetricsTest, TimePublicationsByStreamAndCountFailuresByCode) {
  const Result<bus::PubAck> stored = bus::PubAck{.sequence = 1};
  bus_.published("EVENTS", std::chrono::milliseconds(2), stored);
  bus_.published("KV_sessions", std::chrono::milliseconds(2), stored);
  bus_.published("", std::chrono::milliseconds(2), stored);
  bus_.published("CALLS", std::chrono::seconds(1), fail(ErrorCode::kTimeout, "no answer"));
  EXPECT_TRUE(shows("toolway_bus_publish_seconds_count{stream=\"EVENTS\"} 1"));
  EXPECT_TRUE(shows("toolway_bus_publish_seconds_count{stream=\"KV_sessions\"} 1"));
  EXPECT_TRUE(shows("toolway_bus_publish_seconds_count{stream=\"CALLS\"} 0"));
  EXPECT_FALSE(shows("toolway_bus_publish_seconds_count{stream=\"\"} 1"));
  EXPECT_EQ(metrics_->counter(monitoring::kPublishErrors, "code", "timeout").value(), 1);
}

}  // namespace
}  // namespace toolway::cli::process
