// Logout, login and the mailbox.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "base/text.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"

namespace toolway::cli::client {
namespace {

std::string path_of(const std::string& session, const char* what) {
  return "/v1/sessions/" + percent_encoded(session) + what;
}

/// Why a manifest or a page is not all there is; nothing when it is.
void say_reason(const ClientContext& context, const OrderedJson& body) {
  const auto reason = cell(body, "reason");
  if (!reason.empty()) fmt::print("{}\n", context.view.style(terminal::Colour::kDim, reason));
}

std::string counts_text(const OrderedJson& body) {
  const auto counts = body.value("counts", OrderedJson());
  if (!counts.is_object()) return "its calls cannot be counted now";
  return fmt::format("{} queued, {} running, {} held, {} completed, {} unread",
                     cell(counts, "queued"), cell(counts, "running"), cell(counts, "held"),
                     cell(counts, "completed"), cell(counts, "unread"));
}

/// Of a call that has not ended when its session is closed.
std::string pending_text(const OrderedJson& call) {
  const auto state = cell(call, "state");
  const std::string is = state == "held"     ? "waits for approval"
                         : state == "queued" ? "still queued"
                                             : "still running";
  return call.value("timed_out", false) ? "timed out; " + is : is;
}

void print_completions(const ClientContext& context, const OrderedJson& body) {
  terminal::Table table{.columns = {{.heading = "CALL", .holds = terminal::Holds::kIds},
                                    {.heading = "TOOL", .least = 16},
                                    {.heading = "OUTCOME"},
                                    {.heading = "RESULT", .least = 12, .rank = 2},
                                    {.heading = "CURSOR", .rank = 1}},
                        .nothing = "no unread completions"};
  for (const auto& entry : body.value("completions", OrderedJson::array()))
    table.rows.push_back(
        {.cells = {cell(entry, "call_id"), cell(entry, "namespace") + "." + cell(entry, "tool"),
                   state_cell(entry), result_text(entry), cell(entry, "cursor")}});
  fmt::print("{}", terminal::render(std::move(table), context.view));
}

}  // namespace

int close_session(const ClientContext& context, const CloseOptions& options) {
  const OrderedJson body = {{"pending", options.pending}, {"timeout_ms", options.timeout_ms}};
  auto patient = context;
  patient.http.timeout += std::chrono::milliseconds(options.timeout_ms);
  return ask_and_show(
      patient, "POST", path_of(options.session, "/close"), to_text(body),
      [&](const OrderedJson& manifest) {
        terminal::Table table{.columns = {{.heading = "CALL", .holds = terminal::Holds::kIds},
                                          {.heading = "TOOL", .least = 20},
                                          {.heading = "STATE"},
                                          {.heading = "OUTCOME"}}};
        for (const auto& call : manifest.value("completed_calls", OrderedJson::array())) {
          const auto metadata = call.value("metadata", OrderedJson());
          table.rows.push_back({.cells = {cell(metadata, "call_id"), cell(metadata, "name"),
                                          "completed", state_cell(call)}});
        }
        for (const auto& call : manifest.value("pending_calls", OrderedJson::array()))
          table.rows.push_back({.cells = {cell(call, "call_id"), cell(call, "tool"),
                                          cell(call, "state"), pending_text(call)}});
        fmt::print("{} closed ({}): {}\n", cell(manifest, "session_id"), cell(manifest, "closing"),
                   counts_text(manifest));
        if (!table.rows.empty()) fmt::print("{}", terminal::render(std::move(table), context.view));
        say_reason(context, manifest);
      });
}

int delete_session(const ClientContext& context, const DeleteOptions& options) {
  if (!options.yes) {
    const auto asked = ask(context, "GET", path_of(options.session, ""));
    if (!asked.answer) return asked.status;
    if (isatty(STDIN_FILENO) == 0) {
      terminal::print_failure(
          context.view,
          {.code = ErrorCode::kInvalidRequest,
           .what = fmt::format("deleting session '{}' cannot be undone", options.session),
           .next = fmt::format("confirm it: toolway session delete {} --yes", options.session)});
      return terminal::kExitUsage;
    }
    fmt::print(stderr, "delete session '{}' and its calls for good ({})? [y/N] ", options.session,
               counts_text(asked.answer->json()));
    std::string typed;
    std::getline(std::cin, typed);
    if (typed != "y" && typed != "yes") {
      fmt::print(stderr, "nothing was deleted\n");
      return terminal::kExitRefused;
    }
  }
  auto patient = context;
  patient.http.timeout += std::chrono::milliseconds(options.timeout_ms);
  const auto query =
      options.cancel ? fmt::format("?pending=cancel&timeout_ms={}", options.timeout_ms) : "";
  return ask_and_show(
      patient, "DELETE", path_of(options.session, query.c_str()), "", [&](const OrderedJson& body) {
        const auto calls = cell(body, "deleted_calls");
        fmt::print("{} deleted, with {} {}\n", cell(body, "session_id"), calls,
                   calls == "1" ? "call" : "calls");
        if (const auto running = cell(body, "still_running"); running != "0")
          terminal::print_warning(context.view,
                                  running + " of them are still running; nothing will show them");
      });
}

int restore_session(const ClientContext& context, const std::string& session) {
  return ask_and_show(
      context, "POST", path_of(session, "/restore"), "{}", [&](const OrderedJson& body) {
        fmt::print(
            "{} open, {} tools{}\n", cell(body, "session_id"),
            body.value("tools", OrderedJson::array()).size(),
            body.value("tools_changed", false) ? ", not the same as when it was closed" : "");
        say_warnings(context, body);
        if (!body.value("completions", OrderedJson()).is_array()) {
          fmt::print("{}\n", context.view.style(
                                 terminal::Colour::kDim,
                                 "its completions cannot be read now; try toolway mailbox later"));
          return;
        }
        const bool some = !body.at("completions").empty();
        if (some) print_completions(context, body);
        say_behind(context, body);
        if (some && body.value("more", false))
          fmt::print("{}\n", context.view.style(terminal::Colour::kDim,
                                                fmt::format("more: toolway mailbox {} --after {}",
                                                            session, cell(body, "next"))));
      });
}

int read_mailbox(const ClientContext& context, const MailboxOptions& options) {
  auto target = path_of(options.session, "/completions") + fmt::format("?limit={}", options.limit);
  if (!options.after.empty()) target += "&after=" + percent_encoded(options.after);
  const auto asked = ask(context, "GET", target);
  if (!asked.answer) return asked.status;
  const auto body = asked.answer->json();
  if (context.view.json())
    print_json(body);
  else
    print_completions(context, body);
  if (!context.view.json()) say_behind(context, body);
  const bool for_people = !context.view.json() && context.view.output != terminal::Output::kName;
  if (for_people && body.value("more", false))
    fmt::print("{}\n",
               context.view.style(terminal::Colour::kDim, "more: --after " + cell(body, "next")));
  if (!options.ack || body.value("completions", OrderedJson::array()).empty())
    return terminal::kExitOk;
  // Only now: what was printed has been read.
  std::fflush(stdout);
  const OrderedJson cursor = {{"cursor", cell(body, "next")}};
  const auto acked =
      ask(context, "POST", path_of(options.session, "/completions:ack"), to_text(cursor));
  return acked.answer ? terminal::kExitOk : acked.status;
}

}  // namespace toolway::cli::client
