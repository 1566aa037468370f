#include "cli/client/problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/terminal/table.h"

namespace toolway::cli::client {
namespace {

std::string text_at(const OrderedJson& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// `/v1/sessions/<name>/…`: the name, decoded.
std::string part_after(std::string_view target, std::string_view prefix) {
  if (!target.starts_with(prefix)) return {};
  target.remove_prefix(prefix.size());
  const auto part = target.substr(0, target.find_first_of("/?"));
  return percent_decoded(part).value_or(std::string(part));
}

/// `/timezone` is the argument `timezone`, `?since` the option `--since`, `/` or nothing the whole.
std::string place_of(const std::string& path) {
  if (path.empty() || path == "/") return {};
  if (path.front() == '/') return path.substr(1) + ": ";
  if (path.front() != '?') return path + ": ";
  if (path == "?error_code") return "--error: ";
  auto option = "--" + path.substr(1);
  std::replace(option.begin(), option.end(), '_', '-');
  return option + ": ";
}

/// A query's value, decoded; empty: it has none.
std::string query_value(std::string_view target, std::string_view name) {
  auto query = target.substr(std::min(target.find('?'), target.size()));
  while (!query.empty()) {
    query.remove_prefix(1);  // ? or &
    const auto part = query.substr(0, query.find('&'));
    if (part.starts_with(name) && part.substr(name.size()).starts_with("="))
      return percent_decoded(part.substr(name.size() + 1)).value_or(std::string());
    query.remove_prefix(part.size());
  }
  return {};
}

/// Whether the error names the place of what is wrong, as JSON or a query has it.
bool begins_with_place(const std::string& detail) {
  return (detail.starts_with("/") || detail.starts_with("?")) &&
         detail.find(": ") != std::string::npos;
}

terminal::Failure without_document(const HttpAnswer& answer) {
  // From the proxy in front of the gateway that logs users in.
  if (answer.status == 401)
    return {.code = ErrorCode::kUnauthenticated,
            .what = "the server asks for a token, or does not accept the one it got (401)",
            .next = "use one that has not expired: --key-file FILE, or TOOLWAY_API_KEY"};
  return {
      .code = answer.status == 403 ? ErrorCode::kPermissionDenied : ErrorCode::kBusUnavailable,
      .what = fmt::format("the server answered {}, which is not an answer of a Toolway gateway: {}",
                          answer.status, terminal::shorten(answer.body, 120)),
      .next = "check --url or TOOLWAY_URL: another program may listen there"};
}

}  // namespace

std::optional<ErrorCode> code_of(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i)
    if (code_name(static_cast<ErrorCode>(i)) == name) return static_cast<ErrorCode>(i);
  return std::nullopt;
}

terminal::Subject subject_of(std::string_view target, const std::string& body) {
  terminal::Subject subject{.session = part_after(target, "/v1/sessions/"),
                            .call = part_after(target, "/v1/calls/")};
  if (subject.session.empty()) subject.session = query_value(target, "session");
  if (const auto sent = parse_ordered_json(body); sent && sent->is_object()) {
    subject.tool = text_at(*sent, "tool");
    if (subject.session.empty()) subject.session = text_at(*sent, "session_id");
  }
  return subject;
}

terminal::Failure failure_of(const HttpAnswer& answer, const terminal::Subject& subject) {
  const auto problem = answer.json();
  if (!problem.is_object() || text_at(problem, "code").empty()) return without_document(answer);
  const auto code = code_of(text_at(problem, "code")).value_or(ErrorCode::kInternal);
  const auto detail = text_at(problem, "detail");
  terminal::Failure failure{.code = code,
                            .what = terminal::what_happened(
                                code, detail.empty() ? text_at(problem, "title") : detail, subject),
                            .next = terminal::next_step(code, subject, detail)};
  if (const auto errors = problem.find("errors"); errors != problem.end() && errors->is_array()) {
    for (const auto& error : *errors)
      if (error.is_object())
        failure.details.push_back(place_of(text_at(error, "path")) + text_at(error, "message"));
  }
  // What was typed had other names than what was sent.
  if (code != ErrorCode::kInvalidArguments && failure.details.size() <= 1 &&
      begins_with_place(detail)) {
    const auto end = detail.find(": ");
    failure.what = place_of(detail.substr(0, end)) + detail.substr(end + 2);
    failure.details.clear();
  }
  // The detail repeats the violations.
  if (code == ErrorCode::kInvalidArguments && !failure.details.empty())
    failure.what = "the arguments do not fit " +
                   (subject.tool.empty() ? std::string("the tool") : "tool '" + subject.tool + "'");
  if (const auto near = problem.find("suggestions"); near != problem.end() && near->is_array()) {
    for (const auto& name : *near)
      if (name.is_string()) failure.suggestions.push_back(name.get<std::string>());
  }
  return failure;
}

Error not_a_gateway(const HttpAnswer& answer) {
  return {ErrorCode::kBusUnavailable,
          fmt::format("what answers is not a Toolway gateway, or one of another version than this "
                      "command ({}): check --url or TOOLWAY_URL. It said: {}",
                      TOOLWAY_VERSION, terminal::shorten(answer.body, 60))};
}

std::optional<Error> unless_object(const HttpAnswer& answer) {
  if (!answer.ok() || answer.status == 204 || answer.json().is_object()) return std::nullopt;
  return not_a_gateway(answer);
}

}  // namespace toolway::cli::client
