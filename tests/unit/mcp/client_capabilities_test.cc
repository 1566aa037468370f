#include "mcp/client_capabilities.h"

#include <gtest/gtest.h>

namespace toolway::mcp {
namespace {

TEST(McpClientCapabilities, AreDeclaredAsTheProtocolHasIt) {
  EXPECT_EQ(capabilities_json({}), Json::object());
  EXPECT_EQ(capabilities_json({.form = true}), Json({{"elicitation", {{"form", Json::object()}}}}));
  EXPECT_EQ(capabilities_json({.url = true}), Json({{"elicitation", {{"url", Json::object()}}}}));
  const auto all = capabilities_json({.form = true, .url = true, .sampling = true, .roots = true});
  EXPECT_EQ(all.dump(), R"({"elicitation":{"form":{},"url":{}},"roots":{},"sampling":{}})");
}

TEST(McpClientCapabilities, SayWhatMayBeAsked) {
  const Json none = Json::object();
  const Json page{{"mode", "url"}};
  EXPECT_TRUE(may_ask({.form = true}, "elicitation/create", none));
  EXPECT_TRUE(may_ask({.form = true}, "elicitation/create", {{"mode", "form"}}));
  EXPECT_TRUE(may_ask({.form = true}, "elicitation/create", nullptr));
  EXPECT_FALSE(may_ask({.form = true}, "elicitation/create", page));
  EXPECT_TRUE(may_ask({.url = true}, "elicitation/create", page));
  EXPECT_FALSE(may_ask({.url = true}, "elicitation/create", none));
  EXPECT_FALSE(may_ask({.form = true, .url = true}, "elicitation/create", {{"mode", 7}}));
  EXPECT_TRUE(may_ask({.sampling = true}, "sampling/createMessage", none));
  EXPECT_FALSE(may_ask({.roots = true}, "sampling/createMessage", none));
  EXPECT_TRUE(may_ask({.roots = true}, "roots/list", nullptr));
  EXPECT_FALSE(may_ask({.form = true, .url = true, .sampling = true}, "roots/list", none));
  EXPECT_FALSE(may_ask({.form = true, .url = true, .sampling = true, .roots = true}, "ping", none));
  for (const auto* method : {"elicitation/create", "sampling/createMessage", "roots/list"})
    EXPECT_TRUE(is_question(method)) << method;
  EXPECT_FALSE(is_question("ping"));
}

TEST(McpClientCapabilities, OfTwoOnlyWhatBothAllowIsLeft) {
  EXPECT_EQ(both({.form = true, .sampling = true}, {.form = true, .roots = true}),
            ClientCapabilities{.form = true});
}

}  // namespace
}  // namespace toolway::mcp
