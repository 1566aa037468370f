#include "cli/talk/chat_process.h"

#include <spdlog/spdlog.h>

#include <thread>

#include "base/os/file_io.h"
#include "base/pause.h"
#include "base/text.h"
#include "base/try.h"
#include "chat/turns/conversation_door.h"
#include "chat/turns/turn_tool.h"
#include "chat/turns/turn_waker.h"
#include "cli/client/operator_client.h"
#include "cli/process/bus_probe.h"
#include "cli/process/hardening.h"
#include "cli/process/last_resort.h"
#include "cli/process/process_clock.h"
#include "cli/process/process_parts.h"
#include "cli/process/stop_signals.h"
#include "cli/process/telemetry.h"
#include "cli/talk/gateway_tools.h"
#include "cli/talk/model.h"
#include "cli/talk/stream_turn_queue.h"
#include "cli/talk/turn_worker.h"
#include "cli/terminal/exit_code.h"
#include "monitoring/metric_registry.h"
#include "persistence/conversations/postgres_conversations.h"
#include "workers/pool/start_worker.h"

namespace toolway::cli::talk {
namespace {

namespace conversations = persistence::conversations;
using Parts = chat::turns::TurnParts;
using std::chrono::seconds;

/// For the connection, after the turns that run.
constexpr seconds kEndsAfterDrain{12};

/// How turns reach their gateway.
class Gateway {
 public:
  Gateway(const ChatProcessOptions& options, std::shared_ptr<tools::http::HttpEngine> engine,
          const Clock& clock)
      : options_(options), engine_(std::move(engine)), clock_(clock) {}

  client::ClientOptions http(const std::string& on_behalf) const {
    auto http = options_.http;
    http.user.clear();
    http.engine = engine_;
    http.on_behalf = on_behalf;
    if (!options_.url_file.empty())
      if (const auto text = os::read_file(options_.url_file)) http.url = trimmed(*text, " \t\r\n");
    return http;
  }

  std::shared_ptr<chat::engine::ToolBox> tools(const Parts::ToolsAsked& asked) const {
    auto its = http(asked.on_behalf);
    its.trace = asked.trace;
    return make_gateway_tools(std::move(its), asked.session_id, asked.inline_ms, clock_, known_);
  }

 private:
  const std::shared_ptr<KnownTools> known_ = std::make_shared<KnownTools>();
  const ChatProcessOptions options_;
  const std::shared_ptr<tools::http::HttpEngine> engine_;
  const Clock& clock_;
};

chat::turns::TurnOptions usual_options(const TalkOptions& talk,
                                       const chat::providers::Configured* model) {
  chat::turns::TurnOptions usual;
  auto& engine = usual.engine;
  if (model != nullptr) engine.options.model = model->model;
  if (talk.temperature) engine.options.temperature = talk.temperature;
  engine.options.max_tokens = talk.max_tokens;
  engine.options.tool_choice = talk.tool_choice;
  engine.system_prompt = talk.system_prompt;
  engine.context_window = talk.context_window;
  engine.max_history = talk.max_history;
  engine.enable_summarization = talk.summarize;
  engine.limits.max_iterations = talk.max_iterations;
  usual.inline_ms = talk.inline_ms;
  usual.may_summarize = !talk.no_summaries;
  usual.models = talk.models;
  return usual;
}

/// None without a model: what turns may ask for besides it is asked of the same provider.
std::vector<std::string> models_of(const chat::turns::TurnOptions& usual) {
  const auto& own = usual.engine.options.model;
  if (own.empty()) return {};
  std::vector<std::string> models{own};
  models.insert(models.end(), usual.models.begin(), usual.models.end());
  return models;
}

/// What is configured is said, and a script with mistakes ends the process; a model that is not
/// configured is a state.
Result<chat::turns::TurnOptions> look_at_model(
    const TalkOptions& talk, const Clock& clock,
    const std::shared_ptr<tools::http::HttpEngine>& engine) {
  ASSIGN_OR_RETURN(const auto made, make_model(talk, clock, engine));
  const auto* model = std::get_if<Model>(&made);
  if (model == nullptr) {
    spdlog::warn("{}", std::get<chat::providers::NotConfigured>(made).why);
    return usual_options(talk, nullptr);
  }
  spdlog::info("turns are answered by {}, model {}", model->configured.provider,
               model->configured.model.empty() ? "-" : model->configured.model);
  return usual_options(talk, &model->configured);
}

/// Begins turns where calls have ended that no message tells, on a thread.
class Waker {
 public:
  Waker(conversations::ConversationStore& store, const Gateway& gateway, const Clock& clock)
      : gateway_(gateway),
        waker_(store, clock, [this](const Wakeable& one) { return begin(one); }),
        thread_([this](const std::stop_token& stop) {
          while (pause(chat::turns::TurnWaker::kInterval, stop)) waker_.wake(stop);
        }) {}

 private:
  using Wakeable = conversations::Wakeable;
  using Answer = chat::turns::TurnWaker::Answer;

  Answer begin(const Wakeable& one) const {
    const auto client = client::HttpClient::create(gateway_.http(one.on_behalf));
    if (!client) return Answer::kNotNow;
    const auto answer =
        (*client)->request("POST", "/v1/sessions/" + percent_encoded(one.session_id) + "/messages",
                           R"({"continue": true})");
    if (answer && answer->ok()) return Answer::kBegins;
    spdlog::warn("a turn that calls have ended for cannot begin: {}",
                 answer ? client::error_of(*answer).message : answer.error().message);
    // Its user may begin no turns, or not any more.
    const bool never =
        answer && (answer->status == 401 || answer->status == 403 || answer->status == 404);
    return never ? Answer::kNotAllowed : Answer::kNotNow;
  }

  const Gateway& gateway_;
  chat::turns::TurnWaker waker_;  // of the thread
  std::jthread thread_;           // the last one: it uses the others
};

/// A turn whose conversation another turn has takes up no slot.
class TurnDoorkeeper final : public workers::Doorkeeper {
 public:
  TurnDoorkeeper(conversations::ConversationStore& store, bus::Bus& bus,
                 monitoring::Metrics& metrics, const Clock& clock)
      : queue_(bus, clock), door_(store, queue_, metrics, clock) {}

  void ask(const v1::CallRequest& request, Place place,
           std::function<void(bool)> answered) override {
    door_.ask(turn_at_door(request, std::move(place), std::move(answered)));
  }

 private:
  StreamTurnQueue queue_;
  chat::turns::ConversationDoor door_;
};

Result<std::shared_ptr<const tools::model::Registry>> turns_alone(chat::turns::TurnParts parts) {
  auto registry = std::make_shared<tools::model::Registry>();
  RETURN_IF_ERROR(registry->add(chat::turns::make_turn_tool(std::move(parts))));
  return registry;
}

}  // namespace

int run_chat(const process::ProcessOptions& options, const ChatProcessOptions& chat,
             const TalkOptions& talk) {
  process::StopSignals signals;
  process::LastResort last_resort;
  process::start_log(options, "chat");
  process::wipe_environment({"OPENAI_API_KEY", "ANTHROPIC_API_KEY"});
  auto engine = tools::http::HttpEngine::start();
  if (!engine) return process::report(engine.error());
  auto metrics = monitoring::make_registry("chat");
  auto tracer = process::start_telemetry(options.telemetry, "chat", *metrics);
  if (!tracer) return process::report(tracer.error());
  // On NATS it is a worker: what workers may do there is enough.
  auto bus = process::connect(options, "worker", *metrics);
  if (!bus) return process::report(bus.error());
  const auto time = process::ProcessClock::start(*bus->bus, *metrics, signals, "worker");
  if (!time) return process::report(time.error());
  const Clock& clock = (*time)->clock();
  auto usual = look_at_model(talk, clock, *engine);
  if (!usual) return process::report(usual.error());
  const auto store = conversations::make_postgres_conversations(options.postgres_url);
  const Gateway gateway(chat, *engine, clock);
  const auto memory = std::make_shared<chat::providers::ProviderMemory>();
  auto models = models_of(*usual);
  auto natives = turns_alone(
      {.store = *store,
       .clock = clock,
       .telemetry = {*metrics, **tracer},
       .usual = *std::move(usual),
       .make_provider = [&]() -> Result<Parts::ProviderOrNone> {
         ASSIGN_OR_RETURN(auto made, make_model(talk, clock, *engine, memory));
         if (auto* none = std::get_if<chat::providers::NotConfigured>(&made))
           return Parts::ProviderOrNone(std::move(*none));
         return Parts::ProviderOrNone(std::get<Model>(std::move(made)).provider);
       },
       .make_tools = [&gateway](const Parts::ToolsAsked& asked) { return gateway.tools(asked); }});
  if (!natives) return process::report(natives.error());
  auto turns = turn_worker_options();
  turns.slots = chat.slots;
  turns.drain_timeout = seconds(options.drain_s);
  turns.tracer = *tracer;
  turns.models = std::move(models);
  turns.doorkeeper = std::make_shared<TurnDoorkeeper>(*store, *bus->bus, *metrics, clock);
  auto worker =
      workers::pool::start_worker(*bus->bus, *metrics, {*natives}, clock, std::move(turns));
  if (!worker) return process::report(worker.error());
  auto waker = std::make_unique<Waker>(*store, gateway, clock);
  spdlog::info("runs turns, {} at once", chat.slots);
  process::BusProbe nats(*bus->bus);
  auto endpoint = process::endpoint_of(options, *metrics, [&nats] { return nats.ready(); });
  if (!endpoint) return process::report(endpoint.error());
  signals.wait();
  spdlog::info("draining");
  last_resort.arm(seconds(options.drain_s) + kEndsAfterDrain);
  waker.reset();
  (*worker)->drain();
  worker->reset();
  spdlog::info("stopped");
  return terminal::kExitOk;
}

}  // namespace toolway::cli::talk
