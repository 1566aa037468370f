#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a shell may put where the cursor is. Pure.
namespace toolway::cli::help {

/// Names that only a gateway knows.
enum class Known { kNothing, kSessions, kTools, kNamespaces, kPools, kCalls };

struct Candidates {
  std::vector<std::string> words;  ///< that begin with what was typed
  Known known = Known::kNothing;   ///< and names of this kind
  std::string typed;               ///< the word at the cursor
  std::string session;             ///< that the line names: whose calls and tools
  std::string url;                 ///< that the line names; empty: as for every verb
};

/// `words` are those after the program's name, up to the cursor; the last one is typed half, or
/// empty.
Candidates complete(const CLI::App& root, std::vector<std::string> words);

/// The script that makes a shell ask `toolway __complete`; nothing: the shell is not one of bash,
/// zsh and fish.
std::optional<std::string> completion_script(std::string_view shell);

}  // namespace toolway::cli::help
