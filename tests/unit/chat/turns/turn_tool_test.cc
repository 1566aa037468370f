#include "chat/turns/turn_tool.h"

#include <gtest/gtest.h>

#include "chat/providers/scripted_provider.h"
#include "monitoring/metric_registry.h"
#include "tests/support/test_clock.h"
#include "tests/unit/chat/turns/fake_conversations.h"
#include "tests/unit/chat/turns/keeps_spans.h"
#include "tools/model/local_context.h"

namespace toolway::chat::turns {
namespace {

/// One conversation, and how turns left it.
class OneConversation final : public FakeConversations {
 public:
  Result<TakeResult> take(const Owner&, const Writer&) override {
    ++asked;
    return TakeResult{taken, {"c", rows.size(), options}};
  }
  Result<Opened> start_new(const Owner&, const Writer&, const std::string& begins_with) override {
    options = begins_with;
    return Opened{"d", 0};
  }
  Result<std::optional<Opened>> left_by(const Owner&, const std::string&,
                                        const std::string&) override {
    return earlier;
  }
  Result<bool> count_auto_turn(const std::string&) override { return ++auto_turns <= 5; }
  Result<Renewed> renew(const std::vector<Lease>&) override { return Renewed{}; }
  Result<void> release(const Owner&, const Writer&) override {
    left.emplace_back("released");
    return {};
  }
  Result<void> leave(const Owner&, const Writer&) override {
    left.emplace_back("left");
    return {};
  }
  Result<void> append(const std::string&, const Writer&, const StoredMessage& message,
                      const persistence::conversations::CallNotes& notes) override {
    rows.push_back(message);
    if (message.ends_turn) left.emplace_back("released");
    begun.push_back(notes.begun ? notes.begun->on_behalf : "");
    if (notes.begun) options = notes.begun->options;
    if (notes.begun) wakes = notes.begun->wakes;
    return {};
  }
  Result<std::vector<StoredMessage>> last_before(const std::string&, std::uint64_t,
                                                 std::size_t) override {
    return rows;
  }

  Taken taken = Taken::kTaken;
  std::optional<Opened> earlier;  ///< that was left
  std::string options;
  bool wakes = false;
  int auto_turns = 0;
  int asked = 0;
  std::vector<std::string> left;
  std::vector<StoredMessage> rows;
  std::vector<std::string> begun;  ///< on whose behalf; of each message
};

class ListedTools final : public engine::ToolBox {
 public:
  explicit ListedTools(OrderedJson list) : list_(std::move(list)) {}
  Result<window::ToolListPtr> definitions(tools::exports::ModelApi api,
                                          std::stop_token /*stop*/) override {
    return window::tool_list(list_, api);
  }
  std::string shown_name(const std::string& name) override { return name; }
  Result<std::vector<tools::messages::CallResult>> run(
      const std::vector<tools::messages::Call>& calls, const std::string&,
      std::stop_token) override {
    std::vector<tools::messages::CallResult> made;
    for (const auto& call : calls) made.push_back({call.id, "r"});
    return made;
  }
  Result<std::vector<engine::EndedCall>> ended(const std::vector<std::string>&) override {
    return std::vector<engine::EndedCall>();
  }
  bool remembers() const override { return true; }

 private:
  const OrderedJson list_;
};

class OfASession final : public tools::model::ToolContext {
 public:
  const std::string& session_id() const override { return local.session; }
  const std::string& user_id() const override { return local.user; }
  const std::string& call_id() const override { return local.call; }
  unsigned attempt() const override { return tries; }
  const tools::model::Limits& limits() const override { return local.call_limits; }
  const std::string& idempotency_key() const override { return local.call; }
  std::stop_token cancellation() const override { return local.cancellation(); }
  bool runs_again() const override { return again; }
  const tools::model::OnBehalf* on_behalf() const override { return &on_behalf_; }
  std::optional<std::string> secret(std::string_view) const override { return std::nullopt; }
  void log(tools::model::LogLevel, std::string) override {}

  tools::model::LocalContext local;
  unsigned tries = 1;
  bool again = false;

 private:
  const tools::model::OnBehalf on_behalf_{"token", "default", "key"};
};

class TurnTool : public testing::Test {
 protected:
  tools::model::Execution run(const Json& arguments) {
    const auto tool =
        make_turn_tool({.store = store_,
                        .clock = clock_,
                        .telemetry = {*metrics_, tracer_},
                        .usual = {},
                        .make_provider = [this]() -> Result<TurnParts::ProviderOrNone> {
                          if (!configured_)
                            return TurnParts::ProviderOrNone(providers::NotConfigured{.why = "no"});
                          return TurnParts::ProviderOrNone(std::shared_ptr(
                              providers::make_scripted_provider(providers::read_script(
                                  "turns:\n"
                                  "  - {when: hello, replies: [{text: Hello.}]}\n"
                                  "  - {when: story, replies: [{text: Once upon, word_ms: 1}]}\n"
                                  "  - {when: calls, replies: [{text: Look., calls: [{tool: t}]}, "
                                  "{text: Done.}]}\n"
                                  "  - {when: long, replies: [{text: Half a, finish: length}]}\n",
                                  "test"))));
                        },
                        .make_tools =
                            [this](const TurnParts::ToolsAsked&) {
                              return std::make_shared<ListedTools>(tools_);
                            }});
    tools::model::ProgressTo told([this](const tools::model::ProgressReport& report) {
      if (on_report) on_report(report);
    });
    return tool->execute(arguments, context_, told);
  }

  std::function<void(const tools::model::ProgressReport&)> on_report;
  const toolway::test::StoppedClock clock_;
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_registry("chat");
  KeepsSpans tracer_;
  OneConversation store_;
  OfASession context_;
  OrderedJson tools_ = OrderedJson::array({{{"function", {{"name", "time__now"}}}}});
  bool configured_ = true;
};

using Left = std::vector<std::string>;

TEST_F(TurnTool, ATurnThatHasRepliedReleasesItsConversation) {
  const auto ended = run({{"step", "send"}, {"content", "hello"}});
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ((*ended)["reply"], "Hello.");
  EXPECT_EQ(store_.rows.size(), 2U);
  EXPECT_EQ(store_.begun, (std::vector<std::string>{"token", ""})) << "with its own message";
  EXPECT_EQ(store_.left, Left{"released"});
}

TEST_F(TurnTool, AReplyThatWasCutOffIsTheModelsTextAndANoticeSaysWhy) {
  const auto cut = run({{"step", "send"}, {"content", "long"}});
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ((*cut)["reply"], "Half a");
  EXPECT_EQ((*cut)["finish"], "cut_off");
  EXPECT_NE((*cut)["notice"].get<std::string>().find("max_tokens"), std::string::npos);
  context_.local.call = "a later turn";
  EXPECT_FALSE(run({{"step", "send"}, {"content", "hello"}})->contains("notice"));
}

TEST_F(TurnTool, AfterAnyOtherEndItKeepsItsPlace) {
  EXPECT_FALSE(run({{"step", "send"}, {"content", "what the script does not know"}}));
  configured_ = false;
  EXPECT_FALSE(run({{"step", "send"}, {"content", "hello"}}));
  EXPECT_TRUE(run({{"step", "new"}})) << "another attempt would begin another one";
  EXPECT_EQ(store_.left, (Left{"left", "left", "left"}));
}

/// Postgres had stored the reply, and the answer that it had was lost; then a new conversation
/// began.
TEST_F(TurnTool, AnAttemptEndsWithTheReplyInTheConversationThatWasLeft) {
  const auto first = run({{"step", "send"}, {"content", "hello"}});
  ASSERT_TRUE(first) << first.error().message;
  context_.tries = 2;
  store_.earlier = persistence::conversations::Opened{"before", 2};
  const auto ended = run({{"step", "send"}, {"content", "hello"}});
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ((*ended)["conversation"], "before");
  EXPECT_EQ((*ended)["reply"], "Hello.");
  EXPECT_EQ(store_.rows.size(), 2U) << "nothing is stored again";
  EXPECT_EQ((*ended)["iterations"], 1U) << "those of both attempts";
  EXPECT_EQ((*ended)["usage"], (*first)["usage"]);
}

/// Its process was killed between storing messages and telling them.
TEST_F(TurnTool, AnAttemptTellsAgainWhatIsStored) {
  Json told = Json::array();
  on_report = [&told](const auto& report) {
    for (const auto& part : report.data)
      if (part["type"] != "usage") told.push_back(part);
  };
  const auto ended = run({{"step", "send"}, {"content", "calls"}});
  ASSERT_TRUE(ended) << ended.error().message;
  std::erase_if(told.get_ref<Json::array_t&>(),
                [](const Json& part) { return part["type"] == "status"; });
  ASSERT_EQ(told.size(), 4U) << told;
  const auto all = std::exchange(told, Json::array());
  context_.tries = 2;
  ASSERT_TRUE(run({{"step", "send"}, {"content", "calls"}}));
  EXPECT_EQ(told, all) << "and no lines for people";
  for (const auto stored : {3, 2}) {
    store_.rows.resize(stored);
    told = Json::array();
    ASSERT_TRUE(run({{"step", "send"}, {"content", "calls"}}));
    EXPECT_EQ(told.front(), all.front());
    EXPECT_EQ(told.back(), all.back());
  }
  context_.local.call = "a later turn";
  context_.tries = 1;
  told = Json::array();
  ASSERT_TRUE(run({{"step", "send"}, {"content", "hello"}}));
  EXPECT_EQ(told, Json::array({{{"type", "text"}, {"text", "Hello."}}})) << "its own alone";
}

TEST_F(TurnTool, AnAttemptDoesNotBeginAgainInANewConversation) {
  ASSERT_TRUE(run({{"step", "send"}, {"content", "hello"}}));
  store_.rows.pop_back();
  context_.tries = 2;
  store_.earlier = persistence::conversations::Opened{"before", 1};
  const auto ended = run({{"step", "send"}, {"content", "hello"}});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, "conversation_changed");
  EXPECT_EQ(store_.rows.size(), 1U);
}

TEST_F(TurnTool, OptionsAreThoseOfTheConversation) {
  EXPECT_TRUE(run({{"step", "new"}, {"options", {{"system_prompt", "Sing."}}}}));
  EXPECT_EQ(store_.options, R"({"system_prompt":"Sing."})");
  EXPECT_TRUE(run({{"step", "send"}, {"content", "hello"}, {"options", {{"max_tokens", 7}}}}));
  EXPECT_EQ(store_.options, R"({"max_tokens":7,"system_prompt":"Sing."})");
  EXPECT_FALSE(store_.wakes) << "only where that is asked for";
  context_.local.call = "a later turn";
  EXPECT_TRUE(
      run({{"step", "send"}, {"content", "hello"}, {"options", {{"on_completion", "turn"}}}}));
  EXPECT_TRUE(store_.wakes);
  context_.local.call = "the last turn";
  EXPECT_TRUE(run({{"step", "send"}, {"content", "hello"}}));
  EXPECT_TRUE(store_.wakes);
  EXPECT_EQ(store_.options, R"({"max_tokens":7,"on_completion":"turn","system_prompt":"Sing."})");
}

TEST_F(TurnTool, AToolChoiceThatTheSessionDoesNotHaveIsNotKept) {
  const Json wrong{{"tool_choice", "time__nwo"}};
  for (const std::string step : {"send", "new"}) {
    const auto ended = run({{"step", step}, {"content", "hello"}, {"options", wrong}});
    ASSERT_FALSE(ended) << step;
    EXPECT_EQ(ended.error().code, "invalid_arguments");
    EXPECT_EQ(ended.error().message,
              "/options/tool_choice: the session has no tool 'time__nwo'; did you mean "
              "'time__now'?");
  }
  EXPECT_EQ(store_.rows.size(), 0U);
  EXPECT_EQ(store_.options, "");
  EXPECT_TRUE(
      run({{"step", "send"}, {"content", "hello"}, {"options", {{"tool_choice", "time__now"}}}}));
  tools_ = OrderedJson::array();
  context_.local.call = "a later turn";
  EXPECT_TRUE(run({{"step", "send"}, {"content", "hello"}})) << "one that is gone has no effect";
  EXPECT_EQ(store_.options, R"({"tool_choice":"time__now"})");
}

TEST_F(TurnTool, TurnsWithoutTheUserAreCountedEvenIfTheyFail) {
  configured_ = false;
  for (int turns = 1; turns <= 5; ++turns) {
    EXPECT_EQ(run({{"step", "continue"}}).error().code, "not_configured");
    EXPECT_EQ(store_.auto_turns, turns);
  }
  EXPECT_TRUE(run({{"step", "continue"}})) << "one too many does nothing";
}

/// The next two messages of conversation `c`, if it has `after`.
Json rest_of_an_import(std::uint64_t after, const std::string& conversation = "c") {
  return {{"step", "import"},
          {"conversation", conversation},
          {"after", after},
          {"messages",
           Json::array({{{"role", "user"}, {"text", "more"}},
                        {{"role", "assistant"}, {"parts", Json::array({{{"text", "Yes."}}})}}})}};
}

TEST_F(TurnTool, AnImportIsContinuedWhereItEnds) {
  ASSERT_TRUE(run({{"step", "send"}, {"content", "hello"}}));
  context_.local.call = "import";
  const auto ended = run(rest_of_an_import(2));
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ((*ended)["conversation"], "c");
  EXPECT_EQ((*ended)["messages"], 4);
  ASSERT_EQ(store_.rows.size(), 4U);
  EXPECT_EQ(store_.rows[2].number, 3U);
}

TEST_F(TurnTool, AnImportIsNotContinuedElsewhere) {
  ASSERT_TRUE(run({{"step", "send"}, {"content", "hello"}}));
  context_.local.call = "import";
  for (const auto& wrong : {rest_of_an_import(1), rest_of_an_import(3), rest_of_an_import(2, "d")})
    EXPECT_EQ(run(wrong).error().code, "conversation_changed") << wrong;
  store_.rows.back().body =
      R"({"role":"assistant","parts":[{"call":{"id":"1","tool":"t","arguments":"{}"}}]})";
  EXPECT_EQ(run(rest_of_an_import(2)).error().code, "conversation_changed");
  EXPECT_EQ(store_.rows.size(), 2U);
}

TEST_F(TurnTool, AnotherAttemptStoresTheRestOfAnImport) {
  ASSERT_TRUE(run({{"step", "send"}, {"content", "hello"}}));
  context_.local.call = "import";
  ASSERT_TRUE(run(rest_of_an_import(2)));
  context_.tries = 2;
  for (const std::size_t stored : {0, 1, 2}) {
    store_.rows.resize(2 + stored);
    const auto ended = run(rest_of_an_import(2));
    ASSERT_TRUE(ended) << stored << ": " << ended.error().message;
    EXPECT_EQ((*ended)["messages"], 4) << stored;
    ASSERT_EQ(store_.rows.size(), 4U) << stored;
    EXPECT_EQ(store_.rows[3].number, 4U) << stored;
  }
  store_.rows.back().turn = "another";
  EXPECT_EQ(run(rest_of_an_import(2)).error().code, "conversation_changed");
}

TEST_F(TurnTool, OneThatIsStoppedBeforeItBeginsAsksNoModel) {
  context_.local.stop.request_stop();
  EXPECT_EQ(run({{"step", "send"}, {"content", "hello"}}).error().code, "cancelled");
}

TEST_F(TurnTool, OneThatIsStoppedKeepsWhatTheModelHadSaid) {
  on_report = [this](const auto&) { context_.local.stop.request_stop(); };
  EXPECT_EQ(run({{"step", "send"}, {"content", "a story"}}).error().code, "cancelled");
  ASSERT_EQ(store_.rows.size(), 2U);
  EXPECT_EQ(parse_json(store_.rows[1].body)->at("finish"), "stopped");
  EXPECT_EQ(parse_json(store_.rows[1].body)->at("parts"), Json::array({{{"text", "Once"}}}));
  EXPECT_EQ(store_.left, Left{"released"}) << "no attempt writes any more";
  // Its process ended before it could say so: a later message had stopped it.
  on_report = {};
  context_.local.stop = {};
  context_.tries = 2;
  EXPECT_EQ(run({{"step", "send"}, {"content", "a story"}}).error().code, "interrupted");
  EXPECT_EQ(store_.rows.size(), 2U);
}

TEST_F(TurnTool, OneThatAnotherProcessContinuesKeepsNothingOfAReplyThatIsNotWhole) {
  on_report = [this](const auto&) {
    context_.again = true;
    context_.local.stop.request_stop();
  };
  EXPECT_FALSE(run({{"step", "send"}, {"content", "a story"}}));
  EXPECT_EQ(store_.rows.size(), 1U);
  EXPECT_EQ(store_.left, Left{"left"});
}

TEST_F(TurnTool, OneThatCannotBeginHasNoPlace) {
  EXPECT_FALSE(run({{"step", "send"}, {"content", "hello"}, {"options", {{"nonsense", 1}}}}));
  EXPECT_EQ(store_.left, Left{"released"});
}

TEST_F(TurnTool, OneThatIsStoppedWhileItWaitsKeepsItsPlace) {
  store_.taken = persistence::conversations::Taken::kBusy;
  context_.local.stop.request_stop();
  EXPECT_EQ(run({{"step", "send"}, {"content", "hello"}}).error().code, "cancelled");
  EXPECT_EQ(store_.left, Left{}) << "its process may end, and not its call";
}

TEST_F(TurnTool, OneThatDoesNotWaitGivesTheTurnBeforeItAMomentToEnd) {
  store_.taken = persistence::conversations::Taken::kBusy;
  const auto refused = run({{"step", "send"}, {"content", "hello"}, {"on_busy", "refuse"}});
  EXPECT_EQ(refused.error().code, "conversation_busy");
  EXPECT_EQ(store_.asked, 5);
  EXPECT_EQ(store_.left, Left{"released"});
}

}  // namespace
}  // namespace toolway::chat::turns
