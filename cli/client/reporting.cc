#include "cli/client/reporting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "cli/terminal/exit_code.h"

namespace toolway::cli::client {
namespace {

terminal::Colour outcome_colour(const std::string& outcome) {
  return outcome == "succeeded" ? terminal::Colour::kGreen : terminal::Colour::kRed;
}

}  // namespace

int report_error(const Error& error) {
  fmt::print(stderr, "toolway: {}\n", error.message);
  return terminal::exit_code(error.code);
}

int report_problem(const HttpAnswer& answer, const terminal::Style& style) {
  const auto problem = answer.json();
  if (!problem.is_object()) {
    fmt::print(stderr, "toolway: HTTP {}: {}\n", answer.status,
               terminal::shorten(answer.body, 200));
    return terminal::exit_code_of_status(answer.status);
  }
  const auto code = cell(problem, "code");
  const auto detail = cell(problem, "detail");
  fmt::print(stderr, "{} {}\n", style(terminal::Colour::kRed, code.empty() ? "error" : code),
             detail.empty() ? cell(problem, "title") : detail);
  if (problem.contains("errors") && problem["errors"].is_array())
    for (const auto& error : problem["errors"])
      fmt::print(stderr, "  {}: {}\n", cell(error, "path").empty() ? "/" : cell(error, "path"),
                 cell(error, "message"));
  if (problem.contains("suggestions") && problem["suggestions"].is_array() &&
      !problem["suggestions"].empty()) {
    fmt::print(stderr, "  did you mean: {}\n",
               fmt::join(problem["suggestions"].get<std::vector<std::string>>(), ", "));
  }
  return terminal::exit_code_of_status(answer.status);
}

Asked ask(const ClientContext& context, std::string_view method, const std::string& target,
          const std::string& body, const HttpClient::Headers& headers) {
  auto client = HttpClient::create(context.http);
  if (!client) return {.answer = {}, .status = report_error(client.error())};
  auto answer = (*client)->request(method, target, body, headers);
  if (!answer) return {.answer = {}, .status = report_error(answer.error())};
  if (!answer->ok()) return {.answer = {}, .status = report_problem(*answer, context.view.style)};
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

void say_warnings(const OrderedJson& answer) {
  if (!answer.is_object() || !answer.contains("warnings") || !answer["warnings"].is_array()) return;
  std::fflush(stdout);
  for (const auto& warning : answer["warnings"]) {
    if (warning.is_string())
      fmt::print(stderr, "toolway: warning: {}\n", warning.get<std::string>());
  }
}

std::string cell(const OrderedJson& object, const char* field) {
  if (!object.is_object() || !object.contains(field)) return {};
  const auto& value = object[field];
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  return to_text(value);
}

void say_behind(const ClientContext& context, const OrderedJson& body) {
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

std::string event_line(const OrderedJson& event, const terminal::Style& style) {
  const auto type = cell(event, "type");
  std::string text;
  if (type == "progress") {
    const auto total = cell(event, "total");
    text =
        cell(event, "progress") + (total.empty() ? "" : "/" + total) + " " + cell(event, "message");
  } else if (type == "log") {
    text = cell(event, "level") + ": " + cell(event, "message");
  } else if (type == "completed") {
    text = outcome_text(cell(event, "outcome"), style) + " ";
    if (event.contains("error") && event["error"].is_object())
      text += cell(event["error"], "code") + ": " + cell(event["error"], "message");
    else
      text += terminal::shorten(cell(event, "result"), 100);
  } else if (type == "started") {
    text = "by " + cell(event, "worker_id");
  } else {
    text = cell(event, "reason");
  }
  return fmt::format("{} {} {}.{} {:<9} {}",
                     style(terminal::Colour::kDim, clock_time(cell(event, "time"))),
                     cell(event, "call_id").substr(0, 13), cell(event, "namespace"),
                     cell(event, "tool"), type, text);
}

}  // namespace toolway::cli::client
