#include "tools/templates/placeholder_rules.h"

#include <gtest/gtest.h>

namespace toolway::tools::templates {
namespace {

const OrderedJson kSchema = {{"properties",
                              {{"city", {{"type", "string"}}},
                               {"days", {{"type", "integer"}, {"default", 3}}},
                               {"note", {{"type", "string"}}},
                               {"none", {{"default", nullptr}}}}},
                             {"required", {"city"}}};

TEST(PlaceholderRules, KnowsWhatIsAlwaysGiven) {
  Mistakes mistakes;
  const PlaceholderRules rules(kSchema, mistakes);
  const auto always = [&](const char* name) {
    return rules.given_always(name, *rules.property(name));
  };
  EXPECT_TRUE(always("city"));
  EXPECT_TRUE(always("days"));
  EXPECT_FALSE(always("note"));
  EXPECT_FALSE(always("none")) << "null stands for nothing";
  EXPECT_EQ(rules.property("town"), nullptr);
  EXPECT_EQ(rules.defaults(), (Json{{"days", 3}, {"none", nullptr}}));
}

TEST(PlaceholderRules, SchemaWithoutPropertiesDeclaresNone) {
  Mistakes mistakes;
  for (const OrderedJson& schema : {OrderedJson(true), OrderedJson::object()}) {
    const PlaceholderRules rules(schema, mistakes);
    EXPECT_EQ(rules.property("city"), nullptr);
    EXPECT_EQ(rules.defaults(), Json::object());
  }
}

TEST(PlaceholderRules, ReadsOnlyWhatTheSchemaDeclares) {
  Mistakes mistakes;
  const PlaceholderRules rules(kSchema, mistakes);
  using Stands = PlaceholderRules::Stands;
  EXPECT_EQ(rules.read("{city} in {days} days", "/text", Stands::kAlone).parts.size(), 4U);
  EXPECT_EQ(mistakes.count(), 0U);
  rules.read("{town}", "/text", Stands::kAlone);
  rules.read("{note}", "/text", Stands::kAlone);
  const auto found = std::move(mistakes).take();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NE(found[0].message.find("`{town}` is not a property"), std::string::npos);
  EXPECT_NE(found[1].message.find("write `{note?}`"), std::string::npos);
}

}  // namespace
}  // namespace toolway::tools::templates
