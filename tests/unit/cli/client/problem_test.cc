#include "cli/client/problem.h"

#include <gtest/gtest.h>

namespace toolway::cli::client {
namespace {

TEST(Problem, KnowsEveryCodeByItsName) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i)
    EXPECT_EQ(code_of(code_name(static_cast<ErrorCode>(i))), static_cast<ErrorCode>(i));
  EXPECT_FALSE(code_of("no_such_code"));
}

TEST(Problem, KnowsWhatARequestIsAbout) {
  EXPECT_EQ(subject_of("/v1/sessions/a%20b/calls?limit=1").session, "a b");
  EXPECT_EQ(subject_of("/v1/sessions/chat").session, "chat");
  EXPECT_EQ(subject_of("/v1/calls/c1/cancel").call, "c1");
  EXPECT_EQ(subject_of("/v1/sessions/s/calls", R"({"tool":"t"})").tool, "t");
  EXPECT_EQ(subject_of("/v1/tools", "not json").tool, "");
}

TEST(Problem, KnowsTheSessionOfAList) {
  EXPECT_EQ(subject_of("/v1/calls?tool=x&session=a%20b&limit=5").session, "a b");
  EXPECT_EQ(subject_of("/v1/calls?my_session=x").session, "");
  EXPECT_EQ(subject_of("/v1/calls?").session, "");
}

TEST(Problem, NamesTheOptionThatWasTyped) {
  const auto of = [](const char* body) { return failure_of({.status = 422, .body = body}, {}); };
  const auto query = of(
      R"({"code":"invalid_request","detail":"?min_duration: expected a number","errors":[{"path":"?min_duration","message":"expected a number"}]})");
  EXPECT_EQ(query.what, "--min-duration: expected a number");
  EXPECT_TRUE(query.details.empty());
  EXPECT_EQ(of(R"({"code":"invalid_request","detail":"?error_code: too long"})").what,
            "--error: too long");
  EXPECT_EQ(of(R"({"code":"invalid_identifier","detail":"/session_id: expected letters"})").what,
            "session_id: expected letters");
  EXPECT_EQ(of(R"({"code":"invalid_request","detail":"the body must be an object"})").what,
            "the body must be an object");
}

TEST(Problem, ASuccessWithoutAnObjectIsNotAGateways) {
  EXPECT_FALSE(unless_object({.status = 200, .body = R"({"tools":[]})"}));
  EXPECT_FALSE(unless_object({.status = 204, .body = ""}));
  EXPECT_FALSE(unless_object({.status = 404, .body = "<html>"})) << "that is said otherwise";
  for (const char* body : {"<html>", "[1]", "", "null"}) {
    const auto error = unless_object({.status = 200, .body = body});
    ASSERT_TRUE(error) << body;
    EXPECT_EQ(error->code, ErrorCode::kBusUnavailable);
    EXPECT_NE(error->message.find("--url or TOOLWAY_URL"), std::string::npos);
  }
}

TEST(Problem, TheSessionToOpenIsKnownFromTheBody) {
  EXPECT_EQ(subject_of("/v1/sessions", R"({"session_id":"chat"})").session, "chat");
}

TEST(Problem, ArgumentsThatDoNotFitAreListedOnce) {
  const HttpAnswer answer{
      .status = 422,
      .body = R"({"code":"invalid_arguments","detail":"/timezone: expected string, found integer",
                  "errors":[{"path":"/timezone","message":"expected string, found integer"}]})"};
  const auto failure = failure_of(answer, {.session = "s", .tool = "clock"});
  EXPECT_EQ(terminal::failure_text(failure, terminal::Style(false)),
            "error: the arguments do not fit tool 'clock'\n"
            "  timezone: expected string, found integer\n"
            "  see what it takes: toolway tools show clock\n");
}

TEST(Problem, SuggestionsAreAskedOnce) {
  const HttpAnswer answer{
      .status = 404, .body = R"({"code":"unknown_tool","detail":"unknown tool x; did you mean 'y'?",
                  "suggestions":["n.y"]})"};
  EXPECT_EQ(terminal::failure_text(failure_of(answer, {}), terminal::Style(false)),
            "error: unknown tool x\n  did you mean 'n.y'?\n  list the tools: toolway tools\n");
}

TEST(Problem, AnotherProgramIsRecognized) {
  const auto failure = failure_of({.status = 404, .body = "<html>nginx</html>"}, {});
  EXPECT_NE(failure.what.find("not an answer of a Toolway gateway: <html>nginx"),
            std::string::npos);
  EXPECT_EQ(failure.next, "check --url or TOOLWAY_URL: another program may listen there");
}

TEST(Problem, ALoginProxyThatAsksForATokenGetsANextStep) {
  const auto failure = failure_of({.status = 401, .body = "<html>Unauthorized</html>"}, {});
  EXPECT_NE(failure.what.find("asks for a token"), std::string::npos) << failure.what;
  EXPECT_NE(failure.next.find("--key-file"), std::string::npos) << failure.next;
}

}  // namespace
}  // namespace toolway::cli::client
