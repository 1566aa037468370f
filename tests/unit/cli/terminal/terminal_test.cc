#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/process/host_port.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"

namespace toolway::cli::terminal {
namespace {

TEST(Table, AlignsByCharactersNotBytes) {
  EXPECT_EQ(render_table({"A", "B"}, {{"é", "x"}, {"long", ""}}), "A     B\né     x\nlong\n");
}

TEST(Table, LetsNoCellMoveTheCursor) {
  EXPECT_EQ(render_table({"A"}, {{"x\x1b[2J\ny"}}), "A\nx [2J y\n");
}

TEST(Table, ShortensWithoutCuttingACharacter) {
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("ééééé", 3), "éé…");
}

TEST(HostPort, ReadsWhatPeopleWrite) {
  EXPECT_EQ(process::parse_host_port("127.0.0.1:8080")->text(), "127.0.0.1:8080");
  EXPECT_EQ(process::parse_host_port(":0")->host, "127.0.0.1");
  EXPECT_EQ(process::parse_host_port("[::1]:9")->text(), "[::1]:9");
  for (const char* text : {"", "8080", "host:", "host:x", "host:70000", "::1:80"})
    EXPECT_FALSE(process::parse_host_port(text)) << text;
}

TEST(ExitCode, SaysWhoseFaultItIs) {
  EXPECT_EQ(exit_code(ErrorCode::kMalformedJson), kExitUsage);
  EXPECT_EQ(exit_code(ErrorCode::kUnknownTool), kExitRefused);
  EXPECT_EQ(exit_code(ErrorCode::kTimeout), kExitUnavailable);
  EXPECT_EQ(exit_code_of_status(422), kExitRefused);
  EXPECT_EQ(exit_code_of_status(503), kExitUnavailable);
}

}  // namespace
}  // namespace toolway::cli::terminal
