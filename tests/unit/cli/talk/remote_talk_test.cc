#include "cli/talk/remote_talk.h"

#include <gtest/gtest.h>

namespace toolway::cli::talk {
namespace {

TEST(RemoteTalk, ShowsTextAndStatusAndNothingElse) {
  EXPECT_EQ(shown_part({{"type", "text"}, {"text", "Hello"}}).text, "Hello");
  EXPECT_EQ(shown_part({{"type", "status"}, {"text", "Calling tool: a.b"}}).status,
            "Calling tool: a.b");
  EXPECT_TRUE(shown_part({{"type", "tool_call"}, {"tool", "a.b"}}).ends_message);
  for (const OrderedJson& other :
       {OrderedJson{{"type", "usage"}, {"input", 5}}, OrderedJson{{"text", "x"}}, OrderedJson(),
        OrderedJson("text"), OrderedJson::array()}) {
    EXPECT_EQ(shown_part(other).text, "") << other;
    EXPECT_EQ(shown_part(other).status, "") << other;
  }
}

TEST(RemoteTalk, AsksTheServerForWhatWasGiven) {
  TalkOptions options;
  EXPECT_EQ(*options_for_server(options), OrderedJson({{"on_completion", "turn"}}))
      << "usual values are the server's own";
  options.system_prompt = "Be brief.";
  options.temperature = 0.25;
  options.max_tokens = 7;
  options.max_history = 3;
  options.summarize = true;
  options.max_iterations = 2;
  options.tool_choice = "none";
  options.inline_ms = 5;
  options.given = {"--session",     "--system",        "--temperature", "--max-tokens",
                   "--max-history", "--summarize",     "--inline-ms",   "--tool-choice",
                   "message",       "--max-iterations"};
  EXPECT_EQ(*options_for_server(options), OrderedJson({{"on_completion", "turn"},
                                                       {"system_prompt", "Be brief."},
                                                       {"max_tokens", 7},
                                                       {"temperature", 0.25},
                                                       {"tool_choice", "none"},
                                                       {"max_iterations", 2},
                                                       {"max_history", 3},
                                                       {"enable_summarization", true},
                                                       {"inline_ms", 5}}));
}

TEST(RemoteTalk, RefusesWhatTheServerCannotTake) {
  const auto asked = [](const char* name, bool server) {
    TalkOptions options;
    options.given = {name};
    options.server = server;
    return options_for_server(options);
  };
  for (const auto* mine : {"--context-window", "--state"}) {
    const auto refused = asked(mine, false);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidRequest);
    EXPECT_TRUE(refused.error().message.starts_with(mine)) << refused.error().message;
  }
  for (const auto* mine : {"--script", "--ai-config"}) {
    EXPECT_TRUE(asked(mine, false)) << "it sets no model, so the server answers";
    EXPECT_FALSE(asked(mine, true));
  }
}

}  // namespace
}  // namespace toolway::cli::talk
