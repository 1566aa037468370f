#include "gateway/mcp/rpc_metrics.h"

#include <gtest/gtest.h>

#include <string>

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::Revision;
using namespace std::chrono_literals;

TEST(RpcMetrics, LabelsAreBoundedWhateverClientsSend) {
  const auto metrics = monitoring::make_metrics("gateway");
  RpcMetrics rpc(*metrics);
  for (int i = 0; i < 1000; ++i) {
    rpc.took("made/up" + std::to_string(i), Revision::k2026_07_28, 1ms);
    rpc.failed(i + 1, std::nullopt);
  }
  rpc.took("tools/call", Revision::k2025_06_18, 2ms);
  rpc.failed(-32602, Revision::k2025_11_25);
  const auto text = metrics->scrape();
  const auto has = [&text](const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(
      has("toolway_mcp_server_operation_seconds_count{method=\"other\","
          "revision=\"2026-07-28\"} 1000"))
      << text;
  EXPECT_TRUE(
      has("toolway_mcp_server_operation_seconds_count{method=\"tools/call\","
          "revision=\"2025-06-18\"} 1"));
  EXPECT_TRUE(has("toolway_mcp_server_errors_total{code=\"other\",revision=\"none\"} 1000"));
  EXPECT_TRUE(has("toolway_mcp_server_errors_total{code=\"-32602\",revision=\"2025-11-25\"} 1"));
  EXPECT_FALSE(has("made/up"));
}

TEST(RpcMetrics, KnowsItsOwnMethodsAndCodes) {
  EXPECT_EQ(method_label("tools/list"), "tools/list");
  EXPECT_EQ(method_label(""), "other");
  EXPECT_EQ(code_label(-32020), "-32020");
  EXPECT_EQ(code_label(0), "other");
}

TEST(RpcMetrics, FindsTheCodeOfAnErrorAndOfNothingElse) {
  EXPECT_EQ(error_code_in(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}})"),
            -32602);
  EXPECT_EQ(error_code_in(R"({"jsonrpc":"2.0","id":1,"error":{"code":7}})"), 7);
  EXPECT_EQ(error_code_in(R"({"jsonrpc":"2.0","id":"\"error\":{\"code\":1","result":{}})"),
            std::nullopt);
  EXPECT_EQ(error_code_in(R"({"jsonrpc":"2.0","id":1,"result":{"error":{"code":1}}})"),
            std::nullopt);
  EXPECT_EQ(error_code_in(""), std::nullopt);
}

}  // namespace
}  // namespace toolway::gateway::mcp
