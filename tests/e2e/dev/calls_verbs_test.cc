// The verbs over calls of all sessions, against one stack.
#include <gtest/gtest.h>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/support/lines.h"

namespace toolway::cli {
namespace {

using test::lines_of;

class CallsVerbs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new test::TempDir;
    dev_ = new Dev(*dir_);
    toolway({"call", "get_current_time", "timezone=UTC", "--session", "one", "--wait"});
    toolway({"call", "bench.work", "wait_ms=1", "--session", "two", "--wait"});
    toolway({"call", "hash_file", "path=missing.txt", "--session", "two", "--wait"});
    wait_for([] { return ids({}).size() == 3; });
  }
  static void TearDownTestSuite() {
    delete dev_;
    delete dir_;
  }
  static Ran toolway(std::vector<std::string> arguments, const std::string& user = "ann") {
    return run_toolway(*dir_, std::move(arguments),
                       {{"TOOLWAY_URL", dev_->url()}, {"TOOLWAY_USER", user}});
  }
  /// What `calls list` finds with these options, newest first.
  static std::vector<std::string> ids(std::vector<std::string> options,
                                      const std::string& user = "ann") {
    options.insert(options.begin(), {"calls", "list", "-o", "name"});
    return lines_of(toolway(std::move(options), user).output);
  }
  static inline test::TempDir* dir_ = nullptr;
  static inline Dev* dev_ = nullptr;
};

TEST_F(CallsVerbs, ListFindsTheCallsOfAllSessionsOfItsUser) {
  ASSERT_EQ(ids({}).size(), 3U);
  EXPECT_EQ(ids({"two"}).size(), 2U);
  EXPECT_EQ(ids({"--tool", "get_current_time"}).size(), 1U);
  EXPECT_EQ(ids({"--tool", "time.get_current_time", "--outcome", "failed"}).size(), 0U);
  EXPECT_EQ(ids({"--outcome", "failed"}), ids({"--tool", "hash_file"}));
  EXPECT_EQ(ids({"--since", "1h"}).size(), 3U);
  EXPECT_EQ(ids({"--until", "1h"}).size(), 0U);
  // The last line says that there are more.
  EXPECT_EQ(ids({"--limit", "2"}).size(), 3U);
  for (const char* what : {"calls", "session"})
    EXPECT_EQ(toolway({what, "list", "--limit", "0"}).status, 2) << what;
  EXPECT_EQ(ids({}, "bob").size(), 0U) << "another user's calls do not exist";
  EXPECT_NE(toolway({"calls", "list"}).output.find("ATTEMPTS"), std::string::npos);
}

TEST_F(CallsVerbs, ListSaysWhichFilterItCannotRead) {
  const auto ran = toolway({"calls", "list", "--since", "soon"});
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_NE(ran.output.find("error: --since: "), std::string::npos) << ran.output;
  EXPECT_EQ(toolway({"calls", "list", "--outcome", "fine"}).status, 2);
}

TEST_F(CallsVerbs, ShowTellsTheHistoryOfACall) {
  const auto failed = ids({"--outcome", "failed"}).at(0);
  const auto shown = toolway({"calls", "show", failed.substr(failed.size() - 8)});
  EXPECT_EQ(shown.status, 0) << shown.output;
  std::size_t at = 0;
  for (const char* part :
       {"submitted", "started", "completed", "Arguments", "missing.txt", "Error"}) {
    const auto found = shown.output.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << " in " << shown.output;
    at = found;
  }
}

TEST_F(CallsVerbs, RetryRunsTheSameToolAgain) {
  const auto first = ids({"--tool", "get_current_time"}).back();
  const auto same = toolway({"calls", "retry", first, "--wait"});
  EXPECT_EQ(same.status, 0) << same.output;
  EXPECT_NE(same.output.find("UTC"), std::string::npos) << same.output;
  const auto edited =
      toolway({"calls", "retry", first, "--arguments", R"({"timezone":"Asia/Tokyo"})", "--wait"});
  EXPECT_NE(edited.output.find("Asia/Tokyo"), std::string::npos) << edited.output;
  EXPECT_TRUE(wait_for([] { return ids({"one"}).size() == 3; }));
  EXPECT_EQ(toolway({"calls", "retry", "01900000-0000-7000-8000-000000000000"}).status, 3);
}

TEST_F(CallsVerbs, LogsNeedsToKnowOfWhat) {
  EXPECT_EQ(toolway({"logs"}).status, 2);
  EXPECT_EQ(toolway({"logs", ids({"two"}).at(0), "--once"}).status, 0);
}

TEST_F(CallsVerbs, TopShowsThePools) {
  const auto ran = toolway({"top", "--once"});
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_NE(ran.output.find("native"), std::string::npos) << ran.output;
}

}  // namespace
}  // namespace toolway::cli
