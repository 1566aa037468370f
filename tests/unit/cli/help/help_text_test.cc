#include "cli/help/help_text.h"

#include <gtest/gtest.h>

#include <fstream>
#include "cli/help/command.h"
#include "cli/help/man_page.h"
#include "cli/help/verb_texts.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"
#include "tests/paths.h"
#include "tests/support/lines.h"
#include "tests/unit/cli/help/own_verbs.h"

namespace toolway::cli::help {
namespace {

using test::lines_of;

TEST(Help, EveryVerbHasExamplesOfItself) {
  const OwnVerbs own;
  const auto verbs = all_verbs(own.app, Groups::kWithout);
  EXPECT_GT(verbs.size(), 40U);
  for (const auto& verb : verbs) {
    const auto examples = examples_of(verb.path);
    EXPECT_GE(examples.size(), 2U) << verb.path;
    EXPECT_LE(examples.size(), 3U) << verb.path;
  }
}

TEST(Help, EveryExampleIsReadByTheParser) {
  const OwnVerbs list;
  for (const auto& verb : all_verbs(list.app, Groups::kWithout)) {
    for (auto example : examples_of(verb.path)) {
      if (example == "toolway --version" || example.starts_with("source ")) continue;
      const auto redirected = example.find(" > ");
      example = example.substr(0, redirected);
      OwnVerbs own;
      EXPECT_NO_THROW(own.app.parse(example, true)) << example;
    }
  }
}

TEST(Help, FitsEightyColumnsWithoutTheParsersNotation) {
  const OwnVerbs own;
  auto verbs = all_verbs(own.app, Groups::kWith);
  verbs.push_back({.app = &own.app});
  for (const auto& verb : verbs) {
    const auto text = help_text(describe(*verb.app, verb.path), 80);
    for (const auto& line : lines_of(text.substr(0, text.find("\nExamples:"))))
      EXPECT_LE(terminal::display_width(line), 80U) << verb.path << ": " << line;
    for (const char* notation :
         {"TEXT", "ENUM", "FLOAT", " INT ", "UINT", "REQUIRED", "->", ":{", "OR {"})
      EXPECT_EQ(text.find(notation), std::string::npos) << verb.path << " has " << notation;
  }
}

TEST(Help, ShowsUsageArgumentsOptionsAndDefaults) {
  const OwnVerbs own;
  const auto verb = find_verb(own.app, {"session", "close"});
  const auto text = help_text(describe(*verb.app, verb.path), 80);
  EXPECT_NE(text.find("Usage:\n  toolway session close SESSION [OPTIONS]\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("--pending PENDING"), std::string::npos) << text;
  EXPECT_NE(text.find("[wait]"), std::string::npos) << text;
  EXPECT_NE(text.find("Examples:\n  toolway session close chat\n"), std::string::npos) << text;
}

TEST(Help, ShowsNoBracketsOfTheParserAroundAList) {
  const OwnVerbs own;
  const auto verb = find_verb(own.app, {"dev"});
  const auto text = help_text(describe(*verb.app, verb.path), 120);
  EXPECT_EQ(text.find("[["), std::string::npos) << text;
  EXPECT_NE(text.find("[native,python,"), std::string::npos) << text;
}

TEST(Help, OfTheProgramListsVerbsAndTopics) {
  const OwnVerbs own;
  const auto text = help_text(describe(own.app, ""), 80);
  for (const char* part : {"\nVerbs:\n", "\nProcesses:\n", "\nLocal:\n", "\nHelp:\n",
                           "\nTopics (toolway help TOPIC):\n", "  exit-status"})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  EXPECT_EQ(text.find("bench-mcp-server"), std::string::npos) << "it is hidden";
}

TEST(Help, DocsHaveTheSameExitStatuses) {
  std::ifstream file(TOOLWAY_SOURCE_DIR "/docs/cli.md");
  const std::string docs{std::istreambuf_iterator<char>(file), {}};
  for (const auto& [status, means] : terminal::exit_statuses()) {
    auto row = "| " + std::string(status) + " | " + std::string(means) + " |";
    EXPECT_NE(docs.find(row), std::string::npos) << row;
  }
}

TEST(ManPage, HasTheSectionsAndEscapesWhatTroffWouldTake) {
  const OwnVerbs own;
  const auto verb = find_verb(own.app, {"session", "open"});
  const auto command = describe(*verb.app, verb.path);
  EXPECT_EQ(man_file(command), "toolway-session-open.1");
  const auto page = man_page(command, "1.0");
  EXPECT_EQ(page.find(".TH \"TOOLWAY\\-SESSION\\-OPEN\" 1"), 0U) << page;
  for (const char* section : {"\n.SH NAME\n", "\n.SH SYNOPSIS\n", "\n.SH DESCRIPTION\n",
                              "\n.SH OPTIONS\n", "\n.SH EXAMPLES\n", "\n.SH EXIT STATUS\n"})
    EXPECT_NE(page.find(section), std::string::npos) << section;
  for (const auto& line : lines_of(page)) {
    if (!line.starts_with(".")) continue;
    const auto macro = line.substr(0, line.find(' '));
    EXPECT_TRUE(macro == ".TH" || macro == ".SH" || macro == ".TP" || macro == ".nf" ||
                macro == ".fi")
        << line;
  }
}

TEST(ManPage, EscapesALineThatBeginsLikeARequest) {
  CommandText command{.path = "x", .text = ".toolway is a directory\\"};
  EXPECT_NE(man_page(command, "1").find("\n\\&.toolway is a directory\\e.\n"), std::string::npos);
}

}  // namespace
}  // namespace toolway::cli::help
