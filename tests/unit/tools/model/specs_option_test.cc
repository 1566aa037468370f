// The `specs` option of builtin_registry.
#include <gtest/gtest.h>

#include "tests/unit/tools/builtin/file_tree.h"
#include "tools/builtin/builtin.h"

namespace toolway::tools::model {
namespace {

class SpecsOption : public testing::Test {
 protected:
  Result<std::shared_ptr<const Registry>> load(const std::string& yaml) {
    tree_.write("specs.yaml", yaml);
    return builtin::builtin_registry({.root = tree_.root(), .specs = tree_.root() / "specs.yaml"});
  }

  FileTree tree_;
};

TEST_F(SpecsOption, AdjustsTheToolsOfTheBuild) {
  const auto registry = load(R"(tools:
  - name: read_file
    namespace: filesystem
    kind: native
    description: Reads one of our documents.
    limits: {run_ms: 2000}
  - {name: echo, namespace: bench, kind: native, enabled: false}
)");
  ASSERT_TRUE(registry) << registry.error().message;
  const Spec& spec = (*registry)->find("filesystem", "read_file")->spec();
  EXPECT_EQ(spec.description, "Reads one of our documents.");
  EXPECT_EQ(spec.limits.run, std::chrono::seconds(2));
  EXPECT_TRUE(spec.idempotent);
  EXPECT_EQ((*registry)->find("bench", "echo"), nullptr);
  EXPECT_NE((*registry)->find("bench", "stream"), nullptr);
  tree_.write("a.txt", "A");
  EXPECT_EQ((*registry)->execute("filesystem.read_file", R"({"path": "a.txt"})")->at("content"),
            "A");
}

TEST_F(SpecsOption, AnEmptyFileChangesNothing) {
  const auto registry = load("");
  ASSERT_TRUE(registry) << registry.error().message;
  EXPECT_EQ((*registry)->list().size(), 9U);
}

TEST_F(SpecsOption, SaysAllMistakes) {
  const auto registry = load(
      "tools:\n  - {name: ecko, namespace: bench, kind: native}\n  - {name: echo, namespace: bench, kind: native, pool: x}\n");
  ASSERT_FALSE(registry);
  EXPECT_EQ(registry.error().code, ErrorCode::kInvalidSpec);
  EXPECT_NE(registry.error().message.find("specs.yaml:2: this build has no native tool"),
            std::string::npos);
  EXPECT_NE(registry.error().message.find("\n" + (tree_.root() / "specs.yaml").string() +
                                          ":3: `pool` of"),
            std::string::npos);
  EXPECT_FALSE(
      builtin::builtin_registry({.root = tree_.root(), .specs = tree_.root() / "none.yaml"}));
}

}  // namespace
}  // namespace toolway::tools::model
