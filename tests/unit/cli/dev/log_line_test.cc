#include "cli/dev/log_line.h"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/dev/log_tail.h"
#include "tests/support/temp_dir.h"

namespace toolway::cli::dev {
namespace {

constexpr const char* kReload =
    "2026-11-22T07:31:26.205Z info    gateway: specs: 1 added: text.count; 26 tools are offered now";
constexpr const char* kReady =
    "2026-11-22T07:31:26.205Z info    gateway: ready, listening on http://127.0.0.1:8080";
constexpr const char* kMistake =
    "2026-11-22T07:31:26.205Z error   gateway: specs of source files: tools.yaml:3: no such field";

TEST(LogLine, ShowsReloadsMistakesAndMcpServers) {
  const auto reload = worth_showing(kReload, "info");
  ASSERT_TRUE(reload);
  EXPECT_EQ(reload->process, "gateway");
  EXPECT_EQ(reload->text, "specs: 1 added: text.count; 26 tools are offered now");
  const auto mistake = worth_showing(kMistake, "info");
  ASSERT_TRUE(mistake);
  EXPECT_EQ(mistake->level, LogLine::Level::kError);
  EXPECT_TRUE(worth_showing(
      "2026-11-22T07:31:26.205Z info    worker: MCP server weather: offers 3 tools", "info"));
  EXPECT_EQ(
      worth_showing("2026-11-22T07:31:26.205Z warning worker: threads are short", "info")->level,
      LogLine::Level::kWarning);
}

TEST(LogLine, ReadsBothFormats) {
  const auto error = worth_showing(
      R"({"time":"2026-11-22T07:31:26.205000Z","level":"error","process":"worker","message":"no"})",
      "warn");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->level, LogLine::Level::kError);
  EXPECT_EQ(error->process, "worker");
  EXPECT_EQ(error->text, "no");
  EXPECT_EQ(error->clock, "07:31:26");
  EXPECT_EQ(worth_showing(kReload, "info")->clock, "07:31:26");
  EXPECT_TRUE(worth_showing(
      R"({"time":"t","level":"info","process":"gateway","message":"specs: 1 added"})", "info"));
  EXPECT_FALSE(worth_showing(R"({"time":"t","level":"info","process":"gateway","message":"ready"})",
                             "info"));
  EXPECT_FALSE(worth_showing(
      R"({"time":"t","level":"warning","process":"gateway","event":"call_refused","message":"no"})",
      "info"))
      << "of a call";
  for (const char* text : {"{", "{}", R"({"message": 5})", R"({"message": "x", "level": []})"})
    worth_showing(text, "debug");
}

TEST(LogLine, LeavesOutTheRest) {
  EXPECT_FALSE(worth_showing(kReady, "info"));
  EXPECT_FALSE(worth_showing("Traceback (most recent call last):", "info"));
  EXPECT_FALSE(worth_showing("", "debug"));
}

TEST(LogLine, TheLevelDecides) {
  EXPECT_TRUE(worth_showing(kReady, "debug"));
  EXPECT_FALSE(worth_showing(kReload, "warn"));
  EXPECT_TRUE(worth_showing(kMistake, "error"));
  EXPECT_FALSE(worth_showing("2026-11-22T07:31:26.205Z warning worker: x", "error"));
}

TEST(LogTail, ReadsWhatCameSinceAndWholeLines) {
  const test::TempDir dir;
  const std::string file = dir / "log";
  std::ofstream(file) << "of an earlier run\n";
  LogTail tail(file);
  EXPECT_TRUE(tail.lines().empty());
  std::ofstream(file, std::ios::app) << "one\nhal";
  EXPECT_EQ(tail.lines(), std::vector<std::string>{"one"});
  std::ofstream(file, std::ios::app) << "f\n";
  EXPECT_EQ(tail.lines(), std::vector<std::string>{"half"});
  LogTail later(dir / "later");
  EXPECT_TRUE(later.lines().empty()) << "the file does not exist yet";
  std::ofstream(dir / "later") << "first\n";
  EXPECT_EQ(later.lines(), std::vector<std::string>{"first"});
}

}  // namespace
}  // namespace toolway::cli::dev
