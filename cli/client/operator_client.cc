#include "cli/client/operator_client.h"

#include "base/try.h"
#include "cli/client/problem.h"

namespace toolway::cli::client {

Error error_of(const HttpAnswer& answer) {
  const auto failure = failure_of(answer, {});
  const auto problem = answer.json();
  Error error{failure.code, failure.what};
  // A question of it (did you mean …?) is asked here, since nothing else of the failure is kept.
  if (failure.code != ErrorCode::kUnauthenticated && problem.is_object() &&
      problem.contains("detail") && problem["detail"].is_string())
    error.message = problem["detail"].get<std::string>();
  if (failure.code == ErrorCode::kNotFound &&
      failure.what.starts_with("nothing is served at this path"))
    error.message =
        "the gateway does not know this request: it is of another version than this command "
        "(" TOOLWAY_VERSION "), or check --url or TOOLWAY_URL";
  if (!problem.is_object()) error.message += "; " + failure.next;
  for (const auto& detail : failure.details) {
    // The detail of an invalid request repeats them.
    if (error.message.find(detail) == std::string::npos) error.message += "\n" + detail;
  }
  return error;
}

Result<OrderedJson> json_answer(HttpClient& client, std::string_view method,
                                const std::string& target, const std::string& body) {
  ASSIGN_OR_RETURN(const auto answer, client.request(method, target, body));
  if (!answer.ok()) return fail(error_of(answer));
  if (const auto error = unless_object(answer)) return fail(*error);
  return answer.json();
}

Result<OrderedJson> json_answer(const ClientOptions& options, std::string_view method,
                                const std::string& target, const std::string& body) {
  ASSIGN_OR_RETURN(const auto client, HttpClient::create(options));
  return json_answer(*client, method, target, body);
}

}  // namespace toolway::cli::client
