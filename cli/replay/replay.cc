#include "cli/replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <thread>

#include "base/ids.h"
#include "base/json_pointer.h"
#include "base/nearest_names.h"
#include "base/os/file_io.h"
#include "base/try.h"
#include "cli/client/call_wait.h"
#include "cli/replay/mocked_stack.h"
#include "cli/replay/report.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/report.h"

namespace toolway::cli::replay {
namespace {

constexpr std::string_view kMocks = "mocks";
constexpr std::string_view kMemoryField = "memory_kb";

Result<void> check_options(const ReplayOptions& options) {
  for (const auto& pointer : options.ignored) {
    if (pointer.empty() || !valid_pointer(pointer))
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("--ignore {}: not a JSON Pointer to a part of results, such as "
                              "/unix or /items/0/id",
                              pointer));
  }
  if (options.against == kMocks) {
    if (options.against_key_file.empty()) return {};
    return fail(ErrorCode::kInvalidRequest,
                "--against-key-file is about another gateway, not about mocks");
  }
  // A gateway elsewhere has a host with a dot, a port or a scheme.
  if (options.against.find_first_of(".:/") == std::string::npos && options.against != "localhost")
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("--against {}: neither a gateway's URL nor mocks{}", options.against,
                            nearest_names(options.against, {std::string(kMocks)}).empty()
                                ? ""
                                : "; did you mean 'mocks'?"));
  if (!options.save.empty() || !options.baseline.empty() || !options.mocks.empty() ||
      options.mock_speed != 1)
    return fail(
        ErrorCode::kInvalidRequest,
        "--mock, --mock-speed, --save and --baseline are about a stack of the replay's own: they need "
        "--against mocks");
  return {};
}

/// The other gateway's client. The credentials of the first one are not for it.
client::ClientContext context_of(const client::ClientContext& context, const std::string& url,
                                 const std::string& key_file) {
  auto other = context;
  other.http.url = url;
  other.http.reach.token.clear();
  other.http.reach.token_file = key_file;
  return other;
}

void skip_dangerous(RecordedSession& session) {
  std::vector<std::string> names;
  for (const auto& tool : session.tools) {
    if (tool.value("dangerous", false))
      names.push_back(client::cell(tool, "namespace") + "." + client::cell(tool, "name"));
  }
  std::erase_if(session.calls, [&](const RecordedCall& call) {
    if (std::find(names.begin(), names.end(), call.tool) == names.end()) return false;
    session.skipped.push_back(
        {call.ending.call_id, call.tool, "its tool is dangerous: --dangerous makes it again"});
    return true;
  });
}

Result<double> read_baseline(const std::string& file) {
  if (file.empty()) return 0.0;
  ASSIGN_OR_RETURN(const auto text, os::read_file(file));
  const auto json = parse_json(text);
  const auto kb = json && json->is_object() ? json->value(kMemoryField, Json()) : Json();
  if (!kb.is_number() || kb.get<double>() <= 0)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("{} is not what `toolway replay --save` writes", file));
  return kb.get<double>();
}

void say_held(const client::ClientContext& target, const Pair& made) {
  terminal::print_warning(
      target.view,
      fmt::format(
          "{} waits for approval at {}, and the replay continues without it; end it there: toolway calls "
          "cancel {}",
          made.tool, target.http.url, made.replayed.call_id));
}

/// What the calls of `session` do on the gateway of `target`.
Report replay_on(const client::ClientContext& target, const ReplayOptions& options,
                 RecordedSession& session) {
  Report report{.session = options.session,
                .against = options.against,
                .replayed = {},
                .skipped = std::move(session.skipped),
                .judged = {}};
  const terminal::ProgressLine line;
  report.replayed = make_again(
      target, session, fmt::format("replay-{}", random_hex(8)),
      std::chrono::seconds(options.timeout_s), options.ignored, [&](std::span<const Pair> made) {
        if (target.view.json()) return;
        if (made.back().replayed.outcome == client::kAwaitingApproval) {
          line.clear();
          say_held(target, made.back());
        }
        if (target.view.terminal)
          line(fmt::format("{} of {} calls made again", made.size(), session.calls.size()));
      });
  line.clear();
  return report;
}

int finish(Report& report, const Memory* memory, const client::ClientContext& context,
           const ReplayOptions& options) {
  if (report.replayed.status != terminal::kExitOk) return report.replayed.status;
  auto bounds = options.bounds;
  bounds.times = options.mock_speed == 1;
  report.judged = judge(report.replayed.pairs, memory, bounds);
  print(report, context.view);
  return report.holds() ? terminal::kExitOk : terminal::kExitInternal;
}

int replay_on_gateway(const client::ClientContext& context, const ReplayOptions& options,
                      RecordedSession& session) {
  if (!options.dangerous) skip_dangerous(session);
  auto report =
      replay_on(context_of(context, options.against, options.against_key_file), options, session);
  return finish(report, nullptr, context, options);
}

/// The replay itself, on a stack that is there.
Result<int> replay_on_stack(const MockedStack& stack, const client::ClientContext& context,
                            const ReplayOptions& options, RecordedSession& session,
                            double baseline_kb) {
  Memory memory{.baseline_kb = baseline_kb};
  auto report = replay_on(context_of(context, stack.url(), {}), options, session);
  memory.kb = stack.resident_kb();
  if (!options.save.empty())
    RETURN_IF_ERROR(os::write_whole_file(
        options.save, to_text(OrderedJson{{std::string(kMemoryField), memory.kb}}) + "\n"));
  return finish(report, &memory, context, options);
}

int replay_on_mocks(const client::ClientContext& context, const ReplayOptions& options,
                    RecordedSession& session, process::StopSignals& signals) {
  const auto baseline = read_baseline(options.baseline);
  if (!baseline) return terminal::report_error(context.view, baseline.error());
  auto stack = MockedStack::start(session, options, signals);
  if (!stack) return terminal::report_error(context.view, stack.error());
  int status = terminal::kExitInternal;
  std::thread work([&] {
    const auto done = replay_on_stack(**stack, context, options, session, *baseline);
    status = done ? *done : terminal::report_error(context.view, done.error());
    signals.wake();
  });
  if (signals.wait()) {
    // The work may wait for an answer that never comes now, so it is left where it is.
    (*stack)->abandon();
    fmt::print(stderr, "toolway: interrupted; stopped what was started\n");
    std::fflush(stderr);
    std::_Exit(terminal::kExitInternal);
  }
  work.join();
  return status;
}

}  // namespace

int replay(const client::ClientContext& context, const ReplayOptions& options) {
  const bool mocked = options.against == kMocks;
  if (const auto right = check_options(options); !right)
    return terminal::report_error(context.view, right.error());
  std::optional<process::StopSignals> signals;
  if (mocked) signals.emplace();
  auto read = read_session(context, options.session, options.limit,
                           mocked ? Target::kMocks : Target::kGateway);
  if (read.status != terminal::kExitOk) return read.status;
  if (read.session.calls.empty())
    return terminal::report_error(
        context.view,
        {ErrorCode::kNotFound,
         fmt::format("session {} has no call that can be made again{}", options.session,
                     read.session.skipped.empty()
                         ? std::string()
                         : ": of its last one, " + read.session.skipped.back().why)});
  return mocked ? replay_on_mocks(context, options, read.session, *signals)
                : replay_on_gateway(context, options, read.session);
}

}  // namespace toolway::cli::replay
