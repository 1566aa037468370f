#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/process/host_port.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::terminal {
namespace {

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
