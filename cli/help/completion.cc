#include "cli/help/completion.h"

#include <algorithm>

#include "cli/help/command.h"
#include "cli/help/verb_texts.h"

namespace toolway::cli::help {
namespace {

constexpr std::string_view kBash =
    R"(# toolway completion for bash: source <(toolway completion bash)
_toolway() {
  local IFS=$'\n' line
  COMPREPLY=()
  while read -r line; do COMPREPLY+=("$line"); done < <(
    "${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _toolway toolway
)";

constexpr std::string_view kZsh = R"(#compdef toolway
# toolway completion for zsh: source <(toolway completion zsh), or a file _toolway in $fpath
_toolway() {
  local -a names
  names=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${names[1]}" ]]; then compadd -- "${names[@]}"; else _files; fi
}
if [ "${funcstack[1]}" = "_toolway" ]; then _toolway; else compdef _toolway toolway; fi
)";

constexpr std::string_view kFish =
    R"(# toolway completion for fish: toolway completion fish | source
complete -c toolway -a '(set -l typed (commandline -opc) (commandline -ct); $typed[1] __complete $typed[2..-1] 2>/dev/null)'
)";

/// What the value of an option or argument is, by its name and verb.
Known known_of(const std::string& path, std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), ::tolower);
  if (name == "session" || name == "--session")
    return path == "session open" ? Known::kNothing : Known::kSessions;
  if (name == "--pool") return Known::kPools;
  if (name == "--namespace")
    return path.rfind("tools new", 0) == 0 ? Known::kNothing : Known::kNamespaces;
  if (name == "tool") return Known::kTools;
  if (name == "name" && (path.rfind("tools ", 0) == 0 || path.rfind("specs ", 0) == 0))
    return path == "tools new" ? Known::kNothing : Known::kTools;
  return name == "call" ? Known::kCalls : Known::kNothing;
}

const CLI::Option* option_named(const CLI::App& app, const std::string& word) {
  for (const auto* option : app.get_options())
    if (!option->get_positional() && option->check_name(word)) return option;
  return nullptr;
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0 && option.get_type_size_max() > 0;
}

std::string long_name(const CLI::Option& option) {
  return option.get_lnames().empty() ? std::string() : "--" + option.get_lnames().front();
}

class Completion {
 public:
  Completion(const CLI::App& root, std::vector<std::string> words) {
    result_.typed = words.empty() ? "" : words.back();
    if (!words.empty()) words.pop_back();
    const auto verb = find_verb(root, words);
    app_ = verb.app;
    path_ = verb.path;
    for (auto i = verb.words; i < words.size(); ++i) take(words[i]);
  }

  Candidates at_cursor() {
    if (const auto equals = result_.typed.find('=');
        result_.typed.starts_with("--") && equals != std::string::npos) {
      if (const auto* option = option_named(*app_, result_.typed.substr(0, equals)))
        offer_values(*option, result_.typed.substr(0, equals + 1));
    } else if (pending_ != nullptr) {
      offer_values(*pending_, "");
    } else if (result_.typed.starts_with("-")) {
      for (const auto* option : app_->get_options())
        if (!option->get_group().empty() && !option->get_positional()) offer(long_name(*option));
    } else {
      offer_words();
    }
    return std::move(result_);
  }

 private:
  void take(const std::string& word) {
    if (pending_ != nullptr) {
      value_of(*pending_, word);
      pending_ = nullptr;
      return;
    }
    if (!word.starts_with("-") || word == "-") {
      if (positionals_++ == 0 && (path_ == "watch" || path_ == "calls list"))
        result_.session = word;
      return;
    }
    const auto equals = word.find('=');
    const auto* option = option_named(*app_, word.substr(0, equals));
    if (option == nullptr || !takes_value(*option)) return;
    if (equals == std::string::npos)
      pending_ = option;
    else
      value_of(*option, word.substr(equals + 1));
  }

  void value_of(const CLI::Option& option, const std::string& value) {
    if (long_name(option) == "--session") result_.session = value;
    if (long_name(option) == "--url") result_.url = value;
  }

  void offer(const std::string& word) {
    if (!word.empty() && word.starts_with(result_.typed)) result_.words.push_back(word);
  }

  void offer_values(const CLI::Option& option, const std::string& before) {
    for (const auto& one : describe(*app_, path_).options) {
      if (!long_name(option).empty() && one.names.ends_with(long_name(option)))
        for (const auto& choice : one.choices) offer(before + choice);
    }
    if (before.empty()) result_.known = known_of(path_, long_name(option));
  }

  void offer_words() {
    const auto command = describe(*app_, path_);
    if (positionals_ == 0)
      for (const auto& verb : command.verbs) offer(verb.name);
    if (path_ == "help" && positionals_ == 0) {
      for (const auto& topic : topics()) offer(topic.name);
      const CLI::App* root = app_->get_parent();
      for (const auto& verb : describe(*root, "").verbs) offer(verb.name);
    }
    if (command.positionals.empty()) return;
    const auto& at = command.positionals[std::min(positionals_, command.positionals.size() - 1)];
    if (positionals_ >= command.positionals.size() && !at.repeats) return;
    for (const auto& choice : at.choices) offer(choice);
    result_.known = known_of(path_, at.names);
  }

  const CLI::App* app_;
  std::string path_;
  const CLI::Option* pending_ = nullptr;  ///< waits for its value
  std::size_t positionals_ = 0;
  Candidates result_;
};

}  // namespace

Candidates complete(const CLI::App& root, std::vector<std::string> words) {
  return Completion(root, std::move(words)).at_cursor();
}

std::optional<std::string> completion_script(std::string_view shell) {
  if (shell == "bash") return std::string(kBash);
  if (shell == "zsh") return std::string(kZsh);
  if (shell == "fish") return std::string(kFish);
  return std::nullopt;
}

}  // namespace toolway::cli::help
