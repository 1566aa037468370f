#include "gateway/mcp/offered.h"

#include <gtest/gtest.h>

#include "tests/unit/gateway/mcp/offers_of.h"

namespace toolway::gateway::mcp {
namespace {

constexpr const char* kFile = R"(
prompts:
  - name: plain
    description: Plain.
    arguments: [{name: a, required: true, values: [one, two, only]}, {name: b}]
    messages: [{role: user, content: {type: text, text: "{{a}}/{{b}}"}}]
  - name: asking
    asks: [{key: who, message: "Who?", schema: {properties: {name: {type: string}}, required: [name]}}]
    messages: [{role: user, content: {type: text, text: "for {{name}}"}}]
  - {name: hidden, namespace: other, messages: [{role: user, content: {type: text, text: x}}]}
resources:
  - {uri: "test://a", name: a, mime_type: text/plain, text: A}
  - {uri: "test://bytes", name: bytes, blob: AAE=}
  - {uri_template: "test://{id}/b", name: b, text: "B of {{id}}", values: [x1, x2]}
  - {uri: "test://hidden", namespace: other, name: hidden, text: secret}
)";

class Offering : public testing::Test {
 protected:
  std::string ask(std::string_view method, const char* params, bool stateless = true) {
    const SeenOffers seen(1, offers_, namespaces_, nullptr);
    const auto answered =
        answer_offered({.seen = seen, .stateless = stateless}, method, Json::parse(params));
    if (answered) return answered->dump();
    return std::to_string(answered.error().code) + " " + answered.error().message +
           (answered.error().data.is_null() ? "" : " " + answered.error().data.dump());
  }

  const SeenOffers::OffersPtr offers_ = test::offers_of(kFile);
  std::vector<std::string> namespaces_{"default"};
};

TEST_F(Offering, ListsWhatTheSessionSees) {
  const auto prompts = Json::parse(ask("prompts/list", "{}"));
  EXPECT_EQ(prompts["prompts"].size(), 2U);
  EXPECT_EQ(prompts["prompts"][0].dump(),
            R"({"arguments":[{"name":"a","required":true},{"name":"b","required":false}],)"
            R"("description":"Plain.","name":"plain"})");
  EXPECT_EQ(prompts["resultType"], "complete");
  EXPECT_EQ(prompts["cacheScope"], "private");
  EXPECT_EQ(Json::parse(ask("resources/list", "{}"))["resources"].size(), 2U);
  EXPECT_EQ(ask("resources/templates/list", "{}", false),
            R"({"resourceTemplates":[{"name":"b","uriTemplate":"test://{id}/b"}]})");
  namespaces_ = {"*"};
  EXPECT_EQ(Json::parse(ask("prompts/list", "{}"))["prompts"].size(), 3U);
}

TEST_F(Offering, FillsAPrompt) {
  EXPECT_EQ(ask("prompts/get", R"({"name": "plain", "arguments": {"a": "1"}})", false),
            R"({"description":"Plain.","messages":[{"content":{"text":"1/","type":"text"},)"
            R"("role":"user"}]})");
  const std::pair<const char*, const char*> cases[] = {
      {R"({})", "-32602 there is no such prompt"},
      {R"({"name": "hidden"})", "-32602 there is no such prompt"},
      {R"({"name": "plain"})", "-32602 argument a is missing"},
      {R"({"name": "plain", "arguments": []})", "-32602 params.arguments must be an object"},
      {R"({"name": "plain", "arguments": {"a": 1}})", "-32602 argument a must be a text"}};
  for (const auto& [params, expected] : cases) EXPECT_EQ(ask("prompts/get", params), expected);
}

TEST_F(Offering, AsksFirstWhatAPromptNeeds) {
  const std::string can =
      R"("_meta": {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}})";
  const auto get = [&](const std::string& more) {
    return ask("prompts/get", (R"({"name": "asking", )" + can + more + "}").c_str());
  };
  const std::string asked =
      R"({"inputRequests":{"who":{"method":"elicitation/create","params":{"message":"Who?",)"
      R"("requestedSchema":{"properties":{"name":{"type":"string"}},"required":["name"]}}}},)"
      R"("resultType":"input_required"})";
  EXPECT_EQ(get(""), asked);
  // Answers to something else, or of the wrong shape: it is asked again.
  for (const char* responses :
       {R"({"other": {"action": "accept", "content": {"name": "x"}}})", R"({"who": 1})", R"([])",
        R"({"who": {"action": "accept"}})", R"({"who": {"action": "accept", "content": {}}})",
        R"({"who": {"action": "accept", "content": {"name": 1}}})"})
    EXPECT_EQ(get(std::string(R"(, "inputResponses": )") + responses), asked) << responses;
  EXPECT_NE(get(R"(, "inputResponses": {"who": {"action": "accept", "content": {"name": "Eve"}}})")
                .find("for Eve"),
            std::string::npos);
  EXPECT_EQ(get(R"(, "inputResponses": {"who": {"action": "decline"}})"),
            "-32602 the user did not answer who");
  EXPECT_EQ(ask("prompts/get", R"({"name": "asking"})").substr(0, 6), "-32021");
  EXPECT_EQ(ask("prompts/get", R"({"name": "asking"})", false).substr(0, 6), "-32602");
}

TEST_F(Offering, ReadsResources) {
  EXPECT_EQ(ask("resources/read", R"({"uri": "test://a"})", false),
            R"({"contents":[{"mimeType":"text/plain","text":"A","uri":"test://a"}]})");
  EXPECT_EQ(ask("resources/read", R"({"uri": "test://bytes"})", false),
            R"({"contents":[{"blob":"AAE=","uri":"test://bytes"}]})");
  EXPECT_EQ(ask("resources/read", R"({"uri": "test://7/b"})"),
            R"({"cacheScope":"private","contents":[{"text":"B of 7","uri":"test://7/b"}],)"
            R"("resultType":"complete","ttlMs":2000})");
  for (const char* uri : {"test://hidden", "test://none", "", "test://a/../b"})
    EXPECT_EQ(ask("resources/read", (R"({"uri": ")" + std::string(uri) + R"("})").c_str()),
              R"(-32602 there is no such resource {"uri":")" + std::string(uri) + R"("})");
}

TEST_F(Offering, CompletesArguments) {
  EXPECT_EQ(
      ask("completion/complete",
          R"({"ref": {"type": "ref/prompt", "name": "plain"}, "argument": {"name": "a", "value": "on"}})",
          false),
      R"({"completion":{"hasMore":false,"total":2,"values":["one","only"]}})");
  EXPECT_EQ(
      ask("completion/complete",
          R"({"ref": {"type": "ref/resource", "uri": "test://{id}/b"}, "argument": {"name": "id", "value": ""}})",
          false),
      R"({"completion":{"hasMore":false,"total":2,"values":["x1","x2"]}})");
  for (
      const char* params :
      {R"({})", R"({"ref": 1, "argument": {}})",
       R"({"ref": {"type": "ref/prompt", "name": "hidden"}, "argument": {"name": "a", "value": ""}})",
       R"({"ref": {"type": "ref/prompt", "name": "plain"}, "argument": {"name": "c", "value": ""}})"})
    EXPECT_EQ(ask("completion/complete", params).substr(0, 6), "-32602") << params;
  EXPECT_EQ(
      ask("completion/complete",
          R"({"ref": {"type": "ref/prompt", "name": "plain"}, "argument": {"name": "a", "value": 5}})"),
      "-32602 params.argument.value must be a text");
}

TEST_F(Offering, TakesNoCursor) {
  for (const char* method : {"prompts/list", "resources/templates/list"})
    EXPECT_EQ(ask(method, R"({"cursor": "x"})"), "-32602 this cursor was not made here");
}

TEST_F(Offering, SaysAboutHowLargeAnAnswerIs) {
  const SeenOffers seen(1, offers_, namespaces_, nullptr);
  const auto bytes = [&](std::string_view method, const char* params) {
    return answer_bytes(seen, method, Json::parse(params));
  };
  EXPECT_EQ(bytes("resources/read", R"({"uri": "test://bytes"})"), 4U);
  EXPECT_EQ(bytes("resources/read", R"({"uri": "test://hidden"})"), 0U);
  EXPECT_GT(bytes("prompts/get", R"({"name": "plain"})"), 20U);
  EXPECT_GT(bytes("resources/list", "{}"), ask("resources/list", "{}").size());
}

TEST(IsOffered, KnowsItsMethods) {
  EXPECT_TRUE(is_offered("prompts/get"));
  EXPECT_FALSE(is_offered("resources/subscribe"));
  EXPECT_FALSE(is_offered("tools/list"));
}

}  // namespace
}  // namespace toolway::gateway::mcp
