// The verbs over recorded calls: list them, show one with its history, run one again.
#include <fmt/format.h>

#include <algorithm>

#include "base/log_text.h"
#include "base/text.h"
#include "cli/client/call_lists.h"
#include "cli/client/find_call.h"
#include "cli/client/pages.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/moment.h"

namespace toolway::cli::client {
namespace {

void print_calls(const ClientContext& context, const OrderedJson& list) {
  if (context.view.json()) return print_json(list);
  auto table = calls_table();
  for (const auto& call : list.value("calls", OrderedJson::array()))
    table.rows.push_back(call_row(call, context.view));
  fmt::print("{}", terminal::render(std::move(table), context.view));
  say_behind(context, list);
}

/// What is not shown cannot be sent again.
int refuse_hidden(const ClientContext& context, const OrderedJson& call) {
  return report_error(
      context.view,
      {ErrorCode::kInvalidRequest,
       fmt::format(
           "the arguments of call {} hold secrets, which are not shown: give them again, as "
           "in toolway calls retry {} --arguments '{{…}}'",
           cell(call, "call_id"), cell(call, "call_id"))});
}

void print_block(const ClientContext& context, const char* heading, const OrderedJson& value) {
  fmt::print("\n{}\n", context.view.style(terminal::Colour::kBold, heading));
  // A text is shown as it is, and not as JSON has to write it.
  value.is_string() ? fmt::print("{}\n", value.get<std::string>()) : print_json(value);
}

void print_call(const ClientContext& context, const OrderedJson& call, const OrderedJson& events) {
  const auto& style = context.view.style;
  const auto state = state_cell(call);
  fmt::print("{}  {}.{}  {}\n", style(terminal::Colour::kBold, cell(call, "call_id")),
             cell(call, "namespace"), cell(call, "tool"),
             state.colour ? style(*state.colour, state.text) : state.text);
  fmt::print("{}\n\n",
             style(terminal::Colour::kDim,
                   "submitted " + terminal::moment_text(cell(call, "submitted_at"), context.view)));
  for (const auto& line : history_of(call, events))
    fmt::print("  {:>12}  {:<18} {}\n", "+" + terminal::duration_text(line.at), line.event,
               log_text(line.text));
  print_block(context, "Arguments", call.value("arguments", OrderedJson()));
  const auto error = call.value("error", OrderedJson());
  if (error.is_object()) {
    print_block(context, "Error", error);
  } else if (const auto result = call.value("result", OrderedJson()); !result.is_null()) {
    print_block(context, "Result", result);
    if (call.value("result_ref", OrderedJson()).is_object())
      fmt::print("{}\n",
                 style(terminal::Colour::kDim,
                       "a preview; all of it: toolway calls result " + cell(call, "call_id")));
  }
}

}  // namespace

int list_calls(const ClientContext& context, const CallListOptions& options) {
  return show_list(
      context, options.watch,
      [&] { return read_pages(context, calls_target(options), options.limit, "calls"); },
      [&](const OrderedJson& list) {
        print_calls(context, list);
        say_more(context, list, "calls");
        if (list.value("calls", OrderedJson::array()).empty() && options.limit > 0)
          say_filter_hints(context, options);
      });
}

int show_call(const ClientContext& context, const std::string& call) {
  const auto found = find_call(context, call);
  if (found.id.empty()) return found.status;
  const auto path = "/v1/calls/" + percent_encoded(found.id);
  const auto asked = ask(context, "GET", path);
  if (!asked.answer) return asked.status;
  auto shown = asked.answer->json();
  OrderedJson events = OrderedJson::array();
  std::string cursor = "0";
  const auto status = read_events(context, path + "/events", cursor,
                                  [&events](const OrderedJson& event) { events.push_back(event); });
  if (status != terminal::kExitOk) return status;
  if (context.view.json()) {
    shown["events"] = events_from_acceptance(shown, events);
    print_json(shown);
  } else {
    print_call(context, shown, events);
  }
  return terminal::kExitOk;
}

int retry_call(const ClientContext& context, const RetryOptions& options) {
  const auto found = find_call(context, options.call);
  if (found.id.empty()) return found.status;
  const auto asked = ask(context, "GET", "/v1/calls/" + percent_encoded(found.id));
  if (!asked.answer) return asked.status;
  const auto call = asked.answer->json();
  if (options.arguments.empty() && call.contains("hidden_arguments"))
    return refuse_hidden(context, call);
  return call_tool(context, {.session = cell(call, "session_id"),
                             .tool = cell(call, "namespace") + "." + cell(call, "tool"),
                             .arguments = {options.arguments.empty() ? cell(call, "arguments")
                                                                     : options.arguments},
                             .tool_call_id = {},
                             .idempotency_key = {},
                             .wait = options.wait,
                             .timeout_s = options.timeout_s,
                             .follow = false});
}

}  // namespace toolway::cli::client
