#include "tools/executors/python/python_config.h"

#include <gtest/gtest.h>

namespace toolway::tools::executors::python {
namespace {

std::vector<Mistake> mistakes(const std::string& config) {
  return check_python_config(*parse_ordered_json(config));
}

std::string with_module(const std::string& module) {
  return R"({"module": ")" + module + R"(", "function_name": "run"})";
}

TEST(PythonConfig, TakesNamesThatPythonCanImport) {
  for (const char* name : {"text", "my_tools.text", "_a.b1", "a.b.c", "gr\u00f6\u00dfe"})
    EXPECT_TRUE(mistakes(with_module(name)).empty()) << name;
  const auto config = parse_python_config(
      *parse_ordered_json(R"({"module": "my_tools.text", "function_name": "Text.upper"})"));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->module, "my_tools.text");
  EXPECT_EQ(config->function, "Text.upper");
}

TEST(PythonConfig, RefusesOtherNames) {
  for (const char* name :
       {"", ".", ".a", "a.", "a..b", "1a", "a.1b", "a-b", "a b", "a/b", "a;import os"}) {
    const auto found = mistakes(with_module(name));
    ASSERT_EQ(found.size(), 1U) << name;
    EXPECT_EQ(found[0].place, "/implementation_config/module");
    EXPECT_EQ(found[0].message,
              "`module` must be a name that Python can import, such as `my_tools.text`");
  }
  EXPECT_EQ(mistakes(R"({"module": 1, "function_name": ["f"]})").size(), 2U);
}

TEST(PythonConfig, FindsWhatIsMissingAndWhatIsTooMuch) {
  const auto missing = mistakes("{}");
  ASSERT_EQ(missing.size(), 2U);
  EXPECT_EQ(missing[0].message, "`module` is missing");
  EXPECT_EQ(missing[1].message, "`function_name` is missing");
  EXPECT_EQ(mistakes(R"({"module": "a", "function_name": "f", "modul": "b"})").size(), 1U);
  EXPECT_EQ(mistakes("[]").size(), 1U);
}

TEST(PythonConfig, AWrongOneIsNotParsed) {
  const auto config = parse_python_config(*parse_ordered_json(R"({"module": "a"})"));
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kInvalidSpec);
}

}  // namespace
}  // namespace toolway::tools::executors::python
