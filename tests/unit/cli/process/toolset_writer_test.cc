// What keeps the tools of an MCP server in their bucket.
#include <gtest/gtest.h>

#include <atomic>

#include "bus/in_memory_bus.h"
#include "bus/key_value.h"
#include "cli/process/toolset_board.h"
#include "proto/subjects.h"
#include "tests/support/awaiting.h"

namespace toolway::cli::process {
namespace {

class SetClock final : public Clock {
 public:
  WallTime wall() const override { return WallTime(now.load()); }
  MonotonicTime monotonic() const override { return {}; }
  std::atomic<std::chrono::microseconds> now{std::chrono::hours(100)};
};

tools::model::Toolset toolset(const std::string& tool) {
  tools::model::Spec made{
      .name = tool, .ns = "files", .description = "Does it.", .input_schema = {{"type", "object"}}};
  made.kind = tools::model::Kind::kMcp;
  made.pool = "mcp";
  made.implementation = {{"server", "files"}, {"tool", tool}};
  return {"files", {made}};
}

/// As a worker does when it starts: the last set that it writes shows that those before it are
/// settled.
std::uint64_t revision_after(bus::Bus& bus, const Clock& clock) {
  ToolsetBoard board;
  const ToolsetWriter writer(bus, board, clock);
  bus::KeyValue bucket(bus, std::string(proto::kToolsetsBucket));
  const auto revision = [&](const std::string& key) {
    test::Awaited<Result<bus::Entry>> got;
    bucket.get(key, got.callback());
    const auto entry = got.next();
    return entry && *entry ? (*entry)->revision : 0;
  };
  board.put(toolset("a"));
  tools::model::Toolset mark =
      toolset("mark-" + std::to_string(clock.wall().time_since_epoch().count()));
  mark.source = "zmark";  // written after `files`
  const auto before = revision("zmark.0");
  board.put(mark);
  const auto until = std::chrono::steady_clock::now() + test::kPatience;
  while (revision("zmark.0") == before && std::chrono::steady_clock::now() < until) {
  }
  return revision("files.0");
}

TEST(ToolsetWriter, WritesAgainWhatIsADayOldSoThatOnlyGoneServersLeaveTheBucket) {
  const auto bus = bus::make_in_memory_bus();
  ASSERT_TRUE(bus->provision({}));
  SetClock clock;
  const auto first = revision_after(*bus, clock);
  EXPECT_GT(first, 0U);
  clock.now = std::chrono::hours(101);
  EXPECT_EQ(first, revision_after(*bus, clock));
  clock.now = std::chrono::hours(125);
  EXPECT_GT(revision_after(*bus, clock), first);
}

}  // namespace
}  // namespace toolway::cli::process
