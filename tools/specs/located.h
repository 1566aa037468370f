#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace toolway::tools::specs {

struct LocatedMember;

/// A JSON value that knows where it is in its text: what both front ends, YAML
/// and JSON, make, and the one reader reads.
struct Located {
  enum class Shape { kScalar, kList, kMap };

  Shape shape = Shape::kScalar;
  int line = 0;                        ///< of its first character, from 1
  OrderedJson scalar{};                ///< of a scalar: null, boolean, number or string
  std::vector<LocatedMember> members;  ///< of a map or list, in order

  bool is_map() const { return shape == Shape::kMap; }
  bool is_list() const { return shape == Shape::kList; }
  bool is_text() const { return shape == Shape::kScalar && scalar.is_string(); }
};

struct LocatedMember {
  std::string key;  ///< of a map; unique in it
  int line = 0;     ///< of the key, or of a list's item
  Located value;
};

/// The member of a map; null when it has none of that key.
const LocatedMember* find(const Located& map, std::string_view key);

/// The value alone, keys in the order of the text.
OrderedJson to_json(const Located& value);

/// The line of what a JSON Pointer (RFC 6901) points at, or of the innermost value on
/// the way to it that is there. `line`: of the value itself.
int line_at(const Located& value, int line, std::string_view pointer);

}  // namespace toolway::tools::specs
