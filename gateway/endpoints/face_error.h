#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"
#include "gateway/wire/http_types.h"
#include "tools/exports/model_message.h"

/// Errors in the forms of models' APIs, whose clients show `error.message` and `error.code`. Pure.
namespace toolway::gateway::endpoints {

/// A turn's error in the form of an API. `status`: 400 of a turn that failed for its own reasons,
/// since clients try again after 409, 429 and 5xx.
struct FaceError {
  unsigned status = 500;
  OrderedJson body;
};
FaceError face_error(tools::exports::ModelApi api, std::string_view code, std::string_view message);

/// Of a turn that was accepted. It may have run tools, and a client that tried again would begin
/// another one: those of OpenAI and Anthropic heed this header.
inline constexpr std::string_view kNotAgain = "x-should-retry: false\r\n";

/// The API that a request is for, by its path, also where nothing is served there; nothing: none.
std::optional<tools::exports::ModelApi> face_of(const wire::Request& request);

/// The answer of a refused request: a problem, or what the API that it is for has in its place,
/// with the same headers.
wire::Response refusal(const wire::Problem& problem, const wire::Request& request);

}  // namespace toolway::gateway::endpoints
