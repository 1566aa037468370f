#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/paths.h"

/// Pages of docs/ that show code: it must be the code that is built.
namespace toolway::test {

/// A file of the sources.
inline std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(std::string(TOOLWAY_SOURCE_DIR) + "/" + file).rdbuf();
  return text.str();
}

struct Shown {
  std::string file;
  std::string code;
};

/// The code of the page: each indented block after a line that is a file's name and a colon.
inline std::vector<Shown> shown_code(const std::string& page) {
  std::vector<Shown> all;
  const std::regex names_file("`([a-z_/]+\\.(?:cc|h))`:");
  std::istringstream lines(text_of(page));
  std::smatch match;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, names_file)) {
      all.push_back({match[1], ""});
      inside = true;
    } else if (inside && (line.empty() || line.starts_with("    "))) {
      all.back().code += (line.empty() ? "" : line.substr(4)) + "\n";
    } else {
      inside = false;
    }
  }
  for (auto& [file, code] : all) {
    code.erase(0, code.find_first_not_of('\n'));
    code.erase(code.find_last_not_of('\n') + 1);
  }
  return all;
}

/// The parts of a block between its lines `…`.
inline std::vector<std::string> parts_of(const std::string& code) {
  std::vector<std::string> parts(1);
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" …") == std::string::npos && !line.empty())
      parts.emplace_back();
    else
      parts.back() += line + "\n";
  }
  return parts;
}

/// Blocks of a class's members are shown without the indentation that all of it has.
inline std::string unindented(const std::string& text) {
  return std::regex_replace(text, std::regex("\n +"), "\n");
}

/// Each block of code of a page is in the file that it names.
inline void expect_shows_what_is_built(const std::string& page, std::size_t least_blocks) {
  const auto all = shown_code(page);
  EXPECT_GE(all.size(), least_blocks);
  for (const auto& [file, code] : all) {
    EXPECT_GT(code.size(), 60U) << file;
    const auto whole = unindented("\n" + text_of(file));
    std::size_t from = 0;
    for (const auto& part : parts_of(code)) {
      const auto at = whole.find(unindented("\n" + part), from);
      EXPECT_NE(at, std::string::npos) << file << " has no such text:\n" << part;
      from = std::min(at, whole.size());
    }
  }
}

}  // namespace toolway::test
