#include "tests/tokens/conversation.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>

#include "chat/engine/engine.h"
#include "tests/support/test_clock.h"
#include "tests/tokens/counted_provider.h"

namespace toolway::tokens {
namespace {

using chat::engine::EndedCall;
using chat::engine::Reply;
using chat::engine::ToolAwareChatEngine;
using tools::messages::Call;
using tools::messages::CallResult;

/// Tools that return what chance wants.
class RandomTools final : public chat::engine::ToolBox {
 public:
  RandomTools(const Plan& plan, Random& random)
      : plan_(plan), random_(random), definitions_(tool_definitions(plan, random)) {}

  Result<chat::window::ToolListPtr> definitions(tools::exports::ModelApi api,
                                                std::stop_token /*stop*/) override {
    return chat::window::tool_list(definitions_, api);
  }
  std::string shown_name(const std::string& name) override { return name; }
  bool remembers() const override { return false; }

  Result<std::vector<CallResult>> run(const std::vector<Call>& calls, const std::string&,
                                      std::stop_token) override {
    std::vector<CallResult> results;
    for (const Call& call : calls) {
      const bool detached = random_.per_mille(50);
      const auto ran_as = fmt::format("call-{}", ++ran_);
      results.push_back({call.id, detached ? "It is still running." : result(),
                         random_.per_mille(100), ran_as, detached});
    }
    return results;
  }

  Result<std::vector<EndedCall>> ended(const std::vector<std::string>& running) override {
    std::vector<EndedCall> ended;
    for (const auto& call : running)
      if (random_.per_mille(300)) ended.push_back({call, "filesystem.list_directory", result()});
    return ended;
  }

  unsigned turn = 0;

 private:
  std::string result() {
    const auto voice = plan_.voice(turn, random_);
    const auto bytes = plan_.size(random_);
    return random_.per_mille(500) ? to_text(json_of(voice, bytes, random_))
                                  : text_of(voice, bytes, random_);
  }

  const Plan& plan_;
  Random& random_;
  const OrderedJson definitions_;
  unsigned ran_ = 0;
};

}  // namespace

Ends play(const Plan& plan) {
  Random random(plan.seed ^ 0x70BE);
  const std::shared_ptr<chat::engine::Memory> memory = chat::engine::make_memory("conversation");
  const auto provider = std::make_shared<CountedProvider>(plan, random);
  const auto tools = std::make_shared<RandomTools>(plan, random);
  const test::StoppedClock clock;
  const auto make = [&] {
    provider->begin_engine();
    return *ToolAwareChatEngine::create(memory, provider, tools, plan.config, clock);
  };
  auto engine = make();
  Ends ends;
  for (unsigned turn = 0; turn < plan.turns; ++turn) {
    if (turn != 0 && turn == plan.new_engine) engine = make();
    provider->begin_turn(turn);
    tools->turn = turn;
    const auto reply = engine->send(text_of(plan.voice(turn, random), plan.size(random), random));
    ++ends.turns;
    if (reply.how != Reply::How::kFailed) continue;
    if (reply.error != "too_long") {
      std::cerr << fmt::format("history {}: {} {}\n", plan.seed, reply.error, reply.text);
      std::exit(1);
    }
    ++ends.too_long;
  }
  return ends;
}

}  // namespace toolway::tokens
