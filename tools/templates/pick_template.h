#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "tools/templates/json_template.h"

namespace toolway::tools::templates {

/// What to make of a JSON document: JSON in which a string `{/a/b}` is what that JSON Pointer (RFC
/// 6901) finds in the document, and is left out where it finds nothing, or null; `{each: /a, item:
/// …}` is a list of `item`, whose pointers begin at each item of that array. Immutable.
struct PickTemplate {
  struct At {
    Json::json_pointer pointer;
  };
  struct Each {
    Json::json_pointer pointer;
    std::vector<PickTemplate> item;  ///< one
  };
  using Members = std::vector<std::pair<std::string, PickTemplate>>;
  using Items = std::vector<PickTemplate>;
  std::variant<Json, At, Each, Members, Items> value;
};

/// Adds to `mistakes`, pointers beginning with `pointer`.
PickTemplate parse_pick_template(const OrderedJson& json, const std::string& pointer,
                                 Mistakes& mistakes);

Json pick(const PickTemplate& wanted, const Json& document);

/// What a pointer finds; null: nothing.
const Json* find_at(const Json& document, const Json::json_pointer& pointer);

/// Nothing when it is not a JSON Pointer.
std::optional<Json::json_pointer> parse_pointer(const std::string& text);

}  // namespace toolway::tools::templates
