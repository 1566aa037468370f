#include "tools/templates/argument_template.h"

#include <gtest/gtest.h>

namespace toolway::tools::templates {
namespace {

using Words = std::vector<std::string>;

std::string words_of(const std::string& word, const Json& arguments,
                     Dashes dashes = Dashes::kRefused) {
  const auto parsed = parse_argument_template(word);
  if (!parsed) return parsed.error().message;
  Words words;
  const Json defaults = {{"unit", "metre"}};
  const auto rendered = render_words(*parsed, {arguments, defaults}, dashes, words);
  return rendered ? Json(words).dump() : rendered.error().message;
}

TEST(ArgumentTemplate, IsOneWordWhateverTheValue) {
  for (const std::string value :
       {"; rm -rf /", "a b", "a\nb", "*", "$(id)", "`id`", "'\"", "{other}", ""}) {
    EXPECT_EQ(words_of("{text}", {{"text", value}}), Json({value}).dump());
    EXPECT_EQ(words_of("--text={text}.", {{"text", value}}),
              Json({"--text=" + value + "."}).dump());
  }
}

TEST(ArgumentTemplate, WritesValuesAsTheirText) {
  EXPECT_EQ(words_of("{n}", {{"n", 5}}), R"(["5"])");
  EXPECT_EQ(words_of("{n}", {{"n", 0.5}}), R"(["0.5"])");
  EXPECT_EQ(words_of("{n}", {{"n", true}}), R"(["true"])");
  EXPECT_EQ(words_of("{unit}", Json::object()), R"(["metre"])");
  EXPECT_EQ(words_of("{n:json}", {{"n", {{"a", {1, 2}}}}}), R"(["{\"a\":[1,2]}"])");
  EXPECT_EQ(words_of("{n}", {{"n", {1}}}),
            "/n: is an array; a command's argument is text, a number or a boolean");
  EXPECT_EQ(words_of("{{{n}}}", {{"n", 1}}), R"(["{1}"])");
  EXPECT_EQ(words_of("{n:json}", {{"n", nullptr}}), R"(["null"])");
  EXPECT_EQ(words_of("{n}", {{"n", nullptr}}), "/n: is not given");
  EXPECT_EQ(words_of("{n*}", {{"n", {"a", {{"b", 1}}}}}),
            "/n/1: is an object; a command's argument is text, a number or a boolean");
}

TEST(ArgumentTemplate, LeavesOutOptionalWords) {
  EXPECT_EQ(words_of("{n?}", Json::object()), "[]");
  EXPECT_EQ(words_of("--depth={n?}", Json::object()), "[]");
  EXPECT_EQ(words_of("--depth={n?}", {{"n", nullptr}}), "[]");
  EXPECT_EQ(words_of("--depth={n?}", {{"n", 2}}), R"(["--depth=2"])");
  EXPECT_EQ(words_of("{n}", Json::object()), "/n: is not given");
}

TEST(ArgumentTemplate, WritesAWordForEachItem) {
  EXPECT_EQ(words_of("{files*}", {{"files", {"a b", "c"}}}), R"(["a b","c"])");
  EXPECT_EQ(words_of("{files*}", Json::object()), "[]");
  EXPECT_EQ(words_of("{files*}", {{"files", {"a", "-rf"}}}),
            "/files: begins with '-', and the command would take it for an option");
}

TEST(ArgumentTemplate, LetsNoValueBecomeAnOption) {
  EXPECT_EQ(words_of("{f}", {{"f", "--flag"}}),
            "/f: begins with '-', and the command would take it for an option");
  EXPECT_EQ(words_of("{f}x", {{"f", "-"}}),
            "/f: begins with '-', and the command would take it for an option");
  EXPECT_EQ(words_of("{f}{g}", {{"f", ""}, {"g", "-a"}}),
            "/f: begins with '-', and the command would take it for an option");
  EXPECT_EQ(words_of("{f}", {{"f", "--flag"}}, Dashes::kAllowed), R"(["--flag"])");
  EXPECT_EQ(words_of("{f:option}", {{"f", "--flag"}}), R"(["--flag"])");
  EXPECT_EQ(words_of("--name={f}", {{"f", "--flag"}}), R"(["--name=--flag"])");
  EXPECT_EQ(words_of("{n}", {{"n", -5}}),
            "/n: begins with '-', and the command would take it for an option");
}

TEST(ArgumentTemplate, RefusesNul) {
  EXPECT_EQ(words_of("{f}", {{"f", std::string("a\0b", 3)}}),
            "/f: contains a NUL character, which a command's argument cannot contain");
}

TEST(ArgumentTemplate, SaysWhatItCannotRead) {
  EXPECT_EQ(words_of("{f", {}), "`{` at 0 is not closed; write `{{` for a brace");
  EXPECT_EQ(words_of("a}", {}), "`}` at 1 closes nothing; write `}}` for a brace");
  EXPECT_EQ(words_of("{}", {}), "`{}` names no property; write `{{` and `}}` for braces");
  EXPECT_EQ(words_of("{a:shell}", {}), "`{a:shell}`: expected json, option or words after `:`");
}

TEST(ArgumentTemplate, SplitsALineByQuotesAndNothingElse) {
  EXPECT_EQ(*split_words("ls -la  'a b' \"c \\\" d\" e\\ f ''"),
            (Words{"ls", "-la", "a b", "c \" d", "e f", ""}));
  EXPECT_EQ(*split_words("echo $HOME * ; rm -rf / | cat > x `id`"),
            (Words{"echo", "$HOME", "*", ";", "rm", "-rf", "/", "|", "cat", ">", "x", "`id`"}));
  EXPECT_EQ(split_words("echo 'a").error().message, "the quote ' is not closed");
  EXPECT_EQ(words_of("{line:words}", {{"line", "ls -l"}}), R"(["ls","-l"])");
}

}  // namespace
}  // namespace toolway::tools::templates
