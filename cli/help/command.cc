#include "cli/help/command.h"

#include <algorithm>
#include <cctype>

namespace toolway::cli::help {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return text;
}

/// Of the parser's `TEXT:{table,json}` the words.
std::vector<std::string> choices_of(const CLI::Option& option) {
  const auto type = option.get_type_name();
  const auto open = type.find('{');
  const auto close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos ||
      type.find("->") != std::string::npos)
    return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

/// `--idempotency-key` takes a KEY; a number is N.
std::string value_name(const CLI::Option& option) {
  const auto type = option.get_type_name();
  for (const char* number : {"INT", "UINT", "FLOAT"})
    if (type.rfind(number, 0) == 0) return "N";
  const auto& names = option.get_lnames();
  const auto name = names.empty() ? std::string("value") : names.front();
  if (name == "into") return "DIRECTORY";
  const auto dash = name.rfind('-');
  return upper(dash == std::string::npos ? name : name.substr(dash + 1));
}

OptionText describe_option(const CLI::Option& option) {
  OptionText text{.names = {},
                  .text = option.get_description(),
                  .choices = choices_of(option),
                  .required = option.get_required(),
                  .repeats = option.get_items_expected_max() > 1};
  if (option.get_positional()) {
    text.names = upper(option.get_single_name());
    return text;
  }
  for (const auto& name : option.get_snames()) text.names += "-" + name + ", ";
  for (const auto& name : option.get_lnames()) text.names += "--" + name + ", ";
  if (text.names.size() > 2) text.names.erase(text.names.size() - 2);
  if (option.get_items_expected_max() > 0 && option.get_type_size_max() > 0) {
    text.value = value_name(option);
    text.fallback = option.get_default_str();
    if (text.fallback == "\"\"" || text.fallback == "[]") text.fallback.clear();
    // The parser's brackets around a list.
    if (text.fallback.starts_with("[") && text.fallback.ends_with("]"))
      text.fallback = text.fallback.substr(1, text.fallback.size() - 2);
  }
  return text;
}

bool hidden(const CLI::App& app) { return app.get_group().empty(); }

std::vector<const CLI::App*> visible_verbs(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !hidden(*sub); });
}

}  // namespace

std::string CommandText::usage() const {
  std::string line = "toolway" + (path.empty() ? "" : " " + path);
  if (!verbs.empty()) line += positionals.empty() ? " VERB" : " [VERB]";
  for (const auto& one : positionals) {
    const auto name = one.names + (one.repeats ? "..." : "");
    line += one.required ? " " + name : " [" + name + "]";
  }
  return line + (options.empty() ? "" : " [OPTIONS]");
}

CommandText describe(const CLI::App& app, const std::string& path) {
  CommandText command{.path = path, .text = app.get_description()};
  for (const auto* verb : visible_verbs(app)) {
    auto group = verb->get_group();
    std::transform(group.begin(), group.end(), group.begin(), ::tolower);
    command.verbs.push_back({verb->get_name(), group == "subcommands" ? "Verbs" : verb->get_group(),
                             verb->get_description()});
  }
  for (const auto* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    auto& list = option->get_positional() ? command.positionals : command.options;
    list.push_back(describe_option(*option));
  }
  return command;
}

FoundVerb find_verb(const CLI::App& root, const std::vector<std::string>& words) {
  FoundVerb found{.app = &root};
  for (const auto& word : words) {
    const auto verbs = visible_verbs(*found.app);
    const auto next = std::find_if(verbs.begin(), verbs.end(),
                                   [&](const CLI::App* verb) { return verb->get_name() == word; });
    if (next == verbs.end()) break;
    found.app = *next;
    found.path += (found.path.empty() ? "" : " ") + word;
    ++found.words;
  }
  return found;
}

std::vector<FoundVerb> all_verbs(const CLI::App& root, Groups groups) {
  std::vector<FoundVerb> all;
  const auto visit = [&](const auto& self, const CLI::App& app, const std::string& path) -> void {
    const auto verbs = visible_verbs(app);
    // `tools` lists tools, and has verbs as well.
    if (!path.empty() && (groups == Groups::kWith || verbs.empty() || path == "tools"))
      all.push_back({&app, 0, path});
    for (const auto* verb : verbs)
      self(self, *verb, path + (path.empty() ? "" : " ") + verb->get_name());
  };
  visit(visit, root, "");
  return all;
}

}  // namespace toolway::cli::help
