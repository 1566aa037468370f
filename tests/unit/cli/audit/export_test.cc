#include <gtest/gtest.h>

#include "cli/audit/verbs.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::audit {
namespace {

// It printed nothing, with status 0, as if there were no such records.
TEST(AuditExport, AKindThatDoesNotExistIsRefusedWithThoseThatDo) {
  const SystemClock clock;
  testing::internal::CaptureStderr();
  const int status =
      export_audit({.data = "/nowhere", .what = "call_denied", .clock = &clock, .view = {}});
  const auto said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, terminal::kExitUsage) << said;
  EXPECT_NE(said.find("--what 'call_denied' is not a kind of record; there are: call_ended, "
                      "call_held, call_decided, refused, "),
            std::string::npos)
      << said;
}

}  // namespace
}  // namespace toolway::cli::audit
