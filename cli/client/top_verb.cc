#include <fmt/format.h>

#include <thread>

#include "cli/client/reporting.h"
#include "cli/client/top_view.h"
#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::client {
namespace {

constexpr std::chrono::seconds kInterval{2};

}  // namespace

int show_top(const ClientContext& context, const TopOptions& options) {
  for (;;) {
    TopAnswers answers{.workers = {}, .calls = {}, .metrics = {}, .seconds = options.seconds};
    const auto workers = ask(context, "GET", "/v1/workers");
    if (!workers.answer) return workers.status;
    const auto calls =
        ask(context, "GET", fmt::format("/v1/calls?limit=1000&since={}s", options.seconds));
    if (!calls.answer) return calls.status;
    answers.workers = workers.answer->json();
    answers.calls = calls.answer->json();
    if (context.view.json()) {
      OrderedJson both = answers.workers;
      both["calls"] = answers.calls["calls"];
      print_json(both);
      return terminal::kExitOk;
    }
    const auto metrics = ask(context, "GET", "/metrics", {}, {}, Wanted::kText);
    if (!metrics.answer) return metrics.status;
    answers.metrics = metrics.answer->body;
    const bool live = context.view.terminal && !options.once;
    // Clears what is left of the screen before, below the new one.
    fmt::print("{}{}{}", live ? "\x1b[H" : "", top_text(answers, context.view),
               live ? "\x1b[J" : "");
    if (!live) return terminal::kExitOk;
    std::fflush(stdout);
    std::this_thread::sleep_for(kInterval);
  }
}

}  // namespace toolway::cli::client
