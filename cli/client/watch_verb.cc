#include <fmt/format.h>

#include "base/text.h"
#include "cli/client/follow.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::client {

int watch_session(const ClientContext& context, const WatchOptions& options) {
  auto client = HttpClient::create(context.http);
  if (!client) return terminal::report_error(context.view, client.error());
  const auto followed = follow_events(
      **client, "/v1/sessions/" + percent_encoded(options.session) + "/events", options.after,
      [&](const SseEvent& event) {
        if (context.view.json()) {
          fmt::print("{}\n", event.data);
        } else if (const auto parsed = parse_ordered_json(event.data); parsed) {
          fmt::print("{}\n", event_line(*parsed, context.view));
        }
        std::fflush(stdout);
        return true;
      },
      signs_of(context, "watching " + options.session + "; Ctrl-C ends it"));
  if (!followed) return terminal::report_error(context.view, followed.error());
  return followed->ok() ? terminal::kExitOk
                        : report_problem(context, *followed, {.session = options.session});
}

}  // namespace toolway::cli::client
