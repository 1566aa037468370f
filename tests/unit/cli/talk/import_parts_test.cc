#include "cli/talk/import_parts.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "cli/talk/import_file.h"

namespace toolway::cli::talk {
namespace {

/// The messages of all parts, one after another, by a member that names them.
std::vector<std::vector<int>> numbers(const std::vector<std::string>& parts) {
  std::vector<std::vector<int>> found;
  for (const auto& part : parts) {
    const auto json = *parse_ordered_json(part);
    const auto& list = json.is_array()             ? json
                       : json.contains("messages") ? json.at("messages")
                                                   : json.at("input");
    auto& of_part = found.emplace_back();
    for (const auto& message : list) of_part.push_back(message.at("n"));
  }
  return found;
}

using Numbers = std::vector<std::vector<int>>;

TEST(ImportFile, NamesAFileAndAFormat) {
  using tools::exports::Format;
  const auto asked = [](std::string_view words) {
    const auto found = asked_import(words);
    return std::pair(found.path, found.format);
  };
  EXPECT_EQ(asked(" a.json "), std::pair(std::string("a.json"), Format::kToolway));
  EXPECT_EQ(asked(" my talk.json openai"), std::pair(std::string("my talk.json"), Format::kOpenAi));
  EXPECT_EQ(asked("anthropic"), std::pair(std::string("anthropic"), Format::kToolway));
  EXPECT_EQ(read_import(asked_import("")).error().message, "name a file: /import FILE [FORMAT]");
  EXPECT_TRUE(read_import(asked_import("/no/such")).error().message.starts_with("/no/such: "));
}

TEST(ImportParts, OneThatIsSmallEnoughStaysAsItIs) {
  const std::string text = R"( {"messages": [ ], "more": 1e5} )";
  EXPECT_EQ(*import_parts(text, text.size()), std::vector{text});
}

TEST(ImportParts, BeginWithMessagesOfTheUser) {
  const std::string text =
      R"({"format":"toolway","version":1,"system":"Sing.","messages":[{"role":"user","n":1},)"
      R"({"role":"assistant","n":2},{"role":"results","n":3},{"role":"user","n":4},)"
      R"({"role":"assistant","n":5},{"role":"user","n":6},{"role":"assistant","n":7}]})";
  EXPECT_EQ(numbers(*import_parts(text, 1)), (Numbers{{1, 2, 3}, {4, 5}, {6, 7}}));
  const auto parts = *import_parts(text, 130);
  EXPECT_EQ(numbers(parts), (Numbers{{1, 2, 3, 4, 5}, {6, 7}}));
  EXPECT_TRUE(parts[0].starts_with(R"({"format":"toolway","version":1,"system":"Sing.",)"));
  EXPECT_TRUE(parts[1].starts_with(R"({"format":"toolway","version":1,"messages":)")) << parts[1];
}

TEST(ImportParts, KeepResultsOfAnyApiWithTheirCalls) {
  EXPECT_EQ(numbers(*import_parts(
                R"({"messages":[{"role":"user","n":1,"content":"a"},{"role":"assistant","n":2},
                   {"role":"user","n":3,"content":[{"type":"tool_result","content":"x"}]},
                   {"role":"user","n":4,"content":[{"type":"text","text":"x"}]}]})",
                1)),
            (Numbers{{1, 2, 3}, {4}}));
  EXPECT_EQ(numbers(*import_parts(
                R"({"input":[{"role":"user","n":1},{"type":"function_call","n":2},
                   {"type":"function_call_output","n":3},{"role":"user","n":4}]})",
                1)),
            (Numbers{{1, 2, 3}, {4}}));
  EXPECT_EQ(numbers(*import_parts(
                R"([{"role":"system","n":0},{"role":"user","n":1},{"role":"tool","n":2}])", 1)),
            (Numbers{{0}, {1, 2}}));
}

TEST(ImportParts, WhatHasNoMessagesIsLeftToTheImporter) {
  EXPECT_EQ(import_parts("[1,", 1).error().code, ErrorCode::kMalformedJson);
  for (const std::string text : {"{}", "[]", "5", R"({"messages":5})"})
    EXPECT_EQ(*import_parts(text, 0), std::vector{text}) << text;
  EXPECT_EQ(*import_parts("[5,[],{}]", 1), std::vector<std::string>{"[5,[],{}]"});
}

}  // namespace
}  // namespace toolway::cli::talk
