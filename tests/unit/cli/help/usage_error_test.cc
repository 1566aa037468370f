#include "cli/help/usage_error.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/help/own_verbs.h"

namespace toolway::cli::help {
namespace {

/// What the program says about `words`, without the last line.
std::string said_about(std::vector<std::string> words) {
  OwnVerbs own;
  auto reversed = words;
  std::reverse(reversed.begin(), reversed.end());
  try {
    own.app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    auto failure = usage_error(own.app, error, words);
    EXPECT_EQ(failure.next.find("see: toolway"), 0U);
    failure.next.clear();
    return terminal::failure_text(failure, terminal::Style(false));
  }
  return "accepted";
}

TEST(UsageError, AMistypedVerbHasSuggestions) {
  EXPECT_EQ(said_about({"sesion", "list"}),
            "error: unknown verb 'sesion'\n  did you mean 'session'?\n");
  EXPECT_EQ(said_about({"session", "lst"}), "error: unknown verb 'lst'\n  did you mean 'list'?\n");
  EXPECT_EQ(said_about({"xyzzy"}), "error: unknown verb 'xyzzy'\n");
  EXPECT_EQ(said_about({"cancel"}),
            "error: unknown verb 'cancel'\n  did you mean 'calls cancel'?\n");
}

TEST(UsageError, AMistypedOptionIsNamedAsItWasTyped) {
  EXPECT_EQ(said_about({"tools", "--namspace", "x"}),
            "error: unknown option '--namspace'\n  did you mean '--namespace'?\n");
  EXPECT_EQ(said_about({"session", "list", "--limt=3"}),
            "error: unknown option '--limt'\n  did you mean '--limit'?\n");
}

TEST(UsageError, AVerbThatAsksNoGatewaySaysWhatItAsks) {
  const std::string nats =
      "error: unknown option '--url'\n"
      "  this verb asks NATS, not a gateway: give --nats URL, TOOLWAY_NATS_URL, or --data DIRECTORY "
      "of a running `toolway dev`\n";
  EXPECT_EQ(said_about({"extensions", "history", "--url", "http://gateway"}), nats);
  EXPECT_EQ(said_about({"keys", "list", "--url=http://gateway"}), nats);
  EXPECT_EQ(said_about({"audit", "verify", "--url", "http://gateway"}),
            "error: unknown option '--url'\n"
            "  this verb asks Postgres, not a gateway: give --postgres-url-file FILE, "
            "TOOLWAY_POSTGRES_URL, or --data DIRECTORY of a running `toolway dev`\n");
  EXPECT_EQ(said_about({"extensions", "history", "x"}), "error: version: 'x' is not a number\n");
}

TEST(UsageError, AWrongValueHasItsChoices) {
  EXPECT_EQ(said_about({"calls", "list", "chat", "--state", "complete"}),
            "error: --state: 'complete' is not one of held, queued, running, completed\n"
            "  did you mean 'completed'?\n");
  EXPECT_EQ(said_about({"session", "list", "--limit", "many"}),
            "error: --limit: 'many' is not a number from 1 to 1000000\n");
  EXPECT_EQ(said_about({"session", "close", "a", "--timeout-ms", "0"}),
            "error: --timeout-ms: '0' is not a number from 1 to 300000\n");
  EXPECT_EQ(said_about({"dev", "--workers", "0"}),
            "error: --workers: '0' is not a number from 1 to 1000\n");
  EXPECT_EQ(said_about({"gateway", "--pool-queue", "0"}),
            "error: --pool-queue: '0' is not a number from 1 to 1000000000\n");
  EXPECT_EQ(said_about({"calls", "list", "--limit", "0"}),
            "error: --limit: '0' is not a number from 1 to 1000000\n");
  EXPECT_EQ(said_about({"replay", "s", "--against", "mocks", "--time-within", "-5"}),
            "error: --time-within: '-5' is not a number from 0 to 1000000\n");
  EXPECT_EQ(said_about({"bench", "--sessions", "0"}),
            "error: --sessions: '0' is not a number from 1 to 1000000\n");
  EXPECT_EQ(said_about({"bench", "--rate", "-1"}),
            "error: --rate: '-1' is not a number from 0 to 1000000\n");
  EXPECT_EQ(said_about({"talk", "--temperature", "5"}),
            "error: --temperature: '5' is not a number from 0 to 2\n");
}

TEST(UsageError, ANumberOutOfBoundsIsANumber) {
  EXPECT_EQ(said_about({"call", "t", "--wait", "--timeout", "-1"}),
            "error: --timeout: must be at least 0, and is -1\n");
  EXPECT_EQ(said_about({"call", "t", "--wait", "--timeout", "99999999999"}),
            "error: --timeout: 99999999999 is too large\n");
  EXPECT_EQ(said_about({"call", "t", "--wait", "--timeout", "1.5"}),
            "error: --timeout: '1.5' is not a number\n");
  EXPECT_EQ(said_about({"migrate", "--replicas", "2"}),
            "error: --replicas: '2' is not one of 1, 3, 5\n");
}

TEST(UsageError, AnOptionGivenTwiceIsNamed) {
  EXPECT_EQ(said_about({"call", "t", "--session", "a", "--session", "b"}),
            "error: --session is given twice\n");
  EXPECT_EQ(said_about({"tools", "--user", "a", "--user", "b", "--user", "c"}),
            "error: --user is given 3 times\n");
}

TEST(UsageError, AnEmptyValueIsNotTakenForNone) {
  const std::string empty = ": needs a value that is not empty\n";
  EXPECT_EQ(said_about({"session", "list", "--user", ""}), "error: --user" + empty);
  EXPECT_EQ(said_about({"session", "open", ""}), "error: session" + empty);
  EXPECT_EQ(said_about({"call", "t", "--idempotency-key", ""}), "error: --idempotency-key" + empty);
  EXPECT_EQ(said_about({"tools", "-n", ""}), "error: --namespace" + empty);
  EXPECT_EQ(said_about({"keys", "create", "--user", ""}), "error: --user" + empty);
  EXPECT_EQ(said_about({"dev", "--data", ""}), "error: --data" + empty);
  EXPECT_EQ(said_about({"bench", "--store", ""}), "accepted");
  EXPECT_EQ(said_about({"chat", "--otlp", ""}), "accepted");
}

TEST(UsageError, AWordThatEndsAfterItsEqualsSignHasNoValue) {
  EXPECT_EQ(without_value({"session", "list", "--user="}), "--user");
  EXPECT_EQ(without_value({"tools", "--user=ann", "a=", "--", "--user="}), "");
}

TEST(UsageError, WhatIsMissingIsNamed) {
  EXPECT_EQ(said_about({"watch"}), "error: argument SESSION is missing\n");
  EXPECT_EQ(said_about({"session", "list", "--limit"}), "error: --limit needs a value\n");
  EXPECT_EQ(said_about({"watch", "a", "b"}), "error: unexpected argument 'b'\n");
}

TEST(UsageError, GroupsAloneAreAccepted) {
  EXPECT_EQ(said_about({}), "accepted");
  EXPECT_EQ(said_about({"session"}), "accepted");
}

}  // namespace
}  // namespace toolway::cli::help
