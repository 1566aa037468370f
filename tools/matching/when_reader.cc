#include "tools/matching/when_reader.h"

#include <fmt/format.h>

#include "base/json_pointer.h"
#include "tools/specs/fields.h"

namespace toolway::tools::matching {

When read_when(const specs::Located& map, Mistakes& mistakes) {
  When when;
  specs::Fields fields(map, "`when`", mistakes);
  if (const auto* arguments = fields.map("arguments"))
    when.arguments = Json(specs::to_json(*arguments));
  if (const auto* pointers = fields.map("pointers")) {
    for (const auto& member : pointers->members) {
      if (valid_pointer(member.key)) {
        when.pointers.emplace_back(member.key, Json(specs::to_json(member.value)));
      } else {
        mistakes.add(member.line,
                     fmt::format("{} is not a JSON Pointer, such as /query or /filter/0",
                                 in_quotes(member.key)));
      }
    }
  }
  if (const auto* schema = fields.find("schema")) {
    const auto json = specs::to_json(*schema->value);
    const auto before = mistakes.count();
    for (const auto& mistake : schema::schema_mistakes(json)) {
      const auto& at = mistake.place;
      mistakes.add(specs::line_at(*schema->value, schema->line, at),
                   fmt::format("`schema`{}{}: {}", at.empty() ? "" : " at ", at, mistake.message));
    }
    if (mistakes.count() == before) {
      if (auto compiled = schema::compile_schema(json))
        when.schema = *std::move(compiled);
      else
        mistakes.add(schema->line, compiled.error().message);
    }
  }
  fields.nothing_else();
  return when;
}

}  // namespace toolway::tools::matching
