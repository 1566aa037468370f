#include "extensions/extension_type.h"

#include <set>

#include "extensions/chain/extension_types.h"
#include "tests/unit/extensions/policies.h"

namespace toolway::extensions {
namespace {

TEST(ExtensionTypes, HaveNamesAndActionsOfTheirOwn) {
  std::set<std::string_view> names;
  std::set<std::string_view> actions;
  for (const auto& type : chain::extension_types()) {
    EXPECT_TRUE(names.insert(type.name).second) << type.name;
    for (const auto& action : type.actions) EXPECT_TRUE(actions.insert(action).second) << action;
    EXPECT_EQ(type.read == nullptr, type.actions.empty()) << type.name;
    ASSERT_NE(type.make, nullptr) << type.name;
  }
}

TEST(ExtensionTypes, MakeNothingThatAPolicyDoesNotAskFor) {
  const auto nothing = test::policy("");
  for (const auto& type : chain::extension_types()) {
    if (type.actions.empty()) continue;
    // A spec may ask for approval, too.
    EXPECT_EQ(type.make(nothing) != nullptr, type.name == "approval") << type.name;
    EXPECT_FALSE(asks_for(*nothing, type.actions));
  }
}

TEST(ExtensionTypes, PrioritiesHaveNames) {
  EXPECT_EQ(priority_name(Priority::kHighest), "highest");
  EXPECT_EQ(priority_name(Priority::kHigh), "high");
  EXPECT_EQ(priority_name(Priority::kNormal), "normal");
  EXPECT_EQ(priority_name(Priority::kLow), "low");
}

}  // namespace
}  // namespace toolway::extensions
