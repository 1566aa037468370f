#include "cli/client/ensure_session.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/client/problem.h"
#include "cli/client/reporting.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::client {

int ensure_session(const ClientContext& context, HttpClient& client, const std::string& session,
                   WhenClosed when_closed) {
  const auto path = "/v1/sessions/" + percent_encoded(session);
  auto there = client.request("GET", path);
  if (!there) return terminal::report_error(context.view, there.error());
  if (const auto error = unless_object(*there)) return terminal::report_error(context.view, *error);
  if (there->ok() && when_closed == WhenClosed::kRestore &&
      cell(there->json(), "state") == "closed") {
    auto restored = client.request("POST", path + "/restore", "{}");
    if (!restored) return terminal::report_error(context.view, restored.error());
    if (!restored->ok()) return report_problem(context, *restored, {.session = session});
    fmt::print(stderr, "toolway: session {} was closed, and is restored\n", session);
    return terminal::kExitOk;
  }
  if (there->ok()) return terminal::kExitOk;
  if (there->status != 404) return report_problem(context, *there, {.session = session});
  const OrderedJson body = {{"session_id", session}, {"namespaces", {"*"}}};
  auto opened = client.request("POST", "/v1/sessions", to_text(body));
  if (!opened) return terminal::report_error(context.view, opened.error());
  return opened->ok() ? terminal::kExitOk : report_problem(context, *opened, {.session = session});
}

}  // namespace toolway::cli::client
