#include "tools/spec_file.h"

#include <gtest/gtest.h>

#include "tests/unit/tools/builtin/file_tree.h"
#include "tools/builtin/builtin.h"

namespace toolway::tools {
namespace {

class SpecFile : public testing::Test {
 protected:
  Result<std::shared_ptr<const Registry>> load(const std::string& yaml) {
    tree_.write("specs.yaml", yaml);
    return builtin_registry({.root = tree_.root(), .specs = tree_.root() / "specs.yaml"});
  }
  /// The error without the file's directory.
  std::string refused(const std::string& yaml) {
    const auto registry = load(yaml);
    if (registry) return "loaded";
    EXPECT_EQ(registry.error().code, ErrorCode::kInvalidSpec);
    const auto& message = registry.error().message;
    const auto at = message.find("specs.yaml");
    return at == std::string::npos ? message : message.substr(at);
  }
  /// One entry for echo, with further lines.
  static std::string echo(const std::string& more) {
    return "tools:\n  - name: echo\n    namespace: bench\n    kind: native\n" + more;
  }

  FileTree tree_;
};

TEST_F(SpecFile, AdjustsSpecs) {
  const auto registry = load(R"(tools:
  - name: read_file
    namespace: filesystem
    kind: native
    description: Reads one of our documents.
    topic: Documents
    category: docs
    version: "7"
    permissions: [docs.read, docs.list]
    dangerous: true
    limits: {queue_ms: 1000, run_ms: 2000, total_ms: 3000, heartbeat_ms: 0}
  - {name: echo, namespace: bench, kind: native, enabled: false}
)");
  ASSERT_TRUE(registry) << registry.error().message;
  const Spec& spec = (*registry)->find("filesystem", "read_file")->spec();
  EXPECT_EQ(spec.description, "Reads one of our documents.");
  EXPECT_EQ(spec.topic, "Documents");
  EXPECT_EQ(spec.category, "docs");
  EXPECT_EQ(spec.version, "7");
  EXPECT_EQ(spec.permissions, (std::vector<std::string>{"docs.read", "docs.list"}));
  EXPECT_TRUE(spec.dangerous);
  EXPECT_EQ(spec.limits, (Limits{.queue = std::chrono::seconds(1), .run = std::chrono::seconds(2),
                                 .total = std::chrono::seconds(3), .heartbeat = {}}));
  EXPECT_TRUE(spec.idempotent);
  EXPECT_EQ((*registry)->find("bench", "echo"), nullptr);
  EXPECT_NE((*registry)->find("bench", "stream"), nullptr);
  tree_.write("a.txt", "A");
  EXPECT_EQ((*registry)->execute("filesystem.read_file", R"({"path": "a.txt"})")->at("content"), "A");
}

TEST_F(SpecFile, AnEmptyFileChangesNothing) {
  for (const char* yaml : {"", "# nothing\n", "tools: []\n"}) {
    const auto registry = load(yaml);
    ASSERT_TRUE(registry) << registry.error().message;
    EXPECT_EQ((*registry)->list().size(), 7U);
  }
}

TEST_F(SpecFile, RefusesWhatItDoesNotUnderstandWithTheLine) {
  EXPECT_EQ(refused(echo("    colour: red\n")).find("specs.yaml:5: unknown field `colour`; a tool can have name, "), 0U);
  EXPECT_EQ(refused("tool: []\n"), "specs.yaml:1: unknown field `tool`; the file can have tools");
  EXPECT_EQ(refused(echo("    limits: {walk_ms: 3}\n")),
            "specs.yaml:5: unknown field `walk_ms`; `limits` can have queue_ms, run_ms, total_ms, heartbeat_ms");
  EXPECT_EQ(refused(echo("    topic: a\n    topic: b\n")), "specs.yaml:6: field `topic` is there twice");
}

TEST_F(SpecFile, RefusesUnknownToolsAndOtherKinds) {
  EXPECT_EQ(refused("tools:\n  - name: ecko\n    namespace: bench\n    kind: native\n"),
            "specs.yaml:2: this build has no native tool 'bench.ecko'; did you mean 'bench.echo'?");
  for (const char* kind : {"python", "command", "http", "mcp", "other"}) {
    EXPECT_EQ(refused(std::string("tools:\n  - name: x\n    namespace: y\n    kind: ") + kind + "\n"),
              std::string("specs.yaml:4: kind '") + kind + "': this build runs only native tools");
  }
  EXPECT_EQ(refused(echo("  - name: echo\n    namespace: bench\n    kind: native\n")),
            "specs.yaml:5: tool 'bench.echo' is there already, at line 2");
}

TEST_F(SpecFile, RefusesWrongTypesAndMissingFields) {
  EXPECT_EQ(refused("[]\n"), "specs.yaml:1: the file must be a mapping");
  EXPECT_EQ(refused("tools: 5\n"), "specs.yaml:1: `tools` must be a list");
  EXPECT_EQ(refused("tools:\n  - echo\n"), "specs.yaml:2: a tool must be a mapping");
  EXPECT_EQ(refused("tools:\n  - name: echo\n    kind: native\n"), "specs.yaml:2: a tool has no `namespace`");
  EXPECT_EQ(refused(echo("    dangerous: perhaps\n")), "specs.yaml:5: `dangerous` must be true or false");
  EXPECT_EQ(refused(echo("    dangerous: [true]\n")), "specs.yaml:5: `dangerous` must be true or false");
  EXPECT_EQ(refused(echo("    permissions: all\n")), "specs.yaml:5: `permissions` must be a list");
  EXPECT_EQ(refused(echo("    permissions:\n      - a\n      - {b: c}\n")), "specs.yaml:7: `permissions` must be text");
  EXPECT_EQ(refused(echo("    description: {a: b}\n")), "specs.yaml:5: `description` must be text");
  EXPECT_EQ(refused(echo("    limits: 5\n")), "specs.yaml:5: `limits` must be a mapping");
  for (const char* value : {"-1", "1.5", "soon", "[1]", "99999999999999999999", "\"5\""}) {
    EXPECT_EQ(refused(echo(std::string("    limits:\n      run_ms: ") + value + "\n"))
                  .find("specs.yaml:6: `run_ms` must be whole milliseconds"), 0U) << value;
  }
}

TEST_F(SpecFile, RefusesWhatIsNoYaml) {
  EXPECT_EQ(refused("tools: [\n").find("specs.yaml:"), 0U);
  EXPECT_EQ(refused("tools:\n\t- x\n").find("specs.yaml:2:"), 0U);
  const auto missing = builtin_registry({.root = tree_.root(), .specs = tree_.root() / "none.yaml"});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("none.yaml:1: cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace toolway::tools
