// `toolway help`, `version`, `completion`, `man`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "base/nearest_names.h"
#include "base/os/file_io.h"
#include "cli/help/command.h"
#include "cli/help/completion.h"
#include "cli/help/help_text.h"
#include "cli/help/man_page.h"
#include "cli/help/verb_texts.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"
#include "cli/verbs.h"

namespace toolway::cli {
namespace {

/// A topic, or the help of a verb.
int show_help(const CLI::App& app, const Chosen& chosen) {
  const auto& words = chosen.help.words;
  for (const auto& topic : help::topics()) {
    if (words.size() != 1 || words.front() != topic.name) continue;
    fmt::print("{}\n\n{}", topic.title, topic.text);
    return terminal::kExitOk;
  }
  const auto verb = help::find_verb(app, words);
  if (verb.words == words.size()) {
    fmt::print("{}", help::help_text(help::describe(*verb.app, verb.path), chosen.help.width));
    return terminal::kExitOk;
  }
  std::vector<std::string> names;
  for (const auto& one : help::describe(*verb.app, verb.path).verbs) names.push_back(one.name);
  if (verb.words == 0)
    for (const auto& topic : help::topics()) names.push_back(topic.name);
  const auto& wrong = words[verb.words];
  terminal::print_failure(
      chosen.client.view,
      {.code = ErrorCode::kInvalidRequest,
       .what = fmt::format("no help for '{}': it is neither a verb nor a topic", wrong),
       .suggestions = nearest_names(wrong, names, 2),
       .next = "see: toolway --help"});
  return terminal::kExitUsage;
}

int write_man_pages(const CLI::App& app, const Chosen& chosen) {
  const auto& options = chosen.help;
  if (options.into.empty()) {
    const auto verb = help::find_verb(app, options.words);
    if (verb.words < options.words.size())
      return terminal::report_error(chosen.client.view,
                                    {ErrorCode::kInvalidRequest,
                                     fmt::format("unknown verb '{}'", options.words[verb.words])});
    fmt::print("{}", help::man_page(help::describe(*verb.app, verb.path), TOOLWAY_VERSION));
    return terminal::kExitOk;
  }
  std::error_code error;
  std::filesystem::create_directories(options.into, error);
  auto verbs = help::all_verbs(app, help::Groups::kWith);
  verbs.insert(verbs.begin(), {.app = &app});
  for (const auto& verb : verbs) {
    const auto command = help::describe(*verb.app, verb.path);
    const auto file = (std::filesystem::path(options.into) / help::man_file(command)).string();
    if (auto written = os::write_whole_file(file, help::man_page(command, TOOLWAY_VERSION));
        !written)
      return terminal::report_error(chosen.client.view, written.error());
  }
  fmt::print("{} pages in {}\n", verbs.size(), options.into);
  return terminal::kExitOk;
}

}  // namespace

void add_help(CLI::App& app, Chosen& chosen) {
  const auto add = [&](const char* name, const char* text, std::function<int()> verb) {
    auto* sub = app.add_subcommand(name, text)->group("Help");
    sub->callback([&chosen, verb = std::move(verb)] { chosen.verb = verb; });
    return sub;
  };
  add("help", "Show the help of a verb or of a topic", [&app, &chosen] {
    return show_help(app, chosen);
  })->add_option("words", chosen.help.words, "a verb, or a topic: arguments, environment, ...");
  add("version", "Show the version", [] {
    fmt::print("toolway " TOOLWAY_VERSION "\n");
    return terminal::kExitOk;
  });
  add("completion", "Write a shell's script for completion",
      [&chosen] {
        fmt::print("{}", help::completion_script(chosen.help.shell).value_or(""));
        return terminal::kExitOk;
      })
      ->add_option("shell", chosen.help.shell, "bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
  auto* man = add("man", "Write the manual page of a verb, or all pages",
                  [&app, &chosen] { return write_man_pages(app, chosen); });
  man->add_option("words", chosen.help.words, "a verb; none: the program's own page");
  man->add_option("--into", chosen.help.into, "directory that gets the pages of all verbs");
}

}  // namespace toolway::cli
