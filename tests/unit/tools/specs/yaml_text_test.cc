#include "tools/specs/yaml_text.h"

#include <gtest/gtest.h>

#include "tests/unit/tools/specs/documents.h"
#include "tools/specs/reader.h"

namespace toolway::tools::specs {
namespace {

TEST(YamlText, IsWhatAPersonWouldWrite) {
  EXPECT_EQ(
      yaml_text({{"name", "tool"}, {"required", {"a", "b"}}, {"default", nullptr}, {"limit", 3}}),
      "name: tool\nrequired: [a, b]\ndefault: ~\nlimit: 3\n");
}

TEST(YamlText, IsReadAsTheSameSpec) {
  model::Spec spec;
  spec.name = "tool";
  spec.kind = model::Kind::kPython;
  spec.pool = "python";
  spec.description = "Says: \"no\" # not a comment\nsecond line \xc3\xa9 \t";
  spec.version = "1.0";
  spec.topic = "true";
  spec.permissions = {"yes", "123", "~", "- a"};
  spec.input_schema = {{"type", "object"},
                       {"properties",
                        {{"a b", {{"type", "string"}, {"default", "null"}, {"pattern", "^\\d+$"}}},
                         {"x", {{"enum", {1, 1.5, "1", true, nullptr}}}}}}};
  spec.output_schema = OrderedJson::object();
  spec.implementation = {{"module", "m"}, {"function_name", "f"}};
  const auto text = yaml_text({{"tools", {model::to_document(spec)}}});
  const auto document = read_specs(text, "made.yaml", any_kind());
  ASSERT_TRUE(document.mistakes.empty()) << document.mistakes.front().text() << "\n" << text;
  ASSERT_EQ(document.specs.size(), 1u);
  EXPECT_EQ(model::digest(document.specs[0].spec), model::digest(spec)) << text;
}

}  // namespace
}  // namespace toolway::tools::specs
