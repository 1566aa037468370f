#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mistake.h"
#include "base/result.h"

namespace toolway::gateway::wire {

/// What a refused request gets: an error, and what belongs to its code.
struct Problem {
  using Carried = Error;  ///< an Error becomes a Problem by itself
  Error error;
  std::vector<Mistake> errors{};           ///< of invalid_arguments and invalid_request
  std::vector<std::string> suggestions{};  ///< of unknown_tool, nearest first
  std::string call_id{};  ///< of accept_unknown, and of one that runs and cannot be followed
  /// Instead of the code's own: 400 for what is not HTTP, 431 for its header.
  std::optional<unsigned> status{};
  std::string allow{};      ///< of method_not_allowed
  std::string challenge{};  ///< of unauthenticated: the header WWW-Authenticate
  std::string scope{};      ///< of permission_denied: the permissions that are missing
};

/// What answers a request, or why it is refused.
template <typename T>
using HttpResult = tl::expected<T, Problem>;

inline tl::unexpected<Problem> refuse(ErrorCode code, std::string message) {
  return tl::unexpected<Problem>(Problem{.error = Error{code, std::move(message)}});
}
inline tl::unexpected<Problem> refuse(Error error) {
  return tl::unexpected<Problem>(Problem{.error = std::move(error)});
}
inline tl::unexpected<Problem> refuse(Problem problem) {
  return tl::unexpected<Problem>(std::move(problem));
}

/// The HTTP status of a code.
unsigned status_of(ErrorCode code);
unsigned status_of(const Problem& problem);

/// What a code means, in a few words; the same for every problem of that code.
std::string_view title_of(ErrorCode code);

/// Seconds for the Retry-After header; nothing when trying again does not help.
std::optional<unsigned> retry_after_seconds(const Problem& problem);

/// The application/problem+json body (RFC 9457).
std::string problem_json(const Problem& problem, std::string_view request_id);

/// A problem of code invalid_request that names the fields.
Problem invalid_request(std::vector<Mistake> errors);

/// The same of one parameter of the query, which breaks `keyword` (of JSON Schema).
Problem invalid_parameter(std::string_view name, std::string keyword, std::string message);

/// What a bus error means to the client of a request that needed the bus.
Problem bus_problem(Error error);

}  // namespace toolway::gateway::wire
