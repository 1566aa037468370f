#include "cli/terminal/failure.h"

#include <gtest/gtest.h>

#include <set>

namespace toolway::cli::terminal {
namespace {

std::vector<ErrorCode> every_code() {
  std::vector<ErrorCode> codes;
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i)
    codes.push_back(static_cast<ErrorCode>(i));
  return codes;
}

TEST(Failure, EveryCodeHasANextStepOrAReasonForNone) {
  // Their own messages say what to change or to start, or nothing helps.
  const std::set<std::string_view> without{"malformed_json",
                                           "invalid_request",
                                           "invalid_identifier",
                                           "invalid_spec",
                                           "payload_too_large",
                                           "not_found",
                                           "range_not_satisfiable",
                                           "wrong_last_sequence",
                                           "bus_unavailable",
                                           "timeout",
                                           "internal"};
  for (const auto code : every_code()) {
    EXPECT_TRUE(has_decision(code)) << code_name(code);
    EXPECT_EQ(next_step(code, {.session = "s", .tool = "t", .call = "c"}).empty(),
              without.contains(code_name(code)))
        << code_name(code);
  }
}

TEST(Failure, NoNextStepSpeaksOfHttp) {
  for (const auto code : every_code()) {
    const auto text = what_happened(code, "m", {}) + next_step(code, {});
    for (const char* word : {"POST", "GET", "/v1/", "HTTP", "{s}", "{c}"})
      EXPECT_EQ(text.find(word), std::string::npos) << code_name(code) << ": " << text;
  }
}

TEST(Failure, NamesWhatTheVerbWasAbout) {
  const Subject about{.session = "nope", .call = "c1"};
  EXPECT_EQ(what_happened(ErrorCode::kUnknownSession, "open it with POST /v1/sessions", about),
            "session 'nope' was not found");
  EXPECT_EQ(next_step(ErrorCode::kUnknownSession, about),
            "open it: toolway session open nope -n NAMESPACE");
  EXPECT_EQ(next_step(ErrorCode::kSessionClosed, about),
            "restore it: toolway session restore nope");
  EXPECT_EQ(next_step(ErrorCode::kNoResult, about), "see how it ended: toolway calls show c1");
}

TEST(Failure, NamespacesAreAddedToASessionThatLacksThem) {
  const Subject about{.session = "chat"};
  EXPECT_EQ(next_step(ErrorCode::kSessionConflict, about,
                      "the session exists with namespaces a: ask for these, add others to it"),
            "add the others to it: toolway session add-namespaces chat -n NAMESPACE");
  const std::string has_all =
      "the session exists with namespaces *, which include those you name: ask for these, or open "
      "another session_id";
  EXPECT_EQ(what_happened(ErrorCode::kSessionConflict, has_all, about),
            "session 'chat' exists with namespaces *, which include those you name");
  EXPECT_EQ(next_step(ErrorCode::kSessionConflict, about, has_all),
            "open it with the namespaces that it has, or choose another id");
}

TEST(Failure, ToActAsAnotherTakesAnotherKeyOrAName) {
  EXPECT_EQ(next_step(ErrorCode::kPermissionDenied, {.with_credential = true}),
            "act as a user who may: --key-file FILE, or TOOLWAY_API_KEY");
  EXPECT_EQ(next_step(ErrorCode::kPermissionDenied, {}),
            "act as a user who may: --user NAME, or TOOLWAY_USER");
  EXPECT_EQ(
      what_happened(ErrorCode::kPermissionDenied,
                    "you may not look at the whole fleet: that needs permission fleet:read; a "
                    "session's own tools are at /v1/sessions/{s}/tools",
                    {}),
      "you may not look at the whole fleet: that needs permission fleet:read; those of a session: "
      "toolway tools --session SESSION");
}

TEST(Failure, WrapsSentencesAndNoCommand) {
  EXPECT_EQ(failure_text({.what = "one two three four five six",
                          .details = {"seven eight nine ten eleven"},
                          .next = "do this: toolway calls show 0191b3c2-7a6f-7c1d"},
                         Style(false), 22),
            "error: one two three\n  four five six\n"
            "  seven eight nine\n    ten eleven\n"
            "  do this: toolway calls show 0191b3c2-7a6f-7c1d\n");
  EXPECT_EQ(
      failure_text({.what = "it ended; its log:\na line that is longer than the terminal"},
                   Style(true), 20),
      "\x1b[31merror:\x1b[0m it ended;\n  its log:\na line that is longer than the terminal\n");
}

TEST(Failure, LetsNoTextMoveTheCursor) {
  EXPECT_EQ(
      failure_text({.what = "denied: no\x1b[2J\nline\u2028", .details = {"d\x07"}}, Style(false)),
      "error: denied: no\\u001b[2J\nline\\u2028\n  d\\u0007\n");
}

TEST(Failure, LeavesOutWhatIsForClientsOfTheApi) {
  EXPECT_EQ(
      what_happened(ErrorCode::kSessionConflict,
                    "the session exists with namespaces a, b: ask for these, add others to it "
                    "with POST /v1/sessions/{s}/namespaces, or open another session_id",
                    {.session = "chat"}),
      "session 'chat' exists with namespaces a, b");
  EXPECT_EQ(what_happened(ErrorCode::kUnauthenticated,
                          "this request needs the permission specs:read: send the operator token, "
                          "Authorization: Bearer TOKEN",
                          {}),
            "this request needs the permission specs:read");
  EXPECT_EQ(what_happened(ErrorCode::kUnauthenticated,
                          "this gateway asks who you are: send an API key (toolway keys create "
                          "makes one) in the header Authorization: Bearer …",
                          {}),
            "this gateway asks who you are: send an API key (toolway keys create makes one)");
}

TEST(Failure, SaysEachThingOnce) {
  EXPECT_EQ(failure_text({.what = "the arguments do not fit tool 't'",
                          .details = {"timezone: expected string, found integer"},
                          .next = "see what it takes"},
                         Style(false)),
            "error: the arguments do not fit tool 't'\n"
            "  timezone: expected string, found integer\n"
            "  see what it takes\n");
  EXPECT_EQ(failure_text({.what = "/a: is missing", .details = {"/a: is missing"}}, Style(false)),
            "error: /a: is missing\n");
  const auto asked =
      what_happened(ErrorCode::kUnknownTool, "unknown tool x; did you mean 'y'?", {});
  EXPECT_EQ(failure_text({.what = asked, .suggestions = {"n.y", "n.z"}}, Style(false)),
            "error: unknown tool x\n  did you mean 'n.y' or 'n.z'?\n");
}

TEST(Failure, IsRedOnlyWithColours) {
  EXPECT_EQ(failure_text({.what = "w"}, Style(true)), "\x1b[31merror:\x1b[0m w\n");
}

}  // namespace
}  // namespace toolway::cli::terminal
