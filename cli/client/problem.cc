#include "cli/client/problem.h"

#include <fmt/format.h>

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

/// `/timezone` is the argument `timezone`, `/` or nothing the whole of them.
std::string place_of(const std::string& path) {
  if (path.empty() || path == "/") return {};
  return (path.front() == '/' ? path.substr(1) : path) + ": ";
}

terminal::Failure without_document(const HttpAnswer& answer) {
  // From the proxy in front of the gateway that logs users in.
  if (answer.status == 401)
    return {.code = ErrorCode::kUnauthenticated,
            .what = "the server asks for a token, or does not accept the one it got (401)",
            .next = "use one that has not expired: --key-file FILE, or TOOLWAY_API_KEY"};
  return {
      .code = answer.status < 500 ? ErrorCode::kInvalidRequest : ErrorCode::kBusUnavailable,
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
                            .next = terminal::next_step(code, subject)};
  if (const auto errors = problem.find("errors"); errors != problem.end() && errors->is_array()) {
    for (const auto& error : *errors)
      if (error.is_object())
        failure.details.push_back(place_of(text_at(error, "path")) + text_at(error, "message"));
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

}  // namespace toolway::cli::client
