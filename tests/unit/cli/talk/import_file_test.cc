#include "cli/talk/import_file.h"

#include <gtest/gtest.h>

namespace toolway::cli::talk {
namespace {

using tools::exports::Format;

TEST(AskedExport, NamesAFormatThatConversationsHave) {
  EXPECT_EQ(*asked_export(""), Format::kToolway);
  EXPECT_EQ(*asked_export(" anthropic "), Format::kAnthropic);
  for (const auto* other : {"foo", "mcp", "openai anthropic"}) {
    const auto refused = asked_export(other);
    ASSERT_FALSE(refused) << other;
    EXPECT_EQ(
        refused.error().message,
        "'" + std::string(other) + "' is not one of toolway, openai, openai-responses, anthropic");
  }
}

}  // namespace
}  // namespace toolway::cli::talk
