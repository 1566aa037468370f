#include "tests/simulation/turns/sim_model.h"

#include <array>

#include "tests/simulation/fiber_executor.h"

namespace toolway::simulation::turns {
namespace {

using chat::providers::ModelRequest;
using chat::providers::OnText;
using chat::providers::ProviderError;
using chat::providers::ReplyResult;
using std::chrono::milliseconds;
using std::chrono::seconds;
using tools::messages::Finish;
using tools::messages::Message;
using tools::messages::Part;
using tools::messages::Role;

/// What it calls. A guarded one waits for an approval that does not come.
constexpr std::array<const char*, 8> kCalled{"safe",     "once",    "safe_steps", "once_steps",
                                             "stubborn", "guarded", "safe_flaky", "slow_flaky"};

class SimModel final : public chat::providers::Provider {
 public:
  explicit SimModel(TurnSurroundings& turns) : turns_(turns) {}

  const std::string& id() const override { return id_; }
  tools::exports::ModelApi api() const override { return tools::exports::ModelApi::kOpenAi; }

  ReplyResult ask(const ModelRequest& request, const OnText& on_text,
                  std::stop_token stop) override {
    check(request);
    Random& random = turns_.around.world.random();
    const Micros usual = random.between(milliseconds(10), milliseconds(800));
    const Micros long_one = random.between(seconds(1), seconds(30));
    // Longer than a conversation is kept for a turn of which nothing is heard.
    const Micros very_long = random.between(seconds(150), seconds(220));
    const auto drawn = random.below(1000);
    const bool thinks = drawn < 15 && !turns_.around.weather.cleared();
    FiberExecutor::sleep(thinks ? very_long : drawn < 160 ? long_one : usual, stop);
    if (stop.stop_requested())
      return chat::providers::fail_with(ProviderError::Kind::kStopped, "the turn was stopped");
    if (turns_.around.weather.strikes(Fault::kLostAnswer, 20))
      return chat::providers::fail_with(ProviderError::Kind::kUnavailable, "no answer");
    Message reply{.role = Role::kAssistant, .model = "sim"};
    const auto text = fmt::format("says {}", ++turns_.said);
    on_text(text);
    reply.parts.push_back({.kind = Part::Kind::kText, .text = text});
    const auto calls = random.per_mille(550) ? 1 + random.below(3) : 0;
    // Once all is well it has nothing more to call: so everything comes to an end.
    if (!turns_.around.weather.cleared())
      for (std::uint64_t i = 0; i < calls; ++i) add_call(reply, i);
    return reply;
  }

 private:
  /// What no provider takes: a call without its result, or a result without its call.
  void check(const ModelRequest& request) const {
    std::size_t open = 0;
    for (const Message* message : request.messages) {
      const auto results = message->role == Role::kResults ? message->results.size() : 0;
      if (results != open)
        turns_.around.world.violation("a request to the model has {} results for {} calls", results,
                                      open);
      open = message->role == Role::kAssistant ? tools::messages::calls_of(*message).size() : 0;
    }
    if (open > 0) turns_.around.world.violation("a request to the model ends with calls");
  }

  void add_call(Message& reply, std::uint64_t number) {
    Random& random = turns_.around.world.random();
    const bool long_one = random.per_mille(250);
    const auto ms = long_one ? random.below(40'000) : random.below(300);
    // Models may give calls of different messages the same id.
    reply.parts.push_back(
        {.kind = Part::Kind::kCall,
         .call = {.id = fmt::format("c{}", number),
                  .tool = kCalled[random.below(kCalled.size())],
                  .arguments = fmt::format(R"({{"ms":{},"reports":{},"fails":{}}})", ms,
                                           random.below(4), random.below(2))}});
    reply.finish = Finish::kCalls;
    constexpr std::array<unsigned, 3> kWaits{0, 500, 15'000};
    reply.inline_ms = kWaits[random.below(kWaits.size())];
  }

  TurnSurroundings& turns_;
  const std::string id_ = "sim";
};

}  // namespace

std::shared_ptr<chat::providers::Provider> make_sim_model(TurnSurroundings& turns) {
  return std::make_shared<SimModel>(turns);
}

}  // namespace toolway::simulation::turns
