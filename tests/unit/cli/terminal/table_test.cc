#include "cli/terminal/table.h"

#include <gtest/gtest.h>

namespace toolway::cli::terminal {
namespace {

Table calls() {
  return {.columns = {{.heading = "CALL"},
                      {.heading = "TOOL", .least = 10},
                      {.heading = "RAN", .align = Align::kRight},
                      {.heading = "RESULT", .least = 12, .rank = 1},
                      {.heading = "WORKER", .rank = Column::kWideOnly}},
          .rows = {{.cells = {"b302099a", "time.get_current_time", "3 ms",
                              "{\"iso8601\":\"2026-11-22T14:24:50.362+01:00\",\"unix\":1795353890}",
                              "w1"},
                    .name = "01890a5d-ac96-774b-bcce-b302099a8057"},
                   {.cells = {"b302099b", "bench.work", "120 ms", Cell("failed", Colour::kRed)},
                    .name = "01890a5d-ac96-774b-bcce-b302099b8057"}},
          .nothing = "no calls"};
}

TEST(Table, FitsTheTerminalAndMarksWhatIsCut) {
  EXPECT_EQ(render(calls(), {.terminal = true, .width = 60}),
            "CALL      TOOL                      RAN  RESULT\n"
            "b302099a  time.get_current_time    3 ms  {\"iso8601\":\"2026-1…\n"
            "b302099b  bench.work             120 ms  failed\n");
  EXPECT_EQ(render(calls(), {.terminal = true, .width = 39}),
            "CALL      TOOL                      RAN\n"
            "b302099a  time.get_current_time    3 ms\n"
            "b302099b  bench.work             120 ms\n");
  EXPECT_EQ(render(calls(), {.terminal = true, .width = 30}),
            "CALL      TOOL             RAN\n"
            "b302099a  time.get_cu…    3 ms\n"
            "b302099b  bench.work    120 ms\n");
}

TEST(Table, IsWholeInAPipeAndWide) {
  const std::string whole =
      "CALL      TOOL                      RAN  RESULT\n"
      "b302099a  time.get_current_time    3 ms  "
      "{\"iso8601\":\"2026-11-22T14:24:50.362+01:00\",\"unix\":1795353890}\n"
      "b302099b  bench.work             120 ms  failed\n";
  EXPECT_EQ(render(calls(), {}), whole);
  const auto wide = render(calls(), {.output = Output::kWide, .terminal = true, .width = 40});
  EXPECT_NE(wide.find("1795353890}  w1\n"), std::string::npos) << wide;
}

TEST(Table, NamesAreOneToALine) {
  EXPECT_EQ(render(calls(), {.output = Output::kName}),
            "01890a5d-ac96-774b-bcce-b302099a8057\n01890a5d-ac96-774b-bcce-b302099b8057\n");
  EXPECT_EQ(render({.columns = {{.heading = "A"}}, .rows = {{.cells = {"x"}, .name = {}}}},
                   {.output = Output::kName}),
            "x\n");
}

TEST(Table, IdsAreShortOnATerminalAndWholeElsewhere) {
  const Table ids{.columns = {{.heading = "CALL", .holds = Holds::kIds}},
                  .rows = {{.cells = {"01890a5d-ac96-774b-bcce-b302099a8057"}, .name = {}}}};
  EXPECT_EQ(render(ids, {.terminal = true, .width = 80}), "CALL\n099a8057\n");
  EXPECT_EQ(render(ids, {}), "CALL\n01890a5d-ac96-774b-bcce-b302099a8057\n");
  EXPECT_EQ(render(ids, {.output = Output::kName, .terminal = true, .width = 80}),
            "01890a5d-ac96-774b-bcce-b302099a8057\n");
}

TEST(Table, AColumnWithNothingInItIsLeftOutIfItMayBe) {
  Table table{.columns = {{.heading = "A"}, {.heading = "B", .empty = Empty::kLeftOut}},
              .rows = {{.cells = {"a", ""}, .name = {}}}};
  EXPECT_EQ(render(table, {}), "A\na\n");
  table.rows.push_back({.cells = {"a", "b"}, .name = {}});
  EXPECT_EQ(render(table, {}), "A  B\na\na  b\n");
}

TEST(Table, ColoursNeverCountAsWidth) {
  const auto text = render(calls(), {.terminal = true, .width = 60, .style = Style(true)});
  EXPECT_NE(text.find("\x1b[1mTOOL\x1b[0m                      \x1b[1mRAN"), std::string::npos)
      << text;
  EXPECT_NE(text.find("120 ms  \x1b[31mfailed\x1b[0m\n"), std::string::npos) << text;
}

TEST(Table, WithoutRowsSaysSoOnATerminal) {
  auto none = calls();
  none.rows.clear();
  EXPECT_EQ(render(none, {.terminal = true, .width = 80}), "no calls\n");
  EXPECT_EQ(render(none, {}), "CALL  TOOL  RAN  RESULT\n");
}

TEST(Table, AlignsByCharactersNotBytes) {
  EXPECT_EQ(render_table({"A", "B"}, {{"é", "x"}, {"long", ""}}), "A     B\né     x\nlong\n");
}

TEST(Table, LetsNoCellMoveTheCursor) {
  EXPECT_EQ(render_table({"A"}, {{"x\x1b[2J\ny"}}), "A\nx [2J y\n");
}

TEST(Table, LetsNoCellTurnTheDirectionOfWriting) {
  EXPECT_EQ(render_table({"A"}, {{"/safe/\u202e3pm.exe"}}), "A\n/safe/\\u202e3pm.exe\n");
}

TEST(Table, ShortensWithoutCuttingACharacter) {
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("ééééé", 3), "éé…");
}

}  // namespace
}  // namespace toolway::cli::terminal
