#include "gateway/mcp/rpc_metrics.h"

#include <fmt/format.h>
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

TEST(RpcMetrics, ClientsAreCountedByNameAndBounded) {
  const auto metrics = monitoring::make_metrics("gateway");
  RpcMetrics rpc(*metrics);
  rpc.asked("Claude Desktop", Revision::k2025_11_25);
  rpc.asked("Claude Desktop", Revision::k2025_11_25);
  rpc.asked("", Revision::k2026_07_28);
  for (int i = 0; i < 1000; ++i) rpc.asked("made-up-" + std::to_string(i), Revision::k2026_07_28);
  rpc.asked("Claude Desktop", Revision::k2026_07_28);
  const auto text = metrics->scrape();
  const auto line = [](const char* client, const char* revision, int count) {
    return fmt::format(
        "toolway_mcp_server_client_requests_total{{client=\"{}\",revision=\"{}\"}} {}\n", client,
        revision, count);
  };
  EXPECT_NE(text.find(line("Claude Desktop", "2025-11-25", 2)), std::string::npos) << text;
  EXPECT_NE(text.find(line("Claude Desktop", "2026-07-28", 1)), std::string::npos);
  EXPECT_NE(text.find(line("unnamed", "2026-07-28", 1)), std::string::npos);
  EXPECT_NE(text.find(line("other", "2026-07-28", 1000 - (RpcMetrics::kClients - 2))),
            std::string::npos);
  EXPECT_EQ(client_label("a\"}\n"), "other");
  EXPECT_EQ(client_label(std::string(65, 'a')), "other");
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
