#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/specs/reader.h"

namespace toolway::tools {

/// What is wrong in one document, as it is found. One thread.
class Mistakes {
 public:
  explicit Mistakes(std::string_view origin) : origin_(origin) {}

  void add(int line, std::string what);
  const std::string& origin() const { return origin_; }
  /// How many were added: what a part of the reader compares to see whether its part is right.
  std::size_t count() const { return count_; }
  /// By line; see SpecDocument.
  std::vector<Mistake> take() &&;

 private:
  const std::string origin_;
  std::vector<Mistake> found_;
  std::size_t count_ = 0;
};

/// Text from a file, fit for a message: as JSON, cut to about 60 bytes.
std::string in_quotes(std::string_view text);

}  // namespace toolway::tools
