// What tools log: of a call, of a session, or of a tool over the user's newest calls.
#include <fmt/format.h>

#include <map>
#include <thread>

#include "base/ids.h"
#include "base/text.h"
#include "cli/client/call_lists.h"
#include "cli/client/find_call.h"
#include "cli/client/follow.h"
#include "cli/client/pages.h"
#include "cli/client/problem.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/short_ids.h"

namespace toolway::cli::client {
namespace {

constexpr std::chrono::seconds kPollInterval{1};
constexpr unsigned kNewestCalls = 20;

void print_log(const ClientContext& context, const OrderedJson& event) {
  if (context.view.json()) {
    fmt::print("{}\n", to_text(event));
  } else {
    const auto line = log_line(event);
    fmt::print("{}\n",
               line.urgent ? context.view.style(terminal::Colour::kRed, line.text) : line.text);
  }
  std::fflush(stdout);
}

/// Those of an event stream, until its call ends or Ctrl-C.
int follow_logs(const ClientContext& context, const std::string& target,
                const LogOptions& options) {
  auto client = HttpClient::create(context.http);
  if (!client) return terminal::report_error(context.view, client.error());
  const auto followed = follow_events(
      **client, target, "0",
      [&](const SseEvent& event) {
        const auto parsed = parse_ordered_json(event.data);
        if (parsed && is_log_of(*parsed, options.tool)) print_log(context, *parsed);
        return true;
      },
      signs_of(context, "what the tools of " + options.of + " log; Ctrl-C ends it"));
  if (!followed) return terminal::report_error(context.view, followed.error());
  return followed->ok() ? terminal::kExitOk
                        : report_problem(context, *followed, subject_of(target));
}

/// Prints what a call or a session has logged after `cursor`, which moves on. How to exit.
int print_logs_after(const ClientContext& context, const std::string& events,
                     const std::string& tool, std::string& cursor) {
  return read_events(context, events, cursor, [&](const OrderedJson& event) {
    if (is_log_of(event, tool)) print_log(context, event);
  });
}

/// The events of a tool are in no stream of their own, so its calls are looked at every second.
int poll_logs(const ClientContext& context, const LogOptions& options) {
  struct Seen {
    std::string cursor = "0";
    bool ended = false;
  };
  std::map<std::string, Seen> seen;
  CallListOptions newest;
  newest.tool = options.tool;
  const auto target = fmt::format("{}limit={}", calls_target(newest), kNewestCalls);
  for (bool first = true;; first = false) {
    const auto asked = ask(context, "GET", target);
    if (!asked.answer) return asked.status;
    const auto list = asked.answer->json().value("calls", OrderedJson::array());
    if (first && list.empty()) say_filter_hints(context, newest);
    if (first && !options.once)
      signs_of(context, "what " + options.tool + " logs; Ctrl-C ends it").opened();
    for (auto call = list.rbegin(); call != list.rend(); ++call) {
      auto& so_far = seen[cell(*call, "call_id")];
      if (so_far.ended) continue;
      if (const int status = print_logs_after(
              context, "/v1/calls/" + cell(*call, "call_id") + "/events", {}, so_far.cursor);
          status != terminal::kExitOk)
        return status;
      so_far.ended = cell(*call, "state") == "completed";
    }
    if (options.once) return terminal::kExitOk;
    std::this_thread::sleep_for(kPollInterval);
  }
}

/// Only a call can be meant by the end of an id: a session of such a name is not reached by it.
bool is_short_id(std::string_view given) {
  return given.size() >= terminal::kShortIdLength && !CallId::parse(given) &&
         given.find_first_not_of("0123456789abcdefABCDEF-") == std::string_view::npos;
}

}  // namespace

int show_logs(const ClientContext& context, const LogOptions& options) {
  if (options.of.empty() && options.tool.empty()) {
    return terminal::report_error(
        context.view, {ErrorCode::kInvalidRequest,
                       "name a call, a session or a tool, for example: toolway logs --tool NAME"});
  }
  if (options.of.empty()) return poll_logs(context, options);
  std::string of = options.of;
  if (is_short_id(of)) {
    auto found = find_call(context, of);
    if (found.id.empty()) return found.status;
    of = std::move(found.id);
  }
  const auto events = fmt::format("/v1/{}/{}/events", CallId::parse(of) ? "calls" : "sessions",
                                  percent_encoded(of));
  if (!options.once) return follow_logs(context, events, options);
  std::string cursor = "0";
  return print_logs_after(context, events, options.tool, cursor);
}

}  // namespace toolway::cli::client
