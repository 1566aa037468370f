// What YAML means to the reader, and what JSON may say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/tools/specs/documents.h"
#include "tools/specs/tree_builder.h"
#include "tools/specs/trees.h"

namespace toolway::tools::specs {
namespace {

std::string yaml(const std::string& text) {
  Mistakes mistakes("f");
  const auto tree = yaml_tree(text, mistakes);
  for (const auto& mistake : std::move(mistakes).take()) return mistake.text();
  return tree ? to_text(to_json(*tree)) : "nothing";
}

std::string json(const std::string& text) {
  Mistakes mistakes("f");
  const auto tree = json_tree(text, mistakes);
  for (const auto& mistake : std::move(mistakes).take()) return mistake.text();
  return tree ? to_text(to_json(*tree)) : "nothing";
}

TEST(SpecYaml, ScalarsHaveTheTypesOfTheCoreSchema) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"yes", R"("yes")"},
      {"no", R"("no")"},
      {"on", R"("on")"},
      {"Off", R"("Off")"},
      {"y", R"("y")"},
      {"true", "true"},
      {"True", "true"},
      {"FALSE", "false"},
      {"tRue", R"("tRue")"},
      {"\"true\"", R"("true")"},
      {"null", "null"},
      {"~", "null"},
      {"Null", "null"},
      {"'null'", R"("null")"},
      {"", "null"},
      {"''", R"("")"},
      {"5", "5"},
      {"-5", "-5"},
      {"+5", "5"},
      {"012", "12"},
      {"0o17", "15"},
      {"0xFf", "255"},
      {"0b1", R"("0b1")"},
      {"-0x1", R"("-0x1")"},
      {"1_000", R"("1_000")"},
      {"\"5\"", R"("5")"},
      {"12:30:45", R"("12:30:45")"},
      {"1.5", "1.5"},
      {".5", "0.5"},
      {"5.", "5.0"},
      {"1e3", "1000.0"},
      {"-1.5E-1", "-0.15"},
      {"1e", R"("1e")"},
      {".", R"(".")"},
      {"-", R"([null])"},
      {"1.2.3", R"("1.2.3")"},
      {"2001-01-01", R"("2001-01-01")"},
      {"9223372036854775807", "9223372036854775807"},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "1.8446744073709552e+19"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"!!str 5", R"("5")"},
      {"!!int 5", "5"},
      {"!!float 5", "5.0"},
      {"! 5", R"("5")"},
      {"|\n   two\n   lines\n", "\"two\\nlines\\n\""},
      {">\n   one\n   line\n", "\"one line\\n\""},
      {"\"\\u00e9\\U0001F600\\x41\"",
       "\"\xC3\xA9\xF0\x9F\x98\x80"
       "A\""},
      {"\xC3\xA9", "\"\xC3\xA9\""}};
  for (const auto& [text, value] : cases) {
    EXPECT_EQ(yaml(std::string("v: ") + (text[0] == '-' && text[1] == 0 ? "\n  -" : text) + "\n"),
              std::string("{\"v\":") + value + "}")
        << text;
  }
}

TEST(SpecYaml, RefusesWhatIsNothingInJson) {
  EXPECT_EQ(yaml("a: 1\nb: .nan\n"), "f:2: .nan is not a JSON number; as text, write it in quotes");
  EXPECT_EQ(yaml("b: -.INF\n"), "f:1: -.INF is not a JSON number; as text, write it in quotes");
  EXPECT_EQ(yaml("b: 1e999\n"), "f:1: the number \"1e999\" is out of range");
  EXPECT_EQ(yaml("b: 0xFFFFFFFFFFFFFFFFF\n"),
            "f:1: the number \"0xFFFFFFFFFFFFFFFFF\" is out of range");
  EXPECT_EQ(yaml("b: !!int x\n"),
            "f:1: \"x\" is not what its tag \"tag:yaml.org,2002:int\" says, or the tag is unknown");
  EXPECT_EQ(yaml("b: !mine x\n"),
            "f:1: \"x\" is not what its tag \"!mine\" says, or the tag is unknown");
  EXPECT_EQ(yaml("b: !mine [x]\n"), "f:1: unknown tag \"!mine\"");
  EXPECT_EQ(yaml("a: b\n5: c\n"), "f:2: a key must be text: write it in quotes, \"5\"");
  EXPECT_EQ(yaml("a: b\n~: c\n"),
            "f:2: a key must be text; write it in quotes if it looks like something else");
  EXPECT_EQ(yaml("a: b\n? [x]\n: c\n"),
            "f:2: a key must be text; write it in quotes if it looks like something else");
  EXPECT_EQ(yaml("\"5\": c\nyes: d\n"), R"({"5":"c","yes":"d"})");
}

TEST(SpecYaml, SaysAtWhichLineItIsNotYaml) {
  EXPECT_EQ(yaml("tools:\n\t- x\n"), "f:2: not YAML: a tab cannot indent, only spaces");
  EXPECT_EQ(yaml("a: b\nc: [1, 2\nd: 3\n").substr(0, 14), "f:3: not YAML:");
  for (const char* open : {"\"x\n", "'x\n", "\"x\\\"", "'x''", "\"", "'"}) {
    const auto found = yaml(std::string("\xC3\xA9: b\r\nc: ") + open);
    EXPECT_EQ(found.find("f:"), 0U) << open << found;
  }
  EXPECT_EQ(yaml("a: b\nc: \"x\n"), "f:2: not YAML: a quote that is never closed");
  EXPECT_EQ(yaml("\xC3\xA9: 'it''s'\n\"c\\\"\": \"x\"\n"),
            "{\"\xC3\xA9\":\"it's\",\"c\\\"\":\"x\"}");
  EXPECT_EQ(yaml("a: 1\n---\nb: 2\n"),
            "f:2: the file has several YAML documents; put all specs into one list");
  EXPECT_EQ(yaml("a: 1\nb: 2\na: 3\n"), "f:3: \"a\" appears twice, first at line 1");
}

TEST(SpecYaml, AliasesAreCopies) {
  EXPECT_EQ(yaml("a: &x {b: [1]}\nc: *x\nd: &y text\ne: *y\n"),
            R"({"a":{"b":[1]},"c":{"b":[1]},"d":"text","e":"text"})");
  EXPECT_EQ(yaml("a: &x\n  b: *x\n"), "f:2: this alias refers to something that contains it");
  EXPECT_EQ(yaml("a: *x\n").substr(0, 14), "f:1: not YAML:");
  EXPECT_EQ(yaml("a: &x {b: 1}\nc:\n  <<: *x\n"),
            "f:3: merge keys (`<<`) are not supported: write the fields out");
  EXPECT_EQ(yaml("\"<<\": 1\n"), R"({"<<":1})");
}

TEST(SpecYaml, AliasesThatExplodeAreRefusedAtOnce) {
  std::string laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 10; ++i) {
    const auto before = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 9; ++j) laughs += "," + before;
    laughs += "]\n";
  }
  EXPECT_NE(yaml(laughs).find("the document has more than 1000000 values"), std::string::npos);
  std::string deep = "a0: &a0 [x]\n";
  for (int i = 1; i < 100; ++i) deep += fmt::format("a{0}: &a{0} [*a{1}]\n", i, i - 1);
  EXPECT_EQ(yaml(deep), "f:63: nested more than 64 levels deep");
}

TEST(SpecYaml, NestingIsBounded) {
  for (const std::size_t depth : {1000UL, 1000'000UL}) {
    EXPECT_NE(yaml(std::string(depth, '[')).find("f:1: "), std::string::npos);
    EXPECT_NE(json(std::string(depth, '[')).find("f:1: nested more than 64 levels deep"),
              std::string::npos);
  }
  const std::string fits = std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']');
  EXPECT_EQ(yaml(fits), fits);
  EXPECT_EQ(json(fits), fits);
  EXPECT_EQ(yaml("[" + fits + "]"), "f:1: nested more than 64 levels deep");
}

TEST(SpecYaml, MembersHaveTheLinesOfTheirKeys) {
  Mistakes mistakes("f");
  const auto tree = yaml_tree(
      "# c\na:\n  b: 1\n\n  c:\n    - x\n    -\n      # c\n\n    - ~\n    - d: |\n        text\n      e: {f: 1,\n        g: 2}\nh:\ni: 2\n",
      mistakes);
  ASSERT_TRUE(tree);
  const auto line = [&](const char* pointer) { return line_at(*tree, tree->line, pointer); };
  EXPECT_EQ(line(""), 2);
  EXPECT_EQ(line("/a"), 2);
  EXPECT_EQ(line("/a/b"), 3);
  EXPECT_EQ(line("/a/c"), 5);
  EXPECT_EQ(line("/a/c/0"), 6);
  EXPECT_EQ(line("/a/c/1"), 7);
  EXPECT_EQ(line("/a/c/2"), 10);
  EXPECT_EQ(line("/a/c/3/d"), 11);
  EXPECT_EQ(line("/a/c/3/e/f"), 13);
  EXPECT_EQ(line("/a/c/3/e/g"), 14);
  EXPECT_EQ(line("/h"), 15);
  EXPECT_EQ(line("/i"), 16);
  EXPECT_EQ(line("/a/c/3/none/x"), 11);
}

TEST(SpecJson, AcceptsAllOfJson) {
  EXPECT_EQ(
      json(
          R"({"a": "\ud83d\ude00\u00e9\n\/", "b": [1, -2, 1.5e3, 18446744073709551615, true, null, {}]})"),
      "{\"a\":\"\xF0\x9F\x98\x80\xC3\xA9\\n/\",\"b\":[1,-2,1500.0,18446744073709551615,true,null,{}]}");
}

TEST(SpecJson, KnowsItsLines) {
  Mistakes mistakes("f");
  const auto tree = json_tree("{\n\"a\":\n  1\n,\"b\": [2,\n3\n\n,\n{\"c\":\n\n{}}]}", mistakes);
  ASSERT_TRUE(tree);
  const auto line = [&](const char* pointer) { return line_at(*tree, tree->line, pointer); };
  EXPECT_EQ(line(""), 1);
  EXPECT_EQ(line("/a"), 2);
  EXPECT_EQ(find(*tree, "a")->value.line, 3);
  EXPECT_EQ(line("/b/0"), 4);
  EXPECT_EQ(line("/b/1"), 5);
  EXPECT_EQ(line("/b/2/c"), 8);
  EXPECT_EQ(find(find(*tree, "b")->value.members[2].value, "c")->value.line, 10);
}

TEST(SpecJson, SaysAtWhichLineItIsNotJson) {
  EXPECT_EQ(json("{\"a\": 1,\n}").substr(0, 14), "f:2: not JSON:");
  EXPECT_EQ(json("{\"a\": 1}\n\nx").substr(0, 14), "f:3: not JSON:");
  EXPECT_EQ(json("{\"a\": \"x\n\"}").substr(0, 14), "f:1: not JSON:");
  EXPECT_EQ(json("{\"a\": \"\\ud83d\"}").substr(0, 14), "f:1: not JSON:");
  EXPECT_EQ(json("{\"a\": 1e999}").substr(0, 14), "f:1: not JSON:");
  EXPECT_EQ(mistakes_of("{\"tools\": [\n  {\"name\": x}]}").at(0).substr(0, 12), "2: not JSON:");
}

}  // namespace
}  // namespace toolway::tools::specs
