#include "tools/model/registry.h"

#include <gtest/gtest.h>

#include "tests/support/sample_tools.h"
#include "tools/model/local_context.h"

namespace toolway::tools::model {
namespace {

/// A tool of any name that returns its qualified name.
std::shared_ptr<const Tool> named(const std::string& ns, const std::string& name) {
  Spec spec{.name = name,
            .ns = ns,
            .input_schema = {{"type", "object"}, {"additionalProperties", false}}};
  return std::make_shared<native::NativeTool>(
      spec, [text = spec.qualified_name()](const Json&, ToolContext&, Progress&) {
        return Execution(Json(text));
      });
}

Registry filled() {
  Registry registry;
  for (const auto& [ns, name] :
       std::vector<std::pair<std::string, std::string>>{{"time", "get_current_time"},
                                                        {"files", "read"},
                                                        {"files", "list"},
                                                        {"archive", "read"},
                                                        {"a-b", "x"},
                                                        {"a", "x"},
                                                        {"a_b", "x"},
                                                        {"secret", "get_current_tide"}}) {
    const auto added = registry.add(named(ns, name));
    EXPECT_TRUE(added) << added.error().message;
  }
  return registry;
}

std::string name_of(const Result<RegisteredToolPtr>& tool) {
  return tool ? (*tool)->spec().qualified_name()
              : std::string(code_name(tool.error().code)) + ": " + tool.error().message;
}

using Names = std::vector<std::string>;

TEST(Registry, AllNamespacesAreOneName) {
  const auto registry = filled();
  const Names all{"*"};
  EXPECT_EQ(registry.list(all).size(), registry.size());
  EXPECT_EQ(name_of(registry.resolve(all, "list")), "files.list");
  EXPECT_EQ(name_of(registry.resolve(all, "secret.get_current_tide")), "secret.get_current_tide");
  EXPECT_EQ(name_of(registry.resolve(all, "x")).substr(0, 15), "ambiguous_tool:");
  const Names others{"*", "files"};
  EXPECT_EQ(registry.list(others).size(), 2U)
      << "next to others it is a name that no namespace has";
}

TEST(Registry, AToolOfThePoolOfHeldCallsIsRefused) {
  Spec spec{.name = "t", .ns = "n", .input_schema = {{"type", "object"}}, .pool = "held"};
  const auto refused = register_tool(std::make_shared<native::NativeTool>(
      spec, [](const Json&, ToolContext&, Progress&) { return Execution(Json()); }));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidSpec);
  EXPECT_NE(refused.error().message.find("the pool `held`"), std::string::npos);
}

TEST(Registry, FindsByExactName) {
  const auto registry = filled();
  for (const char* ns : {"a", "a-b", "a_b"}) {
    ASSERT_NE(registry.find(ns, "x"), nullptr) << ns;
    EXPECT_EQ(registry.find(ns, "x")->spec().ns, ns);
  }
  EXPECT_EQ(registry.find("a", "y"), nullptr);
  EXPECT_EQ(registry.find("", ""), nullptr);
  EXPECT_EQ(registry.find("files.read", ""), nullptr);
}

TEST(Registry, ListsSortedByQualifiedName) {
  const auto registry = filled();
  Names names;
  for (const auto* tool : registry.list()) names.push_back(tool->spec().qualified_name());
  Names sorted = names;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(names, sorted);
  EXPECT_EQ(names.size(), 8U);
  names.clear();
  for (const auto* tool : registry.list(Names{"time", "files", "none"}))
    names.push_back(tool->spec().qualified_name());
  EXPECT_EQ(names, (Names{"files.list", "files.read", "time.get_current_time"}));
}

TEST(Registry, ResolvesBareAndQualifiedNames) {
  const auto registry = filled();
  const Names files{"files", "time"};
  EXPECT_EQ(name_of(registry.resolve(files, "read")), "files.read");
  EXPECT_EQ(name_of(registry.resolve(files, "files.read")), "files.read");
  EXPECT_EQ(name_of(registry.resolve(Names{"files", "files"}, "read")), "files.read");
}

TEST(Registry, AnAmbiguousNameIsRefusedWithTheChoices) {
  const auto registry = filled();
  const Names both{"files", "archive"};
  EXPECT_EQ(
      name_of(registry.resolve(both, "read")),
      "ambiguous_tool: tool read is in several namespaces of this session: say 'archive.read' or 'files.read'");
  EXPECT_EQ(name_of(registry.resolve(both, "archive.read")), "archive.read");
}

TEST(Registry, AnUnknownNameIsRefusedWithTheNearestVisibleOnes) {
  const auto registry = filled();
  const Names visible{"files", "time"};
  EXPECT_EQ(name_of(registry.resolve(visible, "get_curent_time")),
            "unknown_tool: unknown tool get_curent_time; did you mean 'get_current_time'?");
  EXPECT_EQ(name_of(registry.resolve(visible, "time.get_time")).find("secret"), std::string::npos);
  EXPECT_EQ(name_of(registry.resolve(visible, "current_time")),
            "unknown_tool: unknown tool current_time; did you mean 'get_current_time'?");
  EXPECT_EQ(name_of(registry.resolve(visible, "quantum_entangle")),
            "unknown_tool: unknown tool quantum_entangle");
  // Neither found nor suggested: the session does not see it.
  EXPECT_EQ(name_of(registry.resolve(visible, "get_current_tide")),
            "unknown_tool: unknown tool get_current_tide; did you mean 'get_current_time'?");
  EXPECT_TRUE(
      name_of(registry.resolve(visible, "secret.get_current_tide")).starts_with("unknown_tool"));
  EXPECT_TRUE(name_of(registry.resolve(Names{}, "read")).starts_with("unknown_tool"));
}

TEST(Registry, HostileNamesAreOnlyQuoted) {
  const auto registry = filled();
  EXPECT_EQ(name_of(registry.resolve(Names{"time"}, "a\r\nb")),
            "unknown_tool: unknown tool \"a\\r\\nb\"");
  EXPECT_LT(name_of(registry.resolve(Names{"time"}, std::string(100'000, 'x'))).size(), 300U);
  EXPECT_TRUE(name_of(registry.resolve(Names{"time"}, "")).starts_with("unknown_tool"));
  EXPECT_TRUE(name_of(registry.resolve(Names{"time"}, ".")).starts_with("unknown_tool"));
}

TEST(Registry, RefusesWhatCannotBeOffered) {
  Registry registry;
  const auto refused = [&](const std::shared_ptr<const Tool>& tool) {
    const auto added = registry.add(tool);
    if (added) return std::string("added");
    EXPECT_EQ(added.error().code, ErrorCode::kInvalidSpec);
    return added.error().message;
  };
  EXPECT_EQ(refused(named("ns", "good")), "added");
  EXPECT_NE(refused(named("ns", "good")).find("already"), std::string::npos);
  EXPECT_NE(refused(named("ns", "has space")).find("the name must be"), std::string::npos);
  EXPECT_NE(refused(named("n.s", "x")).find("the namespace must be"), std::string::npos);
  const auto with = [](OrderedJson input, OrderedJson output) {
    Spec spec{.name = "x",
              .ns = "y",
              .input_schema = std::move(input),
              .output_schema = std::move(output)};
    return std::make_shared<native::NativeTool>(
        spec, [](const Json&, ToolContext&, Progress&) { return Execution(Json()); });
  };
  EXPECT_NE(refused(with({{"type", "string"}}, nullptr)).find("\"type\": \"object\""),
            std::string::npos);
  EXPECT_NE(refused(with(nullptr, nullptr)).find("\"type\": \"object\""), std::string::npos);
  EXPECT_NE(refused(with({{"type", "object"}}, {{"type", "nothing"}})).find("output"),
            std::string::npos);
  EXPECT_EQ(registry.list().size(), 1U);
}

TEST(Registry, ExecutesByNameWithJson) {
  const auto registry = samples::sample_registry();
  const auto good = registry->execute("sample.too_large", R"({"bytes": 3})");
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, (Json{{"text", "xxx"}}));
  EXPECT_EQ(registry->execute("counts", "{}")->at("runs"), 1);
  EXPECT_EQ(registry->execute("sample.too_large", R"({"bytes": "3"})").error().code,
            "invalid_arguments");
  EXPECT_EQ(registry->execute("sample.too_large", "{").error().code, "malformed_json");
  EXPECT_EQ(registry->execute("sample.too_big", "{}").error().code, "unknown_tool");
  EXPECT_EQ(registry->execute("sample.throws", "{}").error().code, "tool_threw");
}

TEST(Spec, DigestIsEqualForEqualSpecsOnly) {
  const Spec spec = named("a", "b")->spec();
  EXPECT_EQ(digest(spec), digest(named("a", "b")->spec()));
  EXPECT_TRUE(digest(spec).starts_with("sha256:"));
  EXPECT_EQ(digest(spec).size(), 71U);
  std::set<std::string> digests{digest(spec)};
  const auto changed = [&](auto change) {
    Spec other = spec;
    change(other);
    EXPECT_TRUE(digests.insert(digest(other)).second);
  };
  changed([](Spec& s) { s.description = "x"; });
  changed([](Spec& s) { s.version = "2"; });
  changed([](Spec& s) { s.pool = "other"; });
  changed([](Spec& s) { s.idempotent = true; });
  changed([](Spec& s) { s.limits.heartbeat = std::chrono::milliseconds(5); });
  changed([](Spec& s) { s.result.max_bytes = 1; });
  changed([](Spec& s) { s.permissions = {"p"}; });
  changed([](Spec& s) { s.input_schema["title"] = "t"; });
  // The order of keys says nothing.
  Spec reordered = spec;
  reordered.input_schema = {{"additionalProperties", false}, {"type", "object"}};
  EXPECT_EQ(digest(reordered), digest(spec));
}

TEST(Spec, IsShownWithItsKeysInAFixedOrder) {
  Spec spec{.name = "n",
            .ns = "s",
            .description = "d",
            .input_schema = {{"type", "object"}},
            .output_schema = nullptr};
  EXPECT_EQ(
      to_text(to_toolway_json(spec)),
      R"({"name":"n","namespace":"s","description":"d","input_schema":{"type":"object"},"output_schema":null,)"
      R"("kind":"native","version":"1","category":"","topic":"n","permissions":[],"dangerous":false,)"
      R"("requires_approval":false,"idempotent":false,"multi_step":false,)"
      R"("limits":{"queue_ms":null,"run_ms":60000,"total_ms":3600000,"heartbeat_ms":null}})");
}

TEST(Spec, HintsAreWrittenOnlyWhereTheySaySomething) {
  Spec spec{.name = "n", .description = "d", .input_schema = {{"type", "object"}}};
  // As it was before there were hints: sessions and calls name specs by their digests.
  EXPECT_EQ(digest(spec),
            "sha256:9770834eb29ded1c27a686964d4d026c74bd52c7cc3344bc70b81d04682bcb1a");
  EXPECT_FALSE(to_document(spec).contains("read_only"));
  EXPECT_FALSE(to_toolway_json(spec).contains("open_world"));
  const auto before = digest(spec);
  spec.read_only = true;
  EXPECT_EQ(to_document(spec)["read_only"], true);
  EXPECT_EQ(to_toolway_json(spec)["read_only"], true);
  EXPECT_NE(digest(spec), before);
  spec.open_world = false;
  EXPECT_EQ(to_document(spec)["open_world"], false);
  EXPECT_FALSE(to_document(spec).contains("task"));
  spec.task = TaskMode::kRequired;
  EXPECT_EQ(to_document(spec)["task"], "required");
  EXPECT_FALSE(to_document(spec).contains("asks"));
  spec.asks_restart = true;
  EXPECT_EQ(to_document(spec)["asks"], "restart");
  EXPECT_EQ(to_toolway_json(spec)["asks"], "restart");
}

}  // namespace
}  // namespace toolway::tools::model
