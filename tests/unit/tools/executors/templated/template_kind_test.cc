#include "tools/executors/templated/template_kind.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_dir.h"
#include "tools/model/local_context.h"
#include "tools/model/registry.h"

namespace toolway::tools::executors::templated {
namespace {

class TemplateKind : public testing::Test {
 protected:
  static model::Spec spec(const OrderedJson& config) {
    return {.name = "greet",
            .ns = "text",
            .input_schema = {{"type", "object"},
                             {"required", {"name"}},
                             {"properties",
                              {{"name", {{"type", "string"}}},
                               {"items", {{"type", "array"}}},
                               {"tone", {{"type", "string"}, {"default", "kind"}}}}}},
            .kind = template_kind_type().kind,
            .implementation = config};
  }
  std::string said(const OrderedJson& config, const Json& arguments) {
    auto kind =
        template_kind_type().make({.settings = {{"directory", directory_.path().string()}}});
    if (!kind) return kind.error().message;
    auto tool = (*kind)->make(spec(config));
    if (!tool) return tool.error().message;
    model::ProgressTo progress([](const model::ProgressReport&) {});
    const auto end = (*model::register_tool(*tool))->run(arguments, context_, progress);
    return end ? to_text(*end) : end.error().code + ": " + end.error().message;
  }
  static std::vector<std::string> mistakes(const OrderedJson& config) {
    std::vector<std::string> found;
    for (const auto& mistake : template_kind_type().check(spec(config)))
      found.push_back(mistake.place + ": " + mistake.message);
    return found;
  }

  const test::TempDir directory_;
  model::LocalContext context_;
};

TEST_F(TemplateKind, FillsInTextAndJson) {
  EXPECT_EQ(said({{"text", "Be {{tone}} to {{name}}."}}, {{"name", "Ann"}}),
            R"("Be kind to Ann.")");
  EXPECT_EQ(said({{"text", "{{items?}}"}}, {{"name", "Ann"}, {"items", {1}}}), R"("[1]")");
  EXPECT_EQ(said({{"json", "{{items}}"}}, {{"name", "Ann"}, {"items", {1}}}), "[1]");
  EXPECT_EQ(
      said({{"json", {{"role", "system"}, {"content", "Hi {{name}}"}, {"items", "{{items?}}"}}}},
           {{"name", "Ann"}, {"items", {1, "{{name}}"}}}),
      R"({"content":"Hi Ann","items":[1,"{{name}}"],"role":"system"})");
}

TEST_F(TemplateKind, ReadsAFileAtEachCall) {
  std::ofstream(directory_ / "greeting.txt") << "Dear {{name}}";
  EXPECT_EQ(said({{"file", "greeting.txt"}}, {{"name", "Ann"}}), R"("Dear Ann")");
  std::ofstream(directory_ / "greeting.txt") << "Hello {{name}}";
  EXPECT_EQ(said({{"file", "greeting.txt"}}, {{"name", "Ann"}}), R"("Hello Ann")");
  EXPECT_EQ(said({{"file", "none.txt"}}, {{"name", "Ann"}}),
            "not_found: the template file none.txt cannot be read");
  std::ofstream(directory_ / "large.txt") << std::string(1024 * 1024 + 1, 'x');
  EXPECT_EQ(said({{"file", "large.txt"}}, {{"name", "Ann"}}),
            "tool_failed: the template file large.txt has more than 1 MiB");
  std::ofstream(directory_ / "binary.txt") << "{{open";
  EXPECT_EQ(said({{"file", "binary.txt"}}, {{"name", "Ann"}}).substr(0, 13), "invalid_spec:");
}

TEST_F(TemplateKind, RefusesArgumentsAndStopsLikeEveryTool) {
  EXPECT_EQ(said({{"text", "{{items}}"}}, {{"name", "Ann"}}),
            "invalid_arguments: argument /items is not given");
  EXPECT_EQ(said({{"text", "{{name}}"}}, {{"name", 5}}).substr(0, 17), "invalid_arguments");
  context_.stop.request_stop();
  EXPECT_EQ(said({{"text", "{{name}}"}}, {{"name", "Ann"}}),
            "cancelled: the call was asked to stop");
}

TEST_F(TemplateKind, SaysWhatIsWrongWithAConfigAndWhere) {
  const std::string at = "/implementation_config";
  EXPECT_EQ(mistakes({{"text", "{{name}} {{/items/0}} {{tone?}}"}}), std::vector<std::string>{});
  EXPECT_EQ(mistakes({{"text", "{{nme}}"}}),
            std::vector<std::string>{
                at + "/text: `{{nme}}`: the input schema has no property of that name"});
  EXPECT_EQ(mistakes({{"json", {1, "{{open"}}}).at(0).substr(0, at.size() + 6), at + "/json:");
  EXPECT_EQ(mistakes({{"txt", "x"}}),
            std::vector<std::string>{
                at + "/txt: unknown field `txt`; a template tool has text, json or file"});
  EXPECT_EQ(mistakes({{"text", 5}}),
            std::vector<std::string>{at + "/text: `text` must be text; `json` takes any value"});
  EXPECT_EQ(mistakes({{"text", "a"}, {"file", "b"}}).size(), 1U);
  EXPECT_EQ(mistakes(OrderedJson()).size(), 1U);
  for (const char* file : {"", "../x", "/etc/passwd", ".hidden", "a/b"})
    EXPECT_EQ(mistakes({{"file", file}}).size(), 1U) << file;
}

TEST_F(TemplateKind, ADirectoryThatIsNoneIsSaid) {
  const auto kind = template_kind_type().make({.settings = {{"directory", directory_ / "none"}}});
  ASSERT_FALSE(kind);
  EXPECT_EQ(kind.error().message,
            "--set template.directory: " + (directory_ / "none") + " is not a directory");
  auto without = template_kind_type().make({});
  ASSERT_TRUE(without);
  EXPECT_NE((*without)
                ->make(spec({{"file", "a.txt"}}))
                .error()
                .message.find("has no --set template.directory"),
            std::string::npos);
}

}  // namespace
}  // namespace toolway::tools::executors::templated
