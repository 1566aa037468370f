#include "tools/model/kind_types.h"

#include <gtest/gtest.h>

namespace toolway::tools::model {
namespace {

std::vector<Mistake> wrong(const Spec& spec) { return {{"/implementation_config", spec.name}}; }

TEST(KindTypeList, KnowsWhatItWasGivenAndNothingElse) {
  const KindTypes types({{.kind = Kind{"brew"}, .check = &wrong}});
  ASSERT_NE(types.find("brew"), nullptr);
  EXPECT_EQ(types.find("brew")->kind.name, "brew");
  EXPECT_EQ(types.find("python"), nullptr);
  const auto of_kind = types.check({.name = "tea", .kind = Kind{"brew"}});
  ASSERT_EQ(of_kind.size(), 1U);
  EXPECT_EQ(of_kind[0].message, "tea");
  const auto of_none = types.check({.name = "tea", .kind = Kind::kPython});
  ASSERT_EQ(of_none.size(), 1U);
  EXPECT_EQ(of_none[0].place, "/kind");
  EXPECT_EQ(of_none[0].message, "this build runs no tools of kind python");
}

TEST(KindTypeList, NamesItsKindsAsASentenceDoes) {
  const KindType a{.kind = Kind{"a"}};
  const KindType b{.kind = Kind{"b"}};
  EXPECT_EQ(KindTypes({a}).names(), "a");
  EXPECT_EQ(KindTypes({a, b}).names(), "a or b");
  EXPECT_EQ(KindTypes({a, b, KindType{.kind = Kind{"c"}}}).names(), "a, b or c");
}

TEST(KindOptions, TheLastValueOfASettingCounts) {
  const KindOptions options{.directory = {}, .settings = {{"x", "1"}, {"y", "2"}, {"x", "3"}}};
  EXPECT_EQ(options.setting("x", "0"), "3");
  EXPECT_EQ(options.setting("z", "0"), "0");
  EXPECT_EQ(options.all("x"), (std::vector<std::string>{"1", "3"}));
}

}  // namespace
}  // namespace toolway::tools::model
