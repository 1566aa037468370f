#include "tools/executors/mcp_client/toolset.h"

#include <gtest/gtest.h>

#include "tools/executors/kind_types.h"
#include "tools/specs/reader.h"

namespace toolway::tools::executors::mcp_client {
namespace {

mcp::ToolDefinition tool(std::string name, OrderedJson input = {{"type", "object"}}) {
  return {.name = std::move(name), .description = "Does it.", .input_schema = std::move(input)};
}

class Toolsets : public testing::Test {
 protected:
  Toolsets() {
    server.name = "files";
    server.defaults.kind = model::Kind::kMcp;
    server.defaults.ns = "fs";
    server.defaults.pool = "mcp";
  }
  MappedTools map(std::vector<mcp::ToolDefinition> tools) {
    return map_tools(server, {.revision = mcp::Revision::k2025_11_25, .tools = std::move(tools)});
  }
  ServerConfig server;
};

TEST_F(Toolsets, AToolBecomesASpec) {
  auto definition = tool("read.file");
  definition.title = "Read a file";
  definition.output_schema = {{"type", "object"}};
  const auto mapped = map({definition});
  ASSERT_EQ(mapped.specs.size(), 1U);
  const auto& spec = mapped.specs[0];
  EXPECT_EQ(spec.qualified_name(), "fs.read_file");
  EXPECT_EQ(spec.topic, "Read a file");
  EXPECT_EQ(spec.pool, "mcp");
  EXPECT_EQ(spec.implementation, (OrderedJson{{"server", "files"}, {"tool", "read.file"}}));
  EXPECT_FALSE(spec.idempotent);
  const auto stored = specs::spec_of_document(to_text(model::to_document(spec)), kind_types());
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(model::digest(*stored), model::digest(spec));
}

TEST_F(Toolsets, EachThatCannotBeOfferedIsRefusedByItself) {
  auto task = tool("task");
  task.tasks = mcp::TaskSupport::kRequired;
  auto huge = tool("huge");
  huge.description = std::string(600'000, 'x');
  auto bad_output = tool("bad_output");
  bad_output.output_schema = {{"type", 5}};
  OrderedJson many{{"type", "object"}, {"enum", OrderedJson::array()}};
  for (int i = 0; i < 20'000; ++i) many["enum"].push_back(i);
  const auto mapped =
      map({tool("good"),
           tool("bad", {{"type", "object"}, {"properties", {{"a", {{"type", "nothing"}}}}}}),
           tool("text", {{"type", "string"}}), tool("untyped", OrderedJson::object()),
           tool(std::string(200, 'x')), task, huge, bad_output, tool("many", many),
           tool("remote", {{"type", "object"}, {"$ref", "https://example.com/x"}}), tool("good")});
  ASSERT_EQ(mapped.specs.size(), 1U);
  EXPECT_EQ(mapped.specs[0].name, "good");
  EXPECT_EQ(mapped.refused.size(), 10U);
}

TEST_F(Toolsets, NamesStayApart) {
  const auto mapped = map({tool("a.b"), tool("a_b"), tool("a b"), tool(std::string(100, 'y')),
                           tool(std::string(99, 'y') + "z")});
  std::set<std::string> names;
  for (const auto& spec : mapped.specs) {
    EXPECT_LE(spec.name.size(), 64U);
    names.insert(spec.name);
  }
  EXPECT_EQ(names.size(), 5U);
  EXPECT_TRUE(names.contains("a_b")) << "whose name is valid keeps it";
  EXPECT_TRUE(mapped.refused.empty());
}

TEST_F(Toolsets, OnlyWhatIsWanted) {
  server.include = {"read_*", "list"};
  server.exclude = {"*_secret"};
  const auto mapped =
      map({tool("read_file"), tool("read_secret"), tool("list"), tool("lists"), tool("write")});
  ASSERT_EQ(mapped.specs.size(), 2U);
  EXPECT_EQ(mapped.specs[0].name, "list");
  EXPECT_EQ(mapped.specs[1].name, "read_file");
  EXPECT_TRUE(mapped.refused.empty());
}

TEST_F(Toolsets, HintsCountWhenTheServerIsTrusted) {
  auto reads = tool("reads");
  reads.annotations.read_only = true;
  auto destroys = tool("destroys");
  destroys.annotations.destructive = true;
  EXPECT_FALSE(map({reads}).specs.at(0).idempotent);
  server.trusts_annotations = true;
  EXPECT_TRUE(map({reads}).specs.at(0).idempotent);
  EXPECT_TRUE(map({destroys}).specs.at(0).dangerous);
}

TEST_F(Toolsets, OlderDraftsAreUnderstood) {
  const auto mapped = map({tool(
      "old",
      {{"$schema", "http://json-schema.org/draft-07/schema#"},
       {"type", "object"},
       {"definitions", {{"n", {{"type", "integer"}}}}},
       {"properties",
        {{"n", {{"$ref", "#/definitions/n"}}},
         {"pair",
          {{"type", "array"}, {"items", {{{"type", "string"}}, {{"type", "integer"}}}}}}}}})});
  ASSERT_EQ(mapped.specs.size(), 1U) << mapped.refused.at(0);
  EXPECT_EQ(mapped.specs[0].input_schema["properties"]["n"]["$ref"], "#/$defs/n");
  EXPECT_TRUE(mapped.specs[0].input_schema["properties"]["pair"].contains("prefixItems"));
}

TEST_F(Toolsets, HundredsAreOfferedAndNotMoreThanCanTravel) {
  std::vector<mcp::ToolDefinition> tools;
  for (int i = 0; i < 2'500; ++i) tools.push_back(tool("tool_" + std::to_string(i)));
  const auto mapped = map(std::move(tools));
  EXPECT_EQ(mapped.specs.size(), kMaxOffered);
  EXPECT_EQ(mapped.refused.size(), 500U);
}

TEST_F(Toolsets, OverHttpATellTaleSchemaIsRefused) {
  server.http = HttpServer{};
  EXPECT_EQ(map({tool("a", {{"type", "object"},
                            {"properties", {{"x", {{"type", "number"}, {"x-mcp-header", "X"}}}}}})})
                .refused.size(),
            1U);
}

}  // namespace
}  // namespace toolway::tools::executors::mcp_client
