#include "cli/client/find_call.h"

#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "base/try.h"
#include "cli/client/operator_client.h"
#include "cli/client/problem.h"
#include "cli/client/reporting.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/moment.h"
#include "cli/terminal/short_ids.h"

namespace toolway::cli::client {
namespace {

constexpr std::size_t kWholeId = 36;
constexpr unsigned kMaxShown = 10;

Result<OrderedJson> page(HttpClient& client, const std::string& target, const char* array) {
  ASSIGN_OR_RETURN(const auto answer, client.request("GET", target));
  if (answer.status == 404 && answer.json().is_object()) return OrderedJson();
  if (!answer.ok()) return fail(error_of(answer));
  if (const auto error = unless_object(answer)) return fail(*error);
  return answer.json().value(array, OrderedJson::array());
}

/// The newest calls of the user, over all sessions; of a gateway without that list, those of the
/// newest sessions.
Result<OrderedJson> recent_calls(HttpClient& client) {
  ASSIGN_OR_RETURN(auto calls, page(client, "/v1/calls?limit=1000", "calls"));
  if (calls.is_array()) return calls;
  ASSIGN_OR_RETURN(const auto sessions, page(client, "/v1/sessions?limit=50", "sessions"));
  if (!sessions.is_array())
    return fail(ErrorCode::kNotFound,
                "the gateway has no lists of calls and sessions: it is of another version than "
                "this command (" TOOLWAY_VERSION "), or check --url or TOOLWAY_URL");
  calls = OrderedJson::array();
  for (const auto& session : sessions) {
    const auto target =
        "/v1/sessions/" + percent_encoded(cell(session, "session_id")) + "/calls?limit=200";
    ASSIGN_OR_RETURN(const auto own, page(client, target, "calls"));
    for (const auto& call : own) calls.push_back(call);
  }
  return calls;
}

terminal::Failure not_one(const ClientContext& context, const std::string& given,
                          const std::vector<OrderedJson>& meant) {
  terminal::Failure failure{.code = ErrorCode::kUnknownCall, .what = {}};
  if (meant.empty()) {
    failure.what = fmt::format("no recent call has an id that ends or begins with '{}'", given);
    failure.next = "list calls: toolway calls list; an older call needs its whole id";
    return failure;
  }
  failure.what = fmt::format("'{}' may mean {} calls", given, meant.size());
  for (const auto& call : meant) {
    if (failure.details.size() == kMaxShown) break;
    failure.details.push_back(fmt::format(
        "{}  {}.{}  {}", cell(call, "call_id"), cell(call, "namespace"), cell(call, "tool"),
        terminal::moment_text(cell(call, "submitted_at"), context.view)));
  }
  failure.next = "give more of the id";
  return failure;
}

FoundCall reported(const ClientContext& context, const terminal::Failure& failure) {
  if (context.view.json())
    return {{}, terminal::report_error(context.view, {failure.code, failure.what})};
  terminal::print_failure(context.view, failure);
  return {{}, terminal::exit_code(failure.code)};
}

}  // namespace

FoundCall find_call(const ClientContext& context, const std::string& given) {
  if (given.size() >= kWholeId) return {given, terminal::kExitOk};
  if (given.size() < terminal::kShortIdLength)
    return reported(context, {.code = ErrorCode::kUnknownCall,
                              .what = fmt::format("'{}' is too short for the id of a call: give at "
                                                  "least {} characters",
                                                  given, terminal::kShortIdLength)});
  auto client = HttpClient::create(context.http);
  if (!client) return {{}, terminal::report_error(context.view, client.error())};
  const auto calls = recent_calls(**client);
  if (!calls) return {{}, terminal::report_error(context.view, calls.error())};
  std::vector<OrderedJson> meant;
  for (const auto& call : *calls)
    if (terminal::may_mean(given, cell(call, "call_id"))) meant.push_back(call);
  if (meant.size() == 1) return {cell(meant.front(), "call_id"), terminal::kExitOk};
  return reported(context, not_one(context, given, meant));
}

}  // namespace toolway::cli::client
