#include "tests/simulation/turns/sim_tool_box.h"

#include <algorithm>

#include "base/try.h"
#include "proto/approvals.h"
#include "tests/simulation/fiber_executor.h"
#include "tests/simulation/sim_tools.h"
#include "tests/simulation/turns/awaited.h"
#include "tools/messages/history.h"

namespace toolway::simulation::turns {
namespace {

using chat::engine::EndedCall;
using std::chrono::milliseconds;
using std::chrono::seconds;
using tools::messages::Call;
using tools::messages::CallResult;
namespace window = chat::window;

// As gateway_tools.cc has them.
constexpr seconds kAskedAgainFor{60};
constexpr seconds kAskedAgainAfter{1};
constexpr seconds kAnsweredWithin{20};
constexpr milliseconds kUsualInline{20'000};

class SimToolBox final : public chat::engine::ToolBox {
 public:
  SimToolBox(TurnSurroundings& turns, std::shared_ptr<Process> process, std::string session_key,
             std::string turn)
      : turns_(turns),
        process_(std::move(process)),
        session_key_(std::move(session_key)),
        turn_(std::move(turn)) {}

  Result<window::ToolListPtr> definitions(tools::exports::ModelApi api) override {
    return window::tool_list(OrderedJson::array(), api);
  }
  std::string shown_name(const std::string& api_name) override { return "sim." + api_name; }
  bool remembers() const override { return true; }
  void set_inline_wait(std::optional<milliseconds> wait) override {
    inline_ = wait.value_or(kUsualInline);
  }

  Result<std::vector<CallResult>> run(const std::vector<Call>& calls, const std::string& key,
                                      std::stop_token stop) override {
    auto answers = ask_again(calls, key, MayStart::kYes, stop);
    if (!stop.stop_requested() && answers) wait(*answers, stop);
    if (stop.stop_requested()) return cancel(calls, key);
    RETURN_IF_ERROR(answers);
    return results_of(calls, *answers);
  }

  Result<std::vector<CallResult>> settle(const std::vector<Call>& calls, const std::string& key,
                                         std::stop_token stop) override {
    ASSIGN_OR_RETURN(const auto answers, ask_again(calls, key, MayStart::kNo, stop));
    wait(answers, stop);
    return results_of(calls, answers);
  }

  Result<std::vector<EndedCall>> ended(const std::vector<std::string>& running) override {
    FiberExecutor::sleep(turns_.around.weather.latency(), {});
    if (turns_.around.weather.strikes(Fault::kLostAnswer, 30) ||
        gateway_of_turns(turns_) == nullptr)
      return fail(ErrorCode::kBusUnavailable, "no gateway");
    std::vector<EndedCall> found;
    for (const auto& id : running) {
      const auto completion = completion_of(turns_, id);
      if (completion)
        found.push_back({id, completion->labels().tool(), completion->completed().result(),
                         completion->completed().outcome() != v1::OUTCOME_SUCCEEDED});
    }
    return found;
  }

  Result<std::vector<EndedCall>> made_by_no_model(const std::vector<std::string>& ids) override {
    return ended(ids);
  }

 private:
  using Answers = std::vector<KeyAnswer>;

  static bool all_known(const Answers& answers) {
    return std::ranges::none_of(
        answers, [](const KeyAnswer& one) { return one.what == KeyAnswer::What::kFailed; });
  }

  Result<Answers> ask_again(const std::vector<Call>& calls, const std::string& key, MayStart start,
                            const std::stop_token& stop) {
    for (Micros waited{0};; waited += kAskedAgainAfter) {
      auto answers = ask(calls, key, start, stop);
      if (answers && all_known(*answers)) return *std::move(answers);
      if (stop.stop_requested() || waited >= kAskedAgainFor)
        return fail(ErrorCode::kBusUnavailable, "no gateway has answered");
      FiberExecutor::sleep(kAskedAgainAfter, stop);
    }
  }

  /// One request to a gateway, with all calls of the message.
  std::optional<Answers> ask(const std::vector<Call>& calls, const std::string& key, MayStart start,
                             const std::stop_token& stop) {
    GatewayLife* const gateway = gateway_of_turns(turns_);
    if (gateway == nullptr || stop.stop_requested()) return std::nullopt;
    const auto begin = [&](const std::function<void(Answers)>& answer) {
      struct ToolCalls {
        Answers answers;
        std::size_t missing;
      };
      auto request = std::make_shared<ToolCalls>(ToolCalls{Answers(calls.size()), calls.size()});
      for (std::size_t i = 0; i < calls.size(); ++i) {
        // The turn may not wait for it any more.
        auto told = [&weather = turns_.around.weather, request, i, answer,
                     process = process_](KeyAnswer one) {
          request->answers[i] = std::move(one);
          if (--request->missing > 0) return;
          process->after(weather.latency(), [answer, request] { answer(request->answers); });
        };
        gateway->process().after(
            turns_.around.weather.latency(),
            [gateway, call = request_of(calls[i]), its_key = gateway::calls::call_key(key, i), told,
             start] { gateway->submit(call, its_key, told, start); });
      }
    };
    return awaited<Answers>(kAnsweredWithin, begin, stop);
  }

  v1::CallRequest request_of(const Call& call) {
    const auto& traits = traits_of(call.tool);
    v1::CallRequest request;
    request.set_call_id(fmt::format("0192a000-0000-7000-8001-{:012x}", ++turns_.calls_made));
    request.set_parent_call_id(turn_);
    request.set_session_key(session_key_);
    request.set_tenant_id("default");
    request.set_user_id("user");
    request.set_session_id(session_key_);
    request.set_pool("native");
    request.mutable_labels()->set_namespace_("sim");
    request.mutable_labels()->set_tool(call.tool);
    request.mutable_labels()->set_multi_step(traits.multi_step);
    request.mutable_labels()->set_tool_call_id(call.id);
    request.mutable_limits()->set_run_ms(static_cast<std::uint32_t>(traits.run_limit.count()));
    request.set_arguments(call.arguments);
    if (traits.requires_approval) {
      const Micros lives = turns_.around.world.random().between(seconds(2), seconds(60));
      request.mutable_hold()->set_quorum(1);
      request.mutable_hold()->set_expires_at_us(lives.count());
    }
    return request;
  }

  /// Until all have ended, or the wait for them has.
  void wait(const Answers& answers, const std::stop_token& stop) {
    Micros left = inline_;
    Micros look = milliseconds(20);
    while (left > Micros(0) && !stop.stop_requested() &&
           !std::ranges::all_of(answers, [&](const KeyAnswer& one) { return settled(one); })) {
      FiberExecutor::sleep(std::min(left, look), stop);
      left -= look;
      look = std::min<Micros>(look * 2, milliseconds(500));
    }
  }

  bool settled(const KeyAnswer& one) const {
    if (one.what != KeyAnswer::What::kAccepted || proto::waits_for_approval(one.call)) return true;
    return completion_of(turns_, one.call.call_id()).has_value();
  }

  std::vector<CallResult> results_of(const std::vector<Call>& calls, const Answers& answers) const {
    std::vector<CallResult> results;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (answers[i].what == KeyAnswer::What::kNeverStarted) {
        results.push_back(tools::messages::interrupted_result(
            calls[i].id, tools::messages::Interruption::kNeverStarted));
        continue;
      }
      const auto& id = answers[i].call.call_id();
      const auto completion = completion_of(turns_, id);
      results.push_back(
          {.call_id = calls[i].id,
           .text = completion ? completion->completed().result() : "it is running",
           .is_error = completion && completion->completed().outcome() != v1::OUTCOME_SUCCEEDED,
           .ran_as = id,
           .detached = !completion});
    }
    return results;
  }

  /// After a stop: what has a result keeps it, the rest is cancelled, and nothing is started.
  Result<std::vector<CallResult>> cancel(const std::vector<Call>& calls, const std::string& key) {
    const auto answers = ask(calls, key, MayStart::kNo, {});
    if (!answers || !all_known(*answers))
      return fail(ErrorCode::kBusUnavailable, "no gateway has answered");
    auto results = results_of(calls, *answers);
    for (std::size_t i = 0; i < results.size(); ++i) {
      GatewayLife* const gateway = gateway_of_turns(turns_);
      if (!results[i].detached || gateway == nullptr) continue;
      gateway->process().after(turns_.around.weather.latency(),
                               [gateway, &tables = turns_.tables, call = (*answers)[i].call] {
                                 gateway->cancel(call, tables);
                               });
    }
    std::erase_if(results, &CallResult::detached);
    return results;
  }

  TurnSurroundings& turns_;
  const std::shared_ptr<Process> process_;
  const std::string session_key_;
  const std::string turn_;
  Micros inline_ = kUsualInline;
};

}  // namespace

std::shared_ptr<chat::engine::ToolBox> make_sim_tool_box(TurnSurroundings& turns,
                                                         std::shared_ptr<Process> process,
                                                         const std::string& session_key,
                                                         const std::string& turn) {
  return std::make_shared<SimToolBox>(turns, std::move(process), session_key, turn);
}

}  // namespace toolway::simulation::turns
