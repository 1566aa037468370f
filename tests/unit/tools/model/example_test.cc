#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "examples/word_count.h"
#include "tests/paths.h"
#include "tools/model/registry.h"

namespace toolway::tools::model {
namespace {

std::string file(const std::string& path) {
  std::ifstream in(TOOLWAY_SOURCE_DIR "/" + path);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Example, RunsByName) {
  Registry registry;
  ASSERT_TRUE(registry.add(native::make_native_tool<WordCount>()));
  EXPECT_EQ(*registry.execute("text.word_count", R"({"text": "so it goes"})"),
            (Json{{"words", 3}}));
  EXPECT_EQ(*registry.execute("text.word_count", R"({"text": "so it goes", "min_length": 3})"),
            (Json{{"words", 1}}));
  EXPECT_EQ(registry.execute("text.word_count", "{}").error().message,
            "missing required property 'text'");
}

TEST(Example, IsWhatTheDocumentationShows) {
  const std::string source = file("examples/word_count.h");
  std::istringstream lines(source.substr(source.find("struct WordCount")));
  std::string indented;
  for (std::string line; std::getline(lines, line);) indented += "    " + line + "\n";
  EXPECT_NE(file("docs/tools.md").find(indented), std::string::npos);
}

}  // namespace
}  // namespace toolway::tools::model
