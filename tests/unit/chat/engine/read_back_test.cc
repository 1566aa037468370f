#include "chat/engine/read_back.h"

#include <gtest/gtest.h>

#include "tests/unit/chat/engine/kept_memory.h"

// How much of a long conversation an engine reads.
namespace toolway::chat::engine {
namespace {

using providers::ModelRequest;
using providers::ReplyResult;
using tools::messages::Role;

/// Rounds of two messages with about 600 tokens at most each.
std::vector<tools::messages::Message> rounds(int count) {
  std::vector<tools::messages::Message> messages;
  for (int i = 0; i < count; ++i) {
    messages.push_back(test::user("question " + std::to_string(i) + std::string(300, '.')));
    messages.push_back(test::says("answer " + std::to_string(i) + std::string(300, '.')));
  }
  return messages;
}

TEST(Engine, ReadsAsMuchAsItSendsAndHardlyMore) {
  EngineConfig config;
  config.context_window = 10'000;
  config.options.max_tokens = 1'000;
  WithKept parts(config);
  parts.memory->older = rounds(500);
  EXPECT_TRUE(parts.engine->send("hello").ok());
  const auto read = 1000 - parts.memory->older.size();
  const auto sent = parts.provider->sent.back();
  EXPECT_GT(sent, 20U);
  EXPECT_LE(read - (sent - 1), 2U) << "what is read beyond it is what had no room";
}

TEST(Engine, ReadsAllThatTheLastRequestHad) {
  EngineConfig config;
  config.context_window = 10'000;
  config.options.max_tokens = 1'000;
  WithKept parts(config);
  parts.memory->older = rounds(500);
  // The provider counts less than half of what they may have.
  parts.memory->older.back().usage =
      tools::messages::Usage{.input = 8'000, .output = 10, .sent = 61};
  EXPECT_TRUE(parts.engine->send("hello").ok());
  EXPECT_GE(parts.provider->sent.back(), 61U);
}

TEST(Engine, ReadsFurtherInTheSameTurnWhenMoreFitsThanWasThought) {
  EngineConfig config;
  config.context_window = 10'000;
  config.options.max_tokens = 1'000;
  int asked = 0;
  WithKept parts(config, [&](const ModelRequest&, std::stop_token) -> ReplyResult {
    if (++asked > 1) return test::says("done");
    auto message = test::calls({{"a", "t", "{}"}});
    message.usage = tools::messages::Usage{.input = 2'000, .output = 10};
    return message;
  });
  parts.memory->older = rounds(500);
  EXPECT_TRUE(parts.engine->send("hello").ok());
  ASSERT_EQ(parts.provider->sent.size(), 2U);
  EXPECT_GT(parts.provider->sent[1], parts.provider->sent[0] + 8);
}

TEST(Engine, ReadsNoMoreThanMaxHistory) {
  EngineConfig config;
  config.max_history = 6;
  WithKept parts(config);
  parts.memory->older = rounds(500);
  const auto reply = parts.engine->send("hello");
  EXPECT_TRUE(reply.ok());
  EXPECT_EQ(reply.cut, 1U);
  EXPECT_EQ(parts.provider->sent.back(), 5U) << "whole rounds";
  EXPECT_GE(parts.memory->older.size(), 992U);
}

TEST(Engine, ReadsBackToTheSummaryWhereItIsSent) {
  EngineConfig config;
  config.enable_summarization = true;
  config.max_history = 6;
  WithKept parts(config);
  parts.memory->older = rounds(10);
  parts.memory->older.insert(parts.memory->older.begin() + 4,
                             {.role = Role::kSummary, .text = "of what came before"});
  EXPECT_TRUE(parts.engine->send("hello").ok());
  ASSERT_NE(parts.memory->history().summary(), nullptr);
}

}  // namespace
}  // namespace toolway::chat::engine
