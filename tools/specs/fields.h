#pragma once

#include "base/strict_object.h"
#include "tools/specs/located.h"

namespace toolway {

template <>
struct StrictTree<tools::Located> {
  static bool is_object(const tools::Located& value) { return value.is_map(); }
  static bool is_list(const tools::Located& value) { return value.is_list(); }
  static const OrderedJson& scalar(const tools::Located& value) { return value.scalar; }
  static int line(const tools::Located& value) { return value.line; }
  static std::vector<StrictMember<tools::Located>> members(const tools::Located& value);
};

extern template class StrictObject<tools::Located>;

namespace tools {

using toolway::in_quotes;
using toolway::Mistakes;
using toolway::Range;

/// The members of one mapping of a file of specs.
using Fields = StrictObject<Located>;
using NamedMember = StrictMember<Located>;

}  // namespace tools
}  // namespace toolway
