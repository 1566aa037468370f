#include "cli/help/completion.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/cli/help/own_verbs.h"

namespace toolway::cli::help {
namespace {

using Words = std::vector<std::string>;

Candidates at(Words words) {
  const OwnVerbs own;
  return complete(own.app, std::move(words));
}

bool offers(const Candidates& candidates, const std::string& word) {
  return std::find(candidates.words.begin(), candidates.words.end(), word) !=
         candidates.words.end();
}

TEST(Completion, OffersVerbs) {
  EXPECT_EQ(at({"ses"}).words, Words{"session"});
  EXPECT_EQ(at({"session", "re"}).words, Words{"restore"});
  EXPECT_TRUE(offers(at({""}), "call"));
  EXPECT_FALSE(offers(at({""}), "bench-mcp-server"));
}

TEST(Completion, OffersOptionsAndTheirValues) {
  EXPECT_TRUE(offers(at({"calls", "list", "chat", "--st"}), "--state"));
  EXPECT_EQ(at({"calls", "list", "chat", "--state", "q"}).words, Words{"queued"});
  EXPECT_EQ(at({"calls", "list", "chat", "--state=r"}).words, Words{"--state=running"});
  EXPECT_EQ(at({"completion", "z"}).words, Words{"zsh"});
  EXPECT_TRUE(offers(at({"help", "exit"}), "exit-status"));
}

TEST(Completion, SaysWhichNamesOnlyAGatewayKnows) {
  EXPECT_EQ(at({"watch", ""}).known, Known::kSessions);
  EXPECT_EQ(at({"session", "close", "c"}).known, Known::kSessions);
  EXPECT_EQ(at({"session", "open", ""}).known, Known::kNothing) << "a new name";
  EXPECT_EQ(at({"session", "open", "chat", "-n", ""}).known, Known::kNamespaces);
  EXPECT_EQ(at({"call", "get"}).known, Known::kTools);
  EXPECT_EQ(at({"tools", "disable", ""}).known, Known::kTools);
  EXPECT_EQ(at({"calls", "show", ""}).known, Known::kCalls);
  EXPECT_EQ(at({"worker", "--pool", ""}).known, Known::kPools);
  EXPECT_EQ(at({"watch", "chat", ""}).known, Known::kNothing) << "it takes one session";
}

TEST(Completion, TakesWhatTheLineSays) {
  const auto call = at({"call", "--session", "chat", "--url", "http://h:1", "x"});
  EXPECT_EQ(call.session, "chat");
  EXPECT_EQ(call.url, "http://h:1");
  EXPECT_EQ(call.typed, "x");
  EXPECT_EQ(call.known, Known::kTools);
}

TEST(Completion, HasAScriptForEachShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = completion_script(shell);
    ASSERT_TRUE(script) << shell;
    EXPECT_NE(script->find("__complete"), std::string::npos) << shell;
  }
  EXPECT_FALSE(completion_script("tcsh"));
}

}  // namespace
}  // namespace toolway::cli::help
