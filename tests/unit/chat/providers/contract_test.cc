// What every provider does: the scripted one alone, and served over HTTP as each of the APIs.
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "tests/unit/chat/messages.h"
#include "tests/unit/chat/providers/served.h"

namespace toolway::chat::providers {
namespace {

using test::ask;
using test::user_says;
using tools::messages::Finish;

constexpr std::string_view kScript = R"(
turns:
  - when: hello
    replies: [{text: 'Hello, world. How are you?', word_ms: 1}]
  - when: tools
    replies:
      - text: Let me see.
        calls:
          - {tool: files.list, arguments: {path: ".", deep: {"n": [1, "é"]}}, id: c1}
          - {tool: time.now, id: c2}
          - {tool: odd, arguments: '{"path": ', id: c3}
      - text: 'I read {{result/names/*}} of {{result/total}}, {{result/nothing}}.'
  - when: cut
    replies: [{text: Half a, finish: length}]
  - when: refuse
    replies: [{text: 'I will not.', finish: refusal}]
  - when: slow
    replies: [{text: late, delay_ms: 60000}]
)";

/// Nothing: the scripted provider alone.
class ProviderContract : public testing::TestWithParam<std::optional<test::ModelApi>> {
 protected:
  std::shared_ptr<Provider> script_ = make_scripted_provider(test::script_of(kScript));
  test::ScriptedServer server_{test::serving(script_)};
  std::shared_ptr<Provider> provider_ =
      GetParam() ? std::shared_ptr<Provider>(test::provider_at(server_, *GetParam())) : script_;
};

INSTANTIATE_TEST_SUITE_P(All, ProviderContract,
                         testing::Values(std::nullopt, test::ModelApi::kOpenAi,
                                         test::ModelApi::kOpenAiResponses,
                                         test::ModelApi::kAnthropic));

TEST_P(ProviderContract, StreamsAText) {
  const auto history = user_says("hello");
  const auto [asked, text, retried] = ask(*provider_, history);
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(text, "Hello, world. How are you?");
  EXPECT_EQ(tools::messages::text_of(*asked), text);
  EXPECT_EQ(asked->finish, Finish::kStop);
  EXPECT_EQ(asked->model, "scripted");
  ASSERT_TRUE(asked->usage);
  EXPECT_GT(asked->usage->input, 0u);
  EXPECT_GT(asked->usage->output, 0u);
}

TEST_P(ProviderContract, KeepsCallsAsTheModelWroteThem) {
  auto history = user_says("use tools");
  auto [asked, text, retried] = ask(*provider_, history);
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(text, "Let me see.");
  EXPECT_EQ(asked->finish, Finish::kCalls);
  const auto calls = tools::messages::calls_of(*asked);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].id, "c1");
  EXPECT_EQ(calls[0].tool, "files__list");
  EXPECT_EQ(calls[0].arguments, R"({"path":".","deep":{"n":[1,"é"]}})");
  EXPECT_EQ(calls[1].arguments, "{}");
  EXPECT_EQ(calls[2].arguments, R"({"path": )");

  ASSERT_TRUE(history.append(*asked));
  ASSERT_TRUE(history.append(test::results({{"c1", R"({"names": ["a", "b"], "total": 2})"},
                                            {"c2", "now"},
                                            {.call_id = "c3", .text = "x"}})));
  const auto next = ask(*provider_, history);
  ASSERT_TRUE(next.asked) << next.asked.error().message;
  EXPECT_EQ(next.text, "I read a, b of 2, ?.");
}

TEST_P(ProviderContract, SaysWhyItEnded) {
  EXPECT_EQ(ask(*provider_, user_says("cut")).asked->finish, Finish::kLength);
  const auto refused = ask(*provider_, user_says("refuse"));
  EXPECT_EQ(refused.asked->finish, Finish::kRefusal);
  EXPECT_EQ(tools::messages::text_of(*refused.asked), "I will not.");
}

TEST_P(ProviderContract, StopsWhenItIsTold) {
  std::stop_source stop;
  const std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  if (!GetParam()) {
    const auto [asked, text, retried] = ask(*provider_, user_says("slow"), {}, stop.get_token());
    ASSERT_FALSE(asked);
    EXPECT_EQ(asked.error().kind, ProviderError::Kind::kStopped);
    return;
  }
  // A server that does not answer at all.
  test::ScriptedServer silent([](test::ScriptedConnection& connection, const std::string&) {
    connection.wait_for_close();
    return false;
  });
  auto provider = test::provider_at(silent, *GetParam());
  const auto [asked, text, retried] = ask(*provider, user_says("slow"), {}, stop.get_token());
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().kind, ProviderError::Kind::kStopped);
}

TEST_P(ProviderContract, RefusesWhatItCannotAnswer) {
  const auto [asked, text, retried] = ask(*provider_, user_says("something else"));
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().kind, ProviderError::Kind::kRefused);
  EXPECT_NE(asked.error().message.find("no reply"), std::string::npos) << asked.error().message;
}

}  // namespace
}  // namespace toolway::chat::providers
