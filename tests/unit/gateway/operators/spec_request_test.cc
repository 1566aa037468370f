#include "gateway/operators/spec_request.h"

#include <gtest/gtest.h>

#include "tools/executors/kind_types.h"
#include "tools/specs/reader.h"

namespace toolway::gateway::operators {
namespace {

constexpr const char* kSay =
    "tools:\n"
    "  - {name: say, namespace: shop, kind: command, input_schema: {type: object}, "
    "implementation_config: {argv: [printf, hi]}}\n";

tools::loaders::ReadSpecs reader() {
  return [](std::string_view text, std::string_view origin) {
    return tools::specs::read_specs(text, origin, {.kinds = tools::executors::kind_types()});
  };
}

PutRequest of(std::vector<SpecFile> files, unsigned rollout = 0) {
  return {.files = std::move(files), .rollout = rollout, .author = {}};
}

std::string field(const wire::Problem& problem) {
  return problem.errors.empty() ? "" : problem.errors.front().place;
}

TEST(PutRequests, AreReadStrictly) {
  const auto read = parse_put_request(
      R"({"files":[{"name":"a.yaml","text":"tools: []","line":7}],"rollout":10,"by":"ann","note":"n"})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->files.at(0).line, 7);
  EXPECT_EQ(read->rollout, 10U);
  EXPECT_EQ(read->author.who, "ann");
  EXPECT_EQ(parse_put_request(R"({"files":[{"name":"a","text":""}]})")->author.who, "");
  const std::pair<const char*, const char*> wrong[] = {
      {R"({})", "/files"},
      {R"({"files":[]})", "/files"},
      {R"({"files":[{"text":"x"}]})", "/files/0/name"},
      {R"({"files":[{"name":"a"}]})", "/files/0/text"},
      {R"({"files":[{"name":"a","text":"x","line":0}]})", "/files/0/line"},
      {R"({"files":[{"name":"a","text":"x"}],"rollout":100})", "/rollout"},
      {R"({"files":[{"name":"a","text":"x"}],"by":"a\u0000b"})", "/by"},
      {R"({"files":[{"name":"a","text":"x"}],"extra":1})", "/extra"}};
  for (const auto& [body, place] : wrong) {
    const auto refused = parse_put_request(body);
    ASSERT_FALSE(refused) << body;
    EXPECT_EQ(wire::status_of(refused.error()), 422U) << body;
    EXPECT_EQ(field(refused.error()), place) << body;
  }
  EXPECT_EQ(wire::status_of(parse_put_request("{").error()), 400U);
}

TEST(PutRequests, NameEachMistakeByTheClientsFileAndLine) {
  const auto refused = read_put_request(
      of({{"a.yaml", kSay, 1}, {"b.yaml", "tools:\n  - {name: broken, colour: red}\n", 11}}),
      reader());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.code, ErrorCode::kInvalidSpec);
  EXPECT_EQ(wire::status_of(refused.error()), 422U);
  EXPECT_EQ(field(refused.error()), "b.yaml:12");
  EXPECT_NE(refused.error().error.message.find("nothing was put"), std::string::npos);
}

TEST(PutRequests, HoldNoNameTwiceAndNoOverlay) {
  const auto twice = read_put_request(of({{"a.yaml", kSay, 1}, {"b.yaml", kSay, 1}}), reader());
  ASSERT_FALSE(twice);
  EXPECT_EQ(field(twice.error()), "b.yaml:2");
  EXPECT_NE(twice.error().errors.front().message.find("exists already, at a.yaml:2"),
            std::string::npos);
  const auto overlay = read_put_request(
      of({{"o.yaml", "overlay: staging\ntools:\n  - {name: say, namespace: shop, version: \"2\"}\n",
           1}}),
      reader());
  ASSERT_FALSE(overlay);
  EXPECT_NE(overlay.error().errors.front().message.find("--env"), std::string::npos);
}

TEST(PutRequests, SayARolloutOnceOnly) {
  const auto put = read_put_request(of({{"a.yaml", kSay, 1}}, 10), reader());
  ASSERT_TRUE(put);
  EXPECT_EQ(put->at(0).rollout, 10U);
  std::string says_it(kSay);
  says_it.insert(says_it.find("kind:"), "rollout: 20, ");
  EXPECT_EQ(read_put_request(of({{"a.yaml", says_it, 1}}), reader())->at(0).rollout, 20U);
  const auto both = read_put_request(of({{"a.yaml", says_it, 1}}, 10), reader());
  ASSERT_FALSE(both);
  EXPECT_EQ(field(both.error()), "a.yaml:2");
}

TEST(VersionRequests, AreReadStrictly) {
  EXPECT_EQ(parse_rollback_request(R"({"to":"3"})")->to, "3");
  EXPECT_FALSE(parse_rollback_request("")->to);
  EXPECT_EQ(field(parse_promote_request(R"({"to":"3"})").error()), "/to");
  EXPECT_TRUE(parse_remove_request(R"({"names":["a.b"],"candidate":true})")->candidate);
  EXPECT_EQ(field(parse_remove_request(R"({"names":[]})").error()), "/names");
  EXPECT_FALSE(parse_remove_request(R"({"names":["nodot"]})"));
  for (const auto* wrong : {"", "shop", ".say", "shop.", "a.b.c", "shop.s y"})
    EXPECT_FALSE(check_spec_name(wrong)) << wrong;
  EXPECT_FALSE(check_spec_name(std::string_view("shop.a\0b", 8)));
  EXPECT_TRUE(check_spec_name("shop.say"));
}

TEST(SpecProblems, OfASpecAreTheClients) {
  EXPECT_EQ(wire::status_of(spec_problem({ErrorCode::kInvalidSpec, "x"})), 422U);
  EXPECT_EQ(wire::status_of(spec_problem({ErrorCode::kUnknownTool, "x"})), 404U);
  EXPECT_EQ(wire::status_of(spec_problem({ErrorCode::kStoreUnavailable, "x"})), 503U);
}

}  // namespace
}  // namespace toolway::gateway::operators
