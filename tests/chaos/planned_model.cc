#include "tests/chaos/planned_model.h"

#include <chrono>
#include <mutex>
#include <regex>

#include "base/pause.h"

namespace toolway::chaos {
namespace {

using chat::providers::ProviderError;
using tools::messages::Finish;
using tools::messages::Message;
using tools::messages::Part;
using tools::messages::Role;
using tools::messages::Selection;

/// How far a conversation is in its last plan.
struct Progress {
  std::optional<Plan> plan;
  std::size_t results = 0;  ///< that came since
};

Progress progress_of(const Selection& messages) {
  Progress progress;
  for (const auto* message : messages) {
    if (message->role == Role::kResults) progress.results += message->results.size();
    if (message->role != Role::kUser) continue;
    // What is told of other calls is on the user's side, too.
    if (auto plan = read_plan(message->text)) progress = {std::move(plan), 0};
  }
  return progress;
}

/// The last call of which a result says that it was still running, or anything else of it.
std::string last_call_named(const Selection& messages) {
  static const std::regex id("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}");
  for (auto message = messages.rbegin(); message != messages.rend(); ++message)
    for (const auto& result : (*message)->results)
      if (std::smatch found; std::regex_search(result.text, found, id)) return found.str();
  return "none";
}

Part part_of(const PlannedCall& call, const Selection& messages) {
  auto arguments = call.arguments;
  if (call.tool.starts_with("tasks__")) arguments["call_id"] = last_call_named(messages);
  return {.kind = Part::Kind::kCall,
          .call = {.id = {}, .tool = call.tool, .arguments = to_text(arguments)}};
}

class PlannedModel final : public chat::providers::Provider {
 public:
  explicit PlannedModel(std::uint64_t seed) : random_(seed) {}

  const std::string& id() const override { return id_; }
  tools::exports::ModelApi api() const override { return tools::exports::ModelApi::kOpenAi; }

  chat::providers::ReplyResult ask(const chat::providers::ModelRequest& request,
                                   const chat::providers::OnText& on_text,
                                   std::stop_token stop) override {
    const auto plan = last_plan(request.messages);
    pause(std::chrono::milliseconds(plan ? plan->think_ms : 0), stop);
    const auto dice = chance();
    if (dice < 2) return chat::providers::fail_with(ProviderError::Kind::kUnavailable, "it fails");
    if (dice < 4) return chat::providers::fail_with(ProviderError::Kind::kRateLimited, "too busy");
    auto answer = planned_answer(request.messages);
    for (const auto& part : answer.parts)
      if (part.kind == Part::Kind::kText) on_text(part.text);
    return answer;
  }

 private:
  std::uint64_t chance() {
    const std::lock_guard lock(mutex_);
    return random_.between(0, 99);
  }

  std::mutex mutex_;
  Randomness random_;
  const std::string id_ = "planned";
};

}  // namespace

std::optional<Plan> last_plan(const Selection& messages) { return progress_of(messages).plan; }

Message planned_answer(const Selection& messages) {
  auto [plan, results] = progress_of(messages);
  Message answer{.role = Role::kAssistant, .model = "planned"};
  if (plan) {
    for (const auto& round : plan->rounds) {
      if (results >= round.size()) {
        results -= round.size();
        continue;
      }
      for (const auto& call : round) answer.parts.push_back(part_of(call, messages));
      answer.finish = Finish::kCalls;
      return answer;
    }
  }
  answer.parts.push_back(
      {.kind = Part::Kind::kText, .text = reply_to(plan ? plan->token : "nothing")});
  return answer;
}

std::unique_ptr<chat::providers::Provider> make_planned_model(std::uint64_t seed) {
  return std::make_unique<PlannedModel>(seed);
}

}  // namespace toolway::chaos
