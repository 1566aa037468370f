#include "cli/talk/session_calls.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/client/problem.h"
#include "cli/client/reporting.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::talk {

int print_calls(const client::ClientContext& context, client::HttpClient& http,
                const std::string& session) {
  const auto answer =
      http.request("GET", "/v1/sessions/" + percent_encoded(session) + "/calls?limit=20");
  if (!answer) return terminal::report_error(context.view, answer.error());
  if (!answer->ok()) return client::report_problem(context, *answer);
  for (const auto& call : answer->json().value("calls", OrderedJson::array()))
    fmt::print("{}  {}.{}  {}\n", client::cell(call, "call_id"), client::cell(call, "namespace"),
               client::cell(call, "tool"), client::cell(call, "state"));
  std::fflush(stdout);
  return terminal::kExitOk;
}

}  // namespace toolway::cli::talk
