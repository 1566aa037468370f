#pragma once

#include <string>
#include <vector>

namespace toolway::cli::client {

/// Of `toolway calls answer`.
struct AnswerOptions {
  std::string call;
  std::string key;                 ///< of the question; empty: the only one
  std::vector<std::string> words;  ///< fields of a form, as `name=value`, or the answer as JSON
  bool accept = false;             ///< without fields
  bool decline = false;
  bool given() const { return accept || decline || !words.empty(); }
};

}  // namespace toolway::cli::client
