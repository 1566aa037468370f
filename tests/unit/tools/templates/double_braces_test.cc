#include "tools/templates/double_braces.h"

#include <gtest/gtest.h>

namespace toolway::tools::templates {
namespace {

const Json kArguments =
    *parse_json(R"({"city": "Oslo", "days": 3, "tags": ["a", {"b": true}], "a/b": null})");

std::string filled(const Json& value) {
  const auto made = fill_braces(value, {.arguments = kArguments, .attempt = 2, .count = 7});
  return made ? to_text(*made) : made.error().message;
}

TEST(DoubleBraces, ThatIsAloneKeepsItsType) {
  EXPECT_EQ(filled("{{days}}"), "3");
  EXPECT_EQ(filled("{{tags}}"), R"(["a",{"b":true}])");
  EXPECT_EQ(filled("{{/tags/1/b}}"), "true");
  EXPECT_EQ(filled("{{a/b}}"), "null");
  EXPECT_EQ(filled("{{$attempt}}"), "2");
  EXPECT_EQ(filled({{"list", {"{{city}}", 1, nullptr}}, {"{{city}}", "{{$count}}"}}),
            R"({"list":["Oslo",1,null],"{{city}}":7})");
}

TEST(DoubleBraces, InATextBecomesText) {
  EXPECT_EQ(filled("{{city}}: {{days}} days, {{tags}}"), R"("Oslo: 3 days, [\"a\",{\"b\":true}]")");
  EXPECT_EQ(filled("{{{{city}} {one} }}"), R"("{{city}} {one} }}")");
}

TEST(DoubleBraces, OfWhatIsNotGivenIsAnErrorUnlessOptional) {
  EXPECT_EQ(filled("{{none}}"), "argument /none is not given");
  EXPECT_EQ(filled("{{/tags/-}}"), "argument /tags/- is not given");
  EXPECT_EQ(filled("{{none?}}"), "null");
  EXPECT_EQ(filled("<{{none?}}>"), R"("<>")");
}

TEST(DoubleBraces, MistakesAreFoundAtAnyDepth) {
  std::vector<std::string> names;
  const auto mistakes = double_brace_mistakes(
      {{"a", {"{{open", "{{}}", "{{$now}}", "{{ x}}"}}, {"b", "{{fine}}{{/deep/1}}"}}, names);
  EXPECT_EQ(mistakes.size(), 4U);
  EXPECT_EQ(names, (std::vector<std::string>{"/fine", "/deep/1"}));
}

// What an argument holds is never a template itself.
TEST(DoubleBraces, ArgumentsAreNotExpandedAgain) {
  const Json arguments{{"x", "{{y}}"}, {"y", "z"}};
  EXPECT_EQ(to_text(*fill_braces("a {{x}}", {.arguments = arguments})), R"("a {{y}}")");
}

}  // namespace
}  // namespace toolway::tools::templates
