#include "tests/support/page_code.h"
#include "tests/unit/extensions/policies.h"

namespace toolway::extensions {
namespace {

TEST(ExtensionsPage, ShowsTheCodeThatIsBuilt) {
  toolway::test::expect_shows_what_is_built("docs/extensions.md", 5);
}

/// The page's example is a policy without mistakes.
TEST(ExtensionsPage, ItsExampleIsRead) {
  const auto page = toolway::test::text_of("docs/extensions.md");
  std::string example = page.substr(page.find("    roles:\n"));
  example.resize(example.find("\n\n"));
  const auto policy = test::policy(std::regex_replace("\n" + example, std::regex("\n    "), "\n"));
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->roles->size(), 2U);
  EXPECT_EQ(policy->rules.size(), 3U);
  EXPECT_EQ(test::policy(toolway::test::text_of("examples/extensions.yaml"))->rules.size(), 3U);
}

}  // namespace
}  // namespace toolway::extensions
