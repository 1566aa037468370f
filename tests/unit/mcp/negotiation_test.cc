#include <gtest/gtest.h>

#include "mcp/negotiation.h"

namespace toolway::mcp {
namespace {

Answer result(Json json) { return {RequestId(std::int64_t{1}), std::move(json)}; }
Answer error(std::int64_t code, Json data = nullptr) {
  return {RequestId(std::int64_t{1}), tl::unexpected(RpcError{code, "no", std::move(data)})};
}

Revision spoken(const Agreed& agreed) {
  const auto* speak = std::get_if<Speak>(&agreed);
  EXPECT_NE(speak, nullptr);
  return speak == nullptr ? Revision::k2025_06_18 : speak->revision;
}

Revision shaken(const Agreed& agreed) {
  const auto* handshake = std::get_if<Handshake>(&agreed);
  EXPECT_NE(handshake, nullptr);
  return handshake == nullptr ? Revision::k2026_07_28 : handshake->revision;
}

TEST(McpNegotiation, AServerThatDiscoversIsSpokenToAsItOffers) {
  const auto agreed = after_discover(result(
      {{"supportedVersions", {"2026-07-28", "2099-01-01"}},
       {"capabilities", {{"tools", {{"listChanged", true}}}}},
       {"_meta", {{"io.modelcontextprotocol/serverInfo", {{"name", "s"}, {"version", "1"}}}}}}));
  EXPECT_EQ(spoken(agreed), Revision::k2026_07_28);
  EXPECT_TRUE(std::get<Speak>(agreed).capabilities.tools_list_changed);
  EXPECT_EQ(std::get<Speak>(agreed).server.name, "s");
  EXPECT_EQ(shaken(after_discover(result({{"supportedVersions", {"2025-06-18"}}}))),
            Revision::k2025_06_18);
}

TEST(McpNegotiation, AnythingThatNoModernServerSaysMeansAHandshake) {
  EXPECT_EQ(shaken(after_discover(std::nullopt)), Revision::k2025_11_25);
  for (const auto code : {kMethodNotFound, kInvalidParams, kInvalidRequestError,
                          std::int64_t{-32000}, std::int64_t{0}}) {
    EXPECT_EQ(shaken(after_discover(error(code))), Revision::k2025_11_25) << code;
  }
  EXPECT_EQ(shaken(after_discover(result({{"anything", 1}}))), Revision::k2025_11_25);
}

TEST(McpNegotiation, AModernErrorIsNotAReasonToFallBack) {
  const auto newer = after_discover(
      error(kUnsupportedRevision, {{"supported", {"2099-01-01"}}, {"requested", "2026-07-28"}}));
  ASSERT_TRUE(std::holds_alternative<NoRevision>(newer));
  EXPECT_NE(std::get<NoRevision>(newer).why.find("2099-01-01"), std::string::npos);
  EXPECT_EQ(shaken(after_discover(error(kUnsupportedRevision, {{"supported", {"2025-11-25"}}}))),
            Revision::k2025_11_25);
  EXPECT_TRUE(std::holds_alternative<NoRevision>(after_discover(error(kHeaderMismatch))));
  EXPECT_TRUE(std::holds_alternative<NoRevision>(
      after_discover(error(kUnsupportedRevision, {{"supported", {"2026-07-28"}}}))));
}

TEST(McpNegotiation, InitializeTakesWhatTheServerChooses) {
  const auto chosen = [](const char* revision) {
    return after_initialize(
        result({{"protocolVersion", revision}, {"capabilities", {{"tools", Json::object()}}}}));
  };
  EXPECT_EQ(spoken(chosen("2025-11-25")), Revision::k2025_11_25);
  EXPECT_EQ(spoken(chosen("2025-06-18")), Revision::k2025_06_18);
  EXPECT_EQ(spoken(chosen("2025-03-26")), Revision::k2025_03_26);
  EXPECT_EQ(spoken(chosen("2024-11-05")), Revision::k2024_11_05);
  EXPECT_FALSE(std::get<Speak>(chosen("2025-06-18")).capabilities.tools_list_changed);
  for (const auto* unknown : {"2024-10-07", "2099-01-01", "2026-07-28", ""}) {
    EXPECT_TRUE(std::holds_alternative<NoRevision>(chosen(unknown))) << unknown;
  }
  EXPECT_TRUE(std::holds_alternative<NoRevision>(after_initialize(error(-32601))));
}

}  // namespace
}  // namespace toolway::mcp
