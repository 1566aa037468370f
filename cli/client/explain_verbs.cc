// What a person does when a call does not end: cancel it, explain it, list the workers.
#include <fmt/format.h>

#include "base/log_text.h"
#include "base/text.h"
#include "cli/client/call_lists.h"
#include "cli/client/find_call.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/moment.h"
#include "cli/terminal/table.h"

namespace toolway::cli::client {

int cancel_call(const ClientContext& context, const CancelOptions& options) {
  const auto found = find_call(context, options.call);
  if (found.id.empty()) return found.status;
  OrderedJson body = OrderedJson::object();
  if (!options.reason.empty()) body["reason"] = options.reason;
  return ask_and_show(
      context, "POST", "/v1/calls/" + percent_encoded(found.id) + "/cancel", to_text(body),
      [&](const OrderedJson& answer) {
        const auto state = cell(answer, "state");
        const auto worker = cell(answer, "worker");
        if (state == "cancelling")
          fmt::print("{}  {}\n", state,
                     worker == "told" ? "its worker was told" : "its worker: " + worker);
        else
          fmt::print("{}\n", state == "completed"
                                 ? "already completed (" + cell(answer, "outcome") + ")"
                                 : state);
      });
}

int explain_call(const ClientContext& context, const std::string& call) {
  const auto found = find_call(context, call);
  if (found.id.empty()) return found.status;
  return ask_and_show(
      context, "GET", "/v1/calls/" + percent_encoded(found.id) + "/explain", {},
      [&](const OrderedJson& answer) {
        const auto reasons = answer.value("reasons", OrderedJson::array());
        // The summary is the state with the first reason, which has a line of its own here.
        fmt::print("{}\n", reasons.empty() ? log_text(cell(answer, "summary"))
                                           : fmt::format("The call is {}{}:", cell(answer, "state"),
                                                         face_text(cell(answer, "face"))));
        for (const auto& reason : reasons)
          fmt::print("  {:<18} {}\n", cell(reason, "code"), log_text(cell(reason, "message")));
        terminal::Table table{
            .columns = {{.heading = "ATTEMPT", .align = terminal::Align::kRight},
                        {.heading = "WORKER", .rank = 1, .holds = terminal::Holds::kIds},
                        {.heading = "STARTED"},
                        {.heading = "ENDED"},
                        {.heading = "ERROR", .least = 12}}};
        for (const auto& attempt : answer.value("attempts", OrderedJson::array()))
          table.rows.push_back({.cells = {cell(attempt, "attempt"), cell(attempt, "worker_id"),
                                          clock_time(cell(attempt, "started_at")),
                                          cell(attempt, "ended"), cell(attempt, "error")}});
        if (!table.rows.empty()) fmt::print("{}", terminal::render(std::move(table), context.view));
      });
}

namespace {

terminal::Cell worker_state(const OrderedJson& worker) {
  const bool draining = worker.value("draining", false);
  const bool paused = worker.value("paused", false);
  auto state = std::string(draining ? "draining" : paused ? "paused" : "running");
  if (worker.value("mocked", false)) state += ", mocked";
  return {std::move(state),
          draining || paused ? std::optional(terminal::Colour::kYellow) : std::nullopt};
}

}  // namespace

int list_workers(const ClientContext& context, const std::string& pool) {
  const auto asked = ask(context, "GET", "/v1/workers");
  if (!asked.answer) return asked.status;
  auto answer = asked.answer->json();
  if (!pool.empty()) {
    std::vector<std::string> known;
    for (const auto& worker : answer.value("workers", OrderedJson::array()))
      known.push_back(cell(worker, "pool"));
    const int refused =
        refuse_unknown_name(context, fmt::format("no worker serves pool '{}'", pool), pool, known);
    if (refused != terminal::kExitOk) return refused;
    std::erase_if(answer["workers"].get_ref<OrderedJson::array_t&>(),
                  [&](const auto& worker) { return cell(worker, "pool") != pool; });
  }
  if (context.view.json()) {
    print_json(answer);
    return terminal::kExitOk;
  }
  terminal::Table table{.columns = {{.heading = "WORKER", .holds = terminal::Holds::kIds},
                                    {.heading = "POOL", .least = 8},
                                    {.heading = "HELD", .align = terminal::Align::kRight},
                                    {.heading = "STATE"},
                                    {.heading = "STARTED", .rank = 1},
                                    {.heading = "HOST", .least = 8, .rank = 2},
                                    {.heading = "PROCESS", .rank = 3}},
                        .nothing = "no workers; start one: toolway worker"};
  // A process has a line for each of its pools.
  for (const auto& worker : answer.value("workers", OrderedJson::array()))
    table.rows.push_back(
        {.cells = {cell(worker, "worker_id"), cell(worker, "pool"),
                   cell(worker, "held") + "/" + cell(worker, "slots"), worker_state(worker),
                   terminal::moment_text(cell(worker, "started_at"), context.view),
                   cell(worker, "host"), cell(worker, "process")}});
  fmt::print("{}", terminal::render(std::move(table), context.view));
  return terminal::kExitOk;
}

}  // namespace toolway::cli::client
