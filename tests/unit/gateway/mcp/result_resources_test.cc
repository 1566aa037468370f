#include "gateway/mcp/result_resources.h"

#include <gtest/gtest.h>

#include "gateway/mcp/result_uri.h"

namespace toolway::gateway::mcp {
namespace {

Json json(const char* text) { return *parse_json(text); }

TEST(ResultResources, TheirTemplateIsCompletedWithNothing) {
  const auto uri = result_template()["uriTemplate"].get<std::string>();
  EXPECT_EQ(uri, "toolway://calls/{call_id}/result");
  const Json params{{"ref", {{"type", "ref/resource"}, {"uri", uri}}}};
  const auto answer = answer_about_results("completion/complete", params, false);
  ASSERT_TRUE(answer);
  EXPECT_EQ(to_text(*answer), R"({"completion":{"hasMore":false,"total":0,"values":[]}})");
  const auto modern = answer_about_results("completion/complete", params, true);
  ASSERT_TRUE(modern);
  EXPECT_EQ((*modern)["resultType"], "complete");
}

TEST(ResultResources, OneThatCannotBeReadIsAnErrorOfTheProtocol) {
  const auto unknown = result_refused({ErrorCode::kUnknownCall, "you have no such call"}, "u");
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->message, "there is no such resource") << "whosever it is";
  EXPECT_EQ(unknown->data, (Json{{"uri", "u"}}));
  EXPECT_EQ(result_refused({ErrorCode::kNoResult, "it failed"}, "u")->message, "it failed");
  EXPECT_FALSE(result_refused({ErrorCode::kBusUnavailable, "away"}, "u"));
}

TEST(ResultResources, OthersAreAnsweredElsewhere) {
  EXPECT_FALSE(answer_about_results("resources/subscribe", json(R"({"uri":"test://x"})"), false));
  EXPECT_FALSE(answer_about_results("resources/subscribe", json("{}"), false));
  EXPECT_FALSE(answer_about_results("completion/complete", json("{}"), false));
  EXPECT_FALSE(answer_about_results("completion/complete",
                                    json(R"({"ref":{"type":"ref/prompt","name":"x"}})"), false));
  EXPECT_FALSE(answer_about_results("prompts/list", json("{}"), true));
}

}  // namespace
}  // namespace toolway::gateway::mcp
