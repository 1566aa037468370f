// Every format's bytes are held by golden files. After a change that is meant:
// TOOLWAY_WRITE_GOLDEN=1 build/tests/unit_tools_tests, and read the diff.
#include "tools/exports/definitions.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/paths.h"
#include "tests/unit/tools/exports/export_specs.h"
#include "tools/exports/api_schema.h"

namespace toolway::tools::exports {
namespace {

constexpr Format kAll[] = {Format::kToolway, Format::kOpenAi, Format::kOpenAiResponses,
                           Format::kAnthropic, Format::kMcp};

OrderedJson parsed(std::string_view text) { return *parse_ordered_json(text); }

TEST(ExportFormats, AreKnownByName) {
  for (const auto format : kAll) EXPECT_EQ(parse_format(format_name(format)), format);
  EXPECT_FALSE(parse_format("OpenAI"));
  EXPECT_FALSE(parse_format(""));
}

TEST(GoldenExports, EveryFormat) {
  const auto registry = test::registry_of(test::export_specs());
  for (const auto format : kAll) {
    const std::string shown = definitions(*registry, format).dump(2) + "\n";
    const std::string path =
        TOOLWAY_SOURCE_DIR "/tests/golden/exports/" + std::string(format_name(format)) + ".json";
    if (std::getenv("TOOLWAY_WRITE_GOLDEN") != nullptr) std::ofstream(path) << shown;
    std::ifstream in(path);
    std::stringstream golden;
    golden << in.rdbuf();
    EXPECT_EQ(shown, golden.str()) << path;
  }
}

TEST(Definitions, HintsOfMcpSayWhatTheSpecSays) {
  model::Spec spec{.name = "n", .input_schema = {{"type", "object"}}};
  const auto silent = definition(spec, Format::kMcp, "n")["annotations"];
  EXPECT_FALSE(silent.contains("readOnlyHint"));
  EXPECT_FALSE(silent.contains("openWorldHint"));
  spec.read_only = true;
  spec.open_world = false;
  const auto said = definition(spec, Format::kMcp, "n")["annotations"];
  EXPECT_EQ(said["readOnlyHint"], true);
  EXPECT_EQ(said["openWorldHint"], false);
}

TEST(Definitions, RevisionsOfMcpHaveMoreThanTheExport) {
  model::Spec spec{
      .name = "n", .input_schema = {{"type", "object"}}, .output_schema = {{"type", "array"}}};
  const auto exported = definition(spec, Format::kMcp, "n");
  EXPECT_FALSE(exported.contains("execution") || exported.contains("outputSchema"));
  EXPECT_EQ(definition(spec, Format::kMcpTasks, "n")["execution"]["taskSupport"], "optional");
  EXPECT_FALSE(definition(spec, Format::kMcpTasks, "n").contains("outputSchema"));
  EXPECT_EQ(definition(spec, Format::kMcpModern, "n")["outputSchema"]["type"], "array");
  EXPECT_FALSE(definition(spec, Format::kMcpModern, "n").contains("execution"));
  spec.task = model::TaskMode::kForbidden;
  EXPECT_EQ(definition(spec, Format::kMcpTasks, "n")["execution"]["taskSupport"], "forbidden");
  EXPECT_EQ(parse_format("mcp"), Format::kMcp);
}

TEST(Definitions, NeverShowHowAToolRuns) {
  const auto registry = test::registry_of(test::export_specs());
  for (const auto format : kAll) {
    const std::string text = to_text(definitions(*registry, format));
    for (const char* hidden : {"secret", "argv", "implementation", "pool", "retry", "inline"}) {
      EXPECT_EQ(text.find(hidden), std::string::npos) << format_name(format) << ": " << hidden;
    }
  }
}

TEST(Definitions, ShowTheNamespacesAskedForOnlySorted) {
  const auto registry = test::registry_of(test::export_specs());
  const std::vector<std::string> files{"files", "none"};
  const auto shown = definitions(*registry, Format::kAnthropic, files);
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0]["name"], "files__dangerous_delete");
  EXPECT_TRUE(shown[1]["name"].get<std::string>().starts_with("files__run__all___"));
  EXPECT_EQ(to_text(definitions(*registry, Format::kMcp, std::vector<std::string>{})), "[]");
}

TEST(ApiSchema, KeepsWhatAnApiTakes) {
  const auto schema = parsed(
      R"({"type":"object","properties":{"a":{"anyOf":[{"type":"string"}]}},"required":["a"]})");
  for (const auto format : kAll)
    EXPECT_EQ(api_parameters(schema, format), schema) << format_name(format);
}

TEST(ApiSchema, TakesCompositionsOutOfTheTopAndKeepsTheirNames) {
  const auto schema = parsed(R"({"type":"object","properties":{"a":{"type":"integer"}},
    "oneOf":[{"properties":{"a":{"type":"string"},"b":true}},{"$ref":"#/$defs/C"},{"$ref":"#/nowhere"},{"$ref":"no"},7],
    "anyOf":[{"required":["a"]}],"enum":[1],"not":{},"$defs":{"C":{"properties":{"c":{}}}}})");
  const auto anthropic = api_parameters(schema, Format::kAnthropic);
  EXPECT_EQ(to_text(anthropic["properties"]), R"({"a":{"type":"integer"},"b":true,"c":{}})");
  for (const char* gone : {"oneOf", "anyOf"}) EXPECT_FALSE(anthropic.contains(gone));
  EXPECT_TRUE(anthropic.contains("not"));
  const auto openai = api_parameters(schema, Format::kOpenAi);
  for (const char* gone : {"oneOf", "anyOf", "enum", "not"}) EXPECT_FALSE(openai.contains(gone));
  EXPECT_EQ(api_parameters(schema, Format::kMcp), schema);
}

TEST(ApiSchema, GivesOpenAiPropertiesAndItems) {
  EXPECT_EQ(to_text(api_parameters(parsed(R"({"type":"object"})"), Format::kOpenAi)),
            R"({"type":"object","properties":{}})");
  EXPECT_EQ(to_text(api_parameters(parsed(R"({"type":"object"})"), Format::kAnthropic)),
            R"({"type":"object"})");
  const auto schema = parsed(R"({"type":"object","properties":{"items":{"type":["array","null"]},
    "b":{"anyOf":[{"type":"array"},{"type":"array","items":{"type":"array"}}]}}})");
  EXPECT_EQ(
      to_text(api_parameters(schema, Format::kOpenAiResponses)["properties"]),
      R"({"items":{"type":["array","null"],"items":{}},)"
      R"("b":{"anyOf":[{"type":"array","items":{}},{"type":"array","items":{"type":"array","items":{}}}]}})");
}

TEST(ApiSchema, CutsDescriptionsForChatCompletionsByCharacters) {
  const std::string fits(1024, 'x');
  EXPECT_EQ(api_description(fits, Format::kOpenAi), fits);
  EXPECT_EQ(api_description(fits + "y", Format::kOpenAi), std::string(1023, 'x') + "…");
  std::string wide;
  for (int i = 0; i < 1024; ++i) wide += "ü";
  EXPECT_EQ(api_description(wide, Format::kOpenAi), wide);
  EXPECT_EQ(api_description(wide + "ü", Format::kOpenAi), wide.substr(0, 2046) + "…");
  EXPECT_EQ(api_description(fits + "y", Format::kOpenAiResponses), fits + "y");
  EXPECT_EQ(api_description(fits + "y", Format::kAnthropic), fits + "y");
}

}  // namespace
}  // namespace toolway::tools::exports
