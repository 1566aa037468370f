#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/awaiting.h"
#include "tools/executors/mcp_client/call_result.h"
#include "tools/executors/mcp_client/errand_runner.h"
#include "tools/executors/mcp_client/line_reader.h"
#include "tools/executors/mcp_client/mcp_config.h"
#include "tools/executors/mcp_client/restart_back_off.h"
#include "tools/executors/mcp_client/server_log.h"
#include "tools/executors/mcp_client/waiting_call.h"
#include "tools/model/local_context.h"

namespace toolway::tools::executors::mcp_client {
namespace {

using namespace std::chrono_literals;

TEST(McpRestart, IsAtOnceTheFirstTimeAndThenEverLater) {
  RestartBackOff back_off(250ms, 2s);
  const RestartBackOff::Time start{};
  EXPECT_EQ(back_off.ended(0s, start), 0ms);
  EXPECT_EQ(back_off.ended(0s, start + 1s), 250ms);
  EXPECT_EQ(back_off.ended(0s, start + 2s), 500ms);
  EXPECT_FALSE(back_off.hopeless());
  EXPECT_EQ(back_off.ended(0s, start + 3s), 1000ms);
  EXPECT_TRUE(back_off.hopeless());
  EXPECT_EQ(back_off.ended(0s, start + 4s), 2000ms);
  EXPECT_EQ(back_off.ended(0s, start + 5s), 2000ms);
  back_off.answered();
  EXPECT_FALSE(back_off.hopeless());
  EXPECT_EQ(back_off.ended(5s, start + 9s), 0ms) << "one that had worked starts over";
}

TEST(McpRestart, OneThatUsedUpItsTimeMakesNoOtherCallWaitForIt) {
  RestartBackOff back_off(250ms, 2s);
  const RestartBackOff::Time start{};
  back_off.ended(0s, start);
  EXPECT_FALSE(back_off.hopeless());
  back_off.ran_out_of_time();
  EXPECT_TRUE(back_off.hopeless());
  back_off.ended(0s, start + 1s);
  EXPECT_FALSE(back_off.hopeless()) << "its next start ended by itself";
  back_off.ran_out_of_time();
  back_off.answered();
  EXPECT_FALSE(back_off.hopeless());
}

TEST(McpLines, AreCutWhereverThePiecesEnd) {
  std::vector<std::string> lines;
  std::vector<std::size_t> too_long;
  LineReader reader(10, {[&](std::string_view line) { lines.emplace_back(line); },
                         [&](std::string_view beginning, std::size_t bytes) {
                           EXPECT_LE(beginning.size(), LineReader::kBeginning);
                           too_long.push_back(bytes);
                         }});
  for (const char* piece : {"a", "b\n", "\n  \ncd\r\nef", "gh\n", "0123456789A", "BC\nlast\n"})
    reader.add(piece);
  EXPECT_EQ(lines, (std::vector<std::string>{"ab", "cd", "efgh", "last"}));
  EXPECT_EQ(too_long, std::vector<std::size_t>{13});
}

TEST(McpLines, TheLastOneNeedsNoLineBreak) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  ASSERT_EQ(write(ends[1], "one\nError: no", 13), 13);
  std::vector<std::string> lines;
  LineReader reader(100, {[&](std::string_view line) { lines.emplace_back(line); }, {}});
  reader.read_rest(ends[0]);
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "Error: no"})) << "of one that still writes";
  ASSERT_EQ(write(ends[1], "two", 3), 3);
  close(ends[1]);
  reader.read_rest(ends[0]);
  EXPECT_EQ(lines.back(), "two");
  close(ends[0]);
}

TEST(McpWaiting, ReportsGrowAndNeverPileUp) {
  WaitingCall call;
  for (int i = 0; i < 100'000; ++i)
    call.report({.token = std::int64_t{1}, .progress = i % 1000 + i / 1000.0, .message = {}});
  const auto step = call.next({}, MonotonicTime::max());
  EXPECT_LE(step.reports.size(), WaitingCall::kMaxReports);
  for (std::size_t i = 1; i < step.reports.size(); ++i)
    EXPECT_GT(step.reports[i].progress, step.reports[i - 1].progress);
  call.end(ServerDied{});
  call.end(AnswerLost{"too late"});
  EXPECT_TRUE(std::holds_alternative<ServerDied>(*call.next({}, MonotonicTime::max()).end))
      << "the first end counts";
}

TEST(McpLog, HidesSecrets) {
  ServerLog log("s");
  log.hide({"hunter22", "abc"});
  EXPECT_EQ(log.clean("token=hunter22 hunter22\n"), "token=*** *** ");
  EXPECT_EQ(log.clean("abc"), "abc") << "what is that short is everywhere";
  EXPECT_LE(log.clean(std::string(100'000, 'x')).size(), ServerLog::kLine);
}

TEST(McpLog, KeepsTheLastLinesOfOneStart) {
  ServerLog log("s");
  log.hide({"hunter22"});
  for (int i = 0; i < 10; ++i) log.said(std::to_string(i));
  log.said("password: hunter22");
  const auto lines = log.last_lines();
  ASSERT_EQ(lines.size(), ServerLog::kKept);
  EXPECT_EQ(lines.front(), "3");
  EXPECT_EQ(lines.back(), "password: ***");
  log.warn("its own words are not the server's");
  EXPECT_EQ(log.last_lines().back(), "password: ***");
  log.forget_lines();
  EXPECT_TRUE(log.last_lines().empty());
}

TEST(McpConfigTest, NamesServerAndTool) {
  EXPECT_TRUE(check_mcp_config({{"server", "files"}, {"tool", "a.b c"}}).empty());
  for (const auto& wrong :
       {OrderedJson(nullptr), OrderedJson{{"server", "files"}},
        OrderedJson{{"server", "a b"}, {"tool", "x"}}, OrderedJson{{"server", 1}, {"tool", "x"}},
        OrderedJson{{"server", "a"}, {"tool", "x"}, {"more", 1}}}) {
    EXPECT_FALSE(check_mcp_config(wrong).empty()) << wrong.dump();
    EXPECT_FALSE(parse_mcp_config(wrong));
  }
}

/// Keeps the blocks that a tool adds.
class Blocks final : public model::ToolContext {
 public:
  const std::string& session_id() const override { return text; }
  const std::string& user_id() const override { return text; }
  const std::string& call_id() const override { return text; }
  unsigned attempt() const override { return 1; }
  const model::Limits& limits() const override { return none; }
  const std::string& idempotency_key() const override { return text; }
  std::stop_token cancellation() const override { return {}; }
  std::optional<std::string> secret(std::string_view) const override { return {}; }
  void log(model::LogLevel, std::string) override {}
  void add_content(model::ContentBlock block) override { blocks.push_back(std::move(block)); }

  std::string text = "x";
  model::Limits none;
  std::vector<model::ContentBlock> blocks;
};

TEST(McpResult, IsStructuredOrTextOrBlocks) {
  using mcp::BlockType;
  Blocks context;
  EXPECT_EQ(*execution_of("s", {.content = {{.text = "a"}, {.text = "b"}}}, context), "a\nb");
  EXPECT_EQ(*execution_of("s", {.content = {{.text = "a"}}, .structured = Json{{"n", 1}}}, context),
            Json({{"n", 1}}));
  EXPECT_TRUE(context.blocks.empty());
  const auto picture = execution_of(
      "s",
      {.content = {{.text = "look"},
                   {.type = BlockType::kImage, .data = "AAEC", .mime_type = "image/png"}}},
      context);
  EXPECT_EQ(*picture, (Json{{"content",
                             {{{"type", "text"}, {"text", "look"}},
                              {{"type", "image"}, {"data", "AAEC"}, {"mimeType", "image/png"}}}}}));
  ASSERT_EQ(context.blocks.size(), 2U);
  EXPECT_EQ(context.blocks[1].data, std::string("\0\1\2", 3));
  EXPECT_EQ(context.blocks[1].type, "image");
}

TEST(McpResult, FailuresSpeakForThemselves) {
  Blocks context;
  const auto failed =
      execution_of("s", {.content = {{.text = "no such file"}}, .is_error = true}, context);
  EXPECT_EQ(failed.error().code, "mcp_tool_error");
  EXPECT_EQ(failed.error().message, "no such file");
  EXPECT_EQ(execution_of(
                "s", {.content = {{.type = mcp::BlockType::kImage, .data = "!", .mime_type = "x"}}},
                context)
                .error()
                .code,
            "mcp_protocol_error");
}

TEST(ErrandRunner, DoesTheRestWhileOneIsNotDueYet) {
  ErrandRunner errands;
  test::Awaited<int> done;
  const auto errand = [told = done.callback()](int number) {
    return [told, number](const std::stop_token&) { told(number); };
  };
  EXPECT_TRUE(errands.later(errand(2), std::chrono::steady_clock::now() + 300ms));
  EXPECT_TRUE(errands.later(errand(1)));
  EXPECT_EQ(done.next(), 1);
  EXPECT_FALSE(done.next(50ms));
  EXPECT_EQ(done.next(), 2);
  const auto never = std::chrono::steady_clock::now() + 1h;
  for (std::size_t i = 0; i < ErrandRunner::kMaxWaiting; ++i)
    EXPECT_TRUE(errands.later(errand(3), never));
  EXPECT_FALSE(errands.later(errand(4)));
}

}  // namespace
}  // namespace toolway::tools::executors::mcp_client
