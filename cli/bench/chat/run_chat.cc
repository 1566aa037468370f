#include "cli/bench/chat/run_chat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/ids.h"
#include "base/try.h"
#include "cli/bench/chat/long_conversation.h"
#include "cli/bench/chat/turn_load.h"
#include "cli/bench/chat/turn_streams.h"
#include "cli/bench/chat/waiting_turns.h"
#include "cli/bench/results/judged_table.h"
#include "cli/bench/results/run_facts.h"
#include "cli/stack/own_stack.h"
#include "cli/terminal/exit_code.h"
#include "persistence/conversations/postgres_conversations.h"

namespace toolway::cli::bench::chat {
namespace {

constexpr double kOpenTurnsPerS = 100;
constexpr unsigned kStreams = 200;
constexpr unsigned kWaiting = 1000;
/// A fifth of what is free asks for work of the lane `bulk`.
constexpr unsigned kSlots = 1500;
constexpr std::size_t kMessages = 10'000;
constexpr double kSeconds = 10;
constexpr double kWarmUpSeconds = 2;
/// In an open loop a stall may not keep later turns from being sent.
constexpr unsigned kOpenConnections = 96;
constexpr unsigned kClosedConnections = 32;

class ChatBench {
 public:
  ChatBench(const options::BenchOptions& options, ChatTarget target, std::string postgres_url,
            const terminal::ProgressLine& line)
      : seconds_(options.seconds > 0 ? options.seconds : kSeconds),
        scale_(options.scenario.scale),
        target_(std::move(target)),
        postgres_url_(std::move(postgres_url)),
        line_(line) {}

  Result<ChatMeasured> run() {
    ChatMeasured measured;
    const auto warm_up = std::min(kWarmUpSeconds, seconds_);
    line_("warming up");
    RETURN_IF_ERROR(measure_turns(target_, {.seconds = warm_up}));
    // First, in a process that has not grown yet.
    line_(fmt::format("{} turns wait for the model", scaled(kWaiting)));
    ASSIGN_OR_RETURN(measured.waiting, measure_waiting(target_, scaled(kWaiting)));
    line_(fmt::format("{} turns/s", kOpenTurnsPerS));
    ASSIGN_OR_RETURN(measured.open, measure_turns(target_, {.seconds = seconds_,
                                                            .per_s = kOpenTurnsPerS,
                                                            .at_once = kOpenConnections}));
    line_("as many turns as it does");
    ASSIGN_OR_RETURN(measured.closed,
                     measure_turns(target_, {.seconds = seconds_, .at_once = kClosedConnections}));
    line_(fmt::format("{} turns stream", scaled(kStreams)));
    ASSIGN_OR_RETURN(measured.streams, measure_streams(target_, scaled(kStreams)));
    line_(fmt::format("a conversation of {} messages", scaled(kMessages)));
    const auto store = persistence::conversations::make_postgres_conversations(postgres_url_);
    ASSIGN_OR_RETURN(measured.window, measure_window(*store, scaled(kMessages)));
    return measured;
  }

 private:
  unsigned scaled(double count) const {
    return static_cast<unsigned>(std::max(1.0, std::round(count * scale_)));
  }

  const double seconds_;
  const double scale_;
  const ChatTarget target_;
  const std::string postgres_url_;
  const terminal::ProgressLine& line_;
};

}  // namespace

Result<int> run_chat_bench(const options::BenchOptions& options, process::StopSignals& signals,
                           const terminal::ProgressLine& line, const terminal::Style& style) {
  ASSIGN_OR_RETURN(const auto model, ModelAtHand::start());
  auto stack_options = options.stack;
  stack_options.chat = true;
  stack_options.chat_slots = kSlots;
  stack_options.chat_environment = {{"TOOLWAY_AI_PROVIDER", "openai"},
                                    {"TOOLWAY_AI_MODEL", "scripted"},
                                    {"TOOLWAY_AI_BASE_URL", model->url()},
                                    {"TOOLWAY_AI_ALLOW_ADDRESSES", "127.0.0.1"}};
  line("starting a stack for this run");
  ASSIGN_OR_RETURN(const auto own, stack::OwnStack::start(stack_options, signals));
  auto& stack = own->stack();
  ASSIGN_OR_RETURN(
      auto where, process::parse_host_port(stack.url().substr(std::string_view("http://").size())));
  ChatTarget target{.where = std::move(where),
                    .user = options.user,
                    .run = random_hex(3),
                    .model = *model,
                    .chat_pid = stack.description()["pids"]["chat"][0].get<int>()};
  ASSIGN_OR_RETURN(const auto measured,
                   ChatBench(options, std::move(target), stack.postgres_url(), line).run());
  line.clear();
  RETURN_IF_ERROR(results::write_text(options.json, chat_json(measured).dump(2) + "\n"));
  const bool all = results::print_judged_table(chat_figures(measured), "WHAT", "MEASURED", style);
  return all ? terminal::kExitOk : terminal::kExitInternal;
}

}  // namespace toolway::cli::bench::chat
