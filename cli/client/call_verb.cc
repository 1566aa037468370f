#include <fmt/format.h>

#include <optional>

#include "base/ids.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/client/argument_words.h"
#include "cli/client/arguments.h"
#include "cli/client/call_wait.h"
#include "cli/client/ensure_session.h"
#include "cli/client/follow.h"
#include "cli/client/interruption.h"
#include "cli/client/reporting.h"
#include "cli/client/result_text.h"
#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::client {
namespace {

using std::chrono::seconds;

/// The schema of a tool in a list of tools, by its name with or without namespace; null: it is not
/// there.
Result<OrderedJson> schema_in(HttpClient& client, const std::string& path,
                              const std::string& wanted) {
  ASSIGN_OR_RETURN(const auto answer, client.request("GET", path));
  const auto body = answer.json();
  for (const auto& tool : body.value("tools", OrderedJson::array())) {
    const auto name = cell(tool, "name");
    if (wanted == name || wanted == cell(tool, "namespace") + "." + name)
      return tool.value("input_schema", OrderedJson());
  }
  return OrderedJson();
}

/// The schema of a tool of the session; null when there is no such tool, which the gateway says
/// better.
Result<OrderedJson> schema_of(HttpClient& client, const CallOptions& options) {
  ASSIGN_OR_RETURN(auto schema,
                   schema_in(client, "/v1/sessions/" + percent_encoded(options.session) + "/tools",
                             options.tool));
  const auto dot = options.tool.find('.');
  if (!schema.is_null() || dot == std::string::npos) return schema;
  // What benchmarks call is in no list of all tools.
  return schema_in(client, "/v1/tools?namespace=" + percent_encoded(options.tool.substr(0, dot)),
                   options.tool);
}

Result<OrderedJson> read_arguments(HttpClient& client, const CallOptions& options) {
  if (!are_pairs(options.arguments)) return arguments_of_words(options.arguments);
  ASSIGN_OR_RETURN(const auto schema, schema_of(client, options));
  return object_of_pairs(options.arguments, schema);
}

/// `the call …`.
std::string how_it_ended(const std::string& outcome) {
  if (outcome == "cancelled" || outcome == "rejected") return "was " + outcome;
  if (outcome == "unknown") return "may have run, or not";
  if (outcome == "lost") return "was lost";
  return outcome == "timed_out" ? "timed out" : outcome;
}

/// The whole result of a call that has succeeded, however large; or its preview, with a warning.
void print_whole_result(const ClientContext& context, HttpClient& client, const OrderedJson& call) {
  const auto preview = call.value("result", OrderedJson());
  if (call.value("result_ref", OrderedJson()).is_null()) return print_result(context.view, preview);
  const auto call_id = cell(call, "call_id");
  const auto whole = client.request("GET", "/v1/calls/" + percent_encoded(call_id) + "/result");
  const auto result =
      whole && whole->ok() ? parse_ordered_json(whole->body) : fail(ErrorCode::kInternal, "");
  if (result) return print_result(context.view, *result);
  print_result(context.view, preview);
  std::fflush(stdout);
  terminal::print_warning(context.view,
                          "this is a preview, since the whole result cannot be read "
                          "now; all of it: toolway calls result " +
                              call_id);
}

int show_completed(const ClientContext& context, HttpClient& client, const OrderedJson& call) {
  const bool succeeded = cell(call, "outcome") == "succeeded";
  if (context.view.json()) {
    print_json(call);
  } else if (succeeded) {
    print_whole_result(context, client, call);
  } else {
    const auto error = call.value("error", OrderedJson());
    terminal::print_failure(
        context.view,
        {.what = fmt::format("the call {}: {} ({})", how_it_ended(cell(call, "outcome")),
                             cell(error, "message"), cell(error, "code")),
         .next = "see its history: toolway explain " + cell(call, "call_id")});
  }
  return succeeded ? terminal::kExitOk : terminal::kExitNotSucceeded;
}

int follow_call(const ClientContext& context, HttpClient& client, const std::string& call_id) {
  OrderedJson completed;
  const auto followed =
      follow_events(client, "/v1/calls/" + call_id + "/events", "0", [&](const SseEvent& event) {
        auto parsed = parse_ordered_json(event.data);
        if (!parsed) return true;
        if (context.view.json())
          fmt::print("{}\n", to_text(*parsed));
        else
          fmt::print("{}\n", event_line(*parsed, context.view));
        std::fflush(stdout);
        if (event.type == "completed") completed = std::move(*parsed);
        return completed.is_null();
      });
  if (followed && followed->ok() && !completed.is_null())
    return cell(completed, "outcome") == "succeeded" ? terminal::kExitOk
                                                     : terminal::kExitNotSucceeded;
  const int status = !followed        ? terminal::report_error(context.view, followed.error())
                     : followed->ok() ? terminal::kExitStillRunning
                                      : report_problem(context, *followed);
  fmt::print(stderr, "toolway: {}\n", still_running(call_id));
  return status;
}

/// Empty: the gateway does not tell.
std::string state_of(HttpClient& client, const std::string& call_id) {
  const auto shown = client.request("GET", "/v1/calls/" + call_id);
  return shown && shown->ok() ? cell(shown->json(), "state") : std::string();
}

/// The request of a call, which may be sent again.
struct KeyedRequest {
  std::string target, body;
  HttpClient::Headers headers;
};

int wait_and_show(const ClientContext& context, HttpClient& client, const KeyedRequest& request,
                  const OrderedJson& accepted, seconds timeout) {
  const auto call_id = cell(accepted, "call_id");
  const auto state = cell(accepted, "status");
  if (state == kAwaitingApproval && !context.view.json())
    fmt::print(stderr, "toolway: {}\n", still_running(call_id, {}, state));
  const auto waited = wait_for_completion(client, request.target, request.body, request.headers,
                                          call_id, WaitPlan(timeout));
  if (!waited || (*waited && (*waited)->status != 200)) {
    const int status = waited ? report_problem(context, **waited)
                              : terminal::report_error(context.view, waited.error());
    fmt::print(stderr, "toolway: the call was accepted; {}\n", still_running(call_id));
    return status;
  }
  if (*waited) return show_completed(context, client, (*waited)->json());
  fmt::print(
      stderr, "toolway: {}\n",
      still_running(call_id, timeout, state_of(client, call_id) == "held" ? state : std::string()));
  if (context.view.json()) print_json(accepted);
  return terminal::kExitStillRunning;
}

}  // namespace

int call_tool(const ClientContext& context, const CallOptions& options) {
  auto client = HttpClient::create(context.http);
  if (!client) return terminal::report_error(context.view, client.error());
  if (const int status = ensure_session(
          context, **client, options.session,
          options.session == kOwnSession ? WhenClosed::kRestore : WhenClosed::kLeave);
      status != terminal::kExitOk)
    return status;
  const auto arguments = read_arguments(**client, options);
  if (!arguments) return terminal::report_error(context.view, arguments.error());
  OrderedJson body = {{"tool", options.tool}, {"arguments", *arguments}};
  if (!options.tool_call_id.empty()) body["tool_call_id"] = options.tool_call_id;
  HttpClient::Headers headers;
  // With a key the same request may be sent again, and waits for the call that there is.
  const bool keyed = options.wait || !options.idempotency_key.empty();
  if (keyed)
    headers["Idempotency-Key"] =
        options.idempotency_key.empty() ? "cli-" + random_hex(16) : options.idempotency_key;
  std::optional<Interruption> interruption;
  if (options.wait || options.follow)
    interruption.emplace(
        "interrupted before the call was accepted; it may still run: toolway calls list " +
        options.session);
  const auto target = "/v1/sessions/" + percent_encoded(options.session) + "/calls";
  const auto patience = options.wait ? WaitPlan(seconds(options.timeout_s)).first() : seconds(0);
  const auto answer = submit_call(**client, target, to_text(body), headers, patience);
  const terminal::Subject subject{.session = options.session, .tool = options.tool};
  if (!answer) return terminal::report_error(context.view, answer.error(), subject);
  if (!answer->ok()) return report_problem(context, *answer, subject);
  const auto accepted = answer->json();
  const auto call_id = cell(accepted, "call_id");
  const auto state = cell(accepted, "status");
  if (interruption) interruption->set_sentence(still_running(call_id, {}, state));
  if (options.follow) return follow_call(context, **client, call_id);
  if (options.wait)
    return wait_and_show(context, **client,
                         {.target = target, .body = to_text(body), .headers = headers}, accepted,
                         seconds(options.timeout_s));
  if (context.view.json())
    print_json(accepted);
  else
    fmt::print("{} {}  {}\n", cell(accepted, "status"), call_id,
               context.view.style(terminal::Colour::kDim, "toolway calls show " + call_id));
  return terminal::kExitOk;
}

}  // namespace toolway::cli::client
