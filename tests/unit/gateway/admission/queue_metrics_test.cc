#include "gateway/admission/queue_metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "monitoring/metric_names.h"

namespace toolway::gateway::admission {
namespace {

class QueueMetricsTest : public testing::Test {
 protected:
  double depth(std::string_view pool, std::string_view state) {
    return metrics_->gauge(monitoring::kQueueDepth, {{"pool", pool}, {"state", state}}).value();
  }
  double oldest(std::string_view pool, std::string_view lane) {
    return metrics_->gauge(monitoring::kQueueOldest, {{"pool", pool}, {"lane", lane}}).value();
  }
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
};

TEST_F(QueueMetricsTest, AddUpTheQueuesOfAPoolAndShowZeroOnceItIsGone) {
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

TEST_F(QueueMetricsTest, ShowWhatStreamsKeep) {
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
}  // namespace toolway::gateway::admission
