#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"
#include "cli/process/toolset_board.h"
#include "cli/specs/toolset_entries.h"
#include "cli/specs/toolset_source.h"
#include "proto/subjects.h"
#include "tests/support/awaiting.h"

namespace toolway::cli {
namespace {

tools::Spec spec(const std::string& name, const std::string& description = "Does it.") {
  tools::Spec made{.name = name, .ns = "files", .description = description, .input_schema = {{"type", "object"}}};
  made.kind = tools::Kind::kMcp;
  made.pool = "mcp";
  made.implementation = {{"server", "files"}, {"tool", name}};
  return made;
}

TEST(ToolsetEntries, AreReadAsTheyWereWritten) {
  const auto entries = toolset_entries({"files", {spec("a"), spec("b")}}, "w1", {});
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].key, "files.0");
  const auto part = read_toolset_entry(entries[0].key, entries[0].value);
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_EQ(part->documents.size(), 2U);
  EXPECT_EQ(toolset_entries({"files", {spec("a"), spec("b")}}, "w2", WallTime(std::chrono::seconds(9)))[0].key, "files.0");
}

TEST(ToolsetEntries, ManyToolsTravelInSeveral) {
  std::vector<tools::Spec> specs;
  for (int i = 0; i < 20; ++i) specs.push_back(spec("tool_" + std::to_string(i), std::string(100'000, 'x')));
  const auto entries = toolset_entries({"files", specs}, "w1", {});
  EXPECT_GT(entries.size(), 2U);
  std::size_t documents = 0;
  for (const auto& entry : entries) {
    EXPECT_LT(entry.value.size(), 1'000'000U);
    documents += read_toolset_entry(entry.key, entry.value)->documents.size();
  }
  EXPECT_EQ(documents, 20U);
}

TEST(ToolsetEntries, RefusesWhatIsNone) {
  for (const auto* value : {"", "[]", "{}", R"({"server":"files","part":1,"parts":1,"digest":"","specs":[]})",
                            R"({"server":"other","part":0,"parts":1,"digest":"","specs":[]})",
                            R"({"server":"files","part":0,"parts":9999,"digest":"","specs":[]})"}) {
    EXPECT_FALSE(read_toolset_entry("files.0", value)) << value;
  }
}

class ToolsetSources : public testing::Test {
 protected:
  ToolsetSources() { EXPECT_TRUE(bus->provision({})); }
  /// Looks until there is something new.
  std::optional<tools::SourceState> look() {
    for (const auto until = std::chrono::steady_clock::now() + test::kPatience; std::chrono::steady_clock::now() < until;) {
      if (auto state = source.look({})) return state;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return std::nullopt;
  }
  void write(const std::string& key, const std::string& value) {
    bus::KeyValue bucket(*bus, std::string(proto::kToolsetsBucket));
    test::Awaited<Result<bus::Entry>> there;
    bucket.get(key, there.callback());
    const auto entry = there.next();
    test::Awaited<Result<std::uint64_t>> put;
    bucket.put(key, value, *entry ? (*entry)->revision : 0, put.callback());
    ASSERT_TRUE(**put.next());
  }
  static std::size_t specs_in(const tools::SourceState& state) {
    std::size_t specs = 0;
    for (const auto& part : state.parts) specs += part->specs.size();
    return specs;
  }

  SystemClock clock;
  const std::unique_ptr<bus::InMemoryBus> bus = bus::make_in_memory_bus();
  ToolsetSource source{*bus};
};

TEST_F(ToolsetSources, WhatAWorkerFindsIsOfferedAndSoAreChanges) {
  EXPECT_EQ(specs_in(*look()), 0U);
  ToolsetBoard board;
  const ToolsetWriter writer(*bus, board, clock);
  board.put({"files", {spec("a")}});
  EXPECT_EQ(specs_in(*look()), 1U);
  board.put({"files", {spec("a"), spec("b")}});
  EXPECT_EQ(specs_in(*look()), 2U);
  board.put({"more", {spec("c")}});
  EXPECT_EQ(specs_in(*look()), 3U);
  board.put({"files", {}});
  EXPECT_EQ(specs_in(*look()), 1U) << "it has none any more";
}

TEST_F(ToolsetSources, ASetIsTakenWholeOrNotAtAll) {
  std::vector<tools::Spec> specs;
  for (int i = 0; i < 10; ++i) specs.push_back(spec("tool_" + std::to_string(i), std::string(200'000, 'x')));
  const auto entries = toolset_entries({"files", specs}, "w", {});
  ASSERT_GE(entries.size(), 3U);
  write(entries[0].key, entries[0].value);
  EXPECT_EQ(specs_in(*look()), 0U);
  write(entries[2].key, entries[2].value);
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (i != 2) write(entries[i].key, entries[i].value);
  }
  EXPECT_EQ(specs_in(*look()), 10U);
}

TEST_F(ToolsetSources, ADeletedEntryTakesItsToolsAlong) {
  write("files.0", toolset_entries({"files", {spec("a")}}, "w", {})[0].value);
  EXPECT_EQ(specs_in(*look()), 1U);
  write("files.0", "");
  EXPECT_EQ(specs_in(*look()), 0U);
  write("files.0", toolset_entries({"files", {spec("a")}}, "w", {})[0].value);
  EXPECT_EQ(specs_in(*look()), 1U) << "and comes back when a worker finds them again";
}

TEST_F(ToolsetSources, WhatCannotBeReadIsSaidAndLeavesTheRest) {
  write("files.0", toolset_entries({"files", {spec("a")}}, "w", {})[0].value);
  EXPECT_EQ(specs_in(*look()), 1U);
  write("files.0", "nonsense");
  const auto state = look();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->mistakes.size(), 1U);
  EXPECT_EQ(specs_in(*state), 1U) << "the last good version";
}

}  // namespace
}  // namespace toolway::cli
