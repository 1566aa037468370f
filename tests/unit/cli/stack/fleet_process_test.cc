#include "cli/stack/fleet_process.h"

#include <gtest/gtest.h>

#include "cli/terminal/exit_code.h"

namespace toolway::cli::stack {
namespace {

TEST(FleetProcess, WhatWasTypedWronglyIsWrongUsageOfDevToo) {
  EXPECT_EQ(code_of_end(terminal::kExitUsage), ErrorCode::kInvalidRequest);
  EXPECT_EQ(code_of_end(terminal::kExitRefused), ErrorCode::kInvalidRequest);
  EXPECT_EQ(code_of_end(terminal::kExitUnavailable), ErrorCode::kTimeout);
  EXPECT_EQ(code_of_end(137), ErrorCode::kTimeout);
  EXPECT_EQ(code_of_end(std::nullopt), ErrorCode::kTimeout);
}

}  // namespace
}  // namespace toolway::cli::stack
