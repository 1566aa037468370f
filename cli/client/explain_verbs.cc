// What a person does when a call does not end: cancel it, explain it, list the workers.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/terminal/table.h"

namespace toolway::cli::client {

int cancel_call(const ClientContext& context, const CancelOptions& options) {
  OrderedJson body = OrderedJson::object();
  if (!options.reason.empty()) body["reason"] = options.reason;
  return ask_and_show(
      context, "POST", "/v1/calls/" + percent_encoded(options.call) + "/cancel", to_text(body),
      [&](const OrderedJson& answer) {
        const auto state = cell(answer, "state");
        const auto worker = cell(answer, "worker");
        if (state == "cancelling")
          fmt::print("{}  {}\n", state,
                     worker == "told" ? "its worker was told" : "its worker: " + worker);
        else
          fmt::print(
              "{}{}\n", state,
              state == "completed"
                  ? "  it had ended: " + outcome_text(cell(answer, "outcome"), context.view.style)
                  : "");
      });
}

int explain_call(const ClientContext& context, const std::string& call) {
  return ask_and_show(
      context, "GET", "/v1/calls/" + percent_encoded(call) + "/explain", {},
      [](const OrderedJson& answer) {
        fmt::print("{}\n", cell(answer, "summary"));
        for (const auto& reason : answer.value("reasons", OrderedJson::array()))
          fmt::print("  {:<18} {}\n", cell(reason, "code"), cell(reason, "message"));
        std::vector<std::vector<std::string>> rows;
        for (const auto& attempt : answer.value("attempts", OrderedJson::array()))
          rows.push_back({cell(attempt, "attempt"), cell(attempt, "worker_id"),
                          clock_time(cell(attempt, "started_at")), cell(attempt, "ended"),
                          cell(attempt, "error")});
        if (!rows.empty())
          fmt::print("{}", terminal::render_table(
                               {"ATTEMPT", "WORKER", "STARTED", "ENDED", "ERROR"}, rows));
      });
}

int list_workers(const ClientContext& context) {
  return ask_and_show(context, "GET", "/v1/workers", {}, [](const OrderedJson& answer) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& worker : answer.value("workers", OrderedJson::array())) {
      const bool draining = worker.value("draining", false);
      const bool paused = worker.value("paused", false);
      rows.push_back({cell(worker, "worker_id"), cell(worker, "pool"),
                      cell(worker, "held") + "/" + cell(worker, "slots"),
                      std::string(draining ? "draining"
                                  : paused ? "paused"
                                           : "running") +
                          (worker.value("mocked", false) ? ", mocked" : ""),
                      cell(worker, "started_at"), cell(worker, "host"), cell(worker, "process")});
    }
    fmt::print("{}", terminal::render_table(
                         {"WORKER", "POOL", "HELD", "STATE", "SINCE", "HOST", "PROCESS"}, rows));
  });
}

}  // namespace toolway::cli::client
