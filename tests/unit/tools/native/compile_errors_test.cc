#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "tests/paths.h"
#include "tests/unit/tools/builtin/file_tree.h"
#include "tools/native/native.h"

/// What an author reads who got a tool's shape wrong: the compiler is run once, on
/// a file with one mistake after another.
namespace toolway::tools::native {
namespace {

constexpr const char* kMistakes = R"(
#include "tools/native/native.h"
using namespace toolway;
using namespace toolway::tools::model;
using namespace toolway::tools::native;

struct Neither {
  static constexpr ToolInfo info{.name = "neither"};
  struct Args { int a = 0; };
  Result<Json> run(int) const;
};
BOOST_DESCRIBE_STRUCT(Neither::Args, (), (a))

struct Both {
  static constexpr ToolInfo info{.name = "both"};
  Result<Json> run(ToolContext&) const;
  Result<Json> run(ToolContext&, Progress&) const;
};

struct NoInfo {
  Result<Json> run(ToolContext&) const;
};

struct BadField {
  static constexpr ToolInfo info{.name = "bad_field"};
  struct Args {
    int a = 0;
    static constexpr auto fields = std::to_array<Field>({{.name = "b"}});
  };
  Result<Json> run(const Args&, ToolContext&) const;
};
BOOST_DESCRIBE_STRUCT(BadField::Args, (), (a))

struct BadType {
  static constexpr ToolInfo info{.name = "bad_type"};
  struct Args { void* pointer = nullptr; };
  Result<Json> run(const Args&, ToolContext&) const;
};
BOOST_DESCRIBE_STRUCT(BadType::Args, (), (pointer))

struct BadReturn {
  static constexpr ToolInfo info{.name = "bad_return"};
  int run(ToolContext&) const;
};

void make() {
  make_native_tool<MISTAKE>();
}
)";

/// The compiler's words about one of the tools above; empty when it compiles.
std::string compiled(const std::string& mistake) {
  const FileTree tree;
  tree.write("mistake.cc", kMistakes);
  const std::string command = "c++ -std=c++20 -fsyntax-only -DMISTAKE=" + mistake +
                              " -I" TOOLWAY_SOURCE_DIR " " + (tree.root() / "mistake.cc").string() +
                              " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const auto count = std::fread(buffer, 1, sizeof buffer, pipe))
    output.append(buffer, count);
  ::pclose(pipe);
  return output;
}

void expect_says(const std::string& mistake, const std::string& message) {
  const auto output = compiled(mistake);
  EXPECT_NE(output.find(message), std::string::npos) << mistake << ":\n" << output;
}

TEST(CompileErrors, SayThatRunIsMissingOrThereTwice) {
  expect_says("Neither", "a tool needs `Result<Output> run(const Args&, ToolContext&)`");
  expect_says("Both", "a tool is single-result or multi-step: keep one of its two `run` functions");
}

TEST(CompileErrors, SayWhatElseIsWrong) {
  expect_says("NoInfo", "a tool needs `static constexpr ToolInfo info{");
  expect_says("BadField", "`fields` names something that is not a described member of this struct");
  expect_says("BadType", "a tool's types are bool, numbers, std::string, enums");
  expect_says("BadReturn", "`run` must return Result<Output> or ToolResult<Output>");
}

}  // namespace
}  // namespace toolway::tools::native
