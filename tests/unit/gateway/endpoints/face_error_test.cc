#include "gateway/endpoints/face_error.h"

#include <gtest/gtest.h>

namespace toolway::gateway::endpoints {
namespace {

using tools::exports::ModelApi;

// Clients try again after 409, 429 and 5xx, and a turn may have run tools.
TEST(FaceError, ATurnThatFailedForItsOwnReasonsIsNotTriedAgain) {
  for (const auto* code : {"max_iterations", "repeats", "too_long", "invalid_arguments"})
    EXPECT_EQ(face_error(ModelApi::kOpenAi, code, "m").status, 400U) << code;
  EXPECT_EQ(face_error(ModelApi::kAnthropic, "rate_limited", "m").status, 429U);
  EXPECT_EQ(face_error(ModelApi::kAnthropic, "else", "m").status, 500U);
  EXPECT_EQ(face_error(ModelApi::kOpenAi, "repeats", "m").body["error"]["code"], "repeats");
}

wire::Response refused(std::string_view target, wire::Problem problem,
                       std::optional<std::string_view> key = {}) {
  wire::Request request{.target = target, .idempotency_key = key};
  request.request_id = "r";
  return refusal(problem, request);
}

TEST(FaceError, ARefusalHasTheFormOfTheApiThatItsPathIsOf) {
  const wire::Problem problem{.error = {ErrorCode::kUnauthenticated, "say who you are"},
                              .challenge = "Bearer"};
  for (const auto* target :
       {"/v1/chat/completions", "/v1/responses", "/v1/responses/resp_1?include=x"}) {
    const auto answer = refused(target, problem);
    EXPECT_EQ(answer.status, 401U);
    EXPECT_EQ(answer.content_type, "application/json");
    EXPECT_EQ(answer.headers, "www-authenticate: Bearer\r\n");
    EXPECT_EQ(answer.body, R"({"error":{"type":"authentication_error","message":"say who you are",)"
                           R"("param":null,"code":"unauthenticated"}})");
  }
  for (const auto* target : {"/v1/messages", "/v1/messages/count_tokens"})
    EXPECT_EQ(
        refused(target, problem).body,
        R"({"type":"error","error":{"type":"authentication_error","message":"say who you are",)"
        R"("code":"unauthenticated"},"request_id":"r"})");
  for (const auto* target : {"/v1/messagesx", "/v1/chat", "/v1/sessions/s/messages", ""}) {
    const auto answer = refused(target, problem);
    EXPECT_EQ(answer.content_type, "application/problem+json") << target;
    EXPECT_TRUE(answer.body.starts_with(R"({"type":"/errors/unauthenticated")")) << answer.body;
  }
}

TEST(FaceError, ARefusalSaysWithItsTypeWhatItsStatusSays) {
  struct Case {
    ErrorCode code;
    unsigned status;
    std::string_view type;
  };
  for (const auto& [code, status, type] :
       {Case{ErrorCode::kInvalidRequest, 400, "invalid_request_error"},
        Case{ErrorCode::kPermissionDenied, 403, "permission_error"},
        Case{ErrorCode::kNotFound, 404, "not_found_error"},
        Case{ErrorCode::kMethodNotAllowed, 405, "invalid_request_error"},
        Case{ErrorCode::kPayloadTooLarge, 413, "request_too_large"},
        Case{ErrorCode::kUnsupportedMediaType, 415, "invalid_request_error"},
        Case{ErrorCode::kTooManyCalls, 429, "rate_limit_error"},
        Case{ErrorCode::kInternal, 500, "api_error"},
        Case{ErrorCode::kOverloaded, 503, "overloaded_error"}}) {
    const auto answer = refused("/v1/messages", {.error = {code, "m"}});
    EXPECT_EQ(answer.status, status);
    const auto body = *parse_json(answer.body);
    EXPECT_EQ(body["error"]["type"], type);
    EXPECT_EQ(body["error"]["code"], code_name(code));
  }
  EXPECT_EQ(refused("/v1/messages", {.error = {ErrorCode::kOverloaded, "m"}}).headers,
            "retry-after: 1\r\n");
}

TEST(FaceError, AListOfModelsIsRefusedInTheFormOfTheApiThatAsks) {
  wire::RequestHead head;
  wire::Request request{.target = "/v1/models/m", .head = &head};
  EXPECT_EQ(face_of(request), ModelApi::kOpenAi);
  head.lines.push_back({"anthropic-version", "2023-06-01"});
  EXPECT_EQ(face_of(request), ModelApi::kAnthropic);
}

// The official clients would begin another turn.
TEST(FaceError, WhatMayRunAlreadyIsNotTriedAgain) {
  const wire::Problem problem{.error = {ErrorCode::kAcceptUnknown, "m"}, .call_id = "c"};
  const std::string named = "retry-after: 1\r\nx-toolway-call: c\r\n";
  EXPECT_EQ(refused("/v1/responses", problem).headers, named + "x-should-retry: false\r\n");
  EXPECT_EQ(refused("/v1/responses", problem, "k").headers, named)
      << "under its key the next request gets the same turn";
}

}  // namespace
}  // namespace toolway::gateway::endpoints
