// The verbs of those who decide about calls that wait for approval.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/client/find_call.h"
#include "cli/client/pages.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/moment.h"
#include "cli/terminal/short_ids.h"

namespace toolway::cli::client {
namespace {

constexpr unsigned kMaxSearched = 1000;

/// The one call that waits for the user's approval whose id a short one means; empty: none, or
/// several, and other calls may be meant.
std::string waiting_call(const ClientContext& context, const std::string& given) {
  auto client = HttpClient::create(context.http);
  if (!client) return {};
  const auto answer =
      (*client)->request("GET", fmt::format("/v1/approvals?limit={}", kMaxSearched));
  if (!answer || !answer->ok()) return {};
  std::string found;
  for (const auto& entry : answer->json().value("approvals", OrderedJson::array())) {
    const auto id = cell(entry, "call_id");
    if (!terminal::may_mean(given, id)) continue;
    if (!found.empty()) return {};
    found = id;
  }
  return found;
}

/// The last who said something about it, and the reason.
std::string last_word(const OrderedJson& entry) {
  const auto said = entry.value("approvals", OrderedJson::array());
  if (said.empty()) return "";
  const auto reason = cell(said.back(), "reason");
  return reason.empty() ? cell(said.back(), "by")
                        : fmt::format("{}: {}", cell(said.back(), "by"), reason);
}

void print_ended(const ClientContext& context, const OrderedJson& list) {
  terminal::Table table{.columns = {{.heading = "CALL", .holds = terminal::Holds::kIds},
                                    {.heading = "TOOL", .least = 16},
                                    {.heading = "USER", .least = 8, .rank = 1},
                                    {.heading = "SINCE", .rank = 3},
                                    {.heading = "STATE"},
                                    {.heading = "AT", .rank = 2},
                                    {.heading = "BY", .least = 8},
                                    {.heading = "ARGUMENTS", .least = 16, .rank = 4}},
                        .nothing = "no such calls about which you may decide"};
  for (const auto& entry : list.value("approvals", OrderedJson::array())) {
    table.rows.push_back(
        {.cells = {cell(entry, "call_id"), cell(entry, "tool"), cell(entry, "user_id"),
                   terminal::moment_text(cell(entry, "requested_at"), context.view),
                   cell(entry, "state"),
                   terminal::moment_text(cell(entry, "decided_at"), context.view), last_word(entry),
                   cell(entry, "arguments")}});
  }
  fmt::print("{}", terminal::render(std::move(table), context.view));
  say_behind(context, list);
}

void print_waiting(const ClientContext& context, const OrderedJson& list) {
  terminal::Table table{.columns = {{.heading = "CALL", .holds = terminal::Holds::kIds},
                                    {.heading = "TOOL", .least = 16},
                                    {.heading = "USER", .least = 8, .rank = 1},
                                    {.heading = "SINCE", .rank = 2},
                                    {.heading = "UNTIL", .rank = 3},
                                    {.heading = "HELD BY", .least = 8, .rank = 4},
                                    {.heading = "APPROVALS"},
                                    {.heading = "ARGUMENTS", .least = 16}},
                        .nothing = "no calls wait for your approval"};
  for (const auto& entry : list.value("approvals", OrderedJson::array())) {
    table.rows.push_back(
        {.cells = {cell(entry, "call_id"), cell(entry, "tool"), cell(entry, "user_id"),
                   terminal::moment_text(cell(entry, "requested_at"), context.view),
                   terminal::moment_text(cell(entry, "expires_at"), context.view),
                   cell(entry, "held_by"),
                   fmt::format("{} of {}", entry.value("approvals", OrderedJson::array()).size(),
                               cell(entry, "quorum")),
                   cell(entry, "arguments")}});
  }
  fmt::print("{}", terminal::render(std::move(table), context.view));
  say_behind(context, list);
}

}  // namespace

int list_approvals(const ClientContext& context, const ApprovalListOptions& options) {
  const auto target = fmt::format("/v1/approvals?state={}&", percent_encoded(options.state));
  return show_list(
      context, options.watch,
      [&] { return read_pages(context, target, options.limit, "approvals", "after"); },
      [&](const OrderedJson& list) {
        if (context.view.json()) return print_json(list);
        options.state == "waiting" ? print_waiting(context, list) : print_ended(context, list);
        say_more(context, list, "approvals");
      });
}

int decide_call(const ClientContext& context, const std::string& verb,
                const CancelOptions& options) {
  FoundCall found{.id = waiting_call(context, options.call)};
  if (found.id.empty()) found = find_call(context, options.call);
  if (found.id.empty()) return found.status;
  OrderedJson body = OrderedJson::object();
  if (!options.reason.empty()) body["reason"] = options.reason;
  return ask_and_show(context, "POST",
                      fmt::format("/v1/calls/{}/{}", percent_encoded(found.id), verb),
                      to_text(body), [](const OrderedJson& answer) {
                        const auto state = cell(answer, "state");
                        if (state == "waiting")
                          fmt::print("{} of {} have approved it; it waits for more\n",
                                     cell(answer, "approvals"), cell(answer, "quorum"));
                        else
                          fmt::print("{}\n", state);
                      });
}

}  // namespace toolway::cli::client
