#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/mistake.h"
#include "tools/specs/located.h"

namespace toolway::tools::specs {

/// How much a document may hold: what bounds the reader's memory and stack, whatever
/// the text says (a few YAML aliases can expand to billions of values).
inline constexpr std::size_t kMaxNodes = 1'000'000;
inline constexpr std::size_t kMaxDepth = 64;

/// Puts a located tree together from a parser's events. Members whose key was there
/// before are left out and reported. Functions that return false have reported why:
/// the document goes beyond a bound, and the parser should stop.
class TreeBuilder {
 public:
  explicit TreeBuilder(Mistakes& mistakes) : mistakes_(mistakes) {}

  bool begin(Located::Shape shape, int line);
  /// Of the next value, in a map.
  void key(std::string text, int line);
  void end();
  bool put(OrderedJson scalar, int line);
  /// A copy of a tree, which counts as all of its nodes.
  bool put(const Located& tree);

  /// The innermost map or list that is not ended; null outside the outermost.
  const Located* open() const { return open_.empty() ? nullptr : open_.back(); }
  /// The last value put, when it is complete.
  const Located& last() const {
    return open_.empty() ? *root_ : open_.back()->members.back().value;
  }
  /// Counts a copy that is kept besides the tree.
  bool spend(const Located& tree);
  /// Nothing: the document was empty.
  std::optional<Located> take() && { return std::move(root_); }

 private:
  Located* place(Located value);
  bool spend(std::size_t nodes, int line);
  void leave_out_repeated(Located& map);

  Mistakes& mistakes_;
  std::optional<Located> root_;
  std::vector<Located*> open_;  // each the last member of the one before, so none moves
  std::string key_;
  int key_line_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace toolway::tools::specs
