#include "tests/simulation/turns/chat_life.h"

#include <map>
#include <stdexcept>

#include "chat/turns/conversation_door.h"
#include "chat/turns/turn_tool.h"
#include "chat/turns/turn_waker.h"
#include "cli/talk/stream_turn_queue.h"
#include "cli/talk/turn_worker.h"
#include "proto/subjects.h"
#include "tests/simulation/turns/awaited.h"
#include "tests/simulation/turns/sim_model.h"
#include "tests/simulation/turns/sim_tool_box.h"
#include "tools/builtin/turn_spec.h"

namespace toolway::simulation::turns {
namespace {

using std::chrono::seconds;

/// Stream CALLS is asked for a turn's place.
constexpr seconds kLookWithin{1};

monitoring::Tracer& tracer() {
  static const auto none = monitoring::no_tracing();
  return *none;
}

/// Those that live.
std::map<const Process*, ChatLife*>& lives_of_chat() {
  static std::map<const Process*, ChatLife*> all;
  return all;
}

/// The turns of the life that runs one: schemas take long to compile, so all lives have this.
class TurnOfProcess final : public tools::model::Tool {
 public:
  const tools::model::Spec& spec() const override { return spec_; }
  tools::model::Execution execute(const Json& arguments, tools::model::ToolContext& context,
                                  tools::model::Progress& progress) const override {
    return lives_of_chat().at(&FiberExecutor::process())->run_turn(arguments, context, progress);
  }

 private:
  const tools::model::Spec spec_ = tools::builtin::turn_spec();
};

std::shared_ptr<const tools::model::Registry> turns_alone() {
  static const auto registry = [] {
    auto made = std::make_shared<tools::model::Registry>();
    if (!made->add(std::make_shared<TurnOfProcess>())) throw std::logic_error("no turns");
    return made;
  }();
  return registry;
}

/// Stream CALLS, all of whose answers are waited for at once.
class SimTurnQueue final : public chat::turns::TurnQueue {
 public:
  explicit SimTurnQueue(NodeBus& bus) : bus_(bus) {}

  std::vector<Found> next(const std::vector<chat::turns::QueuePlace>& places) override {
    using Answers = std::vector<Found>;
    struct Looks {
      Answers answers;
      std::size_t missing;
    };
    auto asked = std::make_shared<Looks>(
        Looks{Answers(places.size(), fail(ErrorCode::kTimeout, "no answer")), places.size()});
    static_cast<void>(awaited<bool>(kLookWithin, [&](const std::function<void(bool)>& answer) {
      for (std::size_t i = 0; i < places.size(); ++i)
        bus_.next_message(proto::kCallsStream, places[i].subject, places[i].sequence,
                          bus::ReadFrom::kAnyReplica,
                          [asked, i, answer](const Result<bus::StoredMessage>& message) {
                            asked->answers[i] = cli::talk::queued_turn(message);
                            if (--asked->missing == 0) answer(true);
                          });
    }));
    return asked->answers;
  }

 private:
  NodeBus& bus_;
};

/// The real door, whose thread is a fiber that runs while turns come.
class SimDoorkeeper final : public workers::Doorkeeper {
 public:
  SimDoorkeeper(conversations::ConversationStore& store, NodeBus& bus, const Clock& clock,
                std::weak_ptr<FiberExecutor> executor)
      : executor_(std::move(executor)),
        queue_(bus),
        door_(store, queue_, metrics_of_lives(), clock, chat::turns::Beat::kWhenTold) {}

  void ask(const v1::CallRequest& request, Place place,
           std::function<void(bool)> answered) override {
    door_.ask(cli::talk::turn_at_door(request, std::move(place), std::move(answered)));
    ++came_;
    const auto executor = executor_.lock();
    if (executor && !std::exchange(answering_, true)) executor->run([this] { answer(); });
  }

 private:
  void answer() {
    for (std::uint64_t seen = 0; seen != came_;) {
      seen = came_;
      door_.answer_all();
    }
    answering_ = false;
  }

  const std::weak_ptr<FiberExecutor> executor_;
  SimTurnQueue queue_;
  chat::turns::ConversationDoor door_;
  std::uint64_t came_ = 0;
  bool answering_ = false;
};

}  // namespace

ChatLife::ChatLife(const Surroundings& around, const std::string& name, const NodeClock& clock,
                   TurnSurroundings& turns)
    : WorkingLife(around, name, clock),
      turns_(turns),
      store_(around, process_, turns.database),
      executor_(std::make_shared<FiberExecutor>(around, process_)),
      keeper_(std::make_shared<chat::turns::LeaseKeeper>(store_, chat::turns::Beat::kWhenTold)),
      tool_(make_tool()) {
  lives_of_chat()[process_.get()] = this;
  auto options = cli::talk::turn_worker_options();
  options.worker_id = name;
  options.slots = 3;
  options.doorkeeper = std::make_shared<SimDoorkeeper>(store_, bus_, clock, executor_);
  work(turns_alone(), std::move(options), executor_);
  executor_->run([this] { renew(); });
  executor_->run([this] { wake(); });
}

std::shared_ptr<const tools::model::Tool> ChatLife::make_tool() {
  using Parts = chat::turns::TurnParts;
  return chat::turns::make_turn_tool(
      {.store = store_,
       .clock = node_clock_,
       .telemetry = {metrics_of_lives(), tracer()},
       .make_provider = [this]() -> Result<Parts::ProviderOrNone> {
         return Parts::ProviderOrNone(make_sim_model(turns_));
       },
       .make_tools =
           [this](const Parts::ToolsAsked& asked) {
             return make_sim_tool_box(turns_, process_, asked.session_id, asked.on_behalf);
           },
       .keeper = keeper_,
       .beat = chat::turns::Beat::kWhenTold,
       .pause =
           [](std::chrono::milliseconds time, const std::stop_token& stop) {
             FiberExecutor::sleep(time, stop);
             return !stop.stop_requested();
           }});
}

tools::model::Execution ChatLife::run_turn(const Json& arguments,
                                           tools::model::ToolContext& context,
                                           tools::model::Progress& progress) {
  const auto running =
      turns_.attempts.run({context.call_id(), context.attempt()}, process_, context.cancellation());
  // When it matters most: its attempt has begun, and it does not have the conversation yet.
  if (around_.weather.strikes(Fault::kPause, 25)) pause_now();
  return tool_->execute(arguments, context, progress);
}

void ChatLife::pause_now() {
  const bool long_one = around_.world.random().per_mille(200);
  const Micros lasts = around_.world.random().between(seconds(5), seconds(long_one ? 200 : 60));
  around_.world.note("{} pauses for {} ms as a turn begins", process_->name(),
                     lasts.count() / 1000);
  process_->pause();
  around_.world.after(lasts, [process = process_] { process->wake(); });
  FiberExecutor::sleep(Micros(1), {});
}

void ChatLife::renew() {
  for (;;) {
    FiberExecutor::sleep(chat::turns::LeaseKeeper::kRenewInterval, {});
    keeper_->renew();
  }
}

void ChatLife::wake() {
  using Waker = chat::turns::TurnWaker;
  Waker waker(store_, node_clock_, [this](const conversations::Wakeable& one) {
    FiberExecutor::sleep(around_.weather.latency(), {});
    GatewayLife* const gateway = gateway_of_turns(turns_);
    if (gateway == nullptr) return Waker::Answer::kNotNow;
    gateway->process().after(Micros(0), [gateway, request = turn_request(turns_, one.session_id,
                                                                         {{"step", "continue"}})] {
      gateway->submit(request);
    });
    // It may have been begun all the same.
    const bool lost = around_.weather.strikes(Fault::kLostAnswer, 50);
    return lost ? Waker::Answer::kNotNow : Waker::Answer::kBegins;
  });
  for (;;) {
    FiberExecutor::sleep(Waker::kInterval, {});
    waker.wake({});
  }
}

void ChatLife::die() {
  if (!lives()) return;
  WorkingLife::die();
  lives_of_chat().erase(process_.get());
}

}  // namespace toolway::simulation::turns
