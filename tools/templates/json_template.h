#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/mistake.h"
#include "tools/templates/http_text.h"

namespace toolway::tools::templates {

/// JSON with placeholders in its strings. `"{name}"` alone is the value with its own type;
/// `"{name?}"` leaves the member or item out when it is not given; `"{name*}"` in an array is all
/// of its items; within other text a value is text. Keys stay as they are. Immutable.
struct JsonTemplate {
  using Members = std::vector<std::pair<std::string, JsonTemplate>>;
  using Items = std::vector<JsonTemplate>;
  std::variant<Json, ArgumentTemplate, Members, Items> value;
};

/// Adds to `mistakes`, pointers beginning with `pointer`.
JsonTemplate parse_json_template(const OrderedJson& json, const std::string& pointer,
                                 Mistakes& mistakes);

/// Calls `visit` for every placeholder, with the pointer of its string, and whether it is all of
/// it.
void each_placeholder(
    const JsonTemplate& json, const std::string& pointer,
    const std::function<void(const Placeholder&, const std::string&, bool whole)>& visit);

/// Null when the whole is an optional value that is not given. Errors: as render_part.
Result<Json> render_json(const JsonTemplate& json, const HttpValues& source);

}  // namespace toolway::tools::templates
