#pragma once

#include "tests/unit/chat/engine/engine_parts.h"

namespace toolway::chat::engine {

/// A conversation that hears of calls that others make in its session, and of which only the newest
/// messages are read.
class KeptMemory final : public Memory {
 public:
  const std::string& conversation() const override { return id_; }
  const tools::messages::History& history() const override { return history_; }
  Result<void> append(tools::messages::Message message) override {
    return history_.append(std::move(message));
  }
  Result<void> start_new() override { return {}; }
  Result<std::vector<std::string>> ended_elsewhere() override { return ended; }
  void heard_of(std::size_t calls) override {
    ended.erase(ended.begin(), ended.begin() + static_cast<std::ptrdiff_t>(calls));
  }
  Result<std::size_t> read_further(double share) override {
    asked_for.push_back(share);
    const auto count = std::min(older.size(), portion);
    std::vector<tools::messages::Message> part(older.end() - static_cast<std::ptrdiff_t>(count),
                                               older.end());
    older.resize(older.size() - count);
    EXPECT_TRUE(history_.prepend(std::move(part)));
    return count;
  }
  std::vector<std::string> ended;
  std::vector<tools::messages::Message> older;
  std::size_t portion = 2;
  std::vector<double> asked_for;

 private:
  std::string id_ = "c";
  tools::messages::History history_;
};

struct WithKept {
  std::shared_ptr<KeptMemory> memory = std::make_shared<KeptMemory>();
  std::shared_ptr<FakeTools> tools = std::make_shared<FakeTools>();
  std::shared_ptr<FakeProvider> provider;
  std::unique_ptr<ToolAwareChatEngine> engine;
  toolway::test::StoppedClock clock;

  explicit WithKept(
      EngineConfig config = {},
      FakeProvider::Answer answer =
          [](const auto&, auto) { return providers::ReplyResult(test::says("I see")); })
      : provider(std::make_shared<FakeProvider>(std::move(answer))) {
    engine = *ToolAwareChatEngine::create(memory, provider, tools, std::move(config), clock);
  }
  std::vector<std::string> injected() const {
    std::vector<std::string> texts;
    for (const auto& message : memory->history().messages())
      if (message.role == tools::messages::Role::kInjected) texts.push_back(message.text);
    return texts;
  }
};

}  // namespace toolway::chat::engine
