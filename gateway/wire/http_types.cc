#include "gateway/wire/http_types.h"

#include <fmt/format.h>

#include <boost/beast/http/status.hpp>

namespace toolway::gateway::wire {

std::string_view reason_of(unsigned status) {
  const auto reason =
      boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  return {reason.data(), reason.size()};
}

Response problem_response(const Problem& problem, std::string_view request_id) {
  Response response{.status = status_of(problem),
                    .content_type = "application/problem+json",
                    .body = problem_json(problem, request_id)};
  if (const auto wait = retry_after_seconds(problem)) {
    response.headers += fmt::format("retry-after: {}\r\n", *wait);
  }
  if (!problem.allow.empty()) response.headers += "allow: " + problem.allow + "\r\n";
  if (!problem.challenge.empty())
    response.headers += "www-authenticate: " + problem.challenge + "\r\n";
  return response;
}

}  // namespace toolway::gateway::wire
