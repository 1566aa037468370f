#include "cli/authoring/new_tool.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "tests/support/temp_dir.h"
#include "tools/executors/kind_types.h"
#include "tools/specs/reader.h"

namespace toolway::cli::authoring {
namespace {

const NewFile* file_of(const Scaffold& made, const std::string& path) {
  for (const auto& file : made.files) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

TEST(NewTool, RefusesNamesThatNoToolMayHave) {
  for (const std::string bad : {"", "a b", "a.b", "größe", "../x", "a/b", "a\n"}) {
    const auto made = scaffold({.name = bad});
    ASSERT_FALSE(made) << bad;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidRequest);
    EXPECT_NE(made.error().message.find("1 to 64 characters of A-Z a-z 0-9 _ -"), std::string::npos)
        << made.error().message;
    EXPECT_FALSE(scaffold({.name = "fine", .ns = bad})) << bad;
  }
  EXPECT_FALSE(scaffold({.name = std::string(65, 'a')}));
  const auto unknown = scaffold({.name = "fine", .kind = "shell"});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("command, http, mcp, mock, native, python, template"),
            std::string::npos);
}

// In YAML, Python and C++ these are something else than names, unless care is taken.
TEST(NewTool, SpecsOfEveryNameAreRight) {
  for (const std::string name : {"get_user", "get-user", "yes", "null", "123", "1e5", "0x1F", "-",
                                 "class", "None", "NAME", "IDENTIFIER-2", "toolway"}) {
    for (const auto& kind : scaffolded_kinds()) {
      const auto made = scaffold({.name = name, .ns = "1", .kind = kind, .directory = "d"});
      ASSERT_TRUE(made) << made.error().message;
      EXPECT_GE(made->files.size(), 2U) << kind;
      std::set<std::string> paths;
      for (const auto& file : made->files) {
        EXPECT_TRUE(paths.insert(file.path.string()).second) << file.path;
        EXPECT_EQ(file.text.find('@' + std::string("N")), std::string::npos) << file.text;
      }
      if (kind == "native") continue;
      const auto* spec = file_of(*made, "d/" + name + ".yaml");
      ASSERT_NE(spec, nullptr) << kind << name;
      tools::specs::ReaderOptions options{.kinds = tools::executors::kind_types()};
      options.describe = [](tools::model::Spec described) -> Result<tools::model::Spec> {
        described.input_schema = {{"type", "object"}};
        return described;
      };
      const auto read = tools::specs::read_specs(spec->text, spec->path.string(), options);
      for (const auto& mistake : read.mistakes) ADD_FAILURE() << mistake.text();
      ASSERT_EQ(read.specs.size(), 1U) << name;
      EXPECT_EQ(read.specs[0].spec.qualified_name(), "1." + name);
    }
  }
}

TEST(NewTool, FilesOfPythonAndOfCHaveNamesThatCanBeImportedAndCompiled) {
  const auto python = scaffold({.name = "2-fold", .directory = "d"});
  ASSERT_NE(file_of(*python, "d/tool_2_fold_tool.py"), nullptr);
  EXPECT_NE(file_of(*python, "d/tool_2_fold_tool.py")->text.find("def tool_2_fold(text: str)"),
            std::string::npos);
  // In a class, as its test is, Python takes `__x` for another name.
  const auto mangled = scaffold({.name = "__x", .directory = "d"});
  ASSERT_NE(file_of(*mangled, "d/tool___x_tool.py"), nullptr);
  const auto native = scaffold({.name = "get-the_user", .kind = "native", .directory = "."});
  const auto* header = file_of(*native, "./tools/builtin/own/get_the_user.h");
  ASSERT_NE(header, nullptr);
  EXPECT_NE(header->text.find("struct GetTheUserTool {"), std::string::npos);
}

TEST(NewTool, CommandsAreWordsOfAShell) {
  const auto made = scaffold({.name = "count",
                              .kind = "mcp",
                              .directory = "my tools/it's",
                              .program = "/opt/tool way/toolway"});
  ASSERT_TRUE(made);
  ASSERT_EQ(made->next.size(), 3U);
  EXPECT_EQ(made->next[0],
            R"(TOOLWAY='/opt/tool way/toolway' python3 'my tools/it'\''s/test_count.py')");
  EXPECT_EQ(made->next[2],
            R"('/opt/tool way/toolway' call default.count '{"text": "hello"}' --wait)");
}

TEST(NewTool, OverwritesNothingAndLeavesNothingHalf) {
  const test::TempDir dir;
  const auto made = scaffold({.name = "count", .kind = "http", .directory = dir.path()});
  ASSERT_TRUE(made);
  // The last of the files already exists: those before it must not stay.
  const auto own = made->files.back().path;
  std::ofstream(own) << "mine";
  const auto refused = write_scaffold(*made);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find(own.string() + " already exists"), std::string::npos)
      << refused.error().message;
  for (const auto& file : made->files)
    EXPECT_EQ(std::filesystem::exists(file.path), file.path == own) << file.path;
  EXPECT_EQ(std::filesystem::file_size(own), 4U);
  std::filesystem::remove(own);
  EXPECT_TRUE(write_scaffold(*made));
}

}  // namespace
}  // namespace toolway::cli::authoring
