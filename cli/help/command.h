#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// What a verb takes, read from the parser once, for help, man pages and completion. Pure.
namespace toolway::cli::help {

struct OptionText {
  std::string names;                   ///< `-o, --output`; of a positional: `TOOL`
  std::string value{};                 ///< `FILE`; empty: a flag
  std::string text{};                  ///< what it does
  std::string fallback{};              ///< its default; empty: none
  std::vector<std::string> choices{};  ///< the values it takes; empty: any
  bool required = false;
  bool repeats = false;
};

struct VerbText {
  std::string name;   ///< its last word
  std::string group;  ///< heading in the list of verbs
  std::string text;
};

struct CommandText {
  std::string path;  ///< `session open`; empty: the program
  std::string text;
  std::vector<VerbText> verbs{};
  std::vector<OptionText> positionals{};
  std::vector<OptionText> options{};

  /// `toolway session open [SESSION] [OPTIONS]`
  std::string usage() const;
};

/// `app` is the verb at `path`.
CommandText describe(const CLI::App& app, const std::string& path);

/// The verb that `words` name below `root`, and how many of them do; hidden ones are not found.
struct FoundVerb {
  const CLI::App* app = nullptr;
  std::size_t words = 0;
  std::string path{};
};
FoundVerb find_verb(const CLI::App& root, const std::vector<std::string>& words);

/// Every verb that runs, with its path; groups of verbs too when `groups` says so.
enum class Groups { kWithout, kWith };
std::vector<FoundVerb> all_verbs(const CLI::App& root, Groups groups);

}  // namespace toolway::cli::help
