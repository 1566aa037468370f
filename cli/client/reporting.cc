#include "cli/client/reporting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/nearest_names.h"
#include "cli/client/filter_hints.h"
#include "cli/client/problem.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/short_ids.h"

namespace toolway::cli::client {
namespace {

terminal::Colour outcome_colour(const std::string& outcome) {
  return outcome == "succeeded" ? terminal::Colour::kGreen : terminal::Colour::kRed;
}

/// The user's sessions that may have been meant; none when the gateway does not tell soon.
std::vector<std::string> near_sessions(const ClientContext& context, const std::string& wanted) {
  auto http = context.http;
  http.timeout = std::chrono::seconds(2);
  auto client = HttpClient::create(std::move(http));
  if (!client || wanted.empty()) return {};
  const auto answer = (*client)->request("GET", "/v1/sessions?limit=200");
  if (!answer || !answer->ok()) return {};
  std::vector<std::string> names;
  const auto body = answer->json();
  for (const auto& session : body.value("sessions", OrderedJson::array()))
    names.push_back(cell(session, "session_id"));
  return nearest_names(wanted, names);
}

/// Whether the gateway serves nothing at the path of a request.
bool is_unknown_path(const HttpAnswer& answer) {
  const auto problem = answer.json();
  return cell(problem, "code") == "not_found" &&
         cell(problem, "detail").starts_with("nothing is served at this path");
}

/// The gateway does not know what this command asked: one of them is older.
terminal::Failure of_another_version(const ClientContext& context) {
  auto client = HttpClient::create(context.http);
  const auto alive = client ? (*client)->request("GET", "/livez") : tl::unexpected(client.error());
  const auto version = alive && alive->ok() ? cell(alive->json(), "version") : std::string();
  if (version == TOOLWAY_VERSION)
    return {.code = ErrorCode::kNotFound,
            .what = "the gateway does not know this request",
            .next = fmt::format("check --url, and the names that you gave: {}", context.http.url)};
  return {.code = ErrorCode::kNotFound,
          .what = fmt::format("the gateway does not know this request: it is of {}, this command "
                              "of {}",
                              version.empty() ? "another version" : "version " + version,
                              TOOLWAY_VERSION),
          .next = fmt::format("use a `toolway` of the gateway's version, or check --url: {}",
                              context.http.url)};
}

}  // namespace

int report_problem(const ClientContext& context, const HttpAnswer& answer,
                   terminal::Subject subject) {
  subject.with_credential = has_token(context.http.reach);
  if (context.view.json() && answer.json().is_object()) {
    std::fflush(stdout);
    fmt::print(stderr, "{}\n",
               answer.json().dump(2, ' ', false, OrderedJson::error_handler_t::replace));
  } else {
    auto failure = failure_of(answer, subject);
    if (failure.code == ErrorCode::kUnknownSession && failure.suggestions.empty())
      failure.suggestions = near_sessions(context, subject.session);
    if (is_unknown_path(answer)) failure = of_another_version(context);
    terminal::print_failure(context.view, failure);
  }
  // What was typed wrongly is wrong usage, also when the gateway found it; a page of a proxy has no
  // status of ours.
  const auto code = failure_of(answer, subject).code;
  return code == ErrorCode::kInvalidRequest || code == ErrorCode::kInvalidIdentifier ||
                 !answer.json().is_object()
             ? terminal::exit_code(code)
             : terminal::exit_code_of_status(answer.status);
}

GatewayAnswer ask(const ClientContext& context, std::string_view method, const std::string& target,
                  const std::string& body, const HttpClient::Headers& headers, Wanted wanted) {
  const auto subject = subject_of(target, body);
  auto client = HttpClient::create(context.http);
  if (!client)
    return {.answer = {}, .status = terminal::report_error(context.view, client.error())};
  auto answer = (*client)->request(method, target, body, headers);
  if (!answer)
    return {.answer = {}, .status = terminal::report_error(context.view, answer.error(), subject)};
  if (!answer->ok()) return {.answer = {}, .status = report_problem(context, *answer, subject)};
  if (const auto error = unless_object(*answer); error && wanted == Wanted::kObject)
    return {.answer = {}, .status = terminal::report_error(context.view, *error)};
  return {.answer = std::move(*answer), .status = 0};
}

int ask_and_show(const ClientContext& context, std::string_view method, const std::string& target,
                 const std::string& body, const std::function<void(const OrderedJson&)>& print) {
  const auto asked = ask(context, method, target, body);
  if (!asked.answer) return asked.status;
  const auto answer = asked.answer->json();
  context.view.json() ? print_json(answer) : print(answer);
  return terminal::kExitOk;
}

int refuse_unknown_name(const ClientContext& context, const std::string& what,
                        const std::string& name, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return terminal::kExitOk;
  const Error error{ErrorCode::kNotFound, what};
  const std::set<std::string> all(known.begin(), known.end());
  if (context.view.json()) return terminal::report_error(context.view, error);
  terminal::print_failure(
      context.view,
      {.code = error.code,
       .what = error.message,
       .suggestions = nearest_names(name, {all.begin(), all.end()}),
       .next = all.empty() ? std::string() : fmt::format("there are: {}", fmt::join(all, ", "))});
  return terminal::exit_code(error.code);
}

Following signs_of(const ClientContext& context, const std::string& opened) {
  const auto saying = [context](const std::string& text) -> std::function<void()> {
    return [context, text] {
      if (context.view.json()) return;
      std::fflush(stdout);
      fmt::print(stderr, "{}\n", context.view.error_style(terminal::Colour::kDim, text));
    };
  };
  return {.opened = saying(opened),
          .lost = saying(context.http.url + " does not answer; trying again for a minute"),
          .back = saying(context.http.url + " answers again"),
          .first_try = Following::FirstTry::kFails};
}

void say_filter_hints(const ClientContext& context, const CallListOptions& options) {
  if (options.tool.empty() && options.namespace_.empty() && options.error_code.empty()) return;
  auto client = HttpClient::create(context.http);
  if (!client) return;
  const auto answer = (*client)->request("GET", "/v1/tools");
  if (!answer || !answer->ok() || !answer->json().is_object()) return;
  for (const auto& hint : filter_hints(options, answer->json()))
    terminal::print_warning(context.view, hint);
}

bool is_for_benchmarks(const OrderedJson& tool) {
  return cell(tool, "namespace") == "bench" && cell(tool, "category") == "benchmark";
}

void say_warnings(const ClientContext& context, const OrderedJson& answer) {
  if (!answer.is_object() || !answer.contains("warnings") || !answer["warnings"].is_array()) return;
  for (const auto& warning : answer["warnings"])
    if (warning.is_string()) terminal::print_warning(context.view, warning.get<std::string>());
}

std::string cell(const OrderedJson& object, const char* field) {
  if (!object.is_object() || !object.contains(field)) return {};
  const auto& value = object[field];
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  return to_text(value);
}

void say_behind(const ClientContext& context, const OrderedJson& body) {
  // Names are for a program.
  if (context.view.output == terminal::Output::kName) return;
  if (!body.is_object() || !body.value("behind", false)) return;
  fmt::print("{}\n",
             context.view.style(
                 terminal::Colour::kDim,
                 "the collectors have not recorded everything yet: ask again for the rest"));
}

void print_json(const OrderedJson& value) {
  fmt::print("{}\n", value.dump(2, ' ', false, OrderedJson::error_handler_t::replace));
}

std::string clock_time(const std::string& rfc3339) {
  const auto time = rfc3339.find('T');
  return time == std::string::npos ? rfc3339 : rfc3339.substr(time + 1, 12);
}

terminal::Cell state_cell(const OrderedJson& call) {
  const auto outcome = cell(call, "outcome");
  if (outcome.empty())
    return {cell(call, "state"), cell(call, "state") == "running"
                                     ? std::optional(terminal::Colour::kCyan)
                                     : std::nullopt};
  return {outcome, outcome_colour(outcome)};
}

std::string result_text(const OrderedJson& call) {
  auto result = cell(call, "result");
  return result.empty() ? cell(call.value("error", OrderedJson()), "message") : result;
}

std::string outcome_text(const std::string& outcome, const terminal::Style& style) {
  return style(outcome_colour(outcome), outcome);
}

namespace {

/// What an event says besides its type; of a completion besides its outcome.
std::string event_words(const OrderedJson& event, const std::string& type, bool fits) {
  if (type == "progress") {
    const auto total = cell(event, "total");
    return cell(event, "progress") + (total.empty() ? "" : "/" + total) + " " +
           cell(event, "message");
  }
  if (type == "log") return cell(event, "level") + ": " + cell(event, "message");
  if (type == "completed") {
    if (event.contains("error") && event["error"].is_object())
      return cell(event["error"], "code") + ": " + cell(event["error"], "message");
    return cell(event, "result");
  }
  constexpr std::size_t kShortWorker = 8;
  if (type == "started")
    return "by " + cell(event, "worker_id").substr(0, fits ? kShortWorker : 64);
  if (type == "input_requested" || type == "input_provided") return asked_text(event);
  return cell(event, "reason");
}

}  // namespace

std::string asked_text(const OrderedJson& event) {
  std::vector<std::string> asked;
  for (const auto& key : event.value("answered", OrderedJson::array()))
    if (key.is_string()) asked.push_back(key.get<std::string>());
  if (!asked.empty()) return fmt::format("answered: {}", fmt::join(asked, ", "));
  if (event.value("parked", false)) return "waits for an answer without a worker";
  for (const auto& question : event.value("questions", OrderedJson::array())) {
    const auto params = question.value("params", OrderedJson());
    const auto message = params.is_object() ? cell(params, "message") : std::string();
    asked.push_back(fmt::format("{}: {}", cell(question, "key"),
                                message.empty() ? cell(question, "method") : message));
  }
  return fmt::format("{}", fmt::join(asked, "; "));
}

std::string event_line(const OrderedJson& event, const terminal::View& view) {
  constexpr std::size_t kLeast = 12;  // of a narrow terminal's line, for what the event says
  const bool fits = view.fits();
  const auto type = cell(event, "type");
  const auto whole = cell(event, "call_id");
  const auto time = clock_time(cell(event, "time"));
  const auto about =
      fmt::format(" {} {}.{} {:<9} ", fits ? terminal::short_ids({whole}).front() : whole,
                  cell(event, "namespace"), cell(event, "tool"), type);
  const auto outcome = type == "completed" ? cell(event, "outcome") + " " : std::string();
  auto words = event_words(event, type, fits);
  const std::size_t used = time.size() + about.size() + outcome.size();
  if (fits)
    words = terminal::shorten(words, used + kLeast < view.width ? view.width - used : kLeast);
  return view.style(terminal::Colour::kDim, time) + about +
         (outcome.empty() ? std::string()
                          : outcome_text(cell(event, "outcome"), view.style) + " ") +
         words;
}

}  // namespace toolway::cli::client
