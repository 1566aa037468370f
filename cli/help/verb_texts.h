#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What is said about verbs besides what the parser knows. Pure.
namespace toolway::cli::help {

/// Commands that show how a verb is used; `verb` is its path without the program: `session open`.
/// Empty: there is no such verb.
std::vector<std::string> examples_of(std::string_view verb);

/// A text that `toolway help TOPIC` prints.
struct Topic {
  std::string name;
  std::string title;
  std::string text;  ///< paragraphs and tables, lines of at most 78 characters
};
const std::vector<Topic>& topics();

}  // namespace toolway::cli::help
