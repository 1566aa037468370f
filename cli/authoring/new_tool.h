#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace toolway::cli::authoring {

/// What to make.
struct NewTool {
  std::string name;
  std::string ns = "default";
  std::string kind = "python";
  std::filesystem::path directory = "my-tools";
  std::uint16_t port = 8099;        ///< of the server that an http tool is tried against
  std::string program = "toolway";  ///< how this program was called, for commands that are shown
};

struct NewFile {
  std::filesystem::path path;
  std::string text;
};

/// A tool with its test, as files, and what to do with them.
struct Scaffold {
  std::vector<NewFile> files;
  std::vector<std::string> next;  ///< commands for a shell, in order: test it, offer it, call it
};

/// The kinds that tools can be made of: `command`, `http` and so on.
std::vector<std::string> scaffolded_kinds();

/// Pure: writes nothing. `directory` is made absolute where a file needs it.
/// Errors: kInvalidRequest (name, namespace or kind).
Result<Scaffold> scaffold(const NewTool& tool);

/// Writes all of the files, or none of them when any already exists.
/// Errors: kInvalidRequest naming the file that exists, or cannot be made.
Result<void> write_scaffold(const Scaffold& scaffold);

}  // namespace toolway::cli::authoring
