#include <gtest/gtest.h>

#include <regex>

#include "tests/support/page_code.h"
#include "tools/executors/kind_types.h"
#include "tools/specs/reader.h"

namespace toolway::tools::model {
namespace {

using test::text_of;

TEST(KindsPage, ShowsTheCodeThatIsBuilt) { test::expect_shows_what_is_built("docs/kinds.md", 7); }

TEST(KindTypes, AreKnownToSpecsByTheirRegistrationAlone) {
  const auto page = text_of("docs/kinds.md");
  std::string spec = page.substr(page.find("    tools:\n"));
  spec.resize(spec.find("\n\n"));
  const auto document =
      specs::read_specs(std::regex_replace("\n" + spec, std::regex("\n    "), "\n"), "page",
                        {.kinds = executors::kind_types()});
  for (const auto& mistake : document.mistakes) ADD_FAILURE() << mistake.text();
  ASSERT_EQ(document.specs.size(), 1U);
  EXPECT_EQ(document.specs[0].spec.kind.name, "template");
  EXPECT_EQ(document.specs[0].spec.pool, "template");
  EXPECT_NE(executors::kind_types().names().find("template"), std::string::npos);
}

}  // namespace
}  // namespace toolway::tools::model
