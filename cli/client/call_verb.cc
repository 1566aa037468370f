#include <fmt/format.h>

#include <set>

#include "cli/client/follow.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/exit_code.h"
#include "cli/process/files.h"

namespace toolway::cli {
namespace {

/// Opens the session with every namespace there is, unless it exists.
int ensure_session(const ClientContext& context, HttpClient& client, const std::string& session) {
  auto there = client.request("GET", "/v1/sessions/" + url_escape(session));
  if (!there) return report_error(there.error());
  if (there->ok()) return kExitOk;
  if (there->status != 404) return report_problem(*there, context.style);
  auto tools = client.request("GET", "/v1/tools");
  if (!tools) return report_error(tools.error());
  if (!tools->ok()) return report_problem(*tools, context.style);
  std::set<std::string> namespaces;
  for (const auto& tool : tools->json().value("tools", OrderedJson::array()))
    namespaces.insert(cell(tool, "namespace"));
  const OrderedJson body = {{"session_id", session}, {"namespaces", namespaces}};
  auto opened = client.request("POST", "/v1/sessions", to_text(body));
  if (!opened) return report_error(opened.error());
  return opened->ok() ? kExitOk : report_problem(*opened, context.style);
}

int show_completed(const ClientContext& context, const OrderedJson& call) {
  const bool succeeded = cell(call, "outcome") == "succeeded";
  if (context.output == Output::kJson) {
    print_json(call);
  } else if (succeeded) {
    print_json(call.value("result", OrderedJson()));
  } else {
    const auto error = call.value("error", OrderedJson());
    fmt::print(stderr, "{} {}: {}\n", outcome_text(cell(call, "outcome"), context.style),
               cell(error, "code"), cell(error, "message"));
  }
  return succeeded ? kExitOk : kExitNotSucceeded;
}

}  // namespace

int call_tool(const ClientContext& context, const CallOptions& options) {
  auto text = options.arguments;
  if (text.starts_with('@')) {
    auto file = read_file(text.substr(1));
    if (!file) return report_error(file.error());
    text = *file;
  }
  auto arguments = parse_ordered_json(text);
  if (!arguments) return report_error(arguments.error());
  auto client = HttpClient::create(context.http);
  if (!client) return report_error(client.error());
  if (const int status = ensure_session(context, **client, options.session); status != kExitOk)
    return status;
  OrderedJson body = {{"tool", options.tool}, {"arguments", *arguments}};
  if (!options.tool_call_id.empty()) body["tool_call_id"] = options.tool_call_id;
  HttpClient::Headers headers;
  if (options.wait) headers["Prefer"] = "wait=60";
  if (!options.idempotency_key.empty()) headers["Idempotency-Key"] = options.idempotency_key;
  auto answer = (*client)->request("POST", "/v1/sessions/" + url_escape(options.session) + "/calls",
                                   to_text(body), headers);
  if (!answer) return report_error(answer.error());
  if (!answer->ok()) return report_problem(*answer, context.style);
  const auto accepted = answer->json();
  if (answer->status == 200) return show_completed(context, accepted);
  if (!options.follow) {
    if (context.output == Output::kJson) print_json(accepted);
    else
      fmt::print("{} {}  {}\n", cell(accepted, "status"), cell(accepted, "call_id"),
                 context.style(Colour::kDim, "toolway calls show " + cell(accepted, "call_id")));
    return kExitOk;
  }
  OrderedJson completed;
  const auto followed = follow_events(
      **client, "/v1/calls/" + cell(accepted, "call_id") + "/events", "0", [&](const SseEvent& event) {
        auto parsed = parse_ordered_json(event.data);
        if (!parsed) return true;
        if (context.output == Output::kJson) fmt::print("{}\n", to_text(*parsed));
        else fmt::print("{}\n", event_line(*parsed, context.style));
        std::fflush(stdout);
        if (event.type == "completed") completed = std::move(*parsed);
        return completed.is_null();
      });
  if (!followed) return report_error(followed.error());
  if (!followed->ok()) return report_problem(*followed, context.style);
  return cell(completed, "outcome") == "succeeded" ? kExitOk : kExitNotSucceeded;
}

}  // namespace toolway::cli
