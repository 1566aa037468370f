#pragma once

#include "base/strict_object.h"
#include "tools/specs/located.h"

namespace toolway::tools::specs {

/// The members of a mapping as `StrictObject` reads them.
std::vector<StrictMember<Located>> members_of(const Located& value);

}  // namespace toolway::tools::specs

namespace toolway {

template <>
struct StrictTree<tools::specs::Located> {
  using Located = tools::specs::Located;
  static bool is_object(const Located& value) { return value.is_map(); }
  static bool is_list(const Located& value) { return value.is_list(); }
  static const OrderedJson& scalar(const Located& value) { return value.scalar; }
  static int line(const Located& value) { return value.line; }
  static auto members(const Located& value) { return tools::specs::members_of(value); }
};

extern template class StrictObject<tools::specs::Located>;

}  // namespace toolway

namespace toolway::tools::specs {

/// The members of one mapping of a file of specs.
using Fields = StrictObject<Located>;
using NamedMember = StrictMember<Located>;

}  // namespace toolway::tools::specs
