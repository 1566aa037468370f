// Which tools a session sees, and what is said when it does not see the one that is wanted.
#include "gateway/calls/tool_advice.h"

#include <gtest/gtest.h>

#include "gateway/calls/call_plan.h"
#include "gateway/sessions/session_request.h"
#include "tests/unit/gateway/viewed_tools.h"
#include "tools/model/kinds.h"

namespace toolway::gateway::calls {
namespace {

using NameList = std::vector<std::string>;

tools::model::RegisteredToolPtr tool(const std::string& ns, const std::string& name) {
  return *tools::model::register_tool(
      tools::model::declared_tool({.name = name, .ns = ns, .input_schema = {{"type", "object"}}}));
}

class ToolAdvice : public testing::Test {
 protected:
  wire::HttpResult<PlannedCall> plan(const std::string& name, NameList namespaces) {
    session.set_state(v1::SessionRecord::STATE_OPEN);
    const CallContext context{.registry = *registry,
                              .switches = switches,
                              .session = session,
                              .namespaces = namespaces,
                              .caller = caller};
    return plan_call(context,
                     CallBody{.tool = name, .arguments = Json::object(), .arguments_text = "{}"},
                     CallId::make({}), {});
  }
  std::string refusal(const std::string& name, NameList namespaces) {
    const auto planned = plan(name, std::move(namespaces));
    return planned ? "" : planned.error().error.message;
  }

  std::shared_ptr<const tools::model::Registry> registry = *tools::model::Registry::of(
      {tool("bench", "work"), tool("text2", "word_count"), tool("text", "count"),
       tool("time", "now"), tool("times", "now")});
  proto::Switches switches;
  v1::SessionRecord session;
  const wire::Caller caller{.user_id = "ann", .method = "none"};
};

TEST_F(ToolAdvice, AToolOfAnotherNamespaceIsNamedWithWhatTheSessionSees) {
  EXPECT_EQ(
      refusal("text2.word_count", {"bench", "filesystem", "time"}),
      "unknown tool text2.word_count: the fleet has text2.word_count, but this session sees only bench, filesystem and time; "
      "add namespace text2 to it, or open one with \"*\" for every namespace");
  EXPECT_NE(refusal("word_count", {"bench"})
                .find("the fleet has text2.word_count, but this session sees only bench;"),
            std::string::npos);
  EXPECT_NE(refusal("now", {"bench"}).find("the fleet has time.now and times.now"),
            std::string::npos);
  EXPECT_EQ(refusal("wrd", {"time"}), "unknown tool wrd")
      << "a guess is made among what the session sees";
  switches.take("text2", proto::encode(proto::Switch{}));
  EXPECT_EQ(refusal("text2.word_count", {"bench"}), "unknown tool \"text2.word_count\"")
      << "what is off is not offered";
}

TEST_F(ToolAdvice, AllNamespacesSeeEveryTool) {
  EXPECT_TRUE(plan("text2.word_count", {"*"}));
  EXPECT_TRUE(plan("word_count", {"*"}));
  EXPECT_NE(refusal("now", {"*"}).find("is in several namespaces"), std::string::npos);
  EXPECT_EQ(refusal("nothing", {"*"}), "unknown tool nothing");
  const NameList all{"*"};
  EXPECT_EQ(registry->list(all).size(), 5U);
  tools::model::LiveRegistry live(registry);
  ViewedTools view(live);
  EXPECT_EQ(Json::parse(view.of(all)->json).size(), 5U);
  EXPECT_TRUE(view.names(all).resolve("text2__word_count"));
}

TEST_F(ToolAdvice, NamespacesWithoutToolsAreWarnedOf) {
  EXPECT_TRUE(namespace_warnings(*registry, NameList{"bench", "time"}).empty());
  EXPECT_TRUE(namespace_warnings(*registry, NameList{"*"}).empty());
  EXPECT_EQ(
      namespace_warnings(*registry, NameList{"tex", "time"}),
      NameList{
          "no tool is in namespace tex (did you mean 'text'?); the fleet has tools in bench, text, text2, time and times; "
          "\"*\" stands for every namespace"});
  EXPECT_EQ(
      namespace_warnings(*registry, NameList{"default"}),
      NameList{
          "the session has no tools: no tool is in namespace default; the fleet has tools in bench, text, text2, time and times; "
          "\"*\" stands for every namespace"});
  EXPECT_EQ(namespace_warnings(**tools::model::Registry::of({}), NameList{"*"}),
            NameList{"the session has no tools: the fleet has none so far"});
}

TEST_F(ToolAdvice, OnlyTenNamesAreSpelledOut) {
  std::vector<tools::model::RegisteredToolPtr> many;
  for (int i = 0; i < 300; ++i) many.push_back(tool("n" + std::to_string(i), "t"));
  const auto warnings = namespace_warnings(**tools::model::Registry::of(many), NameList{"nowhere"});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find(" and 290 more"), std::string::npos) << warnings[0];
  EXPECT_LT(warnings[0].size(), 250U);
}

TEST(SessionRequestNamespaces, AStarStandsForAllAndAlone) {
  EXPECT_EQ(sessions::parse_session_request(R"({"namespaces":["b","*","a"]})")->namespaces,
            NameList{"*"});
  EXPECT_EQ(sessions::parse_session_request(R"({"namespaces":["b","a","b"]})")->namespaces,
            (NameList{"a", "b"}));
  EXPECT_EQ(sessions::parse_session_request("{}")->namespaces, NameList{"default"});
  for (const char* bad :
       {R"({"namespaces":["**"]})", R"({"namespaces":["a*"]})", R"({"namespaces":[1]})"}) {
    EXPECT_FALSE(sessions::parse_session_request(bad)) << bad;
  }
}

TEST(SessionRequestNamespaces, AreGainedOnlyByTheRecordThatWasSeen) {
  v1::SessionRecord record;
  record.set_state(v1::SessionRecord::STATE_OPEN);
  record.add_namespaces("b");
  const NameList seen{"b"};
  const auto wanted = sessions::with_namespaces(record, {"c", "a", "b"});
  ASSERT_TRUE(wanted);
  EXPECT_EQ(*wanted, (NameList{"a", "b", "c"}));
  EXPECT_EQ(*sessions::with_namespaces(record, {"*"}), NameList{"*"});
  const std::string digest = "sha256:new";
  const sessions::NamespaceGain gain{
      .seen = seen, .wanted = *wanted, .toolset_digest = digest, .now = from_unix_us(7)};
  auto closed = record;
  closed.set_state(v1::SessionRecord::STATE_CLOSED);
  EXPECT_FALSE(gain(closed));
  auto changed = record;
  changed.add_namespaces("z");  // by another writer
  EXPECT_FALSE(gain(changed));
  EXPECT_EQ(changed.namespaces_size(), 2);
  ASSERT_TRUE(gain(record));
  EXPECT_EQ(record.namespaces_size(), 3);
  EXPECT_EQ(record.toolset_digest(), digest);
  EXPECT_EQ(record.updated_at_us(), 7);
  EXPECT_FALSE(gain(record)) << "it has them";
}

}  // namespace
}  // namespace toolway::gateway::calls
