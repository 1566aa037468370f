#include "gateway/endpoints/face_error.h"

#include <algorithm>
#include <array>

#include "tools/messages/api_writer.h"

namespace toolway::gateway::endpoints {
namespace {

using tools::exports::ModelApi;

constexpr std::string_view kInvalid = "invalid_request_error";
constexpr std::string_view kOverloaded = "overloaded_error";
constexpr std::string_view kApiError = "api_error";

struct KnownError {
  std::string_view code;
  unsigned status = 0;
  std::string_view type;
};
constexpr KnownError kOtherError{"", 500, kApiError};
constexpr std::array kErrors{KnownError{"rate_limited", 429, "rate_limit_error"},
                             KnownError{"invalid_arguments", 400, kInvalid},
                             KnownError{"invalid_request", 400, kInvalid},
                             KnownError{"too_long", 400, kInvalid},
                             KnownError{"max_iterations", 400, kInvalid},
                             KnownError{"repeats", 400, kInvalid},
                             KnownError{"cancelled", 400, kInvalid},
                             KnownError{"not_configured", 503, kOverloaded},
                             KnownError{"overloaded", 503, kOverloaded},
                             KnownError{"unavailable", 503, kOverloaded},
                             KnownError{"timeout", 504, kApiError}};

std::string_view type_of(unsigned status) {
  switch (status) {
    case 401: return "authentication_error";
    case 403: return "permission_error";
    case 404: return "not_found_error";
    case 413: return "request_too_large";
    case 429: return "rate_limit_error";
    case 503: return kOverloaded;
    default: return status < 500 ? kInvalid : kApiError;
  }
}

struct Face {
  std::string_view path;
  ModelApi api;
};
constexpr std::array kFaces{Face{"/v1/chat/completions", ModelApi::kOpenAi},
                            Face{"/v1/responses", ModelApi::kOpenAiResponses},
                            Face{"/v1/messages", ModelApi::kAnthropic}};

/// Both kinds of clients ask for it.
constexpr std::string_view kModels = "/v1/models";

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

FaceError face_error(ModelApi api, std::string_view code, std::string_view message) {
  const auto known = std::ranges::find(kErrors, code, &KnownError::code);
  const auto& [_, status, type] = known == kErrors.end() ? kOtherError : *known;
  return {.status = status, .body = tools::messages::api_error(api, type, message, code)};
}

std::optional<ModelApi> face_of(const wire::Request& request) {
  const auto path = request.target.substr(0, request.target.find('?'));
  if (is_below(path, kModels)) {
    const bool of_anthropic =
        request.head != nullptr && request.head->find("anthropic-version").has_value();
    return of_anthropic ? ModelApi::kAnthropic : ModelApi::kOpenAi;
  }
  const auto face =
      std::ranges::find_if(kFaces, [path](const Face& one) { return is_below(path, one.path); });
  return face == kFaces.end() ? std::nullopt : std::optional(face->api);
}

wire::Response refusal(const wire::Problem& problem, const wire::Request& request) {
  auto response = wire::problem_response(problem, request.request_id);
  const auto api = face_of(request);
  if (!api) return response;
  constexpr unsigned kUnprocessable = 422;  // none of these APIs answers with it
  if (response.status == kUnprocessable) response.status = 400;
  auto body = tools::messages::api_error(*api, type_of(response.status), problem.error.message,
                                         code_name(problem.error.code));
  if (api == ModelApi::kAnthropic) body["request_id"] = request.request_id;
  response.content_type = "application/json";
  response.body = to_text(body);
  if (problem.call_id.empty()) return response;
  response.headers += "x-toolway-call: " + problem.call_id + "\r\n";
  // Under the key of this request, another one gets the same turn.
  if (!request.idempotency_key) response.headers += kNotAgain;
  return response;
}

}  // namespace toolway::gateway::endpoints
