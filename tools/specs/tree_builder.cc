#include "tools/specs/tree_builder.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

namespace toolway::tools::specs {
namespace {

struct Size {
  std::size_t nodes = 1;
  std::size_t depth = 1;
};

Size size_of(const Located& tree) {
  Size size;
  for (const auto& member : tree.members) {
    const Size inner = size_of(member.value);
    size.nodes += inner.nodes;
    size.depth = std::max(size.depth, inner.depth + 1);
  }
  return size;
}

}  // namespace

bool TreeBuilder::begin(Located::Shape shape, int line) {
  if (!spend(1, line)) return false;
  if (open_.size() >= kMaxDepth) {
    mistakes_.add(line, fmt::format("nested more than {} levels deep", kMaxDepth));
    return false;
  }
  open_.push_back(place({.shape = shape, .line = line, .members = {}}));
  return true;
}

void TreeBuilder::key(std::string text, int line) {
  key_ = std::move(text);
  key_line_ = line;
}

void TreeBuilder::end() {
  if (open_.back()->is_map()) leave_out_repeated(*open_.back());
  open_.pop_back();
}

bool TreeBuilder::put(OrderedJson scalar, int line) {
  if (!spend(1, line)) return false;
  place({.line = line, .scalar = std::move(scalar), .members = {}});
  return true;
}

bool TreeBuilder::put(const Located& tree) {
  const Size size = size_of(tree);
  if (!spend(size.nodes, tree.line)) return false;
  if (open_.size() + size.depth > kMaxDepth + 1) {
    mistakes_.add(tree.line, fmt::format("nested more than {} levels deep", kMaxDepth));
    return false;
  }
  place(tree);
  return true;
}

bool TreeBuilder::spend(const Located& tree) { return spend(size_of(tree).nodes, tree.line); }

bool TreeBuilder::spend(std::size_t nodes, int line) {
  nodes_ += nodes;
  if (nodes_ <= kMaxNodes) return true;
  mistakes_.add(line, fmt::format("the document has more than {} values", kMaxNodes));
  return false;
}

Located* TreeBuilder::place(Located value) {
  if (open_.empty()) return &root_.emplace(std::move(value));
  Located& parent = *open_.back();
  const int line = parent.is_map() ? key_line_ : value.line;
  parent.members.push_back({std::exchange(key_, {}), line, std::move(value)});
  return &parent.members.back().value;
}

void TreeBuilder::leave_out_repeated(Located& map) {
  std::unordered_map<std::string, int> seen;
  std::erase_if(map.members, [&](const LocatedMember& member) {
    const auto [first, is_new] = seen.emplace(member.key, member.line);
    if (!is_new) {
      mistakes_.add(member.line, fmt::format("{} appears twice, first at line {}",
                                             in_quotes(member.key), first->second));
    }
    return !is_new;
  });
}

}  // namespace toolway::tools::specs
