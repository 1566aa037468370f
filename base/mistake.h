#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toolway {

/// Something wrong with a text or a document, and where.
struct Mistake {
  std::string place;      ///< the file, URL or table of a text; or a JSON Pointer into a document
  std::string message;    ///< what is wrong, and what to write instead
  int line = 0;           ///< of a text, from 1; 0: `place` is a JSON Pointer
  std::string keyword{};  ///< of the JSON Schema that a document breaks: `type`, `required` …

  /// `examples/tools.yaml:12: message`, `/limits/run_ms: message`
  std::string text() const;
};

/// What is wrong in one text or document, as it is found. One thread.
class Mistakes {
 public:
  /// `origin`: of a text, the place of its mistakes.
  explicit Mistakes(std::string_view origin = {}) : origin_(origin) {}

  void add(Mistake mistake);
  void add(int line, std::string message) { add({origin_, std::move(message), line}); }
  const std::string& origin() const { return origin_; }
  /// How many were added: what a part of the reader compares to see whether its part is right.
  std::size_t count() const { return count_; }
  /// By line, otherwise as they were found; at most 1,000, and then one that says how many more.
  std::vector<Mistake> take() &&;

 private:
  const std::string origin_;
  std::vector<Mistake> found_;
  std::size_t count_ = 0;
};

/// Text from a file, fit for a message: as JSON, cut to about 60 bytes.
std::string in_quotes(std::string_view text);

}  // namespace toolway
