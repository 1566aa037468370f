#include "gateway/calls/call_counters.h"

#include <gtest/gtest.h>

#include "monitoring/metric_names.h"

namespace toolway::gateway::calls {
namespace {

class CallCountersTest : public testing::Test {
 protected:
  static v1::CallRequest call(const std::string& tool, const std::string& pool) {
    v1::CallRequest request;
    request.mutable_labels()->set_namespace_("files");
    request.mutable_labels()->set_tool(tool);
    request.set_pool(pool);
    return request;
  }
  double count(monitoring::CounterName name, const monitoring::CallKey& key) {
    return metrics_->counter(name, key).value();
  }
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  CallCounters counters_{*metrics_};
};

TEST_F(CallCountersTest, KeepTheVersionsOfAToolInTwoPoolsApart) {
  counters_.accepted(call("read", "native"));
  counters_.accepted(call("read", "python"));
  counters_.accepted(call("read", "native"));
  counters_.accepted(call("write", "native"));
  const auto accepted = [this](std::string_view tool, std::string_view pool) {
    return count(monitoring::kCallsAccepted, {.tool = tool, .pool = pool});
  };
  EXPECT_EQ(accepted("files.read", "native"), 2);
  EXPECT_EQ(accepted("files.read", "python"), 1);
  EXPECT_EQ(accepted("files.write", "native"), 1);
}

TEST_F(CallCountersTest, SayHowWhatTheGatewayEndedEnded) {
  const auto request = call("read", "native");
  counters_.completed(request.labels(), request.pool(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(count(monitoring::kCallsCompleted,
                  {.tool = "files.read", .pool = "native", .outcome = "cancelled"}),
            1);
  EXPECT_EQ(count(monitoring::kCallsCompleted,
                  {.tool = "files.read", .pool = "native", .outcome = "succeeded"}),
            0);
}

}  // namespace
}  // namespace toolway::gateway::calls
