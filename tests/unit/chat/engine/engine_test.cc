#include "chat/engine/engine.h"

#include <gtest/gtest.h>

#include <thread>

#include "chat/engine/registry_tools.h"
#include "chat/providers/scripted_provider.h"
#include "tests/support/sample_tools.h"
#include "tests/unit/chat/engine/engine_parts.h"
#include "tests/unit/chat/messages.h"
#include "tests/unit/chat/providers/served.h"

namespace toolway::chat::engine {
namespace {

using How = Reply::How;
using providers::ModelRequest;
using providers::ProviderError;
using providers::ReplyResult;
using tools::messages::Role;

TEST(Engine, RunsATurnWithTheScriptAndTheBareRegistry) {
  const SystemClock clock;
  const auto script = test::script_of(R"(
turns:
  - replies:
      - text: Let me count.
        calls: [{tool: sample.counts, id: one}, {tool: sample.nothing}]
      - text: 'It ran {{result/runs}} time.'
)");
  auto engine = *ToolAwareChatEngine::create(
      make_memory(), providers::make_scripted_provider(script),
      make_registry_tools(tools::samples::sample_registry()), {}, clock);
  std::string text;
  std::vector<std::string> called;
  const auto reply = engine->send(
      "count", {.on_text = [&](auto piece) { text += piece; },
                .on_call = [&](const auto&, const auto& name) { called.push_back(name); }});
  EXPECT_TRUE(reply.ok()) << reply.text;
  EXPECT_EQ(reply.text, "It ran 1 time.");
  EXPECT_EQ(text, "Let me count.It ran 1 time.");
  EXPECT_EQ(called, (std::vector<std::string>{"sample.counts", "sample__nothing"}));
  EXPECT_EQ(reply.iterations, 2u);
  EXPECT_GT(reply.usage.output, 0u);
  const auto& messages = engine->memory().history().messages();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_TRUE(messages[2].results[1].text.starts_with("tool_error: "));
  EXPECT_TRUE(messages[2].results[1].is_error);
}

TEST(Engine, KeysOfCallsAreConversationAndMessage) {
  Parts parts(calls_once);
  EXPECT_EQ(parts.engine->send("go").text, "ran {}");
  const auto second = parts.engine->send("go");
  EXPECT_EQ(second.text, "ran {}");
  EXPECT_EQ(second.cut, 0U) << "all of it is sent";
  const auto id = parts.memory->conversation();
  EXPECT_EQ(parts.tools->keys, (std::vector<std::string>{id + ".1", id + ".5"}));
  EXPECT_EQ(parts.roles(), "uarauara");
}

TEST(Engine, StoresTheCallsBeforeTheyRun) {
  Parts parts(calls_once);
  parts.tools->error = Error{ErrorCode::kBusUnavailable, "away"};
  const auto reply = parts.engine->send("go");
  EXPECT_EQ(reply.how, How::kFailed);
  EXPECT_EQ(reply.error, "bus_unavailable");
  EXPECT_EQ(parts.roles(), "ua");
  EXPECT_TRUE(parts.engine->interrupted());
  // Still away: nothing is made up.
  EXPECT_EQ(parts.engine->send("more").error, "bus_unavailable");
  EXPECT_EQ(parts.roles(), "ua");
  parts.tools->error.reset();
  EXPECT_TRUE(parts.engine->resume().ok());
  EXPECT_EQ(parts.roles(), "uara");
  EXPECT_EQ(parts.tools->keys, std::vector<std::string>(2, parts.tools->keys[0]))
      << "so that nothing runs twice";
  EXPECT_EQ(parts.tools->settled, std::vector<std::string>(1, parts.tools->keys[0]));
  EXPECT_FALSE(parts.engine->interrupted());
}

TEST(Engine, OnlyTheTurnThatMadeThemStartsCalls) {
  Parts parts(calls_once);
  parts.tools->error = Error{ErrorCode::kBusUnavailable, "away"};
  EXPECT_EQ(parts.engine->send("go").how, How::kFailed);
  parts.tools->error.reset();
  parts.tools->keys.clear();
  EXPECT_TRUE(parts.engine->send("No, do nothing.").ok());
  EXPECT_EQ(parts.roles(), "uaruara");
  for (const auto& result : parts.memory->history().messages()[2].results)
    EXPECT_NE(result.text.find("never started"), std::string::npos) << result.text;
  EXPECT_EQ(parts.tools->settled.size(), 1U);
  EXPECT_EQ(parts.tools->keys.size(), 1U) << "those of the new turn";
}

TEST(Engine, AStopThatCameBeforeTheTurnEndsIt) {
  Parts parts(calls_once);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(parts.engine->send("go", {}, {.end = stop.get_token()}).how, How::kStopped);
  EXPECT_TRUE(parts.provider->sent.empty());
  EXPECT_TRUE(parts.tools->keys.empty());
}

TEST(Engine, WhatNoGatewayRemembersIsUnknown) {
  Parts parts(calls_once);
  ASSERT_TRUE(parts.memory->append(test::user("go")));
  auto open = test::calls({{"a", "t", "{}"}});
  open.at_us = to_unix_us(parts.clock.wall());
  ASSERT_TRUE(parts.memory->append(open));
  parts.clock.advance(std::chrono::hours(23));
  EXPECT_TRUE(parts.engine->send("and now?").ok());
  EXPECT_EQ(parts.tools->keys.size(), 1u) << "only the new call";
  EXPECT_NE(parts.memory->history().messages()[2].results[0].text.find("is not known"),
            std::string::npos);
  EXPECT_EQ(parts.roles(), "uaruara");
}

TEST(Engine, StopEndsTheTurn) {
  Parts parts([](const ModelRequest&, std::stop_token stop) -> ReplyResult {
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return providers::fail_with(ProviderError::Kind::kStopped, "stopped");
  });
  parts.engine->stop();  // nothing runs: nothing happens
  const std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(parts.engine->send("me too").error, "conversation_busy");
    parts.engine->stop();
  });
  EXPECT_EQ(parts.engine->send("go").how, How::kStopped);
  EXPECT_EQ(parts.roles(), "ua") << "an empty reply marks the end";
  EXPECT_FALSE(parts.engine->interrupted());
}

/// Says a piece of its reply, and then sees the stop.
FakeProvider::Answer stopped_after(const std::function<void()>& stop) {
  return [stop](const ModelRequest&, std::stop_token token) -> ReplyResult {
    stop();
    EXPECT_TRUE(token.stop_requested());
    return providers::fail_with(ProviderError::Kind::kStopped, "stopped");
  };
}

TEST(Engine, WhatTheModelHadSaidWhenItWasStoppedStaysInTheHistory) {
  Parts* self = nullptr;
  Parts parts(stopped_after([&] { self->engine->stop(); }));
  self = &parts;
  parts.provider->says = "Once upon";
  EXPECT_EQ(parts.engine->send("Tell a story.").how, How::kStopped);
  EXPECT_EQ(parts.roles(), "ua");
  const auto& said = parts.memory->history().newest();
  EXPECT_EQ(tools::messages::text_of(said), "Once upon");
  EXPECT_EQ(said.finish, tools::messages::Finish::kStopped);
  EXPECT_FALSE(parts.engine->interrupted());
  EXPECT_EQ(parts.engine->resume().how, How::kStopped) << "it has ended";
  EXPECT_EQ(parts.engine->send("More.").how, How::kStopped);
  EXPECT_EQ(parts.provider->sent, (std::vector<std::size_t>{1, 3})) << "the model sees it";
  parts.provider->says = " \n";
  EXPECT_EQ(parts.engine->send("More.").how, How::kStopped);
  EXPECT_TRUE(parts.memory->history().newest().parts.empty()) << "nothing was said";
}

TEST(Engine, ATurnThatAnotherProcessContinuesIsLeftAsItIs) {
  std::stop_source leave;
  Parts parts(stopped_after([&] { leave.request_stop(); }));
  parts.provider->says = "Once upon";
  EXPECT_EQ(parts.engine->send("go", {}, {.leave = leave.get_token()}).how, How::kStopped);
  EXPECT_EQ(parts.roles(), "u");
  EXPECT_TRUE(parts.engine->interrupted());
}

TEST(Engine, CallsOfATurnThatAnotherProcessContinuesStayOpen) {
  std::stop_source leave;
  Parts parts([&](const ModelRequest& request, std::stop_token stop) -> ReplyResult {
    if (request.messages.size() == 1) leave.request_stop();
    return calls_once(request, stop);
  });
  EXPECT_EQ(parts.engine->send("go", {}, {.leave = leave.get_token()}).how, How::kStopped);
  EXPECT_EQ(parts.roles(), "ua");
  EXPECT_EQ(parts.engine->resume({}, {.leave = leave.get_token()}).error, "cancelled");
  EXPECT_EQ(parts.roles(), "ua") << "nor while it asks for them";
  EXPECT_TRUE(parts.engine->resume().ok());
  EXPECT_EQ(parts.roles(), "uara");
}

TEST(Engine, ACallStoppedByTheUserSaysSo) {
  Parts* self = nullptr;
  Parts parts([&](const ModelRequest&, std::stop_token) -> ReplyResult {
    self->engine->stop();
    return test::calls({{"a", "t", "{}"}});
  });
  self = &parts;
  EXPECT_EQ(parts.engine->send("go").how, How::kStopped);
  EXPECT_EQ(parts.roles(), "uara");
  EXPECT_NE(parts.memory->history().messages()[2].results[0].text.find("never started"),
            std::string::npos);
  EXPECT_TRUE(parts.tools->keys.empty());
}

TEST(Engine, EndsUnderTheNameOfWhatHappened) {
  const auto end_of = [](tools::messages::Message message) {
    Parts parts([&](const ModelRequest&, std::stop_token) -> ReplyResult { return message; });
    auto reply = parts.engine->send("go");
    EXPECT_EQ(parts.memory->history().open(), nullptr);
    EXPECT_TRUE(parts.tools->keys.empty());
    return reply.how;
  };
  auto message = test::calls({{"a", "t", "{"}});
  message.finish = tools::messages::Finish::kLength;
  EXPECT_EQ(end_of(message), How::kCutOff);
  message.finish = tools::messages::Finish::kRefusal;
  EXPECT_EQ(end_of(message), How::kRefused);
  message.finish = tools::messages::Finish::kFiltered;
  EXPECT_EQ(end_of(message), How::kFiltered);
}

TEST(Engine, MaxIterationsAndRepeats) {
  const auto loops = [](const ModelRequest& request, std::stop_token) -> ReplyResult {
    return test::calls({{"", "t", std::to_string(request.messages.size())}});
  };
  Parts parts(loops);
  auto reply = parts.engine->send("go");
  EXPECT_EQ(reply.how, How::kMaxIterations);
  EXPECT_EQ(reply.text, "Max iterations reached");
  EXPECT_EQ(reply.iterations, 10u);
  Parts repeats([](const ModelRequest&, std::stop_token) -> ReplyResult {
    return test::calls({{"a", "t", "{}"}});
  });
  repeats.tools->fails = true;
  EXPECT_EQ(repeats.engine->send("go").how, How::kRepeats);
  EXPECT_EQ(repeats.tools->keys.size(), 5u);
}

TEST(Engine, SendsLessOnceWhenItIsTooLong) {
  int refusals = 1;
  EngineConfig config;
  config.context_window = 4000;
  config.options.max_tokens = 100;
  Parts parts(
      [&](const ModelRequest& request, std::stop_token) -> ReplyResult {
        if (request.messages.size() > 2 && refusals-- > 0)
          return providers::fail_with(ProviderError::Kind::kTooLong, "too long");
        return test::says("ok");
      },
      config);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(parts.engine->send(std::string(1300, 'x')).ok());
  EXPECT_EQ(parts.provider->sent, (std::vector<std::size_t>{1, 3, 1, 5}));
  const auto reply = parts.engine->send(std::string(40'000, 'x'));
  EXPECT_EQ(reply.error, "too_long");
  EXPECT_NE(reply.text.find("Send less"), std::string::npos) << reply.text;
}

TEST(Engine, AFailureSaysWhetherAndWhenItPasses) {
  ProviderError error{ProviderError::Kind::kRateLimited, "slowly", std::chrono::seconds(90)};
  Parts parts(
      [&](const ModelRequest&, std::stop_token) -> ReplyResult { return tl::unexpected(error); });
  auto reply = parts.engine->send("go");
  EXPECT_TRUE(reply.passes);
  EXPECT_EQ(reply.retry_after, std::chrono::seconds(90));
  error = {ProviderError::Kind::kRefused, "no"};
  reply = parts.engine->send("go");
  EXPECT_FALSE(reply.passes);
  EXPECT_FALSE(reply.retry_after);
}

TEST(Engine, AsksForNothingAgainOnceTextWasShown) {
  Parts parts([](const ModelRequest&, std::stop_token) -> ReplyResult {
    return providers::fail_with(ProviderError::Kind::kTooLong, "too long");
  });
  EXPECT_EQ(parts.engine->send("go").error, "too_long");
  EXPECT_EQ(parts.provider->sent.size(), 2U);
  parts.provider->says = "Half a";
  EXPECT_EQ(parts.engine->send("go").error, "too_long");
  EXPECT_EQ(parts.provider->sent.size(), 3U);
}

TEST(Engine, CountsThePromptToGoOn) {
  EngineConfig config;
  config.context_window = 1000;
  config.options.max_tokens = 100;
  Parts without(calls_once, config);
  const auto calls_until_it_continues = [&](const ModelRequest& request, std::stop_token stop) {
    const bool continues = request.messages.back()->text == config.continuation_prompt;
    return continues ? ReplyResult(test::says("ok")) : calls_once(request, stop);
  };
  config.continuation_prompt = std::string(500, 'y');
  Parts with(calls_until_it_continues, config);
  for (auto* parts : {&without, &with})
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(parts->engine->send(std::string(250, 'x')).ok());
  EXPECT_EQ(without.provider->sent, (std::vector<std::size_t>{1, 3, 5, 7}));
  // With it, the first round has no room next to the second one's results.
  EXPECT_EQ(with.provider->sent, (std::vector<std::size_t>{1, 4, 5, 4}));
}

TEST(Engine, AToolThatIsRequiredIsRequiredOnce) {
  EngineConfig config;
  config.options.tool_choice = "required";
  Parts parts(calls_once, config);
  EXPECT_TRUE(parts.engine->send("go").ok());
  ASSERT_EQ(parts.provider->options.size(), 2u);
  EXPECT_EQ(parts.provider->options[0].tool_choice, "required");
  EXPECT_EQ(parts.provider->options[1].tool_choice, "auto");
}

TEST(Engine, AToolThatTheModelDoesNotHaveIsNotAskedFor) {
  EngineConfig config;
  config.options.tool_choice = "tt";
  Parts parts(calls_once, config);
  const auto reply = parts.engine->send("go");
  EXPECT_EQ(reply.error, "invalid_arguments");
  EXPECT_EQ(reply.text, "tool_choice: the session has no tool 'tt'; did you mean 't'?");
  EXPECT_TRUE(parts.provider->sent.empty());
}

TEST(Engine, PromptsThatAreSentAndNotKept) {
  EngineConfig config;
  config.system_prompt = "Be brief.";
  config.continuation_prompt = "Continue with the results.";
  std::vector<std::string> seen;
  Parts parts(
      [&](const ModelRequest& request, std::stop_token) -> ReplyResult {
        seen.push_back(request.messages.front()->text + "/" + request.messages.back()->text);
        return request.messages.size() > 2 ? test::says("ok") : test::calls({{"a", "t", "{}"}});
      },
      config);
  EXPECT_TRUE(parts.engine->send("go").ok());
  EXPECT_EQ(seen,
            (std::vector<std::string>{"Be brief./go", "Be brief./Continue with the results."}));
  EXPECT_EQ(parts.roles(), "uara");
}

TEST(Engine, LargeResultsAreCut) {
  EngineConfig config;
  config.max_result_bytes = 100;
  Parts parts(calls_once, config);
  ASSERT_TRUE(parts.memory->append(test::user("go")));
  auto open = test::calls({{"a", "t", std::string(1000, 'x')}});
  open.at_us = to_unix_us(parts.clock.wall());
  ASSERT_TRUE(parts.memory->append(open));
  EXPECT_TRUE(parts.engine->resume().ok());
  const auto& text = parts.memory->history().messages()[2].results[0].text;
  EXPECT_LT(text.size(), 300u);
  EXPECT_NE(text.find("the whole result has 1004 bytes"), std::string::npos) << text;
}

TEST(Engine, RefusesLimitsThatCannotWork) {
  const SystemClock clock;
  const auto create = [&](EngineConfig config) {
    return ToolAwareChatEngine::create(make_memory(), nullptr, nullptr, std::move(config), clock)
        .has_value();
  };
  EXPECT_TRUE(create({}));
  EXPECT_FALSE(create({.limits = {.max_iterations = 0}}));
  EXPECT_FALSE(create({.context_window = 1024}));
}

TEST(CallsMessage, AnswersWhatCannotBeRun) {
  std::vector<tools::messages::Call> calls{
      {"ok", "t", "{}"},
      {"cut", "t", "{\"a\":"},
      {"list", "t", "[]"},
      {"twice", "t", "{\"a\":1,\"a\":2}"},
      {"large", "t", "{\"a\":\"" + std::string(10 << 20, 'x') + "\"}"},
      {"nameless", "", "{}"}};
  const auto made = calls_message(calls);
  ASSERT_EQ(made.message["tool_calls"].size(), 1u);
  EXPECT_EQ(made.message["tool_calls"][0]["id"], "ok");
  ASSERT_EQ(made.refused.size(), 5u);
  for (const auto& refused : made.refused) {
    EXPECT_TRUE(refused.is_error);
    EXPECT_TRUE(refused.text.starts_with("tool_error: ")) << refused.text;
    EXPECT_LT(refused.text.size(), 500u);
  }
  calls.clear();
  for (int i = 0; i < 500; ++i) calls.push_back({"c" + std::to_string(i), "t", "{}"});
  EXPECT_EQ(calls_message(calls).message["tool_calls"].size(), 100u);
  EXPECT_EQ(calls_message(calls).refused.size(), 400u);
  calls.clear();
  for (int i = 0; i < 5; ++i)
    calls.push_back(
        {"c" + std::to_string(i), "t", "{\"a\":\"" + std::string(400'000, 'x') + "\"}"});
  EXPECT_EQ(calls_message(calls).message["tool_calls"].size(), 2u)
      << "what a gateway takes at once";
}

}  // namespace
}  // namespace toolway::chat::engine
