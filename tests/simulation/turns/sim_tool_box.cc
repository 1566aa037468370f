#include "tests/simulation/turns/sim_tool_box.h"

#include <algorithm>

#include "chat/engine/keyed_calls.h"
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

constexpr milliseconds kUsualInline{20'000};

bool let_pass(milliseconds time, const std::stop_token& stop) {
  FiberExecutor::sleep(time, stop);
  return !stop.stop_requested();
}

/// Whose calls.
struct OfTurn {
  TurnSurroundings& turns;
  std::shared_ptr<Process> process;
  std::string session_key;
  std::string turn;
};

/// The calls of one message, as a gateway answers for them.
class SimCalls final : public chat::engine::KeyedCalls {
 public:
  SimCalls(const OfTurn& of, const std::vector<Call>& calls, const std::string& key)
      : of_(of), calls_(calls), key_(key) {}

  tl::expected<Results, chat::engine::NoAnswer> ask(const Ask& ask,
                                                    const std::stop_token& stop) override {
    const auto start = ask.start == Start::kYes ? MayStart::kYes : MayStart::kNo;
    const auto answers = submit(start, ask.margin, stop);
    if (!answers || std::ranges::any_of(*answers, failed))
      return tl::unexpected(
          chat::engine::NoAnswer{{ErrorCode::kBusUnavailable, "no gateway has answered"}, true});
    wait(*answers, ask.wait, stop);
    return results_of(*answers);
  }

  void cancel(const std::string& call) override {
    GatewayLife* const gateway = gateway_of_turns(of_.turns);
    if (gateway == nullptr) return;
    gateway->process().after(of_.turns.around.weather.latency(),
                             [gateway, &tables = of_.turns.tables,
                              request = of_.turns.checker.calls().at(call).request] {
                               gateway->cancel(request, tables);
                             });
  }

 private:
  using Answers = std::vector<KeyAnswer>;

  static bool failed(const KeyAnswer& one) { return one.what == KeyAnswer::What::kFailed; }

  /// One request to a gateway, with all calls of the message.
  std::optional<Answers> submit(MayStart start, Micros patience, const std::stop_token& stop) {
    Weather& weather = of_.turns.around.weather;
    GatewayLife* const gateway = gateway_of_turns(of_.turns);
    if (gateway == nullptr || stop.stop_requested()) return std::nullopt;
    const auto begin = [&](const std::function<void(Answers)>& answer) {
      struct ToolCalls {
        Answers answers;
        std::size_t missing;
      };
      auto request = std::make_shared<ToolCalls>(ToolCalls{Answers(calls_.size()), calls_.size()});
      for (std::size_t i = 0; i < calls_.size(); ++i) {
        // The turn may not wait for it any more.
        auto told = [&weather, request, i, answer, process = of_.process](KeyAnswer one) {
          request->answers[i] = std::move(one);
          if (--request->missing > 0) return;
          process->after(weather.latency(), [answer, request] { answer(request->answers); });
        };
        gateway->process().after(
            weather.latency(),
            [gateway, call = request_of(calls_[i]), its_key = gateway::calls::call_key(key_, i),
             told, start] { gateway->submit(call, its_key, told, start); });
      }
    };
    return awaited<Answers>(patience, begin, stop);
  }

  v1::CallRequest request_of(const Call& call) const {
    const auto& traits = traits_of(call.tool);
    v1::CallRequest request;
    request.set_call_id(fmt::format("0192a000-0000-7000-8001-{:012x}", ++of_.turns.calls_made));
    request.set_parent_call_id(of_.turn);
    request.set_session_key(of_.session_key);
    request.set_tenant_id("default");
    request.set_user_id("user");
    request.set_session_id(of_.session_key);
    request.set_pool("native");
    request.mutable_labels()->set_namespace_("sim");
    request.mutable_labels()->set_tool(call.tool);
    request.mutable_labels()->set_multi_step(traits.multi_step);
    request.mutable_labels()->set_tool_call_id(call.id);
    request.mutable_limits()->set_run_ms(static_cast<std::uint32_t>(traits.run_limit.count()));
    request.set_arguments(call.arguments);
    if (traits.requires_approval) {
      const Micros lives = of_.turns.around.world.random().between(seconds(2), seconds(60));
      request.mutable_hold()->set_quorum(1);
      request.mutable_hold()->set_expires_at_us(lives.count());
    }
    return request;
  }

  /// Until all have ended, or the wait for them has.
  void wait(const Answers& answers, Micros left, const std::stop_token& stop) const {
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
    return completion_of(of_.turns, one.call.call_id()).has_value();
  }

  Results results_of(const Answers& answers) const {
    Results results;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (answers[i].what == KeyAnswer::What::kNeverStarted) {
        results.push_back(tools::messages::interrupted_result(
            calls_[i].id, tools::messages::Interruption::kNeverStarted));
        continue;
      }
      const auto& id = answers[i].call.call_id();
      const auto completion = completion_of(of_.turns, id);
      results.push_back(
          {.call_id = calls_[i].id,
           .text = completion ? completion->completed().result() : "it is running",
           .is_error = completion && completion->completed().outcome() != v1::OUTCOME_SUCCEEDED,
           .ran_as = id,
           .detached = !completion});
    }
    return results;
  }

  const OfTurn& of_;
  const std::vector<Call>& calls_;
  const std::string& key_;
};

class SimToolBox final : public chat::engine::ToolBox {
 public:
  explicit SimToolBox(OfTurn of) : of_(std::move(of)) {}

  Result<window::ToolListPtr> definitions(tools::exports::ModelApi api,
                                          std::stop_token /*stop*/) override {
    return window::tool_list(OrderedJson::array(), api);
  }
  std::string shown_name(const std::string& api_name) override { return "sim." + api_name; }
  bool remembers() const override { return true; }
  void set_leave(std::stop_token leave) override { leave_ = std::move(leave); }
  void set_inline_wait(std::optional<milliseconds> wait) override {
    inline_ = wait.value_or(kUsualInline);
  }

  Result<std::vector<CallResult>> run(const std::vector<Call>& calls, const std::string& key,
                                      std::stop_token stop) override {
    SimCalls asked(of_, calls, key);
    return chat::engine::run_calls(asked, inline_, let_pass, {.stop = stop, .leave = leave_});
  }

  Result<std::vector<CallResult>> settle(const std::vector<Call>& calls, const std::string& key,
                                         std::stop_token stop) override {
    SimCalls asked(of_, calls, key);
    return chat::engine::settle_calls(asked, inline_, let_pass, stop);
  }

  Result<std::vector<EndedCall>> ended(const std::vector<std::string>& running) override {
    Weather& weather = of_.turns.around.weather;
    FiberExecutor::sleep(weather.latency(), {});
    if (weather.strikes(Fault::kLostAnswer, 30) || gateway_of_turns(of_.turns) == nullptr)
      return fail(ErrorCode::kBusUnavailable, "no gateway");
    std::vector<EndedCall> found;
    for (const auto& id : running) {
      const auto completion = completion_of(of_.turns, id);
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
  const OfTurn of_;
  milliseconds inline_ = kUsualInline;
  std::stop_token leave_;
};

}  // namespace

std::shared_ptr<chat::engine::ToolBox> make_sim_tool_box(TurnSurroundings& turns,
                                                         std::shared_ptr<Process> process,
                                                         const std::string& session_key,
                                                         const std::string& turn) {
  return std::make_shared<SimToolBox>(OfTurn{turns, std::move(process), session_key, turn});
}

}  // namespace toolway::simulation::turns
