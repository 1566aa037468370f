#include "cli/help/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/help/verb_texts.h"
#include "cli/terminal/table.h"
#include "cli/terminal/wrapped.h"

namespace toolway::cli::help {
namespace {

constexpr std::size_t kLeastWidth = 40;
constexpr std::size_t kWidestTerm = 26;

/// A term and what it means, side by side where the term is short.
std::string entry(const std::string& term, const std::string& text, std::size_t column,
                  std::size_t width) {
  auto line = "  " + term;
  if (text.empty()) return line + "\n";
  const auto used = terminal::display_width(line);
  line += used + 2 <= column ? std::string(column - used, ' ') : "\n" + std::string(column, ' ');
  return line + terminal::wrapped(text, width - column, column) + "\n";
}

struct Entry {
  std::string term;
  std::string text;
};

std::string section(const std::string& heading, const std::vector<Entry>& entries,
                    std::size_t width) {
  if (entries.empty()) return {};
  std::size_t column = 0;
  for (const auto& one : entries)
    column = std::max(column, std::min(kWidestTerm, terminal::display_width(one.term) + 4));
  std::string result = "\n" + heading + ":\n";
  for (const auto& one : entries) result += entry(one.term, one.text, column, width);
  return result;
}

std::string meaning(const OptionText& option) {
  auto text = option.text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : " ") + more; };
  // A text that names the values itself needs no list.
  if (!option.choices.empty() && text.find(option.choices.back()) == std::string::npos)
    add(fmt::format("({})", fmt::join(option.choices, ", ")));
  if (!option.fallback.empty()) add(fmt::format("[{}]", option.fallback));
  return text;
}

std::vector<Entry> entries_of(const std::vector<OptionText>& options) {
  std::vector<Entry> entries;
  for (const auto& option : options)
    entries.push_back(
        {option.names + (option.value.empty() ? "" : " " + option.value), meaning(option)});
  return entries;
}

std::string verb_sections(const CommandText& command, std::size_t width) {
  std::vector<std::string> groups;
  for (const auto& verb : command.verbs)
    if (std::find(groups.begin(), groups.end(), verb.group) == groups.end())
      groups.push_back(verb.group);
  std::string result;
  for (const auto& group : groups) {
    std::vector<Entry> entries;
    for (const auto& verb : command.verbs)
      if (verb.group == group) entries.push_back({verb.name, verb.text});
    result += section(group, entries, width);
  }
  return result;
}

class OwnFormatter final : public CLI::FormatterBase {
 public:
  explicit OwnFormatter(std::size_t width) : width_(width) {}
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    std::string path;
    for (const auto* one = app; one->get_parent() != nullptr; one = one->get_parent())
      path = one->get_name() + (path.empty() ? "" : " ") + path;
    return help_text(describe(*app, path), width_);
  }

 private:
  std::size_t width_;
};

}  // namespace

std::string help_text(const CommandText& command, std::size_t width) {
  width = std::max(width, kLeastWidth);
  auto text = terminal::wrapped(command.text, width, 0) + "\n\nUsage:\n  " +
              terminal::wrapped(command.usage(), width - 4, 4) + "\n";
  text += verb_sections(command, width);
  text += section("Arguments", entries_of(command.positionals), width);
  text += section("Options", entries_of(command.options), width);
  const auto examples = examples_of(command.path);
  if (!examples.empty()) text += "\nExamples:\n";
  for (const auto& example : examples) text += "  " + example + "\n";
  if (command.path.empty()) {
    std::vector<Entry> entries;
    for (const auto& topic : topics()) entries.push_back({topic.name, topic.title});
    text += section("Topics (toolway help TOPIC)", entries, width);
  }
  return text;
}

void use_own_help(CLI::App& app, std::size_t width) {
  app.formatter(std::make_shared<OwnFormatter>(width));
}

}  // namespace toolway::cli::help
