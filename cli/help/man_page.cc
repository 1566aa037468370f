#include "cli/help/man_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/help/verb_texts.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::help {
namespace {

/// troff takes a backslash, and a dot or quote at a line's beginning, for its own.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) {
      result += "\\&";
      result += c;
    } else {
      result += c;
    }
  }
  return result;
}

std::string dashed(std::string path) {
  std::replace(path.begin(), path.end(), ' ', '-');
  return path.empty() ? "toolway" : "toolway-" + path;
}

std::string entry(const std::string& term, const std::string& text) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(term), escaped(text.empty() ? "-" : text));
}

std::string options_section(const char* heading, const std::vector<OptionText>& options) {
  if (options.empty()) return {};
  auto text = fmt::format(".SH {}\n", heading);
  for (const auto& option : options)
    text += entry(option.names + (option.value.empty() ? "" : " " + option.value),
                  option.text + (option.fallback.empty() ? "" : " [" + option.fallback + "]"));
  return text;
}

}  // namespace

std::string man_file(const CommandText& command) { return dashed(command.path) + ".1"; }

std::string man_page(const CommandText& command, const std::string& version) {
  auto name = dashed(command.path);
  std::string title(name);
  std::transform(title.begin(), title.end(), title.begin(), ::toupper);
  auto text = fmt::format(".TH \"{}\" 1 \"\" \"toolway {}\" \"Toolway\"\n.SH NAME\n{} \\- {}\n",
                          escaped(title), version, escaped(name), escaped(command.text));
  text += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR\n", escaped(command.usage()));
  text += fmt::format(".SH DESCRIPTION\n{}.\n", escaped(command.text));
  if (!command.verbs.empty()) text += ".SH VERBS\n";
  for (const auto& verb : command.verbs) text += entry(verb.name, verb.text);
  text += options_section("ARGUMENTS", command.positionals);
  text += options_section("OPTIONS", command.options);
  if (const auto examples = examples_of(command.path); !examples.empty()) {
    text += ".SH EXAMPLES\n.nf\n";
    for (const auto& example : examples) text += escaped(example) + "\n";
    text += ".fi\n";
  }
  text += ".SH EXIT STATUS\n";
  for (const auto& [status, means] : terminal::exit_statuses())
    text += entry(std::string(status), std::string(means));
  return text;
}

}  // namespace toolway::cli::help
